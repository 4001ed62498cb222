// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a model's text by both methods, compared.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/gradient.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {

using Texts = std::vector<std::string>;

inline Gradient gradient_of(const std::string& text,
                            const Texts& of,
                            const Texts& by,
                            GradientMethod method,
                            std::size_t most_bytes = GradientOptions().most_bytes) {
    std::vector<Objective> objectives;
    for (const std::string& one : of) objectives.push_back(Objective::parse(one));
    return differentiate(
        [&text](std::span<const std::string> overrides) {
            return Manifest::parse(text, "test.toml", overrides);
        },
        objectives,
        by,
        registry(),
        {.workers = 0, .method = method, .most_bytes = most_bytes});
}

/// The adjoint's derivatives are those of neighbouring runs, to the digits that these have.
inline void check_by_both(const std::string& text,
                          const Texts& of,
                          const Texts& by,
                          double digits) {
    const Gradient adjoint = gradient_of(text, of, by, GradientMethod::adjoint);
    const Gradient differences = gradient_of(text, of, by, GradientMethod::differences);
    const Gradient again = gradient_of(text, of, by, GradientMethod::adjoint, 1000);
    for (std::size_t i = 0; i < of.size(); ++i)
        for (std::size_t k = 0; k < by.size(); ++k) {
            CAPTURE(of[i]);
            CAPTURE(by[k]);
            const Gradient::Entry &found = adjoint.entry(i, k), &other = differences.entry(i, k);
            CAPTURE(other.remark);
            CHECK(found.is_by_adjoint);
            CHECK(other.remark == "");
            CHECK(found.value ==
                  near(other.value, digits * std::abs(other.value) + 10.0 * other.error));
            // with steps that are computed again between saved states
            CHECK(again.entry(i, k).value == found.value);
        }
}

}  // namespace ancora::testing
