// SPDX-License-Identifier: BSD-3-Clause
// Distances of a point from solids, and where they are nearest to it.
#pragma once

#include "ancora/pairs/relative.hpp"
#include "ancora/pairs/shapes.hpp"

namespace ancora::contact {

using autodiff::value_of;

template <class S>
Vector3<S> vertical(double z) {
    return {S(0.0), S(0.0), S(z)};
}

/// A function of z, whose gradient in the middle of a step from z0 to z1 gives r . n / |n| of r(z)
/// and n(z) the slope
///
///   d(r . n / |n|) = d(r . n) <1 / |n|> - <r . n> 2 <n> . dn / (|n0| |n1| (|n0| + |n1|))   (1)
///
/// with means <> over its ends: exact for r and n that are linear, without a difference of values.
template <class R, class N, class S>
S mean_across(const R& r,
              const N& n,
              const Relative<double>& z0,
              const Relative<double>& z1,
              const Relative<S>& z) {
    const Vector3<double> n0 = n(z0), n1 = n(z1), both = n0 + n1;
    const Vector3<S> here = n(z);
    const double begin = norm(n0), end = norm(n1);
    const double across = 0.5 * (dot(r(z0), n0) + dot(r(z1), n1));
    const double of_length = across / (begin * end * (begin + end));
    return 0.5 * (1.0 / begin + 1.0 / end) * dot(r(z), here) -
           of_length * (both.x * here.x + both.y * here.y + both.z * here.z);
}

/// Beyond the faces of a box, along each axis.
template <class S>
S distance_to_box(const Vector3<S>& p, const Vec3& half, Touch<S>* touch) {
    const S x[] = {p.x, p.y, p.z};
    S beyond[3], nearest[3];
    int num_beyond = 0, most = 0;
    for (int i = 0; i < 3; ++i) {
        const double sign = value_of(x[i]) < 0.0 ? -1.0 : 1.0;
        beyond[i] = sign * x[i] - half[i];
        const bool is_beyond = value_of(beyond[i]) > 0.0;
        nearest[i] = is_beyond ? S(sign * half[i]) : x[i];
        num_beyond += is_beyond ? 1 : 0;
        if (value_of(beyond[i]) > value_of(beyond[most])) most = i;
    }
    const double sign = value_of(x[most]) < 0.0 ? -1.0 : 1.0;
    if (num_beyond <= 1) {
        if (touch != nullptr) {
            nearest[most] = S(sign * half[most]);
            S n[] = {S(0.0), S(0.0), S(0.0)};
            n[most] = S(sign);
            *touch = {{nearest[0], nearest[1], nearest[2]}, {n[0], n[1], n[2]}};
        }
        return beyond[most];
    }
    const Vector3<S> foot(nearest[0], nearest[1], nearest[2]);
    const Vector3<S> r = p - foot;
    const S distance = norm(r);
    if (touch != nullptr) *touch = {foot, r / distance};
    return distance;
}

/// From the face, edge or corner that is nearest.
template <class S>
S distance_to_hull(const Vector3<S>& p, const Hull& hull, Touch<S>* touch) {
    const HullFeature found =
        nearest_feature(hull, Vec3(value_of(p.x), value_of(p.y), value_of(p.z)));
    const auto at = static_cast<std::size_t>(found.index);
    if (found.kind == HullFeature::Kind::face) {
        const Vector3<S> n(hull.faces[at].n);
        const S distance = dot(n, p) - hull.faces[at].d;
        if (touch != nullptr) *touch = {p - distance * n, n};
        return distance;
    }
    Vector3<S> foot;
    if (found.kind == HullFeature::Kind::edge) {
        const Vector3<S> from(hull.corners[static_cast<std::size_t>(hull.edges[at].from)]);
        const Vector3<S> along(hull.edges[at].along);
        foot = from + dot(p - from, along) * along;
    } else {
        foot = Vector3<S>(hull.corners[at]);
    }
    const Vector3<S> r = p - foot;
    const S distance = norm(r);
    if (touch != nullptr) *touch = {foot, r / distance};
    return distance;
}

template <class S>
S distance_to_capsule(const Vector3<S>& p, const ContactShape& b, Touch<S>* touch) {
    const double z = value_of(p.z);
    const S along = z > b.half_length    ? S(b.half_length)
                    : z < -b.half_length ? S(-b.half_length)
                                         : p.z;
    const Vector3<S> middle(S(0.0), S(0.0), along);
    const Vector3<S> r = p - middle;
    const S square = dot(r, r);
    // On the axis no direction leads out before the others.
    const bool is_inside = !(value_of(square) > 0.0);
    const S distance = is_inside ? r.x : sqrt(square);
    if (touch != nullptr) {
        const Vector3<S> n = is_inside ? Vector3<S>(S(1.0), S(0.0), S(0.0)) : r / distance;
        *touch = {middle + b.radius * n, n};
    }
    return distance - b.radius;
}

template <class S>
S distance_to_cylinder(const Vector3<S>& p, const ContactShape& b, Touch<S>* touch) {
    const double sign = value_of(p.z) < 0.0 ? -1.0 : 1.0;
    const S over = sign * p.z - b.half_length;
    const S square = p.x * p.x + p.y * p.y;
    const bool is_on_axis = !(value_of(square) > 0.0);
    const S rho = is_on_axis ? p.x : sqrt(square);
    const S out = rho - b.radius;
    const Vector3<S> axis = vertical<S>(sign);
    const Vector3<S> radial =
        is_on_axis ? Vector3<S>(S(1.0), S(0.0), S(0.0)) : Vector3<S>(p.x / rho, p.y / rho, S(0.0));
    if (value_of(over) > 0.0 && value_of(out) > 0.0) {
        const S distance = sqrt(over * over + out * out);
        if (touch != nullptr)
            *touch = {b.radius * radial + b.half_length * axis,
                      (out / distance) * radial + (over / distance) * axis};
        return distance;
    }
    if (value_of(over) > value_of(out)) {
        if (touch != nullptr) *touch = {p - over * axis, axis};
        return over;
    }
    if (touch != nullptr) *touch = {p - out * radial, radial};
    return out;
}

}  // namespace ancora::contact
