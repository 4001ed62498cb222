// SPDX-License-Identifier: BSD-3-Clause
// Measures as functions: value, rate, gradient, bias, and the exact discrete gradient of a step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "ancora/sdk/measure.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora {

/// A measure m(u) of the scalars of its attachments, three each, one attachment behind the other.
/// An angle lies in (-pi, pi]; near() counts turns. Where a distance or an angle between directions
/// vanishes it has no gradient, and 0 is returned. All functions are [step].
class MeasureFunction {
public:
    static constexpr std::size_t kMostScalars = 9;

    MeasureFunction() = default;
    explicit MeasureFunction(MeasureKind kind) : kind_(kind) {}

    MeasureKind kind() const { return kind_; }
    std::size_t num_scalars() const { return 3 * static_cast<std::size_t>(num_attachments(kind_)); }

    /// The value that is `value` but for whole turns, and nearest to `reference`.
    double near(double value, double reference) const {
        if (kind_ != MeasureKind::angle) return value;
        return reference + std::remainder(value - reference, 2.0 * kPi);
    }

    double value(const double* u) const {
        switch (kind_) {
            case MeasureKind::distance:
                return (vec(u, 1) - vec(u, 0)).norm();
            case MeasureKind::displacement:
                return (vec(u, 1) - vec(u, 0)).dot(vec(u, 2));
            case MeasureKind::angle:
                return std::atan2(vec(u, 1).dot(vec(u, 2)), vec(u, 0).dot(vec(u, 2)));
            case MeasureKind::between:
                return between(u);
        }
        return 0.0;
    }

    /// dm/du, num_scalars entries.
    void gradient(const double* u, double* g) const {
        switch (kind_) {
            case MeasureKind::distance: {
                const Vec3 e = (vec(u, 1) - vec(u, 0)).normalized();
                put(-e, g, 0);
                put(e, g, 1);
                return;
            }
            case MeasureKind::displacement:
                put(-vec(u, 2), g, 0);
                put(vec(u, 2), g, 1);
                put(vec(u, 1) - vec(u, 0), g, 2);
                return;
            case MeasureKind::angle: {
                const double c = vec(u, 0).dot(vec(u, 2));
                const double s = vec(u, 1).dot(vec(u, 2));
                put_angle(u, 1.0 / (c * c + s * s), c, s, g);
                return;
            }
            case MeasureKind::between: {
                const Vec3 a = vec(u, 0), b = vec(u, 1);
                const double s = a.cross(b).norm(), c = a.dot(b);
                const double by_c = s > 0.0 ? -1.0 / s : 0.0;
                put(by_c * (b - c / a.squaredNorm() * a), g, 0);
                put(by_c * (a - c / b.squaredNorm() * b), g, 1);
                return;
            }
        }
    }

    /// b, so that m'' = (dm/du) u'' - b.
    double bias(const double* u, const double* du) const {
        switch (kind_) {
            case MeasureKind::distance: {
                const Vec3 r = vec(u, 1) - vec(u, 0);
                const Vec3 dr = vec(du, 1) - vec(du, 0);
                const double length = r.norm();
                if (!(length > 0.0)) return 0.0;  // as of straight motion
                const double rate = r.dot(dr) / length;
                return -(dr.squaredNorm() - rate * rate) / length;
            }
            case MeasureKind::displacement:
                return -2.0 * (vec(du, 1) - vec(du, 0)).dot(vec(du, 2));
            case MeasureKind::angle: {
                const double c = vec(u, 0).dot(vec(u, 2));
                const double s = vec(u, 1).dot(vec(u, 2));
                const double dc = vec(du, 0).dot(vec(u, 2)) + vec(u, 0).dot(vec(du, 2));
                const double ds = vec(du, 1).dot(vec(u, 2)) + vec(u, 1).dot(vec(du, 2));
                const double ddc = 2.0 * vec(du, 0).dot(vec(du, 2));
                const double dds = 2.0 * vec(du, 1).dot(vec(du, 2));
                const double square = c * c + s * s;
                const double rate = (c * ds - s * dc) / square;
                return -(c * dds - s * ddc - 2.0 * rate * (c * dc + s * ds)) / square;
            }
            case MeasureKind::between: {
                const Turning a(vec(u, 0), vec(du, 0)), b(vec(u, 1), vec(du, 1));
                const double s = a.unit.cross(b.unit).norm(), c = a.unit.dot(b.unit);
                if (!(s > 0.0)) return 0.0;
                const double dc = a.rate.dot(b.unit) + a.unit.dot(b.rate);
                const double ddc =
                    a.second.dot(b.unit) + 2.0 * a.rate.dot(b.rate) + a.unit.dot(b.second);
                return ddc / s + c * dc * dc / (s * s * s);
            }
        }
        return 0.0;
    }

