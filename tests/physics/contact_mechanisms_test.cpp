// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms that tick, lock and wrap: woodpecker, ratchet, tether on a hub.
#include <algorithm>
#include <array>
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

struct Method {
    const char* type;
    int order;  // of `emm` with projected velocities; 0: plain
};
constexpr std::array<Method, 4> kMethods = {{{"emm", 0}, {"emm", 2}, {"emm", 4}, {"dopri5", 0}}};

std::string solver(const Method& method, double step, double end) {
    return integrator(method.type, step, end, 1e-9) +
           (method.order > 0
                ? fmt::format("\n[integrator.emm]\norder = {}\nvelocity_projection = true\n",
                              method.order)
                : "");
}

/// @param gone_over steps that may be taken as a whole, over all their events
void check_balances(const Simulation& simulation, int gone_over = 0) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
    CHECK(statistics.impacts.stepped_over <= gone_over);
    if (simulation.statistics().evaluations > 0) return;  // explicit methods have an error
    const double bound = rounding_bound(static_cast<double>(statistics.substeps));
    CHECK(statistics.energy.max_rel <= bound);
    CHECK(statistics.momentum.max_rel <= bound);
    CHECK(statistics.angular_momentum.max_rel <= bound);
}

std::string rigid(const std::string& name,
                  double mass,
                  double inertia,
                  const Vec3& x,
                  double turn,
                  const Vec3& v,
                  double w) {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\ninertia = {}\n"
        "penalty = inf\nposition = {}\norientation = [{:.17g}, 0, 0, {:.17g}]\nvelocity = {}\n"
        "angular_velocity = [0, 0, {:.17g}]\n",
        name,
        mass,
        triple(inertia * Vec3::Ones()),
        triple(x),
        std::cos(0.5 * turn),
        std::sin(0.5 * turn),
        triple(v),
        w);
}
std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}

std::vector<ImpactEvent> impacts_of(const Simulation& simulation) {
    std::vector<ImpactEvent> out = simulation.impacts();
    std::erase_if(out, [](const ImpactEvent& event) {
        return event.kind != ImpactEvent::Kind::impact;
    });
    return out;
}

// R. Leine, D. van Campen, C. Glocker, Journal of Vibration and Control 9 (2003) 25-78: a sleeve on
// a pole, which it touches with its lower and its upper edge, and a bird on a spring, which pecks.
std::string woodpecker() {
    constexpr double kPole = 0.0025, kSleeve = 0.0031, kHeight = 0.0058, kTurn = -0.1;
    constexpr double kHinge = 0.01, kBird = 0.015, kTurnOfBird = -0.2788, kSpin = -7.4583;
    constexpr double kFall = -0.3411;
    const Vec3 hinge = kHinge * Vec3(std::cos(kTurn), std::sin(kTurn), 0.0);
    const Vec3 arm = kBird * Vec3(std::cos(kTurnOfBird), std::sin(kTurnOfBird), 0.0);
    const Vec3 fall(0.0, kFall, 0.0);
    const std::string pole = fmt::format(
        "b = \"ground\"\nplane = {{ point = [{}, 0, 0], normal = [1, 0, 0] }}\nfriction = 0.3\n",
        kPole);
    return weight({0.0, -kGravity, 0.0}) +
           rigid("sleeve", 0.0003, 5e-9, Vec3::Zero(), kTurn, fall, 0.0) +
           rigid("bird",
                 0.0045,
                 7e-7,
                 hinge + arm,
                 kTurnOfBird,
                 fall + kSpin * Vec3::UnitZ().cross(arm),
                 kSpin) +
           "\n[[joint]]\nname = \"plane\"\ntype = \"planar\"\na = \"ground\"\nb = \"sleeve\"\n"
           "point = [0, 0, 0]\naxis = [0, 0, 1]\n"
           "\n[[joint]]\nname = \"pole\"\ntype = \"in_plane\"\na = \"ground\"\nb = \"sleeve\"\n"
           "point = [0, 0, 0]\naxis = [1, 0, 0]\n" +
           fmt::format(
               "\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"sleeve\"\nb = \"bird\"\n"
               "point = {}\naxis = [0, 0, 1]\nspring = {{ stiffness = 0.0056, free = {} }}\n",
               triple(hinge),
               kTurn - kTurnOfBird) +
           contact("beak", "a = \"bird@[-0.0201, 0.02, 0]\"\nrestitution = 0.5\n" + pole) +
           contact("low", fmt::format("a = \"sleeve@[{}, {}, 0]\"\n", kSleeve, -kHeight) + pole) +
           contact("high", fmt::format("a = \"sleeve@[{}, {}, 0]\"\n", kSleeve, kHeight) + pole);
}

