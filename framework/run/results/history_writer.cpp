// SPDX-License-Identifier: BSD-3-Clause
// Formats the rows of history.csv.
#include "history_writer.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

// Enough for every double to be read back as the same one.
constexpr int kSignificantDigits = 17;

void append_quoted(std::string_view cell, std::string& line) {
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
        line += cell;
        return;
    }
    line += '"';
    for (const char c : cell) {
        if (c == '"') line += '"';
        line += c;
    }
    line += '"';
}

/// Times of the rows from one byte to another, which begin with them [s].
std::vector<double> times_between(const FileWriter::Reader& read,
                                  std::uint64_t begin,
                                  std::uint64_t end) {
    constexpr std::uint64_t kPart = 1 << 20;
    std::vector<double> times;
    std::string text;  // not yet a row
    for (std::uint64_t at = begin; at < end; at += kPart) {
        text += read(at, static_cast<std::size_t>(std::min(kPart, end - at)));
        std::size_t row = 0;
        for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', row)) {
            double time = std::numeric_limits<double>::quiet_NaN();
            std::from_chars(text.data() + row, text.data() + i, time);
            times.push_back(time);
            row = i + 1;
        }
        text.erase(0, row);
    }
    return times;
}

void append_number(double x, std::string& line) {
    char digits[32];
    const auto [end, error] = std::to_chars(
        std::begin(digits), std::end(digits), x, std::chars_format::general, kSignificantDigits);
    assert(error == std::errc());
    line.append(digits, end);
}

}  // namespace

HistoryWriter::HistoryWriter(FileAt file, std::vector<std::string> columns)
    : columns_(std::move(columns)), file_(std::move(file)), last_flush_(Clock::now()) {
    file_.append(header());
    file_.flush();
}

HistoryWriter::HistoryWriter(FileAt file,
                             std::vector<std::string> columns,
                             std::uint64_t size,
                             const std::function<void(std::span<const double>)>& check)
    : columns_(std::move(columns)),
      // Looked at first: a file of another run must not be cut.
      file_(file,
            size,
            [&](const FileWriter::Reader& read) {
                const auto refuse = [&](const char* why) {
                    throw Error(ErrorKind::file, fmt::format("\"{}\" {}", file.path.string(), why));
                };
                const std::string first = header();
                if (read(0, first.size()) != first) refuse("has other columns than this run");
                // Nothing is read behind the end, which is refused with the number of bytes.
                if (size < first.size() || read(size - 1, 1).find_first_not_of('\n') == 0)
                    refuse("does not fit the checkpoint: no row ends where the run was");
                if (!read(size - 1, 1).empty()) check(times_between(read, first.size(), size));
            }),
      last_flush_(Clock::now()) {}

std::string HistoryWriter::header() const {
    std::string line;
    for (const std::string& column : columns_) {
        if (!line.empty()) line += ',';
        append_quoted(column, line);
    }
    return line + '\n';
}

void HistoryWriter::write_row(std::span<const double> row) {
    assert(row.size() == columns_.size());
    line_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (!std::isfinite(row[i]))
            throw Error(ErrorKind::numerical,
                        fmt::format("t = {} s: \"{}\" is {}", row[0], columns_[i], row[i]));
        if (i > 0) line_ += ',';
        append_number(row[i], line_);
    }
    line_ += '\n';
    file_.append(line_);
}

void HistoryWriter::close() {
    file_.flush();
    file_.require_in_place();
    file_.close();
}

bool HistoryWriter::flush_if_old() {
    if (!file_.has_unwritten()) return false;
    const auto now = Clock::now();
    if (now - last_flush_ < std::chrono::seconds(1)) return false;
    last_flush_ = now;
    file_.flush();
    return true;
}

}  // namespace ancora
