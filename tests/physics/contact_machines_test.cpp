// SPDX-License-Identifier: BSD-3-Clause
// Machines in which something opens, closes or hits: cradle, cam, crane, landing gear, by every
// method, against closed forms and halved steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

struct Method {
    const char* type;
    int order;  // of `emm` with projected velocities; 0: plain
};
constexpr std::array<Method, 5> kMethods = {
    {{"emm", 0}, {"emm", 2}, {"emm", 4}, {"dopri5", 0}, {"generalized_alpha", 0}}};

std::string solver(const Method& method, double step, double end) {
    return integrator(method.type, step, end, 1e-11) +
           (method.order > 0
                ? fmt::format("\n[integrator.emm]\norder = {}\nvelocity_projection = true\n",
                              method.order)
                : "");
}
bool is_emm(const Method& method) {
    return std::string(method.type) == "emm";
}

std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}

void check_balances(const Simulation& simulation) {
    const RunStatistics statistics = simulation.statistics();
    const double bound = rounding_bound(static_cast<double>(statistics.substeps));
    CHECK(statistics.energy.max_rel <= bound);
    CHECK(statistics.momentum.max_rel <= bound);
    CHECK(statistics.angular_momentum.max_rel <= bound);
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
}

std::vector<double> times(const Simulation& simulation, ImpactEvent::Kind kind) {
    std::vector<double> out;
    for (const ImpactEvent& event : simulation.impacts())
        if (event.kind == kind) out.push_back(event.t);
    return out;
}

TEST_CASE("Newton's cradle: what falls on one end leaves at the other, the rest do not move") {
    // Balls that touch, each on a rod; in turn. Swings of 0.4 rad, each to the height of the last.
    constexpr double kRadius = 0.05, kAngle = 0.4;
    std::string text = "[model]\nimpacts = \"in_turn\"\ngravity = [0, 0, -9.81]\n";
    for (int k = 0; k < 5; ++k) {
        const double x = 2.0 * kRadius * k, angle = k == 0 ? -kAngle : 0.0;
        text += particle(fmt::format("b{}", k),
                         1.0,
                         {x + std::sin(angle), 0.0, -std::cos(angle)},
                         Vec3::Zero()) +
                fmt::format(
                    "\n[[constraint]]\nname = \"r{0}\"\ntype = \"distance\"\na = \"b{0}@[0, "
                    "0, 0]\"\nb = \"ground@[{1:.17g}, 0, 0]\"\n",
                    k,
                    x);
    }
    for (int k = 0; k < 4; ++k)
        text += contact(fmt::format("c{}", k),
                        fmt::format("a = \"b{}\"\nb = \"b{}\"\nradius = {}\nradius_b = {}\n"
                                    "restitution = 1.0",
                                    k,
                                    k + 1,
                                    kRadius,
                                    kRadius));
    // The period by the elliptic integral; a half swing each at both ends.
    const double quarter = std::sqrt(1.0 / kGravity) * std::comp_ellint_1(std::sin(0.5 * kAngle));
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        Simulation simulation = model(text + solver(method, 0.005, 4.0));
        double highest = -1.0, still = 0.0;
        while (!simulation.done()) {
            simulation.step();
            highest = std::max(highest, column(simulation, "b4.z"));
            for (const char* const name : {"b1.x", "b2.x", "b3.x"}) {
                const double at = 2.0 * kRadius * (name[1] - '0');
                still = std::max(still, std::abs(column(simulation, name) - at));
            }
        }
        CHECK(highest == near(-std::cos(kAngle), 2e-5));
        CHECK(still < 1e-14);
        CHECK(simulation.statistics().impacts.loss == near(0.0, 1e-13));
        const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
        REQUIRE(met.size() == 16);
        for (std::size_t k = 0; k < met.size(); k += 4)
            CHECK(met[k] ==
                  near(quarter * (2.0 * static_cast<double>(k / 4) + 1.0),
                       method.order == 4 || std::string(method.type) == "dopri5" ? 1e-7 : 2e-4));
        if (is_emm(method)) check_balances(simulation);
    }
}

