// SPDX-License-Identifier: BSD-3-Clause
// Units of efforts, by what they act on.
#include "effort_units.hpp"

#include <algorithm>

namespace ancora {

const char* effort_unit(const ConstraintPart& part) {
    if (*part.effort_unit != '\0') return part.effort_unit;
    // What is tied at one measure and at coordinates of its own is an effort on that measure.
    const auto points = std::ranges::count_if(part.attachments, &Attachment::is_point);
    const auto directions = std::ranges::count_if(part.attachments, &Attachment::is_direction);
    if (points == 0 && directions == num_attachments(MeasureKind::angle))
        return effort_unit(MeasureKind::angle);
    return points == 2 && directions <= 1 ? effort_unit(MeasureKind::displacement) : "";
}

const char* friction_unit(const Joint& joint) {
    return joint.measures.size() == 1 ? effort_unit(joint.measures.front().kind) : "";
}

}  // namespace ancora
