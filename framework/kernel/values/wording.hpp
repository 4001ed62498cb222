// SPDX-License-Identifier: BSD-3-Clause
// Pieces of messages: quoted names, lists, hints, and values in words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/value.hpp"
#include "escaped.hpp"

namespace ancora {

/// The text in quotes, escaped, and shortened if it is long.
std::string in_quotes(std::string_view text);

/// "A", "A or B", "A, B or C".
std::string alternatives(std::span<const std::string> phrases);

/// `; did you mean "NAME"?` with the nearest of `names`; without a near one `; WHAT: A, B, C`, and
/// nothing if `names` is empty.
std::string hint(std::string_view name, std::span<const std::string> names, std::string_view what);

/// A value as it reads after "got": `2.5`, `"abc"`, `an array of 3 numbers`, `a table`.
std::string in_words(const Value& value);

}  // namespace ancora
