// SPDX-License-Identifier: BSD-3-Clause
// Files that formulas name: table("road.csv", x), table("map.csv", x, y).
#pragma once

#include <string>

#include "ancora/framework/value.hpp"

namespace ancora {

/// Whether a text names a file in `table("road.csv", ...)`.
bool has_table_files(const Table& values);

/// Puts rows in the place of names, `table([[0, 1], [2, 5]], ...)`. A column is chosen by a second
/// text, table("road.csv", "height", x); headings, units and separators are those of a table of
/// many columns (table_file). A table of two arguments, table("map.csv", x, y), becomes a sum of
/// products of such tables, bilinear between the values f_ik of the file's rows x_i and columns
/// y_k,
///
///   sum_k f_k(x) h_k(y),   h_k(y_k) = 1, h_k(y_j) = 0                                    (1)
///
/// or the other way round where there are fewer rows.
/// @param label  `force "push"`, for messages
/// @param home   of the file in whose folder a relative name begins, where a value does not say
/// @throws Error (manifest, file)
void read_table_files(const std::string& label, Table& values, const Place& home);

}  // namespace ancora
