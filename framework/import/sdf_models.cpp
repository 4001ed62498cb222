// SPDX-License-Identifier: BSD-3-Clause
// Models in models, and in files that these include.
#include "sdf_models.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "mesh_files.hpp"

namespace ancora::robot {
namespace {

constexpr TagRule kSdf{.attributes = "version", .children = "world model", .unused = "light actor"};
constexpr TagRule kSdfWorld{
    .attributes = "name",
    .children = "model gravity physics include frame joint",
    .unused =
        "light scene gui audio atmosphere magnetic_field plugin state road population actor "
        "spherical_coordinates wind"};
constexpr TagRule kSdfModel{
    .attributes = "name canonical_link placement_frame",
    .children = "link joint frame model include pose static",
    .unused = "plugin gripper self_collide allow_auto_disable enable_wind sensor"};
constexpr int kMostNestedModels = 100;
constexpr int kMostIncluded = 10'000;

}  // namespace

void SdfModels::add_world(pugi::xml_node world) {
    source_.account(world, kSdfWorld);
    for (const pugi::xml_node node : world.children("frame"))
        frames_.add("", source_.required(node, "name"), node, "");
    for (const pugi::xml_node node : world.children("include")) include(node, "", 0, false);
    for (const pugi::xml_node model : world.children("model")) collect(model, "", 0, false);
}

void SdfModels::add_root(pugi::xml_node root) {
    source_.account(root, kSdf);
    for (const pugi::xml_node model : root.children("model")) collect(model, "", 0, false);
}

std::string SdfModels::attached_to(std::string frame) const {
    for (std::set<std::string> seen; attached_.contains(frame) && seen.insert(frame).second;) {
        const std::string& next = attached_.at(frame);
        if (next.empty()) break;
        frame = next;
    }
    return frame;
}

void SdfModels::include(pugi::xml_node node, const std::string& around, int depth, bool is_static) {
    source_.account(node,
                    {.attributes = "merge",
                     .children = "uri name pose static placement_frame",
                     .unused = "plugin"});
    if (depth > kMostNestedModels)
        return source_.wrong(node, nullptr, "models are nested too deeply");
    for (const bool is_merge : {true, false})
        if (is_merge ? source_.boolean(node, "merge", false)
                     : !text_of(node.child("placement_frame")).empty())
            return source_.findings().no_counterpart(
                source_.place(node),
                fmt::format("{} with {}", in_words(node), is_merge ? "merge" : "placement_frame"),
                "put the model here in its place, as \"gz sdf -p FILE\" does");
    const std::string uri = text_of(node.child("uri"));
    if (uri.empty()) return source_.wrong(node, nullptr, "<include> needs a <uri>");
    const auto file = find_sdf_model(uri,
                                     source_.file(node).parent_path(),
                                     source_.place(node.child("uri")),
                                     source_.findings());
    if (!file) return;
    std::error_code ignored;
    const std::string path = std::filesystem::weakly_canonical(*file, ignored).string();
    if (std::ranges::find(including_, path) != including_.end())
        return source_.wrong(node, nullptr, "the file includes itself");
    if (++num_included_ > kMostIncluded)
        return source_.wrong(
            node, nullptr, fmt::format("more than {} files are included", kMostIncluded));
    frames_.check_pose(node);  // where it stands: a copy has no place
    const pugi::xml_node root = source_.load(*file);
    source_.account(root, kSdf);
    const pugi::xml_node model = root.child("model");
    if (!model) return source_.wrong(root, nullptr, "the file that is included has no <model>");
    if (model.next_sibling("model") || root.child("world"))
        source_.wrong(root, nullptr, "the file that is included has more than one <model>");
    pugi::xml_node own = model;
    if (const std::string name = text_of(node.child("name")); !name.empty()) {
        if (!own.attribute("name")) own.append_attribute("name");
        own.attribute("name").set_value(name.c_str());
    }
    for (const char* const part : {"pose", "static"}) {
        if (!node.child(part)) continue;
        while (own.remove_child(part)) {
        }
        own.append_copy(node.child(part));
    }
    including_.push_back(path);
    collect(own, around, depth, is_static);
    including_.pop_back();
}

void SdfModels::collect(pugi::xml_node model,
                        const std::string& around,
                        int depth,
                        bool is_static) {
    if (depth > kMostNestedModels)
        return source_.wrong(model, nullptr, "models are nested too deeply");
    source_.account(model, kSdfModel);
    const std::string name = source_.required(model, "name");
    if (const auto placed = model.attribute("placement_frame"); placed && *placed.value() != '\0')
        source_.findings().no_counterpart(
            source_.place(model), "placement_frame", "give the pose of the model itself");
    frames_.add(around, name, model, around.empty() ? "" : around.substr(0, around.size() - 2));
    const std::string whole = around + name, scope = whole + "::";
    is_static |= model.child("static") && source_.boolean(model.child("static"), nullptr, false);
    models_.push_back({model, scope, is_static});
    for (const pugi::xml_node node : model.children("link"))
        frames_.add(scope, source_.required(node, "name"), node, whole);
    for (const pugi::xml_node node : model.children("joint"))
        frames_.add(scope,
                    source_.required(node, "name"),
                    node,
                    frames_.resolve(scope, text_of(node.child("child"))));
    for (const pugi::xml_node node : model.children("frame")) {
        source_.account(node, {.attributes = "name attached_to", .children = "pose"});
        const std::string base = node.attribute("attached_to").value();
        frames_.add(scope,
                    source_.required(node, "name"),
                    node,
                    base.empty() ? whole : frames_.resolve(scope, base));
        attached_[scope + node.attribute("name").value()] =
            base.empty() ? "" : frames_.resolve(scope, base);
    }
    for (const pugi::xml_node node : model.children("model"))
        collect(node, scope, depth + 1, is_static);
    for (const pugi::xml_node node : model.children("include"))
        include(node, scope, depth + 1, is_static);
}

}  // namespace ancora::robot
