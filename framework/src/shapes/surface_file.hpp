// SPDX-License-Identifier: BSD-3-Clause
// Files of triangles: STL, binary or text, and OBJ.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ancora/framework/shape.hpp"

namespace ancora {

/// Most triangles that are read: more than a page can show.
constexpr std::size_t kMostTriangles = 1'000'000;

enum class SurfaceFormat { stl, obj };

/// What is wrong in a file of triangles, and where if it is text: counted from 1, else 0.
struct SurfaceError : std::runtime_error {
    SurfaceError(const std::string& message, int at_line = 0, int at_column = 0)
        : std::runtime_error(message), line(at_line), column(at_column) {}
    int line;
    int column;
};

/// The triangles of a file's bytes. Equal corners become one point, triangles without area by equal
/// corners are dropped, polygons are cut into fans. Nothing that the file names is opened: of OBJ
/// only `v` and `f` count. Needs memory of the order of the file's size, whatever it claims to
/// hold.
///
/// @throws SurfaceError if it is cut short, holds no triangle, more than kMostTriangles, or a
/// number
///         that is not finite
TriangleMesh read_surface(std::string_view bytes, SurfaceFormat format);

}  // namespace ancora
