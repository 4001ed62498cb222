// SPDX-License-Identifier: BSD-3-Clause
// Dry friction where the direction turns: across slopes and floors, on hoops and wires.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

/// A particle thrown across a slope of angle a with v_0. Let y be the angle between velocity and
/// fall line, w = tan(y / 2), k = mu cot(a): from v' = g sin(a) (cos y - k), v y' = -g sin(a) sin y
///
///   v = (v_0 / 2) (w^(k-1) + w^(k+1)),  w from 1 down
///   t = v_0 / (2 g sin a) [(1 - w^(k-1)) / (k - 1) + (1 - w^(k+1)) / (k + 1)]
///   down   = K [(1 - w^(2k-2)) / (2k - 2) - (1 - w^(2k+2)) / (2k + 2)],  K = v_0^2 / (4 g sin a)
///   across = 2 K [(1 - w^(2k-1)) / (2k - 1) + (1 - w^(2k+1)) / (2k + 1)]
///
/// For k > 1 it stops at w = 0, turned into the fall line; for k < 1 it slides on for ever.
struct AcrossTheSlope {
    explicit AcrossTheSlope(double coefficient)
        : mu(coefficient), k(mu * Incline::kCos / Incline::kSin) {}

    static constexpr double kSpeed = 2.0;
    const double mu, k;
    const double pull = kGravity * Incline::kSin;

    double time(double w) const {
        return 0.5 * kSpeed / pull *
               ((1.0 - std::pow(w, k - 1.0)) / (k - 1.0) +
                (1.0 - std::pow(w, k + 1.0)) / (k + 1.0));
    }
    Vec3 position(double w) const {
        const double K = 0.25 * kSpeed * kSpeed / pull;
        const double down = K * ((1.0 - std::pow(w, 2.0 * k - 2.0)) / (2.0 * k - 2.0) -
                                 (1.0 - std::pow(w, 2.0 * k + 2.0)) / (2.0 * k + 2.0));
        const double across = 2.0 * K *
                              ((1.0 - std::pow(w, 2.0 * k - 1.0)) / (2.0 * k - 1.0) +
                               (1.0 - std::pow(w, 2.0 * k + 1.0)) / (2.0 * k + 1.0));
        return Vec3(0.0, across, 0.0) - down * Incline::uphill();
    }
    Vec3 velocity(double w) const {
        const double v = 0.5 * kSpeed * (std::pow(w, k - 1.0) + std::pow(w, k + 1.0));
        const double cosine = (1.0 - w * w) / (1.0 + w * w), sine = 2.0 * w / (1.0 + w * w);
        return v * (Vec3(0.0, sine, 0.0) - cosine * Incline::uphill());
    }
    std::string text() const {
        return weight({0.0, 0.0, -kGravity}) +
               particle("block", 1.5, Vec3::Zero(), {0.0, kSpeed, 0.0}) +
               plane("ramp", "block@0", Incline::normal()) + friction("ramp", testing::mu(mu));
    }
    /// Error at the time that belongs to w, in `count` steps.
    double error(const std::string& type, int count, double w, double tol = 1e-10) const {
        const double end = time(w);
        Simulation simulation = model(text() + integrator(type, end / count, end, tol));
        run_to_end(simulation);
        const Simulation::PointState block = simulation.point("block@0");
        return (vec3(block.position) - position(w)).norm() +
               (vec3(block.velocity) - velocity(w)).norm();
    }
};

void stop_across(const std::string& type, double step) {
    CAPTURE(type);
    CAPTURE(step);
    const AcrossTheSlope slope(0.9);
    const double end = 2.0 * slope.time(0.0);
    Simulation simulation = model(slope.text() + integrator(type, step, end, 1e-11));
    run_to_end(simulation);
    const double h_2 = step * step;
    const double most = type == "emm" ? h_2 : type == "rk4" ? 100.0 * h_2 * h_2 : 1e-8;
    CHECK((vec3(simulation.point("block@0").position) - slope.position(0.0)).norm() <=
          tolerance(std::max(most, 1e-9)));
    for (const double v : simulation.v()) CHECK(v == 0.0);
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(events.size() == 1);
    CHECK(events[0].sticks);
    CHECK(events[0].t == near(slope.time(0.0), std::max(most, 1e-9)));
}

