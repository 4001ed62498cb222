// SPDX-License-Identifier: BSD-3-Clause
// Friction with a state of its own: Dahl's hysteresis, steady sliding, and surfaces that rub
// differently along two axes, against closed forms.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

/// A slide along x that a drive moves by `motion`, with friction of these keys.
std::string driven_slide(const std::string& motion, const std::string& keys, double speed = 0.0) {
    return model_text(false) +
           body("cart", "ancf_rigid_body", fmt::format("velocity = [{}, 0.0, 0.0]", speed)) +
           constraint("slide",
                      "prismatic",
                      "a = \"ground\"\nb = \"cart\"\npoint = [0, 0, 0]\naxis = [1, 0, 0]") +
           constraint("push", "drive", fmt::format("on = \"slide\"\nmotion = \"{}\"", motion)) +
           force("rub", "bristle_friction", fmt::format("on = \"slide.displacement\"\n{}", keys));
}

constexpr double kSliding = 3.0, kStiffness = 60.0, kAmplitude = 0.1;

/// Work of the fourth cycle of x = -a cos(2 pi t), and the deflection in its middle.
std::array<double, 2> cycle(const char* integrator, double step) {
    const std::string text = driven_slide(
        "0.1 - 0.1*cos(2*pi*t)", fmt::format("kinetic = {}\nstiffness = {}", kSliding, kStiffness));
    std::array<double, 2> out{};
    Simulation run = model(text + steps(integrator, step, 4.0));
    const auto go_to = [&run](double t) {
        while (run.time() < t - 1e-9) run.step();
    };
    go_to(3.0);
    const double before = run.value("rub.work");
    go_to(3.5);
    out[1] = run.value("rub.deflection");
    go_to(4.0);
    out[0] = run.value("rub.work") - before;
    return out;
}

TEST_SUITE("bristle friction") {
    // dF/dx = s (1 - F sign(v) / F_k): a cycle between -F_m and F_m = F_k tanh(s a / F_k).
    TEST_CASE("Dahl's hysteresis: peak and area of the loop") {
        const double x = kStiffness * kAmplitude / kSliding, peak = kSliding * std::tanh(x);
        const double area = 4.0 * kSliding * (kAmplitude - peak / kStiffness);
        for (const char* integrator : {"emm", "generalized_alpha", "rk4"}) {
            CAPTURE(integrator);
            const std::array a = cycle(integrator, 0.005), b = cycle(integrator, 0.0025);
            const double bound = tolerance(integrator == std::string("rk4") ? 1e-5 : 1e-3);
            CHECK(std::abs(b[0] + area) < bound * area);
            CHECK(std::abs(kStiffness * b[1] - peak) < bound * peak);
            // |v| has a slope discontinuity at the ends: second order at least.
            CHECK(std::abs(b[0] + area) < 0.3 * std::abs(a[0] + area));
        }
    }

    // z' = 0: the effort is -(g(v) + s2 v).
    TEST_CASE("steady sliding has Stribeck's effort") {
        constexpr double v = 0.05, load = 1.5;
        const double g = 2.0 + 1.0 * std::exp(-(v / 0.08) * (v / 0.08));
        for (const char* integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            Simulation run =
                model(driven_slide("0.05*t",
                                   "kinetic = 2.0\nstatic = 3.0\nstribeck_velocity = 0.08\n"
                                   "stiffness = 400.0\ndamping = 2.0\nviscous = 4.0\nload = 1.5",
                                   v) +
                      steps(integrator, 0.002, 4.0));
            run_to_end(run);
            CHECK(run.value("rub.effort") == Near(-(load * g + 4.0 * v), 1e-7));
            CHECK(run.value("rub.deflection") == Near(g / 400.0, 1e-9));
        }
    }

    // Below the limit x follows from F = F_k (1 - exp(-s x / F_k)), of a force that grows slowly.
    TEST_CASE("it gives way before it slides") {
        const std::string text =
            model_text(false) + body("cart", "ancf_rigid_body", "", 0.1) +
            constraint("slide",
                       "prismatic",
                       "a = \"ground\"\nb = \"cart\"\npoint = [0, 0, 0]\naxis = [1, 0, 0]") +
            force("pull", "motor", "on = \"slide.displacement\"\neffort = \"0.2*t\"") +
            force("rub",
                  "bristle_friction",
                  "on = \"slide.displacement\"\nkinetic = 3.0\nstiffness = 600.0\n"
                  "damping = 0.5");
        const double x = -3.0 / 600.0 * std::log(1.0 - 2.0 / 3.0);
        Simulation run = model(text + steps("emm", 0.01, 10.0));
        run_to_end(run);
        // Of the pull 0.5 z' goes into the damping of the bristles: less than 2e-4 of x.
        CHECK(run.value("slide.displacement") == Near(x, 3e-4 * x));
    }

    TEST_CASE("a run that is saved goes on with the same bits") {
        for (const char* integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            CHECK(ends_alike_restored(
                driven_slide("0.1 - 0.1*cos(2*pi*t)", "kinetic = 3.0\nstiffness = 60.0") +
                    steps(integrator, 0.01, 1.0),
                30));
        }
    }

    TEST_CASE("keys that do not fit are refused") {
        const auto says = [](const std::string& keys, const char* what) {
            std::string said;
            try {
                model(driven_slide("0.0*t", keys) + steps("emm", 0.01, 1.0));
            } catch (const Error& error) {
                said = error.what();
            }
            INFO(said);
            CHECK(said.find(what) != std::string::npos);
        };
        says("kinetic = 2.0\nstatic = 1.0\nstiffness = 1.0", "breaking away takes no less");
        says("kinetic = 2.0\nstatic = 3.0\nstiffness = 1.0", "within which rate static falls");
        says("kinetic = 2.0\nstiffness = 1.0\nstribeck_velocity = 0.1",
             "since static is not above kinetic");
    }
}

