// SPDX-License-Identifier: BSD-3-Clause
// Aligned text and numbers for people, and the one way to standard output.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ancora::command {

/// Rows of left-aligned cells; each column is as wide as its widest cell.
class TextTable {
public:
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// An empty line.
    void add_gap() { rows_.emplace_back(); }

    /// The table, each line indented.
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

/// "1.5 kg": six significant digits and a unit.
std::string quantity(double value, std::string_view unit);
/// "[1, 2, 3] m".
std::string quantity(const std::array<double, 3>& value, std::string_view unit);
/// "1.5 s", "20 us": a time with the prefix that suits it.
std::string duration(double seconds);

/// Keeps standard output for write_out() alone: what plugins print goes to standard error from here
/// on, and spoils no document.
void claim_output();
/// Gives it back to this process, which is about to become another program.
void give_back_output();
/// Writes to standard output and makes sure it arrived; a reader that went away is no error. What a
/// terminal would obey goes out as an escape, see printable().
/// @throws Error (file)
void write_out(std::string_view text);
/// Writes a line to standard error, likewise printable.
void write_note(std::string_view text);

}  // namespace ancora::command
