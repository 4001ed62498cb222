// SPDX-License-Identifier: BSD-3-Clause
// Names of types that people bring from textbooks and other programs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ancora {

/// Lines KIND WORD TYPE of usual_names.txt: data, since the kernel knows no plugin.
extern const std::string_view kUsualNames;

/// What to write for the name of a type that there is under another name, or in other letters:
/// "; here it is called ...", or nothing.
/// @param types  of this kind, that there are
std::string hint_at_usual_name(std::string_view kind,
                               std::string_view name,
                               std::span<const std::string> types);

}  // namespace ancora
