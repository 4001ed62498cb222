// SPDX-License-Identifier: BSD-3-Clause
// Files that parameters name.
#include "argument_files.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "wording.hpp"

namespace ancora {
namespace {

// Of a file that a parameter names: a table of a motion, a mesh. Lines and columns stay countable.
constexpr std::uintmax_t kMostInputBytes = std::uintmax_t{1} << 30;

/// "0.1*t" and "sin(t)", but not "push.csv" nor "tables/push".
bool looks_like_formula(std::string_view text) {
    const auto is_part = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_.+-*/^(), ").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!std::ranges::all_of(text, is_part)) return false;
    // A name of a file has letters behind its last dot, or nothing that computes.
    const std::size_t dot = text.rfind('.');
    const bool has_ending = dot != std::string_view::npos && dot + 1 < text.size() &&
                            std::isalpha(static_cast<unsigned char>(text[dot + 1])) != 0;
    const bool computes =
        text == "t" || text.find_first_of("*+^(") != std::string_view::npos ||
        (text.find('t') != std::string_view::npos && text.find_first_of("0123456789") == 0);
    const bool is_number = text.find_first_not_of("0123456789.+-eE ") == std::string_view::npos;
    return !has_ending && (computes || is_number);
}

/// ["0.1*t", "0", "0"]
std::string in_array(std::string_view formula, int count) {
    std::string out = fmt::format("[\"{}\"", formula);
    for (int i = 1; i < count; ++i) out += ", \"0\"";
    return out + ']';
}

}  // namespace

bool looks_like_file(std::string_view text) {
    return std::ranges::any_of(
        std::initializer_list<std::string_view>{
            ".csv", ".txt", ".dat", ".tsv", ".xlsx", ".xls", ".ods"},
        [&](std::string_view extension) {
            return text.ends_with(extension);
        });
}

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
        if (file.may_be_formula && looks_like_formula(file.name))
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: {} is one formula; {} stand in an array, one for each "
                                    "component: {}",
                                    file.label,
                                    in_quotes(file.name),
                                    file.num_formulas > 1 ? fmt::format("{}", file.num_formulas)
                                                          : "formulas",
                                    in_array(file.name, file.num_formulas)),
                        file.where);
        std::string why = "does not exist";
        if (path.is_absolute() && !fs::path(file.name).is_absolute())
            why += "; a relative path begins at the manifest's folder";
        // "0.1*t" where formulas are allowed too
        if (file.may_be_formula) why += "; a text alone names a file, formulas stand in an array";
        refuse(why);
    }
    for (const char* const ending : {".xlsx", ".xls", ".ods"})
        if (file.name.ends_with(ending)) refuse("is a workbook; save its sheet as CSV");
    if (fs::is_directory(status)) refuse("is a folder, not a file");
    // A device may never end.
    if (!fs::is_regular_file(status)) refuse("is no regular file");
    if (const std::uintmax_t size = fs::file_size(path, error); !error && size > kMostInputBytes)
        refuse(fmt::format("has {} bytes, more than the {} that are read", size, kMostInputBytes));
    if (!std::ifstream(path)) refuse("cannot be read");
    return path.string();
}

}  // namespace ancora
