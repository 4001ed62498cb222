// SPDX-License-Identifier: BSD-3-Clause
// Meshes of an MJCF file: in files, or in the description itself.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "convex_hull.hpp"
#include "mass_properties.hpp"
#include "mesh_files.hpp"
#include "mjcf_model.hpp"
#include "mjcf_rules.hpp"
#include "surface.hpp"

namespace ancora::robot {

void MjcfReader::read_assets(pugi::xml_node node) {
    source_.account(node,
                    {.children = "mesh include", .unused = "texture material hfield skin model"});
    for (const pugi::xml_node asset : defaults_.elements(node)) {
        const std::string_view tag = asset.name();
        if (tag == "material") {
            if (const auto rgba = source_.numbers(asset, "rgba", 4))
                materials_[asset.attribute("name").value()] = *rgba;
        }
        if (tag == "mesh") read_mesh(asset);
    }
}

void MjcfReader::read_mesh(pugi::xml_node node) {
    defaults_.complete(node, "", "mesh");
    source_.account(node, kMjcfMesh);
    std::string name = node.attribute("name").value();
    const bool is_made = node.attribute("builtin") || node.child("plugin");
    const bool is_own = !is_made && node.attribute("vertex");
    const std::string file = is_made || is_own ? "" : source_.required(node, "file");
    if (name.empty()) name = std::filesystem::path(file).stem().string();
    if (name.empty()) return;
    Mesh& mesh = meshes_[name];
    mesh.scale = source_.vector(node, "scale", Vec3::Ones());
    mesh.reference.x = source_.vector(node, "refpos", Vec3::Zero());
    if (const auto q = source_.numbers(node, "refquat", 4))
        mesh.reference.R = quaternion(node, "refquat", *q);
    mesh.mass_by = node.attribute("inertia").value();
    if (is_made)
        return findings_.no_counterpart(
            source_.place(node),
            fmt::format("mesh \"{}\": triangles that MuJoCo makes", printable(name)),
            "save them as STL or OBJ, and name that file");
    if (is_own) {
        auto triangles = own_triangles(node);
        if (!triangles) return;
        mesh.own = static_cast<int>(robot_.meshes.size());
        robot_.meshes.push_back({name, *std::move(triangles)});
        return;
    }
    std::filesystem::path path = file;
    if (strip_) path = path.filename();
    path = mesh_folder_ / path;
    if (!can_be_shown(path))
        return findings_.no_counterpart(
            source_.place(node),
            fmt::format("mesh \"{}\": only STL, OBJ and glTF are read", printable(file)),
            "convert it");
    const auto found =
        find_mesh(path.string(), robot_.file.parent_path(), source_.place(node), findings_);
    if (found) mesh.file = *found;
}

std::optional<TriangleMesh> MjcfReader::own_triangles(pugi::xml_node node) const {
    const auto x = source_.numbers(node, "vertex", 0);
    if (!x) return std::nullopt;
    if (x->size() % 3 != 0 || x->size() < 12) {
        source_.wrong(node, "vertex", "expected three numbers for each of four points or more");
        return std::nullopt;
    }
    TriangleMesh mesh;
    for (std::size_t i = 0; i < x->size(); i += 3)
        mesh.points.push_back({static_cast<float>((*x)[i]),
                               static_cast<float>((*x)[i + 1]),
                               static_cast<float>((*x)[i + 2])});
    if (!node.attribute("face")) {
        mesh = convex_hull(mesh.points);
        if (!mesh.triangles.empty()) return mesh;
        source_.wrong(node, "vertex", "all points lie in a plane, so that they have no hull");
        return std::nullopt;
    }
    const auto corners = source_.numbers(node, "face", 0);
    if (!corners) return std::nullopt;
    const auto is_point = [&](double c) {
        return c >= 0.0 && c < static_cast<double>(mesh.points.size()) && c == std::floor(c);
    };
    if (corners->empty() || corners->size() % 3 != 0 || !std::ranges::all_of(*corners, is_point)) {
        source_.wrong(node,
                      "face",
                      fmt::format("expected three numbers of points, 0 to {}, for each face",
                                  mesh.points.size() - 1));
        return std::nullopt;
    }
    for (std::size_t i = 0; i < corners->size(); i += 3)
        mesh.triangles.push_back({static_cast<std::int32_t>((*corners)[i]),
                                  static_cast<std::int32_t>((*corners)[i + 1]),
                                  static_cast<std::int32_t>((*corners)[i + 2])});
    return mesh;
}

std::optional<Inertial> MjcfReader::inertial_of(pugi::xml_node geom, Mesh& mesh) {
    if (mesh.file.empty() && mesh.own < 0) return std::nullopt;
    if (mesh.mass_by == "shell")
        findings_.no_counterpart(
            source_.place(geom), "a mesh of inertia=\"shell\"", "give the body an <inertial>");
    if (!mesh.inertial) {
        mesh.inertial = Inertial();
        try {
            TriangleMesh surface =
                mesh.own >= 0 ? robot_.meshes[mesh.own].triangles : read_surface_file(mesh.file);
            if (mesh.mass_by == "convex") surface = convex_hull(surface.points);
            mesh.inertial = of_mesh(surface, mesh.scale);
            if (!(mesh.inertial->mass > 0.0))
                source_.wrong(
                    geom, "mesh", "encloses no volume, so that it has no mass; give an <inertial>");
        } catch (const Error& error) {
            findings_.damaged(error.place().known() ? error.place() : source_.place(geom),
                              error.message());
        }
    }
    return mesh.inertial;
}

std::optional<Inertial> MjcfReader::mesh_geom(pugi::xml_node node, Shape& shape) {
    shape.kind = Shape::Kind::mesh;
    const std::string name = source_.required(node, "mesh");
    if (name.empty()) return std::nullopt;
    const auto found = meshes_.find(name);
    if (found == meshes_.end()) {
        std::vector<std::string> names;
        for (const auto& [known, mesh] : meshes_) names.push_back(known);
        source_.wrong(node,
                      "mesh",
                      fmt::format("there is no mesh \"{}\" in <asset>{}",
                                  printable(name),
                                  did_you_mean(name, names)));
        return std::nullopt;
    }
    Mesh& mesh = found->second;
    shape.file = mesh.file;
    shape.own = mesh.own;
    shape.scale = mesh.scale;
    shape.pose = shape.pose * mesh.reference.inverse();
    // Most meshes are looks alone, without mass: their volume counts for nothing
    const bool has_mass =
        source_.number(node, "mass", 1.0) > 0.0 && source_.number(node, "density", 1.0) > 0.0;
    return has_mass && needs_geoms(node) ? inertial_of(node, mesh) : std::nullopt;
}

}  // namespace ancora::robot
