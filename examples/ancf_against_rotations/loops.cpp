// SPDX-License-Identifier: BSD-3-Clause
// The free top of the study in three loops by hand, without a framework around them: rotations by a
// conserving midpoint rule and its compositions, base vectors by the energy-momentum step, and
// quaternions by the classical Runge-Kutta method.
//
//     c++ -std=c++20 -O2 -o loops loops.cpp && ./loops END REPEATS
//
// Writes a line for each method and step: name, order, step, steps, iterations, median of the CPU
// time [s], largest relative changes of energy and angular momentum, and where the ends of the
// three base vectors are.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <type_traits>
#include <vector>

namespace {

using Vec = std::array<double, 3>;
using Rotation = std::array<double, 4>;  // unit quaternion, body to inertial axes

// Table 1 of Sugano's paper: box of 3 x 2 x 1 m.
constexpr Vec kInertia{6750.0, 13500.0, 17550.0};   // kg m^2
constexpr Vec kDirectors{12150.0, 5400.0, 1350.0};  // (J_j + J_k - J_i) / 2
constexpr Vec kSpin{0.3, 0.5, 0.8};                 // rad/s, body axes

Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vec& a, const Vec& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vec over_inertia(const Vec& x) {
    return {x[0] / kInertia[0], x[1] / kInertia[1], x[2] / kInertia[2]};
}

Rotation product(const Rotation& p, const Rotation& q) {
    return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}
Vec turned(const Rotation& p, const Vec& x) {
    const Vec u{p[1], p[2], p[3]};
    const Vec t = cross(u, x), tt = cross(u, t);
    const double s = 2.0 / (p[0] * p[0] + dot(u, u));
    return {x[0] + s * (p[0] * t[0] + tt[0]),
            x[1] + s * (p[0] * t[1] + tt[1]),
            x[2] + s * (p[0] * t[2] + tt[2])};
}

/// What a run shows at its end.
struct End {
    std::array<Vec, 3> axes{};
    double energy = 0.0;
    Vec momentum{};  // angular, inertial axes
    long iterations = 0;
};

/// Coefficients of symmetric compositions: the first half and the middle.
const std::vector<double>& coefficients(int order) {
    static const std::vector<double> two{1.0};
    static const std::vector<double> four{
        0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857};
    static const std::vector<double> six{0.39216144400731413928,
                                         0.33259913678935943860,
                                         -0.70624617255763935981,
                                         0.082213596293550800230,
                                         0.79854399093492996340};
    static const std::vector<double> eight{0.13020248308889008088,
                                           0.56116298177510838456,
                                           -0.38947496264484728641,
                                           0.15884190655515560090,
                                           -0.39590389413323757734,
                                           0.18453964097831570709,
                                           0.25837438768632204729,
                                           0.29501172360931029887,
                                           -0.60550853383003451170};
    return order == 4 ? four : order == 6 ? six : order == 8 ? eight : two;
}

/// The midpoint rule on angular momentum L in body axes, L1 - L0 = h Lm x w with w = Lm / J, and
/// the attitude by Cayley's map of h w: energy and angular momentum are kept exactly, and the step
/// is its own mirror image, so that compositions have their full order without further ado.
struct Midpoint {
    Rotation p{1.0, 0.0, 0.0, 0.0};
    Vec L{kInertia[0] * kSpin[0], kInertia[1] * kSpin[1], kInertia[2] * kSpin[2]};
    long iterations = 0;

