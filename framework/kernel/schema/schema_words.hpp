// SPDX-License-Identifier: BSD-3-Clause
// A parameter's schema in words, for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acts_on.hpp"
#include "ancora/framework/schema_text.hpp"
#include "ancora/framework/value.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

/// Everything the parameter takes, as it reads after "expected".
inline std::string expected_value(const Parameter& p) {
    return shape_text(p);
}

/// Its texts alone: `"consistent" or "lumped"`, or `a text`.
std::string expected_text(const Parameter& p);

/// Its range alone: `a value >= 0 and < 1 m`.
std::string expected_range(const Parameter& p);

/// Whether arrays given to it hold true and false, which a plugin gets as 1 and 0.
bool is_list_of_booleans(const Parameter& p);

/// "an array of 3 numbers"; 0: any number of them.
std::string array_of_numbers(std::size_t count);

/// `"density" (mass per volume [kg/m^3])`.
std::string described(const Parameter& p);

/// The shape of a value that a plugin has before it.
std::string_view shape_name(Shape shape);

/// The texts that a parameter is limited to; empty: any.
std::vector<std::string> choices_of(const Parameter& p);

bool is_choice(const Parameter& p, std::string_view text);

/// `; did you mean "lumped"?` where the parameter is limited to texts and one is near, else empty.
std::string hint_at_choice(const Parameter& p, std::string_view text);

/// What to write in place of a value that has not the form which the parameter takes, such as
/// `; write it without quotes: [1, 0, 0]`; empty where that is not known.
std::string hint_at_form(const Parameter& p, const Value& value);

/// False for an empty unit and for "-".
bool has_unit(const Parameter& p);
/// "N/m" and "N m/rad" of "N/m or N m/rad"; else the unit itself, which may be empty.
std::vector<std::string_view> unit_alternatives(std::string_view unit);
/// Of two of them that of the measure, where it is known.
std::vector<std::string_view> unit_alternatives(std::string_view unit, ActsOn measure);
/// ", since it acts on an angle" where the measure has chosen one of two; else empty.
const char* why_unit(std::string_view unit, ActsOn measure);
/// "m, N": units of the columns of a matrix, or all that fit.
std::vector<std::string_view> unit_list(std::string_view unit);
/// The unit of a column where each has its own, else that of the parameter.
std::string_view unit_of_column(const Parameter& p, std::size_t column);
/// " N/m", to put behind a number; empty without a unit, or where the measure decides which it is.
std::string unit_behind(const Parameter& p);

}  // namespace ancora
