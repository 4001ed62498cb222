// SPDX-License-Identifier: BSD-3-Clause
// What the tests of laws in joints have in common: a wheel on an axle.
#pragma once

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"

namespace ancora::testing {

inline constexpr double kG = 9.81;
inline constexpr const char* kIntegrators[] = {"emm", "rk4", "dopri5"};

inline bool is_emm(const std::string& integrator) {
    return integrator == "emm";
}

inline std::string axle(const std::string& laws, const std::string& axis = "[0, 0, 1]") {
    return constraint(
        "axle",
        "revolute",
        fmt::format("a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = {}\n{}", axis, laws));
}

/// Why a model is refused when it is made.
inline std::string refused(const std::string& text) {
    try {
        model(text + steps("emm", 1e-3, 0.1));
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::manifest);
        return error.message();
    }
    return "";
}

}  // namespace ancora::testing
