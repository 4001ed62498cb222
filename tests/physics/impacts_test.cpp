// SPDX-License-Identifier: BSD-3-Clause
// Stops and contacts: impacts, rest and release against closed forms, and random ones.
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

#include "friction_models.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}
std::string floor(const std::string& name, const std::string& body, double radius, double e) {
    return contact(name,
                   fmt::format("a = \"{}\"\nb = \"ground\"\nradius = {:.17g}\nplane = {{ normal = "
                               "[0, 0, 1] }}\nrestitution = {:.17g}",
                               body,
                               radius,
                               e));
}
std::string order(int p) {
    return fmt::format("\n[integrator.emm]\norder = {}\nvelocity_projection = true\n", p);
}

/// What holds for every run: energy and momenta to rounding, no row below zero by more, each impact
/// loses, and the sum of losses is what the ledger has.
void check_balances(const Simulation& simulation, double steps) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= rounding_bound(steps));
    CHECK(statistics.momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
    double loss = 0.0;
    for (const ImpactEvent& event : simulation.impacts()) {
        loss += event.loss;
        CHECK(event.impulse >= 0.0);
    }
    CHECK(loss == near(statistics.impacts.loss, 1e-13 * (1.0 + loss)));
    CHECK(column(simulation, "work.impacts") ==
          near(-statistics.impacts.loss, 1e-13 * (1.0 + loss)));
}

std::vector<double> times(const Simulation& simulation, ImpactEvent::Kind kind) {
    std::vector<double> out;
    for (const ImpactEvent& event : simulation.impacts())
        if (event.kind == kind) out.push_back(event.t);
    return out;
}

// --- a ball

std::string ball(double e, double m, double radius, double h) {
    return weight({0.0, 0.0, -kGravity}) +
           particle("ball", m, {0.0, 0.0, radius + h}, {0.3, -0.1, 0.0}) +
           floor("floor", "ball", radius, e);
}

TEST_CASE("a ball bounces in a geometric series and comes to rest at its limit") {
    constexpr double kHeight = 1.0, kStep = 0.01;
    for (const double e : {0.8, 0.5, 0.0})
        for (const double radius : {0.1, 0.0})
            for (const std::string method : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
                CAPTURE(e);
                CAPTURE(radius);
                CAPTURE(method);
                const double m = 2.0;
                Simulation simulation =
                    model(ball(e, m, radius, kHeight) + integrator(method, kStep, 5.0));
                run_to_end(simulation);
                // t_1 = (2 h / g)^1/2, then flights of 2 t_1 e^k; at rest after t_1 (1 + e) / (1 -
                // e)
                const double first = std::sqrt(2.0 * kHeight / kGravity);
                const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
                double t = first;
                for (std::size_t k = 0; k < std::min<std::size_t>(met.size(), 6); ++k) {
                    CHECK(met[k] == near(t, method == "emm" ? 1e-13 : 1e-9));
                    t += 2.0 * first * std::pow(e, static_cast<double>(k + 1));
                }
                const std::vector<double> rest = times(simulation, ImpactEvent::Kind::closed);
                REQUIRE(rest.size() == 1);
                // Flights below a thousandth of a step are none: what is left of the series then.
                // Steps of dopri5 are longer than they begin, since nothing here has an error.
                const double longest = method == "dopri5" ? 5.0 : kStep;
                CHECK(rest[0] == near(first * (1.0 + e) / (1.0 - e), 1e-3 * longest / (1.0 - e)));
                const double energy = m * kGravity * kHeight;
                CHECK(simulation.statistics().impacts.loss == near(energy, 1e-8));
                CHECK(column(simulation, "floor.force.z") == near(m * kGravity, 1e-9));
                CHECK(column(simulation, "ball.z") == near(radius, 1e-12));
                CHECK(column(simulation, "ball.x") == near(1.5, 1e-12));
                if (method == "emm") check_balances(simulation, 500.0);
            }
}

