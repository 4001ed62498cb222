// SPDX-License-Identifier: BSD-3-Clause
// Paths as they may stand in what is sent to others.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ancora {

/// A path that says nothing about the machine or its user: as it was given if it leads downwards
/// from the current folder, else its last name.
std::string shown_path(const std::filesystem::path& path);

/// A text, such as a message, with each absolute path in it cut to its last name.
std::string without_folders(std::string_view text);

}  // namespace ancora
