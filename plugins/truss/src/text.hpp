// SPDX-License-Identifier: BSD-3-Clause
// Pieces of messages: numbers, quoted names and ranges of node numbers as text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace ancora::truss {

inline std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}

inline std::string quoted(std::string_view name) {
    return '"' + std::string(name) + '"';
}

/// "0 to 4"
inline std::string node_range(std::int32_t num_nodes) {
    return "0 to " + std::to_string(num_nodes - 1);
}

}  // namespace ancora::truss
