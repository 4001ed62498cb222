// SPDX-License-Identifier: BSD-3-Clause
// Reads what the manifest says of a body's look.
#include "body_look.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/sdk/helpers/orientation.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "bound_arguments.hpp"
#include "color.hpp"
#include "file_writer.hpp"
#include "schema_expressions.hpp"
#include "surface_file.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

constexpr Parameter kRoundKeys[] = {
    parameter::number("radius", "m", "radius").positive().required(),
    parameter::vector("from", 3, "m", "one end of the axis").required(),
    parameter::vector("to", 3, "m", "the other end of the axis").required(),
};

// One of the first six; the rest says how and where.
constexpr Parameter kKeys[] = {
    parameter::vector("box", 3, "m", "a box of these edges along the shape's axes").nonnegative(),
    parameter::number("sphere", "m", "a sphere of this radius").positive(),
    parameter::table("cylinder", kRoundKeys, "a cylinder about the line between two points"),
    parameter::table("capsule", kRoundKeys, "a cylinder with half a sphere at each end"),
    parameter::table("rod", kRoundKeys, "a rod between two points, rounded at its ends"),
    parameter::file("mesh", "the triangles of an .stl, .obj, .glb or .gltf file"),
    parameter::number("scale",
                      "",
                      "factor on a mesh's coordinates, or one for each axis; negative "
                      "ones mirror it")
        .or_vector(3),
    parameter::vector("position", 3, "m", "origin of the shape from the body's reference point"),
    parameter::vector("center", 3, "m", "the same under another name"),
    orientation_parameter("rotation from shape to body axes: unit quaternion [w, x, y, z], axis "
                          "and angle, a sequence "
                          "of angles, or two directions"),
    parameter::text("color",
                    "name as on the web (\"steelblue\") or \"#4682b4\"; or red, green, blue")
        .or_vector(3)
        .at_least(0.0)
        .at_most(1.0),
    parameter::number("opacity", "-", "1: solid, towards 0: glass").above(0.0).at_most(1.0),
    parameter::text("material", "what it is made of, for contacts: a name of your own"),
    parameter::boolean("hidden", "whether it is left out of pictures").otherwise("false"),
};
constexpr std::size_t kNumKinds = 6;

// --- values

/// A table of the manifest as the only entry of a table, so that messages name its key.
struct Entry {
    std::string key;  // "shape" or "shape[1]"
    const Value* value;
};

std::vector<Entry> entries_of(const std::string& owner, const Value& shape, const Place& place) {
    const Place where = shape.place().known() ? shape.place() : place;
    const auto refuse = [&](const std::string& key, const Value& value) {
        const auto* const text = value.as<std::string>();
        const std::string help =
            text ? did_you_mean(*text, std::vector<std::string>{kNoShape}) : std::string();
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: {}: expected a table such as {{box = [0.1, 0.1, 0.2]}}, {}, "
                                "got {}{}",
                                owner,
                                key,
                                key == kShapeKey ? "an array of such tables or \"none\""
                                                 : "or one of the other kinds",
                                in_words(value),
                                help),
                    value.place().known() ? value.place() : where);
    };
    if (shape.as<Table>()) return {{kShapeKey, &shape}};
    if (const auto* const text = shape.as<std::string>(); text && *text == kNoShape) return {};
    const Array* const array = shape.as<Array>();
    if (array == nullptr || array->empty()) refuse(kShapeKey, shape);
    std::vector<Entry> out;
    for (std::size_t i = 0; i < array->size(); ++i) {
        out.push_back({fmt::format("{}[{}]", kShapeKey, i), &(*array)[i]});
        if (!out.back().value->as<Table>()) refuse(out.back().key, *out.back().value);
    }
    return out;
}

/// One shape, bound to its schema under its key.
class Bound {
public:
    Bound(const std::string& owner, const Entry& entry, const Place& place, const Symbols& symbols)
        : key_(entry.key), schema_{parameter::table(key_.c_str(), kKeys, "")} {
        values_.add({key_, entry.value->place(), *entry.value});
        if (has_expressions(values_, schema_))
            compute_expressions(owner, values_, schema_, symbols);
        arguments_ = std::make_unique<BoundArguments>(owner, "", owner, values_, place, schema_);
    }

