// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `position`: two points coincide, in all or some inertial directions.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"

namespace ancora::position_constraint {

/// Points a and b have the same inertial components, those of e_k in `components`:
///
///   phi_k = e_k . (r_a - r_b) = 0                                                        (1)
///   A = (e_k^T, -e_k^T),  b = 0                                                          (2)
///
/// Terms:
///   r_a, r_b   positions of the attachments [m], u = (r_a, r_b)
///   e_k        inertial axes, one row each, in the order in which they are named
/// (2) is (1) differentiated twice; A is constant, so it is its own discrete derivative. Several
/// such constraints may be redundant; the solver accepts a rank-deficient A.
///
/// Source: A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013.
class PositionConstraint final : public Constraint {
public:
    /// [assembly] Refuses through Arguments::fail what is no subset of x, y, z.
    explicit PositionConstraint(const Arguments& arguments);

    std::span<const char* const> attachments() const override;
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;

private:
    std::int32_t axes_[3] = {};  ///< inertial axis of each row
    std::int32_t num_rows_ = 0;
    RowBlock block_;
};

}  // namespace ancora::position_constraint
