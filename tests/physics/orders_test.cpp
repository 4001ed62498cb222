// SPDX-License-Identifier: BSD-3-Clause
// Steps of order 2 to 8 by composition: observed orders in positions and velocities, what is kept,
// output between long steps, error control, and what is refused.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "support/euler_top.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string composed(double step, double end, int order, const std::string& more = "") {
    return fmt::format(
        "\n[integrator]\ntype = \"emm\"\nstep = {:.17g}\nend = {:.17g}\n[integrator.emm]\norder = "
        "{}\nvelocity_projection = true\n{}",
        step,
        end,
        order,
        more);
}

std::string box() {
    return "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [3.0, 2.0, 1.0]\ndensity "
           "= "
           "2700.0\npenalty = inf\nangular_velocity = [0.3, 0.5, 0.8]\n";
}

std::string double_pendulum() {
    const auto mass = [](const char* name, const char* position) {
        return fmt::format(
            "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = 1.0\ncoordinates = "
            "\"xy\"\nposition = {}\n",
            name,
            position);
    };
    return "[model]\ngravity = [0.0, -9.81, 0.0]\n" + mass("upper", "[1.0, 0.0, 0.0]") +
           mass("lower", "[1.0, -1.0, 0.0]") +
           constraint("rope", "distance", "a = \"ground@[0, 0, 0]\"\nb = \"upper@[0, 0, 0]\"") +
           constraint("rod", "distance", "a = \"upper@[0, 0, 0]\"\nb = \"lower@[0, 0, 0]\"");
}

std::string heavy_top() {
    return model_text() +
           body("top",
                "ancf_rigid_body",
                "position = [0.0, 0.6, 0.8]\norientation = {axis = [1, 0, 0], angle = "
                "-0.6435011087932844}\nangular_velocity = [0.0, 0.0, 20.0]",
                1.0,
                "[0.5, 0.5, 0.3]") +
           constraint("foot", "position", "a = \"top@[0, 0, -1]\"\nb = \"ground@[0, 0, 0]\"");
}

std::string chain_of_ten() {
    std::string text = model_text();
    for (int i = 0; i < 10; ++i)
        text += body(fmt::format("rod{}", i),
                     "ancf_rigid_body",
                     fmt::format("position = [{}, 0.0, 0.0]", i + 0.5),
                     1.0,
                     "[0.01, 0.09, 0.09]");
    for (int i = 0; i < 10; ++i)
        text += constraint(
            fmt::format("ball{}", i),
            "position",
            i == 0
                ? "a = \"rod0@[-0.5, 0, 0]\"\nb = \"ground@[0, 0, 0]\""
                : fmt::format("a = \"rod{}@[0.5, 0, 0]\"\nb = \"rod{}@[-0.5, 0, 0]\"", i - 1, i));
    return text;
}

