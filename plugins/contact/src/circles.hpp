// SPDX-License-Identifier: BSD-3-Clause
// Lines and circles in space, and where they are nearest to each other.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "ancora/sdk/numbers/vector3.hpp"

namespace ancora::contact {

using autodiff::value_of;

template <class S>
struct Line {
    Vector3<S> p, e;  ///< a point, a unit vector
};

/// x(phi) = c + R (cos(phi) u + sin(phi) v) about the axis k, which leads out of a solid.
template <class S>
struct Circle {
    Vector3<S> c, k, u, v;
    double R;

    Vector3<S> out(const S& phi) const { return cos(phi) * u + sin(phi) * v; }
    Vector3<S> tangent(const S& phi) const { return cos(phi) * v - sin(phi) * u; }
    /// The point that is the farthest along n; any, where n is the axis.
    Vector3<S> farthest(const Vector3<S>& n) const {
        const S x = dot(n, u), y = dot(n, v);
        const S square = x * x + y * y;
        if (!(value_of(square) > 0.0)) return c;
        return c + (R / sqrt(square)) * (x * u + y * v);
    }
};

template <class S>
Vector3<double> values_of(const Vector3<S>& x) {
    return {value_of(x.x), value_of(x.y), value_of(x.z)};
}
template <class S>
Line<double> values_of(const Line<S>& line) {
    return {values_of(line.p), values_of(line.e)};
}
template <class S>
Circle<double> values_of(const Circle<S>& circle) {
    return {values_of(circle.c),
            values_of(circle.k),
            values_of(circle.u),
            values_of(circle.v),
            circle.R};
}

/// Unit vector from the first line to the second one, across both, which are not parallel, and the
/// points x of the first, y of the second.
template <class S>
Vector3<S> nearest_points(const Line<S>& first,
                          const Line<S>& second,
                          Vector3<S>& x,
                          Vector3<S>& y) {
    const Vector3<S> d = second.p - first.p;
    const S c = dot(first.e, second.e), along = dot(d, first.e), other = dot(d, second.e);
    const S u = (along - c * other) / (1.0 - c * c);
    x = first.p + u * first.e;
    y = second.p + (c * u - other) * second.e;
    const Vector3<S> n = normalized(cross(first.e, second.e));
    return value_of(dot(n, d)) < 0.0 ? -n : n;
}

/// Of n and -n that which leads out of the end of a solid and out of its side, at the angle phi.
template <class S>
Vector3<S> outwards(const Circle<S>& of, const S& phi, const Vector3<S>& n) {
    return value_of(dot(n, of.k) + dot(n, of.out(phi))) < 0.0 ? -n : n;
}

/// Unit vector along the way between two curves, or across their tangents where they all but touch;
/// where these are parallel, too, any that leads out.
template <class S>
Vector3<S> direction_between(const Vector3<S>& way,
                             const Vector3<S>& e,
                             const Vector3<S>& f,
                             const Vector3<S>& out,
                             double R) {
    constexpr double kFar = 1e-3, kAcross = 1e-9;
    const S square = dot(way, way);
    if (value_of(square) > kFar * kFar * R * R) return way / sqrt(square);
    const Vector3<S> n = cross(e, f);
    const S sine = dot(n, n);
    return value_of(sine) > kAcross * kAcross ? n / sqrt(sine) : out;
}

inline constexpr std::size_t kMostNearest = 8;

/// The roots of a derivative, of period 2 pi, at which it rises: minima of a function.
template <class Derivative>
int find_minima(const Derivative& derivative, std::array<double, kMostNearest>& at) {
    constexpr int kSamples = 48, kHalvings = 60;
    constexpr double kStep = 2.0 * std::numbers::pi / kSamples;
    int count = 0;
    // The last one is the first one, to the last bit.
    const double first = derivative(0.0);
    double left = first;
    for (int k = 0; k < kSamples && count < static_cast<int>(kMostNearest); ++k) {
        double low = k * kStep, high = (k + 1) * kStep, f = left;
        double g = k + 1 < kSamples ? derivative(high) : first;
        left = g;
        if (!(f <= 0.0 && g > 0.0)) continue;
        // Regula falsi that halves the value of an end that stays (Illinois).
        double x = low;
        int stays = 0;
        for (int i = 0; i < kHalvings && high - low > 1e-9; ++i) {
            x = high - g * (high - low) / (g - f);
            const double here = derivative(x);
            if (here == 0.0) break;
            if (here > 0.0) {
                high = x;
                g = here;
                if (stays > 0) f *= 0.5;
                stays = 1;
            } else {
                low = x;
                f = here;
                if (stays < 0) g *= 0.5;
                stays = -1;
            }
        }
        at[static_cast<std::size_t>(count++)] = x;
    }
    return count;
}

/// Of them that which is the nearest to an angle; the angle itself where there is none.
inline double nearest_angle(const std::array<double, kMostNearest>& at, int count, double phi) {
    double best = phi, most = -2.0;
    for (int k = 0; k < count; ++k) {
        const double near = std::cos(at[static_cast<std::size_t>(k)] - phi);
        if (near <= most) continue;
        most = near;
        best = at[static_cast<std::size_t>(k)];
    }
    return best;
}

/// Half the derivative of the square of the distance of a point of a circle from a line:
///
///   F = r . x',   r = (x - p) less its part along e                                      (1)
template <class S>
S slope(const Circle<S>& circle, const Line<S>& line, const S& phi, S* of_slope = nullptr) {
    const Vector3<S> t = circle.tangent(phi), out = circle.out(phi);
    const Vector3<S> d = circle.c + circle.R * out - line.p;
    const Vector3<S> r = d - dot(d, line.e) * line.e;
    if (of_slope != nullptr) {
        const S along = dot(t, line.e);
        *of_slope = circle.R * circle.R * (1.0 - along * along) - circle.R * dot(r, out);
    }
    return circle.R * dot(r, t);
}

inline int find_nearest(const Circle<double>& circle,
                        const Line<double>& line,
                        std::array<double, kMostNearest>& at) {
    // F = -A sin + B cos + R ((vv - uu) sin cos + uv (cos^2 - sin^2)), times R
    const Vector3<double> d = circle.c - line.p;
    const double u = dot(circle.u, line.e), v = dot(circle.v, line.e), w = dot(d, line.e);
    const double A = dot(d, circle.u) - w * u, B = dot(d, circle.v) - w * v;
    const double uu = 1.0 - u * u, vv = 1.0 - v * v, uv = -u * v;
    return find_minima(
        [&](double phi) {
            const double s = std::sin(phi), c = std::cos(phi);
            return B * c - A * s + circle.R * ((vv - uu) * s * c + uv * (c * c - s * s));
        },
        at);
}

/// Unit vector out of a circle's solid, across circle and line where these are nearest to each
/// other, near the angle phi, and the points x of the circle, y of the line.
template <class S>
Vector3<S> nearest_points(
    const Circle<S>& circle, const Line<S>& line, double near, Vector3<S>& x, Vector3<S>& y) {
    std::array<double, kMostNearest> at;
    const int count = find_nearest(values_of(circle), values_of(line), at);
    S phi(nearest_angle(at, count, near));
    // The first one brings first derivatives, the next one those of second order.
    for (int i = 0; i < 3; ++i) {
        S of_slope;
        const S F = slope(circle, line, phi, &of_slope);
        if (!(value_of(of_slope) > 0.0)) break;
        phi = phi - F / of_slope;
    }
    x = circle.c + circle.R * circle.out(phi);
    y = line.p + dot(x - line.p, line.e) * line.e;
    return outwards(
        circle,
        phi,
        direction_between(y - x, line.e, circle.tangent(phi), circle.out(phi), circle.R));
}

/// The angle on a circle at which it is nearest to a point.
template <class S>
S angle_towards(const Circle<S>& circle, const Vector3<S>& x) {
    const Vector3<S> d = x - circle.c;
    return atan2(dot(d, circle.v), dot(d, circle.u));
}

inline int find_nearest(const Circle<double>& first,
                        const Circle<double>& second,
                        std::array<double, kMostNearest>& at) {
    return find_minima(
        [&](double phi) {
            const Vector3<double> x = first.c + first.R * first.out(phi), d = x - second.c;
            const double p = dot(d, second.u), q = dot(d, second.v), rho = std::hypot(p, q);
            if (!(rho > 0.0)) return dot(d, first.tangent(phi));
            const Vector3<double> y = second.c + (second.R / rho) * (p * second.u + q * second.v);
            return dot(x - y, first.tangent(phi));
        },
        at);
}

/// Unit vector out of the solid of the first circle, across both where these are nearest to each
/// other.
template <class S>
Vector3<S> nearest_points(
    const Circle<S>& first, const Circle<S>& second, double near, Vector3<S>& x, Vector3<S>& y) {
    const Circle<double> a = values_of(first), b = values_of(second);
    std::array<double, kMostNearest> at;
    const int count = find_nearest(a, b, at);
    const double start = nearest_angle(at, count, near);
    S phi(start), psi(angle_towards(b, a.c + a.R * a.out(start)));
    // r . x' = 0, r . y' = 0 with r = y - x
    for (int i = 0; i < 4; ++i) {
        const Vector3<S> out = first.out(phi), other = second.out(psi);
        const Vector3<S> t = first.tangent(phi), s = second.tangent(psi);
        const Vector3<S> r = second.c + second.R * other - first.c - first.R * out;
        const S F = dot(r, t), G = dot(r, s);
        const S F_phi = -first.R - dot(r, out), F_psi = second.R * dot(s, t);
        const S G_phi = -(first.R * dot(s, t)), G_psi = second.R - dot(r, other);
        const S det = F_phi * G_psi - F_psi * G_phi;
        // Positive curvature of the distance, else this is no minimum.
        if (!(value_of(det) < -1e-9 * first.R * second.R)) break;
        phi = phi - (F * G_psi - F_psi * G) / det;
        psi = psi - (F_phi * G - F * G_phi) / det;
    }
    x = first.c + first.R * first.out(phi);
    y = second.c + second.R * second.out(psi);
    return outwards(
        first,
        phi,
        direction_between(y - x, first.tangent(phi), second.tangent(psi), first.out(phi), first.R));
}

}  // namespace ancora::contact