    double rate(const double* u, const double* du) const {
        std::array<double, kMostScalars> g;
        gradient(u, g.data());
        return dot(g.data(), du);
    }

    /// D with D . (u1 - u0) = m(u1) - m(u0), exactly and as an invariant, so that an effort on the
    /// measure changes neither momentum nor angular momentum (theory (51), (52)). A step must stay
    /// below half a turn.
    void step_gradient(const double* u0, const double* mid, const double* u1, double* D) const {
        switch (kind_) {
            case MeasureKind::distance: {
                const Vec3 r = vec(mid, 1) - vec(mid, 0);
                const double lengths =
                    (vec(u0, 1) - vec(u0, 0)).norm() + (vec(u1, 1) - vec(u1, 0)).norm();
                const Vec3 e = lengths > 0.0 ? Vec3(2.0 * r / lengths) : Vec3(Vec3::Zero());
                put(-e, D, 0);
                put(e, D, 1);
                return;
            }
            case MeasureKind::displacement:
                gradient(mid, D);
                return;
            case MeasureKind::angle: {
                const StepTurn turn(u0, u1);
                put_angle(mid, turn.factor, turn.c(), turn.s(), D);
                return;
            }
            case MeasureKind::between: {
                // cos m = a.b / (|a| |b|): its increment by a product rule that is exact, and from
                // it that of m, since cos m1 - cos m0 = -2 sin((m1 + m0) / 2) sin((m1 - m0) / 2)
                const double m0 = between(u0), m1 = between(u1);
                const double half = 0.5 * (m1 - m0);
                const double sine = std::sin(0.5 * (m0 + m1));
                const double by_cosine = sine > 0.0
                                             ? -(std::abs(half) > 1e-4 ? half / std::sin(half)
                                                                       : 1.0 + half * half / 6.0) /
                                                   sine
                                             : 0.0;
                const Reciprocal p(vec(u0, 0).norm(), vec(u1, 0).norm());
                const Reciprocal q(vec(u0, 1).norm(), vec(u1, 1).norm());
                const double dots = 0.5 * (vec(u0, 0).dot(vec(u0, 1)) + vec(u1, 0).dot(vec(u1, 1)));
                const double both = 0.5 * (p.first * q.first + p.last * q.last);
                const Vec3 a = vec(mid, 0), b = vec(mid, 1);
                put(by_cosine * (both * b + dots * q.mean() * p.by_square * 2.0 * a), D, 0);
                put(by_cosine * (both * a + dots * p.mean() * q.by_square * 2.0 * b), D, 1);
                return;
            }
        }
    }