TEST_CASE("a ball that is laid down stays, and goes on where it is saved") {
    Simulation simulation = model(ball(0.7, 1.5, 0.2, 0.0) + integrator("emm", 0.01, 1.0));
    run_to_end(simulation);
    CHECK(simulation.statistics().impacts.count == 0);
    CHECK(column(simulation, "ball.z") == near(0.2, 1e-14));
    CHECK(column(simulation, "floor.force.z") == near(1.5 * kGravity, 1e-12));
    check_balances(simulation, 100.0);
    for (const int steps : {30, 60, 420})
        CHECK(ends_alike_restored(ball(0.8, 2.0, 0.1, 1.0) + integrator("emm", 0.01, 5.0), steps));
}

// --- orders

/// Pendulum of unit length from the horizontal against the wall n . q <= 0.35, e = 0.8.
/// @param p order of `emm`; 0: by `generalized_alpha`
Simulation pendulum(int p, int num_steps) {
    const double root = std::sqrt(1.09);
    return model(
        weight({0.0, -9.81, 0.0}) + particle("p", 1.0, {-1.0, 0.0, 0.0}, Vec3::Zero()) +
        "coordinates = \"xy\"\n\n[[constraint]]\nname = \"link\"\ntype = \"distance\"\na = "
        "\"p@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\n" +
        contact("wall",
                fmt::format("a = \"p\"\nb = \"ground\"\nplane = {{ point = [{:.17g}, {:.17g}, 0], "
                            "normal = [-1, -0.3, 0] }}\nrestitution = 0.8",
                            0.35 / root,
                            0.35 * 0.3 / root)) +
        integrator(p > 0 ? "emm" : "generalized_alpha", 4.0 / num_steps, 4.0) +
        (p > 0 ? order(p) : ""));
}

TEST_CASE("impacts cost no order: a pendulum against a wall") {
    // By the elliptic integrals of the pendulum between impacts, each from its own energy.
    constexpr std::array<double, 3> kImpacts = {
        .7440516078079963, 2.2269463143058763, 3.743338302994364};
    const Vec3 end(-.009160312810, -.999958043454, 0.0);
    struct Case {
        int order;
        std::array<int, 2> steps;
        double error, observed;
    };
    for (const Case& of : {Case{0, {320, 640}, 1.2e-2, 1.9},
                           Case{2, {160, 320}, 1.2e-2, 1.9},
                           Case{4, {40, 80}, 1e-4, 3.7},
                           Case{6, {40, 80}, 1e-6, 5.5},
                           Case{8, {20, 40}, 1e-7, 7.0}}) {
        CAPTURE(of.order);
        std::array<double, 2> error{};
        for (std::size_t k = 0; k < 2; ++k) {
            Simulation simulation = pendulum(of.order, of.steps[k]);
            run_to_end(simulation);
            const Vec3 there = vec3(simulation.point("p@[0, 0, 0]").position);
            error[k] = (there - end).norm();
            if (of.order > 0) check_balances(simulation, 17.0 * of.steps[k]);
            const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
            REQUIRE(met.size() == 3);
            if (of.order == 8 && k == 1)
                for (std::size_t i = 0; i < 3; ++i) CHECK(met[i] == near(kImpacts[i], 1e-7));
        }
        CHECK(error[1] <= tolerance(of.error));
        CHECK(std::log2(error[0] / error[1]) >= of.observed);
    }
}

TEST_CASE("a particle leaves a sphere where its reaction vanishes, at every order") {
    // From 5 degrees with 0.3 m/s: cos = 2/3 cos 5 + v^2 / (3 g R); the time by quadrature.
    constexpr double kAngle = 5.0 * std::numbers::pi / 180.0, kTime = .7126688601551763;
    struct Case {
        int order;
        double h, error;
    };
    for (const Case& of :
         {Case{2, .005, 1.2e-5}, Case{4, .025, 2.3e-8}, Case{6, .025, 2e-11}, Case{8, .1, 4e-12}}) {
        CAPTURE(of.order);
        Simulation simulation =
            model(weight({0.0, 0.0, -9.81}) +
                  particle("p",
                           1.0,
                           {std::sin(kAngle), 0.0, std::cos(kAngle)},
                           {0.3 * std::cos(kAngle), 0.0, -0.3 * std::sin(kAngle)}) +
                  contact("on", "a = \"p\"\nb = \"ground@[0, 0, 0]\"\nradius_b = 1.0") +
                  integrator("emm", of.h, 0.8) + order(of.order));
        run_to_end(simulation);
        const std::vector<double> left = times(simulation, ImpactEvent::Kind::released);
        REQUIRE(left.size() == 1);
        CHECK(left[0] == near(kTime, of.error));
        CHECK(simulation.statistics().impacts.count == 0);
        check_balances(simulation, 17.0 * 0.8 / of.h);
    }
}

