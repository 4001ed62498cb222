// SPDX-License-Identifier: BSD-3-Clause
// Keys and tables that people know by other words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ancora {

/// Lines WORD: WORDS OF OTHERS of usual_words.txt: data, since the kernel knows no plugin.
extern const std::string_view kUsualWords;

/// What is called `name` in textbooks and other programs, among `names`; empty if nothing is.
std::string_view usual_word(std::string_view name, std::span<const std::string> names);

}  // namespace ancora
