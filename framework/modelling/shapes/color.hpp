// SPDX-License-Identifier: BSD-3-Clause
// Colours by the names of the web's style sheets.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ancora {

/// Red, green and blue from 0 to 1.
using Color = std::array<double, 3>;

/// "steelblue", "#4682b4", "#48b"; nothing if it is none of these.
std::optional<Color> read_color(std::string_view text);

/// `; did you mean "NAME"?`, or nothing if no name is near.
std::string nearest_color(std::string_view text);

}  // namespace ancora