// --- stops

std::string rod(double e) {
    return weight({0.0, 0.0, -kGravity}) +
           "\n[[body]]\nname = \"rod\"\ntype = \"ancf_rigid_body\"\nmass = 1.3\ninertia = [0.01, "
           "0.10833333333333334, 0.10833333333333334]\npenalty = inf\nposition = [0.5, 0, 0]\n"
           "\n[[constraint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = "
           "\"rod\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n" +
           fmt::format("limits = {{ lower = -0.2, upper = {:.17g}, restitution = {} }}\n",
                       0.5 * std::numbers::pi,
                       e);
}

TEST_CASE("a rod falls against a stop and rises to where its energy ends") {
    // omega = (3 g / L)^1/2 at the vertical; behind the stop e omega, up to cos = 1 - e^2.
    for (const double e : {0.5, 0.9}) {
        CAPTURE(e);
        Simulation simulation = model(rod(e) + integrator("emm", 0.002, 1.2));
        double highest = 0.0;
        while (!simulation.done()) {
            simulation.step();
            if (!times(simulation, ImpactEvent::Kind::impact).empty())
                highest =
                    std::max(highest, 0.5 * std::numbers::pi - column(simulation, "hinge.angle"));
        }
        const std::vector<ImpactEvent> events = simulation.impacts();
        REQUIRE(!events.empty());
        CHECK(events[0].constraint == "hinge.limits");
        // Impulse on the angle J (1 + e) omega, loss (1 - e^2) J omega^2 / 2, J = m L^2 / 3.
        const double J = 1.3 / 3.0, rate = std::sqrt(3.0 * kGravity);
        CHECK(events[0].impulse == near(J * (1.0 + e) * rate, 1e-4));
        CHECK(events[0].loss == near(0.5 * (1.0 - e * e) * J * rate * rate, 1e-4));
        CHECK(highest == near(std::acos(1.0 - e * e), 1e-4));
        check_balances(simulation, 600.0);
    }
}

TEST_CASE("an upper limit of a distance is a rope that only pulls") {
    // Thrown up from the end of its slack: taut at first, then free, then taut again below.
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + particle("p", 2.0, Vec3::Zero(), {0.0, 0.0, 1.0}) +
              "\n[[constraint]]\nname = \"rope\"\ntype = \"stop\"\na = \"p@[0, 0, 0]\"\nb = "
              "\"ground@[0, 0, 0.5]\"\nupper = 0.7\n" +
              integrator("emm", 0.01, 2.0));
    run_to_end(simulation);
    const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
    // z = t - g t^2 / 2 = -0.2, with e = 0: it hangs from there.
    REQUIRE(!met.empty());
    CHECK(met[0] == near((1.0 + std::sqrt(1.0 + 0.4 * kGravity)) / kGravity, 1e-12));
    CHECK(column(simulation, "p.z") == near(-0.2, 1e-12));
    CHECK(column(simulation, "rope.effort") == near(-2.0 * kGravity, 1e-9));
    check_balances(simulation, 200.0);
}