    const std::string& key() const { return key_; }
    /// Its table, with numbers in the place of expressions.
    Value& value() { return values_.entries().front().value; }
    const Arguments& table() const { return arguments_->table(key_); }
    /// The mesh's path, or nothing.
    std::optional<std::string> file() const {
        const auto files = arguments_->files();
        if (files.empty()) return std::nullopt;
        return files.front().second;
    }

private:
    std::string key_;
    Parameter schema_[1];
    Table values_;
    std::unique_ptr<BoundArguments> arguments_;
};

// --- solids

/// Which of the kinds it is; exactly one.
const char* kind_of(const Arguments& shape) {
    const char* found = nullptr;
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < kNumKinds; ++i) {
        kinds.push_back(in_quotes(kKeys[i].name));
        if (!shape.given(kKeys[i].name)) continue;
        if (found != nullptr)
            shape.fail(kKeys[i].name,
                       fmt::format("the shape is a {} already; write an array of tables for a body "
                                   "of several shapes",
                                   found));
        found = kKeys[i].name;
    }
    if (found == nullptr)
        shape.fail("", fmt::format("what shape it is is missing; give {}", alternatives(kinds)));
    return found;
}

std::array<double, 3> triple(std::span<const double> x) {
    return {x[0], x[1], x[2]};
}

/// Where a shape stands in body axes.
struct Placement {
    explicit Placement(const Arguments& shape) {
        if (shape.given("position") && shape.given("center"))
            shape.fail("center", "\"position\" says this already; give one of them");
        for (const char* const key : {"position", "center"})
            if (shape.given(key)) origin = vec3(shape.numbers(key));
        if (shape.given("orientation")) turn = read_orientation(shape);
    }
    std::array<double, 3> point(const Vec3& x) const {
        const Vec3 r = origin + turn * x;
        return {r(0), r(1), r(2)};
    }
    std::array<double, 4> quaternion() const {
        const Eigen::Quaterniond q(turn);
        return {q.w(), q.x(), q.y(), q.z()};
    }
    Vec3 origin = Vec3::Zero();
    Mat3 turn = Mat3::Identity();
};

template <class Round>
Round round_of(const Arguments& keys, const Placement& place) {
    const Vec3 from = vec3(keys.numbers("from")), to = vec3(keys.numbers("to"));
    if (from == to) keys.fail("to", "both ends of the axis are one point");
    return {keys.number("radius"), place.point(from), place.point(to)};
}

std::optional<Color> color_of(const Arguments& shape) {
    if (!shape.has("color")) return std::nullopt;
    if (shape.shape("color") == Shape::vector) return triple(shape.numbers("color"));
    const std::string text(shape.text("color"));
    const std::optional<Color> color = read_color(text);
    if (!color)
        shape.fail(
            "color",
            fmt::format("there is no color {}{}",
                        in_quotes(text),
                        text.starts_with('#') ? "; write six hexadecimal digits, as in \"#4682b4\""
                                              : nearest_color(text)));
    return color;
}

