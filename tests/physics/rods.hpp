// SPDX-License-Identifier: BSD-3-Clause
// A clamped rod by its differential equations, whatever the program's elements are.
#pragma once

#include <array>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace ancora::testing {

/// The tip of a straight clamped beam along x with axes 1, 2 along y, z, under a force that keeps
/// its direction: the equations of a rod, integrated from the tip, whose attitude is found so that
/// the root lies along the axes (Newton).
struct Rod {
    double length, EA;
    std::array<double, 2> GA, EI;  ///< along and about axes 1, 2
    double GJ;

    Eigen::Vector3d tip(const Eigen::Vector3d& force) const {
        Eigen::Vector3d turn = Eigen::Vector3d::Zero();
        for (int iteration = 0; iteration < 20; ++iteration) {
            const Eigen::Vector3d left = root(turn, force).turn;
            if (left.norm() < 1e-12) break;
            Eigen::Matrix3d slope;
            for (int k = 0; k < 3; ++k) {
                constexpr double kPush = 1e-6;
                slope.col(k) = (root(turn + kPush * Eigen::Vector3d::Unit(k), force).turn -
                                root(turn - kPush * Eigen::Vector3d::Unit(k), force).turn) /
                               (2.0 * kPush);
            }
            turn -= slope.partialPivLu().solve(left);
        }
        return -root(turn, force).x;
    }

private:
    struct Section {
        Eigen::Vector3d x, turn;  ///< turn: of a root, its rotation vector
    };
    /// Where the root comes to be if the tip is at the origin.
    Section root(const Eigen::Vector3d& tip_turn, const Eigen::Vector3d& force) const {
        using State = Eigen::Matrix<double, 3, 5>;  // axes 1, 2 and tangent; place; moment
        State y = State::Zero();
        // Axes 1, 2 along y, z and the tangent along x
        Eigen::Matrix3d start;
        start << 0, 0, 1, 1, 0, 0, 0, 1, 0;
        y.leftCols<3>() =
            Eigen::AngleAxisd(tip_turn.norm(), tip_turn.stableNormalized()).toRotationMatrix() *
            start;
        const auto slope = [&](const State& at) {
            const Eigen::Matrix3d R = at.leftCols<3>();
            const Eigen::Vector3d n = R.transpose() * force, m = R.transpose() * at.col(4);
            const Eigen::Vector3d curvature(m(0) / EI[0], m(1) / EI[1], m(2) / GJ);
            const Eigen::Vector3d strain(n(0) / GA[0], n(1) / GA[1], 1.0 + n(2) / EA);
            State out;
            for (int k = 0; k < 3; ++k) out.col(k) = (R * curvature).cross(R.col(k));
            out.col(3) = R * strain;
            out.col(4) = -out.col(3).cross(force);
            return out;
        };
        constexpr int kSteps = 200;
        const double h = -length / kSteps;
        for (int i = 0; i < kSteps; ++i) {
            const State a = slope(y), b = slope(y + 0.5 * h * a), c = slope(y + 0.5 * h * b),
                        d = slope(y + h * c);
            y += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        }
        const Eigen::AngleAxisd left(Eigen::Matrix3d(y.leftCols<3>() * start.transpose()));
        return {y.col(3), left.angle() * left.axis()};
    }
};

}  // namespace ancora::testing
