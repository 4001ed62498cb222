// SPDX-License-Identifier: BSD-3-Clause
// Calls of Constraint beside its rows.
#include "guarded_constraint.hpp"

namespace ancora {

std::span<const AttachmentRequest> GuardedConstraint::asked_attachments() const {
    std::span<const AttachmentRequest> out;
    call_plugin(object, "attachments", [&] {
        out = constraint_->attachments();
    });
    return out;
}

ConstraintFacets GuardedConstraint::facets() const {
    return facets_of(object, *constraint_);
}

GuardedRows GuardedConstraint::tangents() const {
    return {facets().tangents, object, true};
}

GuardedSignals GuardedConstraint::signals() const {
    return {facets().signals, object};
}

}  // namespace ancora
