// SPDX-License-Identifier: BSD-3-Clause
// Writes settings and parameters as TOML values.
#include "model_identity.hpp"

#include <fmt/format.h>

#include "expression_scope.hpp"
#include "toml_writer.hpp"

namespace ancora {

Identity model_identity(const Manifest& manifest, std::span<const InputFile> files) {
    Identity out;
    const auto add = [&](std::string key, std::string value) {
        out.emplace_back(std::move(key), std::move(value));
    };
    const auto add_table = [&](const std::string& prefix, const Table& table) {
        for (const Table::Entry& entry : table.entries())
            add(prefix + toml_key(entry.key), toml_value(entry.value));
    };
    for (const InputFile& input : files)
        if (!input.is_of_look) add("content of " + input.key, "SHA-256 " + input.sha256);
    add("model.gravity", toml_numbers(manifest.model.gravity));
    add("model.project_start",
        manifest.model.project_start == ProjectStart::no     ? "false"
        : manifest.model.project_start == ProjectStart::near ? "true"
                                                             : "far");
    if (manifest.model.start == ModelStart::equilibrium) add("model.start", "equilibrium");
    if (manifest.model.start == ModelStart::steady_spin) add("model.start", "steady_spin");
    if (manifest.model.has_impacts_in_turn) add("model.impacts", "in_turn");
    if (manifest.scope)
        for (const ExpressionScope::Definition& parameter : manifest.scope->parameters()) {
            if (!parameter.was_used) continue;
            std::vector<double> values;
            for (const Quantity& x : parameter.values) values.push_back(x.value);
            add("parameters." + parameter.name,
                parameter.is_array ? toml_numbers(values) : toml_number(values.front()));
        }
    for (const auto* const objects : {&manifest.bodies, &manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *objects) {
            const std::string name = fmt::format("{}.{}.", to_text(spec.kind), spec.name);
            add(name + "type", spec.type);
            if (spec.scope) add(name + "for", spec.scope->indices_text());
            add_table(name, spec.parameters);
        }
    const IntegratorSettings& integrator = manifest.integrator;
    add("integrator.type", integrator.type);
    add("integrator.step", toml_number(integrator.step));
    if (integrator.tolerance) add("integrator.tolerance", toml_number(*integrator.tolerance));
    if (const auto own = integrator.own.find(integrator.type); own != integrator.own.end())
        add_table(fmt::format("integrator.{}.", integrator.type), own->second);
    return out;
}

}  // namespace ancora
