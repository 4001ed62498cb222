// SPDX-License-Identifier: BSD-3-Clause
// Cells and arrays as both VTK formats have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ancora/mesh/mesh.hpp"

namespace ancora::mesh {

/// Cells: the points of all, one cell after the other, and where each cell's end.
struct VtkCells {
    std::vector<std::int64_t> corners;
    std::vector<std::int64_t> ends;          ///< a cell's points end before this entry of `corners`
    std::vector<std::int64_t> types;         ///< VTK's numbers of cell types
    std::vector<std::size_t> places;         ///< of each cell in the file
    std::vector<std::size_t> corner_places;  ///< of each corner, or none where they have no text
    std::size_t size() const { return ends.size(); }
};

/// One whole number per cell or point.
struct VtkValues {
    std::string name;
    std::vector<std::int64_t> values;
};

/// The lines that each cell stands for.
using VtkMembers = std::vector<std::vector<std::int32_t>>;

/// Adds the lines, polylines and faces among the cells to the mesh, whose nodes must be there.
/// @throws MeshError
void add_vtk_cells(const VtkCells& cells, Mesh& mesh, VtkMembers& members);

/// Groups of points by an array's values.
void add_point_groups(const VtkValues& array, Mesh& mesh);

}  // namespace ancora::mesh
