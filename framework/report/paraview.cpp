// SPDX-License-Identifier: BSD-3-Clause
// From frames to polygons, lines and vertices.
#include "ancora/framework/paraview.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "file_writer.hpp"
#include "result_files.hpp"
#include "results.hpp"
#include "results_folder.hpp"
#include "traps_off.hpp"
#include "vtp_file.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;
using Vec3 = Eigen::Vector3d;

constexpr int kSides = 24;   // of a cylinder or sphere
constexpr int kLayers = 12;  // of a sphere

// Of one frame: every line has a value of every channel.
constexpr std::size_t kMostChannels = 1000;
constexpr std::size_t kMostChannelValues = std::size_t{1} << 28;
// In all files together, some GB: every frame has its own.
constexpr std::size_t kMostTrianglesWritten = 100'000'000;

Vec3 vec3(const std::array<double, 3>& x) {
    return {x[0], x[1], x[2]};
}
Vec3 vec3(const std::array<float, 3>& x) {
    return {x[0], x[1], x[2]};
}
Vec3 vec3(std::span<const double> x) {
    return {x[0], x[1], x[2]};
}

/// Polygons of a body, moved to where it is.
class Surface {
public:
    Surface(VtpFile& to,
            const std::vector<TriangleMesh>& meshes,
            const Vec3& position,
            const Eigen::Quaterniond& attitude)
        : to_(to), meshes_(meshes), position_(position), attitude_(attitude) {}

