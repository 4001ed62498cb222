// SPDX-License-Identifier: BSD-3-Clause
// Files of triangles: STL, binary or text, OBJ, and glTF.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ancora/framework/export.hpp"
#include "ancora/framework/shape.hpp"

namespace ancora {

/// Most triangles that are read: more than a page can show.
constexpr std::size_t kMostTriangles = 1'000'000;

enum class SurfaceFormat { stl, obj, gltf };

/// What is wrong in a file of triangles, and where if it is text: counted from 1, else 0.
struct ANCORA_FRAMEWORK_EXPORT SurfaceError : std::runtime_error {
    SurfaceError(const std::string& message, int at_line = 0, int at_column = 0)
        : std::runtime_error(message), line(at_line), column(at_column) {}
    int line;
    int column;
};

/// Gives the bytes of a file beside the one that is read, by its relative path.
using ReadNeighbour = std::function<std::string(const std::string& path)>;

/// The triangles of a file's bytes. Equal corners become one point, triangles without area by equal
/// corners are dropped, polygons are cut into fans. Of OBJ only `v` and `f` count, of glTF only
/// triangles, where its nodes put them; no material is read. Needs memory of the order of the
/// file's size, whatever it claims to hold.
///
/// @param read_neighbour  for buffers of glTF, which may stand in files beside it; nothing else
///                        that a file names is opened. Without it such a file is refused.
/// @throws SurfaceError if it is cut short, holds no triangle, more than kMostTriangles, or a
///         number that is not finite; and what `read_neighbour` throws
ANCORA_FRAMEWORK_EXPORT TriangleMesh read_surface(std::string_view bytes,
                                                  SurfaceFormat format,
                                                  const ReadNeighbour& read_neighbour = {});

}  // namespace ancora
