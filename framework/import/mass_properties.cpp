// SPDX-License-Identifier: BSD-3-Clause
#include "mass_properties.hpp"

#include "solid_mass.hpp"

namespace ancora::robot {
namespace {

Inertial of_solid(const SolidMass& solid) {
    return {solid.mass, solid.center, solid.inertia, {}};
}

}  // namespace

Inertial of_box(const Vec3& edges) {
    return of_solid(mass_of_box(edges));
}
Inertial of_ellipsoid(const Vec3& semi_axes) {
    return of_solid(mass_of_ellipsoid(semi_axes));
}
Inertial of_cylinder(double radius, double length) {
    return of_solid(mass_of_cylinder(radius, length));
}
Inertial of_capsule(double radius, double length) {
    return of_solid(mass_of_capsule(radius, length));
}
Inertial of_mesh(const TriangleMesh& mesh, const Vec3& scale) {
    return of_solid(mass_of_mesh(mesh, scale));
}

Inertial times(const Inertial& inertial, double factor) {
    Inertial out = inertial;
    out.mass *= factor;
    out.inertia *= factor;
    return out;
}

}  // namespace ancora::robot
