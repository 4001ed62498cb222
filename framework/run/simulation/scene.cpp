// SPDX-License-Identifier: BSD-3-Clause
// A scene as JSON, so that whoever reads frames knows what their numbers are.
#include "ancora/framework/scene.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "bounded_json.hpp"
#include "shape_json.hpp"
#include "traps_off.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

// Of a frame, so that they and the two numbers before them can be counted.
constexpr std::int64_t kMostValues = std::numeric_limits<int>::max() - 2;

constexpr const char* kPlaces[] = {"lines", "nodes", "triangles", "curves"};

constexpr const char* kPoses[] = {"none", "position", "attitude"};

SceneShape shape_of(const JsonReader& shape, int num_meshes) {
    const std::string kind = shape.text("kind");
    if (kind == "box")
        return Box{
            shape.numbers<3>("size"), shape.numbers<3>("center"), shape.numbers<4>("quaternion")};
    if (kind == "sphere") return Sphere{shape.number("radius"), shape.numbers<3>("center")};
    if (kind == "cylinder")
        return Cylinder{shape.number("radius"), shape.numbers<3>("from"), shape.numbers<3>("to")};
    if (kind == "capsule")
        return Capsule{shape.number("radius"), shape.numbers<3>("from"), shape.numbers<3>("to")};
    if (kind == "mesh")
        return MeshShape{static_cast<int>(shape.whole("mesh", 0, num_meshes - 1)),
                         shape.numbers<3>("scale"),
                         shape.numbers<3>("center"),
                         shape.numbers<4>("quaternion")};
    throw std::invalid_argument(fmt::format("there is no shape {}", in_quotes(kind)));
}

Json json_of(const SceneSolid& solid) {
    Json out = json_of(solid.shape);
    if (solid.color) out["color"] = *solid.color;
    if (solid.opacity != 1.0) out["opacity"] = solid.opacity;
    return out;
}

SceneSolid solid_of(const Json& json, const std::string& owner, int num_meshes) {
    const JsonReader shape(json, "a shape of " + owner);
    SceneSolid out;
    out.shape = shape_of(shape, num_meshes);
    if (json.contains("color")) out.color = shape.numbers<3>("color");
    if (json.contains("opacity")) out.opacity = shape.number("opacity");
    return out;
}

Json json_of(const SceneFrame& frame) {
    return {{"name", frame.name}, {"position", frame.position}, {"quaternion", frame.quaternion}};
}

/// Entries of a list that older scenes do not have.
const Json& list_of(const Json& json, const JsonReader& reader, const char* key) {
    static const Json kNone = Json::array();
    return json.contains(key) ? reader.array(key) : kNone;
}

