// SPDX-License-Identifier: BSD-3-Clause
// The fit of a rigid motion.
#include "steady_spin.hpp"

#include <algorithm>
#include <array>

#include <Eigen/QR>
#include <fmt/format.h>

#include "linear_equations.hpp"

namespace ancora {
namespace {

// Slower than this part of the model's size in a second counts as rest.
constexpr double kNoSpin = 1e-9;
// A motion that differs by less from a spin, or an acceleration from that of one, is steady.
constexpr double kSteadySpin = 1e-6;

}  // namespace

SteadySpin spin_of(const KernelSystem& system, const char* what) {
    const Assembly& parts = system.parts();
    SteadySpin out;
    const Eigen::Map<const Eigen::VectorXd> q(system.q().data(), parts.n);
    const Eigen::Map<const Eigen::VectorXd> v(system.v().data(), parts.n);
    if (parts.space.displacement(v.data()) <= kNoSpin * system.state().extent) return out;
    Eigen::MatrixXd rigid(parts.n, 6);
    for (int axis = 0; axis < 3; ++axis) {
        rigid.col(axis) = parts.space.rotation(q.data(), axis);
        std::array<double, 3> along{};
        along[static_cast<std::size_t>(axis)] = 1.0;
        Eigen::VectorXd translation = Eigen::VectorXd::Zero(parts.n);
        parts.space.add_uniform(along, translation.data());
        rigid.col(3 + axis) = translation;
    }
    const Eigen::VectorXd x = rigid.completeOrthogonalDecomposition().solve(v);
    const Eigen::VectorXd rest = v - rigid * x;
    if (rest.norm() > kSteadySpin * v.norm())
        throw Error(
            ErrorKind::numerical,
            fmt::format(
                "{}: the model moves, and not as one that spins steadily about an axis; take "
                "--at-rest, or a time at which it is at rest or in steady spin",
                what));
    out.is_spinning = x.head<3>().norm() > 0.0;
    out.rate = x.head<3>();
    out.S = rotation_of_space(system, out.rate);
    out.offset = rigid.rightCols(3) * x.tail<3>();
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
