// SPDX-License-Identifier: BSD-3-Clause
// Dry friction on an incline: particles and blocks on feet that stop, slide back or stay.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

#ifdef ANCORA_TEST_SHORT
constexpr double kShare = 0.01;
#else
constexpr double kShare = 1.0;
#endif

TEST_SUITE("incline") {
    TEST_CASE("mu = 0.3: stops, slides back, and is at the start with 1.1245 m/s") {
        const Incline incline(0.3);
        CHECK(incline.stop == near(0.268322655, 1e-9));
        CHECK(incline.back() == near(0.745554652, 1e-9));
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation = model(incline.block() + integrator(type, 1e-3, incline.back()));
            double worst = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const double t = simulation.time();
                worst = std::max({worst,
                                  std::abs(along(simulation) - incline.place(t)),
                                  std::abs(speed_along(simulation) - incline.speed(t))});
            }
            CHECK(worst <= tolerance(1e-11));
            CHECK(speed_along(simulation) == near(-1.124495663, 1e-9));
            check_energy_accounting(simulation, incline, 2.0 * incline.top);
            // It stops, and begins to slide at once.
            const std::vector<ContactEvent> events = simulation.events();
            REQUIRE(!events.empty());
            CHECK(events.back().t == near(incline.stop, 1e-12));
            CHECK_FALSE(events.back().sticks);
        }
    }

    TEST_CASE("mu = 0.6: stops for good, and after 1000 s not a bit has changed") {
        const Incline incline(0.6);
        CHECK(incline.stop == near(0.199951501, 1e-9));
        const struct {
            const char* type;
            double step;
        } runs[] = {{"emm", 1e-3}, {"rk4", 0.01}, {"dopri5", 1e-3}};
        for (const auto& run : runs) {
            CAPTURE(run.type);
            Simulation simulation =
                model(incline.block() + integrator(run.type, run.step, 1000.0 * kShare));
            while (simulation.time() <= 0.25) simulation.step();
            CHECK(along(simulation) == near(incline.top, 1e-13));
            const std::vector<double> there(simulation.q().begin(), simulation.q().end());
            run_to_end(simulation);
            CHECK(std::memcmp(simulation.q().data(), there.data(), 8 * there.size()) == 0);
            for (const double v : simulation.v()) CHECK(v == 0.0);
            check_energy_accounting(simulation, incline, incline.top);
            const std::vector<ContactEvent> events = simulation.events();
            REQUIRE(events.size() == 1);
            CHECK(events[0].t == near(incline.stop, 1e-14));
            CHECK(events[0].sticks);
            CHECK(events[0].force == "rub_ramp");
        }
    }

    TEST_CASE("at rest at the start: stays for mu > tan(a), slides with its acceleration else") {
        for (const double coefficient : {0.2, 0.57, 0.58, 2.0}) {
            CAPTURE(coefficient);
            const Incline incline(coefficient);
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                Simulation simulation = model(incline.block() + integrator(type, 0.01, 0.5),
                                              {"body.block.velocity=[0.0, 0.0, 0.0]"});
                run_to_end(simulation);
                const double expected = -0.125 * std::max(incline.c, 0.0);
                CHECK(along(simulation) == near(expected, 1e-13));
                if (incline.c < 0.0) CHECK(along(simulation) == 0.0);
            }
        }
    }

    // Static friction holds up to mu_s, kinetic decides how it moves.
    TEST_CASE("mu_s holds what mu_k would not stop") {
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const Incline incline(0.3);
            const std::string text = weight({0.0, 0.0, -kGravity}) +
                                     particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
                                     plane("ramp", "block@0", incline.normal()) +
                                     friction("ramp", mu(0.6, 0.3)) + integrator(type, 0.01, 2.0);
            Simulation held = model(text);
            run_to_end(held);
            CHECK(along(held) == 0.0);
            // Thrown up it stops, and mu_s holds it.
            Simulation thrown =
                model(text, {"body.block.velocity=" + triple(2.0 * incline.uphill())});
            run_to_end(thrown);
            CHECK(along(thrown) == near(incline.top, 1e-12));
            CHECK(speed_along(thrown) == 0.0);
        }
    }
}

void slide_on_feet(const std::string& type, double coefficient, const Feet& feet = kThreeFeet) {
    CAPTURE(type);
    CAPTURE(coefficient);
    CAPTURE(feet.size());
    const Incline incline(coefficient);
    Simulation simulation = model(on_feet(feet, coefficient) + integrator(type, 1e-3, 0.7));
    double worst = 0.0;
    while (!simulation.done()) {
        simulation.step();
        const double t = simulation.time();
        worst = std::max({worst,
                          std::abs(along(simulation, "block@[0, 0, 0]") - incline.place(t)),
                          std::abs(speed_along(simulation, "block@[0, 0, 0]") - incline.speed(t))});
    }
    // dopri5 takes a contact as stopped below 1e-9 of its speed.
    CHECK(worst <= tolerance(type == "dopri5" ? 1e-8 : 1e-12));
    CHECK(simulation.statistics().energy.max_abs <= tolerance(1e-13 * incline.energy));
    if (incline.c < 0.0)
        for (const double v : simulation.v()) CHECK(v == 0.0);
}