    void step(double h) {
        Vec w = over_inertia(L), x = L;
        for (int k = 0; k < 20; ++k) {
            const Vec m{0.5 * (L[0] + x[0]), 0.5 * (L[1] + x[1]), 0.5 * (L[2] + x[2])};
            w = over_inertia(m);
            const Vec c = cross(m, w);
            const Vec r{x[0] - L[0] - h * c[0], x[1] - L[1] - h * c[1], x[2] - L[2] - h * c[2]};
            // d (m x w) = (-w^ + m^ / J) dm
            const double g = 0.5 * h;
            const Vec j{1.0 / kInertia[0], 1.0 / kInertia[1], 1.0 / kInertia[2]};
            const Vec a{1.0, -g * (w[2] - m[2] * j[1]), -g * (-w[1] + m[1] * j[2])};
            const Vec b{-g * (-w[2] + m[2] * j[0]), 1.0, -g * (w[0] - m[0] * j[2])};
            const Vec d{-g * (w[1] - m[1] * j[0]), -g * (-w[0] + m[0] * j[1]), 1.0};
            const Vec bd = cross(b, d), da = cross(d, a), ab = cross(a, b);
            const double inverse = 1.0 / dot(a, bd);
            double largest = 0.0;
            for (std::size_t i = 0; i < 3; ++i) {
                const double dx = inverse * (bd[i] * r[0] + da[i] * r[1] + ab[i] * r[2]);
                x[i] -= dx;
                largest = std::max(largest, std::abs(dx));
            }
            ++iterations;
            if (largest < 1e-11 * kInertia[2]) break;
        }
        const Vec m{0.5 * (L[0] + x[0]), 0.5 * (L[1] + x[1]), 0.5 * (L[2] + x[2])};
        w = over_inertia(m);
        const double s = 1.0 / std::sqrt(1.0 + 0.25 * h * h * dot(w, w));
        p = product(p, {s, 0.5 * h * s * w[0], 0.5 * h * s * w[1], 0.5 * h * s * w[2]});
        L = x;
    }
    End end() const {
        End out;
        for (std::size_t i = 0; i < 3; ++i) {
            Vec e{};
            e[i] = 1.0;
            out.axes[i] = turned(p, e);
        }
        out.energy = 0.5 * dot(L, over_inertia(L));
        out.momentum = turned(p, L);
        out.iterations = iterations;
        return out;
    }
};

/// Quaternion and spin by the classical Runge-Kutta method, the quaternion's norm put right.
struct RungeKutta {
    using State = std::array<double, 7>;
    State x{1.0, 0.0, 0.0, 0.0, kSpin[0], kSpin[1], kSpin[2]};

    static State rate(const State& x) {
        const Vec w{x[4], x[5], x[6]};
        const Rotation dp = product({x[0], x[1], x[2], x[3]}, {0.0, w[0], w[1], w[2]});
        const Vec dw =
            over_inertia(cross({kInertia[0] * w[0], kInertia[1] * w[1], kInertia[2] * w[2]}, w));
        return {0.5 * dp[0], 0.5 * dp[1], 0.5 * dp[2], 0.5 * dp[3], dw[0], dw[1], dw[2]};
    }
    static State moved(const State& x, double h, const State& k) {
        State y = x;
        for (std::size_t i = 0; i < 7; ++i) y[i] += h * k[i];
        return y;
    }
    void step(double h) {
        const State a = rate(x), b = rate(moved(x, 0.5 * h, a)), c = rate(moved(x, 0.5 * h, b)),
                    d = rate(moved(x, h, c));
        for (std::size_t i = 0; i < 7; ++i)
            x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
        const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        for (std::size_t i = 0; i < 4; ++i) x[i] /= norm;
    }
    End end() const {
        Midpoint as;
        as.p = {x[0], x[1], x[2], x[3]};
        as.L = {kInertia[0] * x[4], kInertia[1] * x[5], kInertia[2] * x[6]};
        return as.end();
    }
};

/// Base vectors with constant masses and the six rows e_i.e_j = delta_ij, by the energy-momentum
/// step. Near e_i.e_j = delta_ij the matrix that S_ij is corrected by is diagonal.
struct Directors {
    std::array<Vec, 3> e{Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}};
    std::array<Vec, 3> v{cross(kSpin, e[0]), cross(kSpin, e[1]), cross(kSpin, e[2])};
    std::array<double, 9> S{}, S_before{};
    long iterations = 0;
    bool is_begun = false;

