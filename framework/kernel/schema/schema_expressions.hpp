// SPDX-License-Identifier: BSD-3-Clause
// Expressions where a schema wants numbers.
#pragma once

#include <span>
#include <string>

#include "acts_on.hpp"
#include "ancora/framework/value.hpp"
#include "ancora/sdk/parameter.hpp"
#include "symbols.hpp"

namespace ancora {

/// Whether strings stand in `values` where `schema` wants numbers.
bool has_expressions(const Table& values, std::span<const Parameter> schema);

/// Puts numbers in the place of expressions. A string is one where the schema takes numbers and
/// does not take that text: any text, an attachment, a name or a file stays what it is, and so does
/// an array that begins with a text where the schema takes texts. What fits neither is left for
/// BoundArguments to refuse.
///
/// A value with a unit must have the dimension of the parameter's unit, if that has one; of two,
/// that of the measure, or either where the measure is unknown.
///
/// @param owner  the object in messages, as for BoundArguments
/// @throws Error (manifest)
void compute_expressions(const std::string& owner,
                         Table& values,
                         std::span<const Parameter> schema,
                         const Symbols& symbols,
                         ActsOn measure = ActsOn::unknown);

}  // namespace ancora