    /// H += factor d2m/du2, num_scalars squared entries by rows.
    void add_hessian(const double* u, double factor, double* H) const {
        const std::size_t n = num_scalars();
        const auto block = [&](std::size_t i, std::size_t j, const Mat3& X) {
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c) {
                    const double x = factor * X(static_cast<int>(r), static_cast<int>(c));
                    H[(3 * i + r) * n + 3 * j + c] += x;
                    if (i != j) H[(3 * j + c) * n + 3 * i + r] += x;
                }
        };
        switch (kind_) {
            case MeasureKind::distance: {
                const Vec3 r = vec(u, 1) - vec(u, 0);
                const double length = r.norm();
                if (!(length > 0.0)) return;
                const Mat3 P = (Mat3::Identity() - r * r.transpose() / (length * length)) / length;
                block(0, 0, P);
                block(1, 1, P);
                block(0, 1, -P);
                return;
            }
            case MeasureKind::displacement:
                block(0, 2, -Mat3::Identity());
                block(1, 2, Mat3::Identity());
                return;
            case MeasureKind::angle: {
                // m = atan2(s, c): by its derivatives in c and s, and those of c and s
                const double c = vec(u, 0).dot(vec(u, 2));
                const double s = vec(u, 1).dot(vec(u, 2));
                const double square = c * c + s * s;
                const double by_c = -s / square, by_s = c / square;
                const double by_cc = 2.0 * c * s / (square * square);
                const double by_cs = (s * s - c * c) / (square * square);
                block(0, 2, by_c * Mat3::Identity());
                block(1, 2, by_s * Mat3::Identity());
                std::array<double, kMostScalars> dc{}, ds{};
                put(vec(u, 2), dc.data(), 0);
                put(vec(u, 0), dc.data(), 2);
                put(vec(u, 2), ds.data(), 1);
                put(vec(u, 1), ds.data(), 2);
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < n; ++j)
                        H[i * n + j] += factor * (by_cc * (dc[i] * dc[j] - ds[i] * ds[j]) +
                                                  by_cs * (dc[i] * ds[j] + ds[i] * dc[j]));
                return;
            }
            case MeasureKind::between: {
                Scalars x{};
                std::copy_n(u, n, x.begin());
                add_differences(x, factor, H, [this](const Scalars& at) {
                    Scalars g{};
                    gradient(at.data(), g.data());
                    return g;
                });
                return;
            }
        }
    }

    /// H += factor d(step_gradient)/d(du) at fixed u0; of an angle between directions by central
    /// differences, to about ten digits.
    void add_step_hessian(const double* u0, const double* du, double factor, double* H) const {
        const std::size_t n = num_scalars();
        Scalars mid{}, u1{};
        for (std::size_t i = 0; i < n; ++i) {
            mid[i] = u0[i] + 0.5 * du[i];
            u1[i] = u0[i] + du[i];
        }
        switch (kind_) {
            case MeasureKind::distance: {
                // D = +- 2 r / L with r at the middle and L = |r_0| + |r_1|:
                //   dD = +- (dr_1 - D (r_1 / |r_1|) . dr_1) / L
                const Vec3 r1 = vec(u1.data(), 1) - vec(u1.data(), 0);
                const double last = r1.norm();
                const double lengths = (vec(u0, 1) - vec(u0, 0)).norm() + last;
                if (!(last > 0.0)) return;
                const Vec3 e = 2.0 / lengths * (vec(mid.data(), 1) - vec(mid.data(), 0));
                const Mat3 P = (Mat3::Identity() - e * (r1 / last).transpose()) / lengths;
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < 3; ++j) {
                        const double x = factor * P(static_cast<int>(i), static_cast<int>(j));
                        H[i * n + j] += x;
                        H[(3 + i) * n + 3 + j] += x;
                        H[i * n + 3 + j] -= x;
                        H[(3 + i) * n + j] -= x;
                    }
                return;
            }
            case MeasureKind::displacement:
                return add_hessian(mid.data(), 0.5 * factor, H);
            case MeasureKind::angle:
                return add_step_hessian_of_angle(u0, mid.data(), u1.data(), factor, H);
            case MeasureKind::between:
                break;
        }
        Scalars x{};
        std::copy_n(du, n, x.begin());
        double scale = 0.0;
        for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(u0[i]));
        add_differences(
            x,
            factor,
            H,
            [this, u0, n](const Scalars& moved) {
                Scalars middle{}, end{}, D{};
                for (std::size_t i = 0; i < n; ++i) {
                    middle[i] = u0[i] + 0.5 * moved[i];
                    end[i] = u0[i] + moved[i];
                }
                step_gradient(u0, middle.data(), end.data(), D.data());
                return D;
            },
            scale);
    }

    double dot(const double* g, const double* x) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < num_scalars(); ++i) sum += g[i] * x[i];
        return sum;
    }

