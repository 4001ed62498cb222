// SPDX-License-Identifier: BSD-3-Clause
// The rows of a sweep as they come, in files from which a sweep that was killed goes on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "ancora/framework/sweep.hpp"

namespace ancora {

/// A file to which one process adds rows, each in one write and with a checksum.
class SweepJournal {
public:
    /// @throws Error (file)
    explicit SweepJournal(const std::filesystem::path& file);
    ~SweepJournal();
    SweepJournal(const SweepJournal&) = delete;
    SweepJournal& operator=(const SweepJournal&) = delete;

    /// @throws Error (file)
    void add(std::string_view row);

private:
    std::filesystem::path file_;
    int descriptor_ = -1;
};

/// The folder of a sweep: what it belongs to, journals, and the table.
class SweepFolder {
public:
    SweepFolder(const Study& study, std::filesystem::path folder, const std::string& identity);

    /// Makes the folder, or takes one that is empty or holds a sweep: of the same study if its rows
    /// are to be kept, else they are removed.
    /// @throws Error (file), also if the folder holds something else, or another study to go on
    /// with
    void open(bool keeps_rows);
    /// Rows by their case; what is damaged or of no case is left out.
    std::map<std::size_t, std::string> rows() const;
    /// A journal that no process has used yet.
    std::filesystem::path new_journal(std::size_t part, std::size_t number) const;
    /// @throws Error (file)
    void write_table(const std::map<std::size_t, std::string>& rows) const;
    void remove_journals() const;

    std::filesystem::path table() const { return folder_ / "cases.csv"; }
    std::filesystem::path page() const { return folder_ / "study.html"; }
    std::filesystem::path runs() const { return folder_ / "runs"; }

private:
    const Study& study_;
    std::filesystem::path folder_;
    std::string identity_;
};

}  // namespace ancora