    void operator()(const Box& box) const {
        const auto& [w, x, y, z] = box.quaternion;
        const Eigen::Quaterniond turn = Eigen::Quaterniond(w, x, y, z).normalized();
        std::array<std::int32_t, 8> corner{};
        for (int i = 0; i < 8; ++i) {
            const Vec3 half(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
            corner[i] = add(vec3(box.center) + turn * half.cwiseProduct(vec3(box.size)));
        }
        constexpr int kFaces[6][4] = {
            {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
        for (const auto& face : kFaces) {
            std::array<std::int32_t, 4> polygon{};
            for (std::size_t k = 0; k < 4; ++k) polygon[k] = corner[face[k]];
            to_.polygons.add(polygon);
        }
    }

    void operator()(const Sphere& sphere) const {
        std::vector<std::int32_t> below =
            ring(vec3(sphere.center), Vec3::UnitZ(), 0.0, -sphere.radius);
        for (int layer = 1; layer <= kLayers; ++layer) {
            const double angle = std::numbers::pi * (static_cast<double>(layer) / kLayers - 0.5);
            std::vector<std::int32_t> above = ring(vec3(sphere.center),
                                                   Vec3::UnitZ(),
                                                   sphere.radius * std::cos(angle),
                                                   sphere.radius * std::sin(angle));
            join(below, above);
            below = std::move(above);
        }
    }

    void operator()(const Cylinder& cylinder) const {
        const Vec3 axis = vec3(cylinder.to) - vec3(cylinder.from);
        const double length = axis.norm();
        const Vec3 direction = length > 0.0 ? Vec3(axis / length) : Vec3(Vec3::UnitZ());
        std::vector<std::int32_t> low = ring(vec3(cylinder.from), direction, cylinder.radius, 0.0);
        std::vector<std::int32_t> high =
            ring(vec3(cylinder.from), direction, cylinder.radius, length);
        join(low, high);
        to_.polygons.add(high);
        std::ranges::reverse(low);
        to_.polygons.add(low);
    }

    /// Rings from pole to pole; those of the middle stand at both ends of the axis.
    void operator()(const Capsule& capsule) const {
        const Vec3 axis = vec3(capsule.to) - vec3(capsule.from);
        const double length = axis.norm();
        const Vec3 direction = length > 0.0 ? Vec3(axis / length) : Vec3(Vec3::UnitZ());
        std::vector<std::int32_t> below;
        for (int layer = 0; layer <= kLayers + 1; ++layer) {
            const bool is_beyond = 2 * layer > kLayers;
            const double angle =
                std::numbers::pi * (static_cast<double>(layer - is_beyond) / kLayers - 0.5);
            std::vector<std::int32_t> above =
                ring(vec3(capsule.from),
                     direction,
                     capsule.radius * std::cos(angle),
                     capsule.radius * std::sin(angle) + (is_beyond ? length : 0.0));
            if (layer > 0) join(below, above);
            below = std::move(above);
        }
    }

    void operator()(const MeshShape& shape) const {
        const TriangleMesh& mesh = meshes_[shape.mesh];
        const auto& [w, x, y, z] = shape.quaternion;
        const Eigen::Quaterniond turn = Eigen::Quaterniond(w, x, y, z).normalized();
        std::int32_t first = 0;
        for (std::size_t i = 0; i < mesh.points.size(); ++i) {
            const Vec3 scaled = vec3(mesh.points[i]).cwiseProduct(vec3(shape.scale));
            const std::int32_t n = add(vec3(shape.center) + turn * scaled);
            if (i == 0) first = n;
        }
        // Mirrored, they would be seen from inside
        const auto& [sx, sy, sz] = shape.scale;
        const bool is_mirrored = sx * sy * sz < 0.0;
        for (const auto& t : mesh.triangles)
            to_.polygons.add(std::array{
                first + t[0], first + t[is_mirrored ? 2 : 1], first + t[is_mirrored ? 1 : 2]});
    }

private:
    std::int32_t add(const Vec3& x) const {
        const Vec3 r = position_ + attitude_ * x;
        return to_.add_point({r.x(), r.y(), r.z()});
    }
    /// A circle about `axis`, `height` along it from `center`.
    std::vector<std::int32_t> ring(const Vec3& center,
                                   const Vec3& axis,
                                   double radius,
                                   double height) const {
        const Vec3 x = axis.unitOrthogonal();
        const Vec3 y = axis.cross(x);
        std::vector<std::int32_t> out;
        for (int i = 0; i < kSides; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / kSides;
            out.push_back(
                add(center + height * axis + radius * (std::cos(angle) * x + std::sin(angle) * y)));
        }
        return out;
    }
    void join(const std::vector<std::int32_t>& low, const std::vector<std::int32_t>& high) const {
        for (std::size_t i = 0; i < low.size(); ++i) {
            const std::size_t next = (i + 1) % low.size();
            to_.polygons.add(std::array{low[i], low[next], high[next], high[i]});
        }
    }

    VtpFile& to_;
    const std::vector<TriangleMesh>& meshes_;
    Vec3 position_;
    Eigen::Quaterniond attitude_;
};

std::vector<std::string> names_of(const auto& parts) {
    std::vector<std::string> out;
    for (const auto& part : parts) out.push_back(part.name);
    return out;
}

void append(std::vector<float>& to, const Vec3& x) {
    for (int k = 0; k < 3; ++k) to.push_back(static_cast<float>(x[k]));
}

VtpFile bodies_of(const Scene& scene, std::span<const double> frame) {
    VtpFile out;
    VtpFile::Array body{"body", 1, {}, {}}, velocity{"velocity", 3, {}, {}},
        angular{"angular_velocity", 3, {}, {}}, attitude{"quaternion", 4, {}, {}};
    // Vertices come first among the cells.
    for (const bool with_shapes : {false, true})
        for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
            const SceneBody& part = scene.bodies[i];
            const bool is_dot = part.shapes.empty();
            if (part.pose == PoseKind::none || part.is_hidden || is_dot == with_shapes) continue;
            if (is_dot && part.num_nodes > 0) continue;  // shown as a network
            const auto values = frame.subspan(part.first);
            Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
            Vec3 omega = Vec3::Zero();
            if (part.pose == PoseKind::attitude) {
                q = Eigen::Quaterniond(values[6], values[7], values[8], values[9]).normalized();
                omega = q * vec3(values.subspan(10, 3));
            }
            const Vec3 position = vec3(values.first(3));
            const std::size_t before = out.polygons.offsets.size() + out.vertices.offsets.size();
            if (is_dot)
                out.vertices.add(
                    std::array{out.add_point({position.x(), position.y(), position.z()})});
            for (const SceneSolid& solid : part.shapes)
                std::visit(Surface(out, scene.meshes, position, q), solid.shape);
            const std::size_t after = out.polygons.offsets.size() + out.vertices.offsets.size();
            for (std::size_t cell = before; cell < after; ++cell) {
                body.integers.push_back(static_cast<std::int32_t>(i));
                append(velocity.numbers, vec3(values.subspan(3, 3)));
                append(angular.numbers, omega);
                for (const double x : {q.w(), q.x(), q.y(), q.z()})
                    attitude.numbers.push_back(static_cast<float>(x));
            }
        }
    out.cell_data = {std::move(body), std::move(velocity), std::move(angular), std::move(attitude)};
    out.field_data = {{"bodies", names_of(scene.bodies)}};
    return out;
}

/// Triangles of surfaces in one frame, and those of meshes as often as they are shown.
std::size_t triangles_of(const Scene& scene) {
    std::size_t out = 0;
    for (const SceneBody& body : scene.bodies) {
        out += body.triangles.size();
        for (const SceneSolid& solid : body.shapes)
            if (const MeshShape* const shape = std::get_if<MeshShape>(&solid.shape))
                out += scene.meshes[shape->mesh].triangles.size();
    }
    return out;
}

/// An array for each channel has a value for every line and triangle, or for every node.
void check_channels(const Scene& scene) {
    std::unordered_set<std::string_view> names;
    std::size_t values = 0;
    for (const SceneBody& body : scene.bodies) {
        values +=
            body.lines.size() + body.triangles.size() + static_cast<std::size_t>(body.num_nodes);
        for (const SceneChannel& channel : body.channels) names.insert(channel.name);
    }
    if (names.size() > kMostChannels || names.size() * values > kMostChannelValues)
        throw Error(ErrorKind::file,
                    fmt::format("the scene has {} channels for {} lines, triangles and nodes, more "
                                "than fit in one file",
                                names.size(),
                                values));
}

/// Values by the names of channels, not a number where a body has no such channel.
class ChannelArrays {
public:
    /// Of cells or points from `first` on.
    void add(const std::string& name, std::size_t first, std::span<const double> values) {
        const auto known = std::ranges::find(arrays_, name, &VtpFile::Array::name);
        VtpFile::Array& array =
            known != arrays_.end() ? *known : arrays_.emplace_back(VtpFile::Array{name, 1, {}, {}});
        array.numbers.resize(std::max(first, array.numbers.size()), kNone);
        array.numbers.insert(array.numbers.end(), values.begin(), values.end());
    }
    /// Of so many cells or points.
    void move_to(std::vector<VtpFile::Array>& out, std::size_t count) {
        for (VtpFile::Array& array : arrays_) {
            array.numbers.resize(count, kNone);
            out.push_back(std::move(array));
        }
    }

private:
    static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    std::vector<VtpFile::Array> arrays_;
};

bool has_channel_of(const SceneBody& body, ChannelPlace place) {
    return std::ranges::any_of(body.channels, [&](const SceneChannel& channel) {
        return channel.of == place;
    });
}

/// Surfaces are triangles; the lines on one, which are its mesh, are cells where they have values.
VtpFile networks_of(const Scene& scene, std::span<const double> frame) {
    VtpFile out;
    VtpFile::Array body{"body", 1, {}, {}}, velocity{"velocity", 3, {}, {}};
    ChannelArrays of_points, of_cells;
    std::vector<std::int32_t> first(scene.bodies.size(), 0);
    const auto is_shown = [](const SceneBody& part) {
        return part.num_nodes > 0 && !part.is_hidden;
    };
    const auto add_channels =
        [&](const SceneBody& part, ChannelPlace place, std::size_t at, ChannelArrays& to) {
            for (int c = 0; c < static_cast<int>(part.channels.size()); ++c)
                if (const SceneChannel& channel = part.channels[static_cast<std::size_t>(c)];
                    channel.of == place)
                    to.add(channel.name,
                           at,
                           frame.subspan(static_cast<std::size_t>(part.channel_at(c)),
                                         static_cast<std::size_t>(part.channel_size(c))));
        };
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const SceneBody& part = scene.bodies[i];
        if (!is_shown(part)) continue;
        const std::size_t before = out.points.size() / 3;
        first[i] = static_cast<std::int32_t>(before);
        const auto nodes = frame.subspan(part.nodes_at(), 6 * part.num_nodes);
        out.points.insert(out.points.end(), nodes.begin(), nodes.begin() + 3 * part.num_nodes);
        velocity.numbers.insert(
            velocity.numbers.end(), nodes.begin() + 3 * part.num_nodes, nodes.end());
        add_channels(part, ChannelPlace::nodes, before, of_points);
    }
    // Lines come first among the cells.
    const auto add_cells = [&](ChannelPlace place, VtpFile::Cells& cells, const auto& corners_of) {
        for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
            const SceneBody& part = scene.bodies[i];
            if (!is_shown(part)) continue;
            if (place == ChannelPlace::lines && !part.triangles.empty() &&
                !has_channel_of(part, place))
                continue;
            add_channels(part, place, body.integers.size(), of_cells);
            for (auto corners : corners_of(part)) {
                for (std::int32_t& corner : corners) corner += first[i];
                cells.add(corners);
                body.integers.push_back(static_cast<std::int32_t>(i));
            }
        }
    };
    add_cells(
        ChannelPlace::lines, out.lines, [](const SceneBody& part) -> const auto& {
            return part.lines;
        });
    add_cells(
        ChannelPlace::triangles, out.polygons, [](const SceneBody& part) -> const auto& {
            return part.triangles;
        });
    out.point_data = {std::move(velocity)};
    of_points.move_to(out.point_data, out.points.size() / 3);
    const std::size_t num_cells = body.integers.size();
    out.cell_data = {std::move(body)};
    of_cells.move_to(out.cell_data, num_cells);
    out.field_data = {{"bodies", names_of(scene.bodies)}};
    return out;
}

