// SPDX-License-Identifier: BSD-3-Clause
// Joints: constraints between frames of two bodies, with measures that they leave free.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/measure.hpp"

namespace ancora {

/// A joint's frame in one of its bodies.
struct JointFrame {
    std::string_view body;                                  ///< "ground" for the inertial frame
    std::array<double, 3> point{};                          ///< its origin, body axes [m]
    std::array<double, 9> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< joint to body axes, row by row
    bool has_axes = true;  ///< false: the body has points alone, such as a node's
};

/// What the kernel knows of a joint beside its rows.
struct Joint {
    const char* kind = "";  ///< "revolute": for pictures
    JointFrame a, b;
    /// Frame b as seen from frame a at the start, axes of a: where the joint puts a body that is
    /// placed by it. The velocities are relative ones, of origin and axes.
    RigidMotion placement;
    /// True if b is put there (a start is given, or frames are to coincide); false if the bodies
    /// stay where they were put.
    bool is_placed = false;
    std::span<const Measure> measures;
    std::int32_t freedom = 0;  ///< relative motions that it leaves, of six
    /// How many axes of b lie along those of a, counted from the third: 0, 1 or 3. Its rows would
    /// be met by half turns too; the kernel refuses such a start.
    std::int32_t aligned = 0;
    bool has_rows = true;    ///< false: it measures only, and bears no wrench
    std::int32_t point = 0;  ///< attachment (in the order of u) that is the joint point of b
    /// Attachments that belong to body b: reactions on them are the wrench on b.
    std::span<const std::int32_t> on_b;
};

}  // namespace ancora
