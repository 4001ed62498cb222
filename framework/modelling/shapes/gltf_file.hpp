// SPDX-License-Identifier: BSD-3-Clause
// Triangles of glTF 2.0, as text (.gltf) or binary (.glb).
#pragma once

#include <string_view>

#include "surface_file.hpp"

namespace ancora {

/// The triangles of all meshes of the file's scene, where its nodes put them; coordinates in metres
/// and in the file's axes, which are not turned. Buffers stand in the file or beside it.
///
/// Khronos Group, glTF 2.0 Specification, version 2.0.1, 2021.
///
/// @throws SurfaceError as read_surface() says
TriangleMesh read_gltf(std::string_view bytes, const ReadNeighbour& read_neighbour);

}  // namespace ancora
