// SPDX-License-Identifier: BSD-3-Clause
// What the manifest says of the looks of bodies.
#pragma once

#include "model.hpp"

namespace ancora {

/// Writes BodyPart::look, Model::meshes and the files that shapes name.
void read_looks(Model& model, const Manifest& manifest);

}  // namespace ancora
