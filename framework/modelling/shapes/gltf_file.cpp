// SPDX-License-Identifier: BSD-3-Clause
// Walks the tree of nodes and welds the triangles of its meshes; trusts no index.
#include "gltf_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "gltf_buffers.hpp"
#include "gltf_document.hpp"
#include "welder.hpp"

namespace ancora {
namespace {

using namespace gltf;

Eigen::Affine3d placement(const JsonReader& node, const Json& json) {
    Eigen::Affine3d out = Eigen::Affine3d::Identity();
    if (json.contains("matrix")) {
        const std::array<double, 16> columns = node.numbers<16>("matrix");
        out.matrix().topRows<3>() = Eigen::Map<const Eigen::Matrix4d>(columns.data()).topRows<3>();
        return out;
    }
    if (json.contains("translation")) {
        const auto r = node.numbers<3>("translation");
        out.translate(Eigen::Vector3d(r[0], r[1], r[2]));
    }
    if (json.contains("rotation")) {
        const auto x = node.numbers<4>("rotation");
        const Eigen::Quaterniond turn(x[3], x[0], x[1], x[2]);
        if (!(turn.norm() > 0.5 && turn.norm() < 2.0))
            node.refuse("rotation", "is no unit quaternion");
        out.rotate(turn.normalized());
    }
    if (json.contains("scale")) {
        const auto s = node.numbers<3>("scale");
        out.scale(Eigen::Vector3d(s[0], s[1], s[2]));
    }
    return out;
}

class Reader {
public:
    Reader(const Parts& parts, const ReadNeighbour& read_neighbour)
        : document_(parts.text), buffers_(document_, parts.buffer, read_neighbour) {
        document_.require_readable();
    }

    TriangleMesh read() {
        std::vector<Step> steps;
        const Eigen::Affine3d in_place = Eigen::Affine3d::Identity();
        for (const std::size_t node : roots()) steps.push_back({node, in_place});
        is_placed_.assign(document_.count("nodes"), false);
        while (!steps.empty()) {
            const Step step = steps.back();
            steps.pop_back();
            add_node(step, steps);
        }
        return welder_.take();
    }

private:
    struct Step {
        std::size_t node;
        Eigen::Affine3d parent;
    };

    /// Nodes without parents of the scene that is shown, or of the file if there is none.
    std::vector<std::size_t> roots() const {
        std::vector<std::size_t> out;
        const Json& root = document_.root();
        if (const std::size_t count = document_.count("scenes"); count > 0) {
            const auto scene = static_cast<std::size_t>(
                whole_or({root, "it"}, root, "scene", 0, static_cast<std::int64_t>(count) - 1, 0));
            return nodes_of(
                document_.entry("scenes", "scene", scene), root["scenes"][scene], "nodes");
        }
        std::vector<bool> is_child(document_.count("nodes"), false);
        for (std::size_t i = 0; i < is_child.size(); ++i)
            for (const std::size_t child :
                 nodes_of(document_.entry("nodes", "node", i), root["nodes"][i], "children"))
                is_child[child] = true;
        for (std::size_t i = 0; i < is_child.size(); ++i)
            if (!is_child[i]) out.push_back(i);
        return out;
    }

    std::vector<std::size_t> nodes_of(const JsonReader& of,
                                      const Json& json,
                                      const char* key) const {
        std::vector<std::size_t> out;
        if (!json.contains(key)) return out;
        const auto most = static_cast<std::int64_t>(document_.count("nodes")) - 1;
        for (const Json& child : of.array(key))
            out.push_back(static_cast<std::size_t>(of.whole_of(child, key, 0, most)));
        return out;
    }

    void add_node(const Step& step, std::vector<Step>& steps) {
        const JsonReader node = document_.entry("nodes", "node", step.node);
        if (is_placed_[step.node])
            damaged(fmt::format("node {} stands twice in the tree of nodes", step.node));
        is_placed_[step.node] = true;
        const Json& json = document_.root()["nodes"][step.node];
        const Eigen::Affine3d place = step.parent * placement(node, json);
        if (!place.matrix().allFinite())
            damaged(fmt::format("node {} is moved by numbers that are too large", step.node));
        for (const std::size_t child : nodes_of(node, json, "children"))
            steps.push_back({child, place});
        if (!json.contains("mesh")) return;
        const std::size_t index = document_.index(node, "mesh", "meshes");
        const JsonReader mesh = document_.entry("meshes", "mesh", index);
        const Json& primitives = mesh.array("primitives");
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            // many nodes of one mesh with nothing to draw
            if (++num_primitives_ > kMostTriangles)
                throw SurfaceError(fmt::format("has more than {} parts", kMostTriangles));
            add_primitive(primitives[p], fmt::format("primitive {} of mesh {}", p, index), place);
        }
    }

    void add_primitive(const Json& json, const std::string& what, const Eigen::Affine3d& place) {
        enum Mode { kTriangles = 4, kStrip = 5, kFan = 6 };
        const JsonReader primitive(json, what);
        const std::int64_t mode = whole_or(primitive, json, "mode", 0, 6, kTriangles);
        if (mode < kTriangles) return;  // points and lines
        const JsonReader attributes(primitive.at("attributes"), "attributes of " + what);
        if (!primitive.at("attributes").contains("POSITION")) return;
        const Values points =
            buffers_.values(document_.index(attributes, "POSITION", "accessors"), "VEC3");
        std::optional<Values> indices;
        if (json.contains("indices"))
            indices = buffers_.values(document_.index(primitive, "indices", "accessors"), "SCALAR");

        const std::size_t corners = indices ? indices->count : points.count;
        if (mode == kTriangles && corners % 3 != 0)
            damaged(fmt::format("{} has {} corners, which make no whole triangles", what, corners));
        const std::size_t count =
            mode == kTriangles ? corners / 3 : std::max<std::size_t>(corners, 2) - 2;
        num_triangles_ += count;
        if (num_triangles_ > kMostTriangles) throw SurfaceError(too_many(num_triangles_));
        const bool is_mirrored = place.linear().determinant() < 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            std::array<std::size_t, 3> at{};
            if (mode == kTriangles)
                at = {3 * i, 3 * i + 1, 3 * i + 2};
            else if (mode == kFan)
                at = {0, i + 1, i + 2};
            else
                at = {i, i + 1 + i % 2, i + 2 - i % 2};
            if (is_mirrored) std::swap(at[1], at[2]);
            std::array<std::int32_t, 3> t{};
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t point = indices ? indices->index(at[k]) : at[k];
                if (point >= points.count)
                    damaged(fmt::format("{} names point {} of {}", what, point, points.count));
                t[k] = corner(points.point(point), place, what, point);
            }
            welder_.add(t);
        }
    }

    std::int32_t corner(const Eigen::Vector3d& local,
                        const Eigen::Affine3d& place,
                        const std::string& what,
                        std::size_t number) {
        const Eigen::Vector3f r = (place * local).cast<float>();
        if (!r.allFinite())
            throw SurfaceError(fmt::format("point {} of {} is not finite", number, what));
        return welder_.index({r(0), r(1), r(2)});
    }

    Document document_;
    Buffers buffers_;
    std::vector<bool> is_placed_;
    std::size_t num_primitives_ = 0, num_triangles_ = 0;
    Welder welder_;
};

}  // namespace

TriangleMesh read_gltf(std::string_view bytes, const ReadNeighbour& read_neighbour) {
    try {
        return Reader(parts_of(bytes), read_neighbour).read();
    } catch (const std::invalid_argument& error) {
        damaged(error.what());
    }
}

}  // namespace ancora
