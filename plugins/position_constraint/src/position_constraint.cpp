// SPDX-License-Identifier: BSD-3-Clause
// Reads the components and the motion of a position constraint.
#include "position_constraint.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ancora::position_constraint {

PositionConstraint::PositionConstraint(const Arguments& arguments) {
    read_components(arguments);
    read_motion(arguments);
}

void PositionConstraint::read_components(const Arguments& arguments) {
    constexpr std::string_view kLetters = "xyz";
    const std::string_view components = arguments.text("components");
    std::vector<std::size_t> axes;
    if (components.empty())
        arguments.fail("components", "no component is named; write some letters of \"xyz\"");
    for (std::size_t k = 0; k < components.size(); ++k) {
        const std::string letter(1, components[k]);
        const std::size_t axis = kLetters.find(letter);
        if (axis == std::string_view::npos)
            arguments.fail("components",
                           "\"" + letter + "\" is no component; write some letters of \"xyz\"");
        if (components.substr(0, k).find(letter) != std::string_view::npos)
            arguments.fail("components", "component \"" + letter + "\" is named twice");
        axes.push_back(axis);
    }
    if (components != kLetters) keep_rows(axes);
}

void PositionConstraint::read_motion(const Arguments& arguments) {
    if (!arguments.has("motion")) {
        for (const char* key : {"interpolation", "outside"})
            if (arguments.given(key))
                arguments.fail(key, "is about the table of a motion, and none is given");
        return;
    }
    const auto is_ground = [&](const char* key) {
        return arguments.text(key).starts_with("ground@");
    };
    if (!is_ground("a") && !is_ground("b"))
        arguments.fail("motion",
                       "moves a point of the ground, but neither a nor b is one; write "
                       "\"ground@[x, y, z]\" for the point that moves");
    sign_ = is_ground("b") ? -1.0 : 1.0;

    motion_ = ancora::read_motion(arguments, "motion", {"x", "y", "z"});
}

}  // namespace ancora::position_constraint