// x = v_0^2 / (2 mu g) at v_0 / (mu g), in the direction of v_0.
void stop_on_floor(const std::string& type, double step, const Vec3& v_0) {
    CAPTURE(type);
    CAPTURE(step);
    CAPTURE(v_0.transpose());
    constexpr double kMu = 0.3;
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + particle("block", 1.5, Vec3::Zero(), v_0) +
              plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(kMu)) +
              integrator(type, step, 1.0));
    run_to_end(simulation);
    const Vec3 expected = 0.5 * v_0.norm() / (kMu * kGravity) * v_0;
    CHECK((vec3(simulation.point("block@0").position) - expected).norm() <= tolerance(1e-9));
    for (const double v : simulation.v()) CHECK(v == 0.0);
    CHECK(simulation.events().size() == 1);
    CHECK(time_of_event(simulation, 0) == near(v_0.norm() / (kMu * kGravity), 1e-9));
    CHECK(simulation.statistics().energy.max_rel <= tolerance(type == "emm" ? 1e-15 : 1e-9));
}
const Vec3 kThrows[] = {{2.0, 0.0, 0.0},
                        {1.7, 0.9, 0.0},
                        {0.3, -1.1, 0.0},
                        {1.0, 1.0, 0.0},
                        {-0.37, 0.21, 0.0},
                        {0.5369656901500078, -1.7612684569214618, 0.0},
                        {-1.7638769059468198, -1.0821343496765132, 0.0}};

