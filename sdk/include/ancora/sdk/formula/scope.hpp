// SPDX-License-Identifier: BSD-3-Clause
// The names in a formula, and who says which variable each of them is.
#pragma once

#include <string>
#include <vector>

namespace ancora {

/// A name as it stands in a formula: "box.x", "net@3.x", "'my-box'@[1, 0, 0].x", "der(box.x)",
/// or a bare "k".
struct FormulaName {
    std::string object;     ///< "box"; a bare name as a whole
    std::string place;      ///< "3", "corner", "[1, 0, 0]", or empty
    std::string component;  ///< "x"; empty for a bare name
    bool is_rate = false;   ///< it stands in der()
    int offset = 0;         ///< where its text begins in the formula [bytes]

    /// As a manifest writes it, with numbers in their shortest form: "box@[1, 0, 0].x".
    std::string text() const {
        std::string out = object;
        if (!place.empty()) out += "@" + place;
        if (!component.empty()) out += "." + component;
        return out;
    }
};

/// Says which names are variables, and numbers them from 0 as it likes.
class FormulaScope {
public:
    /// Number of the variable; negative if the name is not known.
    /// @throws std::invalid_argument to refuse the name in words of its own; the parser adds where
    virtual int find(const FormulaName& name) = 0;

    /// What may stand for a variable, for messages: "a coordinate such as \"box.x\"".
    virtual std::string expected() const { return "a variable"; }
    /// Bare names to offer for one that is misspelled.
    virtual std::vector<std::string> known_names() const { return {}; }

protected:
    ~FormulaScope() = default;
};

}  // namespace ancora
