// SPDX-License-Identifier: BSD-3-Clause
// A gap written as one function of positions, directions and time: what may not become negative
#pragma once

#include "ancora/sdk/authoring/holonomic_constraint.hpp"

namespace ancora {

/// phi(r_1, ..., r_k, t) >= 0 with everything that the kernel wants of it derived, see
/// HolonomicConstraint: the author's class derives from UnilateralConstraint<itself> and has a
/// schema kParameters and a function phi, the gap, positive where bodies are apart. Where phi is
/// quadratic in its points and directions, the least gap within a step is known exactly.
///
///   class Floor : public ancora::UnilateralConstraint<Floor> {
///   public:
///       static constexpr Parameter kParameters[] = {
///           parameter::point("point", "may not sink").required()};
///       explicit Floor(const Arguments&) : UnilateralConstraint(0.5) {}
///       template <class S>
///       S phi(const Vector3<S>& r) const { return r.z; }
///       // z is that of the inertial frame, which takes the reaction
///       void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
///   };
template <class Author>
class UnilateralConstraint : public HolonomicConstraint<Author> {
protected:
    /// [assembly] With one restitution of all rows, 0 to 1.
    explicit UnilateralConstraint(double restitution) {
        this->set_law({.kind = RowKind::unilateral, .restitution = restitution});
    }
};

}  // namespace ancora