/// Links of random shapes on hinges with stops, springs, dampers and motors, half of them above a
/// floor; all rattle, and many end with every joint held.
std::string random_arm(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const auto between = [&](double low, double high) {
        return low + (high - low) * uniform(random);
    };
    const auto restitution = [&] {
        return std::array{0.0, 1.0, uniform(random)}[random() % 3];
    };
    const int count = 1 + static_cast<int>(seed % 3);
    const bool is_planar = seed % 2 == 0, has_floor = seed % 4 < 2;
    std::string text = weight({0.0, 0.0, -kGravity}), contacts;
    Vec3 joint = Vec3::Zero();
    double lowest = 0.0;
    std::vector<Vec3> tips;
    for (int k = 0; k < count; ++k) {
        Vec3 along(between(-1.0, 1.0), is_planar ? 0.0 : between(-1.0, 1.0), between(-1.0, 1.0));
        along *= between(0.3, 0.8) / along.norm();
        const Vec3 axis =
            is_planar ? Vec3(0.0, 1.0, 0.0) : Vec3(between(-1.0, 1.0), between(-1.0, 1.0), 1.0);
        const Vec3 middle = joint + 0.5 * along;
        const double m = between(0.3, 3.0), J = m * along.squaredNorm() / 12.0;
        text += fmt::format(
            "\n[[body]]\nname = \"l{0}\"\ntype = \"ancf_rigid_body\"\nmass = {1}\ninertia = "
            "[{2}, {2}, {3}]\npenalty = inf\nposition = [{4:.17g}, {5:.17g}, {6:.17g}]\n"
            "\n[[constraint]]\nname = \"j{0}\"\ntype = \"revolute\"\na = \"{7}\"\nb = "
            "\"l{0}\"\npoint = [{8:.17g}, {9:.17g}, {10:.17g}]\naxis = [{11:.17g}, {12:.17g}, "
            "{13:.17g}]\n",
            k,
            m,
            J,
            between(0.7, 1.0) * J,
            middle.x(),
            middle.y(),
            middle.z(),
            k == 0 ? std::string("ground") : fmt::format("l{}", k - 1),
            joint.x(),
            joint.y(),
            joint.z(),
            axis.x(),
            axis.y(),
            axis.z());
        text += fmt::format("limits = {{ lower = {}, upper = {}, restitution = {} }}\n",
                            -between(0.05, 1.0),
                            between(0.05, 1.0),
                            restitution());
        if (uniform(random) < 0.4)
            text += fmt::format("spring = {{ stiffness = {}, free = 0.3 }}\n", between(1.0, 50.0));
        if (uniform(random) < 0.4) text += fmt::format("damping = {}\n", between(0.01, 1.0));
        if (uniform(random) < 0.3)
            text +=
                fmt::format("motor = \"{}*sin({}*t)\"\n", between(-9.0, 9.0), between(1.0, 9.0));
        tips.push_back(0.5 * along);
        joint += along;
        lowest = std::min(lowest, joint.z());
    }
    for (int k = 0; has_floor && k < count; ++k) {
        const Vec3& tip = tips[static_cast<std::size_t>(k)];
        contacts += contact(
            fmt::format("c{}", k),
            fmt::format("a = \"l{}@[{:.17g}, {:.17g}, {:.17g}]\"\nb = \"ground\"\nplane = {{ point "
                        "= [0, 0, {:.17g}], normal = [0, 0, 1] }}\nrestitution = {}",
                        k,
                        tip.x(),
                        tip.y(),
                        tip.z(),
                        lowest - 0.05,
                        restitution()));
    }
    return text + contacts;
}

TEST_CASE("arms that rattle between stops pass none of them, by any method, until nothing moves") {
    const std::array<std::pair<const char*, int>, 7> methods = {{{"emm", 0},
                                                                 {"emm", 4},
                                                                 {"emm", 6},
                                                                 {"emm", 8},
                                                                 {"rk4", 0},
                                                                 {"dopri5", 0},
                                                                 {"generalized_alpha", 0}}};
    for (unsigned seed = 0; seed < 8; ++seed)
        for (const auto& [method, p] : methods) {
            CAPTURE(seed);
            CAPTURE(method);
            CAPTURE(p);
            Simulation simulation =
                model(random_arm(seed) + integrator(method, p > 0 ? 0.01 : 0.005, 0.6) +
                      (p > 0 ? order(p) : ""));
            run_to_end(simulation);
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
            if (std::string(method) == "emm") {
                // Of mechanisms, as in support/mechanisms.hpp.
                const double bound =
                    10.0 * rounding_bound(static_cast<double>(statistics.substeps));
                CHECK(statistics.energy.max_rel <= bound);
                CHECK(statistics.momentum.max_rel <= bound);
                CHECK(statistics.angular_momentum.max_rel <= bound);
            }
            // Of rows that meet together one may gain what another loses.
            double t = -1.0, together = 0.0;
            for (const ImpactEvent& event : simulation.impacts()) {
                if (event.t != t) {
                    CHECK(together >= -tolerance(1e-12));
                    together = 0.0;
                }
                t = event.t;
                together += event.loss;
            }
            CHECK(together >= -tolerance(1e-12));
        }
}

