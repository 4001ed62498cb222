// SPDX-License-Identifier: BSD-3-Clause
// history.csv: a header row and rows of finite numbers that round-trip.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "file_writer.hpp"

namespace ancora {

/// Writes a table of numbers as comma-separated values, header cells quoted by RFC 4180.
class HistoryWriter {
public:
    /// Creates the file and writes the header; the first column is time.
    HistoryWriter(FileAt file, std::vector<std::string> columns);
    /// Goes on behind the first `size` bytes of a file with the same columns, of which `check` sees
    /// the times of the rows [s].
    /// @throws Error (file) if it has others, or no row ends there
    HistoryWriter(FileAt file,
                  std::vector<std::string> columns,
                  std::uint64_t size,
                  const std::function<void(std::span<const double>)>& check);

    /// @throws Error (numerical) that names the column of a value which is not finite
    void write_row(std::span<const double> row);
    /// Brings rows to the file if the last time was a second ago or more.
    /// @returns whether it did
    bool flush_if_old();
    /// Brings all rows to the disk.
    /// @returns the bytes of the file
    std::uint64_t settle() {
        file_.sync();
        return file_.size();
    }
    /// Bytes of the file, with those that are not written yet.
    std::uint64_t size() const { return file_.size(); }
    /// Of all rows, in the file that has its name.
    void close();

private:
    using Clock = std::chrono::steady_clock;

    std::string header() const;

    std::vector<std::string> columns_;
    FileWriter file_;
    std::string line_;
    Clock::time_point last_flush_;
};

}  // namespace ancora
