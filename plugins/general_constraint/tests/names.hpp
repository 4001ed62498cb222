// SPDX-License-Identifier: BSD-3-Clause
// A scope that takes every name with a component, for tests of formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ancora/sdk/formula/formula.hpp"

namespace ancora::test {

/// Variables are numbered as they turn up; a rate is noted as "der(box.x)".
class Names final : public FormulaScope {
public:
    int find(const FormulaName& name) override {
        if (name.component.empty()) return -1;
        const std::string text = name.is_rate ? "der(" + name.text() + ")" : name.text();
        const auto known = std::ranges::find(all, text);
        if (known == all.end()) {
            all.push_back(text);
            return static_cast<int>(all.size()) - 1;
        }
        return static_cast<int>(known - all.begin());
    }
    std::string expected() const override { return "a coordinate"; }

    std::vector<std::string> all;
};

/// |x - y| within `tolerance`, relative to the larger of |y| and 1.
inline bool near(double x, double y, double tolerance) {
    return std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y));
}

}  // namespace ancora::test
