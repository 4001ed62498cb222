// SPDX-License-Identifier: BSD-3-Clause
// What the manifest says of the looks of bodies.
#include "looks.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "manifest_plugins.hpp"
#include "sha256.hpp"

namespace ancora {

void read_looks(Model& model, const Manifest& manifest) {
    MeshFiles files;
    for (std::size_t i = 0; i < manifest.bodies.size(); ++i) {
        const ObjectSpec& spec = manifest.bodies[i];
        if (!spec.shape) continue;
        BodyPart& part = model.bodies[i];
        const std::size_t known = files.paths.size();
        files.neighbours.clear();
        part.look = read_look(part.object.label,
                              *spec.shape,
                              spec.place,
                              symbols_of(manifest, spec.scope.get()),
                              files);
        if (part.pose_kind == PoseKind::none && !part.look.solids.empty())
            throw Error(ErrorKind::manifest,
                        fmt::format("{} (type {}) has no reference point that a shape could "
                                    "move with; write shape = \"none\" to hide it, or leave "
                                    "\"shape\" out",
                                    part.object.label,
                                    part.object.type->name),
                        spec.shape->place().known() ? spec.shape->place() : spec.place);
        const auto note = [&](const std::string& key, const std::filesystem::path& path) {
            model.files.push_back(
                {fmt::format("body.{}.{}", spec.name, key), path, sha256_of_file(path), true});
        };
        for (std::size_t k = known; k < files.paths.size(); ++k)
            note(files.keys[k], files.paths[k]);
        for (const MeshFiles::Neighbour& file : files.neighbours) note(file.key, file.path);
    }
    for (std::size_t i = 0; i < manifest.scenery.size(); ++i) {
        const Value& shape = manifest.scenery[i];
        const std::size_t known = files.paths.size();
        files.neighbours.clear();
        const BodyLook look =
            read_look("[[shape]]", shape, shape.place(), symbols_of(manifest, nullptr), files);
        model.scenery.insert(model.scenery.end(), look.solids.begin(), look.solids.end());
        model.scenery_materials.insert(
            model.scenery_materials.end(), look.materials.begin(), look.materials.end());
        const auto note = [&](const std::string& key, const std::filesystem::path& path) {
            model.files.push_back(
                {fmt::format("scenery.{}.{}", i, key), path, sha256_of_file(path), true});
        };
        for (std::size_t k = known; k < files.paths.size(); ++k)
            note(files.keys[k], files.paths[k]);
        for (const MeshFiles::Neighbour& file : files.neighbours) note(file.key, file.path);
    }
    model.meshes = std::move(files.meshes);
}

}  // namespace ancora
