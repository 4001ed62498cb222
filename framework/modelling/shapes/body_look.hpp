// SPDX-License-Identifier: BSD-3-Clause
// The key `shape` of a body: what it looks like.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/shape.hpp"
#include "ancora/framework/value.hpp"
#include "ancora/sdk/parameter.hpp"
#include "symbols.hpp"

namespace ancora {

/// The key of a body's table.
inline constexpr const char* kShapeKey = "shape";
/// The text that stands for no shape at all.
inline constexpr const char* kNoShape = "none";

/// The keys of one shape.
std::span<const Parameter> shape_keys();

/// What a manifest says of a body's look.
struct BodyLook {
    bool is_given = false;               ///< it says something: nothing else is drawn for a solid
    std::vector<SceneSolid> solids;      ///< in body axes; none: nothing of the body is drawn
    std::vector<std::string> materials;  ///< of each, for contacts; empty: none is given
};

/// Files of triangles, each read once, and when it was.
struct MeshFiles {
    std::vector<TriangleMesh> meshes;
    std::vector<std::filesystem::path> paths;  ///< of each
    std::vector<std::string> keys;             ///< of each, where it was named first: "shape.mesh"
    struct Neighbour {
        std::filesystem::path path;
        std::string key;
    };
    std::vector<Neighbour> neighbours;  ///< that meshes keep their numbers in
    std::size_t num_triangles = 0;
};

/// The value of `shape` with numbers in the place of expressions and with whole paths, as the
/// expanded manifest has it.
/// @throws Error (manifest), or (file) if a mesh is not there
Value expanded_shape(const std::string& owner,
                     const Value& shape,
                     const Place& place,
                     const Symbols& symbols);

/// Reads a body's shape.
///
/// @param owner  the object in messages: `body "box"`
/// @param place  of the object's table
/// @throws Error (manifest) if the value or a mesh's content is wrong, (file) if a mesh is not
/// there
BodyLook read_look(const std::string& owner,
                   const Value& shape,
                   const Place& place,
                   const Symbols& symbols,
                   MeshFiles& files);

}  // namespace ancora
