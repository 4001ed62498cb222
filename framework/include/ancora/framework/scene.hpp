// SPDX-License-Identifier: BSD-3-Clause
// What a model looks like: shapes, networks, joints and markers, and where a frame keeps their
// values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/shape.hpp"
#include "ancora/sdk/body.hpp"

namespace ancora {

/// A value of each line, node or triangle of a network.
struct SceneChannel {
    std::string name;
    std::string unit;
    ChannelPlace of = ChannelPlace::lines;
};

/// The outline of a section, in its axes 1 and 2 [m].
struct SceneOutline {
    std::vector<std::array<double, 2>> points;
    double hole = 0.0;  ///< the same outline so many times as large is left out within
};

/// A named frame of a body, in its axes from its reference point [m].
struct SceneFrame {
    std::string name;
    std::array<double, 3> position{};
    std::array<double, 4> quaternion{1, 0, 0, 0};  ///< w, x, y, z; frame to body axes
};

/// One body. Its values in a frame, one after the other, from `first`:
///
///   position 3, velocity 3                         of bodies with a pose
///   quaternion 4, angular velocity 3 (body axes)   of those with an attitude
///   positions 3 N, velocities 3 N                  of N nodes
///   L, N, T or 12 L values                         of each channel of L lines, N nodes, T
///                                                  triangles, curves of L lines
struct SceneBody {
    std::string name;
    std::string type;
    PoseKind pose = PoseKind::none;
    std::vector<SceneSolid> shapes;
    /// Rods from the reference point to points where something is tied to it, drawn since nothing
    /// says what the body looks like.
    bool is_skeleton = false;
    bool is_hidden = false;  ///< nothing of it is drawn
    std::vector<SceneFrame> frames;
    int num_nodes = 0;
    std::vector<std::array<std::int32_t, 2>> lines;
    std::vector<std::array<std::int32_t, 3>> triangles;
    /// Of lines that are solids: the numbers of their outlines at both ends.
    std::vector<SceneOutline> outlines;
    std::vector<std::array<std::int32_t, 2>> line_outlines;
    std::vector<SceneChannel> channels;
    int first = 0;
    int first_coordinate = 0;  ///< of the body in the model's q and v
    int num_coordinates = 0;

    int pose_size() const {
        return pose == PoseKind::none ? 0 : pose == PoseKind::position ? 6 : 13;
    }
    int nodes_at() const { return first + pose_size(); }
    /// Values of a channel.
    int channel_size(int channel) const {
        const ChannelPlace of = channels[static_cast<std::size_t>(channel)].of;
        switch (of) {
            case ChannelPlace::lines:
                return static_cast<int>(lines.size());
            case ChannelPlace::nodes:
                return num_nodes;
            case ChannelPlace::triangles:
                return static_cast<int>(triangles.size());
            case ChannelPlace::curves:
                break;
        }
        return kCurveNumbers * static_cast<int>(lines.size());
    }
    int channel_at(int channel) const {
        int at = nodes_at() + 6 * num_nodes;
        for (int c = 0; c < channel; ++c) at += channel_size(c);
        return at;
    }
    int end() const { return channel_at(static_cast<int>(channels.size())); }
};

/// A constraint or force. Its values in a frame from `first`: the positions of its points, 3 each,
/// and then, if it has them, the force [N] on the first of them and the torque [N m], inertial
/// axes; of one that opens 1 as long as it holds, 0 from then on.
struct SceneMarker {
    std::string name;
    std::string type;
    std::vector<std::string> points;  ///< as written: "box@[1.5, 0, 0]"
    bool has_force = false;
    bool has_torque = false;
    bool opens = false;
    int first = 0;

    int force_at() const { return first + 3 * static_cast<int>(points.size()); }
    int torque_at() const { return force_at() + (has_force ? 3 : 0); }
    int holds_at() const { return torque_at() + (has_torque ? 3 : 0); }
    int end() const { return holds_at() + (opens ? 1 : 0); }
};

/// A point of a body, in its axes from its reference point [m]; of the ground: inertial axes.
struct ScenePoint {
    int body = -1;  ///< of the scene's bodies, with a pose; -1: the ground
    std::array<double, 3> position{};
};

/// A joint, drawn by its kind. It has no values of its own: it moves with its bodies.
struct SceneJoint {
    std::string name;  ///< of the constraint
    std::string kind;  ///< "revolute", "prismatic", ...; one that a view does not know is a dot
    ScenePoint a, b;   ///< the joint's point on either body
    /// Directions that the kind has, of any length: the axis of a revolute joint, the axis on a of
    /// a universal one, the normal of a planar one. In the axes of the body that they are fixed in.
    std::vector<std::array<double, 3>> axes_a;
    std::vector<std::array<double, 3>> axes_b;  ///< the axis on b of a universal joint
};

/// A spring between two points, drawn as a coil.
struct SceneSpring {
    std::string name;
    ScenePoint a, b;
};

/// Everything of a model that can be shown.
struct Scene {
    std::array<double, 3> gravity{};  ///< [m/s^2]
    std::vector<SceneBody> bodies;
    std::vector<SceneMarker> constraints;
    std::vector<SceneMarker> forces;
    std::vector<SceneJoint> joints;
    std::vector<SceneSpring> springs;
    std::vector<TriangleMesh> meshes;
    int num_values = 0;  ///< of a frame
};

/// The scene as JSON text, and back.
ANCORA_FRAMEWORK_EXPORT std::string scene_text(const Scene& scene);
/// @throws Error (file) if the text is no scene
ANCORA_FRAMEWORK_EXPORT Scene read_scene(std::string_view text);

}  // namespace ancora
