// SPDX-License-Identifier: BSD-3-Clause
// What a model looks like: shapes, networks and markers, and where a frame keeps their values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/sdk/body.hpp"

namespace ancora {

// Shapes of a body, in its axes from its reference point [m].

struct Box {
    std::array<double, 3> size{};
    std::array<double, 3> center{};
    std::array<double, 4> quaternion{1, 0, 0, 0};  ///< w, x, y, z; box to body axes
};
struct Sphere {
    double radius = 0.0;
    std::array<double, 3> center{};
};
struct Cylinder {
    double radius = 0.0;
    std::array<double, 3> from{}, to{};
};
using SceneShape = std::variant<Box, Sphere, Cylinder>;

/// A value along the lines of a network.
struct SceneChannel {
    std::string name;
    std::string unit;
};

/// One body. Its values in a frame, one after the other, from `first`:
///
///   position 3, velocity 3                         of bodies with a pose
///   quaternion 4, angular velocity 3 (body axes)   of those with an attitude
///   positions 3 N, velocities 3 N                  of N nodes
///   L values                                       of each channel of L lines
struct SceneBody {
    std::string name;
    std::string type;
    PoseKind pose = PoseKind::none;
    std::vector<SceneShape> shapes;
    int num_nodes = 0;
    std::vector<std::array<std::int32_t, 2>> lines;
    std::vector<SceneChannel> channels;
    int first = 0;
    int first_coordinate = 0;  ///< of the body in the model's q and v
    int num_coordinates = 0;

    int pose_size() const {
        return pose == PoseKind::none ? 0 : pose == PoseKind::position ? 6 : 13;
    }
    int nodes_at() const { return first + pose_size(); }
    int channel_at(int channel) const {
        return nodes_at() + 6 * num_nodes + channel * static_cast<int>(lines.size());
    }
    int end() const { return channel_at(static_cast<int>(channels.size())); }
};

/// A constraint or force. Its values in a frame from `first`: the positions of its points, 3 each,
/// and then, if it has one, the force [N] on the first of them, inertial axes.
struct SceneMarker {
    std::string name;
    std::string type;
    std::vector<std::string> points;  ///< as written: "box@[1.5, 0, 0]"
    bool has_force = false;
    int first = 0;

    int force_at() const { return first + 3 * static_cast<int>(points.size()); }
    int end() const { return force_at() + (has_force ? 3 : 0); }
};

/// Everything of a model that can be shown.
struct Scene {
    std::array<double, 3> gravity{};  ///< [m/s^2]
    std::vector<SceneBody> bodies;
    std::vector<SceneMarker> constraints;
    std::vector<SceneMarker> forces;
    int num_values = 0;  ///< of a frame
};

/// The scene as JSON text, and back.
ANCORA_FRAMEWORK_EXPORT std::string scene_text(const Scene& scene);
/// @throws Error (file) if the text is no scene
ANCORA_FRAMEWORK_EXPORT Scene read_scene(std::string_view text);

}  // namespace ancora
