// SPDX-License-Identifier: BSD-3-Clause
// Latches: what they lose, what they hold, and how they let go, against closed forms.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "joint_law_models.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

struct Method {
    const char* type;
    int order = 0;
    bool keeps() const { return std::string(type) == "emm"; }
    std::string text(double step, double end) const {
        std::string out = steps(type, step, end, keeps() ? 1e-12 : 1e-11);
        return order > 0 ? out + fmt::format("[integrator.emm]\norder = {}\n", order) : out;
    }
};
constexpr std::array kMethods = {
    Method{"emm"}, Method{"emm", 4}, Method{"emm", 6}, Method{"rk4"}, Method{"dopri5"}};

std::string joint(const std::string& name,
                  const std::string& a,
                  const std::string& b,
                  const Vec3& point,
                  const Vec3& axis,
                  const std::string& laws) {
    return constraint(name,
                      "revolute",
                      fmt::format("a = \"{}\"\nb = \"{}\"\npoint = [{:.17g}, {:.17g}, {:.17g}]\n"
                                  "axis = [{:.17g}, {:.17g}, {:.17g}]\n{}",
                                  a,
                                  b,
                                  point.x(),
                                  point.y(),
                                  point.z(),
                                  axis.x(),
                                  axis.y(),
                                  axis.z(),
                                  laws));
}

std::vector<double> times(const Simulation& simulation, ImpactEvent::Kind kind) {
    std::vector<double> out;
    for (const ImpactEvent& event : simulation.impacts())
        if (event.kind == kind) out.push_back(event.t);
    return out;
}

double kinetic(const Simulation& simulation) {
    return column(simulation, "energy.kinetic");
}

// --- what a latch loses

std::string discs(const std::string& law) {
    return model_text(false) +
           body("d1", "ancf_rigid_body", "angular_velocity = [0, 0, 1]", 1.0, "[0.6, 0.6, 1.0]") +
           body("d2", "ancf_rigid_body", "position = [0, 0, 0.5]", 2.0, "[1.6, 1.6, 3.0]") +
           joint("axle", "ground", "d1", Vec3::Zero(), Vec3::UnitZ(), "") +
           joint("clutch", "d2", "d1", Vec3(0, 0, 0.5), Vec3::UnitZ(), law);
}

TEST_CASE("two discs that catch go on together: loss u^2 / (2 W)") {
    // I_1 = 1 at 1 rad/s, I_3 = 3 at rest: W = 1 + 1/3, p = 3/4, and 1/4 rad/s from there on.
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        Simulation simulation = model(discs("latch = { at = 0.7 }") + method.text(0.01, 2.0));
        run_to_end(simulation);
        const double small = method.keeps() ? 1e-13 : 1e-9;
        REQUIRE(simulation.impacts().size() == 2);
        CHECK(column(simulation, "axle.angle_rate") == near(0.25, small));
        CHECK(column(simulation, "clutch.angle") == near(0.7, small));
        CHECK(column(simulation, "clutch.latch.loss") == near(0.375, small));
        CHECK(column(simulation, "clutch.latch.impulse") == near(0.75, small));
        const double met = times(simulation, ImpactEvent::Kind::closed).at(0);
        // The midpoint rule turns by 2 atan(h / 2) a step.
        CHECK(met == near(0.7, method.keeps() && method.order == 0 ? 1e-5 : 1e-9));
        if (method.keeps()) check_balances(simulation);
    }
    for (const int num_steps : {20, 69, 71, 150})
        CHECK(ends_alike_restored(discs("latch = { at = 0.7 }") + kMethods[0].text(0.01, 2.0),
                                  num_steps));
}

TEST_CASE("a stop at the same place does not bounce what a latch has caught") {
    Simulation simulation =
        model(discs("limits = { upper = 0.7, restitution = 0.9 }\nlatch = { at = 0.7 }") +
              kMethods[0].text(0.01, 2.0));
    run_to_end(simulation);
    CHECK(column(simulation, "axle.angle_rate") == near(0.25, 1e-13));
    CHECK(simulation.statistics().impacts.loss == near(0.375, 1e-13));
    check_balances(simulation);
}

