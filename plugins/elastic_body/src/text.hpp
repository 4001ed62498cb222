// SPDX-License-Identifier: BSD-3-Clause
// Numbers in notes and messages.
#pragma once

#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

namespace ancora::elastic {

inline std::string text_of(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", number);
    return buffer;
}

inline std::string hertz(double square) {
    return text_of(std::sqrt(square) / (2.0 * std::numbers::pi));
}

}  // namespace ancora::elastic