TEST_SUITE("rigid block on the incline") {
    TEST_CASE("on three feet it moves as the particle does, stops with it and stays") {
        for (const double coefficient : {0.3, 0.6})
            for (const std::string& type : kIntegrators) slide_on_feet(type, coefficient);
    }

    // Moments about the centre of mass: the feet at +-0.2 m share the weight's part so that
    // friction, 0.1 m below, is balanced.
    TEST_CASE("friction shifts the load between the feet") {
        const Incline incline(0.3);
        const double normal = incline.kMass * kGravity * incline.kCos;
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            for (const double side : {1.0, -1.0}) {
                Simulation simulation =
                    model(on_feet(kThreeFeet, 0.3) + integrator(type, 1e-3, 0.1),
                          {"body.block.velocity=" + triple(2.0 * side * incline.uphill())});
                run_to_end(simulation);
                const double rub = -side * 0.3 * normal;  // uphill
                const double front = 0.5 * normal - 0.1 * rub / 0.4;
                const auto load = [&](const std::string& foot) {
                    return Incline::normal().dot(columns(simulation, foot + ".force"));
                };
                CHECK(load("front") == near(front, 1e-9 * normal));
                CHECK(load("left") == near(0.5 * (normal - front), 1e-9 * normal));
                CHECK(load("right") == near(0.5 * (normal - front), 1e-9 * normal));
            }
        }
    }

    // Which foot carries what is open then, but not their sum.
    TEST_CASE("on four feet it moves likewise, with a warning for each friction") {
        const auto warnings = [](const std::string& text) {
            std::vector<std::string> out;
            const Simulation simulation(
                Manifest::parse(text, "test.toml"), registry(), [&](const std::string& warning) {
                    if (warning.find("its normal force is not unique") != std::string::npos)
                        out.push_back(warning);
                });
            return out;
        };
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            slide_on_feet(type, 0.3, kFourFeet);
            slide_on_feet(type, 0.6, kFourFeet);
            const std::string end = integrator(type, 1e-3, 0.7);
            CHECK(warnings(on_feet(kThreeFeet, 0.3) + end).empty());
            const std::vector<std::string> four = warnings(on_feet(kFourFeet, 0.3) + end);
            REQUIRE(four.size() == 4);
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(four[i].find(fmt::format(
                          "force \"rub_{}\": its normal force is not unique, since rows of its "
                          "constraint are redundant",
                          kFourFeet[i].name)) != std::string::npos);
            // What is redundant elsewhere does not matter to a contact.
            const std::string elsewhere = particle("other", 1.0, {5.0, 0.0, 0.0}, Vec3::Zero()) +
                                          plane("shelf", "other@0", Vec3::UnitZ()) +
                                          plane("again", "other@0", Vec3::UnitZ());
            CHECK(warnings(Incline(0.3).block() + elsewhere + end).empty());
        }
    }

    // Friction at the centre of mass does not turn the body: it tumbles on as if it were free.
    TEST_CASE("kept on the plane at its centre, it tumbles while it slides and while it sticks") {
        const std::string spin = "angular_velocity = [0.9, 2.0, -1.1]\n";
        for (const double coefficient : {0.3, 0.6}) {
            CAPTURE(coefficient);
            const Incline incline(coefficient);
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                const std::string body =
                    rigid_block("ancf_rigid_body", incline.kSpeed * incline.uphill(), spin);
                Simulation simulation =
                    model(weight({0.0, 0.0, -kGravity}) + body +
                          plane("ramp", "block@[0, 0, 0]", incline.normal()) +
                          friction("ramp", mu(coefficient)) + integrator(type, 1e-3, 1.0));
                Simulation free = model(body + integrator(type, 1e-3, 1.0));
                double worst = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    worst = std::max(worst,
                                     std::abs(along(simulation, "block@[0, 0, 0]") -
                                              incline.place(simulation.time())));
                }
                CHECK(worst <= tolerance(1e-10));
                run_to_end(free);
                // The step at the stop is split; velocities at emm's step ends are off by h^2.
                CHECK((omega(simulation, "block") - omega(free, "block")).norm() <=
                      tolerance(type == "emm" ? 1e-6 : 1e-9));
            }
        }
    }

    TEST_CASE("stuck and tumbling for 100 s, its centre does not creep") {
        const Incline incline(0.6);
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) +
                  rigid_block("ancf_rigid_body",
                              incline.kSpeed * incline.uphill(),
                              "angular_velocity = [0.9, 2.0, -1.1]\n") +
                  plane("ramp", "block@[0, 0, 0]", incline.normal()) +
                  friction("ramp", mu(incline.mu)) + integrator("emm", 5e-3, 100.0));
        run_to_end(simulation);
        CHECK(along(simulation, "block@[0, 0, 0]") == near(incline.top, 1e-13));
    }
}

}  // namespace
}  // namespace ancora::testing
