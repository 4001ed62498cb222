// SPDX-License-Identifier: BSD-3-Clause
// The arcsine and its derivatives, W, W' and W''.
#include "bending_law.hpp"

#include <cmath>
#include <cstddef>

namespace ancora::beam {
namespace {

/// f = asin(x) / x, g = f' / x and h = g' / x, even functions of x.
struct Arcsine {
    double f, g, h;
};

Arcsine arcsine(double x) {
    // Below it the series: what it leaves out is below rounding, and the formulas lose digits
    constexpr double kSmall = 0.05;
    const double y = x * x;
    if (x < kSmall) {
        // asin(x) / x = sum of c_n x^2n
        constexpr double c[] = {1.0 / 6.0, 3.0 / 40.0, 5.0 / 112.0, 35.0 / 1152.0, 63.0 / 2816.0};
        return {
            1.0 + y * (c[0] + y * (c[1] + y * (c[2] + y * (c[3] + y * c[4])))),
            2.0 * c[0] + y * (4.0 * c[1] + y * (6.0 * c[2] + y * (8.0 * c[3] + y * 10.0 * c[4]))),
            8.0 * c[1] + y * (24.0 * c[2] + y * (48.0 * c[3] + y * 80.0 * c[4]))};
    }
    constexpr double m = BendingLaw::kMostSine;
    const double root = std::sqrt(1.0 - (x < m ? y : m * m));
    const double a = x < m ? std::asin(x) : std::asin(m) + (x - m) / root;
    const double da = 1.0 / root;
    const double d2a = x < m ? x / (root * root * root) : 0.0;
    const double f = a / x;
    const double g = (da - f) / y;
    return {f, g, (d2a / x - 3.0 * g) / y};
}

}  // namespace

Vec3 BendingLaw::angles(const Vec3& k) {
    return arcsine(k.norm()).f * k;
}

double BendingLaw::potential(int item,
                             std::span<const double> pi,
                             std::span<double> stress,
                             std::span<double> stiffness) const {
    const Item& of = items_[static_cast<std::size_t>(item)];
    const Vec3 k = vec3(pi);
    const auto [f, g, h] = arcsine(k.norm());
    const Vec3 strain = f * k - of.theta_0;
    const Vec3 moment = of.D.cwiseProduct(strain);
    // J = d theta / dk = f 1 + g k k^T
    if (!stress.empty()) vec3(stress) = f * moment + g * k.dot(moment) * k;
    if (!stiffness.empty()) {
        const Mat3 J = f * Mat3::Identity() + g * k * k.transpose();
        const double along = k.dot(moment);
        const Mat3 mixed = moment * k.transpose();
        // J D J + sum of m_i d2 theta_i / dk2
        Eigen::Map<Mat3>(stiffness.data()) =
            J * of.D.asDiagonal() * J + g * (mixed + mixed.transpose()) +
            g * along * Mat3::Identity() + h * along * k * k.transpose();
    }
    return 0.5 * strain.dot(moment);
}

}  // namespace ancora::beam
