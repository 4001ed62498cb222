// SPDX-License-Identifier: BSD-3-Clause
// Mass that changes with time: rockets, jet damping and a bucket that leaks, against closed
// solutions; and what leaves, in the accounting.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <boost/math/special_functions/bessel.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/linear_model.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

std::string plain_body(const std::string& name, const std::string& type, const std::string& rest) {
    return fmt::format("[[body]]\nname = \"{}\"\ntype = \"{}\"\n{}\n", name, type, rest);
}

// A rocket that rises along z: 100 kg, of which 6 kg/s leave at 2500 m/s.
constexpr double kMass = 100.0, kFlow = 6.0, kExhaust = 2500.0;

std::string rocket(const std::string& mass, bool has_weight) {
    return model_text(has_weight) +
           plain_body("stage",
                      "particle",
                      fmt::format("mass_over_time = {}\nposition = [3.0, 0.0, 1.0]", mass)) +
           force("engine",
                 "jet",
                 fmt::format("at = \"stage@0\"\nflow = \"-stage.mass_rate\"\n"
                             "velocity = [0.0, 0.0, -{}]\nframe = \"inertial\"",
                             kExhaust));
}

/// Velocity and height gained after the time t of burning, with the weight.
struct Flight {
    double v = 0.0, z = 0.0;
};
Flight burn(double t, double g) {
    const double m = kMass - kFlow * t, ratio = std::log(kMass / m);
    return {kExhaust * ratio - g * t, kExhaust * (t - m / kFlow * ratio) - 0.5 * g * t * t};
}

Flight fly(const std::string& text, const char* integrator, double step, double end) {
    Simulation run = model(text + steps(integrator, step, end));
    run_to_end(run);
    return {run.value("stage.vz"), run.value("stage.z") - 1.0};
}

void check_order(const std::string& text,
                 const char* integrator,
                 double step,
                 double end,
                 const Flight& exact,
                 double order) {
    CAPTURE(integrator);
    const Flight a = fly(text, integrator, step, end), b = fly(text, integrator, 0.5 * step, end);
    const double bound = tolerance(0.05 * order);
    CHECK(std::log2((a.v - exact.v) / (b.v - exact.v)) == Near(order, bound));
    CHECK(std::log2((a.z - exact.z) / (b.z - exact.z)) == Near(order, bound));
}