TEST_CASE("a cam that turns too fast throws its follower, and catches it again") {
    // A face that is driven by e sin(w t), under a follower m on a spring k with the preload F:
    //   m (g - e w^2 sin) + k e sin + F = 0 when it lifts off; then a harmonic vibration about
    //   -(m g + F) / k until both meet.
    const double m = 0.3, k = 800.0, F = 2.0, e = 0.004, w = 100.0;
    const double lift = std::asin((m * kGravity + F) / (e * (m * w * w - k))) / w;
    const double z0 = e * std::sin(w * lift), v0 = e * w * std::cos(w * lift);
    const double mean = -(m * kGravity + F) / k, own = std::sqrt(k / m);
    const auto gap = [&](double t) {
        const double s = own * (t - lift);
        return mean + (z0 - mean) * std::cos(s) + v0 / own * std::sin(s) - e * std::sin(w * t);
    };
    double low = lift + 0.01, high = low;
    while (gap(high) > 0.0) high += 1e-4;
    low = high - 1e-4;
    for (int i = 0; i < 60; ++i) {
        const double mid = 0.5 * (low + high);
        (gap(mid) > 0.0 ? low : high) = mid;
    }
    const std::string slider =
        "\n[[constraint]]\nname = \"{}\"\ntype = \"prismatic\"\na = \"ground\"\nb = \"{}\"\npoint "
        "= "
        "[0, 0, 0]\naxis = [0, 0, 1]\n{}";
    const std::string body =
        "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {}\ninertia = [1e-4, 1e-4, "
        "1e-4]\npenalty = inf\nvelocity = [0, 0, {:.17g}]\n";
    const std::string text =
        "[model]\ngravity = [0, 0, -9.81]\n" + fmt::format(fmt::runtime(body), "cam", 1.0, e * w) +
        fmt::format(fmt::runtime(body), "follower", m, e * w) +
        fmt::format(
            fmt::runtime(slider), "guide", "cam", fmt::format("drive = \"{}*sin({}*t)\"\n", e, w)) +
        fmt::format(fmt::runtime(slider),
                    "rod",
                    "follower",
                    fmt::format("spring = {{ stiffness = {}, preload = {} }}\n", k, -F)) +
        contact("face",
                "a = \"follower@[0, 0, 0]\"\nb = \"cam\"\nplane = { normal = [0, 0, 1] }\n"
                "restitution = 0.2");
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        Simulation simulation = model(text + solver(method, 1e-4, 0.1));
        run_to_end(simulation);
        const std::vector<double> released = times(simulation, ImpactEvent::Kind::released);
        const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
        REQUIRE(!released.empty());
        REQUIRE(!met.empty());
        const bool is_exact = method.order == 4 || std::string(method.type) == "dopri5";
        CHECK(released[0] == near(lift, is_exact ? 1e-8 : 2e-6));
        CHECK(met[0] == near(high, is_exact ? 1e-8 : 2e-6));
        if (is_emm(method)) check_balances(simulation);
    }
}

