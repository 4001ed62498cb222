// SPDX-License-Identifier: BSD-3-Clause
// Runs the checks of a plugin in child processes that may crash, hang or eat memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ancora::verify {

inline constexpr std::uint64_t kDefaultSeed = 1;
inline constexpr double kPatience = 10.0;

struct Settings {
    std::string plugin;  ///< a name on the search path, or a file
    std::vector<std::filesystem::path> plugin_dirs;
    bool unchecked_plugin_dirs = false;  ///< see PluginRegistry::allow_unchecked_folders
    std::uint64_t seed = kDefaultSeed;
    std::string check;  ///< this one only; empty: all
    /// Processor time that one check may take [s]. A check that waits for something may take
    /// kPatience times as much by the clock, so that a busy machine ends none.
    double seconds = 10.0;
    std::uint64_t memory = 1024;  ///< address space of the child [MiB]
    std::filesystem::path probe;  ///< library that counts allocations
};

enum class Status { passed, failed, skipped };
constexpr const char* to_text(Status status) {
    constexpr const char* kTexts[] = {"pass", "FAIL", "skipped"};
    return kTexts[static_cast<int>(status)];
}

struct Result {
    std::string kind;  ///< of the type; empty for the plugin as a whole
    std::string type;
    std::string check;
    Status status = Status::skipped;
    std::string reason;  ///< of a failure or a skipped check, or a remark
    double seconds = 0.0;
};

struct Report {
    std::string name;  ///< of the plugin; empty if it did not open
    std::string version;
    std::string file;
    std::vector<Result> results;

    bool passed() const {
        return std::ranges::none_of(results, [](const Result& result) {
            return result.status == Status::failed;
        });
    }
};

/// Makes the checks, each in a child process that is started anew after one that died.
/// @throws Error (plugin) if there is no such plugin, (internal) if no child can be started
Report verify(const Settings& settings);

/// The child's side: `arguments` are what the parent wrote behind the hidden command.
int run_child(const std::vector<std::string>& arguments);
/// The hidden command of the program that is given to run_child().
inline constexpr const char* kChildCommand = "verify-in-child";

}  // namespace ancora::verify
