// SPDX-License-Identifier: BSD-3-Clause
// Elastic bodies in models: laws kept, frequencies and deflections against the full finite-element
// model and against beams, mechanisms at any attitude, another integrator.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/box_elements.hpp"
#include "support/near.hpp"

using namespace ancora;
using ancora::testing::BoxElements;
using ancora::testing::ElementFolder;
using ancora::testing::Near;
using ancora::testing::Run;
using ancora::testing::tolerance;

namespace {

std::string by(const char* type, double h, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, h, end);
}
std::string list(const std::vector<int>& nodes) {
    std::string out = "[";
    for (const int node : nodes) out += fmt::format("{}{}", out.size() > 1 ? ", " : "", node + 1);
    return out + "]";
}
/// The body "box", with its ends as interfaces "root" and "tip".
std::string body_of(const ElementFolder& folder, const BoxElements& box, const std::string& keys) {
    return fmt::format(
        "[[body]]\nname = \"box\"\ntype = \"elastic_body\"\nnodes = \"{}\"\nstiffness = \"{}\"\n"
        "mass = \"{}\"\ninterfaces = {{ root = {}, tip = {} }}\n{}\n",
        folder.path("nodes.csv"),
        folder.path("K.mtx"),
        folder.path("M.mtx"),
        list(box.section(0)),
        list(box.section(2 * box.counts[0])),
        keys);
}
std::string joint(const char* name,
                  const char* type,
                  const std::string& a,
                  const std::string& b,
                  const std::string& keys = "") {
    return fmt::format("[[constraint]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n{}\n",
                       name,
                       type,
                       a,
                       b,
                       keys);
}
std::string written(const Eigen::Vector3d& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}

/// Largest balances over a run.
double off_balance(Run& run) {
    double out = 0.0;
    while (!run.simulation.done()) {
        run.simulation.step();
        out = std::max(out, std::abs(run.column("energy.balance")));
        for (const char* axis : {"x", "y", "z"})
            out =
                std::max({out,
                          std::abs(run.column(fmt::format("momentum.balance.{}", axis))),
                          std::abs(run.column(fmt::format("angular_momentum.balance.{}", axis)))});
    }
    return out;
}
std::vector<double> circular_frequencies(Run& run) {
    std::vector<double> out;
    for (const Mode& mode : run.simulation.modes().modes)
        if (mode.frequency > 1e-6) out.push_back(2.0 * std::numbers::pi * mode.frequency);
    std::ranges::sort(out);
    return out;
}

const BoxElements kPlank{{4, 1, 1}, {2.0, 0.2, 0.1}, 2e7, 0.3, 800.0};

}  // namespace

