// SPDX-License-Identifier: BSD-3-Clause
// Stick and slip on what moves: belts, blocks that a spring pulls, on feet too.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

/// Plugins that are shipped, and the linear spring of the tests.
PluginRegistry& registry_with_spring() {
    static PluginRegistry plugins;
    static const bool once =
        (plugins.add_folder(ANCORA_TEST_PLUGIN_DIR), plugins.add_folder(ANCORA_TEST_ZOO_DIR), true);
    static_cast<void>(once);
    return plugins;
}

/// A mass on a spring on a moving belt, m = k = N = 1, mu_s = 0.4, mu_k = 0.2, belt u = 0.1:
///
///   stick   x' = u from x = 0 until k x = mu_s N:  T_1 = 0.4 / u
///   slip    x = 0.2 + 0.2 cos(s) + u sin(s), s = t - T_1, until x' = u again:
///           u (1 - cos s) = -0.2 sin s, tan(s / 2) = -2:  T_2 = 2 pi - 2 atan 2, and x = 0 there
struct Belt {
    static constexpr double kSpeed = 0.1;
    const double stick = 0.4 / kSpeed;
    const double slip = 2.0 * std::numbers::pi - 2.0 * std::atan(2.0);
    const double period = stick + slip;

    double place(double t) const {
        const double s = std::fmod(t, period) - stick;
        return s < 0.0 ? kSpeed * (s + stick) : 0.2 + 0.2 * std::cos(s) + kSpeed * std::sin(s);
    }
    Simulation run(const std::string& type,
                   double step,
                   double end,
                   double tol = 1e-10,
                   const std::string& coordinates = "xyz") const {
        const std::string text =
            weight({0.0, 0.0, -1.0}) + particle("block", 1.0, Vec3::Zero(), {kSpeed, 0.0, 0.0}) +
            "coordinates = \"" + coordinates + "\"\n" + plane("belt", "block@0", Vec3::UnitZ()) +
            friction("belt", mu(0.4, 0.2) + "\nsurface_velocity = [0.1, 0.0, 0.0]") +
            "\n[[constraint]]\nname = \"spring\"\ntype = \"test_spring\"\na = \"block@0\"\n"
            "b = \"ground@[0, 0, 0]\"\nlaw = \"elastic\"\ncompliance = 1.0\n" +
            integrator(type, step, end, tol);
        return {Manifest::parse(text, "belt.toml"), registry_with_spring()};
    }
};

/// Thrown across a belt: friction is along the sliding velocity w = v_0 - u, whose direction stays,
/// so that it goes with the belt after |w| / (mu g), displaced from it by w |w| / (2 mu g).
void cross_belt(const std::string& type, double step) {
    CAPTURE(type);
    CAPTURE(step);
    constexpr double kMu = 0.25, kEnd = 2.0, m = 3.0;
    const Vec3 u(0.3, 1.2, 0.0), v_0(1.0, -0.4, 0.0), w = v_0 - u;
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + particle("block", m, Vec3::Zero(), v_0) +
              plane("belt", "block@0", Vec3::UnitZ()) +
              friction("belt", mu(kMu) + "\nsurface_velocity = " + triple(u)) +
              integrator(type, step, kEnd));
    run_to_end(simulation);
    const Simulation::PointState block = simulation.point("block@0");
    const Vec3 expected = kEnd * u + 0.5 * w.norm() / (kMu * kGravity) * w;
    CHECK((vec3(block.position) - expected).norm() <= tolerance(1e-10));
    CHECK((vec3(block.velocity) - u).norm() <= tolerance(1e-13));
    CHECK(simulation.events().size() == 1);
    CHECK(time_of_event(simulation, 0) == near(w.norm() / (kMu * kGravity), 1e-9));
    // Friction takes the energy of sliding, the drive pays the rest.
    const double lost = 0.5 * m * w.squaredNorm();
    const double gained = 0.5 * m * (u.squaredNorm() - v_0.squaredNorm());
    CHECK(column(simulation, "work.nonideal") == near(-lost, 1e-9));
    CHECK(column(simulation, "work.external") == near(gained + lost, 1e-9));
    CHECK(simulation.statistics().energy.max_rel <= tolerance(type == "emm" ? 1e-14 : 1e-9));
}

