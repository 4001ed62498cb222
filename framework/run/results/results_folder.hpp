// SPDX-License-Identifier: BSD-3-Clause
// The folder of a run's results: which files there are the run's, and who may write.
#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "file_writer.hpp"

namespace ancora {

/// An open folder with a list of the files that Ancora made in it.
///
/// The list, `.ancora-results`, is the first file that a run writes, and a file is put down there
/// before it is made. So what a list names was made by a run, or made of its results, and nothing
/// else is ever replaced or removed: neither other files, nor a link in place of a file that is
/// listed. Everything is done in the folder that was opened, wherever its path leads meanwhile; the
/// path itself may be a link.
class ResultsFolder {
public:
    ResultsFolder() = default;
    /// Makes the folder if it is not there, and takes the sole right to write into it, as long as
    /// the object lives; the system gives it back when the process ends, however it ends.
    /// @throws Error (file), also if another run has it. File systems that know no locks are
    /// trusted
    static ResultsFolder for_run(const std::filesystem::path& folder);
    /// The same for a folder that is there; without one has_folder() is false.
    static ResultsFolder for_resume(const std::filesystem::path& folder);
    /// For what is made of results; a run may go on in it.
    /// @throws Error (file) if it is not there
    static ResultsFolder for_views(const std::filesystem::path& folder);
    ~ResultsFolder();
    ResultsFolder(ResultsFolder&& other) noexcept { *this = std::move(other); }
    ResultsFolder& operator=(ResultsFolder&& other) noexcept;

    bool has_folder() const { return descriptor_ >= 0; }
    /// Whether a list tells that these are results.
    bool has_list() const { return has_list_; }
    bool lists(const std::string& name) const { return names_.contains(name); }

    FileAt at(const std::string& name) const { return {descriptor_, path_ / name}; }

    /// Removes what the list names, and begins a new one with files to be made.
    /// @throws Error (file), with nothing removed, if the folder holds other files and no list, or
    ///         other files of these names
    void begin(std::span<const std::string> files);
    /// Removes what the list names, the list, and the folder if it then is empty.
    /// @throws Error (file), as begin()
    void discard();
    /// @throws Error (file) for a file that no list names, or that is a link
    void require_own(const std::string& name) const;
    /// Puts a file down that will be made; does nothing in a folder without a list.
    void add(std::span<const std::string> files);
    void add(const std::string& file) { add({&file, 1}); }
    /// Removes a file that the list names.
    /// @throws Error (file) if it is a link or no file
    void remove(const std::string& name);
    /// Removes what is left of files that a process was killed over.
    void remove_unfinished();

    /// @throws Error (file) if the path leads to another folder, or none, by now
    void require_in_place() const;
    /// Lets other runs write into the folder.
    void unlock();

private:
    explicit ResultsFolder(const std::filesystem::path& folder);
    void lock();
    void read_list();
    void require_results() const;
    [[noreturn]] void refuse_foreign(const std::string& name) const;
    void require_removable(const std::string& name) const;
    bool holds_nothing() const;

    std::filesystem::path path_;      // as given
    std::filesystem::path absolute_;  // when it was opened
    int descriptor_ = -1;
    bool has_list_ = false;
    bool has_cut_line_ = false;  // the list ends in the middle of one
    std::string list_;           // its text as it was read, until something is added
    std::set<std::string> names_;
};

/// A folder in another one, opened for writing.
class SubFolder {
public:
    /// Makes it if it is not there.
    /// @throws Error (file), also if it is a link
    SubFolder(const FileAt& folder);
    ~SubFolder();
    SubFolder(const SubFolder&) = delete;
    SubFolder& operator=(const SubFolder&) = delete;

    FileAt at(const std::string& name) const { return {descriptor_, path_ / name}; }

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

}  // namespace ancora
