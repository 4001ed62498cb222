// SPDX-License-Identifier: BSD-3-Clause
// The names that an expression may use.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantity.hpp"

namespace ancora {

/// What a name stands for: a number, an array of them, or rows of as many numbers each.
struct Symbol {
    std::span<const Quantity> values;
    bool is_array = false;
    std::size_t columns = 0;     ///< of rows; 0 where it has none
    std::string_view text = {};  ///< of a name in a list of [[generate]]; its number is its place
    std::span<const std::string> texts =
        {};  ///< of an array of names; its numbers are their places
};

/// The names that an expression may use.
class Symbols {
public:
    virtual ~Symbols() = default;
    /// Nothing (no values, no array) if the name is not known.
    virtual Symbol find(std::string_view name) const = 0;
    /// The same without counting as a use.
    virtual bool knows(std::string_view name) const = 0;
    virtual std::vector<std::string> names() const = 0;
};

class NoSymbols final : public Symbols {
public:
    Symbol find(std::string_view) const override { return {}; }
    bool knows(std::string_view) const override { return false; }
    std::vector<std::string> names() const override { return {}; }
};

}  // namespace ancora
