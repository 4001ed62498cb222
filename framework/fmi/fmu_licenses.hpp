// SPDX-License-Identifier: BSD-3-Clause
// The licences of what an FMU holds.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ancora::fmu {

/// Files of documentation/licenses: license.txt, where one begins to read, and a text each of
/// Ancora, of what is compiled into it, and of the libraries beside it.
/// @param folder     where the texts are, by the names of components and of libraries without ".so"
/// @param libraries  file names, "libz.so.1"
/// @returns names and contents
/// @throws Error (file) if a text of Ancora or of what is in it is missing; a library that is
///         unknown here is said to be so in license.txt
std::vector<std::pair<std::string, std::string>> license_files(
    const std::filesystem::path& folder, const std::vector<std::string>& libraries);

}  // namespace ancora::fmu
