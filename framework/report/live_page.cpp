// SPDX-License-Identifier: BSD-3-Clause
#include "ancora/framework/live_page.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "ancora/framework/version.hpp"
#include "expression_scope.hpp"
#include "page_scene.hpp"
#include "page_text.hpp"
#include "results.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

/// Where a track stands in a frame.
Json track_at(int first, int width) {
    return {{"first", first}, {"width", width}};
}

Json live_body(const SceneBody& body) {
    Json out = page_body(body);
    if (body.pose != PoseKind::none) out["position"] = track_at(body.first, 3);
    if (body.pose == PoseKind::attitude) out["quaternion"] = track_at(body.first + 6, 4);
    if (body.num_nodes > 0) out["nodes"] = track_at(body.nodes_at(), 3 * body.num_nodes);
    for (std::size_t c = 0; c < body.channels.size(); ++c) {
        Json data =
            track_at(body.channel_at(static_cast<int>(c)), body.channel_size(static_cast<int>(c)));
        if (body.channels[c].of == ChannelPlace::curves)
            out["curves"] = std::move(data);
        else
            out["channels"].push_back({{"name", body.channels[c].name},
                                       {"unit", body.channels[c].unit},
                                       {"of", page_place(body.channels[c].of)},
                                       {"data", std::move(data)}});
    }
    return out;
}

Json live_marker(const SceneMarker& marker) {
    Json out = page_marker(marker);
    if (!marker.points.empty())
        out["positions"] = track_at(marker.first, 3 * static_cast<int>(marker.points.size()));
    if (marker.has_force) out["force"] = track_at(marker.force_at(), 3);
    if (marker.has_torque) out["torque"] = track_at(marker.torque_at(), 3);
    if (marker.opens) out["holds"] = track_at(marker.holds_at(), 1);
    return out;
}

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string live_page(const std::string& title, const std::string& connect) {
    return page_of(title,
                   {{"format", kPageFormat},
                    {"generator", "Ancora " + std::string(version())},
                    {"live", true}},
                   connect);
}

std::string live_model(const Simulation& simulation) {
    Json columns = Json::array();
    const std::vector<std::pair<std::string, std::string>> units = simulation.column_units();
    for (const std::string& name : simulation.column_names()) {
        std::string unit = unit_of_column(name);
        for (const auto& [column, own] : units)
            if (column == name) unit = own;
        columns.push_back({{"name", name}, {"unit", unit}});
    }
    const Scene& scene = simulation.scene();
    Json bodies = Json::array(), constraints = Json::array(), forces = Json::array();
    for (const SceneBody& body : scene.bodies) bodies.push_back(live_body(body));
    for (const SceneMarker& marker : scene.constraints) constraints.push_back(live_marker(marker));
    for (const SceneMarker& marker : scene.forces) forces.push_back(live_marker(marker));
    Json out = {{"columns", std::move(columns)},
                {"width", scene.num_values},
                {"scene",
                 {{"bodies", std::move(bodies)},
                  {"constraints", std::move(constraints)},
                  {"forces", std::move(forces)}}}};
    add_still_parts(out["scene"], scene);
    return text_of(out);
}

std::vector<NumberParameter> number_parameters(const Manifest& manifest) {
    std::vector<NumberParameter> out;
    if (manifest.scope == nullptr) return out;
    for (const ExpressionScope::Definition& one : manifest.scope->parameters()) {
        if (one.is_array || one.values.size() != 1) continue;
        const Quantity& number = one.values.front();
        const bool has_unit = number.knowledge == Knowledge::unit && !number.dimension.is_none();
        out.push_back({one.name, number.value, has_unit ? to_text(number.dimension) : ""});
    }
    return out;
}

}  // namespace ancora
