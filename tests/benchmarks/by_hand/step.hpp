// SPDX-License-Identifier: BSD-3-Clause
// What the loops by hand have in common: the unknowns of a step with their past, and the six rows
// of a rigid body in base vectors.
#pragma once

#include <array>
#include <cstddef>

#include <Eigen/Core>

namespace ancora::by_hand {

using Vec = Eigen::Vector3d;

constexpr double kTolerance = 1e-12;  // [m] of a correction, that of emm
constexpr int kMostIterations = 50;
constexpr long kKnownPast = 4;  // steps from which the next one is extrapolated

/// Unknowns of a step and those of the steps before it.
template <std::size_t Size>
class Past {
public:
    /// @param steps taken so far
    double* now(long steps) { return at(steps).data(); }
    const double* now(long steps) const { return x_[slot(steps)].data(); }

    /// Those of step number `steps`. Mean accelerations and stresses of constrained motion
    /// alternate a little from step to step; this is exact for alternation on a quadratic course.
    void predict(long steps) {
        std::array<double, Size>& x = at(steps);
        const std::array<double, Size>& x0 = at(steps + 3);
        if (steps < kKnownPast) {
            x = x0;
            return;
        }
        const std::array<double, Size>& x2 = at(steps + 1);
        for (std::size_t i = 0; i < Size; ++i) x[i] = 2.0 * (x0[i] - x2[i]) + x[i];
    }

private:
    static std::size_t slot(long steps) { return static_cast<std::size_t>(steps) % 4; }
    std::array<double, Size>& at(long steps) { return x_[slot(steps)]; }

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

inline Eigen::Map<Vec> vec(double* x) {
    return Eigen::Map<Vec>(x);
}
inline Eigen::Map<const Vec> vec(const double* x) {
    return Eigen::Map<const Vec>(x);
}

}  // namespace ancora::by_hand
