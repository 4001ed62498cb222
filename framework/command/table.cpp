// SPDX-License-Identifier: BSD-3-Clause
// Layout of tables and numbers.
#include "table.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/printable.hpp"

namespace ancora::command {

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        // The last cell of a row is followed by nothing, so it may be longer than its column.
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::size_t width = i + 1 < row.size() ? widths[i] : 0;
            text += fmt::format("  {:<{}}", row[i], width);
        }
        text += '\n';
    }
    return text;
}

std::string quantity(double value, std::string_view unit) {
    // Adding zero turns -0 into 0.
    return fmt::format("{:.6g}{}{}", value + 0.0, unit.empty() ? "" : " ", unit);
}

std::string quantity(const std::array<double, 3>& value, std::string_view unit) {
    return fmt::format(
        "[{:.6g}, {:.6g}, {:.6g}] {}", value[0] + 0.0, value[1] + 0.0, value[2] + 0.0, unit);
}

std::string duration(double seconds) {
    if (seconds >= 1.0 || seconds <= 0.0) return fmt::format("{:.4g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.4g} ms", 1e3 * seconds);
    return fmt::format("{:.4g} us", 1e6 * seconds);
}

namespace {
std::FILE* claimed = nullptr;
}  // namespace

void claim_output() {
    const int own = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (own < 0) return;  // closed: there is nothing to keep
    claimed = ::fdopen(own, "w");
    if (claimed != nullptr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

void give_back_output() {
    if (claimed != nullptr) ::dup2(::fileno(claimed), STDOUT_FILENO);
}

void write_out(std::string_view text) {
    std::FILE* const out = claimed != nullptr ? claimed : stdout;
    // Escapes are JSON's and TOML's too, so that a document stays the same document.
    const std::string shown = printable(text);
    // Long texts are written at once, and there is nothing left to flush.
    const bool is_written =
        std::fwrite(shown.data(), 1, shown.size(), out) == shown.size() && std::fflush(out) == 0;
    if (!is_written && errno != EPIPE)
        throw Error(ErrorKind::file,
                    fmt::format("cannot write to standard output: {}",
                                std::generic_category().message(errno)));
}

void write_note(std::string_view text) {
    // Output to a terminal that was closed fails, which is ignored.
    std::fputs((std::string(printable(text)) + '\n').c_str(), stderr);
}

}  // namespace ancora::command
