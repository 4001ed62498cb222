// SPDX-License-Identifier: BSD-3-Clause
#include "page_scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "page_array.hpp"
#include "shape_json.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

/// "#4682b4"
std::string color_text(const std::array<double, 3>& color) {
    std::string out = "#";
    for (const double x : color)
        out += fmt::format("{:02x}", std::lround(255.0 * std::clamp(x, 0.0, 1.0)));
    return out;
}

Json solid_json(const SceneSolid& solid) {
    Json out = json_of(solid.shape);
    if (solid.color) out["color"] = color_text(*solid.color);
    if (solid.opacity != 1.0) out["opacity"] = solid.opacity;
    return out;
}

Json mesh_json(const TriangleMesh& mesh) {
    std::vector<float> points;
    std::vector<std::int32_t> triangles;
    for (const auto& p : mesh.points) points.insert(points.end(), p.begin(), p.end());
    for (const auto& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    return {{"name", mesh.name},
            {"points", page_array(points, mesh.points.size(), 3)},
            {"triangles", page_array(triangles, mesh.triangles.size(), 3)}};
}

Json point_json(const ScenePoint& point) {
    return {{"body", point.body}, {"position", point.position}};
}

}  // namespace

const char* page_place(ChannelPlace of) {
    constexpr const char* kPlaces[] = {"lines", "nodes", "triangles", "curves"};
    return kPlaces[static_cast<int>(of)];
}

Json page_body(const SceneBody& body) {
    Json out = {{"name", body.name},
                {"type", body.type},
                {"shapes", Json::array()},
                {"skeleton", body.is_skeleton},
                {"hidden", body.is_hidden},
                {"frames", Json::array()},
                {"position", nullptr},
                {"quaternion", nullptr},
                {"nodes", nullptr},
                {"lines", nullptr},
                {"triangles", nullptr},
                {"curves", nullptr},
                {"outlines", Json::array()},
                {"line_outlines", nullptr},
                {"channels", Json::array()}};
    for (const SceneSolid& solid : body.shapes) out["shapes"].push_back(solid_json(solid));
    for (const SceneFrame& frame : body.frames)
        out["frames"].push_back(
            {{"name", frame.name}, {"position", frame.position}, {"quaternion", frame.quaternion}});
    if (body.num_nodes == 0) return out;
    std::vector<std::int32_t> ends;
    for (const auto& line : body.lines) ends.insert(ends.end(), line.begin(), line.end());
    out["lines"] = page_array(ends, body.lines.size(), 2);
    std::vector<std::int32_t> corners;
    for (const auto& triangle : body.triangles)
        corners.insert(corners.end(), triangle.begin(), triangle.end());
    if (!corners.empty()) out["triangles"] = page_array(corners, body.triangles.size(), 3);
    for (const SceneOutline& outline : body.outlines)
        out["outlines"].push_back({{"points", outline.points}, {"hole", outline.hole}});
    std::vector<std::int32_t> of_lines;
    for (const auto& line : body.line_outlines)
        of_lines.insert(of_lines.end(), line.begin(), line.end());
    if (!of_lines.empty())
        out["line_outlines"] = page_array(of_lines, body.line_outlines.size(), 2);
    return out;
}

Json page_marker(const SceneMarker& marker) {
    return {{"name", marker.name},
            {"type", marker.type},
            {"points", marker.points},
            {"positions", nullptr},
            {"force", nullptr},
            {"torque", nullptr},
            {"holds", nullptr}};
}

void add_still_parts(Json& to, const Scene& scene) {
    Json joints = Json::array(), springs = Json::array(), meshes = Json::array();
    for (const SceneJoint& joint : scene.joints)
        joints.push_back({{"name", joint.name},
                          {"kind", joint.kind},
                          {"a", point_json(joint.a)},
                          {"b", point_json(joint.b)},
                          {"axes_a", joint.axes_a},
                          {"axes_b", joint.axes_b}});
    for (const SceneSpring& spring : scene.springs)
        springs.push_back(
            {{"name", spring.name}, {"a", point_json(spring.a)}, {"b", point_json(spring.b)}});
    for (const TriangleMesh& mesh : scene.meshes) meshes.push_back(mesh_json(mesh));
    to["gravity"] = scene.gravity;
    to["joints"] = std::move(joints);
    to["springs"] = std::move(springs);
    to["meshes"] = std::move(meshes);
}

}  // namespace ancora
