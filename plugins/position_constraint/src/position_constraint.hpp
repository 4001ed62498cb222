// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `position`: two points coincide, in all or some inertial directions; one of
// the ground may move.
#pragma once

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/helpers/time_function.hpp"

namespace ancora::position_constraint {

/// Points a and b have the same inertial components, those of e_k in `components`:
///
///   phi_k = e_k . (r_a - r_b) = 0                                                        (1)
///   A = (e_k^T, -e_k^T),  b = 0                                                          (2)
///
/// and if b is a point of the ground that moves by d(t) (or a, with the opposite sign),
///
///   phi_k = e_k . (r_a - r_b - d(t)),   d phi_k / dt = -e_k . d'   at rest,   b = e_k . d''   (3)
///   tau   = -e_k . (d(t_1) - d(t_0))                                                     (4)
///
/// Terms:
///   r_a, r_b   positions of the attachments [m], u = (r_a, r_b)
///   d          prescribed displacement, inertial axes [m]
///   e_k        inertial axes, one row each, in the order in which they are named
/// (2) is (1) differentiated twice; A is constant, so it is its own discrete derivative, and (4) is
/// what a step takes from explicit time: the support's work is s tau. (2) to (4) are derived from
/// (1) and (3). Several such constraints may be redundant; the solver accepts a rank-deficient A.
///
/// Source: A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013.
class PositionConstraint final : public HolonomicConstraint<PositionConstraint> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the point on which the reaction is reported").required(),
        parameter::point("b", "the point that it is tied to").required(),
        parameter::text("components",
                        "inertial axes along which the points coincide: letters of \"xyz\"")
            .otherwise("\"xyz\""),
        parameter::matrix(
            "motion",
            0,
            4,
            "m",
            "d(t): displacement of the ground's point, inertial axes: a table with rows [t, x, y, "
            "z], or a file with such rows, or three formulas of t such as \"0.1*sin(3*t)\"")
            .or_texts()
            .or_file(),
        parameter::text(
            "interpolation",
            "through the rows of a table: the natural cubic spline, the one that begins and ends "
            "at rest, or cubic pieces that also stay between their rows",
            "spline|rest|monotone")
            .otherwise("\"spline\""),
        parameter::text(
            "outside",
            "before the first and after the last row of a table: an error, or, if it begins and "
            "ends at rest, the displacement of that row",
            "refuse|hold")
            .otherwise("\"refuse\""),
    };
    static constexpr const char* kRowName = "gap";

    /// [assembly] Refuses through Arguments::fail what is no subset of x, y, z, a motion of a point
    /// that is not of the ground, and what TimeFunction refuses.
    explicit PositionConstraint(const Arguments& arguments);

    /// @throws std::domain_error where the motion is not given
    template <class S>
    Vector3<S> phi(const Vector3<S>& a, const Vector3<S>& b, const S& t) const {
        return a - b + sign_ * motion_.vector(t);
    }

    void facets(ConstraintFacets& out) const override {
        // With less than three components the force does not pass through both points: what turns
        // the bodies is the frame that the axes belong to.
        out.tied_to_inertial_frame = row_blocks()[0].rows_per_item < 3;
    }

private:
    void read_components(const Arguments& arguments);
    void read_motion(const Arguments& arguments);

    TimeFunction motion_;  ///< d; no components: nothing moves
    double sign_ = -1.0;   ///< of d in phi: +1 if a is the point that moves
};

}  // namespace ancora::position_constraint