TEST_CASE("what is held by all of its stops stays there at every order") {
    // A rod against its stop with e = 0: nothing is left to move, and no speed to compare with.
    for (const int p : {2, 4, 6, 8})
        for (const double h : {0.1, 0.01}) {
            CAPTURE(p);
            CAPTURE(h);
            Simulation simulation = model(rod(0.0) + integrator("emm", h, 2.0) + order(p));
            run_to_end(simulation);
            CHECK(column(simulation, "hinge.angle") == near(0.5 * std::numbers::pi, 1e-13));
            CHECK(simulation.statistics().impacts.count == 1);
            check_balances(simulation, 17.0 * 2.0 / h);
        }
}

// --- several at once

TEST_CASE("a row of equal balls: what is solved together shares, in turn the last one leaves") {
    const std::string keys = "radius = 0.1\nradius_b = 0.1\nrestitution = 1.0";
    for (const char* const impacts : {"together", "in_turn"})
        for (const char* const law : {"poisson", "newton", "energetic"}) {
            CAPTURE(impacts);
            CAPTURE(law);
            const bool is_in_turn = std::string(impacts) == "in_turn" || law[0] == 'e';
            std::string text = fmt::format("[model]\nimpacts = \"{}\"\n", impacts);
            for (int k = 0; k < 3; ++k)
                text += particle(fmt::format("b{}", k),
                                 1.0,
                                 {k == 0 ? -1.0 : 0.2 * (k - 1), 0.0, 0.0},
                                 {k == 0 ? 1.0 : 0.0, 0.0, 0.0});
            for (int k = 0; k < 2; ++k)
                text += contact(
                    fmt::format("c{}", k),
                    fmt::format("a = \"b{}\"\nb = \"b{}\"\nlaw = \"{}\"\n{}", k, k + 1, law, keys));
            Simulation simulation = model(text + integrator("emm", 0.01, 2.0));
            run_to_end(simulation);
            const std::array<double, 3> shared = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
            const std::array<double, 3> passed_on = {0.0, 0.0, 1.0};
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(column(simulation, fmt::format("b{}.vx", k)) ==
                      near((is_in_turn ? passed_on : shared)[k], 1e-14));
            CHECK(simulation.statistics().impacts.laws == law);
            check_balances(simulation, 200.0);
        }
}

