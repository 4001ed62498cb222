// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 of a file.
#pragma once

#include <filesystem>
#include <string>

namespace ancora {

/// SHA-256 of the file's bytes, 64 hexadecimal digits.
/// @throws std::system_error if it cannot be read
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace ancora