TEST_CASE("a latch holds in an impact behind a constraint that has opened") {
    // Both discs turn back together at 1.1 s, from 1/4 rad/s.
    for (const std::string type : {"emm", "rk4"}) {
        CAPTURE(type);
        Simulation simulation = model(
            model_text(false) +
            body("d1", "ancf_rigid_body", "angular_velocity = [0, 0, 1]", 1.0, "[0.6, 0.6, 1]") +
            body("d2", "ancf_rigid_body", "position = [0, 0, 0.5]", 2.0, "[1.6, 1.6, 3]") +
            body("r", "ancf_rigid_body", "position = [5, 0, 0]") +
            joint("axle",
                  "ground",
                  "d1",
                  Vec3::Zero(),
                  Vec3::UnitZ(),
                  "limits = { upper = 0.8, restitution = 1.0 }") +
            joint("clutch", "d2", "d1", Vec3(0, 0, 0.5), Vec3::UnitZ(), "latch = { at = 0.7 }") +
            constraint(
                "tie", "position", "a = \"r@[0, 0, 0]\"\nb = \"ground@[5, 0, 0]\"\nrelease = 0.9") +
            steps(type, 0.01, 1.5, 1e-12));
        run_to_end(simulation);
        const double small = type == "emm" ? 1e-12 : 1e-9;
        CHECK(column(simulation, "axle.angle_rate") == near(-0.25, small));
        CHECK(column(simulation, "clutch.angle_rate") == near(0.0, small));
        CHECK(kinetic(simulation) == near(0.125, small));
        CHECK(simulation.statistics().impacts.loss == near(0.375, small));
        if (type == "emm") check_balances(simulation);
    }
}

// --- several, and in loops

/// A hub that flies at any attitude with panels on springs, folded and at rest: all of the springs'
/// energy is lost where the last of them has caught, since no momentum is left to move by.
struct Satellite {
    std::string text = model_text(false);
    double released = 0.0;

    Satellite(unsigned seed, int num_panels, bool is_alike) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        const auto between = [&](double low, double high) {
            return low + (high - low) * uniform(random);
        };
        text += body("hub", "ancf_rigid_body", "", between(5.0, 20.0), "[2.0, 2.0, 3.0]");
        double at = 1.4, k = 3.0, m = 0.7;
        for (int i = 0; i < num_panels; ++i) {
            if (!is_alike) {
                at = between(0.5, 1.8);
                k = between(1.0, 5.0);
                m = between(0.3, 2.0);
            }
            const double turn = 2.0 * std::numbers::pi * i / num_panels;
            const Vec3 out(std::cos(turn), std::sin(turn), 0.0);
            const Vec3 hinge = 0.5 * out, middle = hinge + Vec3(0, 0, 0.4);
            text += body(
                fmt::format("p{}", i),
                "ancf_rigid_body",
                fmt::format(
                    "position = [{:.17g}, {:.17g}, {:.17g}]", middle.x(), middle.y(), middle.z()),
                m,
                "[0.06, 0.06, 0.04]");
            text += joint(fmt::format("h{}", i),
                          "hub",
                          fmt::format("p{}", i),
                          hinge,
                          Vec3(-out.y(), out.x(), 0.0),
                          fmt::format("spring = {{ stiffness = {}, free = 2.0 }}\n"
                                      "latch = {{ at = {} }}",
                                      k,
                                      at));
            released += 0.5 * k * (2.0 * 2.0 - (2.0 - at) * (2.0 - at));
        }
    }
};

TEST_CASE("panels of a satellite that unfold from rest lose what their springs have given") {
    for (unsigned seed = 0; seed < 6; ++seed)
        for (const Method& method : {kMethods[0], kMethods[1], kMethods[3]}) {
            CAPTURE(seed);
            CAPTURE(method.type);
            CAPTURE(method.order);
            const int count = 2 + static_cast<int>(seed % 3);
            const bool is_alike = seed % 2 == 0;
            const Satellite satellite(seed, count, is_alike);
            Simulation simulation = model(satellite.text + method.text(0.01, 2.5));
            run_to_end(simulation);
            const std::vector<double> caught = times(simulation, ImpactEvent::Kind::closed);
            REQUIRE(caught.size() == static_cast<std::size_t>(count));
            // Alike, they all do so at once.
            if (is_alike) CHECK(caught.back() - caught.front() <= 1e-9);
            // Steps of order 2 leave of velocities what a projection takes there.
            const double small = method.keeps() ? 1e-11 : 1e-4;
            CHECK(simulation.statistics().impacts.loss - column(simulation, "work.projection") ==
                  near(satellite.released, small));
            CHECK(column(simulation, "work.projection") == near(0.0, 1e-4));
            CHECK(kinetic(simulation) == near(0.0, small));
            if (method.keeps()) check_balances(simulation);
        }
}

