// SPDX-License-Identifier: BSD-3-Clause
// Where plugins are looked for, and which of the places are trusted.
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
    void allow_unchecked_folders(bool allow) { allows_unchecked_ = allow; }
    std::vector<std::filesystem::path> folders() const;

    /// A file of the search path.
    struct Candidate {
        std::filesystem::path file;
        std::string problem;  ///< why it is not to be opened; as in OpenedPlugin
    };
    /// The file of the plugin `name`, whether it may be opened or not.
    std::optional<Candidate> find(const std::string& name) const;
    /// All files that look like plugins, by folder, sorted by name within a folder.
    std::vector<Candidate> list() const;
    /// A file that need not be on the search path; the same checks.
    Candidate inspect(const std::filesystem::path& file) const;

    /// Text for a plugin that is not on the search path.
    std::string not_found(const std::string& name) const;
    /// The folders in order, one per line, each with what is wrong with it.
    std::string searched() const;

private:
    std::vector<std::filesystem::path> added_;
    std::vector<std::filesystem::path> from_environment_;
    std::vector<std::filesystem::path> installed_;
    bool allows_unchecked_ = false;
};

}  // namespace ancora
