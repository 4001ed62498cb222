// SPDX-License-Identifier: BSD-3-Clause
// What an integrator that steps on the discrete face asks of a model.
#pragma once

#include "model.hpp"

namespace ancora {

/// A step needs the discrete face of everything in the model.
/// @throws Error (manifest) for the first part that has none
void check_discrete_face(const Model& model);

}  // namespace ancora