/// A parallelogram of links of 1 m and 2 m, driven by a torque on one crank; its two cranks turn
/// alike, and all is in one plane, so that rows are redundant three times.
std::string parallelogram(const std::string& on_first, const std::string& on_second) {
    const std::string rod = "[0.1, 0.1, 0.1]";
    return model_text(false) + body("l", "ancf_rigid_body", "position = [0, 0, 0.5]", 1.0, rod) +
           body("r", "ancf_rigid_body", "position = [2, 0, 0.5]", 1.0, rod) +
           body("c", "ancf_rigid_body", "position = [1, 0, 1]", 3.0, rod) +
           joint("jl", "ground", "l", Vec3::Zero(), Vec3::UnitY(), on_first) +
           joint("jr", "ground", "r", Vec3(2, 0, 0), Vec3::UnitY(), on_second) +
           joint("kl", "l", "c", Vec3(0, 0, 1), Vec3::UnitY(), "") +
           joint("kr", "r", "c", Vec3(2, 0, 1), Vec3::UnitY(), "");
}
// Of the cranks about their hinges, and of the coupler that moves along a circle.
constexpr double kLoopInertia = 2.0 * (0.1 + 0.25) + 3.0;

TEST_CASE("latches in a closed loop stop all of it, and redundant ones share") {
    const double at = 0.6, torque = 2.0;
    for (const Method& method : kMethods)
        for (const bool both : {false, true}) {
            CAPTURE(method.type);
            CAPTURE(method.order);
            CAPTURE(both);
            const std::string latch = fmt::format("latch = {{ at = {} }}", at);
            Simulation simulation = model(
                parallelogram(fmt::format("motor = {}\n", torque) + latch, both ? latch : "") +
                method.text(0.01, 2.0));
            run_to_end(simulation);
            const double small = method.keeps() ? 1e-11 : 1e-7;
            // The torque's work, all of it lost.
            CHECK(simulation.statistics().impacts.loss - column(simulation, "work.projection") ==
                  near(torque * at, small));
            CHECK(column(simulation, "jl.angle") == near(at, small));
            CHECK(kinetic(simulation) == near(0.0, small));
            const double met = times(simulation, ImpactEvent::Kind::closed).at(0);
            CHECK(met == near(std::sqrt(2.0 * at * kLoopInertia / torque), 1e-4));
            double held = column(simulation, "jl.latch.effort");
            if (both) held += column(simulation, "jr.latch.effort");
            CHECK(held == near(-torque, 1e-9));
            if (method.keeps()) check_balances(simulation);
        }
}

// What is left of a step behind the catch may be short; conditions that depend on each other, both
// kept, would then bear stresses against each other without bound.
// Positions that are closed to their rounding over that short a time leave some 1e-9 of the rates.
TEST_CASE("redundant latches that catch shortly before the end of a step share all the same") {
    const double torque = 2.0;
    for (const int step : {104, 116, 131}) {
        double share = 0.0;  // which turns with the angle, not with what is left of the step
        for (const double before : {1e-3, 3e-5, 3e-6, 1e-6, 1e-7}) {
            CAPTURE(before);
            CAPTURE(step);
            const double met = 0.01 * step - before;
            const double at = met * met * torque / (2.0 * kLoopInertia);
            const std::string latch = fmt::format("latch = {{ at = {:.17g} }}", at);
            Simulation simulation =
                model(parallelogram(fmt::format("motor = {}\n", torque) + latch, latch) +
                      Method{"emm"}.text(0.01, 1.8));
            run_to_end(simulation);
            check_balances(simulation);
            CHECK(kinetic(simulation) == near(0.0, 1e-18));
            const double left = column(simulation, "jl.latch.effort");
            const double right = column(simulation, "jr.latch.effort");
            CHECK(left + right == near(-torque, 1e-7));
            if (share == 0.0) share = left;
            CHECK(left == near(share, 1e-3));
        }
    }
}

// --- letting go

/// A flywheel of 2 kg m^2 under a torque of 3 t, latched where it starts.
std::string flywheel(const std::string& latch, const std::string& motor = "3*t") {
    return model_text(false) + body("wheel", "ancf_rigid_body", "", 1.0, "[1.2, 1.2, 2.0]") +
           joint("axle",
                 "ground",
                 "wheel",
                 Vec3::Zero(),
                 Vec3::UnitZ(),
                 fmt::format("motor = \"{}\"\nlatch = {}", motor, latch));
}

