// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `position`: two points coincide, in all or some inertial directions; one of
// the ground may move.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
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
/// what a step takes from explicit time: the support's work is s tau. Several such constraints may
/// be redundant; the solver accepts a rank-deficient A.
///
/// Source: A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013.
class PositionConstraint final : public Constraint {
public:
    /// [assembly] Refuses through Arguments::fail what is no subset of x, y, z, a motion of a point
    /// that is not of the ground, and what TimeFunction refuses.
    explicit PositionConstraint(const Arguments& arguments);

    std::span<const char* const> attachments() const override;
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    /// With less than three components the force does not pass through both points: what turns the
    /// bodies is the frame that the axes belong to.
    bool tied_to_inertial_frame() const override { return num_rows_ < 3; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    /// @throws std::domain_error where the motion is not given
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;

private:
    void read_components(const Arguments& arguments);
    void read_motion(const Arguments& arguments);
    bool moves() const { return motion_.num_components() > 0; }
    void write_jacobian(std::span<double> A) const;

    std::int32_t axes_[3] = {};  ///< inertial axis of each row
    std::int32_t num_rows_ = 0;
    RowBlock block_;
    TimeFunction motion_;  ///< d; no components: nothing moves
    double sign_ = -1.0;   ///< of d in phi: +1 if a is the point that moves
};

}  // namespace ancora::position_constraint
