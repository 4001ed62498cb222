// SPDX-License-Identifier: BSD-3-Clause
// Polar decomposition by Newton's iteration, and the angular velocity of its rotation.
#include "attitude.hpp"

#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

namespace ancora::ancf {

Polar polar_decomposition(const Mat3& F) {
    // A step squares the error, so that rounding is what remains after one with a change below this
    constexpr double kLastChange = 1e-8;
    constexpr int kMaxIterations = 60;

    Mat3 X = F;
    for (int k = 0; k < kMaxIterations; ++k) {
        // X^-T = [x2 x x3, x3 x x1, x1 x x2] / det X
        Mat3 Y;
        Y.col(0) = X.col(1).cross(X.col(2));
        Y.col(1) = X.col(2).cross(X.col(0));
        Y.col(2) = X.col(0).cross(X.col(1));
        const double det = X.col(0).dot(Y.col(0));
        if (!(det > 0.0))
            throw std::domain_error(
                "the base vectors are no right-handed frame any more: the body was pressed flat or "
                "turned inside out; use a larger \"penalty\" or a shorter step");
        Y /= det;

        const double change = (Y - X).cwiseAbs().maxCoeff();
        X = 0.5 * (X + Y);
        if (change < kLastChange) break;
    }

    const Mat3 U = X.transpose() * F;
    return {X, 0.5 * (U + U.transpose())};
}

Vec3 angular_velocity(const Polar& frame, const Mat3& rate) {
    const Mat3 G = frame.R.transpose() * rate;
    const Vec3 spin(G(2, 1) - G(1, 2), G(0, 2) - G(2, 0), G(1, 0) - G(0, 1));
    const Mat3 N = frame.U.trace() * Mat3::Identity() - frame.U;
    return N.ldlt().solve(spin);
}

}  // namespace ancora::ancf
