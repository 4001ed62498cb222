// SPDX-License-Identifier: BSD-3-Clause
// Files that parameters name.
#pragma once

#include <string>
#include <string_view>

#include "ancora/framework/error.hpp"

namespace ancora {

/// A file's name where it stands.
struct NamedFile {
    std::string label;  ///< `body "net": mesh.file`, for messages
    std::string name;
    Place where;                  ///< of the value, for messages
    Place home;                   ///< of the file in whose folder a relative name begins
    bool may_be_formula = false;  ///< formulas are allowed too, as an array
    int num_formulas = 0;         ///< so many; 0: any number
};

/// Where a formula or a file may stand: "speed.csv" is a file.
bool looks_like_file(std::string_view text);

/// The path of a file that is there and can be read.
/// @throws Error (file)
std::string find_file(const NamedFile& file);

}  // namespace ancora
