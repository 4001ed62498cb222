// SPDX-License-Identifier: BSD-3-Clause
// From the tables of a manifest file to a Manifest.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "mistakes.hpp"

namespace ancora {

class ExpressionScope;

/// The tables of a manifest on their way to a Manifest.
struct ManifestTables {
    Table root;
    std::shared_ptr<const ExpressionScope> scope;  ///< of [parameters]; never null
    /// Scopes of the objects that [[generate]] made, the last ones of each list.
    std::map<std::string, std::vector<std::shared_ptr<const ExpressionScope>>> generated;
};

/// How a table of the outermost level is written: [model], or [[body]] for each body.
enum class TableForm { unknown, single, list };

TableForm table_form(std::string_view name);

/// The list in which objects of a heading stand: those of [[joint]] among the constraints.
std::string_view list_of(std::string_view heading);

/// Puts the tables of [[joint]] among those of [[constraint]], in the order of the file, and those
/// of [[generate.joint]] likewise; each keeps a mark of how it was written.
void name_joints(Table& root);

/// The kernel's own keys: of [model], [integrator] (all types), [output], and of every object.
std::span<const Parameter> model_keys();
std::span<const Parameter> integrator_keys();
std::span<const Parameter> output_keys();
std::span<const Parameter> object_keys();

/// A letter or _, then letters, digits, _ or -.
bool may_name_object(std::string_view name);

/// Names that no object may have.
std::span<const std::string_view> reserved_names();

/// The message about a table that has form `unknown`.
std::string unknown_table(std::string_view name);

/// Checks that `root` holds `include`, [parameters], [model], [integrator], [output], [[body]],
/// [[constraint]] or [[joint]], [[force]], [[generate]] and nothing else, each of the right kind.
/// What is wrong is taken out of it.
void check_outline(Table& root, Mistakes& mistakes);

/// Puts what `include` names into `root`, and removes it: lists are joined, included ones first;
/// single tables are merged key by key, in which the including file wins. `file` is that of `root`.
/// @throws Error (file) if one cannot be read; (manifest) for a cycle, and where two included files
/// differ and `root` does not decide
void join_includes(Table& root, const std::filesystem::path& file);

/// Whether "PATH=VALUE", as after --set, is about a parameter: these come before the others.
bool is_about_parameters(const std::string& override_text);

/// Applies "TABLE.KEY=VALUE", as after --set, to a root whose outline is right. What it sets has
/// the override's text for a place.
/// @throws Error (usage) if the override has another form, (manifest) if its table, object or
/// parameter is not there
void apply_override(Table& root, const std::string& override_text, const ExpressionScope& scope);

/// Makes the objects of [[generate]] and removes it.
void generate_objects(ManifestTables& tables, Mistakes& mistakes);

/// Reads tables whose outline is right, moving parameters out of them. `whole` stands for the file
/// where something is missing altogether.
Manifest read_manifest(ManifestTables tables, const Place& whole, Mistakes& mistakes);

}  // namespace ancora
