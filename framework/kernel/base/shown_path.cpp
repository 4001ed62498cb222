// SPDX-License-Identifier: BSD-3-Clause
// Finds absolute paths in texts by what stands around them.
#include "shown_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ancora {
namespace {

namespace fs = std::filesystem;

fs::path home_folder() {
    const char* const home = std::getenv("HOME");
    fs::path out = home != nullptr ? fs::path(home).lexically_normal() : fs::path();
    if (!out.has_filename()) out = out.parent_path();
    return out.is_absolute() && out.has_filename() ? out : fs::path();
}

bool is_below(const fs::path& path, const fs::path& folder) {
    return std::ranges::mismatch(folder, path).in1 == folder.end();
}

std::string last_name(const fs::path& path) {
    const fs::path normal = path.lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

/// Whether a path may begin behind this character: "1/2", "m/s", "</b>" and "http://" are none.
bool opens(char c) {
    return std::string_view(" \t\n\"'`([{=,;:|").find(c) != std::string_view::npos;
}

}  // namespace

std::string shown_path(const fs::path& path) {
    const bool goes_up = std::ranges::find(path, fs::path("..")) != path.end();
    if (path.is_absolute() || goes_up) return last_name(path);
    // From a folder above the user's own, a relative path names the user, too.
    std::error_code error;
    const fs::path here = fs::current_path(error), home = home_folder();
    if (!error && !home.empty() && home != here && is_below(home, here) &&
        is_below((here / path).lexically_normal(), home))
        return last_name(path);
    return path.string();
}

std::string without_folders(std::string_view text) {
    std::string out;
    const std::string home = home_folder().string();
    for (std::size_t i = 0; i < text.size();) {
        const bool begins = text[i] == '/' && (i == 0 || opens(text[i - 1])) &&
                            i + 1 < text.size() && text[i + 1] != '/' && text[i + 1] != ' ' &&
                            text[i + 1] != '\n';
        if (!begins) {
            out += text[i++];
            continue;
        }
        // In quotes it goes on to the next one; else to what cannot be part of it, if it is not in
        // a home folder with a space.
        const bool is_quoted = i > 0 && (text[i - 1] == '"' || text[i - 1] == '\'');
        std::size_t from = i;
        if (!home.empty() && text.substr(i).starts_with(home)) from += home.size();
        std::size_t end = is_quoted ? text.find(text[i - 1], i)
                                    : text.find_first_of(" \t\n\"'`()[]{}<>,;|", from);
        end = std::min(end, text.size());
        std::string_view path = text.substr(i, end - i);
        while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
        out += path.substr(path.rfind('/') + 1);
        i = end;
    }
    return out;
}

}  // namespace ancora