TEST_CASE("a latch breaks where its load passes the limit, for good and without a loss") {
    for (const Method& method : kMethods)
        for (const double sign : {1.0, -1.0}) {
            CAPTURE(method.type);
            CAPTURE(method.order);
            CAPTURE(sign);
            Simulation simulation =
                model(flywheel("{ at = 0, breaks = 1.2 }", fmt::format("{} * t", sign * 3.0)) +
                      method.text(0.05, 1.5));
            run_to_end(simulation);
            const std::vector<double> broken = times(simulation, ImpactEvent::Kind::broken);
            REQUIRE(broken.size() == 1);
            CHECK(broken[0] == near(0.4, 1e-9));
            CHECK(simulation.statistics().impacts.loss == 0.0);
            // 2 phi'' = 3 t from rest at 0.4 s
            const double t = 1.5, b = 0.4;
            const double angle = 0.25 * (t * t * t - b * b * b) - 0.75 * b * b * (t - b);
            const double small = method.keeps() && method.order == 0 ? 1e-3 : 1e-6;
            CHECK(sign * column(simulation, "axle.angle") == near(angle, small));
            if (method.keeps()) check_balances(simulation);
        }
}

TEST_CASE("a latch that cannot hold the load of the start is broken there") {
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        // The second of a pair, whose joints move each other.
        const std::string text =
            flywheel("{ at = 0, breaks = 1.2 }", "3") +
            body("arm", "ancf_rigid_body", "position = [0, 0, 1]", 1.0, "[0.2, 0.2, 0.3]") +
            joint("hinge", "wheel", "arm", Vec3(0, 0, 0.5), Vec3::UnitY(), "latch = { at = 0 }");
        Simulation simulation = model(text + method.text(0.05, 1.0));
        run_to_end(simulation);
        CHECK(times(simulation, ImpactEvent::Kind::broken) == std::vector<double>{0.0});
        // 2 + 0.3 kg m^2 under 3 N m
        CHECK(column(simulation, "axle.angle") == near(0.5 * 3.0 / 2.3, 1e-3));
        if (method.keeps()) check_balances(simulation);
    }
}

TEST_CASE("where one of two latches breaks the other one has all the load") {
    // Each bears half of 3 t: the weaker breaks at 0.4 s, and leaves 1.2 to the other.
    for (const double second : {0.9, 2.1}) {
        CAPTURE(second);
        Simulation simulation = model(
            flywheel("{ at = 0, breaks = 0.6 }") +
            constraint(
                "other", "latch", fmt::format("on = \"axle.angle\"\nat = 0\nbreaks = {}", second)) +
            kMethods[0].text(0.01, 1.0));
        run_to_end(simulation);
        const std::vector<double> broken = times(simulation, ImpactEvent::Kind::broken);
        REQUIRE(broken.size() == 2);
        CHECK(broken[0] == near(0.4, 1e-10));
        CHECK(broken[1] == near(std::max(second / 3.0, 0.4), 1e-10));
        check_balances(simulation);
    }
}

/// I phi'' = -k phi from an angle at rest.
std::string balance_wheel(const std::string& latch) {
    return model_text(false) + body("wheel", "ancf_rigid_body", "", 1.0, "[1.2, 1.2, 2.0]") +
           joint("axle",
                 "ground",
                 "wheel",
                 Vec3::Zero(),
                 Vec3::UnitZ(),
                 "start = 1.0\nspring = { stiffness = 2.0, free = 0 }\nlatch = " + latch);
}