/// A block on a rough floor, pulled by a spring whose other end moves with u. Seen from that end it
/// is on a belt: x = u t - (what it is there).
void pull_by_spring(const std::string& type, double step) {
    CAPTURE(type);
    const Belt belt;
    const std::string text =
        weight({0.0, 0.0, -1.0}) + particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
        plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(0.4, 0.2)) +
        particle("hand", 1.0, Vec3::Zero(), {0.1, 0.0, 0.0}) + "coordinates = \"x\"\n" +
        "\n[[constraint]]\nname = \"pull\"\ntype = \"general_constraint\"\n"
        "equation = \"hand.x = 0.1*t\"\n"
        "\n[[constraint]]\nname = \"spring\"\ntype = \"test_spring\"\n"
        "a = \"block@0\"\nb = \"hand@0\"\nlaw = \"elastic\"\ncompliance = 1.0\n" +
        integrator(type, step, 2.2 * belt.period, 1e-11);
    Simulation simulation(Manifest::parse(text, "pull.toml"), registry_with_spring());
    const double most = type == "emm" ? step * step : 1e-8;
    double worst = 0.0, crept = 0.0;
    while (!simulation.done()) {
        simulation.step();
        const double t = simulation.time();
        const double x = simulation.point("block@0").position[0];
        if (t < belt.stick) crept = std::max(crept, std::abs(x));
        worst = std::max(worst, std::abs(x - (0.1 * t - belt.place(t))));
    }
    CHECK(crept <= tolerance(1e-15));
    CHECK(worst <= tolerance(most));
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(events.size() == 4);
    CHECK(events[0].t == near(belt.stick, most));
    CHECK(events[1].t == near(belt.period, most));
    CHECK(events[2].t == near(belt.period + belt.stick, most));
    CHECK(events[3].t == near(2.0 * belt.period, most));
    CHECK(simulation.statistics().energy.max_abs <= tolerance(type == "emm" ? 1e-13 : 1e-9));
}

/// The same for a block on feet, 0.1 m below its centre of mass: m = 2 kg, k = 10 N/m, mu_s = 0.5
/// and g = 10 m/s^2 give 10 s. Between events it goes as a particle, with half its mu_s once it
/// slips: seen from the hand, x'' = -k/m x + mu_k g with x = mu_s m g / k, x' = u at the slip.
void pull_on_feet(const std::string& type, const Feet& feet) {
    CAPTURE(type);
    CAPTURE(feet.size());
    constexpr double m = 2.0, g = 10.0, k = 10.0, u = 0.1, mu_s = 0.5, mu_k = 0.25;
    std::string text =
        weight({0.0, 0.0, -g}) +
        "\n[[body]]\nname = \"block\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
        "inertia = [0.027, 0.041, 0.052]\n" +
        particle("hand", 1.0, Vec3::Zero(), {u, 0.0, 0.0}) + "coordinates = \"x\"\n" +
        "\n[[constraint]]\nname = \"pull\"\ntype = \"general_constraint\"\n"
        "equation = \"hand.x = 0.1*t\"\n"
        "\n[[constraint]]\nname = \"spring\"\ntype = \"test_spring\"\n"
        "a = \"block@[0, 0, 0]\"\nb = \"hand@0\"\nlaw = \"elastic\"\ncompliance = 0.1\n";
    for (const Foot& foot : feet)
        text += plane(foot.name, fmt::format("block@{}", foot.at), Vec3::UnitZ()) +
                "origin = [0.0, 0.0, -0.1]\n" + friction(foot.name, mu(mu_s, mu_k));
    const double slips = mu_s * m * g / (k * u);
    // x - mu_k m g / k = A cos + B sin; it stops when x' = u again, and B = u / w.
    const double w = std::sqrt(k / m), A = (mu_s - mu_k) * m * g / k;
    const double stops = slips + (2.0 * std::numbers::pi - 2.0 * std::atan(A * w / u)) / w;
    Simulation simulation(
        Manifest::parse(text + integrator(type, 2e-3, stops + 0.3, 1e-10), "feet.toml"),
        registry_with_spring());
    double crept = 0.0;
    while (!simulation.done()) {
        simulation.step();
        if (simulation.time() < slips - 1e-2)
            crept = std::max(crept, vec3(simulation.point("block@[0, 0, 0]").position).norm());
    }
    CHECK(crept <= tolerance(1e-14));
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(events.size() == 2 * feet.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        CAPTURE(i);
        const bool sticks = i >= feet.size();
        CHECK(events[i].sticks == sticks);
        CHECK(events[i].t == near(sticks ? stops : slips, 2e-5));
    }
    CHECK((vec3(simulation.point("block@[0, 0, 0]").velocity)).norm() <= tolerance(1e-14));
}

