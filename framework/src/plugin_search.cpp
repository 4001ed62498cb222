// SPDX-License-Identifier: BSD-3-Clause
// The search path of plugins, the check of who may write to it, and the error for a missing one.
#include "plugin_search.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ancora/framework/manifest.hpp"
#include "plugin_checks.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// --- the installed folder

// Path of the library or program that this code was linked into; empty if it has none.
fs::path own_file() {
    Dl_info own = {};
    if (::dladdr(reinterpret_cast<const void*>(&own_file), &own) == 0) return {};

    // For the program itself dladdr gives argv[0], which may be anything.
    Dl_info program = {};
    const auto header = static_cast<std::uintptr_t>(::getauxval(AT_PHDR));
    const bool is_program = ::dladdr(reinterpret_cast<const void*>(header), &program) != 0 &&
                            program.dli_fbase == own.dli_fbase;
    std::error_code failed;
    return fs::canonical(is_program ? "/proc/self/exe" : own.dli_fname, failed);
}

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

// --- who may write

std::string mode_and_owner(const struct stat& s) {
    return fmt::format(
        "mode {:04o}, owner uid {}, group gid {}", s.st_mode & 07777u, s.st_uid, s.st_gid);
}

bool is_group_of_ours(gid_t group) {
    if (group == ::getegid()) return true;
    const int size = ::getgroups(0, nullptr);
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(size, 0)));
    if (size <= 0 || ::getgroups(size, groups.data()) < 0) return false;
    return std::find(groups.begin(), groups.end(), group) != groups.end();
}

// Why code from this path might be somebody else's; empty if it may be trusted.
std::string find_distrust(const fs::path& path, const char* what) {
    constexpr const char* kOrAllow = "or allow it with unchecked_plugin_dirs = true in [model]";
    struct stat s = {};
    if (::stat(path.c_str(), &s) != 0)
        return fmt::format("cannot be opened: {}", std::generic_category().message(errno));

    if (s.st_uid != 0 && s.st_uid != ::geteuid())
        return fmt::format(
            "is refused: the {} \"{}\" belongs neither to root nor to the user of "
            "this program, uid {} ({}); change its owner with chown, {}",
            what,
            path.string(),
            ::geteuid(),
            mode_and_owner(s),
            kOrAllow);
    const bool world_writes = (s.st_mode & S_IWOTH) != 0;
    const bool group_writes =
        (s.st_mode & S_IWGRP) != 0 && s.st_gid != 0 && !is_group_of_ours(s.st_gid);
    if (world_writes || group_writes)
        return fmt::format(
            "is refused: others may write to the {} \"{}\" ({}); mend it with chmod "
            "go-w \"{}\", {}",
            what,
            path.string(),
            mode_and_owner(s),
            path.string(),
            kOrAllow);
    return {};
}

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

PluginSearch::Candidate PluginSearch::inspect(const fs::path& file) const {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed))
        return {file, failed ? "cannot be opened: " + failed.message() : "is not a file"};
    if (allows_unchecked_) return {file, ""};
    std::string problem = find_distrust(file.parent_path(), "folder");
    if (problem.empty()) problem = find_distrust(file, "file");
    return {file, std::move(problem)};
}

std::optional<PluginSearch::Candidate> PluginSearch::find(const std::string& name) const {
    for (const fs::path& folder : folders()) {
        // a link that leads nowhere counts too: to pass over it would open another plugin
        const fs::path file = folder / (name + ".so");
        std::error_code failed;
        if (fs::exists(fs::symlink_status(file, failed))) return inspect(file);
    }
    return std::nullopt;
}

std::vector<PluginSearch::Candidate> PluginSearch::list() const {
    std::vector<Candidate> all;
    for (const fs::path& folder : folders())
        for (const fs::path& file : plugin_files(folder)) all.push_back(inspect(file));
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
    const std::string guess =
        near_name.empty() ? "" : fmt::format("; did you mean \"{}\"?", near_name);
    return fmt::format("plugin \"{}\" was not found{}{}{}{}{}",
                       name,
                       guess,
                       searched(),
                       near_miss.empty() ? "" : "\n  found instead:",
                       near_miss,
                       mend);
}

}  // namespace ancora