bool flag_of(const Json& json, const JsonReader& reader, const char* key) {
    return json.contains(key) && reader.boolean(key);
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
    for (const SceneSolid& solid : body.shapes) out["shapes"].push_back(json_of(solid));
    if (body.is_skeleton) out["skeleton"] = true;
    if (body.is_hidden) out["hidden"] = true;
    for (const SceneFrame& frame : body.frames) out["frames"].push_back(json_of(frame));
    if (!body.triangles.empty()) out["triangles"] = body.triangles;
    for (const SceneOutline& outline : body.outlines)
        out["outlines"].push_back({{"points", outline.points}, {"hole", outline.hole}});
    if (!body.outlines.empty()) out["line_outlines"] = body.line_outlines;
    for (const SceneChannel& channel : body.channels) {
        Json entry = {{"name", channel.name}, {"unit", channel.unit}};
        if (channel.of != ChannelPlace::lines) entry["of"] = kPlaces[static_cast<int>(channel.of)];
        out["channels"].push_back(std::move(entry));
    }
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

ChannelPlace place_of(const JsonReader& channel) {
    const std::string of = channel.text("of");
    for (int k = 0; k < 4; ++k)
        if (of == kPlaces[k]) return static_cast<ChannelPlace>(k);
    channel.refuse("of", "is " + in_quotes(of) + ", not lines, nodes, triangles or curves");
}

/// Numbers of nodes, a few for each line or triangle.
template <std::size_t n>
std::vector<std::array<std::int32_t, n>> corners_of(const Json& list,
                                                    const JsonReader& body,
                                                    const char* key,
                                                    int num_nodes) {
    std::vector<std::array<std::int32_t, n>> out;
    for (const Json& entry : list) {
        if (!entry.is_array() || entry.size() != n)
            body.refuse(key, fmt::format("holds what is no {} nodes", n));
        std::array<std::int32_t, n> corners{};
        for (std::size_t i = 0; i < n; ++i)
            corners[i] = static_cast<std::int32_t>(body.whole_of(entry[i], key, 0, num_nodes - 1));
        out.push_back(corners);
    }
    return out;
}

SceneOutline outline_of(const Json& json, const std::string& owner) {
    const JsonReader outline(json, "an outline of " + owner);
    SceneOutline out;
    out.hole = outline.number("hole");
    for (const Json& point : outline.array("points")) {
        const Json entry = {{"point", point}};
        out.points.push_back(JsonReader(entry, "an outline of " + owner).numbers<2>("point"));
    }
    if (out.points.size() < 3) outline.refuse("points", "are fewer than three");
    return out;
}

/// Outlines of one body have as many points, and its lines know theirs.
void read_outlines(const Json& json,
                   const JsonReader& body,
                   const std::string& owner,
                   SceneBody& out) {
    for (const Json& entry : list_of(json, body, "outlines")) {
        out.outlines.push_back(outline_of(entry, owner));
        if (out.outlines.back().points.size() != out.outlines.front().points.size())
            body.refuse("outlines", "have not all as many points");
    }
    if (out.outlines.empty()) return;
    out.line_outlines = corners_of<2>(
        body.array("line_outlines"), body, "line_outlines", static_cast<int>(out.outlines.size()));
    if (out.line_outlines.size() != out.lines.size())
        body.refuse("line_outlines", "are not as many as the lines");
}

SceneBody body_of(const Json& json, int num_meshes) {
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
    for (const Json& shape : body.array("shapes"))
        out.shapes.push_back(solid_of(shape, owner, num_meshes));
    out.is_skeleton = flag_of(json, body, "skeleton");
    out.is_hidden = flag_of(json, body, "hidden");
    for (const Json& entry : list_of(json, body, "frames")) {
        const JsonReader frame(entry, "a frame of " + owner);
        out.frames.push_back(
            {frame.text("name"), frame.numbers<3>("position"), frame.numbers<4>("quaternion")});
    }
    out.num_nodes = static_cast<int>(body.whole("nodes", 0, kMostValues));
    out.lines = corners_of<2>(body.array("lines"), body, "lines", out.num_nodes);
    out.triangles =
        corners_of<3>(list_of(json, body, "triangles"), body, "triangles", out.num_nodes);
    read_outlines(json, body, owner, out);
    for (const Json& entry : body.array("channels")) {
        const JsonReader channel(entry, "a channel of " + owner);
        out.channels.push_back({channel.text("name"), channel.text("unit")});
        if (entry.contains("of")) out.channels.back().of = place_of(channel);
    }
    return out;
}

Json json_of(const SceneMarker& marker) {
    Json out = {{"name", marker.name},
                {"type", marker.type},
                {"first", marker.first},
                {"points", marker.points},
                {"has_force", marker.has_force}};
    if (marker.has_torque) out["has_torque"] = true;
    if (marker.opens) out["opens"] = true;
    return out;
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
    out.has_torque = flag_of(json, marker, "has_torque");
    out.opens = flag_of(json, marker, "opens");
    out.first = static_cast<int>(marker.whole("first", 0, kMostValues));
    return out;
}

// --- joints and springs

Json json_of(const ScenePoint& point) {
    return {{"body", point.body}, {"position", point.position}};
}

Json json_of(const SceneJoint& joint) {
    return {{"name", joint.name},
            {"kind", joint.kind},
            {"a", json_of(joint.a)},
            {"b", json_of(joint.b)},
            {"axes_a", joint.axes_a},
            {"axes_b", joint.axes_b}};
}

Json json_of(const SceneSpring& spring) {
    return {{"name", spring.name}, {"a", json_of(spring.a)}, {"b", json_of(spring.b)}};
}

/// A point of a body that can move it with itself.
ScenePoint point_of(const JsonReader& owner,
                    const char* key,
                    const std::vector<SceneBody>& bodies) {
    const JsonReader point(owner.at(key), fmt::format("\"{}\"", key));
    const auto most = static_cast<std::int64_t>(bodies.size()) - 1;
    ScenePoint out;
    out.body = static_cast<int>(point.whole("body", -1, most));
    if (out.body >= 0 && bodies[out.body].pose == PoseKind::none)
        owner.refuse(key, "is of a body without a pose");
    out.position = point.numbers<3>("position");
    return out;
}

std::vector<std::array<double, 3>> axes_of(const JsonReader& joint, const char* key) {
    std::vector<std::array<double, 3>> out;
    for (const Json& axis : joint.array(key)) {
        const Json entry = {{"axis", axis}};
        out.push_back(JsonReader(entry, fmt::format("\"{}\"", key)).numbers<3>("axis"));
    }
    return out;
}

SceneJoint joint_of(const Json& json, const std::vector<SceneBody>& bodies) {
    const JsonReader joint(json, owner_of("joint", json));
    return {joint.text("name"),
            joint.text("kind"),
            point_of(joint, "a", bodies),
            point_of(joint, "b", bodies),
            axes_of(joint, "axes_a"),
            axes_of(joint, "axes_b")};
}

SceneSpring spring_of(const Json& json, const std::vector<SceneBody>& bodies) {
    const JsonReader spring(json, owner_of("spring", json));
    return {spring.text("name"), point_of(spring, "a", bodies), point_of(spring, "b", bodies)};
}

// --- meshes

/// The shortest text of a single-precision number is short as a double too.
double shortest(float x) {
    const std::string text = fmt::format("{}", x);
    double out = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

Json json_of(const TriangleMesh& mesh) {
    Json points = Json::array(), triangles = Json::array();
    for (const auto& point : mesh.points)
        for (const float x : point) points.push_back(shortest(x));
    for (const auto& triangle : mesh.triangles)
        for (const std::int32_t corner : triangle) triangles.push_back(corner);
    return {
        {"name", mesh.name}, {"points", std::move(points)}, {"triangles", std::move(triangles)}};
}

TriangleMesh mesh_of(const Json& json) {
    const JsonReader mesh(json, owner_of("mesh", json));
    TriangleMesh out;
    out.name = mesh.text("name");
    const Json& points = mesh.array("points");
    const Json& triangles = mesh.array("triangles");
    if (points.size() % 3 != 0) mesh.refuse("points", "has not three numbers for each");
    if (triangles.size() % 3 != 0) mesh.refuse("triangles", "has not three corners for each");
    out.points.resize(points.size() / 3);
    out.triangles.resize(triangles.size() / 3);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x = points[i].is_number() ? points[i].get<double>() : std::nan("");
        out.points[i / 3][i % 3] = static_cast<float>(x);
        if (!std::isfinite(out.points[i / 3][i % 3]))
            mesh.refuse("points", "holds what is no number of single precision");
    }
    const auto most = static_cast<std::int64_t>(out.points.size()) - 1;
    for (std::size_t i = 0; i < triangles.size(); ++i)
        out.triangles[i / 3][i % 3] =
            static_cast<std::int32_t>(mesh.whole_of(triangles[i], "triangles", 0, most));
    return out;
}

// --- where values lie, counted without overflow

std::int64_t size_of(const SceneBody& body) {
    std::int64_t size = body.pose_size() + std::int64_t{6} * body.num_nodes;
    for (std::size_t c = 0; c < body.channels.size(); ++c)
        size += body.channel_size(static_cast<int>(c));
    return size;
}

std::int64_t size_of(const SceneMarker& marker) {
    return 3 * static_cast<std::int64_t>(marker.points.size()) + (marker.has_force ? 3 : 0) +
           (marker.has_torque ? 3 : 0) + (marker.opens ? 1 : 0);
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
    for (const SceneJoint& joint : scene.joints) out["joints"].push_back(json_of(joint));
    for (const SceneSpring& spring : scene.springs) out["springs"].push_back(json_of(spring));
    for (const TriangleMesh& mesh : scene.meshes) out["meshes"].push_back(json_of(mesh));
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
        for (const Json& mesh : list_of(json, root, "meshes")) out.meshes.push_back(mesh_of(mesh));
        const auto num_meshes = static_cast<int>(out.meshes.size());
        for (const Json& body : root.array("bodies"))
            out.bodies.push_back(body_of(body, num_meshes));
        for (const Json& marker : root.array("constraints"))
            out.constraints.push_back(marker_of("constraint", marker));
        for (const Json& marker : root.array("forces"))
            out.forces.push_back(marker_of("force", marker));
        for (const Json& joint : list_of(json, root, "joints"))
            out.joints.push_back(joint_of(joint, out.bodies));
        for (const Json& spring : list_of(json, root, "springs"))
            out.springs.push_back(spring_of(spring, out.bodies));
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
