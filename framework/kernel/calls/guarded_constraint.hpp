// SPDX-License-Identifier: BSD-3-Clause
// A constraint as the kernel calls it.
#pragma once

#include <memory>
#include <span>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "guarded_rows.hpp"
#include "guarded_signals.hpp"

namespace ancora {

/// Owns a constraint.
class GuardedConstraint {
public:
    GuardedConstraint() = default;
    GuardedConstraint(ObjectRef its_object, std::unique_ptr<Constraint> constraint)
        : object(std::move(its_object)), constraint_(std::move(constraint)) {}

    ObjectRef object;

    std::span<const AttachmentRequest> asked_attachments() const;
    ConstraintFacets facets() const;

    GuardedRows rows() const { return {constraint_.get(), object}; }
    /// What slides on it, if anything.
    GuardedRows tangents() const;
    GuardedSignals signals() const;

private:
    std::unique_ptr<Constraint> constraint_;
};

}  // namespace ancora