TEST_SUITE("belt") {
    TEST_CASE("stick and slip alternate with the exact period") {
        const Belt belt;
        CHECK(belt.period == near(8.068887871591, 1e-12));
        constexpr int kPeriods = 5;
        for (const std::string coordinates : {"xyz", "xz"})
            for (const std::string& type : kIntegrators) {
                CAPTURE(coordinates);
                CAPTURE(type);
                // emm turns the phase of the slip by some h^2 / 24 of it.
                const double most = type == "emm" ? 5e-6 : 1e-8;
                Simulation simulation =
                    belt.run(type, 1e-3, (kPeriods + 0.2) * belt.period, 1e-11, coordinates);
                double worst = 0.0;
                while (!simulation.done()) {
                    simulation.step();
                    worst = std::max(worst,
                                     std::abs(simulation.point("block@0").position[0] -
                                              belt.place(simulation.time())));
                }
                CHECK(worst <= tolerance(most));
                const std::vector<ContactEvent> events = simulation.events();
                REQUIRE(events.size() == 2 * kPeriods);
                for (int i = 0; i < 2 * kPeriods; ++i) {
                    CAPTURE(i);
                    const double t = i / 2 * belt.period + (i % 2 == 0 ? belt.stick : belt.period);
                    const ContactEvent& event = events[i];
                    CHECK(event.sticks == (i % 2 == 1));
                    CHECK(event.t == near(t, most));
                }
                CHECK(simulation.statistics().energy.max_abs <=
                      tolerance(type == "emm" ? 1e-13 : 1e-9));
            }
    }
    TEST_CASE("emm meets the belt's motion with second order, events included") {
        const Belt belt;
        const auto error = [&](int steps) {
            const double end = 2.9 * belt.period;
            Simulation simulation = belt.run("emm", end / steps, end);
            run_to_end(simulation);
            return std::abs(simulation.point("block@0").position[0] - belt.place(end));
        };
        CHECK(observed_order(2.0, error(1000), 1.0, error(2000)) == near(2.0, 0.1));
    }

    TEST_CASE("thrown across a belt, what slides keeps its direction on the belt") {
        for (const std::string& type : kIntegrators)
            for (const double step : {1e-2, 3e-3, 1e-3}) cross_belt(type, step);
    }

    TEST_CASE("pulled by a spring whose end moves away, a block stays until mu_s N, then jumps") {
        for (const std::string& type : kIntegrators) pull_by_spring(type, 1e-3);
        // At 1e-3 s the limit is reached at the end of a step, here inside one.
        pull_by_spring("emm", 1.3e-3);
    }

    // Each foot has a limit of its own, but together they hold mu_s m g whatever their loads.
    TEST_CASE("feet share what they hold: pulled at its centre a block slips on all at once") {
        for (const Feet& feet : {kThreeFeet, kFourFeet})
            for (const std::string& type : kIntegrators) pull_on_feet(type, feet);
    }

    // Put down at rest it is dragged, v = mu g t, until it goes with the belt. The drive pays m
    // u^2, half of it becomes motion, half is lost.
    TEST_CASE("what is put on a running belt is dragged along and then carried") {
        constexpr double u = 1.2, coefficient = 0.25, mass = 3.0;
        const double meet = u / (coefficient * kGravity);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const std::string text =
                weight({0.0, 0.0, -kGravity}) +
                particle("block", mass, Vec3::Zero(), Vec3::Zero()) +
                plane("belt", "block@0", Vec3::UnitZ()) +
                friction("belt", mu(coefficient) + "\nsurface_velocity = [0.0, 1.2, 0.0]") +
                integrator(type, 0.01, 2.0);
            Simulation simulation = model(text);
            run_to_end(simulation);
            const Simulation::PointState block = simulation.point("block@0");
            CHECK(block.position[1] == near(u * (2.0 - 0.5 * meet), 1e-12));
            CHECK(block.velocity[1] == near(u, 1e-14));
            CHECK(block.position[0] == 0.0);
            CHECK(time_of_event(simulation, 0) == near(meet, 1e-12));
            CHECK(column(simulation, "work.external") == near(mass * u * u, 1e-11));
            CHECK(column(simulation, "work.nonideal") == near(-0.5 * mass * u * u, 1e-11));
            CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-13));
        }
    }
}

