// SPDX-License-Identifier: BSD-3-Clause
// The rod's rows against differences of phi; the motion is what model.toml is for.
#include <array>
#include <cmath>
#include <memory>

#include <ancora/sdk/plugin.hpp>
#include <ancora/sdk/testing/fake_arguments.hpp>
#include <doctest/doctest.h>

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using Six = std::array<double, 6>;

std::unique_ptr<ancora::Constraint> make_rod(double length) {
    ancora::test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
    arguments.set("a", "box@[1, 0, 0]").set("b", "ground@[0, 0, 0]").set("length", length);
    return std::unique_ptr<ancora::Constraint>(
        static_cast<ancora::Constraint*>(ancora_plugin_descriptor.types[0].create(arguments)));
}

double phi_at(const ancora::Constraint& rod, const Six& u) {
    std::array<double, 1> phi;
    rod.evaluate(0, {u, {}, 0.0}, {phi, {}, {}, {}});
    return phi[0];
}

// u0 + x du
Six along(const Six& u0, const Six& du, double x) {
    Six u;
    for (std::size_t k = 0; k < 6; ++k) u[k] = u0[k] + x * du[k];
    return u;
}

double dot(const Six& a, const Six& b) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 6; ++k) sum += a[k] * b[k];
    return sum;
}

constexpr Six kU = {1.0, 2.0, 3.0, 0.5, -1.0, 2.5};
constexpr Six kDu = {0.25, -0.5, 1.0, 2.0, 0.125, -0.75};

}  // namespace

TEST_SUITE("rod") {
    // The ends of kU are sqrt(0.25 + 9 + 0.25) m apart.
    TEST_CASE("phi vanishes at the rod's length, and is the change of length to first order") {
        const double l = std::sqrt(9.5);
        CHECK(phi_at(*make_rod(l), kU) == 0.0);
        CHECK(phi_at(*make_rod(l - 1e-6), kU) == doctest::Approx(1e-6).scale(0).epsilon(1e-6));
    }

    // Quadratic in u: A at the midpoint times du is the difference of phi without error of method.
    TEST_CASE("over a step of any size B du is the change of phi") {
        const auto rod = make_rod(2.0);
        const Six mid = along(kU, kDu, 0.5);
        const Six end = along(kU, kDu, 1.0);
        ancora::RowStep step;
        step.u0 = kU;
        step.du = kDu;
        step.mid = mid;
        step.u1 = end;
        step.h = 0.1;
        Six B;
        ancora::RowStepValues out;
        out.B = B;
        rod->evaluate_step(0, step, out);
        const double change = phi_at(*rod, end) - phi_at(*rod, kU);
        CHECK(dot(B, kDu) == doctest::Approx(change).scale(0).epsilon(1e-14));
    }

    // u(t) = kU + kDu t has u'' = 0, so phi'' = -b; differences of a quadratic are exact.
    TEST_CASE("the bias is minus the second derivative along a straight motion") {
        const auto rod = make_rod(2.0);
        std::array<double, 1> b;
        rod->evaluate(0, {kU, kDu, 0.0}, {{}, {}, {}, b});
        const double second = phi_at(*rod, along(kU, kDu, 1.0)) - 2.0 * phi_at(*rod, kU) +
                              phi_at(*rod, along(kU, kDu, -1.0));
        CHECK(b[0] == doctest::Approx(-second).scale(0).epsilon(1e-13));
    }

    // G du = s (A(u + du) - A(u)), exact for a quadratic; K stands for K (x) I_3.
    TEST_CASE("the tangent is the derivative of A^T s") {
        const auto rod = make_rod(2.0);
        const std::array<double, 1> s = {-3.0};
        std::array<double, 4> K;
        rod->evaluate_tangent(0, kU, s, false, K);
        Six A0, A1;
        rod->evaluate(0, {kU, {}, 0.0}, {{}, A0, {}, {}});
        rod->evaluate(0, {along(kU, kDu, 1.0), {}, 0.0}, {{}, A1, {}, {}});
        for (std::size_t i = 0; i < 6; ++i) {
            const double G_du = K[i / 3 * 2] * kDu[i % 3] + K[i / 3 * 2 + 1] * kDu[i % 3 + 3];
            CHECK(G_du == doctest::Approx(s[0] * (A1[i] - A0[i])).scale(0).epsilon(1e-13));
        }

        rod->evaluate_tangent(0, kU, s, true, K);
        CHECK(K == std::array<double, 4>{});
    }
}