constexpr double kMu1 = 0.2, kMu2 = 0.5;

std::string skate(const std::string& keys, double stiffness) {
    return model_text() +
           fmt::format("[[body]]\nname = \"skate\"\ntype = \"particle\"\nmass = 2.0\n{}\n", keys) +
           constraint("ice", "point_on_plane", "point = \"skate@0\"\nnormal = [0, 0, 1]") +
           force("edge",
                 "orthotropic_friction",
                 fmt::format("at = \"skate@0\"\non = \"ice\"\nnormal = [0, 0, 2]\n"
                             "along = [1, 0, 3]\nmu = [{}, {}]\nstiffness = {}",
                             kMu1,
                             kMu2,
                             stiffness));
}

TEST_SUITE("orthotropic friction") {
    // On a belt: F = N mu^2 w / |mu w|, w the belt's velocity; largest F.w of the ellipse.
    TEST_CASE("in steady sliding it is the force of most dissipation") {
        const double w1 = 0.3, w2 = 0.4, N = 2.0 * kGravity;
        const double size = std::hypot(kMu1 * w1, kMu2 * w2);
        const double f1 = N * kMu1 * kMu1 * w1 / size, f2 = N * kMu2 * kMu2 * w2 / size;
        for (int k = 0; k < 100; ++k) {
            const double angle = 0.02 * k * M_PI;
            CHECK(N * (kMu1 * std::cos(angle) * w1 + kMu2 * std::sin(angle) * w2) <=
                  f1 * w1 + f2 * w2 + 1e-12);
        }
        for (const char* integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            Simulation run = model(skate("", 100.0) + "surface_velocity = [0.3, 0.4, 0.0]\n" +
                                   constraint("hold",
                                              "position",
                                              "a = \"skate@0\"\nb = \"ground@[0, 0, 0]\"\n"
                                              "components = \"xy\"") +
                                   steps(integrator, 0.002, 1.0));
            run_to_end(run);
            CHECK(run.value("edge.force.x") == Near(f1, 1e-6));
            CHECK(run.value("edge.force.y") == Near(f2, 1e-6));
            CHECK(run.value("edge.force.z") == Near(0.0, 1e-12));
            CHECK(run.value("edge.deflection.y") == Near(-f2 / (100.0 * N), 1e-8));
        }
    }

    // dw1/dw2 = mu1^2 w1 / (mu2^2 w2): ln w1 / mu1^2 - ln w2 / mu2^2 stays.
    TEST_CASE("what slides freely is steered to the easier axis on a known path") {
        std::vector<double> errors;
        for (const double stiffness : {200.0, 400.0}) {
            Simulation run =
                model(skate("velocity = [1.0, 2.0, 0.0]", stiffness) + steps("emm", 2e-4, 0.35));
            run_to_end(run);
            const double w1 = run.value("skate.vx"), w2 = run.value("skate.vy");
            CHECK(w2 < 0.6);
            errors.push_back(std::log(w1) / (kMu1 * kMu1) - std::log(w2 / 2.0) / (kMu2 * kMu2));
            check_balances(run);
        }
        // What the bristles take to bend falls with their stiffness.
        CHECK(std::abs(errors[1]) < 0.05);
        CHECK(errors[0] / errors[1] == Near(2.0, 0.1));
    }

    TEST_CASE("at rest it holds within the ellipse, elastically") {
        constexpr double stiffness = 500.0;
        // On an incline by 0.3 across the edge: below mu2, beyond mu1.
        const double angle = std::atan(0.3);
        const std::string slope = fmt::format("[model]\ngravity = [0.0, {}, {}]\n",
                                              kGravity * std::sin(angle),
                                              -kGravity * std::cos(angle));
        const std::string text =
            slope + skate("", stiffness).substr(model_text().size()) + "damping = 5.0\n";
        Simulation run = model(text + steps("emm", 1e-3, 5.0));
        run_to_end(run);
        CHECK(run.value("edge.force.y") == Near(-2.0 * kGravity * std::sin(angle), 1e-3));
        CHECK(std::abs(run.value("skate.vy")) < 1e-3);
        CHECK(run.value("edge.deflection.y") == Near(0.3 / stiffness, 1e-6));
        CHECK(run.value("skate.y") < 0.01);
    }

    TEST_CASE("axes that are none are refused") {
        const auto says = [](const std::string& text, const char* what) {
            std::string said;
            try {
                model(text + steps("emm", 0.01, 1.0));
            } catch (const Error& error) {
                said = error.what();
            }
            INFO(said);
            CHECK(said.find(what) != std::string::npos);
        };
        const auto with = [](const char* key, const char* from, const char* to) {
            std::string text = skate("", 100.0);
            const std::string old = std::string(key) + " = " + from;
            text.replace(text.find(old), old.size(), std::string(key) + " = " + to);
            return text;
        };
        says(with("along", "[1, 0, 3]", "[0, 0, 3]"), "has no part in the surface");
        says(with("normal", "[0, 0, 2]", "[0, 0, 0]"), "has no length");
        says(with("mu", "[0.2, 0.5]", "[0.2, 0.0]"), "both coefficients must be above 0");
    }
}

}  // namespace
}  // namespace ancora::testing