    void step(double h) {
        std::array<double, 9> s = S;
        if (is_begun)
            for (std::size_t k = 0; k < 9; ++k) s[k] = 2.0 * S[k] - S_before[k];
        std::array<Vec, 3> x = e, a{};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t c = 0; c < 3; ++c) x[i][c] += h * v[i][c];
        for (int k = 0; k < 60; ++k) {
            std::array<Vec, 3> mean;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t c = 0; c < 3; ++c) mean[i][c] = 0.5 * (e[i][c] + x[i][c]);
            double moved = 0.0;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t c = 0; c < 3; ++c) {
                    a[i][c] = -(s[3 * i] * mean[0][c] + s[3 * i + 1] * mean[1][c] +
                                s[3 * i + 2] * mean[2][c]) /
                              kDirectors[i];
                    const double next = e[i][c] + h * (v[i][c] + 0.5 * h * a[i][c]);
                    moved = std::max(moved, std::abs(next - x[i][c]));
                    x[i][c] = next;
                }
            double largest = 0.0;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = i; j < 3; ++j) {
                    const double gap = dot(x[i], x[j]) - (i == j ? 1.0 : 0.0);
                    largest = std::max(largest, std::abs(gap));
                    const double ds =
                        2.0 * gap / (h * h * (1.0 / kDirectors[i] + 1.0 / kDirectors[j]));
                    s[3 * i + j] += ds;
                    if (i != j) s[3 * j + i] += ds;
                }
            ++iterations;
            if (largest < 1e-12 && moved < 1e-12) break;
        }
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t c = 0; c < 3; ++c) v[i][c] += h * a[i][c];
        e = x;
        S_before = is_begun ? S : s;
        S = s;
        is_begun = true;
    }
    End end() const {
        End out;
        out.axes = e;
        for (std::size_t i = 0; i < 3; ++i) {
            out.energy += 0.5 * kDirectors[i] * dot(v[i], v[i]);
            const Vec l = cross(e[i], v[i]);
            for (std::size_t c = 0; c < 3; ++c) out.momentum[c] += kDirectors[i] * l[c];
        }
        out.iterations = iterations;
        return out;
    }
};

double cpu_now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Method>
void measure(const char* name, int order, double h, double end, int repeats) {
    std::vector<double> parts{1.0};
    if constexpr (!std::is_same_v<Method, RungeKutta>) {
        parts = coefficients(order);
        for (std::size_t i = parts.size() - 1; i > 0; --i) parts.push_back(parts[i - 1]);
    }
    const long count = std::lround(end / h);
    std::vector<double> times;
    Method start, method;
    for (int r = 0; r < repeats; ++r) {
        method = start;
        const double begin = cpu_now();
        for (long k = 0; k < count; ++k)
            for (const double part : parts) method.step(part * h);
        times.push_back(cpu_now() - begin);
    }
    std::sort(times.begin(), times.end());
    const End before = start.end(), after = method.end();
    const Vec d{after.momentum[0] - before.momentum[0],
                after.momentum[1] - before.momentum[1],
                after.momentum[2] - before.momentum[2]};
    std::printf("%s,%d,%.17g,%ld,%ld,%.9g,%.3g,%.3g",
                name,
                order,
                h,
                count * static_cast<long>(parts.size()),
                after.iterations,
                times[times.size() / 2],
                std::abs(after.energy / before.energy - 1.0),
                std::sqrt(dot(d, d) / dot(before.momentum, before.momentum)));
    for (const Vec& axis : after.axes)
        for (const double x : axis) std::printf(",%.17g", x);
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: loops END REPEATS\n", stderr);
        return 2;
    }
    const double end = std::atof(argv[1]);
    const int repeats = std::max(1, std::atoi(argv[2]));
    for (const double h : {0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001}) {
        measure<Midpoint>("rotation midpoint", 2, h, end, repeats);
        measure<Directors>("base vectors", 2, h, end, repeats);
        measure<RungeKutta>("quaternion rk4", 4, h, end, repeats);
    }
    for (const double h : {1.0, 0.5, 0.25, 0.125})
        for (const int order : {4, 6, 8})
            measure<Midpoint>("rotation midpoint", order, h, end, repeats);
    return 0;
}
