// SPDX-License-Identifier: BSD-3-Clause
// The convex hull of points.
#pragma once

#include <array>
#include <span>

#include "ancora/framework/shape.hpp"

namespace ancora::robot {

/// By Barber, Dobkin and Huhdanpaa's quickhull (ACM TOMS 22, 1996): triangles counter-clockwise
/// from outside. Without triangles where all points lie in a plane.
TriangleMesh convex_hull(std::span<const std::array<float, 3>> points);

}  // namespace ancora::robot
