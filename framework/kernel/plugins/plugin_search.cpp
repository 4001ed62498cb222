// SPDX-License-Identifier: BSD-3-Clause
// The search path of plugins, and the error for a missing one.
#include "plugin_search.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "plugin_checks.hpp"
#include "trusted_file.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// --- the installed folder

// Beside the kernel library; a program that the kernel was linked into also has a `lib` beside the
// folder that it is in.
std::vector<fs::path> installed_folders() {
    const fs::path file = own_file();
    if (file.empty()) return {};
    std::vector<fs::path> folders{file.parent_path() / ANCORA_PLUGIN_DIR_FROM_LIB};
    if (file.extension() != ".so" && file.filename().string().find(".so.") == std::string::npos)
        folders.push_back((file.parent_path().parent_path() / "lib") / ANCORA_PLUGIN_DIR_FROM_LIB);
    return folders;
}

// --- contents

// What keeps a folder from being searched, in words for a list; empty if nothing does.
std::string folder_state(const fs::path& folder) {
    std::error_code failed;
    const fs::file_status status = fs::status(folder, failed);
    if (status.type() == fs::file_type::not_found) return "does not exist";
    if (status.type() == fs::file_type::none) return "cannot be read: " + failed.message();
    if (status.type() != fs::file_type::directory) return "is not a folder";
    const fs::directory_iterator contents(folder, failed);
    return failed ? "cannot be read: " + failed.message() : "";
}

// Files FOLDER/NAME.so with a valid name, sorted.
std::vector<fs::path> plugin_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (at->path().extension() == ".so" && is_valid_name(at->path().stem().string()))
            files.push_back(at->path());
    std::sort(files.begin(), files.end());
    return files;
}

fs::path tidy(const fs::path& folder) {
    fs::path path = fs::absolute(folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path();  // no separator at the end
}

}  // namespace

PluginSearch::PluginSearch() : installed_(installed_folders()) {
    // secure_getenv ignores the variable in a program that runs with borrowed privileges
    const char* variable = ::secure_getenv("ANCORA_PLUGIN_PATH");
    std::string_view rest = variable != nullptr ? variable : "";
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        if (colon > 0) from_environment_.push_back(tidy(fs::path(rest.substr(0, colon))));
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
}

void PluginSearch::add_folder(const fs::path& folder) {
    if (!folder.empty()) added_.push_back(tidy(folder));
}

std::vector<fs::path> PluginSearch::folders() const {
    std::vector<fs::path> all;
    for (const auto* part : {&added_, &from_environment_, &installed_})
        for (const fs::path& folder : *part)
            if (std::find(all.begin(), all.end(), folder) == all.end()) all.push_back(folder);
    return all;
}

std::optional<fs::path> PluginSearch::find(const std::string& name) const {
    for (const fs::path& folder : folders()) {
        // a link that leads nowhere counts too: to pass over it would open another plugin
        const fs::path file = folder / (name + ".so");
        std::error_code failed;
        if (fs::exists(fs::symlink_status(file, failed))) return file;
    }
    return std::nullopt;
}

std::vector<fs::path> PluginSearch::list() const {
    std::vector<fs::path> all;
    for (const fs::path& folder : folders()) {
        const std::vector<fs::path> files = plugin_files(folder);
        all.insert(all.end(), files.begin(), files.end());
    }
    return all;
}

std::string PluginSearch::searched() const {
    std::string lines = "\n  searched, in this order:";
    const std::vector<fs::path> all = folders();
    if (all.empty()) lines += " nothing, no folder is known";
    for (const fs::path& folder : all) {
        const std::string state = folder_state(folder);
        lines += "\n    " + folder.string() + (state.empty() ? "" : " (" + state + ")");
    }
    return lines;
}

std::string PluginSearch::not_found(const std::string& name) const {
    std::vector<fs::path> files;
    std::vector<std::string> names;
    for (const fs::path& folder : folders())
        for (const fs::path& file : plugin_files(folder)) {
            files.push_back(file);
            names.push_back(file.stem().string());
        }

    // near misses: a slip of the keys, or the name that a linker would have given the file
    std::string near_miss;
    std::string mend = fmt::format(
        "\n  name the folder that holds {}.so: plugin_dirs = [\"FOLDER\"] in [model], --plugin-dir "
        "FOLDER, or ANCORA_PLUGIN_PATH",
        name);
    const std::string near_name = nearest_name(name, names);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (names[i] != near_name && names[i] != "lib" + name) continue;
        near_miss += "\n    " + files[i].string();
        mend = names[i] == near_name
                   ? fmt::format("\n  write \"{}\" in plugins of [model]", near_name)
                   : fmt::format("\n  rename lib{0}.so to {0}.so", name);
    }
    return fmt::format("plugin \"{}\" was not found{}{}{}{}{}",
                       name,
                       did_you_mean(name, names),
                       searched(),
                       near_miss.empty() ? "" : "\n  found instead:",
                       near_miss,
                       mend);
}

}  // namespace ancora
