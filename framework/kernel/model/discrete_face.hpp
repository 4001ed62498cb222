// SPDX-License-Identifier: BSD-3-Clause
// Requirements of an integrator of the discrete formulation on a model.
#pragma once

#include "model.hpp"

namespace ancora {

/// A step needs the discrete formulation of everything in the model.
/// @throws Error (manifest) for the first part that has none
void check_discrete_face(const Model& model);

}  // namespace ancora
