// SPDX-License-Identifier: BSD-3-Clause
// Fixed-point iteration for the stretch of a steady spin.
#include "relaxed_start.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace ancora::ancf {

std::optional<StretchedSpin> relaxed_spin(const Vec3& m, double D, const Vec3& w_0) {
    constexpr int kMaxPasses = 200;
    constexpr double kSettled = 1e-15;  // change of a stretch
    // Beyond it "rigid" means nothing, and the penalty is wrong rather than the start
    constexpr double kLargestStrain = 0.25;

    const Vec3 L = (m.sum() - m.array()) * w_0.array();
    StretchedSpin spin = {Mat3::Identity(), w_0};
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        // (3) and Euler's equations; least norm, since a rod has no inertia about its axis
        const Mat3 P = spin.U * m.asDiagonal() * spin.U;
        const Mat3 J = P.trace() * Mat3::Identity() - P;
        const Eigen::CompleteOrthogonalDecomposition<Mat3> inertia(J);
        spin.w = inertia.solve(L);
        const Vec3 dw = inertia.solve(L.cross(spin.w));

        // (1), (2)
        const Mat3 N =
            spin.U.inverse() * (skew(dw) + skew(spin.w) * skew(spin.w)) * spin.U * m.asDiagonal();
        const Mat3 K = -0.5 * (N + N.transpose());
        Mat3 C = K / D;
        C.diagonal() *= 2.0;
        C.diagonal().array() += 1.0;
        const Eigen::SelfAdjointEigenSolver<Mat3> squares(C);
        const bool is_small =
            (squares.eigenvalues().array() - 1.0).abs().maxCoeff() < 2.0 * kLargestStrain;
        if (!is_small) return std::nullopt;

        const Mat3 U = squares.operatorSqrt();
        const double change = (U - spin.U).cwiseAbs().maxCoeff();
        spin.U = U;
        if (change < kSettled) return spin;
    }
    return std::nullopt;
}

}  // namespace ancora::ancf