TEST_CASE("a woodpecker goes down its pole: halved steps go to what another method finds") {
    constexpr double kEnd = 0.24;
    Simulation exact = model(woodpecker() + integrator("dopri5", 1e-3, kEnd, 1e-10));
    run_to_end(exact);
    check_balances(exact);
    const std::vector<ImpactEvent> expected = impacts_of(exact);
    // It falls, jams, pecks, is jammed by its upper edge and by its lower one, and pecks again.
    constexpr std::array kNames = {"low", "beak", "high", "low", "beak", "high"};
    REQUIRE(expected.size() == kNames.size());
    double before = 0.0;
    for (const double step : {2e-4, 1e-4}) {
        CAPTURE(step);
        Simulation simulation = model(woodpecker() + integrator("emm", step, kEnd));
        run_to_end(simulation);
        // Where an edge that rubs lets go, one of the longer steps is taken as a whole.
        check_balances(simulation, step > 1e-4 ? 1 : 0);
        const std::vector<ImpactEvent> found = impacts_of(simulation);
        REQUIRE(found.size() == kNames.size());
        for (std::size_t k = 0; k < kNames.size(); ++k) {
            CHECK(found[k].constraint == kNames[k]);
            CHECK(expected[k].constraint == kNames[k]);
            CHECK(found[k].t == near(expected[k].t, 1e3 * step * step));
        }
        const double error = std::abs(found[3].t - expected[3].t);
        if (before > 0.0) CHECK(before / error == near(4.0, 0.4));
        before = error;
    }
}

TEST_CASE("a ratchet clicks one way and locks the other") {
    // Pins on a wheel lift a pawl from below, and are caught by its end, at x = -5 mm.
    constexpr double kRadius = 0.05, kPin = 0.002, kPivot = -0.065, kLength = 0.06, kThick = 0.006;
    constexpr double kLow = 0.049, kFirst = 0.436, kTorque = 0.02, kPitch = std::numbers::pi / 4.0;
    std::string text =
        weight({0.0, -kGravity, 0.0}) +
        rigid("wheel", 0.5, 6e-4, Vec3::Zero(), 0.0, Vec3::Zero(), 0.0) +
        rigid("pawl",
              0.02,
              6.1e-6,
              {kPivot + 0.5 * kLength, kLow + 0.5 * kThick, 0.0},
              0.0,
              Vec3::Zero(),
              0.0) +
        fmt::format(
            "\n[[joint]]\nname = \"axle\"\ntype = \"revolute\"\na = \"ground\"\nb = "
            "\"wheel\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = \"({0})*((t >= 0.45) "
            "- (t < 0.45)) - 4e-3*rate\"\n",
            kTorque) +
        fmt::format(
            "\n[[joint]]\nname = \"pivot\"\ntype = \"revolute\"\na = \"ground\"\nb = "
            "\"pawl\"\npoint = [{}, {}, 0]\naxis = [0, 0, 1]\nlimits = {{ lower = 0, upper "
            "= 1 }}\n",
            kPivot,
            kLow + 0.5 * kThick);
    for (int k = 0; k < 8; ++k) {
        const double angle = kFirst + kPitch * k;
        text += contact(fmt::format("pin{}", k),
                        fmt::format("a = \"wheel@[{:.17g}, {:.17g}, 0]\"\nradius = {}\nb = "
                                    "\"pawl\"\nshape_b = {{ box = [{}, {}, 0.01] }}",
                                    kRadius * std::cos(angle),
                                    kRadius * std::sin(angle),
                                    kPin,
                                    kLength,
                                    kThick));
    }
    // Its middle is a radius before the end of the pawl.
    const double caught = 0.5 * std::numbers::pi + std::asin((-kPivot - kLength - kPin) / kRadius);
    std::vector<double> before;
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        Simulation simulation = model(text + solver(method, 5e-4, 0.8));
        run_to_end(simulation);
        check_balances(simulation);
        std::vector<double> clicks;
        for (const ImpactEvent& event : impacts_of(simulation))
            if (event.constraint == "pivot.limits" && event.loss > 1e-5) clicks.push_back(event.t);
        CHECK(clicks.size() == 2);
        if (!before.empty() && before.size() == clicks.size())
            for (std::size_t k = 0; k < clicks.size(); ++k)
                CHECK(clicks[k] == near(before[k], 1e-5));
        before = clicks;
        CHECK(column(simulation, "axle.angle") == near(caught - kFirst - 3.0 * kPitch, 1e-9));
        CHECK(std::abs(column(simulation, "axle.angle_rate")) < 1e-9);
        // The pawl is pushed along by what holds the torque.
        CHECK(column(simulation, "pin3.force.x") ==
              near(kTorque / (kRadius * std::sin(caught)), 1e-9));
    }
}

