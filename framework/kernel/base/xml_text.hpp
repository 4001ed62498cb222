// SPDX-License-Identifier: BSD-3-Clause
// Text as XML has it.
#pragma once

#include <string>
#include <string_view>

namespace ancora {

/// Also inside of quotes. XML 1.0 has no place for control characters, not even as references:
/// `control` stands for each.
inline std::string escaped_xml(std::string_view text, char control) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += static_cast<unsigned char>(c) < 0x20 ? control : c;
        }
    }
    return out;
}

}  // namespace ancora
