// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `general_constraint`: equations that the model file states as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
#include "equation.hpp"

namespace ancora::general_constraint {

/// Equations in coordinates u of bodies, in their rates and in time, one row each:
///
///   level "position":   phi(u, t) = 0                                                    (1)
///     A = dphi/du,  pi_t = dphi/dt,  b = -phi'' along u'' = 0                            (2)
///   level "velocity":   psi(u, u', t) = 0                                                (3)
///     A = dpsi/du',  pi_t = psi - A u',  b = -(dpsi/du u' + dpsi/dt)                     (4)
///
/// Terms:
///   u       the coordinates that an equation names, "box.x", each a request of its own of which
///           only the first scalar counts; the unit is the coordinate's
///   phi     what the equation's left side is more than its right one; its unit is the author's,
///           and lambda times A is a generalized force
/// (2) and (4) are (1) and (3) differentiated until u'' appears; derivatives are exact to rounding.
/// Over a step, a phi that is linear or quadratic in u has B = A at the midpoint and so keeps
/// energy; any other is corrected along du, which keeps energy, not momentum. A psi holds at the
/// midpoint with the mean rate; its force does work unless psi is homogeneous in u'.
///
/// It counts as tied to the inertial frame: a formula over inertial coordinates is in general
/// neither free of where the origin lies nor of how the axes point, so its impulse is external.
///
/// Source: F. E. Udwadia, R. E. Kalaba, Analytical Dynamics: A New Approach, Cambridge UP, 1996.
class GeneralConstraint final : public Constraint {
public:
    /// [assembly] Refuses through Arguments::fail what is no equation, with the place in its text.
    explicit GeneralConstraint(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return requests_; }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::lambda;
        out.tied_to_inertial_frame = true;
    }

    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    std::vector<NamedCoordinate> coordinates_;
    std::vector<std::string> places_;  ///< of each in its equation, for messages
    std::vector<AttachmentRequest> requests_;
    std::vector<Equation> equations_;
    std::vector<RowBlock> blocks_;
};

}  // namespace ancora::general_constraint
