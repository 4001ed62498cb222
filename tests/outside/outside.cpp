// SPDX-License-Identifier: BSD-3-Clause
// The plugin `outside`: eight kinds of types in one library, a header each.
#include "bead_on_helix.hpp"
#include "bouc_wen.hpp"
#include "cubic_cable.hpp"
#include "hunt_crossley.hpp"
#include "imu.hpp"
#include "planar_body.hpp"
#include "rope_over_points.hpp"
#include "tr_bdf2.hpp"

namespace {

constexpr ancora::TypeDescriptor kTypes[] = {
    outside::kBeadOnHelix,
    outside::kBoucWen,
    outside::kCubicCable,
    outside::kHuntCrossley,
    outside::kImu,
    outside::kPlanarBody,
    outside::kRopeOverPoints,
    outside::kTrBdf2,
};

}  // namespace

ANCORA_PLUGIN("outside", "0.1.0", kTypes)
