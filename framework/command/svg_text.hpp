// SPDX-License-Identifier: BSD-3-Clause
// What pictures of the command share: text within SVG, colours of curves.
#pragma once

#include <array>
#include <string>

namespace ancora::command {

inline constexpr std::array kCurveColors = {
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"};

inline std::string escaped_xml(const std::string& text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    return out;
}

}  // namespace ancora::command
