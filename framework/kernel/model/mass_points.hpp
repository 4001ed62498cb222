// SPDX-License-Identifier: BSD-3-Clause
// Points that stand for the matter of a body.
#pragma once

#include <string>
#include <vector>

#include "model.hpp"

namespace ancora {

/// A point of a body, as the text of an attachment, and its mass.
struct MassPoint {
    std::string text;
    double mass = 0.0;  ///< [kg]
};

/// Points with the mass and centre of a body and, where it has an attitude, with its moments of
/// inertia: six on the principal axes at +- sqrt(3 m_i / M), M / 6 each, m_i the second moments. Of
/// others each node has its share of the mass. From the mass matrix, and the fields of
/// translations and rotations of space, at the start.
/// @throws Error if the mass of a node depends on the direction
std::vector<MassPoint> mass_points(const Model& model, int body);

}  // namespace ancora
