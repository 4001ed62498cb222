// SPDX-License-Identifier: BSD-3-Clause
// What a body looks like, for reports and for frames that ParaView reads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ancora {

/// Receives the shapes of a body. Nothing in it acts on the motion.
///
/// Solids move with the body's reference point and frame (PoseKind::attitude) or with its reference
/// point alone (PoseKind::position); a body with a pose and no solids is shown as a dot. Networks
/// have nodes, which are points that Body::attach() knows by number, lines between them, and
/// channels: values along the lines that can be shown as colours.
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
    /// One more value that Drawing::draw_values() gives for each line: "force", "N".
    virtual void channel(const char* name, const char* unit) = 0;

protected:
    ~Sketch() = default;
};

/// The state that values along lines are computed from.
struct SketchState {
    std::span<const double> q;  ///< the body's coordinates
    std::span<const double> v;  ///< and velocities
    std::span<const double> s;  ///< stresses of its rows, block after block; under integrators with
                                ///< a discrete formulation their means over the step that ended now
    double t = 0.0;             ///< [s]
};

}  // namespace ancora