TEST_SUITE("elastic bodies") {
    TEST_CASE("free flight: all laws to rounding, and dopri5 as the step goes to zero") {
        const ElementFolder folder(kPlank);
        const std::string text = body_of(folder,
                                         kPlank,
                                         "modes = 3\nstatic_modes = false\namplitudes = [0.02, "
                                         "-0.01, 0.01]\nvelocity = [0.3, 0.1, -0.2]\n"
                                         "angular_velocity = [0.5, -0.7, 1.1]") +
                                 "[output]\npoints = [\"box@tip\"]\n";
        std::vector<Eigen::Vector3d> ends;
        for (const double h : {2e-3, 1e-3, 0.0}) {
            Run run(text +
                    (h > 0.0 ? by("emm", h, 0.4) : by("dopri5", 1e-3, 0.4) + "tolerance = 1e-8\n"));
            const double energy = run.column("energy.total");
            const double off = off_balance(run);
            if (h > 0.0) CHECK(off <= tolerance(1e-13 * energy));
            ends.emplace_back(
                run.column("box@tip.x"), run.column("box@tip.y"), run.column("box@tip.z"));
        }
        CHECK(std::log2((ends[0] - ends[2]).norm() / (ends[1] - ends[2]).norm()) == Near(2.0, 0.2));
        CHECK((ends[1] - ends[2]).norm() <= tolerance(5e-4));
    }

    TEST_CASE("orders by composition, where steps resolve every mode") {
        const BoxElements block{{2, 1, 1}, {1.0, 0.3, 0.2}, 2e4, 0.3, 500.0};
        const ElementFolder folder(block);
        const std::string text =
            body_of(folder,
                    block,
                    "modes = 2\nstatic_modes = false\namplitudes = [0.02, -0.01]\nvelocity = [0.3, "
                    "0.1, -0.2]\nangular_velocity = [0.2, -0.1, 0.3]") +
            "[output]\npoints = [\"box@tip\"]\n";
        struct Method {
            int order;
            double step;
        };
        for (const Method& method :
             {Method{2, 0.01}, Method{4, 0.02}, Method{6, 0.04}, Method{8, 0.04}}) {
            const int order = method.order;
            const double step = method.step;
            CAPTURE(order);
            std::vector<Eigen::Vector3d> ends;
            for (const double part : {1.0, 0.5, 0.25}) {
                Run run(text + by("emm", part * step, 0.32) +
                        fmt::format("[integrator.emm]\norder = {}\nvelocity_projection = true\n",
                                    order));
                const double energy = run.column("energy.total");
                CHECK(off_balance(run) <= tolerance(1e-12 * energy));
                ends.emplace_back(
                    run.column("box@tip.x"), run.column("box@tip.y"), run.column("box@tip.z"));
            }
            CHECK(std::log2((ends[0] - ends[1]).norm() / (ends[1] - ends[2]).norm()) ==
                  Near(order, 0.2));
        }
    }

    // With one end held the vibrations of the reduction are those of the whole model
    // The sum of a step's parts misses the time of a row by rounding.
    TEST_CASE("rows at the ends of steps of higher order are their states") {
        const ElementFolder folder(kPlank);
        Run run("[model]\ngravity = [0, 0, -9.81]\n" + body_of(folder, kPlank, "modes = 3") +
                "[[constraint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = "
                "\"box@root\"\naxis = [0, 1, 0]\n[output]\npoints = [\"box@tip\"]\n" +
                by("emm", 0.01, 0.04) + "[integrator.emm]\norder = 4\n");
        const std::vector<std::string> names = run.simulation.column_names();
        const auto at = std::ranges::find(names, "box@tip.z") - names.begin();
        std::vector<double> row(names.size());
        for (int k = 1; k <= 4; ++k) {
            const double begin = run.simulation.time(), z = run.column("box@tip.z");
            run.simulation.step();
            run.simulation.sample_at(std::nextafter(begin, 1.0), row);
            CHECK(row[at] == Near(z, 1e-15));
        }
    }

    TEST_CASE("clamped: frequencies are those of the full model") {
        const ElementFolder folder(kPlank);
        Run run(body_of(folder, kPlank, "modes = 8\nstatic_modes = false") +
                joint("clamp", "fixed", "ground", "box@root") +
                joint("hold", "fixed", "ground", "box@tip") + by("emm", 1e-3, 1.0));
        std::vector<int> fixed;
        for (const int i : {0, 2 * kPlank.counts[0]})
            for (const int node : kPlank.section(i))
                for (int axis = 0; axis < 3; ++axis) fixed.push_back(3 * node + axis);
        // Ends that are held twice are held once
        const std::vector<double> found = circular_frequencies(run);
        REQUIRE(found.size() == 8);
        for (int k = 0; k < 8; ++k) {
            const double square = found[std::size_t(k)] * found[std::size_t(k)];
            CHECK(num_below(kPlank, square * (1.0 - 1e-6), fixed) == k);
            CHECK(num_below(kPlank, square * (1.0 + 1e-6), fixed) == k + 1);
        }
    }

    // w = F L^3 / (3 E I) + F L / (5/6 G A); w_n = (beta_n / L)^2 sqrt(E I / m)
    TEST_CASE("a slender cantilever: deflection and frequencies are those of a beam") {
        constexpr double kL = 4.0, kB = 0.1, kH = 0.05, kE = 1e9, kRho = 1000.0, kF = -0.5;
        const BoxElements box{{24, 1, 1}, {kL, kB, kH}, kE, 0.0, kRho};
        const ElementFolder folder(box);
        const std::string text =
            body_of(folder, box, "modes = 6") + joint("clamp", "fixed", "ground", "box@root");
        const double I = kB * kH * kH * kH / 12.0, area = kB * kH;
        {
            Run run(text +
                    fmt::format("[[force]]\nname = \"f\"\ntype = \"point_load\"\nat = "
                                "\"box@tip\"\nforce = [0, 0, {}]\n",
                                kF) +
                    "[output]\npoints = [\"box@tip\"]\n" + by("emm", 1e-3, 1.0));
            run.simulation.find_equilibrium({});
            const double expected =
                kF * kL * kL * kL / (3.0 * kE * I) + kF * kL / (5.0 / 6.0 * kE / 2.0 * area);
            CHECK(run.column("box@tip.z") - 0.5 * kH == Near(expected, 1e-3 * std::abs(expected)));
        }
        Run run(text + by("emm", 1e-3, 1.0));
        const std::vector<double> found = circular_frequencies(run);
        const auto exact = [&](double beta, double side) {
            return beta * beta / (kL * kL) * std::sqrt(kE * side * side / 12.0 / kRho);
        };
        constexpr double kFirst = 1.8751040687, kSecond = 4.6940911330;
        CHECK(found.at(0) == Near(exact(kFirst, kH), 1e-3 * found[0]));
        CHECK(found.at(1) == Near(exact(kFirst, kB), 1e-3 * found[1]));
        CHECK(found.at(2) == Near(exact(kSecond, kH), 3e-3 * found[2]));

        // The ratio that is given for the clamped body is that of all its modes
        Run damped(body_of(folder, box, "modes = 6\ndamping = 0.02\ndamping_held = \"root\"") +
                   joint("clamp", "fixed", "ground", "box@root") + by("emm", 1e-3, 1.0));
        const auto modes = damped.simulation.modes().modes;
        REQUIRE(modes.size() == found.size());
        for (std::size_t k = 0; k < modes.size(); ++k) {
            CHECK(modes[k].damping == Near(0.02, 1e-8));
            CHECK(2.0 * std::numbers::pi * modes[k].frequency == Near(found[k], 1e-8 * found[k]));
        }
    }

    // An arm that a hinge swings, and a connecting rod. What the arm and the beam of 64 elements do
    // alike is what linear modes have: no tension that would stiffen it
    TEST_CASE("a swinging arm and a slider-crank bend as a beam of 64 elements does") {
        const BoxElements box{{24, 1, 1}, {1.2, 0.08, 0.05}, 7e9, 0.0, 2700.0};
        const ElementFolder folder(box);
        const std::string bar =
            "[[body]]\nname = \"box\"\ntype = \"beam\"\nfrom = [0, 0.04, 0.025]\nto = [1.2, "
            "0.04, 0.025]\nelements = 64\nsection = { shape = \"rectangle\", width = 0.08, height "
            "= 0.05 }\nyoung = 7e9\npoisson = 0.0\ndensity = 2700\n";
        const std::string reduced = body_of(folder, box, "modes = 10");
        const auto point = [](bool is_beam, const char* end) {
            return std::string("box@") + (!is_beam                          ? end
                                          : std::string_view(end) == "root" ? "start"
                                                                            : "end");
        };
        SUBCASE("arm") {
            std::array<std::vector<double>, 2> bent;
            for (const bool is_beam : {false, true}) {
                Run run(
                    (is_beam ? bar : reduced) +
                    joint("hinge",
                          "revolute",
                          "ground",
                          point(is_beam, "root"),
                          "axis = [0, 1, 0]\ndrive = \"0.3*(t/0.4 - sin(2*pi*t/0.4)/(2*pi))\"") +
                    "[output]\npoints = [\"" + point(is_beam, "tip") + "\"]\n" +
                    by("emm", 2e-3, 1.0));
                for (int k = 1; k <= 20; ++k) {
                    run.steps(10);
                    const double t = 0.02 * k, u = t / 0.4;
                    const double turn =
                        0.3 * (u - std::sin(2.0 * std::numbers::pi * u) / (2.0 * std::numbers::pi));
                    const std::string tip = point(is_beam, "tip");
                    bent[is_beam].push_back(run.column(tip + ".x") * std::sin(turn) +
                                            (run.column(tip + ".z") - 0.025) * std::cos(turn));
                }
            }
            const double most = std::abs(*std::ranges::max_element(bent[1], {}, [](double x) {
                return std::abs(x);
            }));
            CHECK(most > 0.005);
            for (std::size_t k = 0; k < bent[0].size(); ++k) {
                CAPTURE(k);
                CHECK(bent[0][k] == Near(bent[1][k], 1e-3 * most));
            }
        }
        SUBCASE("slider-crank") {
            std::array<std::vector<double>, 2> way, load;
            for (const bool is_beam : {false, true}) {
                Run run(
                    "[model]\nproject_start = true\n" + (is_beam ? bar : reduced) +
                    "[[body]]\nname = \"crank\"\ntype = \"ancf_rigid_body\"\nfrom = [-0.3, "
                    "0.04, 0.025]\nto = [0, 0.04, 0.025]\nmass = 1\nradius = 0.02\n"
                    "[[body]]\nname = \"piston\"\ntype = \"ancf_rigid_body\"\nsize = [0.1, "
                    "0.1, 0.1]\ndensity = 500\nposition = [1.2, 0.04, 0.025]\n" +
                    joint("turn",
                          "revolute",
                          "ground",
                          "crank@from",
                          "axis = [0, 1, 0]\ndrive = \"5*(t - sin(10*t)/10)\"") +
                    joint(
                        "pin", "revolute", "crank@to", point(is_beam, "root"), "axis = [0, 1, 0]") +
                    joint("ball", "spherical", point(is_beam, "tip"), "piston@[0, 0, 0]") +
                    joint("slide",
                          "prismatic",
                          "ground",
                          "piston",
                          "point = [1.2, 0.04, 0.025]\naxis = [1, 0, 0]") +
                    "[output]\npoints = [\"piston\"]\n" + by("emm", 2e-3, 1.0));
                for (int k = 0; k < 10; ++k) {
                    run.steps(10);
                    way[is_beam].push_back(run.column("piston.x"));
                    load[is_beam].push_back(run.column("slide.force.z"));
                }
            }
            const double most = std::abs(*std::ranges::max_element(load[1], {}, [](double x) {
                return std::abs(x);
            }));
            CHECK(most > 1.0);
            double square = 0.0;
            for (std::size_t k = 0; k < way[0].size(); ++k) {
                CAPTURE(k);
                CHECK(way[0][k] == Near(way[1][k], 1e-5));
                square += (load[0][k] - load[1][k]) * (load[0][k] - load[1][k]);
            }
            CHECK(std::sqrt(square / double(load[0].size())) <= 1e-3 * most);
        }
    }

    // Turns of interfaces: a rigid payload at the end, by its moments of inertia too
    TEST_CASE("a cantilever with a payload has the frequencies of a beam with it") {
        const BoxElements box{{16, 1, 1}, {2.0, 0.08, 0.05}, 1e9, 0.0, 1000.0};
        const ElementFolder folder(box);
        const std::string payload =
            "[[body]]\nname = \"load\"\ntype = \"ancf_rigid_body\"\nmass = 4\ninertia = [0.05, "
            "0.7, 0.72]\nposition = [2.1, 0.04, 0.025]\n";
        Run run(body_of(folder, box, "modes = 10") + payload +
                joint("clamp", "fixed", "ground", "box@root") +
                joint("hold", "fixed", "box@tip", "load") + by("emm", 1e-3, 1.0));
        Run beam(
            "[[body]]\nname = \"beam\"\ntype = \"beam\"\nfrom = [0, 0.04, 0.025]\nto = [2, "
            "0.04, 0.025]\nelements = 64\nsection = { shape = \"rectangle\", width = 0.08, "
            "height = 0.05 }\nyoung = 1e9\npoisson = 0.0\ndensity = 1000\nrigid = "
            "[\"axial\"]\n" +
            payload + joint("clamp", "fixed", "ground", "beam@start") +
            joint("hold", "fixed", "beam@end", "load") + by("emm", 1e-3, 1.0));
        const std::vector<double> found = circular_frequencies(run),
                                  expected = circular_frequencies(beam);
        // Bending both ways, each with the payload's swing and turn
        for (std::size_t k = 0; k < 4; ++k)
            CHECK(found.at(k) == Near(expected.at(k), 4e-3 * expected[k]));
    }

    // A crank, an elastic coupler and a rocker; a pendulum; one that is held twice: from rest, at
    // attitudes that the model is turned to as a whole, gravity too
    TEST_CASE("mechanisms keep all laws at any attitude and move alike in it") {
        const BoxElements coupler{{2, 1, 1}, {1.0, 0.1, 0.1}, 1e6, 0.3, 900.0};
        const ElementFolder folder(coupler);
        for (const std::string kind : {"loop", "pendulum", "redundant"}) {
            CAPTURE(kind);
            Eigen::Vector3d upright = Eigen::Vector3d::Zero();
            for (int attitude = 0; attitude < 3; ++attitude) {
                CAPTURE(attitude);
                const Eigen::AngleAxisd turn(1.3 * attitude,
                                             Eigen::Vector3d(1, -2, 0.5).normalized());
                const Eigen::Quaterniond p(turn);
                const auto placed = [&](const Eigen::Vector3d& x) {
                    return "position = " + written(turn * x) +
                           fmt::format("\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
                                       p.w(),
                                       p.x(),
                                       p.y(),
                                       p.z());
                };
                const auto hinge = [&](const char* name,
                                       const char* a,
                                       const char* b,
                                       const std::string& point = "") {
                    return joint(name,
                                 "revolute",
                                 a,
                                 b,
                                 point + "axis = " + written(turn * Eigen::Vector3d::UnitY()));
                };
                const auto at = [&](double x, double z) {
                    return "point = " + written(turn * Eigen::Vector3d(x, 0, z)) + "\n";
                };
                std::string text =
                    "[model]\ngravity = " + written(turn * Eigen::Vector3d(0.4, 0.0, -9.81)) +
                    "\n" + body_of(folder, coupler, "modes = 3\n" + placed({0, -0.05, -0.05}));
                if (kind == "loop") {
                    for (const char* bar : {"crank", "rocker"})
                        text += fmt::format(
                            "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nsize = [0.05, "
                            "0.05, 0.5]\ndensity = 900\n{}",
                            bar,
                            placed({bar[0] == 'c' ? 0.0 : 1.0, 0.0, -0.25}));
                    text += hinge("h0", "ground", "crank", at(0.0, -0.5)) +
                            hinge("h1", "crank", "box@root") +
                            joint("h2", "spherical", "rocker", "box@tip") +
                            hinge("h3", "ground", "rocker", at(1.0, -0.5));
                } else {
                    text += hinge("h0", "ground", "box@root");
                    if (kind == "redundant") text += hinge("h1", "ground", "box@root");
                }
                Run run(text + "[output]\npoints = [\"box@tip\"]\n" + by("emm", 5e-3, 0.5));
                CHECK(off_balance(run) <= tolerance(2e-10));
                const Eigen::Vector3d end(
                    run.column("box@tip.x"), run.column("box@tip.y"), run.column("box@tip.z"));
                if (attitude == 0) {
                    upright = end;
                    CHECK((end - Eigen::Vector3d(1.0, 0.0, 0.0)).norm() >= 0.05);
                } else {
                    CHECK((turn.inverse() * end - upright).norm() <= tolerance(1e-8));
                }
            }
        }
    }

    TEST_CASE("the order of rows from a file, and a warning where spin would stiffen") {
        const ElementFolder folder(kPlank);
        const int n = 3 * kPlank.num_nodes();
        BoxElements::Entries K, m;
        kPlank.assemble(K, m);
        std::string stiffness, mass, order;
        const auto add = [&](std::string& to, int i, int j, double value) {
            to += fmt::format("{} {} {:.17g}\n", n - j, n - i, value);
        };
        for (const auto& [at, value] : K) add(stiffness, at.first, at.second, value);
        for (const auto& [at, value] : m)
            for (int axis = 0; axis < 3; ++axis)
                add(mass, 3 * at.first + axis, 3 * at.second + axis, value);
        for (int k = n - 1; k >= 0; --k) order += fmt::format("{} {}\n", k / 3 + 1, k % 3 + 1);
        const std::string keys = "modes = 4\nangular_velocity = [0, 0, 0.3]\n";
        Run plain(body_of(folder, kPlank, keys) + by("emm", 1e-3, 0.01));
        folder.write("K.mtx", stiffness);
        folder.write("M.mtx", mass);
        folder.write("order.txt", order);
        const std::string text =
            body_of(folder, kPlank, keys + "order = \"" + folder.path("order.txt") + "\"\n");
        Run listed(text + by("emm", 1e-3, 0.01));
        plain.to_end();
        listed.to_end();
        CHECK(listed.column("energy.kinetic") == Near(plain.column("energy.kinetic"), 1e-8));
        CHECK(plain.warnings.empty());
        Run fast(text + by("emm", 1e-3, 0.01) + "\n");
        CHECK(fast.warnings.empty());
        std::string faster = text;
        faster.replace(faster.find("[0, 0, 0.3]"), 11, "[0, 0, 2]");
        Run warned(faster + by("emm", 1e-3, 0.01));
        REQUIRE(warned.warnings.size() == 1);
        CHECK(warned.warnings[0].find("linear modes are not stiffened by a spin") !=
              std::string::npos);
        folder.write("order.txt", order + "1 1\n");
        const auto failure = ancora::testing::failure_of(text + by("emm", 1e-3, 0.01));
        CHECK(
            failure.message ==
            fmt::format("body \"box\": order: the file has {} rows, and there are {} displacements",
                        n + 1,
                        n));
    }
}
