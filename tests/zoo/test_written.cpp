// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: types written as one function each.
#include "test_written.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::Distance>("w_distance", {"keeps a distance"}, zoo::Distance::kParameters),
    type<zoo::Square>("w_square", {"keeps the square of a distance"}, zoo::Square::kParameters),
    type<zoo::Drive>("w_drive", {"drives a distance"}, zoo::Drive::kParameters),
    type<zoo::Gear>("w_gear", {"gears two distances"}, zoo::Gear::kParameters),
    type<zoo::Angle>("w_angle", {"keeps an angle"}, zoo::Angle::kParameters),
    type<zoo::Together>("w_together", {"two points coincide"}, zoo::Together::kParameters),
    type<zoo::Circle>("w_circle", {"a point on a circle"}, zoo::Circle::kParameters),
    type<zoo::Follow>("w_follow", {"a coordinate follows a point"}, zoo::Follow::kParameters),
    type<zoo::PlainDistance>(
        "w_plain", {"a distance, by differences"}, zoo::PlainDistance::kParameters),
    type<zoo::HandDistance>("w_hand", {"a distance, by hand"}, zoo::HandDistance::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_written", "1.0.0", kTypes)
