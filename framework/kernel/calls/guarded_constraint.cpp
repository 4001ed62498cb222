// SPDX-License-Identifier: BSD-3-Clause
// Calls of Constraint beside its rows.
#include "guarded_constraint.hpp"

namespace ancora {

GuardedConstraint::Facts GuardedConstraint::facts() const {
    Facts out;
    call_plugin(object, "attachments, reaction, joint, own_body or tied_to_inertial_frame", [&] {
        out.attachments = constraint_->attachments();
        out.more_attachments = constraint_->more_attachments();
        out.reaction = constraint_->reaction();
        out.is_tied_to_inertial_frame = constraint_->tied_to_inertial_frame();
        out.joint = constraint_->joint();
        out.own_body = constraint_->own_body();
        out.effort_unit = constraint_->effort_unit();
        out.effort_factors = constraint_->effort_factors();
    });
    return out;
}

GuardedRows GuardedConstraint::tangents() const {
    const RowSource* rows = nullptr;
    call_plugin(object, "tangents", [&] {
        rows = constraint_->tangents();
    });
    return {rows, object, true};
}

GuardedSignals GuardedConstraint::signals() const {
    return signals_of(object, *constraint_);
}

}  // namespace ancora
