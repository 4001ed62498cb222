// SPDX-License-Identifier: BSD-3-Clause
// A parameter's schema in words: the same in messages, in `ancora describe` and in the reference.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

/// One phrase for each kind of value that the parameter takes: `a number`, `an array of 3 numbers`,
/// `"lumped"`.
ANCORA_FRAMEWORK_EXPORT std::vector<std::string> shape_texts(const Parameter& p);

/// The phrases in one: `a number, "same" or an array of 3 numbers`.
ANCORA_FRAMEWORK_EXPORT std::string shape_text(const Parameter& p);

/// The range of its numbers without their unit: `>= 0 and < 1`; empty: any. Infinity is a matter of
/// Parameter::may_be_infinite and not named here.
ANCORA_FRAMEWORK_EXPORT std::string range_text(const Parameter& p);

}  // namespace ancora