private:
    static constexpr double kPi = 3.14159265358979323846;

    static Vec3 vec(const double* u, std::size_t i) {
        return {u[3 * i], u[3 * i + 1], u[3 * i + 2]};
    }
    static void put(const Vec3& x, double* g, std::size_t i) {
        for (int k = 0; k < 3; ++k) g[3 * i + static_cast<std::size_t>(k)] = x(k);
    }
    /// factor (c ds - s dc), with the differentials of c and s at u.
    static void put_angle(const double* u, double factor, double c, double s, double* g) {
        put(-factor * s * vec(u, 2), g, 0);
        put(factor * c * vec(u, 2), g, 1);
        put(factor * (c * vec(u, 1) - s * vec(u, 0)), g, 2);
    }

    using Scalars = std::array<double, kMostScalars>;
    /// What an angle turns by over a step, from c and s, cosine and sine of it times a length.
    struct StepTurn {
        StepTurn(const double* u0, const double* u1)
            : c0(vec(u0, 0).dot(vec(u0, 2))),
              s0(vec(u0, 1).dot(vec(u0, 2))),
              c1(vec(u1, 0).dot(vec(u1, 2))),
              s1(vec(u1, 1).dot(vec(u1, 2))),
              cross(c0 * s1 - s0 * c1),
              along(c0 * c1 + s0 * s1),
              turn(std::atan2(cross, along)),
              length(std::hypot(cross, along)) {
            // x / sin x, which is 1 + x^2 / 6 + 7 x^4 / 360 + ...
            by_sine = is_small() ? 1.0 + turn * turn *
                                             (1.0 + 0.35 / 3.0 * turn * turn +
                                              31.0 / 2520.0 * turn * turn * turn * turn) /
                                             6.0
                                 : turn / std::sin(turn);
            factor = by_sine / length;
        }
        bool is_small() const { return std::abs(turn) < 1e-2; }
        double c() const { return 0.5 * (c0 + c1); }
        double s() const { return 0.5 * (s0 + s1); }
        /// d by_sine / d turn
        double slope() const {
            if (is_small())
                return turn *
                       (1.0 + 0.7 / 3.0 * turn * turn + 31.0 / 840.0 * turn * turn * turn * turn) /
                       3.0;
            return (1.0 - by_sine * std::cos(turn)) / std::sin(turn);
        }
        double c0, s0, c1, s1, cross, along, turn, length;
        double by_sine, factor;
    };
    /// With f the factor, x, y and a the vectors in the middle and c and s means over the step,
    ///   D = f (-s a, c a, c y - s x),
    /// so that dD has a part by df, by dc and ds, and by da, dx and dy, which are half of those at
    /// the end: dc_1 = a_1 . dx_1 + x_1 . da_1, ds_1 likewise with y.
    void add_step_hessian_of_angle(
        const double* u0, const double* mid, const double* u1, double factor, double* H) const {
        constexpr std::size_t n = 9;
        const StepTurn turn(u0, u1);
        Scalars dc{}, ds{};
        put(vec(u1, 2), dc.data(), 0);
        put(vec(u1, 0), dc.data(), 2);
        put(vec(u1, 2), ds.data(), 1);
        put(vec(u1, 1), ds.data(), 2);
        // df = (b' dturn - f dlength) / length
        const double square = turn.length * turn.length;
        const double by_cross =
            (turn.slope() * turn.along / turn.length - turn.factor * turn.cross) / square;
        const double by_along =
            (-turn.slope() * turn.cross / turn.length - turn.factor * turn.along) / square;
        const double by_c = by_along * turn.c0 - by_cross * turn.s0;
        const double by_s = by_cross * turn.c0 + by_along * turn.s0;
        const double f = turn.factor, c = turn.c(), s = turn.s();
        Scalars of_f{}, of_c{}, of_s{};  // dD by f, c and s
        put(-s * vec(mid, 2), of_f.data(), 0);
        put(c * vec(mid, 2), of_f.data(), 1);
        put(c * vec(mid, 1) - s * vec(mid, 0), of_f.data(), 2);
        put(f * vec(mid, 2), of_c.data(), 1);
        put(f * vec(mid, 1), of_c.data(), 2);
        put(-f * vec(mid, 2), of_s.data(), 0);
        put(-f * vec(mid, 0), of_s.data(), 2);
        for (std::size_t i = 0; i < n; ++i) {
            const double at_c = factor * (of_f[i] * by_c + 0.5 * of_c[i]);
            const double at_s = factor * (of_f[i] * by_s + 0.5 * of_s[i]);
            for (std::size_t j = 0; j < n; ++j) H[i * n + j] += at_c * dc[j] + at_s * ds[j];
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const double half = 0.5 * factor * f;
            H[k * n + 6 + k] -= half * s;
            H[(3 + k) * n + 6 + k] += half * c;
            H[(6 + k) * n + 3 + k] += half * c;
            H[(6 + k) * n + k] -= half * s;
        }
    }
    /// H += factor df/dx, by central differences relative to the size of x or `scale`.
    template <class F>
    void add_differences(
        const Scalars& x, double factor, double* H, const F& f, double scale = 0.0) const {
        const std::size_t n = num_scalars();
        for (std::size_t i = 0; i < n; ++i) scale = std::max(scale, std::abs(x[i]));
        const double step = 6e-6 * scale;
        for (std::size_t j = 0; j < n; ++j) {
            Scalars up = x, down = x;
            up[j] += step;
            down[j] -= step;
            const Scalars above = f(up), below = f(down);
            for (std::size_t i = 0; i < n; ++i)
                H[i * n + j] += factor * (above[i] - below[i]) / (2.0 * step);
        }
    }

    static double between(const double* u) {
        return std::atan2(vec(u, 0).cross(vec(u, 1)).norm(), vec(u, 0).dot(vec(u, 1)));
    }
    /// The direction of a vector that moves uniformly, with its derivatives.
    struct Turning {
        Turning(const Vec3& x, const Vec3& dx) : unit(x.normalized()) {
            const double length = x.norm();
            const double stretch = unit.dot(dx);
            rate = (dx - stretch * unit) / length;
            second = -(2.0 * stretch * rate + rate.dot(dx) * unit) / length;
        }
        Vec3 unit, rate, second;
    };
    /// 1 / |x| at both ends of a step, and its increment by that of x.x, exactly.
    struct Reciprocal {
        Reciprocal(double begin, double end)
            : first(1.0 / begin), last(1.0 / end), by_square(-first * last / (begin + end)) {}
        double mean() const { return 0.5 * (first + last); }
        double first, last, by_square;
    };

    MeasureKind kind_ = MeasureKind::distance;
};

}  // namespace ancora
