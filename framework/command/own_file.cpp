// SPDX-License-Identifier: BSD-3-Clause
#include "own_file.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora::command {

void require_own(const std::filesystem::path& file, const char* mark, const char* what) {
    if (!std::filesystem::exists(file)) return;
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (std::filesystem::is_regular_file(file) && text.find(mark) != std::string::npos) return;
    throw Error(ErrorKind::file, fmt::format("\"{}\" is there and {}", file.string(), what));
}

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream to(file, std::ios::binary | std::ios::trunc);
    to << text;
    to.close();
    if (!to) throw Error(ErrorKind::file, fmt::format("\"{}\" cannot be written", file.string()));
}

}  // namespace ancora::command
