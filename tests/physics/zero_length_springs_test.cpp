// SPDX-License-Identifier: BSD-3-Clause
// Springs and dampers between points that coincide or pass through each other.
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/equilibrium.hpp"
#include "ancora/framework/linear_model.hpp"
#include "joint_law_models.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

struct Oscillator {
    double mass = 1.0, stiffness = 1.0;
    Vec3 center = Vec3::Zero(), r = center, v = center, gravity = center;

    double frequency() const { return std::sqrt(stiffness / mass); }
    Vec3 rest() const { return center + mass / stiffness * gravity; }
    /// After a turn by this angle of the ellipse, on which v / w is the other conjugate radius.
    Vec3 at(double angle) const {
        return rest() + std::cos(angle) * (r - rest()) + std::sin(angle) / frequency() * v;
    }
    std::string text(const std::string& law, const std::string& type = "spring") const {
        const auto triple = [](const Vec3& x) {
            return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
        };
        return fmt::format(
                   "[model]\ngravity = {}\n[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = "
                   "{:.17g}\nposition = {}\nvelocity = {}\n",
                   triple(gravity),
                   mass,
                   triple(r),
                   triple(v)) +
               force("s",
                     type,
                     fmt::format("a = \"ground@{}\"\nb = \"p@0\"\n{}", triple(center), law));
    }
    std::string spring() const {
        return text(fmt::format("stiffness = {:.17g}\nfree = 0.0\n", stiffness));
    }
};

/// Starts in general position, at length zero, along the line of the points, and at rest.
std::vector<Oscillator> family() {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    const auto vector = [&] {
        return Vec3(any(random), any(random), any(random));
    };
    std::vector<Oscillator> out;
    for (int i = 0; i < 12; ++i) {
        Oscillator one;
        one.mass = std::exp(any(random));
        one.stiffness = std::exp(3.0 + 2.0 * any(random));
        one.center = vector();
        one.r = i % 4 == 1 || i % 4 == 3 ? one.center : Vec3(one.center + vector());
        one.v = i % 4 == 3 ? Vec3(Vec3::Zero()) : vector();
        if (i % 4 == 2) one.v = 2.0 * (one.r - one.center);
        if (i % 4 == 3 || i >= 8) one.gravity = 9.81 * vector();
        out.push_back(one);
    }
    return out;
}

Vec3 place(const Simulation& run) {
    return vec3(run.point("p@0").position);
}

}  // namespace

