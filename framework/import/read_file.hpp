// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ancora::robot {

/// @throws Error (file) "cannot read WHAT: REASON"; pipes, devices and files above 256 MiB are
/// refused
std::string read_file(const std::filesystem::path& file, std::string_view what);

}  // namespace ancora::robot
