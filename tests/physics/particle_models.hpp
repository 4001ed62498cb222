// SPDX-License-Identifier: BSD-3-Clause
// Particles, springs and ropes by their names, for models of rest and vibration.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/mechanisms.hpp"
#include "support/model.hpp"

namespace ancora::testing {

inline constexpr double kG = 9.81;

inline std::string point_mass(const std::string& name,
                              const Vec3& at,
                              double mass = 1.0,
                              const std::string& more = "") {
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {}\nposition = [{:.17g}, {:.17g}, "
        "{:.17g}]\n{}",
        name,
        mass,
        at(0),
        at(1),
        at(2),
        more);
}

/// A particle by its name, or a point of the ground.
inline std::string point(const std::string& text) {
    return text.find('@') == std::string::npos ? text + "@[0, 0, 0]" : text;
}

inline std::string spring(
    const std::string& name, const std::string& a, const std::string& b, double k, double free) {
    return force(
        name,
        "spring",
        fmt::format(
            "a = \"{}\"\nb = \"{}\"\nstiffness = {}\nfree = {}", point(a), point(b), k, free));
}

inline std::string rope(const std::string& name, const std::string& a, const std::string& b) {
    return constraint(name, "distance", fmt::format("a = \"{}\"\nb = \"{}\"", point(a), point(b)));
}

inline std::vector<double> angular(const Modes& modes) {
    std::vector<double> out;
    for (const Mode& mode : modes.modes) out.push_back(std::abs(mode.eigenvalue));
    return out;
}

}  // namespace ancora::testing
