// SPDX-License-Identifier: BSD-3-Clause
// Text from files made safe to show: what a terminal would obey is written out.
#pragma once

#include <string>
#include <string_view>

#include "ancora/framework/export.hpp"

namespace ancora {

/// The text in UTF-8 with every character that moves a cursor, colours, deletes or reorders as an
/// escape: control characters but line breaks and tabs, and the marks of writing direction, as
/// \u001b; bytes that are no UTF-8 as \xff. What is left alone is returned as it came, so that
/// printable text is printed unchanged.
///
/// Names, values and messages of plugins come from files that others wrote. Error does this to its
/// message, and the `ancora` command to all that it writes.
ANCORA_FRAMEWORK_EXPORT std::string printable(std::string_view text);

ANCORA_FRAMEWORK_EXPORT bool is_utf8(std::string_view text);

}  // namespace ancora