TEST_SUITE("springs of length zero") {
    TEST_CASE("a mass moves on an ellipse, wherever it starts") {
        for (const Oscillator& one : family()) {
            const double period = 2.0 * std::numbers::pi / one.frequency();
            const double size = (one.r - one.rest()).norm() + one.v.norm() / one.frequency();
            for (const char* integrator : {"rk4", "dopri5", "verlet"}) {
                CAPTURE(integrator);
                Simulation run =
                    model(one.spring() + steps(integrator, period / 400.0, 1.25 * period, 1e-11));
                run_to_end(run);
                const double error = integrator == std::string("verlet") ? 5e-4 : 1e-7;
                CHECK((place(run) - one.at(2.5 * std::numbers::pi)).norm() <=
                      tolerance(error * size));
                if (integrator == std::string("rk4"))
                    CHECK(column(run, "s.effort") ==
                          Near(-one.stiffness * (place(run) - one.center).norm(),
                               1e-11 * one.stiffness * size));
            }
            // The midpoint rule turns the same ellipse by 2 atan(w h / 2) a step, exactly
            for (const double part : {40.0, 3.0}) {
                const double h = period / part;
                Simulation run = model(one.spring() + steps("emm", h, 60.0 * h));
                for (int k = 1; !run.done(); ++k) {
                    run.step();
                    const double angle = 2.0 * k * std::atan(0.5 * one.frequency() * h);
                    REQUIRE((place(run) - one.at(angle)).norm() <= tolerance(2e-12 * size * k));
                }
                check_balances(run);
            }
        }
    }
    TEST_CASE("three equal frequencies, and rest where the weight stretches it") {
        for (const Oscillator& one : family()) {
            Oscillator still = one;
            still.v.setZero();
            Simulation run = model(still.spring() + steps("emm", 1e-3, 1.0));
            const Equilibrium rest = run.find_equilibrium();
            CHECK(rest.stability == Stability::stable);
            CHECK((place(run) - one.rest()).norm() <= tolerance(1e-9));
            const Modes modes = run.modes();
            REQUIRE(modes.modes.size() == 3);
            for (const Mode& mode : modes.modes) {
                CHECK(2.0 * std::numbers::pi * mode.frequency ==
                      Near(one.frequency(), 1e-7 * one.frequency()));
                CHECK(mode.damping == 0.0);
            }
        }
    }
    TEST_CASE("bodies tied off their centres keep energy and momenta, and all methods agree") {
        for (const char* stiffness : {"40.0", "\"40*(1 + 0.3*sin(5*t))\""}) {
            CAPTURE(stiffness);
            const std::string text =
                model_text(false) + body("a", "ancf_rigid_body", "angular_velocity = [1, 2, -1]") +
                body("b",
                     "ancf_rigid_body",
                     "position = [0.5, 0, 0]\nvelocity = [0.1, -0.4, 0.3]\n"
                     "angular_velocity = [0.5, 0, 2]",
                     2.0) +
                force("s",
                      "spring_damper",
                      fmt::format("a = \"a@[0.3, 0, 0]\"\nb = \"b@[-0.2, 0, 0]\"\nstiffness = {}\n"
                                  "free = 0\ndamping = 0.3",
                                  stiffness));
            std::array<Vec3, 3> at;
            std::size_t i = 0;
            for (const auto& [integrator, step] :
                 {std::pair("emm", 5e-4), std::pair("rk4", 1e-3), std::pair("dopri5", 1e-3)}) {
                Simulation run = model(text + steps(integrator, step, 1.5));
                run_to_end(run);
                at[i++] = vec3(run.point("b@[0, 0, 0.1]").position);
                if (is_emm(integrator)) check_balances(run);
            }
            CHECK((at[0] - at[2]).norm() <= tolerance(1e-5));
            CHECK((at[1] - at[2]).norm() <= tolerance(1e-8));
        }
    }
    TEST_CASE("a damper acts along the way through the point") {
        // Along a line through it the law is linear: m x'' = -k x - c x'
        for (const auto& [x0, v0] :
             {std::pair(0.7, 0.0), std::pair(0.0, 1.3), std::pair(0.4, -2.0)})
            for (const double c : {0.0, 0.8}) {
                CAPTURE(x0);
                CAPTURE(c);
                const double k = 30.0, m = 1.5, end = 2.0;
                Oscillator one{.mass = m, .stiffness = k};
                const Vec3 along(0.48, -0.6, 0.64);
                one.r = x0 * along;
                one.v = v0 * along;
                const double d = 0.5 * c / m, w = std::sqrt(k / m - d * d);
                const double exact = std::exp(-d * end) * (x0 * std::cos(w * end) +
                                                           (v0 + d * x0) / w * std::sin(w * end));
                const std::string text = one.text(
                    fmt::format("stiffness = {}\nfree = 0\ndamping = {}", k, c), "spring_damper");
                std::array<double, 2> errors{};
                for (std::size_t i = 0; i < 2; ++i) {
                    Simulation run = model(text + steps("emm", i == 0 ? 1e-2 : 5e-3, end));
                    run_to_end(run);
                    check_balances(run);
                    errors[i] = std::abs(place(run).dot(along) - exact);
                    CHECK(place(run).cross(along).norm() <= tolerance(1e-13));
                }
                CHECK(errors[1] <= tolerance(2e-4));
                CHECK(errors[0] / errors[1] == Near(4.0, 0.2));
                for (const char* integrator : {"rk4", "dopri5"}) {
                    Simulation run = model(text + steps(integrator, 2e-3, end, 1e-11));
                    run_to_end(run);
                    CHECK(place(run).dot(along) == Near(exact, 1e-8));
                }
            }
        // A damper alone, from the point itself
        Oscillator one{.mass = 2.0};
        one.v = Vec3(0.3, 0.4, 1.2);
        const double way = one.v.norm() * 2.0 / 5.0 * (1.0 - std::exp(-5.0 / 2.0));
        for (const char* integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation run =
                model(one.text("damping = 5.0", "damper") + steps(integrator, 1e-3, 1.0, 1e-11));
            run_to_end(run);
            CHECK((place(run) - way * one.v.normalized()).norm() <=
                  tolerance(is_emm(integrator) ? 1e-6 : 1e-8));
        }
    }
    TEST_CASE("stiffness over time, and as an input, at length zero") {
        // x'' = -k(t) x along a line, by small steps of the classical method
        const auto k = [](double t) {
            return 50.0 * (1.0 + 0.5 * std::sin(3.0 * t));
        };
        double x = 0.0, v = 1.0;
        const double h = 1e-4;
        for (int i = 0; i < 15000; ++i) {
            const double t = i * h;
            const double k1 = v, l1 = -k(t) * x;
            const double k2 = v + 0.5 * h * l1, l2 = -k(t + 0.5 * h) * (x + 0.5 * h * k1);
            const double k3 = v + 0.5 * h * l2, l3 = -k(t + 0.5 * h) * (x + 0.5 * h * k2);
            const double k4 = v + h * l3, l4 = -k(t + h) * (x + h * k3);
            x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        Oscillator one;
        one.v = Vec3(0.0, 0.6, 0.8);
        const std::string formula = "stiffness = \"50*(1 + 0.5*sin(3*t))\"\n";
        for (const std::string& text : {one.text(formula + "free = 0.0"),
                                        one.text(formula),
                                        one.text(formula, "variable_spring")})
            for (const char* integrator : kIntegrators) {
                CAPTURE(text);
                CAPTURE(integrator);
                Simulation run =
                    model(text + steps(integrator, 1e-3, 1.5, is_emm(integrator) ? 1e-12 : 1e-11));
                run_to_end(run);
                CHECK(place(run).dot(one.v) == Near(x, is_emm(integrator) ? 1e-5 : 1e-8));
                const RunStatistics statistics = run.statistics();
                CHECK(statistics.energy.max_rel <= tolerance(is_emm(integrator) ? 1e-12 : 1e-8));
            }
    }
    TEST_CASE("what has no direction there is refused") {
        const Oscillator one;
        const char* const why =
            "is at the same point as a, so that their distance has no direction";
        for (const auto& [type, law] :
             {std::pair("spring", "stiffness = 2.0\nfree = 0.1"),
              std::pair("spring", "stiffness = 2.0\nfree = 0.0\npreload = 1.0"),
              std::pair("spring", "table = [[-1.0, -2.0], [1.0, 2.0]]"),
              std::pair("variable_spring", "stiffness = 2.0\nfree = 0.0"),
              std::pair("motor", "effort = 1.0"),
              std::pair("rotor", "inertia = 1.0")}) {
            CAPTURE(type);
            CAPTURE(law);
            CHECK(refused(one.text(law, type)).find(why) != std::string::npos);
        }
    }
}

}  // namespace ancora::testing
