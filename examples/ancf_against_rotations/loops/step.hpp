// SPDX-License-Identifier: BSD-3-Clause
// What the loops by hand have in common: the unknowns of a step with their past, and the six rows
// of a rigid body in base vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <Eigen/Core>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace ancora::by_hand {

using Vec = Eigen::Vector3d;
using Sum = long double;  // of energies; ten thousand equal terms round all in the same direction

constexpr double kTolerance = 1e-12;  // [m] of a correction, that of emm
constexpr double kLeft = 1e-15;       // [m] what accepted positions may still miss
constexpr int kMostIterations = 50;
constexpr long kKnownPast = 5;  // steps from which the next one is extrapolated

/// While it lives, numbers below 1e-308 count as zero. What the hung end of a chain does to bodies
/// far from it becomes as small as that, and such numbers cost a hundred times as much as others.
class WithoutDenormals {
public:
    WithoutDenormals() { set(before_ | kFlush); }
    ~WithoutDenormals() { set(before_); }
    WithoutDenormals(const WithoutDenormals&) = delete;
    WithoutDenormals& operator=(const WithoutDenormals&) = delete;

private:
    static constexpr unsigned kFlush = 0x8040;  // results, and what is read
#ifdef __SSE2__
    static unsigned get() {
        return _mm_getcsr();
    }
    static void set(unsigned mode) {
        _mm_setcsr(mode);
    }
#else
    static unsigned get() {
        return 0;
    }
    static void set(unsigned) {}
#endif
    unsigned before_ = get();
};

/// Says when a step is solved: its last correction is small, and what it leaves, by the rate at
/// which corrections shrink, is rounding. The rate is that of the last step that measured one.
class Convergence {
public:
    /// @param k           corrections of this step before this one
    /// @param correction  [m]
    /// @throws std::runtime_error if the iteration fails
    bool is_reached(int k, double correction) {
        if (k == kMostIterations || !std::isfinite(correction))
            throw std::runtime_error("a loop by hand has not solved its step");
        if (k > 0 && last_ > kTolerance) rate_ = std::min(1.0, correction / last_);
        last_ = correction;
        return correction <= kTolerance && rate_ * correction <= kLeft;
    }

private:
    double rate_ = 1.0;
    double last_ = 0.0;
};

/// Unknowns of the steps before this one.
template <std::size_t Size>
class Past {
public:
    /// From the x of step number `step` to that of the next. Mean accelerations and stresses of
    /// constrained motion alternate a little from step to step; this is exact for alternation on a
    /// cubic course.
    void predict(long step, std::array<double, Size>& x) {
        const std::array<double, Size>& x1 = at(step + 3);
        const std::array<double, Size>& x2 = at(step + 2);
        const std::array<double, Size>& x3 = at(step + 1);
        std::array<double, Size>& x4 = at(step);
        if (step + 1 < kKnownPast) {
            x4 = x;
            return;
        }
        for (std::size_t i = 0; i < Size; ++i) {
            const double x0 = x[i];
            x[i] = 3.0 * (x0 + x3[i]) - 2.0 * (x1[i] + x2[i]) - x4[i];
            x4[i] = x0;
        }
    }

private:
    std::array<double, Size>& at(long step) { return x_[static_cast<std::size_t>(step) % 4]; }

    std::array<std::array<double, Size>, 4> x_{};
};

/// Base vectors e_j of a body with the rows e_j.e_j / 2 and e_j.e_k, in the order 11, 22, 33, 12,
/// 23, 31. The matrix B M^-1 B^T is diagonal where they are orthonormal, and at the middle of a
/// step it is so to the square of the angle that the body turns by in it.
struct RigidRows {
    std::array<double, 3> moments;  // J_j = int x_j^2 dm [kg m^2]
    std::array<double, 3> inverse;
    std::array<double, 6> stiffness;  // 1 / (B M^-1 B^T)

    /// Of a box.
    RigidRows(double mass, const Vec& size) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double side = size[static_cast<Eigen::Index>(j)];
            moments[j] = mass * side * side / 12.0;
            inverse[j] = 1.0 / moments[j];
            stiffness[j] = moments[j];
        }
        for (std::size_t j = 0; j < 3; ++j)
            stiffness[3 + j] = 1.0 / (inverse[j] + inverse[(j + 1) % 3]);
    }

    /// a -= M^-1 B(e)^T s
    void push(const std::array<Vec, 3>& e, const double* s, std::array<Vec, 3>& a) const {
        a[0] -= inverse[0] * (s[0] * e[0] + s[3] * e[1] + s[5] * e[2]);
        a[1] -= inverse[1] * (s[3] * e[0] + s[1] * e[1] + s[4] * e[2]);
        a[2] -= inverse[2] * (s[5] * e[0] + s[4] * e[1] + s[2] * e[2]);
    }
    /// ds = (B M^-1 B^T)^-1 B(e) x
    void stress(const std::array<Vec, 3>& e, const std::array<Vec, 3>& x, double* ds) const {
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t k = (j + 1) % 3;
            ds[j] = stiffness[j] * e[j].dot(x[j]);
            ds[3 + j] = stiffness[3 + j] * (e[j].dot(x[k]) + e[k].dot(x[j]));
        }
    }
};

/// A chain of equal boxes on ball joints along their first axes, the first hung from the origin,
/// which turns as a whole about that.
struct ChainStart {
    int count = 0;
    Vec size = Vec::Ones();
    double density = 1.0;
    Vec gravity = Vec::Zero();
    Eigen::Matrix3d attitude = Eigen::Matrix3d::Identity();
    Vec turn = Vec::Zero();  // [rad/s]

    double mass() const { return density * size.prod(); }
    Vec centre(int i) const { return (i + 0.5) * size.x() * attitude.col(0); }
};

/// The larger of both; what is no number is larger than any.
inline void raise(double& largest, double x) {
    if (!(x <= largest)) largest = x;
}

inline Eigen::Map<Vec> vec(double* x) {
    return Eigen::Map<Vec>(x);
}
inline Eigen::Map<const Vec> vec(const double* x) {
    return Eigen::Map<const Vec>(x);
}

}  // namespace ancora::by_hand
