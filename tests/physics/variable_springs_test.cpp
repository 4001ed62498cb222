// SPDX-License-Identifier: BSD-3-Clause
// Potentials that change while they act: springs whose numbers are inputs, against closed solutions
// and the ledger.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
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

constexpr double kMass = 2.0;  // kg
constexpr double kFree = 1.0;  // m

/// A particle on a spring to the origin, at kFree + x with velocity v along x.
std::string oscillator(double x,
                       double v,
                       const std::string& spring,
                       const std::string& more = "") {
    return model_text(false) +
           fmt::format(
               "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = {}\n"
               "position = [{:.17g}, 0, 0]\nvelocity = [{:.17g}, 0, 0]\n",
               kMass,
               kFree + x,
               v) +
           constraint(
               "spring", "variable_spring", "a = \"ground@[0, 0, 0]\"\nb = \"p@0\"\n" + spring) +
           more;
}

struct Swing {
    double x, v;
    /// The same after t under a spring of stiffness k about `free`.
    Swing after(double t, double k, double free = 0.0) const {
        const double w = std::sqrt(k / kMass), c = std::cos(w * t), s = std::sin(w * t);
        const double y = x - free;
        return {free + c * y + s / w * v, c * v - w * s * y};
    }
};

double energy(const Simulation& run) {
    return run.value("energy.kinetic") + run.value("energy.potential");
}

/// Of the position at the end, with what an explicit or implicit method of its order may leave.
struct Method {
    const char* name;
    double step, error;
};
constexpr Method kMethods[] = {{"emm", 1e-3, 2e-4}, {"rk4", 5e-3, 1e-7}, {"dopri5", 1e-2, 1e-9}};

}  // namespace

