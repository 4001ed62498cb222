// SPDX-License-Identifier: BSD-3-Clause
// What pictures that the command writes share: text within SVG, colours of curves, axes with round
// numbers.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace ancora::command {

inline constexpr std::array kCurveColors = {
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f"};

std::string escaped_xml(const std::string& text);

/// From values to places between two ends.
struct Ruler {
    double low, high, from, to;
    double at(double x) const { return from + (to - from) * (x - low) / (high - low); }
    /// Round numbers, some five of them.
    std::vector<double> ticks() const;
};

/// See require_own().
/// @throws Error (usage) if the file's ending is not .svg
void require_own_svg(const std::filesystem::path& file, const char* mark, const char* of);
/// The begin of a picture up to its title.
std::string svg_head(double width, double height, const char* mark, const std::string& title);

}  // namespace ancora::command
