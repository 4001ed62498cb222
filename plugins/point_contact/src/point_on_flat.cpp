// SPDX-License-Identifier: BSD-3-Clause
// Which of the axes are normal to a plane or a line, and which lie in it.
#include "point_on_flat.hpp"

#include <vector>

namespace ancora::point_contact {
namespace {

// Numbers of the attachments of axes that a body carries, behind point and origin.
enum Carried { kAxis = 2, kFirstAcross = 3, kSecondAcross = 4 };

std::vector<GapDirection> along(const Axes& axes) {
    if (!axes.on_ground()) return {{.attachment = kAxis}};
    return {{.constant = axes.n()}};
}

std::vector<GapDirection> across(const Axes& axes) {
    if (!axes.on_ground()) return {{.attachment = kFirstAcross}, {.attachment = kSecondAcross}};
    return {{.constant = axes.t1()}, {.constant = axes.t2()}};
}

}  // namespace

PointOnFlat::PointOnFlat(const Arguments& arguments, Flat flat, const char* key)
    : axes_(arguments, "origin", key),
      normal_("gap", flat == Flat::plane ? along(axes_) : across(axes_)),
      sliding_("sliding", flat == Flat::plane ? across(axes_) : along(axes_)) {}

}  // namespace ancora::point_contact
