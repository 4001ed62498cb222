// SPDX-License-Identifier: BSD-3-Clause
// Reads the units behind a number: "N s/m", "kg/(m s^2)".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "ancora/sdk/formula/scanner.hpp"
#include "symbols.hpp"
#include "units.hpp"

namespace ancora {

/// The part of an expression's reader that reads units, see evaluate().
class UnitReader : protected detail::FormulaScanner {
protected:
    UnitReader(std::string_view text, const Symbols& symbols)
        : FormulaScanner(text, {"expression"}), symbols_(symbols) {}
    ~UnitReader() = default;

    double number();
    /// Whether a letter, or the other sign for micro, follows.
    bool unit_begins() const { return is_unit_letter(at_); }
    /// One unit or several, as far as they go.
    Unit unit();

    const Symbols& symbols_;

private:
    bool is_unit_letter(std::size_t at) const;
    std::string_view unit_word();
    /// "(s^2 kg)" behind a unit and "/" or "*"; nothing if what is in brackets is no unit.
    std::optional<Unit> unit_group();
    /// Whether the word behind "*" or "/" goes on with a unit.
    bool names_unit();
    Unit unit_factor();
    /// Skips space only if `c` follows it.
    void skip_space_before(char c);
};

}  // namespace ancora
