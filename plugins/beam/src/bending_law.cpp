// SPDX-License-Identifier: BSD-3-Clause
// The arcsine and its derivatives, W, W' and W''.
#include "bending_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ancora::beam {
namespace {

// Below it the series: what it leaves out is below rounding, and the formulas lose digits.
constexpr double kSmall = 0.05;
// asin(x) / x = 1 + sum of c_n x^2n
constexpr double c[] = {1.0 / 6.0, 3.0 / 40.0, 5.0 / 112.0, 35.0 / 1152.0, 63.0 / 2816.0};

/// f = asin(x) / x, g = f' / x and h = g' / x, even functions of x.
struct Arcsine {
    double f, g, h;
};

/// asin, continued as a straight line
double angle_of(double x) {
    constexpr double m = BendingLaw::kMostSine;
    return x < m ? std::asin(x) : std::asin(m) + (x - m) / std::sqrt(1.0 - m * m);
}

Arcsine arcsine(double x) {
    const double y = x * x;
    if (x < kSmall)
        return {
            1.0 + y * (c[0] + y * (c[1] + y * (c[2] + y * (c[3] + y * c[4])))),
            2.0 * c[0] + y * (4.0 * c[1] + y * (6.0 * c[2] + y * (8.0 * c[3] + y * 10.0 * c[4]))),
            8.0 * c[1] + y * (24.0 * c[2] + y * (48.0 * c[3] + y * 80.0 * c[4]))};
    constexpr double m = BendingLaw::kMostSine;
    const double root = std::sqrt(1.0 - (x < m ? y : m * m));
    const double f = angle_of(x) / x;
    const double second = x < m ? x / (root * root * root) : 0.0;  // of asin
    const double g = (1.0 / root - f) / y;
    return {f, g, (second / x - 3.0 * g) / y};
}

/// f(x) - f(x_0) with an error of roundings of y - y_0 = x^2 - x_0^2, which is given.
double difference_of_f(double x, double x_0, double dy) {
    const double most = std::max(x, x_0), least = std::min(x, x_0);
    const double y = x * x, y_0 = x_0 * x_0;
    if (most < kSmall) {
        // c_n (y^n - y_0^n) = c_n (y - y_0) sum of y^i y_0^(n - 1 - i)
        double sum = 0.0, powers = 1.0, of_y = 1.0;
        for (const double coefficient : c) {
            sum += coefficient * powers;
            of_y *= y;
            powers = powers * y_0 + of_y;
        }
        return sum * dy;
    }
    constexpr double kAlike = 0.2;
    if (most > BendingLaw::kMostSine || least < kAlike * most)
        return angle_of(x) / x - (x_0 > 0.0 ? angle_of(x_0) / x_0 : 1.0);
    // asin(x) - asin(x_0) = asin(x cos_0 - x_0 cos), its argument times its conjugate is y - y_0
    const double turn = std::asin(dy / (x * std::sqrt(1.0 - y_0) + x_0 * std::sqrt(1.0 - y)));
    return (x_0 * turn - angle_of(x_0) * dy / (x + x_0)) / (x * x_0);
}

}  // namespace

// f k - f_0 k_0 = f pi + (f - f_0) k_0
Vec3 BendingLaw::angles(const Vec3& k_0, const Vec3& pi) {
    const Vec3 k = k_0 + pi;
    const double x = k.norm();
    const Vec3 own = arcsine(x).f * pi;
    if (k_0.isZero(0.0)) return own;
    // x may be zero, where k_0 is not: f = 1 then
    const double x_0 = k_0.norm();
    const double least = 1e-12 * x_0;
    return own + difference_of_f(std::max(x, least), x_0, pi.dot(k_0 + k)) * k_0;
}

void BendingLaw::require_turn(const Item& of, double x) {
    if (x < kMostSine) return;
    throw std::domain_error(
        "nodes " + std::to_string(of.nodes[0]) + " and " + std::to_string(of.nodes[1]) +
        " are turned against each other by 76 degrees or more, which is as far as the element "
        "between them bends or twists; give the beam more elements there, or check its loads, its "
        "\"section\" and \"young\"");
}

double BendingLaw::potential(int item,
                             std::span<const double> pi,
                             std::span<double> stress,
                             std::span<double> stiffness) const {
    const Item& of = items_[static_cast<std::size_t>(item)];
    const Vec3 k = of.k_0 + vec3(pi);
    const Vec3 strain = angles(of.k_0, vec3(pi));
    const Vec3 moment = of.D.cwiseProduct(strain);
    if (stress.empty() && stiffness.empty()) {
        require_turn(of, k.norm());
        return 0.5 * strain.dot(moment);
    }
    const auto [f, g, h] = arcsine(k.norm());
    const double along = k.dot(moment);
    // J = d theta / dk = f 1 + g k k^T
    if (!stress.empty()) vec3(stress) = f * moment + g * along * k;
    if (!stiffness.empty()) {
        const Mat3 J = f * Mat3::Identity() + g * k * k.transpose();
        const Mat3 mixed = moment * k.transpose();
        // J D J + sum of m_i d2 theta_i / dk2
        Eigen::Map<Mat3>(stiffness.data()) =
            J * of.D.asDiagonal() * J + g * (mixed + mixed.transpose()) +
            g * along * Mat3::Identity() + h * along * k * k.transpose();
    }
    return 0.5 * strain.dot(moment);
}

}  // namespace ancora::beam