TEST_CASE("a crane sets its load down, the rope goes slack, and lifts it with a jerk") {
    // Rope over a point at 3 m, L = 2 + 0.5 sin t; a floor at 0.75 m. Down at sin t = 1/2, taut
    // again at sin t = 1/2 on the way up, with the speed that the winch has there.
    const double m = 40.0, down = std::numbers::pi / 6.0, up = 5.0 * std::numbers::pi / 6.0;
    const double rate = 0.5 * std::cos(down);
    const std::string text =
        weight({0.0, 0.0, -kGravity}) + particle("load", m, {0.0, 0.0, 1.0}, {0.0, 0.0, -0.5}) +
        "\n[[constraint]]\nname = \"rope\"\ntype = \"rope\"\npoints = [\"ground@[0, 0, 3]\", "
        "\"load@[0, 0, 0]\"]\nlength = \"2 + 0.5*sin(t)\"\n" +
        contact(
            "floor",
            "a = \"load\"\nb = \"ground\"\nplane = { point = [0, 0, 0.75], normal = [0, 0, 1] }");
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        Simulation simulation = model(text + solver(method, 0.01, 3.0));
        double lying = 0.0;
        while (!simulation.done()) {
            simulation.step();
            if (std::abs(simulation.time() - 1.5) > 0.1) continue;
            CHECK(column(simulation, "floor.force.z") == near(m * kGravity, 1e-8));
            CHECK(std::abs(column(simulation, "rope.effort")) < 1e-12);
            lying = simulation.time();
        }
        CHECK(lying > 0.0);
        const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
        REQUIRE(met.size() == 2);
        CHECK(met[0] == near(down, 1e-9));
        CHECK(met[1] == near(up, 1e-9));
        const std::vector<ImpactEvent> events = simulation.impacts();
        const auto first = std::ranges::find(events, ImpactEvent::Kind::impact, &ImpactEvent::kind);
        REQUIRE(first != events.end());
        CHECK(first->loss == near(0.5 * m * rate * rate, 1e-6));
        CHECK(first->impulse == near(m * rate, 1e-6));
        CHECK(column(simulation, "load.z") == near(1.0 - 0.5 * std::sin(3.0), 1e-9));
        CHECK(column(simulation, "load.vz") == near(-0.5 * std::cos(3.0), 1e-4));
        if (is_emm(method)) check_balances(simulation);
    }
}

// P. Flores, R. Leine, C. Glocker, Nonlinear Dynamics 61 (2010) 633-653: a block of .05 m x .025 m
// in a guide with a clearance of 1 mm on either side, at the end of a crank and a rod that start
// stretched out at 150 and -75 rad/s. Without friction the block stays parallel to its guide, and
// its corners meet in pairs: a double pendulum whose end meets |y| = c.
struct SliderCrank {
    static constexpr double l1 = 0.153, l2 = 0.306, c = 0.001, e = 0.4;
    static constexpr double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4;
    static constexpr double A = J1 + m1 * l1 * l1 / 4.0 + (m2 + m3) * l1 * l1;
    static constexpr double B = J2 + m2 * l2 * l2 / 4.0 + m3 * l2 * l2;
    static constexpr double K = (0.5 * m2 + m3) * l1 * l2;
    using State = Eigen::Vector4d;  // angles of crank and rod, and their rates

    static double height(const State& x) { return l1 * std::sin(x[0]) + l2 * std::sin(x[1]); }
    static Eigen::Vector2d along(const State& x) {
        return {l1 * std::cos(x[0]), l2 * std::cos(x[1])};
    }
    static Eigen::Vector2d answer(const State& x, const Eigen::Vector2d& f) {
        const double k = K * std::cos(x[0] - x[1]);
        return Eigen::Vector2d(B * f[0] - k * f[1], A * f[1] - k * f[0]) / (A * B - k * k);
    }
    static Eigen::Vector2d forces(const State& x) {
        const double k = K * std::sin(x[0] - x[1]);
        return {-k * x[3] * x[3] - kGravity * std::cos(x[0]) * (0.5 * m1 + m2 + m3) * l1,
                k * x[2] * x[2] - kGravity * std::cos(x[1]) * (0.5 * m2 + m3) * l2};
    }
    /// Of the guide while the block slides along it.
    static double reaction(const State& x) {
        const Eigen::Vector2d w = along(x);
        const double turning =
            -l1 * std::sin(x[0]) * x[2] * x[2] - l2 * std::sin(x[1]) * x[3] * x[3];
        return -(w.dot(answer(x, forces(x))) + turning) / w.dot(answer(x, w));
    }

