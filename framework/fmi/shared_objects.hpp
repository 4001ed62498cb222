// SPDX-License-Identifier: BSD-3-Clause
// Which shared libraries a library needs, and where those of this process lie.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ancora {

/// The DT_NEEDED names of a library's bytes; empty for what is no ELF file of this machine.
std::vector<std::string> needed_by(std::string_view elf);

/// Files of the libraries that this process has loaded, by their file names.
std::map<std::string, std::filesystem::path> loaded_libraries();

/// File of the library that the kernel itself is in.
std::filesystem::path kernel_file();

/// Whether every Linux of this kind has the library: those of C, C++ and the loader.
bool is_of_system(std::string_view name);

}  // namespace ancora
