// SPDX-License-Identifier: BSD-3-Clause
// Columns of a file with many, where a parameter takes a table.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/value.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

/// A value { file = "traj.csv", column = "q3", time = "t" } as rows of numbers.
struct TableFile {
    std::string path;             ///< of the file that was read
    std::vector<double> numbers;  ///< row by row: the argument, then the columns asked for
    int rows = 0;
    std::vector<std::string> names;  ///< of the columns in a row; empty without a heading
    std::vector<std::string> units;  ///< that they are converted from; empty: none told
};

/// For read_table_file(): a map, whose first row has the values of the second argument behind a
/// corner that may be anything.
inline constexpr int kMapColumns = -1;

/// Keys of such a value.
inline const std::vector<std::string> kColumnKeys{
    "file", "column", "columns", "time", "unit", "decimal"};

/// Whether a value has the key `file`, so that it names columns of a file.
bool names_columns(const Table& value);

/// Such a value for a key that makes a law: its columns are the law's value, and what else stands
/// beside them are keys of the law. { file = "traj.csv", column = "q3", interpolation = "rest" }
/// becomes { motion = { file = "traj.csv", column = "q3" }, interpolation = "rest" }.
Table law_of_columns(const Parameter& key, const Table& value, const Place& where);

/// Reads columns of a text file whose cells are separated by tabs, semicolons, commas or blanks.
/// A heading names them, with units behind the names ("q3 [deg]") or in a row of their own; numbers
/// are then converted to SI. Keys of the value:
///
///   file              relative to the folder of the manifest
///   column, columns   a name or a number from 1, or as many as the parameter takes
///   time              the column of the argument: a name or number; "t", "time" or the first
///   unit              of the columns, where the file has none
///   decimal           "," for decimal commas
///
/// @param label    `force "push": force`, for messages
/// @param home     of the file in whose folder a relative name begins
/// @param columns  that a row has, the argument among them; 0: any number; kMapColumns
/// @throws Error (manifest, file) with the place in the manifest, or with line and column of the
///         file
TableFile read_table_file(const std::string& label,
                          const Table& value,
                          const Place& where,
                          const Place& home,
                          int columns);

}  // namespace ancora