TEST_CASE("random balls in a box lose what two bodies lose, and never overlap") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int run = 0; run < 12; ++run) {
        CAPTURE(run);
        const int count = 2 + run % 4;
        const double e = run % 3 == 0 ? 1.0 : 0.5 + 0.5 * std::abs(uniform(random));
        std::string text = run % 2 == 0 ? "[model]\n" : weight({0.0, 0.0, -3.0});
        std::vector<double> mass;
        for (int k = 0; k < count; ++k) {
            mass.push_back(0.5 + std::abs(uniform(random)));
            const double angle = 2.0 * std::numbers::pi * k / count;
            text += particle(fmt::format("b{}", k),
                             mass.back(),
                             {0.5 * std::cos(angle), 0.5 * std::sin(angle), 0.1 * k},
                             3.0 * Vec3(uniform(random), uniform(random), uniform(random)));
            text += contact(fmt::format("w{}", k),
                            fmt::format("a = \"b{}\"\nb = \"ground@[0, 0, 0]\"\nradius = "
                                        "0.1\nradius_b = 1.0\ninside = true\nrestitution = {:.17g}",
                                        k,
                                        e));
            for (int j = 0; j < k; ++j)
                text += contact(fmt::format("c{}x{}", j, k),
                                fmt::format("a = \"b{}\"\nb = \"b{}\"\nradius = 0.1\nradius_b = "
                                            "0.1\nrestitution = {:.17g}",
                                            j,
                                            k,
                                            e));
        }
        Simulation simulation =
            model(text + integrator("emm", 0.02, 1.0) + (run % 4 == 3 ? order(4) : ""));
        run_to_end(simulation);
        check_balances(simulation, 200.0);
        const std::vector<ImpactEvent> events = simulation.impacts();
        CHECK(!events.empty());
        for (std::size_t i = 0; i < events.size(); ++i) {
            // One at a time, and not the last before rest: p = (1 + e) mu u and a loss of
            // (1 - e^2) mu u^2 / 2, mu = m M / (m + M).
            const bool is_alone = (i == 0 || events[i - 1].t < events[i].t) &&
                                  (i + 1 == events.size() || events[i].t < events[i + 1].t);
            if (events[i].kind != ImpactEvent::Kind::impact || !is_alone) continue;
            const std::string& name = events[i].constraint;
            const auto number = [&](std::size_t at) {
                return static_cast<std::size_t>(name[at] - '0');
            };
            double reduced = mass[number(1)];
            if (name[0] == 'c') reduced = reduced * mass[number(3)] / (reduced + mass[number(3)]);
            const double loss =
                (1.0 - e) / (1.0 + e) * events[i].impulse * events[i].impulse / (2.0 * reduced);
            CHECK(events[i].loss == near(loss, 1e-12));
        }
    }
}

TEST_CASE("heaps of discs come to rest in a box, which of their contacts bear is found") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int run = 0; run < 16; ++run) {
        CAPTURE(run);
        const int count = 9, side = 3;
        const double e = run % 4 == 3 ? 0.3 : 0.0, radius = 0.1;
        const double width = (side + 0.8) * 2.0 * radius;
        std::string text = weight({0.0, 0.0, -kGravity});
        for (int k = 0; k < count; ++k) {
            const double x = (k % side + 0.5) * width / side + 0.02 * uniform(random);
            const double z = 0.23 * (k / side + 0.6) + 0.01 * (1.0 + uniform(random));
            text += particle(fmt::format("b{}", k),
                             1.0 + 0.5 * uniform(random),
                             {x, 0.0, z},
                             {uniform(random), 0.0, uniform(random)}) +
                    "coordinates = \"xz\"\n";
            const std::array<std::string, 3> planes = {
                "normal = [0, 0, 1]",
                "normal = [1, 0, 0]",
                fmt::format("point = [{:.17g}, 0, 0], normal = [-1, 0, 0]", width)};
            for (std::size_t w = 0; w < planes.size(); ++w)
                text += contact(fmt::format("w{}x{}", w, k),
                                fmt::format("a = \"b{}\"\nb = \"ground\"\nradius = {}\nplane = {{ "
                                            "{} }}\nrestitution = {}",
                                            k,
                                            radius,
                                            planes[w],
                                            e));
            for (int j = 0; j < k; ++j)
                text += contact(fmt::format("c{}x{}", j, k),
                                fmt::format("a = \"b{}\"\nb = \"b{}\"\nradius = {}\nradius_b = "
                                            "{}\nrestitution = {}",
                                            j,
                                            k,
                                            radius,
                                            radius,
                                            e));
        }
        Simulation simulation = model(text + integrator("emm", 0.005, 1.2));
        run_to_end(simulation);
        check_balances(simulation, 10.0 * static_cast<double>(simulation.statistics().substeps));
        CHECK(simulation.statistics().impacts.closed > 5);
    }
}