TEST_SUITE("sliding on a curve") {
    TEST_CASE("across a slope: emm has order 2, rk4 order 4, dopri5 follows its tolerance") {
        for (const double coefficient : {0.3, 0.9}) {
            CAPTURE(coefficient);
            const AcrossTheSlope slope(coefficient);
            const auto order = [&](const std::string& type) {
                return observed_order(
                    2.0, slope.error(type, 100, 0.3), 1.0, slope.error(type, 200, 0.3));
            };
            CHECK(order("emm") == near(2.0, 0.03));
            CHECK(order("rk4") == near(4.0, 0.1));
            for (const double tol : {1e-6, 1e-8, 1e-10}) {
                CAPTURE(tol);
                CHECK(slope.error("dopri5", 100, 0.3, tol) <= tolerance(30.0 * tol));
            }
        }
    }

    TEST_CASE("across a steep slope for its friction it stops where and when it must") {
        const AcrossTheSlope slope(0.9);
        CHECK(slope.time(0.0) ==
              near(slope.kSpeed * slope.k / (slope.pull * (slope.k * slope.k - 1.0)), 1e-14));
        for (const double step : {1e-2, 2e-3, 1e-3, 5e-4})
            for (const std::string& type : kIntegrators) stop_across(type, step);
    }

    TEST_CASE("thrown over a floor in any direction it stops in it") {
        for (const Vec3& v_0 : kThrows)
            for (const double step : {1e-2, 3e-3, 1e-3})
                for (const std::string& type : kIntegrators) stop_on_floor(type, step, v_0);
    }

    // v = v_0 - mu g t along v_0
    TEST_CASE("rows inside the step that ends in a stop are as good as others") {
        const Vec3 v_0(1.7, 0.9, 0.0);
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) + particle("block", 1.5, Vec3::Zero(), v_0) +
                  plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(0.3)) +
                  integrator("dopri5", 1e-2, 1.0));
        const std::vector<std::string> names = simulation.column_names();
        std::vector<double> row(names.size());
        const auto at = [&](const char* name) {
            return row[std::ranges::find(names, name) - names.begin()];
        };
        double worst = 0.0;
        for (double before = 0.0; !simulation.done(); before = simulation.time()) {
            simulation.step();
            for (int i = 1; i < 10; ++i) {
                const double t = before + 0.1 * i * (simulation.time() - before);
                simulation.sample_at(t, row);
                const double speed = std::max(v_0.norm() - 0.3 * kGravity * t, 0.0);
                const Vec3 v(at("block.vx"), at("block.vy"), at("block.vz"));
                worst = std::max(worst, (v - speed * v_0.normalized()).norm());
            }
        }
        CHECK(worst <= tolerance(1e-8));
    }

    // N = m v^2 / R, so v' = -mu v^2 / R:  v = v_0 / (1 + mu v_0 t / R),
    // angle = log(1 + mu v_0 t / R) / mu.
    struct Hoop {
        static constexpr double kRadius = 0.7, kSpeed = 3.0, kMu = 0.4, kEnd = 2.0;
        std::string text() const {
            return weight(Vec3::Zero()) +
                   particle("bead", 1.5, {kRadius, 0.0, 0.0}, {0.0, kSpeed, 0.0}) +
                   fmt::format(
                       "\n[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\n"
                       "point = \"bead@0\"\nnormal = [0.0, 0.0, 1.0]\nradius = {:.17g}\n",
                       kRadius) +
                   friction("hoop", mu(kMu));
        }
        double slowed(double t) const { return 1.0 + kMu * kSpeed * t / kRadius; }
        double error(const std::string& type, int count, double tol = 1e-10) const {
            Simulation simulation = model(text() + integrator(type, kEnd / count, kEnd, tol));
            run_to_end(simulation);
            const double angle = std::log(slowed(kEnd)) / kMu, speed = kSpeed / slowed(kEnd);
            const Vec3 x(std::cos(angle), std::sin(angle), 0.0);
            const Vec3 v(-std::sin(angle), std::cos(angle), 0.0);
            const Simulation::PointState bead = simulation.point("bead@0");
            return (vec3(bead.position) - kRadius * x).norm() +
                   (vec3(bead.velocity) - speed * v).norm();
        }
    };

    TEST_CASE("bead on a hoop: v = v0 / (1 + mu v0 t / R), emm order 2, rk4 order 4") {
        const Hoop hoop;
        const double e1 = hoop.error("emm", 200), e2 = hoop.error("emm", 400),
                     e3 = hoop.error("emm", 800);
        CHECK(observed_order(2.0, e1, 1.0, e2) == near(2.0, 0.05));
        CHECK(observed_order(2.0, e2, 1.0, e3) == near(2.0, 0.02));
        CHECK(observed_order(2.0, hoop.error("rk4", 200), 1.0, hoop.error("rk4", 400)) ==
              near(4.0, 0.1));
        for (const double tol : {1e-6, 1e-8, 1e-10}) {
            CAPTURE(tol);
            CHECK(hoop.error("dopri5", 100, tol) <= tolerance(30.0 * tol));
        }
    }
    // A block of 1 kg on a floor, pulled by a spring of 10 N/m whose end moves on a spiral: once it
    // slips, friction turns with a pull that turns, at first at no speed at all.
    TEST_CASE("pulled along a curve: breakaway without a jump, the same in both faces") {
        const std::string text =
            weight({0.0, 0.0, -kGravity}) + particle("block", 1.0, Vec3::Zero(), Vec3::Zero()) +
            particle("hand", 1.0, Vec3::UnitX(), Vec3::Zero()) +
            "\n[[constraint]]\nname = \"pull\"\ntype = \"general_constraint\"\n"
            "equation = [\"hand.x = (1 + 0.1*t^2)*cos(0.2*t^2)\", "
            "\"hand.y = (1 + 0.1*t^2)*sin(0.2*t^2)\", \"hand.z = 0\"]\n"
            "\n[[body]]\nname = \"spring\"\ntype = \"truss\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\n"
            "young = 1e3\narea = 1e-2\ndensity = 0.0\n"
            "\n[[constraint]]\nname = \"here\"\ntype = \"position\"\na = \"spring@0\"\n"
            "b = \"block@0\"\n"
            "\n[[constraint]]\nname = \"there\"\ntype = \"position\"\na = \"spring@1\"\n"
            "b = \"hand@0\"\n" +
            plane("floor", "block@0", Vec3::UnitZ()) + friction("floor", mu(0.3));
        const auto end = [&](const std::string& type, double step, double tol) {
            Simulation simulation = model(text + integrator(type, step, 2.5, tol));
            run_to_end(simulation);
            CHECK(simulation.events().size() == 1);
            return vec3(simulation.point("block@0").position);
        };
        const Vec3 expected = end("dopri5", 1e-2, 1e-11);
        CHECK(expected.norm() > 0.4);
        CHECK((end("rk4", 1e-2, 0.0) - expected).norm() <= tolerance(1e-7));
        CHECK((end("rk4", 1e-3, 0.0) - expected).norm() <= tolerance(1e-8));
        const double coarse = (end("emm", 1e-2, 0.0) - expected).norm();
        const double fine = (end("emm", 5e-3, 0.0) - expected).norm();
        CHECK(observed_order(2.0, coarse, 1.0, fine) == near(2.0, 0.2));
    }

    TEST_CASE(
        "bead on a hoop: the balance closes to rounding under emm, what is lost is friction's") {
        const Hoop hoop;
        Simulation simulation = model(hoop.text() + integrator("emm", 0.01, hoop.kEnd));
        run_to_end(simulation);
        const double start = 0.75 * hoop.kSpeed * hoop.kSpeed;
        CHECK(simulation.statistics().energy.max_abs <= tolerance(1e-13 * start));
        CHECK(simulation.statistics().momentum.max_rel <= tolerance(1e-14));
        CHECK(simulation.statistics().angular_momentum.max_rel <= tolerance(1e-14));
        CHECK(column(simulation, "energy.total") - start ==
              near(column(simulation, "work.nonideal"), 1e-13 * start));
    }

    // A line has two normal rows; N is the length of their sum: m g across the line.
    TEST_CASE("bead on a level line: both components of the reaction press") {
        const Vec3 gravity(0.0, 3.0, -4.0);
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            const std::string text =
                weight(gravity) + particle("bead", 2.0, Vec3::Zero(), {1.5, 0.0, 0.0}) +
                "\n[[constraint]]\nname = \"wire\"\ntype = \"point_on_line\"\npoint = \"bead@0\"\n"
                "direction = [2.0, 0.0, 0.0]\n" +
                friction("wire", mu(0.2)) + integrator(type, 0.01, 3.0);
            Simulation simulation = model(text);
            run_to_end(simulation);
            // v' = -mu 5 m/s^2: 1.5 s, 1.125 m
            CHECK(simulation.point("bead@0").position[0] == near(1.125, 1e-13));
            CHECK(simulation.events().size() == 1);
            CHECK(time_of_event(simulation, 0) == near(1.5, 1e-13));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
