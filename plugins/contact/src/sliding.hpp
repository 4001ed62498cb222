// SPDX-License-Identifier: BSD-3-Clause
// Rates at which a contact slides: of the points of both bodies that touch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::contact {

/// Where the attachments of a contact stand among its local scalars; -1: there is none.
struct Places {
    int plane_normal = -1;  ///< of a plane; spheres take that of their centres
    int plane_axes = -1;    ///< t_1, t_2 that a body carries
    int axes_a = -1;        ///< e_1, e_2, e_3 of a, if it turns and has a radius
    int axes_b = -1;        ///< f_1, f_2, f_3 of the sphere b likewise
    bool fixed_b = false;   ///< b is on the ground
};

/// Where spheres touch, at c - (R / D) r = d + (1 - R / D) r with r = c - d, the points of the
/// bodies slide at
///
///   w_k = t_k . (c' + sum_i x_i e_i' - d' - sum_j y_j f_j'),   k = 1, 2                  (1)
///   x = -(R / D) E^-1 r,   y = (1 - R / D) F^-1 r                                        (2)
///
/// with the axes E = (e_i), F = (f_j) of the bodies and D = R + R_b, R - R_b inside: the sums are
/// w x (...) of rigid bodies, and where E is the mean of two attitudes x reaches the point all the
/// same. Both name one point at any r, so that friction has no moment of its own. On a plane,
/// which a body may carry, o + span(t_1, t_2), it is c - R n,
///
///   w_k = (t_k . (c - o))' + R t_k . n' + t_k . sum_i x_i e_i',   x = -R E^-1 n          (3)
///
/// A body without axes touches at its own point. What touches changes as a body rolls, so these
/// are rates and no displacements. t_k of spheres are fixed axes turned the shortest way to
/// +-r / |r|.
///
/// Source: theory, section 8.4.
class Sliding final : public RowSource {
public:
    /// @param width scalars of the contact's attachments
    /// @param reach D of spheres, negative inside
    /// @param t     t_1, t_2 of a plane in space; of spheres axes across the normal at the start
    Sliding(
        const Places& places, int width, double radius, double reach, const std::array<Vec3, 2>& t);
    Sliding(const Sliding&) = delete;
    Sliding& operator=(const Sliding&) = delete;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;

private:
    void evaluate_on_plane(const RowPoint& at, const RowValues& out) const;
    void evaluate_on_sphere(const RowPoint& at, const RowValues& out) const;

    Places places_;
    double radius_;                       ///< 0 of what does not turn
    double part_a_ = 0.0, part_b_ = 0.0;  ///< of r, from c and d to where they touch
    double sign_;                         ///< of n along c - d
    std::array<Vec3, 2> t_;
    std::vector<std::int32_t> stencil_;
    RowBlock block_;
};

}  // namespace ancora::contact
