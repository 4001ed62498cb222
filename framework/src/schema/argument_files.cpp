// SPDX-License-Identifier: BSD-3-Clause
// Files that parameters name.
#include "argument_files.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "wording.hpp"

namespace ancora {
namespace {

// Of a file that a parameter names: a table of a motion, a mesh. Lines and columns stay countable.
constexpr std::uintmax_t kMostInputBytes = std::uintmax_t{1} << 30;

}  // namespace

std::string find_file(const NamedFile& file) {
    namespace fs = std::filesystem;
    fs::path path = file.name;
    if (path.is_relative() && file.home.known())
        path = fs::path(*file.home.file).parent_path() / path;
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::file,
                    fmt::format("{}: {} {}", file.label, in_quotes(path.string()), why),
                    file.where);
    };
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
        std::string why = "does not exist";
        if (path.is_absolute() && !fs::path(file.name).is_absolute())
            why += "; a relative path begins at the manifest's folder";
        // "0.1*t" where formulas are allowed too
        if (file.may_be_formula) why += "; a text alone names a file, formulas stand in an array";
        refuse(why);
    }
    if (fs::is_directory(status)) refuse("is a folder, not a file");
    // A device may never end.
    if (!fs::is_regular_file(status)) refuse("is no regular file");
    if (const std::uintmax_t size = fs::file_size(path, error); !error && size > kMostInputBytes)
        refuse(fmt::format("has {} bytes, more than the {} that are read", size, kMostInputBytes));
    if (!std::ifstream(path)) refuse("cannot be read");
    return path.string();
}

}  // namespace ancora
