// SPDX-License-Identifier: BSD-3-Clause
// What a model may be and is most likely not meant to be: slips of units, bodies that nothing ties.
#pragma once

#include <vector>

#include "model.hpp"

namespace ancora {

/// Findings with cause and cure, for `ancora check`; a model without slips has none.
///
/// - radii of gyration k = sqrt(J / m) far from the sizes of the model: J in kg mm^2 or g cm^2
///   where kg m^2 are meant, k by factors of 1000 and more
/// - joints far outside of both of their bodies, as those in mm are
/// - bodies that nothing ties, in models that tie others
/// - angles as plain numbers beyond a turn, which are degrees most likely
std::vector<Model::Warning> implausible_parts(const Model& model);

}  // namespace ancora
