// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of measures over steps, against differences.
#include "ancora/sdk/helpers/measure_function.hpp"

#include <array>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

namespace ancora {
namespace {

using Scalars = std::array<double, MeasureFunction::kMostScalars>;

Scalars gradient_of_step(const MeasureFunction& measure, const Scalars& u0, const Scalars& du) {
    Scalars mid{}, u1{}, D{};
    for (std::size_t i = 0; i < measure.num_scalars(); ++i) {
        mid[i] = u0[i] + 0.5 * du[i];
        u1[i] = u0[i] + du[i];
    }
    measure.step_gradient(u0.data(), mid.data(), u1.data(), D.data());
    return D;
}

}  // namespace

TEST_SUITE("measures over steps") {
    TEST_CASE("the derivative of a step's gradient is that of its differences") {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (const MeasureKind kind : {MeasureKind::distance,
                                       MeasureKind::displacement,
                                       MeasureKind::angle,
                                       MeasureKind::between})
            // Steps by little, where quotients are series, and by much.
            for (const double size : {0.0, 1e-9, 1e-3, 1e-2, 0.1, 0.4})
                for (int trial = 0; trial < 20; ++trial) {
                    const MeasureFunction measure(kind);
                    const std::size_t n = measure.num_scalars();
                    Scalars u0{}, du{};
                    for (std::size_t i = 0; i < n; ++i) {
                        // Vectors near the axes, so that none is short and steps turn by less than
                        // half a turn.
                        u0[i] = (i % 4 == 0 ? 1.0 : 0.0) + 0.3 * uniform(random);
                        du[i] = size * uniform(random);
                    }
                    if (kind == MeasureKind::angle) {
                        // about z, from x and y of the other side
                        const double angle = 3.0 * uniform(random);
                        u0[0] = std::cos(angle);
                        u0[1] = std::sin(angle);
                        u0[3] = -std::sin(angle);
                        u0[4] = std::cos(angle);
                        u0[6] = 1.0;
                        u0[7] = 0.2 * uniform(random);
                        u0[8] = 0.2 * uniform(random);
                    }
                    const double factor = 1.0 + uniform(random);
                    std::array<double, 81> H{};
                    measure.add_step_hessian(u0.data(), du.data(), factor, H.data());
                    constexpr double kMove = 1e-5;
                    double largest = 0.0;
                    for (const double x : H) largest = std::max(largest, std::abs(x));
                    for (std::size_t j = 0; j < n; ++j) {
                        Scalars up = du, down = du;
                        up[j] += kMove;
                        down[j] -= kMove;
                        const Scalars above = gradient_of_step(measure, u0, up);
                        const Scalars below = gradient_of_step(measure, u0, down);
                        for (std::size_t i = 0; i < n; ++i) {
                            const double exact = factor * (above[i] - below[i]) / (2.0 * kMove);
                            CAPTURE(size);
                            CAPTURE(i);
                            CAPTURE(j);
                            CHECK(std::abs(H[i * n + j] - exact) <= 1e-7 * (1.0 + largest));
                        }
                    }
                }
    }
}

}  // namespace ancora
