// SPDX-License-Identifier: BSD-3-Clause
// What a body looks like, for reports and for frames that ParaView reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ancora {

/// What the values of a channel belong to. A channel of curves is no colour: it says how lines run
/// between their nodes, see Sketch::outlines().
enum class ChannelPlace : std::int32_t { lines, nodes, triangles, curves };

/// Numbers of each line in a channel of curves: at its first node the slope, which is a derivative
/// by the part of the line, 0 to 1 [m], and the unit vector of axis 1 of its section; then the same
/// at its second node. Inertial axes. The line is the cubic with these slopes.
inline constexpr int kCurveNumbers = 12;

/// The outline of a section, closed, in its axes 1 and 2.
struct Outline {
    std::span<const double> points;  ///< two coordinates each, anticlockwise about axis 3 [m]
    double hole = 0.0;               ///< the same outline so many times as large is left out within
};

/// Receives the shapes of a body. Nothing in it acts on the motion.
///
/// Solids move with the body's reference point and frame (PoseKind::attitude) or with its reference
/// point alone (PoseKind::position); a body with a pose and no solids is shown as a dot. Networks
/// have nodes, which are points that Body::attach() knows by number, lines and triangles between
/// them, and channels: values of the lines, nodes or triangles that can be shown as colours.
/// Triangles are a surface, and lines on it its mesh.
class Sketch {
public:
    /// A box with edges `size` along axes that `quaternion` (w, x, y, z) turns from the body's;
    /// zero edges make it flat. [m]
    virtual void box(const std::array<double, 3>& size,
                     const std::array<double, 3>& center,
                     const std::array<double, 4>& quaternion) = 0;
    virtual void sphere(double radius, const std::array<double, 3>& center) = 0;
    virtual void cylinder(double radius,
                          const std::array<double, 3>& from,
                          const std::array<double, 3>& to) = 0;

    /// The points "@0" to "@count-1" of the body are its nodes.
    virtual void nodes(int count) = 0;
    /// Two node numbers for each line.
    virtual void lines(std::span<const std::int32_t> ends) = 0;
    /// Three node numbers for each triangle, which is seen from both sides.
    virtual void triangles(std::span<const std::int32_t> corners) = 0;
    /// One more value that Drawing::draw_values() gives for each of these: "force", "N". The first
    /// channel is shown unless another is chosen. Channels of one
    /// name share a scale, whatever the body.
    virtual void channel(const char* name, const char* unit, ChannelPlace of) = 0;
    void channel(const char* name, const char* unit) { channel(name, unit, ChannelPlace::lines); }

    /// The lines are solids: between the two outlines that `of_lines` names for each of them by
    /// number, along its curve. All have as many points, and the body has a channel of curves.
    virtual void outlines(std::span<const Outline> all, std::span<const std::int32_t> of_lines) {
        static_cast<void>(all);
        static_cast<void>(of_lines);
    }

protected:
    ~Sketch() = default;
};

/// The state that values of channels are computed from.
struct SketchState {
    std::span<const double> q;  ///< the body's coordinates
    std::span<const double> v;  ///< and velocities
    std::span<const double> s;  ///< stresses of its rows, block after block; under integrators with
                                ///< a discrete formulation their means over the step that ended now
    double t = 0.0;             ///< [s]
};

}  // namespace ancora
