// SPDX-License-Identifier: BSD-3-Clause
// Deployment of spinning sails against what angular momentum and energy alone fix: petals that are
// let out, cords that unwind from a hub, a folded film that opens to a square; and random folds
// with ties that open.
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"

using namespace ancora;
using ancora::testing::Run;

namespace {

constexpr double kRpm = std::numbers::pi / 30.0;

Manifest example(const char* file, const std::vector<std::string>& settings) {
    return Manifest::load(std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/sail_deployment/" + file,
                          settings);
}

/// Largest relative error of energy, momentum and angular momentum.
double balance(const Run& run) {
    const RunStatistics statistics = run.simulation.statistics();
    return std::max({statistics.energy.max_rel,
                     statistics.momentum.max_rel,
                     statistics.angular_momentum.max_rel});
}

}  // namespace

TEST_SUITE("deployment") {
    // Four telescopes draw a square sail out: what was I_0 = 0.737 kg m^2 is that of the flat sail
    // on straight booms, less what the edges are drawn in, and 1 rpm becomes I_0 / I
    TEST_CASE("a sail that booms draw out spins as its inertia says") {
        Run run(example("../boom_sail/model.toml",
                        {"parameters.cells=4", "integrator.step=\"50 ms\""}));
        const double begin = run.column("angular_momentum.z") / kRpm;  // at 1 rpm
        run.to_end();
        constexpr double kSide = 5.6, kPacked = 0.28, kFilm = 1400.0 * 5e-6 * kSide * kSide;
        double open = 0.05 + kFilm * kSide * kSide / 6.0,
               stowed = 0.05 + kFilm * kPacked * kPacked * kSide * kSide / 6.0;
        for (int k = 0; k < 4; ++k) {
            const double r = 0.02 - 0.002 * k;
            const double tube = 1600.0 * std::numbers::pi * (r * r - (r - 5e-4) * (r - 5e-4));
            stowed += 4.0 * tube * (0.36 + 1.0 / 12.0);
            open += 4.0 * tube * ((0.6 + k) * (0.6 + k) + 1.0 / 12.0);
        }
        CHECK(std::abs(begin - stowed) <= 1e-3 * stowed);  // film in lumps, tubes that are thick
        const double rate = run.column("hub.wz") / kRpm;
        CHECK(rate >= stowed / open);
        CHECK(rate <= 1.01 * stowed / open);
        // What the drives gave is in the film, or its damping took it
        CHECK(run.column("work.external") > 70.0);
        CHECK(balance(run) <= 1e-13);
    }

    // A drive stops a hub within 0.3 s; its blades go on, and none of their nodes enters it.
    TEST_CASE("blades of film wrap themselves around a hub that stops, with every balance") {
        Run run(example("braked_hub.toml",
                        {"parameters.along=7",
                         "parameters.across=2",
                         "parameters.brake=0.3",
                         "parameters.spin=4.0",
                         "integrator.end=1.0"}));
        run.to_end();
        CHECK(balance(run) <= 1e-14);
        CHECK(run.simulation.statistics().impacts.count > 100);
        CHECK(run.column("work.impacts") < -1.0);
        constexpr double kRadius = 0.8, kHalf = 0.5;
        int near_hub = 0;
        for (int blade = 0; blade < 4; ++blade)
            for (int node = 0; node < 14; ++node) {
                CAPTURE(blade);
                CAPTURE(node);
                const std::array<double, 3> x =
                    run.simulation.point(fmt::format("blade_{}@{}", blade, node)).position;
                const double r = std::hypot(x[0], x[1]);
                CHECK((r >= kRadius - 1e-12 || std::abs(x[2]) >= kHalf - 1e-12));
                if (r < kRadius + 0.1) ++near_hub;
            }
        CHECK(near_hub >= 16);
    }

    // I w = const: four masses of 4.25 kg on winches go from 0.9 m to 9.9 m from the axis, and with
    // them 25 rpm become 1.523207. Let out in 5 minutes they swing a little about that; the rate of
    // hub and masses together, 2 E / L, has nothing of the swing at first order.
    TEST_CASE("petals that are let out slowly leave the spin that their inertia says") {
        Run run(example("first_stage.toml",
                        {"parameters.time=\"300 s\"", "integrator.step=\"50 ms\""}));
        const double begin = run.column("energy.kinetic");
        run.to_end();
        const double rate =
            2.0 * run.column("energy.kinetic") / run.column("angular_momentum.z") / kRpm;
        const double hub = 292.0 * 0.32,
                     expected = 25.0 * (hub + 17.0 * 0.81) / (hub + 17.0 * 9.9 * 9.9);
        CHECK(std::abs(expected - 1.523207) <= 1e-6);
        CHECK(std::abs(rate - expected) <= 1e-4);
        CHECK(std::abs(run.column("hub.wz") / kRpm - expected) <= 1e-2);
        // What is not left of the energy went to the winches
        CHECK(std::abs(begin - 367.403) <= 1e-3);
        CHECK(std::abs(-run.column("work.external") - 345.018) <= 1e-2);
        CHECK(balance(run) <= 1e-13);
    }

    // Two masses, 2 kg together, on cords round a hub with I = 93 kg m^2, R = 0.8 m (yo-yo
    // despin): with c = 1 + I / (m R^2) the spin is (c R^2 - l^2) / (c R^2 + l^2) of what it was
    // when l of the cords has come off, which goes at the constant rate R w_0. In the hub's frame
    // a mass is at R (cos a, sin a) + l (sin a, -cos a), a = l / R: in the direction
    // f = l / R - atan(l / R).
    TEST_CASE("cords that unwind despin a hub") {
        constexpr double kR = 0.8, kSpin = 2.0, kMass = 2.0, kInertia = 93.0, kBegin = 0.2;
        const double c = 1.0 + kInertia / (kMass * kR * kR);
        const auto ratio = [&](double l) {
            return (c * kR * kR - l * l) / (c * kR * kR + l * l);
        };
        const double spin = kSpin * ratio(kBegin), a = kBegin / kR;
        std::string text = fmt::format(
            "[model]\nplugins = [\"ancf_rigid_body\", \"particle\", \"general_constraint\", "
            "\"explicit_integrators\"]\n[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\n"
            "penalty = inf\nmass = 200.0\ninertia = [60.0, 60.0, {}]\n"
            "angular_velocity = [0, 0, {:.17g}]\n",
            kInertia,
            spin);
        for (const int sign : {1, -1}) {
            const std::string name = sign > 0 ? "m" : "n";
            const double x = sign * (kR * std::cos(a) + kBegin * std::sin(a)),
                         y = sign * (kR * std::sin(a) - kBegin * std::cos(a)), along = kR * spin,
                         outward = kBegin * (spin + kSpin);
            text += fmt::format(
                "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {}\nposition = [{:.17g}, "
                "{:.17g}, 0]\nvelocity = [{:.17g}, {:.17g}, 0]\n",
                name,
                0.5 * kMass,
                x,
                y,
                sign * (outward * std::cos(a) - along * std::sin(a)),
                sign * (outward * std::sin(a) + along * std::cos(a)));
            const auto from = [&](const char* of, const char* axis) {
                return fmt::format("({}.{} - hub.{})", of, axis, axis);
            };
            const std::string rx = from(name.c_str(), "x"), ry = from(name.c_str(), "y"),
                              ex = from("hub@[1,0,0]", "x"), ey = from("hub@[1,0,0]", "y");
            const std::string X = fmt::format("({}*{} + {}*{})", rx, ex, ry, ey),
                              Y = fmt::format("({}*{} - {}*{})", ry, ex, rx, ey),
                              l = fmt::format("sqrt({}^2 + {}^2 - {})/{}", rx, ry, kR * kR, kR),
                              f = fmt::format("({} - atan({}))", l, l);
            text += fmt::format(
                "[[constraint]]\nname = \"cord_{}\"\ntype = \"general_constraint\"\n"
                "equation = \"{}*sin({}) - {}*cos({}) = 0\"\n",
                name,
                X,
                f,
                Y,
                f);
        }
        for (const double l : {1.0, 3.0, 5.0}) {
            Run run(text + fmt::format("[integrator]\ntype = \"dopri5\"\nstep = 0.01\n"
                                       "tolerance = 1e-11\nend = {:.17g}\n",
                                       (l - kBegin) / (kR * kSpin)));
            run.to_end();
            const double r = std::hypot(run.column("m.x") - run.column("hub.x"),
                                        run.column("m.y") - run.column("hub.y"));
            CHECK(std::abs(std::sqrt(r * r - kR * kR) - l) <= 1e-7);
            CHECK(std::abs(run.column("hub.wz") / kSpin - ratio(l)) <= 1e-8);
        }
        // The numbers of the field, from l = 0
        CHECK(std::abs(ratio(1.0) - 0.9584545076859161) <= 1e-15);
        CHECK(std::abs(ratio(5.0) - 0.3069032436928195) <= 1e-15);
    }

    // The folded film opens, and turns as a flat square with a hole does that has the angular
    // momentum of the start; what energy is too much the film has dissipated.
    TEST_CASE("a folded sail opens to the flat square") {
        Run run(example("model.toml", {"parameters.strips=1"}));
        const double L = run.column("angular_momentum.z"), E = run.column("energy.kinetic");
        run.to_end();
        const double side = 14.0, hole = 0.8 * std::sqrt(2.0);
        const double area = side * side - hole * hole;
        const double I = 292.0 * 0.32 + 2.0 * 0.5 * side * side +
                         15.0 / area * (std::pow(side, 4) - std::pow(hole, 4)) / 6.0;
        CHECK(std::abs(run.column("angular_momentum.z") / L - 1.0) <= 1e-13);
        // No shape without strain has more inertia than the flat one
        const double rate = 2.0 * run.column("energy.kinetic") / L;
        CHECK(rate >= L / I * (1.0 - 1e-3));
        CHECK(rate <= L / I * 1.02);
        CHECK(std::abs(run.column("hub.wz") / (L / I) - 1.0) <= 0.03);
        CHECK(std::abs(E + run.column("work.nonideal") - run.column("energy.total")) <= 1e-11 * E);
        CHECK(run.simulation.breaks().size() == 4);  // at one instant
        for (const BreakEvent& event : run.simulation.breaks())
            CHECK(std::abs(event.t - 10.0) <= 1e-13);
        CHECK(balance(run) <= 1e-13);
    }

    TEST_CASE("random folds in any attitude keep the balances while ties open") {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        std::normal_distribution<double> normal;
        std::size_t opened = 0;
        for (int k = 0; k < 12; ++k) {
            Eigen::Vector3d e1(normal(random), normal(random), normal(random)),
                e2(normal(random), normal(random), normal(random));
            e1.normalize();
            e2 = (e2 - e1.dot(e2) * e1).normalized();
            const Eigen::Vector3d e3 = e1.cross(e2);
            const std::string place = fmt::format(
                "directions = [[{:.17g}, {:.17g}, {:.17g}], [{:.17g}, {:.17g}, {:.17g}]]",
                e1.x(),
                e1.y(),
                e1.z(),
                e2.x(),
                e2.y(),
                e2.z());
            const int strips = 1 + k % 3, columns = 2 + k % 3;
            const bool is_petals = k % 2 == 0;
            const int nodes =
                is_petals ? (2 * strips + 3) * (2 * strips + 3) - 1 : (columns + 1) * (columns + 1);
            const std::string fold =
                is_petals ? fmt::format("pattern = \"petals\", side = {}, hole = {}, strips = {}",
                                        2.0 + uniform(random),
                                        0.3 + uniform(random),
                                        strips)
                          : fmt::format(
                                "pattern = \"miura\", counts = [{}, {}], sides = [{}, {}], "
                                "angle = {}, tilt = {}",
                                columns,
                                columns,
                                0.3 + uniform(random),
                                0.3 + uniform(random),
                                0.5 + uniform(random),
                                1.4 * uniform(random));
            std::string text = fmt::format(
                "[model]\nplugins = [\"membrane\", \"joints\", \"emm\"]\n[[body]]\n"
                "name = \"sail\"\ntype = \"membrane\"\nfold = {{ {}, {} }}\nyoung = 1e9\n"
                "poisson = 0.3\nthickness = 1e-5\ndensity = 5000\ndamping = {}\n"
                "tension_only = true\n"
                "spin = {{ axis = [{:.17g}, {:.17g}, {:.17g}], rate = {} }}\n",
                fold,
                place,
                k % 3 * 1e6,
                e3.x(),
                e3.y(),
                e3.z(),
                3.0 * uniform(random));
            const double together = 0.05 + 0.1 * uniform(random);
            for (int i = 0; i < 4; ++i)
                text += fmt::format(
                    "[[constraint]]\nname = \"c{}\"\ntype = \"{}\"\na = \"sail@{}\"\n"
                    "b = \"sail@{}\"\n{}release = {}\n",
                    i,
                    i == 3 ? "spring_damper" : "distance",
                    i,
                    nodes - 1 - i,
                    i == 3 ? "stiffness = 300.0\ndamping = 0.5\n" : "",
                    i < 2   ? fmt::format("{}", together)
                    : i < 3 ? std::string("{ after = \"c0\", delay = 0.04 }")
                            : std::string("{ when = \"c2.released > 0.5 or t > 0.1\" }"));
            Run run(text + "[integrator]\ntype = \"emm\"\nstep = 0.005\nend = 0.3\n");
            run.to_end();
            CHECK(balance(run) <= 1e-13);
            opened += run.simulation.breaks().size();
        }
        CHECK(opened == 48);
    }

    // The model of the guide to beams: a boom that a drive pushes out of a hub, whose guides open
    // one after the other. On a fixed axle the moment of inertia times the spin stays, to what the
    // boom bends by
    TEST_CASE("a boom that grows out of a spinning hub") {
        std::string text =
            "[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\nmass = 10.0\ninertia = [0.5, "
            "0.5, "
            "0.5]\nangular_velocity = [0, 0, 0.5]\n[[constraint]]\nname = \"axle\"\ntype = "
            "\"revolute\"\na = \"ground\"\nb = \"hub\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
            "[[body]]\nname = \"boom\"\ntype = \"beam\"\nfrom = [-4, 0, 0]\nto = [0, 0, "
            "0]\nelements "
            "= 4\nsection = { shape = \"tube\", radius = 0.02, thickness = 0.001 }\nyoung = "
            "70e9\npoisson = 0.33\ndensity = 1600\nrigid = [\"shear\", \"axial\"]\ndamping = "
            "1e-3\nvelocity_from = \"hub\"\n";
        for (int k = 0; k <= 4; ++k)
            text += fmt::format(
                "[[constraint]]\nname = \"guide_{}\"\ntype = \"prismatic\"\na = \"hub\"\nb = "
                "\"boom@{}\"\naxis = [1, 0, 0]\n{}",
                k,
                k,
                k == 0 ? std::string("drive = { motion = [[0, 0], [1, 0], [9, 4], [12, 4]], "
                                     "interpolation = \"monotone\" }\n")
                       : fmt::format("release = {{ when = \"guide_0.displacement > {}\" }}\n",
                                     4.0001 - k));
        Run run(text + "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 12.0\n");
        const double m = 1600.0 * std::numbers::pi * (0.02 * 0.02 - 0.019 * 0.019);  // per length
        const auto inertia = [&](double out) {
            return 0.5 + m * (std::pow(out, 3) - std::pow(out - 4.0, 3)) / 3.0;
        };
        for (int k = 0; k < 6; ++k) {
            run.steps(200);
            const double spin = 0.5 * inertia(0.0) / inertia(run.column("guide_0.displacement"));
            CHECK(std::abs(run.column("hub.wz") - spin) <= 0.01 * spin);
        }
        CHECK(run.simulation.breaks().size() == 4);
        CHECK(std::abs(run.column("hub.wz") - 0.5) <= 1e-4);
        CHECK(run.simulation.statistics().energy.max_rel <= 1e-13);
    }
}
