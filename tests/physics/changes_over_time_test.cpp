// SPDX-License-Identifier: BSD-3-Clause
// Rest lengths and wind over time, loads that follow the state, starts carried by a body: against
// closed solutions and equations of motion integrated here, and the ledger.
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/process.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

std::string integrator(const std::string& type, double step, double end) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + "tolerance = 1e-12\n" : table;
}
const std::string kWeight = "[model]\ngravity = [0.0, 0.0, -9.81]\n";

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

/// x'' = f(t, x, x') by the classical Runge-Kutta method, in steps so small that its error is
/// rounding.
std::array<double, 2> integrate(const std::function<double(double, double, double)>& f,
                                double x,
                                double v,
                                double end,
                                int steps = 20000) {
    const double h = end / steps;
    for (int k = 0; k < steps; ++k) {
        const double t = k * h;
        const double a1 = f(t, x, v);
        const double v2 = v + 0.5 * h * a1, a2 = f(t + 0.5 * h, x + 0.5 * h * v, v2);
        const double v3 = v + 0.5 * h * a2, a3 = f(t + 0.5 * h, x + 0.5 * h * v2, v3);
        const double v4 = v + h * a3, a4 = f(t + h, x + h * v3, v4);
        x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return {x, v};
}

/// A weight of 10 kg on a rope from the origin, without mass of its own.
std::string hoist(const std::string& keys, double z) {
    return kWeight +
           fmt::format(
               "[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = [0, 0, 0]\n"
               "to = [0, 0, {:.17g}]\ndensity = 0\narea = 1.0e-4\nnode_masses = [[1, 10.0]]\n"
               "{}\n"
               "[[constraint]]\nname = \"top\"\ntype = \"position\"\na = \"rope@0\"\n"
               "b = \"ground@[0, 0, 0]\"\n",
               z,
               keys);
}

}  // namespace

