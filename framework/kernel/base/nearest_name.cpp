// SPDX-License-Identifier: BSD-3-Clause
// Guesses which name was meant.
#include "ancora/framework/nearest_name.hpp"

#include "ancora/sdk/formula/nearest_name.hpp"
#include "escaped.hpp"

namespace ancora {

std::string nearest_name(std::string_view name, std::span<const std::string> names) {
    return detail::nearest_of(name, names);
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
    const std::string nearest = nearest_name(name, names);
    return nearest.empty() ? "" : "; did you mean \"" + escaped(nearest) + "\"?";
}

}  // namespace ancora
