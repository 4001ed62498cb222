// SPDX-License-Identifier: BSD-3-Clause
// The attachments that an object asks for, by its parameters or at length.
#pragma once

#include <span>
#include <vector>

#include "bound_arguments.hpp"
#include "model.hpp"

namespace ancora {

/// Adds the attachment that is asked for; all of a group's points.
void resolve(const Model& model,
             const AttachmentRequest& request,
             const ObjectRef& object,
             const Asker& asker,
             std::vector<Attachment>& to);

/// The attachments that an object asks for, by its parameters or by texts of its own.
/// @param may_be_none  it may act on nothing
/// @throws Error (manifest) if nothing that it is attached to can move
std::vector<Attachment> attachments_of(const Model& model,
                                       const ObjectRef& object,
                                       const BoundArguments& arguments,
                                       std::span<const AttachmentRequest> requests,
                                       bool may_be_none = false);

}  // namespace ancora