SurfaceFormat format_of(const std::string& path, const Arguments& shape) {
    std::string ending = fs::path(path).extension().string();
    std::ranges::transform(ending, ending.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (ending == ".stl") return SurfaceFormat::stl;
    if (ending == ".obj") return SurfaceFormat::obj;
    if (ending != ".glb" && ending != ".gltf")
        shape.fail("mesh",
                   fmt::format("{} is no .stl, .obj, .glb or .gltf file; other formats are not "
                               "read, convert it",
                               in_quotes(fs::path(path).filename().string())));
    return SurfaceFormat::gltf;
}

/// Reads a file that a mesh keeps its numbers in, and notes that it was read.
std::string neighbour_of(const std::string& key,
                         const fs::path& mesh,
                         const std::string& path,
                         const Arguments& shape,
                         MeshFiles& files) {
    const fs::path whole = mesh.parent_path() / path;
    std::error_code ignored;
    if (!fs::is_regular_file(whole, ignored))
        shape.fail("mesh",
                   fmt::format("{} keeps its numbers in {}, which is not beside it",
                               in_quotes(mesh.filename().string()),
                               in_quotes(path)));
    files.neighbours.push_back({whole, fmt::format("{}.mesh: {}", key, path)});
    return read_text_file(whole, "the numbers of the mesh");
}

/// Index of the file's triangles.
int mesh_of(const std::string& key,
            const std::string& path,
            const Arguments& shape,
            MeshFiles& files) {
    std::error_code ignored;
    const fs::path whole = fs::weakly_canonical(path, ignored);
    if (const auto known = std::ranges::find(files.paths, whole); known != files.paths.end())
        return static_cast<int>(known - files.paths.begin());
    const SurfaceFormat format = format_of(path, shape);
    const std::string bytes = read_text_file(path, "the mesh");
    TriangleMesh mesh;
    try {
        mesh = read_surface(bytes, format, [&](const std::string& neighbour) {
            return neighbour_of(key, whole, neighbour, shape, files);
        });
    } catch (const SurfaceError& error) {
        if (error.line > 0) shape.fail_in_file("mesh", error.line, error.column, error.what());
        shape.fail("mesh", fmt::format("{} {}", in_quotes(path), error.what()));
    }
    files.num_triangles += mesh.triangles.size();
    if (files.num_triangles > kMostTriangles)
        shape.fail("mesh",
                   fmt::format("the model's meshes have {} triangles with this one, more than the "
                               "{} that are drawn; make coarser ones",
                               files.num_triangles,
                               kMostTriangles));
    mesh.name = fs::path(path).filename().string();
    files.meshes.push_back(std::move(mesh));
    files.paths.push_back(whole);
    files.keys.push_back(key + ".mesh");
    return static_cast<int>(files.meshes.size()) - 1;
}

SceneShape shape_of(const Bound& bound, MeshFiles& files) {
    const Arguments& shape = bound.table();
    const std::string_view kind = kind_of(shape);
    const Placement place(shape);
    if (shape.given("scale") && kind != "mesh")
        shape.fail("scale", fmt::format("a {} has none; only a mesh is scaled", kind));
    if (kind == "box")
        return Box{triple(shape.numbers("box")), place.point(Vec3::Zero()), place.quaternion()};
    if (kind == "sphere") return Sphere{shape.number("sphere"), place.point(Vec3::Zero())};
    if (kind == "cylinder") return round_of<Cylinder>(shape.table("cylinder"), place);
    if (kind != "mesh") return round_of<Capsule>(shape.table(kind), place);
    MeshShape mesh;
    mesh.mesh = mesh_of(bound.key(), *bound.file(), shape, files);
    if (shape.given("scale")) {
        if (shape.shape("scale") == Shape::vector)
            mesh.scale = triple(shape.numbers("scale"));
        else
            mesh.scale.fill(shape.number("scale"));
        if (std::ranges::find(mesh.scale, 0.0) != mesh.scale.end())
            shape.fail("scale", "is zero, which leaves nothing of the mesh");
    }
    mesh.center = place.point(Vec3::Zero());
    mesh.quaternion = place.quaternion();
    return mesh;
}

}  // namespace

std::span<const Parameter> shape_keys() {
    return kKeys;
}

Value expanded_shape(const std::string& owner,
                     const Value& shape,
                     const Place& place,
                     const Symbols& symbols) {
    Array tables;
    for (const Entry& entry : entries_of(owner, shape, place)) {
        Bound bound(owner, entry, place, symbols);
        if (const std::optional<std::string> file = bound.file())
            std::get<Table>(bound.value().data()).set("mesh", fs::absolute(*file).string());
        tables.push_back(bound.value());
    }
    if (tables.empty()) return shape;
    if (shape.as<Table>()) return tables.front();
    return {std::move(tables), shape.place()};
}

BodyLook read_look(const std::string& owner,
                   const Value& shape,
                   const Place& place,
                   const Symbols& symbols,
                   MeshFiles& files) {
    BodyLook look;
    look.is_given = true;
    for (const Entry& entry : entries_of(owner, shape, place)) {
        const Bound bound(owner, entry, place, symbols);
        const Arguments& keys = bound.table();
        SceneSolid solid;
        solid.shape = shape_of(bound, files);
        solid.color = color_of(keys);
        if (keys.has("opacity")) solid.opacity = keys.number("opacity");
        if (keys.boolean("hidden")) continue;
        look.solids.push_back(std::move(solid));
        look.materials.emplace_back(keys.has("material") ? keys.text("material") : "");
    }
    return look;
}

}  // namespace ancora
