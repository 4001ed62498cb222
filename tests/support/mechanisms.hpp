// SPDX-License-Identifier: BSD-3-Clause
// Texts of mechanisms for tests, piece by piece, and what their balances must be.
#pragma once

#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {

inline std::string model_text(bool gravity = true) {
    return fmt::format("[model]\ngravity = [0.0, 0.0, {}]\n", gravity ? -9.81 : 0.0);
}

/// A body with principal inertia, at its centre.
inline std::string body(const std::string& name,
                        const std::string& type,
                        const std::string& where,
                        double mass = 1.0,
                        const std::string& inertia = "[0.02, 0.03, 0.04]") {
    return fmt::format("[[body]]\nname = \"{}\"\ntype = \"{}\"\nmass = {}\ninertia = {}\n{}\n{}\n",
                       name,
                       type,
                       mass,
                       inertia,
                       type == "ancf_rigid_body" ? "penalty = inf" : "",
                       where);
}

inline std::string constraint(const std::string& name,
                              const std::string& type,
                              const std::string& rest) {
    return fmt::format("[[constraint]]\nname = \"{}\"\ntype = \"{}\"\n{}\n", name, type, rest);
}

inline std::string force(const std::string& name,
                         const std::string& type,
                         const std::string& rest) {
    return fmt::format("[[force]]\nname = \"{}\"\ntype = \"{}\"\n{}\n", name, type, rest);
}

inline std::string steps(const std::string& type,
                         double step,
                         double end,
                         double tolerance = 1e-12) {
    return fmt::format("[integrator]\ntype = \"{}\"\nstep = {}\nend = {}\ntolerance = {}\n",
                       type,
                       step,
                       end,
                       tolerance);
}

inline void check_balances(const Simulation& simulation) {
    const RunStatistics statistics = simulation.statistics();
    const double bound = tolerance(10.0 * rounding_bound(static_cast<double>(statistics.steps)));
    CHECK(statistics.energy.max_rel <= bound);
    CHECK(statistics.momentum.max_rel <= bound);
    CHECK(statistics.angular_momentum.max_rel <= bound);
    CHECK(statistics.constraint_position.max_abs <= tolerance(1e-12));
}

}  // namespace ancora::testing
