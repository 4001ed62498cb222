// SPDX-License-Identifier: BSD-3-Clause
// Finite elements from a mesh of quadratic tetrahedra and a material.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "finite_elements.hpp"

namespace ancora::elastic {

/// Nodes of a physical group.
struct MeshGroup {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending
};
struct Tetrahedra {
    FiniteElements elements;         ///< without interfaces and points
    std::vector<std::int64_t> tags;  ///< what the file calls the nodes
    std::vector<MeshGroup> groups;
};

/// [assembly] Reads `mesh`, Gmsh 4.1 or 2.2, with `young`, `poisson` and `density`. Linear
/// tetrahedra, which are far too stiff in bending, are refused, as are other volumes and elements
/// that are turned inside out.
Tetrahedra read_tetrahedra(const Arguments& arguments, double length_unit);

/// [assembly] Puts the middles of edges into that order, wherever they stand behind the corners;
/// turns an element over that counts its corners the other way. False if they are no middles.
bool sort_middles(const std::vector<Vec3>& x, Tetrahedron& nodes);

/// [assembly] Adds stiffness and mass of the material that `arguments` hold, by Gauss' points of
/// degree five. Returns the number of an element that is flat or turned inside out, else -1.
std::ptrdiff_t assemble(const Arguments& arguments,
                        const std::vector<Tetrahedron>& volumes,
                        FiniteElements& model);

}  // namespace ancora::elastic
