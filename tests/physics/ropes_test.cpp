// SPDX-License-Identifier: BSD-3-Clause
// Ropes over points: tensions, slack, impacts and winches against closed forms.
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "particle_models.hpp"

namespace ancora::testing {
namespace {

constexpr const char* kMethods[] = {"emm", "rk4", "dopri5"};

bool is_emm(const std::string& type) {
    return type == "emm";
}

std::string refused(const std::string& text) {
    try {
        model(text + steps("emm", 1e-3, 0.1));
    } catch (const Error& error) {
        return error.message();
    }
    return "";
}

std::string at(const std::string& body, const Vec3& x) {
    return fmt::format("\"{}@[{:.17g}, {:.17g}, {:.17g}]\"", body, x.x(), x.y(), x.z());
}

std::string rope_over(const std::vector<std::string>& points, const std::string& more) {
    return force("rope", "rope", fmt::format("points = [{}]\n{}", fmt::join(points, ", "), more));
}

// Two masses on one rope over two pulleys of the ground.
std::string atwood(double m, double M, const std::string& more, const Vec3& speed = Vec3::Zero()) {
    const std::string velocity = fmt::format("velocity = [0, 0, {0:.17g}]\n", speed.z()),
                      back = fmt::format(
                          "velocity = [0, 0, "
                          "{0:.17g}]\n",
                          -speed.z());
    return model_text() + point_mass("a", Vec3(0, 0, -1), m, velocity) +
           point_mass("b", Vec3(2, 0, -1), M, back) +
           rope_over({at("a", Vec3::Zero()),
                      at("ground", Vec3::Zero()),
                      at("ground", Vec3(2, 0, 0)),
                      at("b", Vec3::Zero())},
                     more);
}

TEST_CASE("Atwood's machine: acceleration (M - m) g / (M + m), tension 2 m M g / (M + m)") {
    for (const char* const type : kMethods)
        for (const double M : {1.0, 2.6}) {
            CAPTURE(type);
            CAPTURE(M);
            const double m = 1.0, a = (M - m) * kG / (M + m), t = 0.5;
            Simulation simulation = model(atwood(m, M, "") + steps(type, 0.01, t));
            run_to_end(simulation);
            CHECK(column(simulation, "a.z") == near(-1.0 + 0.5 * a * t * t, 1e-9));
            CHECK(column(simulation, "rope.effort") == near(-2.0 * m * M * kG / (M + m), 1e-8));
            CHECK(simulation.statistics().impacts.loss == near(0.0, 1e-12));
            if (is_emm(type)) check_balances(simulation);
        }
}

TEST_CASE("a slack rope becomes taut with a loss, and an elastic one without") {
    // Both are let fall with a slack of 0.3 m: it is taken up when g t^2 = 0.3, at 2 g t of the
    // sum, where the two masses share an impulse.
    const double m = 1.0, M = 2.6, slack = 0.3;
    const double t = std::sqrt(slack / kG), rate = 2.0 * kG * t, mobility = 1.0 / m + 1.0 / M;
    for (const double e : {0.0, 0.6}) {
        CAPTURE(e);
        Simulation simulation =
            model(atwood(m, M, fmt::format("length = {}\nrestitution = {}", 4.0 + slack, e)) +
                  steps("emm", 0.01, e > 0.0 ? 0.2 : 0.5));
        run_to_end(simulation);
        REQUIRE(simulation.statistics().impacts.count == 1);
        CHECK(simulation.impacts().at(0).t == near(t, 1e-12));
        CHECK(simulation.statistics().impacts.loss ==
              near(0.5 * (1.0 - e * e) * rate * rate / mobility, 1e-11));
        check_balances(simulation);
    }
    Simulation simulation =
        model(atwood(m, M, fmt::format("length = {}\nyoung = 1.72e8\narea = 1e-4", 4.3)) +
              steps("emm", 0.002, 1.0));
    run_to_end(simulation);
    CHECK(column(simulation, "work.nonideal") == 0.0);
    check_balances(simulation);
}

TEST_CASE("a winch lifts: its work is the load's, and a pulley on the load halves the tension") {
    // L(t) over three points of which the middle one is the load's: it rises by half of what is
    // hauled in. From rest to rest, as it is given.
    const std::string winch = "[[0, 4], [1, 3.4], [2, 3.4]]\ninterpolation = \"monotone\"";
    for (const bool gives : {false, true})
        for (const char* const type : kMethods) {
            CAPTURE(gives);
            CAPTURE(type);
            const double m = 5.0;
            Simulation simulation = model(
                model_text() + point_mass("load", Vec3(0, 0, -2), m) +
                rope_over({at("ground", Vec3(-1e-9, 0, 0)),
                           at("load", Vec3::Zero()),
                           at("ground", Vec3(1e-9, 0, 0))},
                          "length = " + winch + (gives ? "\nstiffness = 1e5\ndamping = 2e2" : "")) +
                steps(type, 0.002, 2.0, 1e-9));
            run_to_end(simulation);
            const double stretch = gives ? 0.5 * m * kG / 1e5 : 0.0;
            CHECK(column(simulation, "load.z") == near(-1.7 - 0.5 * stretch, 1e-6));
            CHECK(column(simulation, "rope.effort") == near(-0.5 * m * kG, gives ? 1e-2 : 1e-6));
            CHECK(column(simulation, "work.external") == near(m * kG * 0.3, gives ? 0.05 : 1e-5));
            if (is_emm(type)) check_balances(simulation);
        }
}

TEST_CASE("ropes between random bodies keep momenta and energy, taut, slack and in impacts") {
    for (unsigned seed = 0; seed < 8; ++seed)
        for (const bool gives : {false, true}) {
            CAPTURE(seed);
            CAPTURE(gives);
            std::mt19937 random(seed);
            std::uniform_real_distribution<double> uniform(-1.0, 1.0);
            const auto any = [&] {
                return Vec3(uniform(random), uniform(random), uniform(random));
            };
            std::string text = model_text(false);
            std::vector<std::string> points;
            double path = 0.0;
            Vec3 last = Vec3::Zero();
            for (int i = 0; i < 4; ++i) {
                const Vec3 x = 2.0 * any(), v = 2.0 * any(), w = 3.0 * any(), r = 0.3 * any();
                text += body(fmt::format("b{}", i),
                             "ancf_rigid_body",
                             fmt::format("position = [{:.17g}, {:.17g}, {:.17g}]\nvelocity = "
                                         "[{:.17g}, {:.17g}, {:.17g}]\nangular_velocity = "
                                         "[{:.17g}, {:.17g}, {:.17g}]",
                                         x.x(),
                                         x.y(),
                                         x.z(),
                                         v.x(),
                                         v.y(),
                                         v.z(),
                                         w.x(),
                                         w.y(),
                                         w.z()),
                             1.0 + 0.5 * uniform(random));
                points.push_back(at(fmt::format("b{}", i), r));
                if (i > 0) path += (x + r - last).norm();
                last = x + r;
            }
            Simulation simulation =
                model(text +
                      rope_over(points,
                                fmt::format("length = {:.17g}\n{}",
                                            path * 1.02,
                                            gives ? "stiffness = 500" : "restitution = 0.5")) +
                      steps("emm", 0.004, 2.0));
            run_to_end(simulation);
            if (!gives) CHECK(simulation.statistics().impacts.least_gap >= -1e-12);
            CHECK(Vec3(column(simulation, "momentum.balance.x"),
                       column(simulation, "momentum.balance.y"),
                       column(simulation, "momentum.balance.z"))
                      .norm() <= 1e-11);
            const RunStatistics statistics = simulation.statistics();
            const double bound = 10.0 * rounding_bound(static_cast<double>(statistics.substeps));
            CHECK(statistics.energy.max_rel <= bound);
            CHECK(statistics.angular_momentum.max_rel <= bound);
        }
}

TEST_CASE("what is wrong with a rope is said in words") {
    const auto has = [](const std::string& text, const std::string& part) {
        INFO(text);
        return text.find(part) != std::string::npos;
    };
    CHECK(has(refused(atwood(1, 2, "stiffness = 0")), "stiffness"));
    CHECK(has(refused(atwood(1, 2, "damping = 2")), "say stiffness as well"));
    CHECK(has(refused(atwood(1, 2, "stiffness = 9\nrestitution = 0.5")), "does not give"));
    CHECK(has(refused(atwood(1, 2, "length = \"t\"")), "not above zero at the start"));
    CHECK(has(refused(atwood(1, 2, "young = 2e9")), "go together"));
    CHECK(has(refused(atwood(1, 2, "young = 2e9\narea = 1e-4\nstiffness = 4")), "one of them"));
    CHECK(has(refused(model_text() + point_mass("a", Vec3::Zero()) +
                      rope_over({at("a", Vec3::Zero())}, "")),
              "one point"));
    CHECK(has(refused(model_text() + point_mass("a", Vec3::Zero()) +
                      rope_over({at("a", Vec3::Zero()), at("ground", Vec3::Zero())}, "")),
              "at one place"));
}

}  // namespace
}  // namespace ancora::testing