TEST_SUITE("rest lengths over time") {
    /// m l'' = m g - N, N = E A (l^2 - L^2) l / (2 L^3), L = 2 - 0.4 t
    TEST_CASE("a weight is hoisted by an elastic rope") {
        constexpr double EA = 2.0e4, m = 10.0, end = 2.0;
        const auto L = [](double t) {
            return 2.0 - 0.4 * t;
        };
        const auto exact = integrate(
            [&](double t, double l, double) {
                return kGravity - EA * (l * l - L(t) * L(t)) * l / (2.0 * std::pow(L(t), 3)) / m;
            },
            2.01,
            0.0,
            end);
        const std::string rope = hoist("young = 2.0e8\nrest_length = \"2 - 0.4*t\"", -2.01);
        const auto error_of = [&](const std::string& type, double h) {
            Simulation simulation = model(rope + integrator(type, h, end));
            run_to_end(simulation);
            if (type == "emm") check_balances(simulation.statistics());
            const Simulation::PointState at = simulation.point("rope@1");
            return std::abs(-at.position[2] - exact[0]) +
                   0.01 * std::abs(-at.velocity[2] - exact[1]);
        };
        CHECK(error_of("dopri5", 1e-3) <= tolerance(1e-9));
        const double coarse = error_of("emm", 1e-3), fine = error_of("emm", 5e-4);
        CHECK(observed_order(1e-3, coarse, 5e-4, fine) == doctest::Approx(2.0).epsilon(0.03));
        CHECK(coarse <= tolerance(2e-4));
        const double by_rk4 = error_of("rk4", 2e-3), finer = error_of("rk4", 1e-3);
        CHECK(observed_order(2e-3, by_rk4, 1e-3, finer) == doctest::Approx(4.0).epsilon(0.05));
    }

    /// z = -L(t), work m g (L(0) - L(t)) + kinetic energy
    TEST_CASE("a rigid link is hauled in: the motion is exact, the work the weight's") {
        for (const std::string type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            const std::string link = kWeight +
                                     "[[body]]\nname = \"link\"\ntype = \"truss\"\n"
                                     "nodes = [[0, 0, 0], [0, 0, -2]]\nelements = [[0, 1]]\n"
                                     "young = inf\nnode_masses = [[0, 1.0], [1, 10.0]]\n"
                                     "rest_length = \"2 - 0.1*t^2\"\n"
                                     "[[constraint]]\nname = \"top\"\ntype = \"position\"\n"
                                     "a = \"link@0\"\nb = \"ground@[0, 0, 0]\"\n";
            Simulation simulation = model(link + integrator(type, 1e-3, 2.0));
            run_to_end(simulation);
            const Simulation::PointState at = simulation.point("link@1");
            const double bound = type == "emm" ? 1e-12 : 1e-8;
            CHECK(at.position[2] == near(-1.6, bound));
            CHECK(at.velocity[2] == near(0.4, type == "emm" ? 1e-9 : 1e-8));
            CHECK(column(simulation, "work.external") ==
                  near(10.0 * kGravity * 0.4 + 0.5 * 10.0 * 0.16, 1e-6));
            // what the support bears: 1 kg that rests, 10 kg that are accelerated by 0.2 m/s^2
            CHECK(simulation.reaction("top")[2] == near(kGravity + 10.0 * (kGravity + 0.2), 1e-6));
            if (type == "emm") check_balances(simulation.statistics());
        }
    }

    /// theta'' = -(g sin theta + 2 L' theta') / L
    TEST_CASE("a pendulum whose length changes") {
        constexpr double end = 3.0;
        const auto exact = integrate(
            [](double t, double theta, double rate) {
                const double L = 1.0 + 0.3 * std::pow(std::sin(2.0 * t), 2);
                const double L_t = 0.6 * std::sin(4.0 * t);
                return -(kGravity * std::sin(theta) + 2.0 * L_t * rate) / L;
            },
            0.5,
            0.0,
            end);
        const auto error_of = [&](const std::string& type, double h) {
            Simulation simulation =
                model(kWeight +
                      fmt::format("[[body]]\nname = \"rod\"\ntype = \"truss\"\nfrom = [0, 0, 0]\n"
                                  "to = [{:.17g}, 0, {:.17g}]\nyoung = inf\n"
                                  "node_masses = [[0, 1.0], [1, 2.0]]\n"
                                  "rest_length = \"1 + 0.3*sin(2*t)^2\"\n"
                                  "[[constraint]]\nname = \"top\"\ntype = \"position\"\n"
                                  "a = \"rod@0\"\nb = \"ground@[0, 0, 0]\"\n",
                                  std::sin(0.5),
                                  -std::cos(0.5)) +
                      integrator(type, h, end));
            run_to_end(simulation);
            if (type == "emm") check_balances(simulation.statistics());
            const Simulation::PointState at = simulation.point("rod@1");
            return std::abs(std::atan2(at.position[0], -at.position[2]) - exact[0]);
        };
        CHECK(error_of("dopri5", 1e-3) <= tolerance(1e-9));
        const double coarse = error_of("emm", 2e-2), fine = error_of("emm", 1e-2);
        CHECK(observed_order(2e-2, coarse, 1e-2, fine) == doctest::Approx(2.0).epsilon(0.03));
    }

    TEST_CASE(
        "tables and files say the same as a formula, ropes and lists the same as each other") {
        const auto end_of = [](const std::string& text) {
            Simulation simulation = model(text + integrator("emm", 1e-3, 1.0));
            return run_to_end(simulation).point("rope@1").position[2];
        };
        const double formula = end_of(hoist("young = 2.0e8\nrest_length = \"2 - 0.4*t\"", -2.01));
        CHECK(end_of(hoist("young = 2.0e8\nrest_length = [[0.0, 2.0], [0.5, 1.8], [1.0, 1.6]]",
                           -2.01)) == near(formula, 1e-12));
        const TempFolder folder;
        folder.write("length.csv", "t, L\n0, 2\n0.5, 1.8\n1, 1.6\n");
        const std::string file = (folder / "length.csv").string();
        CHECK(end_of(hoist("young = 2.0e8\nrest_length = \"" + file + "\"", -2.01)) ==
              near(formula, 1e-12));
        CHECK(formula > -1.7);

        const std::string row =
            "young = 2.0e8\narea = 1.0e-4\ndensity = 1000.0\nvelocity = [0.3, 0, 0]\n";
        const auto rope = [&](const std::string& keys) {
            Simulation simulation = model("[[body]]\nname = \"rope\"\ntype = \"truss\"\n" + row +
                                          keys + integrator("emm", 1e-3, 0.2));
            run_to_end(simulation);
            return std::vector<double>(simulation.q().begin(), simulation.q().end());
        };
        const std::string nodes =
            "nodes = [[0, 0, 0], [0.5, 0, 0], [1.0, 0, 0], [1.5, 0, 0], [2, 0, 0]]\n"
            "elements = [[0, 1], [1, 2], [2, 3], [3, 4]]\n";
        const std::string chain = "from = [0, 0, 0]\nto = [2, 0, 0]\nelements = 4\n";
        CHECK(rope(chain + "rest_length = 1.98\n") == rope(nodes + "rest_length = 0.495\n"));
        CHECK(rope(chain + "rest_length = \"1.98 - 0.1*t\"\n") ==
              rope(nodes + "rest_length = \"0.495 - 0.025*t\"\n"));
    }

    TEST_CASE("a group is let out, the others keep their length") {
        Simulation simulation = model(
            "[[body]]\nname = \"net\"\ntype = \"truss\"\n"
            "grid = { counts = [3, 1], spacing = [1.0, 1.0] }\nyoung = inf\n"
            "node_masses = [[0, 1.0], [1, 1.0], [2, 1.0]]\n"
            "[[body]]\nname = \"line\"\ntype = \"truss\"\nfrom = [0, 5, 0]\nto = [1, 5, 0]\n"
            "elements = 2\nyoung = inf\nnode_masses = [[0, 1.0], [1, 1.0], [2, 1.0]]\n"
            "rest_length = \"1 + 0.05*t^2\"\n" +
            integrator("emm", 1e-2, 2.0));
        run_to_end(simulation);
        const auto distance = [&](const std::string& a, const std::string& b) {
            return (vec3(simulation.point(a).position) - vec3(simulation.point(b).position)).norm();
        };
        CHECK(distance("net@0", "net@1") == near(1.0, 1e-12));
        CHECK(distance("line@from", "line@1") == near(0.6, 1e-12));
        CHECK(distance("line@1", "line@to") == near(0.6, 1e-12));
    }

    TEST_CASE("what cannot be is refused") {
        const auto refusal = [](const std::string& keys) {
            try {
                Simulation simulation = model(hoist(keys, -2.0) + integrator("emm", 0.1, 3.0));
                run_to_end(simulation);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const auto names = [&](const std::string& keys, const std::string& text) {
            const std::string message = refusal(keys);
            CAPTURE(message);
            CHECK(message.find(text) != std::string::npos);
        };
        names("young = 1e8\nrest_length = \"1 - t\"", "must stay > 0");
        names("young = 1e8\nrest_length = \"0*t\"", "must stay > 0");
        names("young = 1e8\nrest_length = -1", "expected a value > 0");
        names("young = 1e8\nrest_length = \"2 - l\"", "position 5");
        names("young = 1e8\nprestress = 1e5\nrest_length = \"2 - 0.1*t\"", "changes over time");
        names("young = 1e8\nbreaking_strain = 0.1\nrest_length = \"2 - 0.1*t\"", "cannot break");
        names("young = 1e8\ninterpolation = \"rest\"\nrest_length = \"2 - 0.1*t\"", "table");
        names("young = 1e8\ninterpolation = \"rest\"", "table of rest_length");
        names("young = 1e8\nrest_length = [[0, 2], [1, 1]]", "ends at t = 1");
    }
}

TEST_SUITE("wind over time") {
    /// m v' = k (V sin w t - v)
    TEST_CASE("linear drag in a wind that swings") {
        constexpr double m = 2.0, k = 1.5, V = 5.0, w = 3.0, end = 2.0;
        const double D = k * k + m * m * w * w;
        const double exact =
            V * k / D *
            (k * std::sin(w * end) - m * w * std::cos(w * end) + m * w * std::exp(-k * end / m));
        const auto run = [&](const std::string& type, double h, const std::string& wind) {
            Simulation simulation = model(
                "[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 2.0\n"
                "[[force]]\nname = \"air\"\ntype = \"drag\"\nat = \"bead@0\"\nlinear = 1.5\n"
                "medium_velocity = " +
                wind + integrator(type, h, end));
            run_to_end(simulation);
            if (type == "emm") check_balances(simulation.statistics());
            return simulation.point("bead@0").velocity[1];
        };
        const std::string formulas = "[\"0\", \"5*sin(3*t)\", \"0\"]\n";
        CHECK(run("dopri5", 1e-2, formulas) == near(exact, 1e-10));
        const double coarse = std::abs(run("emm", 2e-2, formulas) - exact);
        const double fine = std::abs(run("emm", 1e-2, formulas) - exact);
        CHECK(observed_order(2e-2, coarse, 1e-2, fine) == doctest::Approx(2.0).epsilon(0.02));

        std::string table, lines = "t, x, y, z\n";
        for (int i = 0; i <= 200; ++i) {
            const double t = 0.01 * i, y = V * std::sin(w * t);
            table += fmt::format("{}[{}, 0, {:.17g}, 0]", i == 0 ? "" : ", ", t, y);
            lines += fmt::format("{}, 0, {:.17g}, 0\n", t, y);
        }
        const std::string spline = "interpolation = \"spline\"\n";
        const double by_table = run("emm", 1e-2, "[" + table + "]\n" + spline);
        CHECK(by_table == near(exact, 1e-3));
        const TempFolder folder;
        folder.write("wind.csv", lines);
        CHECK(run("emm", 1e-2, "\"" + (folder / "wind.csv").string() + "\"\n" + spline) ==
              by_table);
    }
}

TEST_SUITE("loads that follow the state") {
    const std::string bead =
        "[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 2.0\nposition = [1.0, 0, 0]\n";
    std::string load(const std::string& keys) {
        return "[[force]]\nname = \"push\"\ntype = \"point_load\"\n" + keys;
    }

    /// x'' + 0.3/2 x' + 8/2 x = 0
    TEST_CASE("a spring and a damper written as a formula") {
        const auto exact = integrate(
            [](double, double x, double v) {
                return (-8.0 * x - 0.3 * v) / 2.0;
            },
            1.0,
            0.0,
            2.0);
        const std::string text =
            bead + load("at = \"bead@0\"\nforce = [\"-8*x - 0.3*vx\", \"0\", \"0\"]\n");
        const auto error_of = [&](const std::string& type, double h) {
            Simulation simulation = model(text + integrator(type, h, 2.0));
            run_to_end(simulation);
            if (type == "emm") check_balances(simulation.statistics());
            return std::abs(simulation.point("bead@0").position[0] - exact[0]);
        };
        CHECK(error_of("dopri5", 1e-2) <= tolerance(1e-10));
        CHECK(observed_order(2e-2, error_of("emm", 2e-2), 1e-2, error_of("emm", 1e-2)) ==
              doctest::Approx(2.0).epsilon(0.02));
    }

    // h^2 k / (4 m) = 2500: without a tangent the iteration would diverge. No iteration can remove
    // the round-off of x in the force, 1e-8 N, and in the energy.
    TEST_CASE("a stiff formula converges at once") {
        const auto statistics = [&](const std::string& k, const std::string& c) {
            Simulation simulation =
                model(bead +
                      load("at = \"bead@0\"\nforce = [\"-" + k + "*(x - 1 - 0.1*sin(t)^2) - " + c +
                           "*vx\", \"0\", \"0\"]\n") +
                      integrator("emm", 1e-2, 1.0));
            run_to_end(simulation);
            CHECK(simulation.point("bead@0").position[0] ==
                  near(1.0 + 0.1 * std::pow(std::sin(1.0), 2), 2e-3));
            return simulation.statistics();
        };
        const RunStatistics soft = statistics("2e5", "400");
        CHECK(soft.substeps == soft.steps);
        CHECK(soft.iterations <= 3 * soft.steps);
        CHECK(soft.energy.max_rel <= tolerance(1e-10));
        const RunStatistics stiff = statistics("2e8", "4e4");
        CHECK(stiff.substeps == stiff.steps);
        CHECK(stiff.iterations <= 5 * stiff.steps);
        CHECK(stiff.energy.max_rel <= tolerance(3e-8));
    }

    /// J w' = 2 (3 - w): w = 3 (1 - exp(-2 t / J))
    TEST_CASE("a torque by the angular velocity of the body") {
        for (const std::string body : {"ancf_rigid_body", "quaternion_body"}) {
            Simulation simulation = model("[[body]]\nname = \"hub\"\ntype = \"" + body +
                                          "\"\nmass = 3.0\ninertia = [1.0, 1.5, 2.0]\n" +
                                          (body[0] == 'a' ? "penalty = inf\n" : "") +
                                          load("body = \"hub\"\ntorque = [\"0\", \"0\", \"2*(3 - "
                                               "hub.wz)\"]\nfollow = true\n") +
                                          integrator(body[0] == 'a' ? "emm" : "dopri5", 1e-3, 1.0));
            run_to_end(simulation);
            CHECK(simulation.pose("hub").angular_velocity[2] ==
                  near(3.0 * (1.0 - std::exp(-1.0)), body[0] == 'a' ? 1e-6 : 1e-10));
            if (body[0] == 'a') check_balances(simulation.statistics());
        }
    }

    TEST_CASE("measures of joints, with their turns, as a motor reads them") {
        const std::string door =
            "[[body]]\nname = \"door\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
            "inertia = [0.1, 0.2, 0.3]\npenalty = inf\nangular_velocity = [0, 0, 9]\n"
            "[[constraint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"ground\"\nb = \"door\"\n"
            "point = [0, 0, 0]\naxis = [0, 0, 1]\n";
        const auto angle = [&](const std::string& law) {
            Simulation simulation = model(door + law + integrator("emm", 1e-3, 2.0));
            run_to_end(simulation);
            check_balances(simulation.statistics());
            return column(simulation, "pin.angle");
        };
        const std::string law = "\"-0.1*pin.angle - 0.05*pin.angle_rate\"";
        const double by_load =
            angle(load("body = \"door\"\ntorque = [\"0\", \"0\", " + law + "]\n"));
        const double by_motor = angle(
            "[[force]]\nname = \"m\"\ntype = \"motor\"\n"
            "on = \"pin.angle\"\neffort = " +
            law + "\n");
        CHECK(by_motor > 7.0);
        CHECK(by_load == near(by_motor, 2e-5));
    }

    /// In axes of the body: a fin that brakes across it alone
    TEST_CASE("velocities in the axes of the body") {
        Simulation simulation = model(
            "[[body]]\nname = \"fin\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\n"
            "inertia = [1.0, 1.0, 1.0]\npenalty = inf\nvelocity = [1, 1, 0]\n"
            "orientation = { axis = [0, 0, 1], angle = \"45 deg\" }\n" +
            load("at = \"fin@[0, 0, 0]\"\nforce = [\"-1.5*vx\", \"0\", \"0\"]\nfollow = true\n") +
            integrator("emm", 1e-3, 1.0));
        run_to_end(simulation);
        const Vec3 v = vec3(simulation.point("fin@[0, 0, 0]").velocity);
        CHECK(v.norm() == near(std::sqrt(2.0) * std::exp(-0.75), 1e-6));
        CHECK(v.x() == near(v.y(), 1e-12));
    }

    TEST_CASE("each point of a group has its own values; other bodies are read") {
        Simulation simulation = model(
            "[[body]]\nname = \"net\"\ntype = \"truss\"\nnodes = [[0, 0, 0], [2, 0, 0]]\n"
            "elements = [[0, 1]]\nyoung = 1.0\narea = 1e-9\nnode_masses = [[0, 1.0], [1, 1.0]]\n"
            "density = 0\n" +
            bead + load("at = \"net@*\"\nforce = [\"0\", \"x*bead.x\", \"0\"]\n") +
            integrator("emm", 1e-3, 1.0));
        run_to_end(simulation);
        CHECK(simulation.point("net@0").position[1] == near(0.0, 1e-8));
        CHECK(simulation.point("net@1").position[1] == near(1.0, 1e-8));
    }

    TEST_CASE("names that mean nothing are refused at their place") {
        const auto refusal = [&](const std::string& keys) {
            try {
                model(bead + load(keys) + integrator("emm", 1e-2, 0.1));
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        CHECK(refusal("at = \"bead@0\"\nforce = [\"k*x\", \"0\", \"0\"]\n").find("elbow.angle") !=
              std::string::npos);
        CHECK(refusal("at = \"bead@0\"\nforce = [\"bead.wz\", \"0\", \"0\"]\n").find("no axes") !=
              std::string::npos);
        CHECK(refusal("at = \"bead@0\"\nforce = [\"bed.x\", \"0\", \"0\"]\n").find("bead") !=
              std::string::npos);
        CHECK(refusal("at = \"bead@0\"\nforce = [\"der(vx)\", \"0\", \"0\"]\n").find("rate") !=
              std::string::npos);
    }
}

TEST_SUITE("carried starts") {
    TEST_CASE("every body starts as if carried rigidly by another") {
        const std::string hub =
            "[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\nmass = 3.0\n"
            "inertia = [1.0, 1.5, 2.0]\npenalty = inf\nposition = [0.2, 0.1, 0]\n"
            "velocity = [1, 2, 3]\nangular_velocity = [0.1, -0.2, 2.0]\n"
            "orientation = { axis = [1, 1, 0], angle = 0.4 }\n";
        const std::string others =
            "[[body]]\nname = \"dot\"\ntype = \"particle\"\nmass = 1.0\nposition = [1, 2, 3]\n"
            "velocity_from = \"hub\"\n"
            "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1, 2, 3]\ndensity = 10\n"
            "penalty = inf\nposition = [0, 3, 1]\ncenter_of_mass = [0.1, 0, 0]\n"
            "orientation = { axis = [0, 1, 0], angle = 1.2 }\nvelocity_from = \"hub\"\n"
            "[[body]]\nname = \"top\"\ntype = \"quaternion_body\"\nsize = [1, 2, 3]\ndensity = 10\n"
            "position = [0, -3, 1]\norientation = { axis = [0, 0, 1], angle = 2.2 }\n"
            "velocity_from = \"box\"\n";
        const Simulation simulation = model(hub + others + integrator("rk4", 1e-3, 0.1));
        const Vec3 w = attitude(simulation, "hub") * omega(simulation, "hub");
        const auto hub_at = simulation.pose("hub");
        for (const std::string name : {"dot", "box", "top"}) {
            CAPTURE(name);
            const auto at = simulation.pose(name);
            const Vec3 carried =
                vec3(hub_at.velocity) + w.cross(vec3(at.position) - vec3(hub_at.position));
            CHECK((vec3(at.velocity) - carried).norm() <= tolerance(1e-14));
            if (name == "dot") continue;
            CHECK((attitude(simulation, name) * omega(simulation, name) - w).norm() <=
                  tolerance(1e-14));
        }
        CHECK_THROWS_AS(model(hub +
                              "[[body]]\nname = \"dot\"\ntype = \"particle\"\nmass = 1.0\n"
                              "velocity = [1, 0, 0]\nvelocity_from = \"hub\"\n" +
                              integrator("rk4", 1e-3, 0.1)),
                        Error);
        CHECK_THROWS_AS(
            model(hub +
                  "[[body]]\nname = \"b\"\ntype = \"quaternion_body\"\nsize = [1, 2, 3]\n"
                  "density = 10\nangular_velocity = [1, 0, 0]\nvelocity_from = \"hub\"\n" +
                  integrator("rk4", 1e-3, 0.1)),
            Error);
    }
}

}  // namespace ancora::testing