TEST_CASE("a latch with a command to open is released, and catches again from its own side") {
    // Swings as cos t, is caught at 0.5 and let go at 2 s: 0.5 cos(t - 2), whose side is the other
    // one. Told so by a formula, a table, another object's state.
    for (const std::string open : {"\"2*(t - 1.75)\"", "[[0.0, 0.0], [1.9, 0.0], [2.1, 1.0]]"})
        for (const char* const type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(open);
            CAPTURE(type);
            const Method method{type};
            Simulation simulation =
                model(balance_wheel("{ at = 0.5, open = " + open + " }") + method.text(0.002, 9.0));
            run_to_end(simulation);
            const double small = method.keeps() ? 1e-5 : 1e-7;
            const std::vector<double> released = times(simulation, ImpactEvent::Kind::released);
            REQUIRE(released.size() == 1);
            CHECK(released[0] == near(2.0, 1e-9));
            CHECK(times(simulation, ImpactEvent::Kind::closed).at(0) ==
                  near(std::acos(0.5), small));
            CHECK(column(simulation, "axle.angle") == near(0.5 * std::cos(7.0), small));
            // Half of k (1 - 0.25) was motion when it was caught.
            CHECK(simulation.statistics().impacts.loss == near(0.75, small));
            if (method.keeps()) check_balances(simulation);
        }
    // Open until 3 s: it swings through, and is caught on its next way down, at 2 pi + acos(0.5).
    Simulation simulation =
        model(balance_wheel("{ at = 0.5, open = \"3.5 - t\" }") + Method{"dopri5"}.text(0.01, 9.0));
    run_to_end(simulation);
    const std::vector<double> caught = times(simulation, ImpactEvent::Kind::closed);
    REQUIRE(caught.size() == 1);
    CHECK(caught[0] == near(2.0 * std::numbers::pi + std::acos(0.5), 1e-8));
}

TEST_CASE("a program opens a latch") {
    Simulation simulation = model(flywheel("{ at = 0, open = 0 }", "4") + steps("emm", 0.01, 2.0));
    while (simulation.time() < 0.995) simulation.step();
    CHECK(column(simulation, "axle.angle") == near(0.0, 1e-15));
    CHECK(column(simulation, "axle.latch.effort") == near(-4.0, 1e-12));
    simulation.set_input("axle.latch.open", 1.0);
    run_to_end(simulation);
    CHECK(times(simulation, ImpactEvent::Kind::released) == std::vector<double>{1.0});
    // 2 phi'' = 4 over one second, the midpoint rule's angle
    CHECK(column(simulation, "axle.angle_rate") == near(2.0, 1e-4));
    check_balances(simulation);
}

// --- backlash

TEST_CASE("teeth with backlash meet after their play, and share what two bodies share") {
    // Wheels of 10 and 20 teeth, 1 and 3 kg m^2: with x = 10 phi_1 + 20 phi_2, W = 100 + 400 / 3.
    // The first turns at 1 rad/s, and meets when 10 t = 20 c / 2.
    constexpr double kPlay = 0.03, kMobility = 100.0 + 400.0 / 3.0;
    for (const double e : {0.0, 0.4, 1.0})
        for (const Method& method : kMethods) {
            CAPTURE(e);
            CAPTURE(method.type);
            CAPTURE(method.order);
            const std::string text =
                model_text(false) +
                body(
                    "d1", "ancf_rigid_body", "angular_velocity = [0, 0, 1]", 1.0, "[0.6, 0.6, 1]") +
                body("d2", "ancf_rigid_body", "position = [1, 0, 0]", 2.0, "[1.6, 1.6, 3.0]") +
                joint("a1", "ground", "d1", Vec3::Zero(), Vec3::UnitZ(), "") +
                joint("a2", "ground", "d2", Vec3::UnitX(), Vec3::UnitZ(), "") +
                constraint("mesh",
                           "gear",
                           fmt::format("on = [\"a1.angle\", \"a2.angle\"]\nteeth = [10, 20]\n"
                                       "backlash = {}\nrestitution = {}",
                                       kPlay,
                                       e));
            Simulation simulation = model(text + method.text(0.003, 0.04));
            run_to_end(simulation);
            REQUIRE(simulation.statistics().impacts.count == 1);
            const double met = times(simulation, ImpactEvent::Kind::impact).at(0);
            CHECK(met == near(0.5 * kPlay * 20.0 / 10.0, 1e-6));
            const double p = (1.0 + e) * 10.0 / kMobility;
            CHECK(column(simulation, "a1.angle_rate") == near(1.0 - 10.0 * p, 1e-10));
            CHECK(column(simulation, "a2.angle_rate") == near(-20.0 / 3.0 * p, 1e-10));
            CHECK(column(simulation, "mesh.loss") ==
                  near(0.5 * (1.0 - e * e) * 100.0 / kMobility, 1e-9));
            if (method.keeps()) check_balances(simulation);
        }
}

// --- at any attitude, with stops

