// SPDX-License-Identifier: BSD-3-Clause
// Mass, centre and inertia of solids of uniform density.
#pragma once

#include "ancora/framework/shape.hpp"
#include "robot.hpp"

namespace ancora::robot {

/// Volume, centroid and inertia about it, of density 1: `mass` is a volume.
Inertial of_box(const Vec3& edges);
Inertial of_ellipsoid(const Vec3& semi_axes);
/// About z.
Inertial of_cylinder(double radius, double length);
/// About z; `length` is that of the cylinder between its caps.
Inertial of_capsule(double radius, double length);

/// Of a closed surface, by tetrahedra from the origin (Mirtich 1996, by Gauss's theorem):
///
///   V = sum det(a, b, c) / 6,   integral of x x^T = sum det(a, b, c) / 120
///                                   (s s^T + a a^T + b b^T + c c^T),   s = a + b + c        (1)
///
/// Where the triangles are turned inside out, or a scale mirrors them, the volume comes out
/// negative and everything is taken with the other sign.
Inertial of_mesh(const TriangleMesh& mesh, const Vec3& scale);

/// The same with all masses and moments times `factor`, which is a density.
Inertial times(const Inertial& inertial, double factor);

}  // namespace ancora::robot
