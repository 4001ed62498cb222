// SPDX-License-Identifier: BSD-3-Clause
// A scene as JSON, so that whoever reads frames knows what their numbers are.
#include "ancora/framework/scene.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "bounded_json.hpp"
#include "traps_off.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// Of a frame, so that they and the two numbers before them can be counted.
constexpr std::int64_t kMostValues = std::numeric_limits<int>::max() - 2;

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

SceneShape shape_of(const Json& json, const std::string& owner) {
    const JsonReader shape(json, "a shape of " + owner);
    const std::string kind = shape.text("kind");
    if (kind == "box")
        return Box{
            shape.numbers<3>("size"), shape.numbers<3>("center"), shape.numbers<4>("quaternion")};
    if (kind == "sphere") return Sphere{shape.number("radius"), shape.numbers<3>("center")};
    if (kind == "cylinder")
        return Cylinder{shape.number("radius"), shape.numbers<3>("from"), shape.numbers<3>("to")};
    throw std::invalid_argument(fmt::format("there is no shape {}", in_quotes(kind)));
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

/// Who is read, in messages.
std::string owner_of(const char* kind, const Json& json) {
    const bool has_name = json.is_object() && json.contains("name") && json["name"].is_string();
    return has_name ? fmt::format("{} {}", kind, in_quotes(json["name"].get<std::string>()))
                    : fmt::format("a {}", kind);
}

PoseKind pose_of(const JsonReader& body) {
    const std::string pose = body.text("pose");
    for (int k = 0; k < 3; ++k)
        if (pose == kPoses[k]) return static_cast<PoseKind>(k);
    body.refuse("pose", "is " + in_quotes(pose) + ", not none, position or attitude");
}

SceneBody body_of(const Json& json) {
    const std::string owner = owner_of("body", json);
    const JsonReader body(json, owner);
    SceneBody out;
    out.name = body.text("name");
    out.type = body.text("type");
    out.first = static_cast<int>(body.whole("first", 0, kMostValues));
    const Json& coordinates = body.array("coordinates");
    if (coordinates.size() != 2) body.refuse("coordinates", "has not two entries");
    const auto coordinate = [&](std::size_t i) {
        return static_cast<int>(body.whole_of(coordinates[i], "coordinates", 0, kMostValues));
    };
    out.first_coordinate = coordinate(0);
    out.num_coordinates = coordinate(1);
    out.pose = pose_of(body);
    for (const Json& shape : body.array("shapes")) out.shapes.push_back(shape_of(shape, owner));
    out.num_nodes = static_cast<int>(body.whole("nodes", 0, kMostValues));
    for (const Json& line : body.array("lines")) {
        if (!line.is_array() || line.size() != 2) body.refuse("lines", "holds no pairs of nodes");
        const auto end = [&](std::size_t i) {
            return static_cast<std::int32_t>(body.whole_of(line[i], "lines", 0, out.num_nodes - 1));
        };
        out.lines.push_back({end(0), end(1)});
    }
    for (const Json& entry : body.array("channels")) {
        const JsonReader channel(entry, "a channel of " + owner);
        out.channels.push_back({channel.text("name"), channel.text("unit")});
    }
    return out;
}

Json json_of(const SceneMarker& marker) {
    return {{"name", marker.name},
            {"type", marker.type},
            {"first", marker.first},
            {"points", marker.points},
            {"has_force", marker.has_force}};
}

SceneMarker marker_of(const char* kind, const Json& json) {
    const JsonReader marker(json, owner_of(kind, json));
    SceneMarker out;
    out.name = marker.text("name");
    out.type = marker.text("type");
    for (const Json& point : marker.array("points")) {
        if (!point.is_string()) marker.refuse("points", "holds no texts");
        out.points.push_back(point.get<std::string>());
    }
    out.has_force = marker.boolean("has_force");
    out.first = static_cast<int>(marker.whole("first", 0, kMostValues));
    return out;
}

// --- where values lie, counted without overflow

std::int64_t size_of(const SceneBody& body) {
    return body.pose_size() + std::int64_t{6} * body.num_nodes +
           static_cast<std::int64_t>(body.channels.size() * body.lines.size());
}

std::int64_t size_of(const SceneMarker& marker) {
    return 3 * static_cast<std::int64_t>(marker.points.size()) + (marker.has_force ? 3 : 0);
}

/// Every object's values lie in a frame, and no value belongs to two: a small file could else
/// stand for results of any size.
class Layout {
public:
    explicit Layout(const Scene& scene) : num_values_(scene.num_values) {}

    template <class Part>
    void add(const Part& part) {
        const std::int64_t size = size_of(part);
        if (part.first + size > num_values_)
            throw std::invalid_argument(
                fmt::format("values of {} lie outside a frame", in_quotes(part.name)));
        used_ += size;
        if (used_ > num_values_)
            throw std::invalid_argument(
                fmt::format("its objects have more values than the {} of a frame", num_values_));
    }

private:
    std::int64_t num_values_;
    std::int64_t used_ = 0;
};

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
        const Json json = parse_json(text);
        const JsonReader root(json, "the scene");
        if (const std::int64_t format = root.whole("format", 0, kMostValues); format != kFormat)
            throw std::invalid_argument(
                fmt::format("it has format {}, this version reads {}", format, kFormat));
        Scene out;
        out.gravity = root.numbers<3>("gravity");
        out.num_values = static_cast<int>(root.whole("values", 0, kMostValues));
        for (const Json& body : root.array("bodies")) out.bodies.push_back(body_of(body));
        for (const Json& marker : root.array("constraints"))
            out.constraints.push_back(marker_of("constraint", marker));
        for (const Json& marker : root.array("forces"))
            out.forces.push_back(marker_of("force", marker));
        Layout layout(out);
        for (const SceneBody& body : out.bodies) layout.add(body);
        for (const SceneMarker& marker : out.constraints) layout.add(marker);
        for (const SceneMarker& marker : out.forces) layout.add(marker);
        return out;
    } catch (const std::invalid_argument& error) {
        throw Error(ErrorKind::file, fmt::format("this is no scene: {}", error.what()));
    }
}

}  // namespace ancora
