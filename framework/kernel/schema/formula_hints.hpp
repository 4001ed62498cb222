// SPDX-License-Identifier: BSD-3-Clause
// How people write formulas elsewhere, and how here.
#pragma once

#include <string>
#include <string_view>

namespace ancora {

/// A message about a formula, with what to write at its first line's end where a reader of formulas
/// found what other languages have: 0,5; 5 sin(t); ln(x); 5×t; np.sin(t).
std::string with_formula_hint(std::string message);

}  // namespace ancora