/// A rope of beads over half a drum, held by one weight and pulled by another. Each bead bears
/// N = (S + S') sin(d / 2) with the tensions S, S' beside it, turned by d from each other, and
/// slips at S' cos(d / 2) = S cos(d / 2) + mu N; those at the ends are pulled along the tangent.
struct Capstan {
    int beads;
    double friction;

    double turn() const { return std::numbers::pi / (beads - 1); }
    /// Pull beside a hold of 1 at which all slip, by beads in the middle alone.
    double ratio() const {
        const double side = friction * std::tan(0.5 * turn());
        return std::pow((1.0 + side) / (1.0 - side), beads - 2);
    }
    std::string text(double pull) const {
        std::string text;
        for (int i = 0; i < beads; ++i) {
            const std::string name = fmt::format("bead{}", i);
            const double angle = i * turn();
            text += particle(name, 0.01, {std::cos(angle), std::sin(angle), 0.0}, Vec3::Zero());
            text += "coordinates = \"xy\"\n";
            text += fmt::format(
                "\n[[constraint]]\nname = \"on{0}\"\ntype = \"point_on_circle\"\n"
                "point = \"bead{0}@0\"\nnormal = [0.0, 0.0, 1.0]\nradius = 1.0\n"
                "\n[[force]]\nname = \"friction{0}\"\ntype = \"coulomb_friction\"\n"
                "on = \"on{0}\"\nmu_static = {1}\n",
                i,
                friction);
            if (i > 0)
                text += fmt::format(
                    "\n[[constraint]]\nname = \"link{0}\"\ntype = \"distance\"\n"
                    "a = \"bead{1}@0\"\nb = \"bead{0}@0\"\n",
                    i,
                    i - 1);
        }
        return text + fmt::format(
                          "\n[[force]]\nname = \"hold\"\ntype = \"point_load\"\n"
                          "at = \"bead0@0\"\nforce = [0.0, -10.0, 0.0]\n"
                          "\n[[force]]\nname = \"pull\"\ntype = \"point_load\"\n"
                          "at = \"bead{}@0\"\nforce = [0.0, {:.17g}, 0.0]\n",
                          beads - 1,
                          -10.0 * pull);
    }
};

TEST_SUITE("capstan") {
    // Held coordinates do not move, so no load does work on them: the round-off of trials was
    // recorded as work of the weights, and zero balances did not close.
    TEST_CASE("a rope that sticks rests, and no work is booked") {
        for (const int beads : {3, 8, 25})
            for (const double part : {0.5, 0.95})
                for (const double h : {1e-2, 1e-3}) {
                    const Capstan capstan{beads, 0.3};
                    CAPTURE(beads);
                    CAPTURE(part);
                    CAPTURE(h);
                    Simulation simulation =
                        model(capstan.text(part * capstan.ratio()) + integrator("emm", h, 100 * h));
                    run_to_end(simulation);
                    CHECK(column(simulation, "work.external") == 0.0);
                    CHECK(simulation.statistics().energy.max_abs == 0.0);
                    CHECK(simulation.statistics().doubts.empty());
                    CHECK(simulation.point("bead0@0").position[1] == 0.0);
                }
    }
    TEST_CASE("beyond that it slips, all beads at once, and balances close") {
        for (const int beads : {8, 25}) {
            const Capstan capstan{beads, 0.3};
            // Those at the ends bear half as much at most each.
            const double ends = (1.0 + capstan.friction) * (1.0 + capstan.friction);
            Simulation simulation =
                model(capstan.text(ends * capstan.ratio()) + integrator("emm", 1e-2, 0.1));
            run_to_end(simulation);
            CHECK(simulation.point("bead0@0").position[1] > 1e-3);
            CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-13));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
