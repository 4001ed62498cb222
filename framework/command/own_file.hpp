// SPDX-License-Identifier: BSD-3-Clause
// Files that the command writes: none is replaced that is another's.
#pragma once

#include <filesystem>
#include <string>

namespace ancora::command {

/// @param mark  what a file of this kind holds
/// @param what  "is no picture of a fit; remove it, or name another file"
/// @throws Error (file) if the file is there and has no mark
void require_own(const std::filesystem::path& file, const char* mark, const char* what);
/// @throws Error (file) if it cannot be written
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace ancora::command
