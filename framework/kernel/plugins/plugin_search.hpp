// SPDX-License-Identifier: BSD-3-Clause
// Where plugins are looked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ancora {

/// The folders of the search path in order: added ones, those of ANCORA_PLUGIN_PATH (read at
/// construction), and the installed plugin folder, which lies beside the kernel library. The
/// plugin NAME is the first FOLDER/NAME.so.
class PluginSearch {
public:
    PluginSearch();

    /// A relative folder is taken from the current directory of now; an empty one is ignored.
    void add_folder(const std::filesystem::path& folder);
    std::vector<std::filesystem::path> folders() const;

    /// The file of the plugin `name`.
    std::optional<std::filesystem::path> find(const std::string& name) const;
    /// All files that look like plugins, by folder, sorted by name within a folder.
    std::vector<std::filesystem::path> list() const;

    /// Text for a plugin that is not on the search path.
    std::string not_found(const std::string& name) const;
    /// The folders in order, one per line, each with what is wrong with it.
    std::string searched() const;

private:
    std::vector<std::filesystem::path> added_;
    std::vector<std::filesystem::path> from_environment_;
    std::vector<std::filesystem::path> installed_;
};

}  // namespace ancora