VtpFile marks_of(const Scene& scene, std::span<const double> frame) {
    VtpFile out;
    VtpFile::Array force{"force", 3, {}, {}}, kind{"kind", 1, {}, {}}, index{"index", 1, {}, {}};
    const auto add = [&](const std::vector<SceneMarker>& markers, std::int32_t of_kind) {
        for (std::size_t i = 0; i < markers.size(); ++i) {
            const SceneMarker& marker = markers[i];
            if (marker.points.empty()) continue;
            const Vec3 at = vec3(frame.subspan(marker.first, 3));
            out.vertices.add(std::array{out.add_point({at.x(), at.y(), at.z()})});
            const Vec3 value =
                marker.has_force ? vec3(frame.subspan(marker.force_at(), 3)) : Vec3(Vec3::Zero());
            append(force.numbers, value);
            kind.integers.push_back(of_kind);
            index.integers.push_back(static_cast<std::int32_t>(i));
        }
    };
    add(scene.constraints, 0);
    add(scene.forces, 1);
    out.point_data = {std::move(force), std::move(kind), std::move(index)};
    out.field_data = {{"constraints", names_of(scene.constraints)},
                      {"forces", names_of(scene.forces)}};
    return out;
}

}  // namespace

std::size_t write_paraview(const fs::path& folder, std::size_t every) {
    const TrapsOff traps_off;
    require_results(folder);
    const std::optional<Frames> frames = Frames::open(folder);
    if (!frames || frames->count() == 0)
        throw Error(ErrorKind::file,
                    fmt::format("\"{}\" has no frames; run the model without `frames = 0` in "
                                "[output]",
                                folder.string()));
    check_channels(frames->scene());
    const History history(folder / kHistoryFile);
    const std::size_t time_column = 0;
    const std::vector<double> t = history.read({&time_column, 1})[0];

    std::vector<std::size_t> wanted;
    std::vector<std::string> files = {kParaviewList, kParaviewFolder};
    const auto name_of = [](const char* part, std::size_t f) {
        return fmt::format("{}/{}_{:06}.vtp", kParaviewFolder, part, f);
    };
    for (std::size_t f = 0; f < frames->count(); ++f) {
        if ((f % every != 0 && f + 1 != frames->count()) || frames->row(f) >= t.size()) continue;
        wanted.push_back(f);
        for (const char* part : kParaviewParts) files.push_back(name_of(part, f));
    }
    if (const std::size_t triangles = triangles_of(frames->scene());
        triangles * wanted.size() > kMostTrianglesWritten)
        throw Error(ErrorKind::file,
                    fmt::format("{} frames with {} triangles each are more than the {} "
                                "that are written; take fewer with --every",
                                wanted.size(),
                                triangles,
                                kMostTrianglesWritten));
    ResultsFolder results = ResultsFolder::for_views(folder);
    constexpr std::string_view kListKind = "a list of frames of a run";
    require_replaceable(results.at(kParaviewList), kParaviewListMark, kListKind);
    const SubFolder subfolder(results.at(kParaviewFolder));
    results.add(files);

    std::string list = fmt::format(
        "{}\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n", kParaviewListMark);
    for (const std::size_t f : wanted) {
        const Scene& scene = frames->scene();
        const std::pair<const char*, VtpFile> parts[] = {
            {kParaviewParts[0], bodies_of(scene, frames->values(f))},
            {kParaviewParts[1], networks_of(scene, frames->values(f))},
            {kParaviewParts[2], marks_of(scene, frames->values(f))}};
        int number = 0;
        for (const auto& [name, part] : parts) {
            if (part.empty()) continue;
            const std::string file = name_of(name, f);
            part.write(subfolder.at(fs::path(file).filename()));
            list +=
                fmt::format("<DataSet timestep=\"{:.17g}\" part=\"{}\" name=\"{}\" file=\"{}\"/>\n",
                            t[frames->row(f)],
                            number++,
                            name,
                            file);
        }
    }
    list += "</Collection>\n</VTKFile>\n";
    replace_file(results.at(kParaviewList), list, kParaviewListMark, kListKind);
    return wanted.size();
}

}  // namespace ancora
