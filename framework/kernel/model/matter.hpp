// SPDX-License-Identifier: BSD-3-Clause
// Forces that act on all matter of bodies.
#pragma once

#include "model.hpp"

namespace ancora {

/// A type with the parameters `on`, `points` and `masses` acts on all matter of the bodies that
/// `on` names: points that stand for it are put in.
/// @param storage  holds the parameters where they differ from those given
const Table& with_matter(const Model& model,
                         const Manifest& manifest,
                         const ObjectRef& object,
                         const Table& parameters,
                         Table& storage);

}  // namespace ancora
