// SPDX-License-Identifier: BSD-3-Clause
// The fit of a rigid motion.
#include "steady_spin.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <fmt/format.h>

#include "linear_equations.hpp"

namespace ancora {
namespace {

// Slower than this part of the model's size in a second counts as rest.
constexpr double kNoSpin = 1e-9;
// A motion that differs by less from a spin, or an acceleration from that of one, is steady.
constexpr double kSteadySpin = 1e-6;
constexpr double kRoundedRate = 1e-14;  // component of an axis

Eigen::MatrixXd rotations_of_space(const Space& space, const double* q, int n) {
    Eigen::MatrixXd out(n, 3);
    for (int axis = 0; axis < 3; ++axis) out.col(axis) = space.rotation(q, axis);
    return out;
}

/// Of all points that are coordinates.
Eigen::Vector3d middle_of(const Space& space, const double* q) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    int count = 0;
    for (const Space::Vector& vector : space.vectors()) {
        if (!vector.translates || !vector.is_whole()) continue;
        sum += Eigen::Vector3d(q[vector.at[0]], q[vector.at[1]], q[vector.at[2]]);
        ++count;
    }
    return count > 0 ? Eigen::Vector3d(sum / count) : sum;
}

/// The least x for which A x is nearest to v.
Eigen::VectorXd fitted(const Eigen::MatrixXd& A, const Eigen::VectorXd& v) {
    return A.completeOrthogonalDecomposition().solve(v);
}

}  // namespace

Eigen::MatrixXd translations_of_space(const Space& space, int n) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, 3);
    for (int axis = 0; axis < 3; ++axis) {
        std::array<double, 3> along{};
        along[static_cast<std::size_t>(axis)] = 1.0;
        space.add_uniform(along, out.col(axis).data());
    }
    return out;
}

SteadySpin spin_of(const KernelSystem& system, const char* what, const char* advice) {
    const Assembly& parts = system.parts();
    SteadySpin out;
    const Eigen::Map<const Eigen::VectorXd> q(system.q().data(), parts.n);
    const Eigen::Map<const Eigen::VectorXd> v(system.v().data(), parts.n);
    if (parts.space.displacement(v.data()) <= kNoSpin * system.state().extent) return out;
    const Eigen::MatrixXd rotations = rotations_of_space(parts.space, q.data(), parts.n);
    const Eigen::MatrixXd translations = translations_of_space(parts.space, parts.n);
    const Eigen::Vector3d middle = middle_of(parts.space, q.data());
    Eigen::MatrixXd about_middle = rotations;
    for (int axis = 0; axis < 3; ++axis)
        about_middle.col(axis) -= translations * Eigen::Vector3d::Unit(axis).cross(middle);
    Eigen::Vector3d drift = Eigen::Vector3d::Zero();
    const auto is_exact = [&] {
        return (v - rotations * out.rate - translations * drift).norm() <= kSteadySpin * v.norm();
    };
    const auto fit = [&](const Eigen::MatrixXd& turns) {
        drift.setZero();
        out.rate = turns * fitted(rotations * turns, v);
        if (is_exact()) return true;
        Eigen::MatrixXd both(parts.n, turns.cols() + 3);
        both << about_middle * turns, translations;
        const Eigen::VectorXd x = fitted(both, v);
        out.rate = turns * x.head(turns.cols());
        drift = x.tail<3>() - out.rate.cross(middle);
        return is_exact();
    };
    // Few points leave the axis open: that of gravity if it does, through the origin if that does,
    // else no faster than their motion about their middle tells.
    const Eigen::Vector3d gravity(parts.model.gravity.data());
    const bool has_own_axis = gravity.norm() > 0.0 && fit(gravity.normalized());
    if (!has_own_axis && !fit(Eigen::Matrix3d::Identity()))
        throw Error(ErrorKind::numerical,
                    fmt::format("{}: the model moves, and not as one that spins steadily about an "
                                "axis; {}",
                                what,
                                advice));
    for (double& component : out.rate)
        if (std::abs(component) <= kRoundedRate * out.rate.norm()) component = 0.0;
    out.is_spinning = out.rate.norm() > 0.0;
    out.S = rotation_of_space(system, out.rate);
    out.offset = translations * drift;
    return out;
}

bool is_steady(const SteadySpin& spin,
               const Eigen::VectorXd& v,
               const Eigen::VectorXd& drift,
               const Eigen::VectorXd& acceleration) {
    const Eigen::VectorXd turned = spin.S * (v - drift);
    return (acceleration - turned).norm() <=
           kSteadySpin * std::max(turned.norm(), acceleration.norm());
}

}  // namespace ancora
