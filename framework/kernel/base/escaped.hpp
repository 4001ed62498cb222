// SPDX-License-Identifier: BSD-3-Clause
// Text of others inside a line of a message.
#pragma once

#include <string>
#include <string_view>

namespace ancora {

/// As printable(), and on one line: line breaks and tabs as escapes too.
std::string escaped(std::string_view text);

}  // namespace ancora
