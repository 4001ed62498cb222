// SPDX-License-Identifier: BSD-3-Clause
// Units of efforts, by what they act on.
#pragma once

#include "model.hpp"

namespace ancora {

/// Of an effort: its product with the measure is work.
inline const char* effort_unit(MeasureKind kind) {
    return is_angle(kind) ? "N m" : "N";
}

/// Of a constraint that reports an effort; "" where it is on several measures whose ratios give it
/// a unit of its own.
const char* effort_unit(const ConstraintPart& part);

/// Of friction in a joint, on the measure that the joint leaves free.
const char* friction_unit(const Joint& joint);

}  // namespace ancora
