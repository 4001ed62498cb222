// SPDX-License-Identifier: BSD-3-Clause
// Reads the kit's own data.
#include "reference_systems.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

// As Debian has it, and as CMake's target says.
#ifndef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 0
#endif
#ifndef TOML_SHARED_LIB
#define TOML_SHARED_LIB 1
#endif
#include <toml++/toml.h>

#include "ancora/framework/manifest.hpp"

namespace ancora::verify {

extern const char* const kReferenceText;

namespace {

constexpr double kStep = 1e-3;

const toml::table& document() {
    static const toml::table table = toml::parse(std::string_view(kReferenceText));
    return table;
}

template <class T>
T value(const toml::node_view<const toml::node>& node, const char* what) {
    if (const auto found = node.value<T>()) return *found;
    throw std::logic_error(fmt::format("reference_systems.toml: {} is missing", what));
}

std::array<double, 3> vector(const toml::node_view<const toml::node>& node, const char* what) {
    return {
        value<double>(node[0], what), value<double>(node[1], what), value<double>(node[2], what)};
}

std::string with(std::string text, const std::string& key, const std::string& number) {
    const std::string mark = "{" + key + "}";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
        text.replace(at, mark.size(), number);
    return text;
}

std::string text_of(const std::array<double, 3>& x) {
    return fmt::format("[{}, {}, {}]", x[0], x[1], x[2]);
}

Manifest manifest_of(const ReferenceSystem& system) {
    return Manifest::parse(system.model + "[integrator]\ntype = \"any\"\nstep = 1.0\nend = 1.0\n",
                           system.name);
}

std::vector<const ObjectSpec*> objects_of(const Manifest& manifest) {
    std::vector<const ObjectSpec*> all;
    for (const auto* const specs : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *specs) all.push_back(&spec);
    return all;
}

void find(PluginRegistry& registry, TypeKind kind, const std::string& name) {
    try {
        registry.find_type(kind, name);
    } catch (const Error&) {  // who needs it reports it
    }
}

}  // namespace

void load_reference_types(PluginRegistry& registry) {
    for (const ReferenceIntegrator& one : reference_integrators())
        find(registry, TypeKind::integrator, one.type);
    std::string model = "[model]\n";
    for (const char* const name : {"a", "b"}) {
        const ReferenceBody body = reference_body(name);
        model += body.placed(body.at, body.axis);
    }
    for (const std::string& name : reference_constraints()) model += reference_constraint(name);
    std::vector<ReferenceSystem> systems;
    ReferenceSystem& bodies = systems.emplace_back();
    bodies.name = "bodies";
    bodies.model = model + reference_joint();
    if (const toml::table* const all = document()["exact"].as_table())
        for (const auto& [key, node] : *all)
            systems.push_back(reference_system(std::string(key.str())));
    for (const ReferenceSystem& system : systems) {
        const Manifest manifest = manifest_of(system);
        for (const ObjectSpec* const spec : objects_of(manifest))
            find(registry, spec->kind, spec->type);
    }
}

std::vector<ReferenceIntegrator> reference_integrators() {
    std::vector<ReferenceIntegrator> out;
    const toml::array* const all = document()["integrator"].as_array();
    if (all == nullptr) throw std::logic_error("reference_systems.toml has no integrator");
    for (const toml::node& entry : *all) {
        const toml::node_view<const toml::node> node(entry);
        out.push_back({value<std::string>(node["type"], "type"),
                       value<std::string>(node["face"], "face") == "discrete",
                       node["step"].value_or(kStep)});
    }
    return out;
}

double reference_step(const std::string& integrator) {
    for (const ReferenceIntegrator& one : reference_integrators())
        if (one.type == integrator) return one.step;
    return kStep;
}

std::string ReferenceBody::placed(const std::array<double, 3>& its_at,
                                  const std::array<double, 3>& its_axis) const {
    return with(with(model, "at", text_of(its_at)), "axis", text_of(its_axis));
}

ReferenceBody reference_body(const std::string& name) {
    const auto node = document()["body"][name];
    return {vector(node["at"], "at"),
            vector(node["axis"], "axis"),
            value<std::string>(node["model"], "model")};
}

std::vector<std::string> reference_constraints() {
    std::vector<std::string> names;
    if (const toml::table* const all = document()["constraint"].as_table())
        for (const auto& [name, node] : *all) names.emplace_back(name.str());
    return names;
}

std::string reference_constraint(const std::string& name) {
    return value<std::string>(document()["constraint"][name]["model"], "constraint");
}

std::string reference_joint() {
    return value<std::string>(document()["integrated"]["joint"], "joint");
}

std::string reference_free_body() {
    return value<std::string>(document()["integrated"]["free"], "free");
}

std::string ReferenceSystem::types() const {
    const Manifest manifest = manifest_of(*this);
    std::vector<std::string> names;
    for (const ObjectSpec* const spec : objects_of(manifest)) names.push_back(spec->type);
    return fmt::format("{}", fmt::join(names, " and "));
}

bool ReferenceSystem::is_there(PluginRegistry& registry) const {
    const Manifest manifest = manifest_of(*this);
    for (const ObjectSpec* const spec : objects_of(manifest)) {
        try {
            registry.find_type(spec->kind, spec->type);
        } catch (const Error&) {
            return false;
        }
    }
    return true;
}

ReferenceSystem reference_system(const std::string& key) {
    const auto node = document()["exact"][key];
    ReferenceSystem out;
    out.name = node["name"].value_or(key);
    out.model = value<std::string>(node["model"], "model");
    out.point = value<std::string>(node["point"], "point");
    out.end = value<double>(node["end"], "end");
    if (const toml::table* const numbers = node["numbers"].as_table())
        for (const auto& [name, number] : *numbers) {
            const std::string text(name.str());
            out.numbers[text] = number.value<double>().value();
            // shortest text that is the number
            const std::string shortest = fmt::format("{}", out.numbers[text]);
            out.model = with(out.model, text, shortest);
            out.point = with(out.point, text, shortest);
        }
    return out;
}

}  // namespace ancora::verify
