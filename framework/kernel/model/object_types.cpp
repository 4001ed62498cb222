// SPDX-License-Identifier: BSD-3-Clause
// The types of a model's objects, found in the plugins that it opens.
#include "object_types.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "manifest_plugins.hpp"

namespace ancora {

namespace {

std::string label_of(const ObjectSpec& spec) {
    return fmt::format("{} \"{}\"", heading_of(spec), spec.name);
}

}  // namespace

ObjectTypes::ObjectTypes(Model& model, const Manifest& manifest, PluginRegistry& registry)
    : model_(model), registry_(registry) {
    for (const Plugin* const plugin : load_plugins(manifest, registry)) use(*plugin);
}

UsedPlugin& ObjectTypes::use(const Plugin& plugin) {
    std::vector<UsedPlugin>& used = model_.used_plugins;
    const auto known = std::ranges::find(used, &plugin, &UsedPlugin::plugin);
    return known != used.end() ? *known : used.emplace_back(UsedPlugin{&plugin, {}});
}

PluginType ObjectTypes::find(TypeKind kind, const std::string& name, const Place& place) {
    const PluginType found = registry_.find_type(kind, name, place);
    std::vector<const TypeDescriptor*>& types = use(*found.plugin).types;
    if (std::ranges::find(types, found.type) == types.end()) types.push_back(found.type);
    return found;
}

ObjectRef ObjectTypes::refer(TypeKind kind,
                             const std::string& name,
                             const std::string& label,
                             const std::string& type_name,
                             const Place& place,
                             const Place& type_place) {
    const PluginType type = find(kind, type_name, type_place);
    const auto known = std::find(model_.plugins.begin(), model_.plugins.end(), type.plugin);
    const auto index = static_cast<int>(known - model_.plugins.begin());
    if (known == model_.plugins.end()) model_.plugins.push_back(type.plugin);
    return {name, label, type.plugin, type.type, index, place, std::make_shared<ObjectRecord>()};
}

ObjectRef ObjectTypes::refer(const ObjectSpec& spec) {
    return refer(spec.kind, spec.name, label_of(spec), spec.type, spec.place, spec.type_place);
}

}  // namespace ancora
