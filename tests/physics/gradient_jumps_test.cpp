// SPDX-License-Identifier: BSD-3-Clause
// Numbers of runs that the adjoint of the steps knows nothing of: what jumps within a step.
#include <cmath>
#include <cstddef>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "friction_models.hpp"
#include "gradient_checks.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

/// A particle that flies along x at 1 m/s into a force of its place.
std::string pushed(const std::string& force, double threshold, double step) {
    return fmt::format("[parameters]\nF = 4.0\nat = {:.17g}\n", threshold) +
           weight({0.0, 0.0, 0.0}) + particle("b", 2.0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}) +
           "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"b@0\"\nforce = [\"" +
           force + "\", \"0\", \"0\"]\n" + integrator("emm", step, 0.4);
}

TEST_CASE("a force that a condition on the state switches has no derivative, and this is said") {
    // At any step, at the borders of what is computed again too
    for (int k = 0; k < 12; ++k) {
        const double threshold = 0.1 + 0.02017 * k;
        CAPTURE(threshold);
        for (const std::size_t most_bytes : {GradientOptions().most_bytes, std::size_t{0}}) {
            const Gradient found = gradient_of(pushed("if(x > ${at}, -${F}, 0)", threshold, 2e-3),
                                               {"b.x"},
                                               {"parameters.F", "parameters.at"},
                                               GradientMethod::automatic,
                                               most_bytes);
            for (const std::size_t p : {0, 1}) {
                CHECK(has(found.entry(0, p).remark, "jumps"));
                CHECK(std::isinf(found.entry(0, p).error));
            }
            CHECK(has(found.why_differences, "chooses its steps"));
        }
    }
}

/// x = at + sin(w s) / w, s = t - at, behind a one-sided spring's begin: its force has a corner.
TEST_CASE("a force with a corner has the derivative of the motion") {
    constexpr double kMass = 2.0, kBegin = 0.15, kEnd = 0.4, kStiffness = 40.0;
    const auto place = [&](double stiffness, double begin) {
        const double w = std::sqrt(stiffness / kMass);
        return begin + std::sin(w * (kEnd - begin)) / w;
    };
    const Gradient found =
        gradient_of(pushed("if(x > ${at}, -10*${F}*(x - ${at}), 0)", kBegin, 5e-4),
                    {"b.x"},
                    {"parameters.F", "parameters.at"},
                    GradientMethod::adjoint);
    const double d = 1e-5;
    const double by_F =
        10.0 * (place(kStiffness + d, kBegin) - place(kStiffness - d, kBegin)) / (2.0 * d);
    const double by_begin =
        (place(kStiffness, kBegin + d) - place(kStiffness, kBegin - d)) / (2.0 * d);
    CHECK(found.entry(0, 0).value == near(by_F, 1e-3 * std::abs(by_F)));
    CHECK(found.entry(0, 1).value == near(by_begin, 1e-3 * std::abs(by_begin)));
}

TEST_CASE("a force that changes fast, but smoothly, has a derivative") {
    const auto is_by_adjoint = [](const std::string& text) {
        return gradient_of(text, {"b.x"}, {"parameters.F"}, GradientMethod::automatic)
            .entry(0, 0)
            .is_by_adjoint;
    };
    CHECK(is_by_adjoint(pushed("-${F}*(1 + tanh((x - ${at})/0.05))/2", 0.2, 2e-3)));
    // Its slope is zero in the middle, which steps straddle in any way.
    for (const double step : {0.01, 0.013, 0.02, 0.029, 0.04})
        CHECK(is_by_adjoint("[parameters]\nF = 300.0\n" + weight({0.0, 0.0, 0.0}) +
                            particle("b", 1.0, {-0.4, 0.0, 0.0}, {1.0, 0.0, 0.0}) +
                            "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"b@0\"\n"
                            "force = [\"-${F}*x^3\", \"0\", \"0\"]\n" +
                            integrator("emm", step, 6.0)));
}

/// A ball that bounces once, and its mean velocity (z(t) - z(0)) / t.
TEST_CASE("sums and extreme values of what jumps in impacts have no derivative, and this is said") {
    constexpr double kHeight = 1.0, kEnd = 0.8;
    const std::string text =
        fmt::format("[parameters]\nh = {}\nk = 0.8\n", kHeight) + weight({0.0, 0.0, -kGravity}) +
        "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 1.5\nposition = [0, 0, "
        "\"h\"]\n[[constraint]]\nname = \"floor\"\ntype = \"contact\"\na = \"ball\"\nb = "
        "\"ground\"\nradius = 0.02\nplane = { normal = [0, 0, 1] }\nrestitution = \"k\"\n" +
        particle("other", 1.0, {3.0, 0.0, 5.0}, {0.0, 0.0, 1.0}) + integrator("emm", 0.001, kEnd);
    const Texts of{"ball.z",
                   "mean(ball.z)",
                   "mean(other.vz)",
                   "mean(ball.vz)",
                   "min(ball.z)",
                   "integral(energy.kinetic)"};
    for (const GradientMethod method : {GradientMethod::automatic, GradientMethod::differences}) {
        const Gradient found = gradient_of(text, of, {"parameters.h", "parameters.k"}, method);
        for (std::size_t i = 0; i < of.size(); ++i)
            for (const std::size_t k : {0, 1}) {
                CAPTURE(of[i]);
                const bool is_hidden = i > 2;
                CHECK(std::isinf(found.entry(i, k).error) == is_hidden);
                CHECK(has(found.entry(i, k).remark, "impact") == is_hidden);
            }
        // Behind the impact at t1 z = r + k w s - g s^2 / 2, s = t - t1.
        const double fall = kHeight - 0.02, w = std::sqrt(2.0 * kGravity * fall);
        const double s = kEnd - w / kGravity;
        CHECK(found.entry(1, 1).value == near(0.5 * w * s * s / kEnd, 2e-3));
    }
}

}  // namespace
}  // namespace ancora::testing
