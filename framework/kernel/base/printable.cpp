// SPDX-License-Identifier: BSD-3-Clause
// Walks over UTF-8 and writes out what is not for reading.
#include "ancora/framework/printable.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace ancora {
namespace {

// Smallest code point that needs a UTF-8 sequence of so many bytes.
constexpr std::uint32_t kSmallestCodes[] = {0, 0, 0x80, 0x800, 0x10000};

/// The character at the begin of a text and its bytes; no bytes if it is no UTF-8.
struct Character {
    std::uint32_t code = 0;
    std::size_t length = 0;
};

Character first_of(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80             ? 1
                               : (lead & 0xe0) == 0xc0 ? 2
                               : (lead & 0xf0) == 0xe0 ? 3
                               : (lead & 0xf8) == 0xf0 ? 4
                                                       : 0;
    if (length == 0 || length > text.size()) return {};
    std::uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
        const auto next = static_cast<unsigned char>(text[k]);
        if ((next & 0xc0) != 0x80) return {};
        code = code << 6 | (next & 0x3fu);
    }
    // longer than need be, half of a UTF-16 pair, or beyond Unicode
    if (code < kSmallestCodes[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
        return {};
    return {code, length};
}

bool is_obeyed(std::uint32_t code) {
    if (code == '\n' || code == '\t') return false;
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool is_line_break = code == 0x2028 || code == 0x2029;
    // Marks, embeddings, overrides and isolates of direction make text read as another.
    const bool turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return is_control || is_line_break || turns;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto [code, length] = first_of(text);
        if (length == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        else if (is_obeyed(code))
            out += fmt::format("\\u{:04x}", code);
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = first_of(text).length;
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string escaped(std::string_view text) {
    std::string line;
    for (const char c : printable(text)) {
        if (c == '\n')
            line += "\\n";
        else if (c == '\t')
            line += "\\t";
        else
            line += c;
    }
    return line;
}

}  // namespace ancora