    State x{0.0, 0.0, 150.0, -75.0};
    int side = 0;  // that it slides along, 0: none
    State derivative(const State& at) const {
        Eigen::Vector2d f = forces(at);
        if (side != 0) f += reaction(at) * along(at);
        State out;
        out << at.tail<2>(), answer(at, f);
        return out;
    }
    State stepped(double h) const {
        const State k1 = derivative(x), k2 = derivative(x + 0.5 * h * k1);
        const State k3 = derivative(x + 0.5 * h * k2), k4 = derivative(x + h * k3);
        return x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    double margin(const State& at) const {
        return side != 0 ? -side * reaction(at) : c - std::abs(height(at));
    }
    void strike(double restitution) {
        const Eigen::Vector2d w = along(x), v = answer(x, w);
        x.tail<2>() -= (1.0 + restitution) * w.dot(x.tail<2>()) / w.dot(v) * v;
    }

    struct Events {
        std::vector<double> impacts, released;
    };
    /// By Runge-Kutta's formula of order 4 in its two angles.
    static Events run(double h, double end) {
        SliderCrank of;
        Events out;
        for (double t = 0.0; t < end;) {
            const State next = of.stepped(h);
            if (of.margin(next) >= 0.0) {
                of.x = next;
                t += h;
                continue;
            }
            double low = 0.0, high = h;
            for (int k = 0; k < 60; ++k) {
                const double mid = 0.5 * (low + high);
                (of.margin(of.stepped(mid)) >= 0.0 ? low : high) = mid;
            }
            of.x = of.stepped(low);
            t += low;
            if (of.side != 0) {
                out.released.push_back(t);
                of.side = 0;
                continue;
            }
            out.impacts.push_back(t);
            const double rate = along(of.x).dot(of.x.tail<2>());
            of.strike(e);
            if (std::abs(rate) > 1e-5) continue;
            of.strike(0.0);
            of.side = height(of.x) > 0.0 ? 1 : -1;
        }
        return out;
    }
};

TEST_CASE("a slider-crank with clearance in its guide hits, slides along it and leaves") {
    using M = SliderCrank;
    std::string text = "[model]\ngravity = [0, -9.81, 0]\n";
    const auto add = [&](const char* name, double m, double J, double x, double v, double w) {
        text += fmt::format(
            "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {}\ninertia = [{}, {}, "
            "{}]\npenalty = inf\nposition = [{:.17g}, 0, 0]\nvelocity = [0, {:.17g}, 0]\n"
            "angular_velocity = [0, 0, {}]\n",
            name,
            m,
            J,
            J,
            J,
            x,
            v,
            w);
    };
    add("crank", M::m1, M::J1, 0.5 * M::l1, 75.0 * M::l1, 150.0);
    add("rod", M::m2, M::J2, M::l1 + 0.5 * M::l2, 150.0 * M::l1 - 37.5 * M::l2, -75.0);
    add("block", M::m3, 2.7e-6, M::l1 + M::l2, 150.0 * M::l1 - 75.0 * M::l2, 0.0);
    const char* const ends[] = {"ground", "crank", "rod", "block"};
    const double points[] = {0.0, M::l1, M::l1 + M::l2};
    for (int k = 0; k < 3; ++k)
        text += fmt::format(
            "\n[[constraint]]\nname = \"j{}\"\ntype = \"revolute\"\na = \"{}\"\nb = \"{}\"\npoint "
            "= "
            "[{:.17g}, 0, 0]\naxis = [0, 0, 1]\n",
            k,
            ends[k],
            ends[k + 1],
            points[k]);
    for (const double end : {-0.025, 0.025})
        for (const double side : {-1.0, 1.0})
            text += contact(
                fmt::format("corner{}{}", end > 0.0 ? 1 : 0, side > 0.0 ? 1 : 0),
                fmt::format(
                    "a = \"block@[{}, {}, 0]\"\nb = \"ground\"\nplane = {{ normal = [0, {}, "
                    "0], point = [0, {:.17g}, 0] }}\nrestitution = {}",
                    end,
                    0.0125 * side,
                    -side,
                    side * (0.0125 + M::c),
                    M::e));
    const M::Events expected = M::run(2e-6, 0.04);
    REQUIRE(expected.released.size() == 2);
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        const bool is_exact = method.order == 4 || std::string(method.type) == "dopri5";
        double before = 0.0;  // error of the first impact in steps twice as long
        for (const double h : {1e-4, 5e-5}) {
            Simulation simulation = model(text + solver(method, h, 0.04));
            run_to_end(simulation);
            const std::vector<double> met = times(simulation, ImpactEvent::Kind::impact);
            const std::vector<double> left = times(simulation, ImpactEvent::Kind::released);
            REQUIRE(met.size() > 20);
            REQUIRE(left.size() == 4);
            // Corners in pairs.
            for (std::size_t k = 0; k < 4; ++k) {
                CHECK(met[2 * k] == near(expected.impacts[k], is_exact ? 3e-9 : 1e-5));
                CHECK(met[2 * k + 1] == near(met[2 * k], 1e-12));
            }
            for (std::size_t k = 0; k < 2; ++k)
                CHECK(left[2 * k] == near(expected.released[k], is_exact ? 3e-9 : 1e-5));
            if (is_emm(method)) check_balances(simulation);
            if (method.order > 0)
                for (std::size_t k = 0; k < 2; ++k) CHECK(left[2 * k + 1] == left[2 * k]);
            const double error = std::abs(met[0] - expected.impacts[0]);
            if (!is_exact && before > 0.0) CHECK(before / error == near(4.0, 0.2));
            before = error;
        }
    }
}

