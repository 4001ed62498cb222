// SPDX-License-Identifier: BSD-3-Clause
// What of a finite-element model is shown: nodes, triangles and lines between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "finite_elements.hpp"

namespace ancora::elastic {

/// Some nodes of a model, and numbers of these.
struct Skin {
    std::vector<std::int32_t> nodes;
    std::vector<std::array<std::int32_t, 3>> triangles;  ///< seen from outside, counterclockwise
    std::vector<std::array<std::int32_t, 2>> lines;
};

/// [assembly] Of volumes the surface, with its sharp edges as lines; of fewer nodes than it has if
/// these are many, each for those near it. Where nothing is known but the matrices, nodes that K
/// joins and that are neighbours, or none if they are many.
Skin skin_of(const FiniteElements& model);

/// [assembly] Interfaces that move rigidly and are faces of volumes get the middle of their area
/// for their origin; the mean of nodes that stand anywhere is beside it.
FiniteElements with_interfaces_by_area(FiniteElements model);

}  // namespace ancora::elastic
