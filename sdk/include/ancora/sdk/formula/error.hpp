// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a formula, where in its text, and how to show it.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ancora {

/// A formula that cannot be read: what was found, what was expected, the nearest known name.
class FormulaError : public std::invalid_argument {
public:
    /// @param position of the first character concerned, counted from 1; one past the end of the
    ///                 text where something is missing
    FormulaError(std::size_t position, const std::string& message)
        : std::invalid_argument("position " + std::to_string(position) + ": " + message),
          position_(position),
          message_(message) {}

    std::size_t position() const { return position_; }
    /// Without the position, which what() has in front.
    const std::string& message() const { return message_; }

private:
    std::size_t position_;
    std::string message_;
};

/// The line of `text` around a position, and below it a caret; long lines are cut. No newline at
/// the end.
inline std::string formula_excerpt(std::string_view text,
                                   std::size_t position,
                                   std::string_view indent = "    ") {
    constexpr std::size_t kBefore = 50;
    constexpr std::size_t kWidth = 76;
    std::size_t at = std::min(position == 0 ? 0 : position - 1, text.size());
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 = 0
    std::string_view line = text.substr(begin, text.find('\n', at) - begin);
    at -= begin;

    std::string shown;
    if (at > kBefore) {
        const std::size_t cut = at - kBefore;
        line.remove_prefix(cut);
        shown = "...";
        at = kBefore + shown.size();
    }
    shown += line.substr(0, kWidth);
    if (line.size() > kWidth) shown += "...";
    for (char& c : shown)
        if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
    return std::string(indent) + shown + "\n" + std::string(indent) + std::string(at, ' ') + "^";
}

}  // namespace ancora
