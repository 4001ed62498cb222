// SPDX-License-Identifier: BSD-3-Clause
// A scene as JSON, so that whoever reads frames knows what their numbers are.
#include "ancora/framework/scene.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

constexpr const char* kPoses[] = {"none", "position", "attitude"};

struct ShapeWriter {
    Json operator()(const Box& box) const {
        return {{"kind", "box"},
                {"size", box.size},
                {"center", box.center},
                {"quaternion", box.quaternion}};
    }
    Json operator()(const Sphere& sphere) const {
        return {{"kind", "sphere"}, {"radius", sphere.radius}, {"center", sphere.center}};
    }
    Json operator()(const Cylinder& cylinder) const {
        return {{"kind", "cylinder"},
                {"radius", cylinder.radius},
                {"from", cylinder.from},
                {"to", cylinder.to}};
    }
};

SceneShape shape_of(const Json& json) {
    const std::string kind = json.at("kind");
    if (kind == "box") return Box{json.at("size"), json.at("center"), json.at("quaternion")};
    if (kind == "sphere") return Sphere{json.at("radius"), json.at("center")};
    if (kind == "cylinder") return Cylinder{json.at("radius"), json.at("from"), json.at("to")};
    throw std::invalid_argument("there is no shape \"" + kind + "\"");
}

Json json_of(const SceneBody& body) {
    Json out = {{"name", body.name},
                {"type", body.type},
                {"first", body.first},
                {"coordinates", {body.first_coordinate, body.num_coordinates}},
                {"pose", kPoses[static_cast<int>(body.pose)]},
                {"shapes", Json::array()},
                {"nodes", body.num_nodes},
                {"channels", Json::array()},
                {"lines", body.lines}};
    for (const SceneShape& shape : body.shapes)
        out["shapes"].push_back(std::visit(ShapeWriter(), shape));
    for (const SceneChannel& channel : body.channels)
        out["channels"].push_back({{"name", channel.name}, {"unit", channel.unit}});
    return out;
}

SceneBody body_of(const Json& json) {
    SceneBody out;
    out.name = json.at("name");
    out.type = json.at("type");
    out.first = json.at("first");
    out.first_coordinate = json.at("coordinates").at(0);
    out.num_coordinates = json.at("coordinates").at(1);
    const std::string pose = json.at("pose");
    for (int k = 0; k < 3; ++k)
        if (pose == kPoses[k]) out.pose = static_cast<PoseKind>(k);
    for (const Json& shape : json.at("shapes")) out.shapes.push_back(shape_of(shape));
    out.num_nodes = json.at("nodes");
    out.lines = json.at("lines").get<std::vector<std::array<std::int32_t, 2>>>();
    for (const Json& channel : json.at("channels"))
        out.channels.push_back({channel.at("name"), channel.at("unit")});
    if (out.num_nodes < 0) throw std::invalid_argument("a number of nodes is negative");
    for (const auto& line : out.lines)
        for (const std::int32_t end : line)
            if (end < 0 || end >= out.num_nodes)
                throw std::invalid_argument("a line ends at a node that is not there");
    return out;
}

Json json_of(const SceneMarker& marker) {
    return {{"name", marker.name},
            {"type", marker.type},
            {"first", marker.first},
            {"points", marker.points},
            {"has_force", marker.has_force}};
}

SceneMarker marker_of(const Json& json) {
    return {json.at("name"),
            json.at("type"),
            json.at("points").get<std::vector<std::string>>(),
            json.at("has_force"),
            json.at("first")};
}

template <class Part>
void require_inside(const Part& part, const Scene& scene) {
    if (part.first < 0 || part.end() > scene.num_values)
        throw std::invalid_argument("values of \"" + part.name + "\" lie outside a frame");
}

}  // namespace

std::string scene_text(const Scene& scene) {
    const TrapsOff traps_off;
    Json out = {{"format", kFormat},
                {"gravity", scene.gravity},
                {"values", scene.num_values},
                {"bodies", Json::array()},
                {"constraints", Json::array()},
                {"forces", Json::array()}};
    for (const SceneBody& body : scene.bodies) out["bodies"].push_back(json_of(body));
    for (const SceneMarker& marker : scene.constraints)
        out["constraints"].push_back(json_of(marker));
    for (const SceneMarker& marker : scene.forces) out["forces"].push_back(json_of(marker));
    return out.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Scene read_scene(std::string_view text) {
    const TrapsOff traps_off;
    try {
        const Json json = Json::parse(text);
        if (const int format = json.at("format"); format != kFormat)
            throw std::invalid_argument(
                fmt::format("it has format {}, this version reads {}", format, kFormat));
        Scene out;
        out.gravity = json.at("gravity");
        out.num_values = json.at("values");
        for (const Json& body : json.at("bodies")) out.bodies.push_back(body_of(body));
        for (const Json& marker : json.at("constraints"))
            out.constraints.push_back(marker_of(marker));
        for (const Json& marker : json.at("forces")) out.forces.push_back(marker_of(marker));
        for (const SceneBody& body : out.bodies) require_inside(body, out);
        for (const SceneMarker& marker : out.constraints) require_inside(marker, out);
        for (const SceneMarker& marker : out.forces) require_inside(marker, out);
        return out;
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::file, fmt::format("this is no scene: {}", error.what()));
    } catch (const std::invalid_argument& error) {
        throw Error(ErrorKind::file, fmt::format("this is no scene: {}", error.what()));
    }
}

}  // namespace ancora