TEST_CASE("a landing gear with stops: halved steps and other methods go to the same motion") {
    // Sprung mass on a strut with travel 0 to 0.3 m, which it bottoms out, and a wheel that
    // bounces.
    const auto gear = [](const Method& method, double step) {
        const std::string body =
            "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {}\ninertia = [1, 1, "
            "1]\n"
            "penalty = inf\nposition = [0, 0, {}]\nvelocity = [0, 0, -3]\n";
        return model(
            "[model]\ngravity = [0, 0, -9.81]\n" +
            fmt::format(fmt::runtime(body), "wheel", 20.0, 0.35) +
            fmt::format(fmt::runtime(body), "frame", 500.0, 1.35) +
            "\n[[constraint]]\nname = \"strut\"\ntype = \"prismatic\"\na = \"frame\"\nb = "
            "\"wheel\"\npoint = [0, 0, 1]\naxis = [0, 0, 1]\nspring = { stiffness = 1.2e4, damping "
            "= "
            "900 }\nlimits = { lower = -0.001, upper = 0.3, restitution = 0.1 }\n"
            "\n[[constraint]]\nname = \"upright\"\ntype = \"prismatic\"\na = \"ground\"\nb = "
            "\"frame\"\npoint = [0, 0, 1]\naxis = [0, 0, 1]\n" +
            contact("tyre",
                    "a = \"wheel\"\nb = \"ground\"\nradius = 0.3\nplane = { normal = [0, 0, 1] }\n"
                    "restitution = 0.4") +
            solver(method, step, 0.5));
    };
    Simulation finest = gear({"emm", 4}, 1.25e-4);
    run_to_end(finest);
    check_balances(finest);
    const double z = column(finest, "frame.z");
    CHECK(finest.statistics().impacts.count > 5);
    double last = 0.0;
    for (const double step : {2e-3, 1e-3, 5e-4}) {
        Simulation simulation = gear({"emm", 0}, step);
        run_to_end(simulation);
        check_balances(simulation);
        last = std::abs(column(simulation, "frame.z") - z);
    }
    CHECK(last < 1e-6);
    for (const Method& method : kMethods) {
        CAPTURE(method.type);
        CAPTURE(method.order);
        Simulation simulation = gear(method, 2.5e-4);
        run_to_end(simulation);
        CHECK(column(simulation, "frame.z") == near(z, 2e-6));
        if (is_emm(method)) check_balances(simulation);
    }
}

}  // namespace
}  // namespace ancora::testing