TEST_SUITE("rockets") {
    TEST_CASE("free flight: the rocket equation, at every integrator's order") {
        const std::string text = rocket("\"100 - 6*t\"", false);
        constexpr double end = 10.0;
        const Flight exact = burn(end, 0.0);
        CHECK(exact.v == Near(kExhaust * std::log(kMass / 40.0), 1e-9));
        check_order(text, "emm", 0.2, end, exact, 2.0);
        check_order(text, "generalized_alpha", 0.1, end, exact, 2.0);
        check_order(text, "rk4", 1.0, end, exact, 4.0);
        const Flight fine = fly(text, "dopri5", 0.1, end);
        CHECK(fine.v == Near(exact.v, 1e-7));
        CHECK(fine.z == Near(exact.z, 1e-6));
    }

    TEST_CASE("with its weight: velocity and height at burnout, balances at rounding") {
        const std::string text = rocket("\"100 - 6*t\"", true);
        constexpr double end = 10.0;
        check_order(text, "emm", 0.2, end, burn(end, kGravity), 2.0);
        check_order(text, "rk4", 1.0, end, burn(end, kGravity), 4.0);

        Simulation run = model(text + steps("emm", 0.01, end));
        run_to_end(run);
        check_balances(run);
        // Energy and momentum are those of the mass that is left.
        const double m = 40.0, v = run.value("stage.vz"), z = run.value("stage.z");
        CHECK(run.value("stage.mass") == Near(m, 1e-12));
        CHECK(run.value("stage.mass_rate") == Near(-kFlow, 1e-12));
        CHECK(run.value("engine.thrust") == Near(kFlow * kExhaust, 1e-9));
        CHECK(run.value("momentum.z") == Near(m * v, 1e-9));
        CHECK(run.value("energy.kinetic") == Near(0.5 * m * v * v, 1e-6));
        CHECK(run.value("energy.potential") == Near(m * kGravity * z, 1e-6));
        for (const char* integrator : {"rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            Simulation other = model(text + steps(integrator, 0.01, end));
            run_to_end(other);
            const double left = integrator == std::string("generalized_alpha") ? 1e-4 : 1e-9;
            CHECK(other.statistics().energy.max_rel <= tolerance(left));
            CHECK(other.statistics().momentum.max_rel <= tolerance(left));
            CHECK(other.statistics().angular_momentum.max_rel <= tolerance(left));
        }
    }

    // Burnout at 7.3 s lies within a step; then it coasts.
    TEST_CASE("a table: steps end at its rows, so that orders hold beyond burnout") {
        constexpr double end = 12.0, out = 7.3;
        const std::string text =
            rocket(fmt::format("[[0.0, 100.0], [{}, {}]]", out, kMass - kFlow * out), true);
        Flight exact = burn(out, kGravity);
        const double rest = end - out;
        exact.z += exact.v * rest - 0.5 * kGravity * rest * rest;
        exact.v -= kGravity * rest;
        check_order(text, "emm", 0.2, end, exact, 2.0);
        const Flight fine = fly(text, "rk4", 0.05, end);
        CHECK(fine.v == Near(exact.v, 1e-6));
        CHECK(fine.z == Near(exact.z, 1e-5));
        Simulation run = model(text + steps("emm", 0.02, end));
        run_to_end(run);
        check_balances(run);
        CHECK(run.value("stage.mass_rate") == 0.0);
    }

    TEST_CASE("what leaves at the body's own velocity exerts no force") {
        for (const char* integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            Simulation run =
                model(model_text(false) +
                      plain_body("tank",
                                 "particle",
                                 "mass_over_time = \"2 + exp(-3*t)\"\n"
                                 "velocity = [1.0, 0.5, -0.25]\nposition = [0, 2, 0]") +
                      steps(integrator, 0.01, 1.0));
            run_to_end(run);
            const double m = 2.0 + std::exp(-3.0);
            CHECK(run.value("tank.vx") == Near(1.0, 1e-13));
            CHECK(run.value("tank.y") == Near(2.5, 1e-12));
            CHECK(run.value("momentum.x") == Near(m, 1e-12));
            CHECK(run.value("energy.kinetic") == Near(0.5 * m * 1.3125, 1e-12));
            const double left = integrator == std::string("generalized_alpha") ? 1e-4
                                : integrator == std::string("emm")             ? 1e-13
                                                                               : 1e-8;
            CHECK(run.statistics().energy.max_rel <= tolerance(left));
            CHECK(run.statistics().angular_momentum.max_rel <= tolerance(left));
        }
    }

    // m x'' = -k x with m = m0 exp(-a t): x = c J0(s) + d Y0(s), s = 2/a sqrt(k/m0) exp(a t / 2).
    TEST_CASE("a bucket that leaks on a spring swings as Bessel functions do") {
        constexpr double m0 = 2.0, k = 50.0, a = 0.8, end = 2.0, x0 = 0.1;
        const std::string text =
            model_text(false) +
            plain_body("bucket",
                       "particle",
                       "mass_over_time = \"2*exp(-0.8*t)\"\nposition = [1.1, 0.0, 0.0]") +
            force("rope",
                  "spring",
                  fmt::format("a = \"ground@[0, 0, 0]\"\nb = \"bucket@0\"\nstiffness = {}\n"
                              "free = 1.0",
                              k));
        const auto J = [](int n, double s) {
            return boost::math::cyl_bessel_j(n, s);
        };
        const auto Y = [](int n, double s) {
            return boost::math::cyl_neumann(n, s);
        };
        const double s0 = 2.0 / a * std::sqrt(k / m0), s = s0 * std::exp(0.5 * a * end);
        // At rest first: c J1 + d Y1 = 0 there.
        const double wronskian = J(0, s0) * Y(1, s0) - J(1, s0) * Y(0, s0);
        const double x = x0 * (Y(1, s0) * J(0, s) - J(1, s0) * Y(0, s)) / wronskian;
        for (const auto& [integrator, order] :
             {std::pair{"emm", 2.0}, {"generalized_alpha", 2.0}, {"rk4", 4.0}}) {
            CAPTURE(integrator);
            std::array<double, 2> error{};
            for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
                Simulation run = model(text + steps(integrator, 0.005 / double(i + 1), end));
                run_to_end(run);
                error[i] = run.value("bucket.x") - 1.0 - x;
                if (integrator == std::string("emm")) check_balances(run);
            }
            CHECK(std::log2(error[0] / error[1]) == Near(order, 0.05 * order));
        }
    }

    // A tank in the middle and nozzles at +-l on a spinning body: I w' = -flow l^2 w, I constant.
    TEST_CASE("jet damping: what leaves by arms takes the spin along") {
        constexpr double l = 0.8, flow = 0.5, spin = 3.0, end = 1.0;
        constexpr double I = 0.3;
        const auto text = [&](const char* type) {
            std::string out =
                model_text(false) +
                plain_body(
                    "hub",
                    type,
                    fmt::format("mass = 2.0\ninertia = [0.2, 0.25, {}]\n"
                                "velocity = [0.0, 0.0, 0.4]\nangular_velocity = [0.0, 0.0, {}]",
                                I,
                                spin)) +
                plain_body("tank",
                           "particle",
                           "mass_over_time = \"1 - 0.5*t + 0.0*t\"\nvelocity_from = \"hub\"") +
                constraint("mount", "position", "a = \"hub@[0, 0, 0]\"\nb = \"tank@0\"");
            for (const double side : {l, -l})
                out += force(side > 0.0 ? "east" : "west",
                             "jet",
                             fmt::format("at = \"hub@[{}, 0, 0]\"\nfrom = \"tank@0\"\n"
                                         "flow = {}\nvelocity = [0.0, 0.0, 0.0]",
                                         side,
                                         0.5 * flow));
            return out;
        };
        const double exact = spin * std::exp(-flow * l * l * end / I);
        for (const auto& [type, integrator, order] :
             {std::tuple{"ancf_rigid_body", "emm", 2.0}, {"quaternion_body", "rk4", 4.0}}) {
            CAPTURE(integrator);
            std::array<double, 2> error{};
            for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
                Simulation run = model(text(type) + steps(integrator, 0.05 / double(i + 1), end));
                run_to_end(run);
                error[i] = run.value("hub.wz") - exact;
                if (integrator == std::string("emm")) check_balances(run);
            }
            CHECK(std::log2(error[0] / error[1]) == Near(order, 0.05 * order));
        }
        Simulation fine = model(text("quaternion_body") + steps("dopri5", 0.01, end));
        run_to_end(fine);
        CHECK(fine.value("hub.wz") == Near(exact, 1e-8));
        CHECK(fine.value("hub.vz") == Near(0.4, 1e-12));
    }

    TEST_CASE("a run that is saved goes on with the same bits") {
        const std::string text =
            rocket("[[0.0, 100.0], [0.333, 98.0], [0.7, 97.0]]", true) +
            plain_body("other", "particle", "mass = 5.0\nposition = [3.0, 1.0, 1.0]") +
            force("rope", "spring", "a = \"stage@0\"\nb = \"other@0\"\nstiffness = 4e4");
        for (const char* integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            CHECK(ends_alike_restored(text + steps(integrator, 0.01, 1.0), 20));
        }
    }

    TEST_CASE("vibrations are those of the mass at the time") {
        const std::string text =
            model_text(false) +
            plain_body("bucket",
                       "particle",
                       "mass_over_time = \"2*exp(-0.8*t)\"\nposition = [1.0, 0.0, 0.0]\n"
                       "coordinates = \"x\"") +
            force("rope",
                  "spring",
                  "a = \"ground@[0, 0, 0]\"\nb = \"bucket@0\"\nstiffness = 50.0\nfree = 1.0");
        Simulation run = model(text + steps("emm", 0.01, 1.0));
        CHECK(std::abs(run.modes().modes.at(0).eigenvalue) == Near(5.0, 1e-9));
        run_to_end(run);
        CHECK(std::abs(run.modes().modes.at(0).eigenvalue) == Near(5.0 * std::exp(0.4), 1e-9));
    }

    TEST_CASE("what it can't be is refused in words") {
        const auto message = [](const std::string& text) -> std::string {
            try {
                Simulation run = model(text);
                run_to_end(run);
            } catch (const Error& error) {
                return error.what();
            }
            return "";
        };
        const auto says = [&](const std::string& text, const char* what) {
            const std::string said = message(text);
            INFO(said);
            CHECK(said.find(what) != std::string::npos);
        };
        const auto tank = [](const char* mass) {
            return model_text(false) + plain_body("tank", "particle", mass);
        };
        says(tank("mass_over_time = \"1 - 2*t\"") + steps("emm", 0.01, 1.0),
             "the mass must stay above 0");
        says(tank("mass_over_time = [[0.0, 1.0], [1.0, 0.0]]") + steps("emm", 0.01, 1.0),
             "the mass is 0 kg at t = 1 s and must stay above 0");
        says(tank("mass_over_time = 1.0\nmass = 2.0") + steps("emm", 0.01, 1.0),
             "is given beside mass");
        says(tank("") + steps("emm", 0.01, 1.0), "give mass, or mass_over_time");
        says(tank("mass_over_time = \"2 - t\"") + steps("emm", 0.01, 1.0) +
                 "[integrator.emm]\norder = 4\n",
             "its mass changes with time");
        says(tank("mass_over_time = \"2 - t\"") +
                 force("planet",
                       "central_gravity",
                       "on = \"tank\"\nmu = 1.0\ncenter = [5.0, 0.0, 0.0]") +
                 steps("rk4", 0.01, 1.0),
             "takes masses as they are at the start");
    }
}

}  // namespace
}  // namespace ancora::testing
