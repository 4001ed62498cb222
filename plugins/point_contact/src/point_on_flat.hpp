// SPDX-License-Identifier: BSD-3-Clause
// The constraint types `point_on_plane` and `point_on_line`.
#pragma once

#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
#include "axes.hpp"
#include "gap_rows.hpp"

namespace ancora::point_contact {

/// What plane and line share: rows along some of the axes (t1, t2, n) are normal, those along the
/// others are sliding displacements, all of the gap between `point` and `origin`.
///
/// u = (r_p, r_o), and n, t1, t2 behind them if a body carries the axes. Axes of the ground make
/// everything linear with constant A; the reaction's moment about a moving origin is then the
/// ground's, hence the facet tied_to_inertial_frame.
class PointOnFlat : public Constraint {
public:
    std::span<const AttachmentRequest> attachments() const override { return axes_.attachments(); }
    void facets(ConstraintFacets& out) const override {
        out.tangents = &sliding_;
        out.tied_to_inertial_frame = axes_.on_ground();
    }

    std::span<const RowBlock> row_blocks() const override { return normal_.row_blocks(); }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        normal_.evaluate(block, at, out);
    }
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        normal_.evaluate_tangent(block, at, G);
    }

protected:
    enum class Flat { plane, line };

    /// [assembly] `key`: the parameter that holds n.
    PointOnFlat(const Arguments& arguments, Flat flat, const char* key);

private:
    Axes axes_;
    GapRows normal_;
    GapRows sliding_;
};

/// A point stays on a plane:
///
///   phi = n . (r_p - r_o) = 0,   A = (n^T, -n^T, (r_p - r_o)^T),   b = -2 n' . (r_p' - r_o') (1)
///   sliding:  sigma_i = t_i . (r_p - r_o),  i = 1, 2                                     (2)
///
/// Terms, inertial axes:
///   r_p, r_o     `point`, and `origin`, a point of the plane [m]
///   n            `normal`, of unit length, carried by a body or the ground
///   t1, t2       perpendicular to n and to each other, carried with it; see Axes
/// The reaction is the force lambda n on `point`, its opposite acts where the two touch. On a body
/// with a finite penalty n and t_i stretch and shear with the body's strain.
///
/// Source: A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013.
class PointOnPlane final : public PointOnFlat {
public:
    explicit PointOnPlane(const Arguments& arguments)
        : PointOnFlat(arguments, Flat::plane, "normal") {}
};

/// A point stays on a straight line:
///
///   phi_i = n_i . (r_p - r_o) = 0,  i = 1, 2                                             (1)
///   sliding:  sigma = d . (r_p - r_o)                                                    (2)
///
/// Terms as for PointOnPlane; d is `direction`, n_1 and n_2 are perpendicular to it and to each
/// other and carried with it.
class PointOnLine final : public PointOnFlat {
public:
    explicit PointOnLine(const Arguments& arguments)
        : PointOnFlat(arguments, Flat::line, "direction") {}
};

}  // namespace ancora::point_contact