TEST_CASE("random chains with latches and stops keep their balances, by any method") {
    for (unsigned seed = 0; seed < 6; ++seed)
        for (const Method& method : {kMethods[0], kMethods[1], kMethods[3]}) {
            CAPTURE(seed);
            CAPTURE(method.type);
            CAPTURE(method.order);
            std::mt19937 random(seed);
            std::uniform_real_distribution<double> uniform(0.0, 1.0);
            const auto between = [&](double low, double high) {
                return low + (high - low) * uniform(random);
            };
            std::string text = model_text(seed % 3 != 0);
            Vec3 at = Vec3::Zero();
            for (int i = 0; i < 3; ++i) {
                const Vec3 along(between(-1, 1), between(-1, 1), between(-1, 1));
                const Vec3 middle = at + 0.5 * along;
                text += body(fmt::format("b{}", i),
                             "ancf_rigid_body",
                             fmt::format("position = [{:.17g}, {:.17g}, {:.17g}]",
                                         middle.x(),
                                         middle.y(),
                                         middle.z()),
                             between(0.5, 3.0),
                             "[0.2, 0.25, 0.3]");
                const double side = uniform(random) < 0.5 ? 1.0 : -1.0;
                std::string laws = fmt::format(
                    "spring = {{ stiffness = {}, free = {} }}\n", between(1.0, 9.0), side * 1.5);
                laws += fmt::format(
                    "latch = {{ at = {}{} }}\n",
                    side * between(0.1, 1.0),
                    uniform(random) < 0.5 ? fmt::format(", breaks = {}", between(1.0, 30.0)) : "");
                laws += fmt::format("limits = {{ lower = {}, upper = {}, restitution = {} }}",
                                    -between(0.3, 1.2),
                                    between(0.3, 1.2),
                                    uniform(random));
                const std::string below = i > 0 ? fmt::format("b{}", i - 1) : "ground";
                text += joint(fmt::format("j{}", i),
                              seed % 4 == 1 && i == 0 ? "b0" : below,
                              seed % 4 == 1 && i == 0 ? "ground" : fmt::format("b{}", i),
                              at,
                              Vec3(between(-1, 1), between(-1, 1), between(-1, 1)),
                              laws);
                at += along;
            }
            Simulation simulation = model(text + method.text(0.01, 1.0));
            run_to_end(simulation);
            CHECK(!simulation.impacts().empty());
            double loss = 0.0;
            for (const ImpactEvent& event : simulation.impacts()) loss += event.loss;
            CHECK(loss == near(simulation.statistics().impacts.loss, 1e-12 * (1.0 + loss)));
            CHECK(loss >= 0.0);
            if (!method.keeps()) {
                CHECK(simulation.statistics().energy.max_rel <= 1e-4);
                continue;
            }
            const RunStatistics statistics = simulation.statistics();
            const double bound = 10.0 * rounding_bound(static_cast<double>(statistics.substeps));
            CHECK(statistics.energy.max_rel <= bound);
            CHECK(statistics.momentum.max_rel <= bound);
            CHECK(statistics.angular_momentum.max_rel <= bound);
        }
}

// --- mistakes

TEST_CASE("what is wrong with a latch is said in words") {
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    CHECK(has(refused(flywheel("{ breaks = 2 }")), "at"));
    CHECK(has(refused(flywheel("{ at = 1, breaks = 0 }")), "breaks"));
    CHECK(has(refused(flywheel("{ at = 1, break = 3 }")), "did you mean \"breaks\""));
    CHECK(has(refused(flywheel("{ at = 1, open = \"axel.angle\" }")), "axle"));
    CHECK(
        has(refused(flywheel("{ at = 1 }") +
                    constraint(
                        "c", "coupler", "on = [\"axle.angle\"]\nratios = [1]\nrestitution = 0.5")),
            "without backlash none do"));
    // A drive that goes through
    for (const char* const type : {"emm", "rk4", "dopri5"}) {
        CAPTURE(type);
        std::string why;
        try {
            Simulation simulation =
                model(model_text(false) +
                      body("wheel", "ancf_rigid_body", "angular_velocity = [0, 0, 1]") +
                      joint("axle",
                            "ground",
                            "wheel",
                            Vec3::Zero(),
                            Vec3::UnitZ(),
                            "drive = \"t\"\nlatch = { at = 0.5 }") +
                      Method{type}.text(0.01, 1.0));
            run_to_end(simulation);
        } catch (const Error& error) {
            why = error.message();
        }
        CHECK(has(why, "a motion that is prescribed ends there"));
    }
    const std::string two = constraint("c",
                                       "cylindrical",
                                       "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                       "axis = [0, 0, 1]\nlatch = { at = 1 }");
    CHECK(has(refused(model_text() + body("wheel", "ancf_rigid_body", "") + two), "angle"));
}

}  // namespace
}  // namespace ancora::testing
