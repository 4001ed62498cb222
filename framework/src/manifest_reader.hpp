// SPDX-License-Identifier: BSD-3-Clause
// From the tables of a manifest file to a Manifest.
#pragma once

#include "ancora/framework/manifest.hpp"

namespace ancora {

/// How a table of the outermost level is written: [model], or [[body]] for each body.
enum class TableForm { unknown, single, list };

TableForm table_form(std::string_view name);

/// The message about a table that has form `unknown`.
std::string unknown_table(std::string_view name);

/// Checks that `root` holds [model], [integrator], [output], [[body]], [[constraint]], [[force]]
/// and nothing else, each of the right kind.
/// @throws Error (manifest)
void check_outline(const Table& root);

/// Applies "TABLE.KEY=VALUE", as after --set, to a root whose outline is right. What it sets has
/// the override's text for a place.
/// @throws Error (usage) if the override has another form, (manifest) if its table or object is
/// not there
void apply_override(Table& root, const std::string& override_text);

/// Reads a root whose outline is right, moving parameters out of it. `whole` stands for the file
/// where something is missing altogether.
/// @throws Error (manifest)
Manifest read_manifest(Table root, const Place& whole);

}  // namespace ancora
