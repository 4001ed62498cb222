// SPDX-License-Identifier: BSD-3-Clause
// Triangles of a mesh file, by the kernel's readers.
#pragma once

#include <filesystem>

#include "ancora/framework/shape.hpp"

namespace ancora::robot {

/// @throws Error (file) if it cannot be read, (manifest) if it is no STL, OBJ or glTF
TriangleMesh read_surface_file(const std::filesystem::path& file);

}  // namespace ancora::robot