TEST_CASE("a tether wraps round a hub, link by link") {
    // Links without mass on a circle through their joints: the load goes on at its speed, round the
    // joint that was laid down last, until the next one comes to the circle.
    constexpr int kLinks = 8;
    constexpr double kRadius = 0.05, kLink = 0.05, kSpeed = 1.0, kEnd = 0.95;
    std::string text = weight(Vec3::Zero());
    for (int k = 1; k <= kLinks; ++k) {
        const std::string name = fmt::format("n{}", k);
        const std::string before = k == 1 ? fmt::format("ground@[{}, 0, 0]", kRadius)
                                          : fmt::format("n{}@[0, 0, 0]", k - 1);
        text += particle(name,
                         k < kLinks ? 1e-5 : 1.0,
                         {kRadius, kLink * k, 0.0},
                         {-kSpeed * k / kLinks, 0.0, 0.0});
        text += fmt::format(
            "\n[[constraint]]\nname = \"l{0}\"\ntype = \"distance\"\na = \"{1}\"\nb = \"n{0}@[0, "
            "0, 0]\"\n",
            k,
            before);
        if (k < kLinks)
            text += contact(fmt::format("c{}", k),
                            fmt::format("a = \"{}\"\nradius = 0\nb = \"ground\"\nshape_b = {{ "
                                        "cylinder = {{ radius = {}, from = [0, 0, -0.1], to = [0, "
                                        "0, 0.1] }} }}",
                                        name,
                                        kRadius));
    }
    const double turn = 2.0 * std::asin(0.5 * kLink / kRadius);
    for (const Method& method : kMethods) {
        if (std::string(method.type) == "dopri5") continue;  // small steps, for light joints
        CAPTURE(method.order);
        Simulation simulation = model(text + solver(method, 1e-3, kEnd));
        run_to_end(simulation);
        check_balances(simulation);
        const std::vector<ImpactEvent> met = impacts_of(simulation);
        double expected = 0.0;
        for (int k = 0; k < 3; ++k) {
            expected += kLink * (kLinks - k) * (k == 0 ? 0.5 * turn : turn) / kSpeed;
            const auto first =
                std::ranges::find(met, fmt::format("c{}", k + 1), &ImpactEvent::constraint);
            REQUIRE(first != met.end());
            CHECK(first->t == near(expected, 1e-3 * expected));
        }
        const std::string load = fmt::format("n{}.v", kLinks);
        CHECK(std::hypot(column(simulation, load + "x"), column(simulation, load + "y")) ==
              near(kSpeed, 1e-4));
        CHECK(simulation.statistics().impacts.loss == near(0.0, 1e-6));
    }
}

}  // namespace
}  // namespace ancora::testing
