// SPDX-License-Identifier: BSD-3-Clause
// What a manifest says about plugins and types.
#include "manifest_plugins.hpp"

#include <filesystem>
#include <variant>

#include "expression_scope.hpp"
#include "schema_expressions.hpp"

namespace ancora {
namespace {

// `key` may lead into tables: "mesh.file".
void set_text(Table& table, std::string_view key, const std::string& text) {
    const std::size_t dot = key.find('.');
    Table::Entry* const entry = table.find(key.substr(0, dot));
    if (entry == nullptr) return;  // a default
    if (dot == std::string_view::npos)
        entry->value = Value(text);
    else if (Table* const inner = std::get_if<Table>(&entry->value.data()))
        set_text(*inner, key.substr(dot + 1), text);
}

}  // namespace

std::vector<const Plugin*> load_plugins(const Manifest& manifest, PluginRegistry& registry) {
    for (const PlacedText& folder : manifest.model.plugin_dirs)
        registry.add_folder(plugin_folder(manifest, folder));
    std::vector<const Plugin*> plugins;
    for (const PlacedText& plugin : manifest.model.plugins)
        plugins.push_back(&registry.load(plugin.text, plugin.place));
    return plugins;
}

std::filesystem::path plugin_folder(const Manifest& manifest, const PlacedText& folder) {
    const std::filesystem::path base =
        folder.place.line > 0 ? std::filesystem::path(*folder.place.file) : manifest.file;
    return base.parent_path() / folder.text;
}

const Symbols& symbols_of(const Manifest& manifest, const ExpressionScope* scope) {
    static const NoSymbols kNone;
    if (scope == nullptr) scope = manifest.scope.get();
    return scope != nullptr ? static_cast<const Symbols&>(*scope) : kNone;
}

const Table& with_numbers(const Manifest& manifest,
                          const ExpressionScope* scope,
                          const std::string& label,
                          const Table& parameters,
                          std::span<const Parameter> schema,
                          Table& storage) {
    if (!has_expressions(parameters, schema)) return parameters;
    storage = parameters;
    compute_expressions(label, storage, schema, symbols_of(manifest, scope));
    return storage;
}

void write_whole_paths(Table& parameters, const BoundArguments& arguments) {
    for (const auto& [key, path] : arguments.files())
        set_text(parameters, key, std::filesystem::absolute(path).string());
}

}  // namespace ancora