std::string box(const std::string& penalty, double e, double height, const std::string& more) {
    std::string text =
        weight({0.0, 0.0, -kGravity}) +
        fmt::format(
            "\n[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1.0, 0.6, "
            "0.4]\ndensity = 500.0\npenalty = {}\nposition = [0, 0, {}]\n{}\n",
            penalty,
            height,
            more);
    for (int k = 0; k < 8; ++k)
        text += floor(fmt::format("k{}", k),
                      fmt::format("box@[{}, {}, {}]",
                                  k % 2 == 0 ? -0.5 : 0.5,
                                  k / 2 % 2 == 0 ? -0.3 : 0.3,
                                  k / 4 == 0 ? -0.2 : 0.2),
                      0.0,
                      e);
    return text;
}

TEST_CASE(
    "a box that is thrown tumbles, rattles and lies flat, with all its energy in the ledger") {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int run = 0; run < 8; ++run) {
        CAPTURE(run);
        const double e = 0.1 * run;
        const std::string more = fmt::format(
            "orientation = {{ axis = [{0}, {1}, {2}], angle = {3} }}\nangular_velocity = [{1}, "
            "{2}, "
            "{0}]",
            uniform(random),
            uniform(random),
            uniform(random),
            3.0 * uniform(random));
        Simulation simulation = model(box("inf", e, 1.4, more) + integrator("emm", 0.005, 6.0));
        const double before = column(simulation, "energy.total");
        run_to_end(simulation);
        check_balances(simulation, 1500.0);
        // On one of its faces, whose corners bear it; four corners are one too many.
        const double height = column(simulation, "box.z");
        const double nearest =
            std::min({std::abs(height - 0.2), std::abs(height - 0.3), std::abs(height - 0.5)});
        CHECK(nearest <= tolerance(1e-12));
        double borne = 0.0;
        for (int k = 0; k < 8; ++k) {
            const double force = column(simulation, fmt::format("k{}.force.z", k));
            CHECK(force >= -tolerance(1e-9));
            borne += force;
        }
        const double m = 500.0 * 1.0 * 0.6 * 0.4;
        CHECK(borne == near(m * kGravity, 1e-8));
        CHECK(before - m * kGravity * height ==
              near(simulation.statistics().impacts.loss + column(simulation, "energy.kinetic") -
                       column(simulation, "work.projection"),
                   1e-9));
    }
}

TEST_CASE("a box of finite penalty leaves the floor with what its shape gives back") {
    Simulation simulation = model(box("1e7", 0.0, 0.7, "") + integrator("emm", 0.005, 1.0));
    run_to_end(simulation);
    CHECK(simulation.statistics().impacts.released > 0);
    check_balances(simulation, 1000.0);
}

// --- input

TEST_CASE("what cannot meet is said in words") {
    const auto message = [](const std::string& text) -> std::string {
        try {
            Simulation simulation = model(text + integrator("emm", 0.01, 1.0));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    CHECK(has(message(ball(1.2, 1.0, 0.1, 1.0)), "restitution"));
    CHECK(has(message(ball(0.5, 1.0, 0.1, -0.02)), "0.02 below zero"));
    const std::string one =
        weight(Vec3::Zero()) + particle("b", 1.0, {0.0, 0.0, 1.0}, Vec3::Zero());
    CHECK(has(message(one + contact("c", "a = \"b\"\nb = \"ground@[0, 0, 0]\"")),
              "two points never meet"));
    CHECK(has(
        message(one + contact("c", "a = \"b\"\nb = \"ground\"\nplane = { normal = [0, 0, 0] }")),
        "points nowhere"));
    CHECK(has(message(one + contact("c",
                                    "a = \"b\"\nb = \"ground@[0, 0, 0]\"\nradius = 2.0\nradius_b "
                                    "= 1.0\ninside = true")),
              "no room"));
    const std::string stop =
        "\n[[constraint]]\nname = \"s\"\ntype = \"stop\"\na = \"b@[0, 0, "
        "0]\"\nb = \"ground@[0, 0, 0]\"\n";
    CHECK(has(message(one + stop), "has no limit"));
    CHECK(has(message(one + stop + "lower = 2.0\nupper = 1.0\n"), "is not above lower"));
    CHECK(has(message(one + stop + "upper = 0.5\n"), "0.5 below zero"));
}

}  // namespace
}  // namespace ancora::testing
