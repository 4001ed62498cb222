// SPDX-License-Identifier: BSD-3-Clause
// Slips of people who are new to TOML, and what to write.
#pragma once

#include <string>
#include <string_view>

namespace ancora {

/// What is wrong in the line at which a parser of TOML gave up, and how it is written; empty where
/// it is none of the usual slips.
/// @param line_number  from 1
/// @param says         the parser's own words
std::string toml_slip(std::string_view text, std::size_t line_number, std::string_view says);

/// "0.5" of ".5" and "1.0" of "1."; empty where it is no number, or one as TOML has them.
std::string number_as_toml(std::string_view text);

/// Without blanks at its ends.
std::string_view without_blanks(std::string_view text);

/// The line of this number, from 1; empty where there is none.
std::string_view line_of(std::string_view text, std::size_t number);

}  // namespace ancora
