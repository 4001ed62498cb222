// SPDX-License-Identifier: BSD-3-Clause
// Stretch that comes from elements being chords of arcs.
#pragma once

#include <string>

#include "surface.hpp"

namespace ancora::shell {

/// [assembly] A warning of a start that is bent from another shape at rest with its nodes on the
/// arcs, or nothing: sides of elements are their chords, shorter by theta^2 / 24, theta the turn
/// between the normals at both ends, and that is stretch. Not where it is less than a hundredth of
/// the energy of bending, and not where less than three quarters of the stretch are that of chords,
/// as in a shell that is stretched on purpose.
std::string stretch_of_chords(const Surface& start, const Surface& rest, double thickness);

}  // namespace ancora::shell
