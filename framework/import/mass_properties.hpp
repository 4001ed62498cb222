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

/// Of a closed surface, see mass_of_mesh().
Inertial of_mesh(const TriangleMesh& mesh, const Vec3& scale);

/// The same with all masses and moments times `factor`, which is a density.
Inertial times(const Inertial& inertial, double factor);

}  // namespace ancora::robot
