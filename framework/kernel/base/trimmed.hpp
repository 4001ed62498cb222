// SPDX-License-Identifier: BSD-3-Clause
// Texts without the spaces around them.
#pragma once

#include <cstddef>
#include <string_view>

namespace ancora {

inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

}  // namespace ancora