/// A slider-crank whose guide is moved up and down, so that prescribed motion works on it.
std::string driven_slider_crank() {
    return model_text() +
           body("crank", "ancf_rigid_body", "position = [0.15, 0, 0]", 1.0, "[0.001, 0.01, 0.01]") +
           body("rod", "ancf_rigid_body", "position = [0.7, 0, 0]", 2.0, "[0.002, 0.1, 0.1]") +
           body("slider", "ancf_rigid_body", "position = [1.1, 0, 0]", 3.0, "[0.01, 0.01, 0.01]") +
           body("bob", "ancf_rigid_body", "position = [1.1, 0, -0.5]", 1.0, "[0.09, 0.09, 0.01]") +
           constraint("main",
                      "revolute",
                      "a = \"ground\"\nb = \"crank\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
           constraint("big",
                      "revolute",
                      "a = \"crank\"\nb = \"rod\"\npoint = [0.3, 0, 0]\naxis = [0, 1, 0]") +
           constraint("wrist",
                      "revolute",
                      "a = \"rod\"\nb = \"slider\"\npoint = [1.1, 0, 0]\naxis = [0, 1, 0]") +
           constraint("guide",
                      "prismatic",
                      "a = \"ground\"\nb = \"slider\"\npoint = [1.1, 0, 0]\naxis = [1, 0, 0]") +
           constraint("pin",
                      "revolute",
                      "a = \"slider\"\nb = \"bob\"\npoint = [1.1, 0, 0]\naxis = [0, 1, 0]") +
           constraint("turn", "drive", "on = \"main.angle\"\nmotion = \"2*sin(3*t)*sin(3*t)\"");
}

struct State {
    Eigen::VectorXd q, v;
};

/// The end of a run, which must keep all laws.
State end_of(const std::string& text) {
    Simulation simulation = model(text);
    run_to_end(simulation);
    const RunStatistics statistics = simulation.statistics();
    const double bound = tolerance(10.0 * rounding_bound(static_cast<double>(statistics.substeps)));
    CHECK(statistics.energy.max_rel <= bound);
    // Impulses of steps forth and back are larger than their sum.
    CHECK(statistics.momentum.max_rel <= 3.0 * bound);
    CHECK(statistics.angular_momentum.max_rel <= 3.0 * bound);
    CHECK(statistics.constraint_position.max_abs <= tolerance(1e-13));
    CHECK(statistics.constraint_velocity.max_rel <= tolerance(1e-12));
    return {Eigen::Map<const Eigen::VectorXd>(simulation.q().data(),
                                              static_cast<Eigen::Index>(simulation.q().size())),
            Eigen::Map<const Eigen::VectorXd>(simulation.v().data(),
                                              static_cast<Eigen::Index>(simulation.v().size()))};
}

/// Orders between step, step/2 and step/4, positions and velocities apart, by their differences.
void check_orders(const std::string& text, double end, int order, double step) {
    constexpr double kWithin = 0.1;
    CAPTURE(order);
    std::vector<State> ends;
    for (const double part : {1.0, 0.5, 0.25})
        ends.push_back(end_of(text + composed(part * step, end, order)));
    const double q = std::log2((ends[0].q - ends[1].q).norm() / (ends[1].q - ends[2].q).norm());
    const double v = std::log2((ends[0].v - ends[1].v).norm() / (ends[1].v - ends[2].v).norm());
    CHECK(std::abs(q - order) <= kWithin);
    CHECK(std::abs(v - order) <= kWithin);
}

TEST_SUITE("orders by composition") {
    TEST_CASE("free top: errors against Euler's top are those of the theory") {
        struct Row {
            int order;
            double step, error;
        };
        // Largest component error of the angular velocity after 10 s.
        for (const Row& row : {Row{2, 0.25, 2.4e-2},
                               Row{4, 0.25, 1.8e-5},
                               Row{6, 0.25, 1.1e-7},
                               Row{8, 0.25, 3.3e-11}}) {
            CAPTURE(row.order);
            Simulation simulation = model(box() + composed(row.step, 10.0, row.order));
            run_to_end(simulation);
            const EulerTop top({6750.0, 13500.0, 17550.0}, {0.3, 0.5, 0.8});
            const double error = (omega(simulation, "box") - top.omega(10.0)).cwiseAbs().maxCoeff();
            CHECK(error <= 1.1 * row.error);
            CHECK(error >= 0.9 * row.error);
            CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-14));
            CHECK(simulation.statistics().angular_momentum.max_rel <= tolerance(1e-14));
        }
    }
    TEST_CASE("free top") {
        check_orders(box(), 4.0, 2, 0.1);
        check_orders(box(), 4.0, 4, 0.1);
        check_orders(box(), 4.0, 6, 0.25);
        check_orders(box(), 4.0, 8, 0.5);
    }
    TEST_CASE("double pendulum") {
        check_orders(double_pendulum(), 0.8, 2, 0.01);
        check_orders(double_pendulum(), 0.8, 4, 0.05);
        check_orders(double_pendulum(), 0.8, 6, 0.05);
        // Up to where the lower rod whips round at t = 0.5: from there on steps that are short
        // enough for the order leave differences of rounding alone.
        check_orders(double_pendulum(), 0.42, 8, 0.03);
    }
    TEST_CASE("heavy top") {
        check_orders(heavy_top(), 0.2, 2, 0.0025);
        check_orders(heavy_top(), 0.2, 4, 0.01);
        check_orders(heavy_top(), 0.2, 6, 0.02);
        check_orders(heavy_top(), 0.2, 8, 0.025);
    }
    TEST_CASE("Bricard's loop, whose rows depend on each other") {
        const std::string text = bricard("ancf_rigid_body", kThick, kThickAcross);
        check_orders(text, 0.4, 2, 0.025);
        check_orders(text, 0.4, 4, 0.05);
        check_orders(text, 0.4, 6, 0.1);
        check_orders(text, 0.4, 8, 0.1);
    }
    TEST_CASE("chain of ten") {
        check_orders(chain_of_ten(), 0.4, 2, 0.0125);
        check_orders(chain_of_ten(), 0.4, 4, 0.05);
        check_orders(chain_of_ten(), 0.4, 6, 0.025);
        check_orders(chain_of_ten(), 0.4, 8, 0.04);
    }
    TEST_CASE("slider-crank that is driven, with a bob that swings from its slider") {
        check_orders(driven_slider_crank(), 0.6, 2, 0.0125);
        check_orders(driven_slider_crank(), 0.6, 4, 0.025);
        check_orders(driven_slider_crank(), 0.6, 6, 0.0125);
        check_orders(driven_slider_crank(), 0.12, 8, 0.06);
    }
    // The director across a plate, the third ones of a beam's nodes and the axes of a shell's.
    TEST_CASE("coordinates without mass: a plate, beams in a loop and driven, a shell") {
        const std::string plate =
            model_text() +
            "[[body]]\nname = \"plate\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = [1.0, "
            "0.5, 1.5]\npenalty = inf\nvelocity = [0.48, -0.6, -0.69]\nangular_velocity = [0.6, "
            "-0.9, 1.2]\n" +
            constraint(
                "pin", "position", "a = \"plate@[0.5, 0.4, 0]\"\nb = \"ground@[0.5, 0.4, 0]\"");
        check_orders(plate, 0.4, 4, 0.05);
        check_orders(plate, 0.4, 6, 0.05);
        const auto beam = [](const char* name, const char* keys) {
            return fmt::format(
                "[[body]]\nname = \"{}\"\ntype = \"beam\"\n{}\nrigid = [\"shear\", "
                "\"axial\"]\nsection = {{ EI = 2.0, GJ = 1.5, mass = 1.0, rotary = 0.05 }}\n",
                name,
                keys);
        };
        const std::string swinging =
            model_text() + beam("arm", "from = [0, 0, 0]\nto = [1, 0.2, 0.1]\nelements = 2") +
            constraint("pin", "revolute", "a = \"ground\"\nb = \"arm@start\"\naxis = [0, 1, 0.2]");
        check_orders(swinging, 0.2, 4, 0.02);
        check_orders(swinging, 0.2, 6, 0.01);
        const std::string loop =
            swinging + beam("rod", "nodes = [[0, 0, 0.8], [0.5, 0.1, 0.5], [1, 0.2, 0.1]]") +
            constraint("other", "spherical", "a = \"ground\"\nb = \"rod@start\"") +
            constraint(
                "joined", "revolute", "a = \"arm@end\"\nb = \"rod@end\"\naxis = [0, 1, 0.2]");
        check_orders(loop, 0.2, 4, 0.02);
        const std::string driven =
            swinging +
            constraint("turn", "drive", "on = \"pin.angle\"\nmotion = \"0.5*sin(3*t)*sin(3*t)\"");
        check_orders(driven, 0.2, 4, 0.02);
        const std::string panel =
            model_text() +
            "[[body]]\nname = \"panel\"\ntype = \"shell\"\ngrid = { counts = [2, 2], spacing = "
            "[0.4, 0.3] }\nyoung = 200.0\npoisson = 0.3\nthickness = 0.1\ndensity = 20.0\nframes = "
            "[0]\n" +
            constraint("hinge", "revolute", "a = \"ground\"\nb = \"panel@0\"\naxis = [0, 1, 0]");
        check_orders(panel, 0.2, 4, 0.005);
    }
    TEST_CASE(
        "what has no mass and stiffness alone to hold it is refused where steps are projected") {
        const std::string held =
            "[[body]]\nname = \"plate\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = [1.0, "
            "0.5, 1.5]\npenalty = 1e6\nvolume = 0.1\n" +
            constraint(
                "pin", "position", "a = \"plate@[0.5, 0.4, 0]\"\nb = \"ground@[0.5, 0.4, 0]\"");
        Simulation simulation = model(held + composed(0.001, 0.1, 4));
        CHECK_THROWS_WITH_AS(
            simulation.step(), doctest::Contains("no constraints determine it"), Error);
    }
    // Substeps back in time have gamma < 0 in the rows of dampers.
    TEST_CASE("dampers: between points, on an angle, beside a spring, weak and strong") {
        for (const double eta : {0.02, 2.0}) {
            CAPTURE(eta);
            const std::string damped =
                driven_slider_crank() +
                constraint("d1", "damper", fmt::format("on = \"pin.angle\"\ndamping = {}", eta)) +
                constraint("d2",
                           "spring_damper",
                           fmt::format("a = \"bob@[0, 0, -0.3]\"\nb = \"ground@[0.4, 0, -1.5]\"\n"
                                       "stiffness = 20\ndamping = {}",
                                       eta));
            check_orders(damped, 0.6, 4, 0.02);
            if (eta < 1.0) check_orders(damped, 0.6, 6, 0.02);
            Simulation other = model(damped + integrator("dopri5", 1e-3, 0.6, 1e-11));
            run_to_end(other);
            for (const int order : {4, 6, 8}) {
                const State end = end_of(damped + composed(2.5e-3, 0.6, order));
                for (Eigen::Index i = 0; i < end.q.size(); ++i)
                    CHECK(end.q[i] == Near(other.q()[i], 1e-7));
            }
        }
    }
    TEST_CASE("double pendulum of order 8 ends where dopri5 ends") {
        const State end = end_of(double_pendulum() + composed(0.01, 0.8, 8));
        Simulation other = model(double_pendulum() + integrator("dopri5", 1e-3, 0.8, 1e-12));
        run_to_end(other);
        for (Eigen::Index i = 0; i < end.q.size(); ++i) {
            CHECK(end.q[i] == Near(other.q()[i], 1e-9));
            CHECK(end.v[i] == Near(other.v()[i], 1e-9));
        }
    }
}

