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
    type<zoo::Skate>("w_skate", {"a skate"}, zoo::Skate::kParameters),
    type<zoo::Speed>("w_speed", {"keeps a speed"}, zoo::Speed::kParameters),
    type<zoo::PlainSpeed>("w_plain_speed", {"by differences"}, zoo::PlainSpeed::kParameters),
    type<zoo::Drag>("w_drag", {"a medium at rest"}, zoo::Drag::kParameters),
    type<zoo::Winch>("w_winch", {"pulls two points together"}, zoo::Winch::kParameters),
    type<zoo::Rubbing>("w_rubbing", {"dry friction"}, zoo::Rubbing::kParameters),
    type<zoo::Molecule>("w_molecule", {"three masses in a row"}, zoo::Molecule::kParameters),
    type<zoo::HandDistance>("w_hand", {"a distance, by hand"}, zoo::HandDistance::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_written", "1.0.0", kTypes)
