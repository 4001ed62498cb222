// SPDX-License-Identifier: BSD-3-Clause
// Gaps of pairs of shapes.
#pragma once

#include <functional>
#include <memory>

#include "ancora/pairs/relative.hpp"
#include "ancora/pairs/shape_contact.hpp"
#include "ancora/pairs/shapes.hpp"

namespace ancora::contact {

/// A shape over the plane through d across f_3. One row for each corner of a box or hull, each end
/// of a capsule
///
///   g = f_3 . (c + E x - d) - R                                                          (1)
std::unique_ptr<PairGeometry> on_plane(const ContactShape& a);

/// A ball about c with radius R over the surface of b, one row: the distance of c from b less R. It
/// has one slope where features of b meet, so that a ball rolls over edges.
std::unique_ptr<PairGeometry> ball_on_solid(double radius, const ContactShape& b);

/// Boxes and capsules: vertices on faces, edges across edges.
std::unique_ptr<PairGeometry> box_pair(const ContactShape& a, const ContactShape& b);

/// Two shapes of which one is a cylinder, see CylinderPair, and a cylinder over a plane.
std::unique_ptr<PairGeometry> cylinder_pair(const ContactShape& a, const ContactShape& b);
std::unique_ptr<PairGeometry> cylinder_on_plane(const ContactShape& a);

/// Hulls, against each other, boxes and capsules: corners on faces, edges across edges.
std::unique_ptr<PairGeometry> hull_pair(const ContactShape& a, const ContactShape& b);

/// A ball within a tube with open ends, the inner side of the cylinder b: R_b - R - |y_1, y_2|.
std::unique_ptr<PairGeometry> ball_in_cylinder(double radius, const ContactShape& b);

/// Refuses a pair in words.
using RefusePair = std::function<void(const char* key, const char* message)>;

/// A pair with the gaps that its shapes have.
std::unique_ptr<ShapeContact> shape_contact(const PairSide& a,
                                            const PairSide& b,
                                            bool is_inside,
                                            const RowLaw& law,
                                            const RefusePair& refuse);

}  // namespace ancora::contact
