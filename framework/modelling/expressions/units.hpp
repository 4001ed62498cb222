// SPDX-License-Identifier: BSD-3-Clause
// The units that numbers are written in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/export.hpp"
#include "quantity.hpp"

namespace ancora {

/// One unit. x of it are x * factor / divisor in SI: two whole numbers for most, so that "7 mm" is
/// the double nearest to 0.007.
struct Unit {
    double factor = 1.0;
    double divisor = 1.0;
    Dimension dimension;
};

/// A unit by its name, with its prefix: "mm", "GPa", "rpm".
std::optional<Unit> find_unit(std::string_view name);

/// How a unit is written that people write out, or with a digit for its power: "deg" of "degrees",
/// "m^3" of "m3"; empty for all else.
std::string usual_unit(std::string_view name);

/// Names for hints, the common prefixes included.
const std::vector<std::string>& unit_names();

/// The dimension of a schema's unit such as "N s/m", "1/m" or "-"; nothing if it says none or
/// several.
ANCORA_FRAMEWORK_EXPORT std::optional<Dimension> dimension_of(std::string_view unit);

}  // namespace ancora
