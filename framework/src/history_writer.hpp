// SPDX-License-Identifier: BSD-3-Clause
// history.csv: a header row and rows of finite numbers that round-trip.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "file_writer.hpp"

namespace ancora {

/// Writes a table of numbers as comma-separated values, header cells quoted by RFC 4180.
class HistoryWriter {
public:
    /// Creates the file and writes the header; the first column is time.
    HistoryWriter(std::filesystem::path file, std::vector<std::string> columns);

    /// @throws Error (numerical) that names the column of a value which is not finite
    void write_row(std::span<const double> row);
    /// Brings rows to the file if the last time was a second ago or more.
    void flush_if_old();
    void close() { file_.close(); }

private:
    using Clock = std::chrono::steady_clock;

    std::vector<std::string> columns_;
    FileWriter file_;
    std::string line_;
    Clock::time_point last_flush_;
};

}  // namespace ancora