TEST_SUITE("potentials that change") {
    TEST_CASE("an embedding program sets stiffness and free length: work is the jump of energy") {
        constexpr double k0 = 50.0, k1 = 120.0, f1 = -0.05;
        const Swing start{0.2, 0.3};
        const Swing at_one = start.after(0.4, k0);
        const Swing end = at_one.after(0.4, k1).after(0.4, k1, f1);
        const Swing at_two = at_one.after(0.4, k1);
        const double jump = 0.5 * (k1 - k0) * at_one.x * at_one.x +
                            0.5 * k1 * ((at_two.x - f1) * (at_two.x - f1) - at_two.x * at_two.x);
        const std::string text =
            oscillator(start.x, start.v, fmt::format("stiffness = {}\nfree = {}", k0, kFree));
        for (const auto& [method, step, error] : kMethods) {
            CAPTURE(method);
            Simulation run = model(text + steps(method, step, 1.2));
            const auto run_to = [&run](double t) {
                while (run.time() < t - 1e-9) run.step();
            };
            // steps of its own choice end where the program wants to act
            const bool is_adaptive = run.is_adaptive();
            if (is_adaptive) continue;
            run_to(0.4);
            const double before = energy(run) - run.value("work.external");
            run.set_input("spring.stiffness", k1);
            CHECK(run.value("work.external") == Near(energy(run) - before, tolerance(1e-13)));
            run_to(0.8);
            run.set_input("spring.free", kFree + f1);
            run_to_end(run);
            CHECK(run.value("p.x") - kFree == Near(end.x, tolerance(error)));
            CHECK(run.value("p.vx") == Near(end.v, tolerance(10.0 * error)));
            CHECK(run.value("work.external") == Near(jump, tolerance(20.0 * error)));
            const double bound = std::string(method) == "emm" ? 1e-13 : 1e-6;
            CHECK(run.statistics().energy.max_rel <= tolerance(bound));
        }
    }

    TEST_CASE("with an order of its method, whatever sets it") {
        // stiffer above the middle than below: a relay with its edges at +-e
        constexpr double k0 = 40.0, k1 = 90.0, e = 0.05, A = 0.3;
        Swing at{-A, 0.0};
        // time to x under k from `at`: x = R cos(w t + p), the first crossing in its direction
        const auto time_to = [](const Swing& from, double x, double k, bool rises) {
            const double w = std::sqrt(k / kMass);
            const double R = std::hypot(from.x, from.v / w);
            const double phase = std::atan2(-from.v / w, from.x);
            const double target = (rises ? -1.0 : 1.0) * std::acos(x / R);
            double t = (target - phase) / w;
            while (t < 0.0) t += 2.0 * std::numbers::pi / w;
            return t;
        };
        const double t1 = time_to(at, e, k0, true);
        at = at.after(t1, k0);
        const double t2 = time_to(at, -e, k1, false);
        double jump = 0.5 * (k1 - k0) * e * e;
        at = at.after(t2, k1);
        jump -= 0.5 * (k1 - k0) * e * e;
        const double rest = 0.35;
        at = at.after(rest, k0);
        const std::string text = oscillator(
            -A,
            0.0,
            fmt::format("stiffness = \"{} + {}*switch.value\"\nfree = {}", k0, k1 - k0, kFree),
            force("switch",
                  "relay",
                  fmt::format("input = \"p.x - {}\"\non_at = {}\noff_at = {}", kFree, e, -e)));
        for (const auto& [method, step, error] : kMethods) {
            CAPTURE(method);
            Simulation run = model(text + steps(method, step, t1 + t2 + rest));
            run_to_end(run);
            CHECK(run.value("switch.switched") == 2.0);
            CHECK(run.value("p.x") - kFree == Near(at.x, tolerance(error)));
            CHECK(run.value("p.vx") == Near(at.v, tolerance(10.0 * error)));
            CHECK(run.value("work.external") == Near(jump, tolerance(error)));
            if (std::string(method) == "emm")
                CHECK(run.statistics().energy.max_rel <= tolerance(1e-13));
            else
                CHECK(run.statistics().energy.max_rel <= tolerance(1e-6));
        }
    }

    TEST_CASE("a free length that a first-order actuator moves, with a damper that changes") {
        // m x'' = -k (x - f) - c x',  T f' = u - f,  u = 0.1: linear, by its Taylor series
        constexpr double k = 60.0, c = 3.0, T = 0.08, u = 0.1, end = 0.9;
        constexpr int kTerms = 60, kParts = 30;
        std::array<double, 3> y{0.05, 0.0, 0.0};  // x, x', f
        for (int part = 0; part < kParts; ++part) {
            std::array<double, 3> term = y, sum = y;
            for (int n = 1; n < kTerms; ++n) {
                const double h = end / kParts / n;
                const double drive = n == 1 ? u / T : 0.0;
                term = {h * term[1],
                        h * (-k * (term[0] - term[2]) - c * term[1]) / kMass,
                        h * (drive - term[2] / T)};
                for (std::size_t i = 0; i < 3; ++i) sum[i] += term[i];
            }
            y = sum;
        }
        const std::string text = oscillator(
            0.05,
            0.0,
            fmt::format("stiffness = {}\nfree = \"{} + act.value\"\ndamping = {}", k, kFree, c),
            force("act",
                  "sensor",
                  fmt::format(
                      "input = {}\nbandwidth = {:.17g}", u, 1.0 / (2.0 * std::numbers::pi * T))));
        const auto error_of = [&](const char* method, double h) {
            Simulation run = model(text + steps(method, h, end));
            run_to_end(run);
            if (std::string(method) == "emm")
                CHECK(run.statistics().energy.max_rel <= tolerance(1e-12));
            return std::abs(run.value("p.x") - kFree - y[0]) +
                   0.1 * std::abs(run.value("p.vx") - y[1]);
        };
        CHECK(error_of("dopri5", 1e-2) <= tolerance(1e-9));
        const double by_emm = error_of("emm", 4e-3), finer = error_of("emm", 2e-3);
        CHECK(std::log2(by_emm / finer) == doctest::Approx(2.0).epsilon(0.03));
        const double by_rk4 = error_of("rk4", 2e-2), fine = error_of("rk4", 1e-2);
        CHECK(std::log2(by_rk4 / fine) == doctest::Approx(4.0).epsilon(0.08));
    }

    TEST_CASE("formulas of time: as the spring whose stiffness is one") {
        const std::string formula = "60*(1 + 0.5*sin(7*t))";
        const auto text = [&](const char* type, const char* method, double h) {
            std::string whole = oscillator(0.1,
                                           -0.4,
                                           fmt::format("stiffness = \"{}\"\nfree = {}\n"
                                                       "damping = 1.5",
                                                       formula,
                                                       kFree)) +
                                steps(method, h, 1.0);
            whole.replace(whole.find("variable_spring"), 15, type);
            return whole;
        };
        Simulation known = model(text("spring_damper", "dopri5", 1e-2));
        run_to_end(known);
        for (const auto& [method, step, error] : kMethods) {
            CAPTURE(method);
            Simulation run = model(text("variable_spring", method, step));
            run_to_end(run);
            for (const char* name :
                 {"p.x", "p.vx", "spring.effort", "spring.work", "work.external"}) {
                CAPTURE(name);
                CHECK(run.value(name) == Near(known.value(name), tolerance(100.0 * error)));
            }
            if (std::string(method) == "emm")
                CHECK(run.statistics().energy.max_rel <= tolerance(1e-12));
        }
    }

    TEST_CASE("an angle that is wound up turn by turn") {
        // J a'' = -k (a - r t) from rest: a = r t - r/w sin(w t)
        constexpr double J = 0.04, k = 8.0, rate = 9.0, end = 2.0;
        const double w = std::sqrt(k / J), angle = rate * end - rate / w * std::sin(w * end);
        const std::string text =
            model_text(false) + body("rotor", "ancf_rigid_body", "") +
            constraint("shaft",
                       "revolute",
                       "a = \"ground\"\nb = \"rotor\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]") +
            constraint(
                "winder",
                "variable_spring",
                fmt::format("on = \"shaft.angle\"\nstiffness = {}\nfree = \"{}*t\"", k, rate));
        for (const auto& [method, step, error] : kMethods) {
            CAPTURE(method);
            Simulation run = model(text + steps(method, std::min(step, 1e-3), end));
            run_to_end(run);
            CHECK(run.value("shaft.angle") == Near(angle, tolerance(50.0 * error)));
            CHECK(run.value("work.external") == Near(energy(run), tolerance(50.0 * error)));
        }
    }

    TEST_CASE("a run that is saved goes on with the same bits") {
        const std::string text = oscillator(
            0.1,
            0.2,
            fmt::format("stiffness = \"50 + 30*switch.value + 5*sin(9*t)\"\n"
                        "free = \"{} + 0.2*act.value\"\ndamping = 0.7",
                        kFree),
            force("act", "sensor", "input = \"p.vx\"\nbandwidth = 3.0") +
                force("switch", "relay", "input = \"p.vx\"\non_at = 0.05\noff_at = -0.05"));
        for (const auto& [method, step, error] : kMethods) {
            CAPTURE(method);
            CHECK(ends_alike_restored(text + steps(method, 2e-3, 1.5), 40));
        }
    }

    TEST_CASE("a stiffness below zero is refused with its value and time") {
        Simulation run =
            model(oscillator(0.1, 0.0, fmt::format("stiffness = \"1 - 10*t\"\nfree = {}", kFree)) +
                  steps("emm", 0.01, 1.0));
        std::string message;
        try {
            run_to_end(run);
        } catch (const Error& error) {
            message = error.message();
        }
        CAPTURE(message);
        CHECK(message.find("constraint \"spring\"") != std::string::npos);
        CHECK(message.find("the stiffness is -0.") != std::string::npos);
        CHECK(message.find("t = 0.1") != std::string::npos);
    }
}

}  // namespace ancora::testing
