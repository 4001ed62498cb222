// SPDX-License-Identifier: BSD-3-Clause
// Files of an FMU, and what its resources/variables.txt says.
#pragma once

#include <filesystem>
#include <string>

#include "fmu_variables.hpp"

namespace ancora::fmu {

/// @throws Error (file) if it cannot be read
std::string read_file(const std::filesystem::path& file);
/// @throws Error (file) if it is damaged, or not of an FMU of Ancora
Description read_description(const std::filesystem::path& file);

}  // namespace ancora::fmu
