// SPDX-License-Identifier: BSD-3-Clause
// Files that formulas name: table("road.csv", x).
#pragma once

#include <string>

#include "ancora/framework/value.hpp"

namespace ancora {

/// Whether a text names a file in `table("road.csv", ...)`.
bool has_table_files(const Table& values);

/// Puts rows in the place of names, `table([[0, 1], [2, 5]], ...)`. A column is chosen by a second
/// text, table("road.csv", "height", x); headings, units and separators are those of a table of
/// many columns (table_file).
/// @param label  `force "push"`, for messages
/// @param home   of the file in whose folder a relative name begins, where a value does not say
/// @throws Error (manifest, file)
void read_table_files(const std::string& label, Table& values, const Place& home);

}  // namespace ancora
