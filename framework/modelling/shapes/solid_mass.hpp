// SPDX-License-Identifier: BSD-3-Clause
// Mass, centre and inertia of solids of uniform density.
#pragma once

#include <span>

#include "ancora/framework/export.hpp"
#include "ancora/framework/shape.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora {

/// Of density 1: `mass` is a volume.
struct SolidMass {
    double mass = 0.0;
    Vec3 center = Vec3::Zero();
    Mat3 inertia = Mat3::Zero();  ///< about the centre
};

ANCORA_FRAMEWORK_EXPORT SolidMass mass_of_box(const Vec3& edges);
ANCORA_FRAMEWORK_EXPORT SolidMass mass_of_ellipsoid(const Vec3& semi_axes);
/// About z.
ANCORA_FRAMEWORK_EXPORT SolidMass mass_of_cylinder(double radius, double length);
/// About z; `length` is that of the cylinder between its caps.
ANCORA_FRAMEWORK_EXPORT SolidMass mass_of_capsule(double radius, double length);

/// Of a closed surface, by tetrahedra from the origin (Mirtich 1996, by Gauss's theorem):
///
///   V = sum det(a, b, c) / 6,   integral of x x^T = sum det(a, b, c) / 120
///                                   (s s^T + a a^T + b b^T + c c^T),   s = a + b + c        (1)
///
/// Where the triangles are turned inside out, or a scale mirrors them, the volume comes out
/// negative and everything is taken with the other sign.
ANCORA_FRAMEWORK_EXPORT SolidMass mass_of_mesh(const TriangleMesh& mesh, const Vec3& scale);
/// Whether a surface may be closed: its area vectors, sum (b - a) x (c - a) / 2, cancel.
bool is_closed(const TriangleMesh& mesh);

/// Of a shape where it stands, in body axes.
SolidMass mass_of_shape(const SceneShape& shape, std::span<const TriangleMesh> meshes);
/// Of two solids that are one.
SolidMass together(const SolidMass& a, const SolidMass& b);

}  // namespace ancora
