// SPDX-License-Identifier: BSD-3-Clause
// Reads the line that an error is about, and marks it.
#include "diagnostics.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/printable.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShown = 20;             // mistakes
constexpr std::uintmax_t kMostBytes = 64u << 20u;  // of a file that is looked into
constexpr std::size_t kWidest = 100;               // characters of a line that are shown

constexpr std::string_view kRed = "1;31", kMagenta = "1;35", kGreen = "1;32", kBold = "1";

/// Only where somebody sees it, and not where he said that he does not want it (no-color.org).
bool has_colour() {
    static const bool has = [] {
        const char* const no_colour = std::getenv("NO_COLOR");
        const char* const terminal = std::getenv("TERM");
        return ::isatty(STDERR_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
               (terminal == nullptr || std::string_view(terminal) != "dumb");
    }();
    return has;
}

std::string coloured(std::string_view text, std::string_view colour) {
    return has_colour() ? fmt::format("\033[{}m{}\033[0m", colour, text) : std::string(text);
}

/// Text that is printable already, colours and all.
void write_lines(const std::string& text) {
    // Output to a terminal that was closed fails, which is ignored.
    std::fputs((text + '\n').c_str(), stderr);
}

/// Colours the word "error:" or "warning:" and what stands before it.
std::string with_colours(const std::string& text, std::string_view word, std::string_view colour) {
    const std::size_t at = has_colour() ? text.find(word) : std::string::npos;
    if (at == std::string::npos) return text;
    const std::string place = at == 0 ? "" : coloured(text.substr(0, at), kBold);
    return place + coloured(word, colour) + text.substr(at + word.size());
}

/// Bytes of so many characters of UTF-8, or all.
std::size_t bytes_of(std::string_view text, std::size_t characters) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const bool begins = (static_cast<unsigned char>(text[at]) & 0xc0u) != 0x80u;
        if (begins && characters-- == 0) break;
    }
    return at;
}

std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
    }));
}

/// A line of a file without its end; nothing if there is no such file or line.
std::optional<std::string> line_of(const Place& place) {
    if (!place.known() || place.line < 1 || place.column < 1) return {};
    std::error_code error;
    if (!fs::is_regular_file(*place.file, error) || fs::file_size(*place.file, error) > kMostBytes)
        return {};
    std::ifstream in(*place.file, std::ios::binary);
    std::string line;
    for (int k = 0; k < place.line; ++k)
        if (!std::getline(in, line)) return {};
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

/// "  8 | type = "emm"" and a caret below; empty if the line is not there.
std::string excerpt(const Place& place) {
    std::optional<std::string> line = line_of(place);
    if (!line) return {};
    std::ranges::replace(*line, '\t', ' ');
    const std::size_t split = bytes_of(*line, static_cast<std::size_t>(place.column) - 1);
    std::string before = printable(line->substr(0, split));
    std::string after = printable(line->substr(split));
    // A window around the place
    if (const std::size_t width = characters_of(before); width > kWidest / 2)
        before = "..." + before.substr(bytes_of(before, width - kWidest / 2));
    const std::size_t left = kWidest - std::min(kWidest, characters_of(before));
    if (characters_of(after) > left) after = after.substr(0, bytes_of(after, left)) + "...";
    const std::string number = fmt::format("{:5}", place.line);
    return fmt::format("\n{} | {}{}\n{:{}} | {:{}}{}",
                       number,
                       before,
                       after,
                       "",
                       number.size(),
                       "",
                       characters_of(before),
                       coloured("^", kGreen));
}

}  // namespace

void write_error(const Error& error) {
    const auto mistakes = error.mistakes();
    const std::size_t shown = std::min(mistakes.size(), kMostShown);
    for (const Error& mistake : mistakes.first(shown))
        write_lines(with_colours(printable(mistake.what()), "error:", kRed) +
                    excerpt(mistake.place()));
    if (mistakes.size() > shown)
        write_lines(fmt::format("and {} more mistakes", mistakes.size() - shown));
}

void write_warning(const std::string& message) {
    write_lines(with_colours("warning: " + printable(message), "warning:", kMagenta));
}

}  // namespace ancora::command
