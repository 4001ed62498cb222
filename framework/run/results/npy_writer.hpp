// SPDX-License-Identifier: BSD-3-Clause
// Tables of numbers in NumPy's format, which grows with a run and can be read at any time.
#pragma once

#include <cstdint>
#include <string>

#include "file_writer.hpp"

namespace ancora {

/// Writes a matrix of doubles, row by row: an `.npy` file, version 1.0, C order.
///
/// The header says how many rows there are, and is brought up to date after the rows have been
/// written. So a program that dies at any moment leaves a file that readers take, with the rows up
/// to the last flush(); bytes behind them are ignored. If a write fails, for example because the
/// disk is full, the header gets the number of whole rows that fitted.
class NpyWriter {
public:
    /// Creates the file.
    NpyWriter(FileAt file, std::size_t columns);
    /// Goes on behind the first `rows` rows of a file with as many columns.
    /// @throws Error (file) if it is another file
    NpyWriter(FileAt file, std::size_t columns, std::uint64_t rows);

    void write_row(const double* row);
    std::uint64_t rows() const { return rows_; }
    void flush();
    /// Brings all rows to the disk.
    void sync();
    /// Of all rows, in the file that has its name.
    void close();

private:
    std::string header() const;
    void write(void (FileWriter::*what)());
    void count_what_fitted() noexcept;

    std::size_t columns_;
    std::uint64_t rows_ = 0;
    FileWriter file_;
};

}  // namespace ancora
