// SPDX-License-Identifier: BSD-3-Clause
// W, W' and W'' of a film.
#include "film.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ancora::membrane {

// Wrinkles that turn by less over a step do so smoothly enough for Gauss' formula.
constexpr double kSlowTurn = 2.0;

/// E in polar form: E_1,2 = mean +- radius, with the direction (c, s) of twice the angle of n_1.
struct Film::Principal {
    double mean, radius;
    double c, s;
    double largest() const { return mean + radius; }
    double least() const { return mean - radius; }
};

Film::Film(const Numbers& numbers, std::span<const double> volumes)
    : numbers_(numbers), areal_(numbers.areal()), shear_(numbers.shear()), volumes_(volumes) {}

Film::Principal Film::principal(std::span<const double> pi) const {
    const double half = 0.5 * pi[1], shear = 0.5 * pi[2];
    Principal out{0.5 * pi[0], std::sqrt(half * half + shear * shear), 1.0, 0.0};
    if (out.radius > 0.0) {
        out.c = half / out.radius;
        out.s = shear / out.radius;
    }
    return out;
}

Film::State Film::state(std::span<const double> pi) const {
    if (!numbers_.tension_only) return State::taut;
    const Principal at = principal(pi);
    if (at.largest() <= 0.0) return State::slack;
    return at.least() + numbers_.poisson * at.largest() < 0.0 ? State::wrinkled : State::taut;
}

double Film::potential(int item,
                       std::span<const double> pi,
                       std::span<double> stress,
                       std::span<double> stiffness) const {
    const double volume = volumes_[item];
    const Principal at = principal(pi);
    const double nu = numbers_.poisson;
    const bool is_slack = numbers_.tension_only && at.largest() <= 0.0;
    const bool is_wrinkled =
        numbers_.tension_only && !is_slack && at.least() + nu * at.largest() < 0.0;
    if (is_slack) {
        for (double& x : stress) x = 0.0;
        for (double& x : stiffness) x = 0.0;
        return 0.0;
    }
    if (!is_wrinkled) {
        const double k = volume * areal_, G = volume * shear_;
        const std::array<double, 3> s = {k * pi[0], G * pi[1], G * pi[2]};
        if (!stress.empty()) std::ranges::copy(s, stress.begin());
        if (!stiffness.empty()) {
            const std::array<double, 9> D = {k, 0.0, 0.0, 0.0, G, 0.0, 0.0, 0.0, G};
            std::ranges::copy(D, stiffness.begin());
        }
        return 0.5 * (s[0] * pi[0] + s[1] * pi[1] + s[2] * pi[2]);
    }
    // dE_1/dpi = n, and d2E_1/dpi2 = t t / radius
    const double k = volume * numbers_.young;
    const double E1 = at.largest();
    const std::array<double, 3> n = {0.5, 0.5 * at.c, 0.5 * at.s};
    if (!stress.empty())
        for (std::size_t i = 0; i < 3; ++i) stress[i] = k * E1 * n[i];
    if (!stiffness.empty()) {
        const std::array<double, 3> t = {0.0, -0.5 * at.s, 0.5 * at.c};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                stiffness[3 * i + j] = k * (n[i] * n[j] + E1 / at.radius * t[i] * t[j]);
    }
    return 0.5 * k * E1 * E1;
}

int Film::discontinuities(int,
                          std::span<const double> pi0,
                          std::span<const double> dpi,
                          std::span<double> theta) const {
    if (!numbers_.tension_only) return 0;
    // mean, half difference and shear along the way, each begin + theta change
    const double m = 0.5 * pi0[0], dm = 0.5 * dpi[0];
    const double a = 0.5 * pi0[1], da = 0.5 * dpi[1];
    const double b = 0.5 * pi0[2], db = 0.5 * dpi[2];
    int count = 0;
    // radius^2 = (f mean)^2 where f mean >= 0
    const auto add = [&](double f) {
        const double c2 = da * da + db * db - f * f * dm * dm;
        const double c1 = a * da + b * db - f * f * m * dm;
        const double c0 = a * a + b * b - f * f * m * m;
        const double root = c1 * c1 - c2 * c0;
        if (!(root > 0.0)) return;
        const double q = -(c1 + std::copysign(std::sqrt(root), c1));
        for (const double at : {q / c2, c0 / q})
            if (at > 0.0 && at < 1.0 && f * (m + at * dm) > 0.0) theta[count++] = at;
    };
    add(-1.0);
    add((1.0 + numbers_.poisson) / (1.0 - numbers_.poisson));
    // Where radius is least, wrinkles turn within some w = radius / |d radius|.
    const double square = da * da + db * db;
    if (square > 0.0) {
        const double nearest = -(a * da + b * db) / square;
        const double width = std::abs(a * db - b * da) / square;
        if (width < kSlowTurn)
            for (const double at : {nearest - 2.0 * width, nearest, nearest + 2.0 * width})
                if (at > 0.0 && at < 1.0) theta[count++] = at;
    }
    std::sort(theta.begin(), theta.begin() + count);
    return count;
}

double largest_stress(double s11, double s22, double s12) {
    return 0.5 * (s11 + s22) + std::hypot(0.5 * (s11 - s22), s12);
}

}  // namespace ancora::membrane