TEST_SUITE("steps of a length of their own") {
    TEST_CASE("a row between long steps is where a run with short ones is, and keeps the laws") {
        const std::string text = double_pendulum();
        Simulation simulation = model(text + composed(0.2, 0.8, 8));
        std::vector<double> row(simulation.column_names().size());
        simulation.step();
        simulation.step();
        const std::vector<double> q(simulation.q().begin(), simulation.q().end());
        const double t = 0.33;
        simulation.sample_at(t, row);
        // The run itself is where it was.
        CHECK(simulation.time() == 0.4);
        CHECK(std::equal(q.begin(), q.end(), simulation.q().begin()));
        const State end = end_of(text + composed(0.0165, t, 8));
        const std::vector<std::string> names = simulation.column_names();
        const auto value = [&](const std::string& name) {
            return row[std::ranges::find(names, name) - names.begin()];
        };
        CHECK(value("t") == Near(t, 1e-15));
        CHECK(value("lower.x") == Near(end.q[2], 1e-7));
        CHECK(value("lower.vy") == Near(end.v[3], 1e-6));
        CHECK(std::abs(value("energy.balance")) <= tolerance(1e-13));
        CHECK(std::abs(value("constraint.velocity")) <= tolerance(1e-13));
        run_to_end(simulation);
        CHECK(simulation.time() == 0.8);
    }
    TEST_CASE("error control holds its tolerance, also with a bob of 1 kg on a cart of 1e-6 kg") {
        const std::string light =
            "[model]\ngravity = [0.0, -9.81, 0.0]\n[[body]]\nname = \"cart\"\ntype = "
            "\"particle\"\nmass = 1e-6\ncoordinates = \"xy\"\n[[body]]\nname = \"bob\"\ntype = "
            "\"particle\"\nmass = 1.0\ncoordinates = \"xy\"\nposition = [1.0, 0.0, 0.0]\n" +
            constraint("rail",
                       "position",
                       "a = \"cart@[0, 0, 0]\"\nb = \"ground@[0, 0, 0]\"\ncomponents = \"y\"") +
            constraint("rope", "distance", "a = \"cart@[0, 0, 0]\"\nb = \"bob@[0, 0, 0]\"");
        const auto mass = [](const char* name, const char* where, const char* velocity) {
            return fmt::format(
                "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = 1.0\nposition = {}\nvelocity "
                "= {}\n",
                name,
                where,
                velocity);
        };
        const std::string elastic =
            "[model]\ngravity = [0.0, 0.0, -9.81]\n" +
            mass("bob", "[0.8, 0.0, 0.0]", "[0.0, 0.5, 0.0]") +
            force("string",
                  "spring",
                  "a = \"ground@[0, 0, 0]\"\nb = \"bob@[0, 0, 0]\"\nstiffness = 40.0\nfree = 0.7");
        const std::string three =
            "[model]\n" + mass("a", "[1.0, 0.0, 0.0]", "[0.0, 0.3, 0.1]") +
            mass("b", "[-0.5, 0.6, 0.0]", "[-0.5, 0.0, 0.0]") +
            mass("c", "[-0.5, -0.6, 0.2]", "[0.5, -0.3, -0.1]") +
            force(
                "pull",
                "attraction",
                "points = [\"a@0\", \"b@0\", \"c@0\"]\nweights = [1.0, 1.0, 1.0]\nconstant = 1.0");
        struct Case {
            const char* name;
            std::string text;
            double end;
        };
        for (const Case& c :
             {Case{"top", box(), 5.0},
              Case{"double pendulum", double_pendulum(), 0.8},
              Case{"heavy top", heavy_top(), 0.2},
              Case{"chain", chain_of_ten(), 0.3},
              Case{"slider-crank", driven_slider_crank(), 0.6},
              Case{"light cart", light, 0.5},
              Case{"elastic pendulum", elastic, 1.0},
              Case{"three that attract each other", three, 1.5},
              Case{"four-bar", four_bar("ancf_rigid_body", Mat3::Identity()), 0.3},
              Case{"Bricard", bricard("ancf_rigid_body", kThick, kThickAcross), 0.3}}) {
            CAPTURE(c.name);
            const double allowed = 1e-7;
            const auto run = [&](double error) {
                return end_of(c.text +
                              fmt::format("\n[integrator]\ntype = \"emm\"\nstep = 0.01\nend = "
                                          "{}\ntolerance = {}\n[integrator.emm]\norder = "
                                          "6\nerror_control = true\n",
                                          c.end,
                                          error));
            };
            const State loose = run(allowed), tight = run(1e-3 * allowed);
            CHECK((loose.q - tight.q).cwiseAbs().maxCoeff() <= 10.0 * allowed);
        }
    }
    TEST_CASE("what is not smooth, or too stiff, is named") {
        const std::string slack =
            "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = "
            "[0, 0, 0]\nto = [1, 0, 0]\narea = 1e-4\nyoung = 1e6\ndensity = 1000.0\ntension_only = "
            "true\n";
        CHECK_THROWS_WITH_AS(
            model(slack + composed(0.01, 0.1, 4)), doctest::Contains("slack"), Error);
        const std::string sliding =
            model_text() + body("block", "ancf_rigid_body", "") +
            constraint("floor",
                       "prismatic",
                       "a = \"ground\"\nb = \"block\"\npoint = [0, 0, 0]\naxis = [1, 0, 0]") +
            force("rub", "joint_friction", "on = \"floor\"\nmu = 0.3");
        CHECK_THROWS_WITH_AS(
            model(sliding + composed(0.01, 0.1, 2)), doctest::Contains("friction"), Error);
        // Two masses on a spring of 1e6 N/m: 1414 rad/s, in steps of 0.1 s.
        const std::string stiff =
            "[[body]]\nname = \"a\"\ntype = \"particle\"\nmass = 1.0\n[[body]]\nname = \"b\"\ntype "
            "= "
            "\"particle\"\nmass = 1.0\nposition = [1, 0, 0]\nvelocity = [0, 1, 0]\n" +
            force("rod", "spring", "a = \"a@[0, 0, 0]\"\nb = \"b@[0, 0, 0]\"\nstiffness = 1e6");
        Simulation simulation = model(stiff + composed(0.1, 0.2, 4));
        run_to_end(simulation);
        const std::vector<std::string> doubts = simulation.statistics().doubts;
        CHECK(std::ranges::any_of(doubts, [](const std::string& doubt) {
            return doubt.find("rod") != std::string::npos &&
                   doubt.find("order") != std::string::npos;
        }));
    }
}

}  // namespace
}  // namespace ancora::testing
