// SPDX-License-Identifier: BSD-3-Clause
// The mass of a body that has a density and a shape.
#pragma once

#include "ancora/framework/manifest.hpp"
#include "object_ref.hpp"

namespace ancora {

/// Writes the parameters of a body with mass, center_of_mass and inertia of its shape in the place
/// of the density, where it has one and nothing else that says how much it weighs.
/// @returns whether it has
/// @throws Error (manifest) where the shape has no volume, or a surface is open; and as read_look()
bool weigh_by_shape(const Manifest& manifest,
                    const ObjectSpec& spec,
                    const ObjectRef& object,
                    Table& weighed);

}  // namespace ancora
