// SPDX-License-Identifier: BSD-3-Clause
// Rest, also in a frame that spins, against closed forms and long damped runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "particle_models.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("rest") {
    TEST_CASE("a pendulum from any start hangs down, and upright it is unstable and named") {
        const auto pendulum = [](double angle) {
            return model_text() + point_mass("bob", {std::sin(angle), 0.0, -std::cos(angle)}) +
                   rope("rod", "ground@[0, 0, 0]", "bob") + steps("emm", 1e-3, 1.0);
        };
        for (const double angle : {0.3, 1.5, 2.9, std::numbers::pi}) {
            CAPTURE(angle);
            Simulation simulation = model(pendulum(angle));
            const Equilibrium rest = simulation.find_equilibrium();
            CHECK(rest.stability == Stability::stable);
            CHECK(rest.degrees_of_freedom == 2);
            CHECK(simulation.point("bob@[0, 0, 0]").position[2] == near(-1.0, 1e-12));
            // What the rod exerts on its first end, the ground, is the weight.
            const std::vector<double> reaction = rest.forces.constraints[0].reaction;
            double size = 0.0;
            for (const double x : reaction) size = std::max(size, std::abs(x));
            CHECK(size == near(kG, 1e-9));
        }
        Simulation upright = model(pendulum(std::numbers::pi));
        EquilibriumOptions nearest;
        nearest.nearest = true;
        const Equilibrium rest = upright.find_equilibrium(nearest);
        CHECK(rest.stability == Stability::unstable);
        CHECK(rest.num_unstable == 2);
        CHECK(rest.unstable_part.find("bob") != std::string::npos);
    }
    TEST_CASE("a chain of equal links hangs as its discrete catenary, and a run starts there") {
        // Links 1 to n with the mass at joints: the horizontal force is the same in all, the
        // vertical one grows by the weight, so tan of link i's slope is (i - (n + 1) / 2) w / H.
        const int n = 8;
        const double span = 0.8;
        std::string text = model_text();
        std::vector<double> x(n + 1);
        for (int i = 1; i < n; ++i)
            text += point_mass(fmt::format("p{}", i),
                               {span * i / n, 0.3 * std::sin(2.0 * i), 0.1 * i * (n - i) / n});
        for (int i = 1; i <= n; ++i) {
            const std::string a = i == 1 ? "ground@[0, 0, 0]" : fmt::format("p{}", i - 1);
            const std::string b =
                i == n ? fmt::format("ground@[{}, 0, 0]", span) : fmt::format("p{}", i);
            text += constraint(
                fmt::format("link{}", i),
                "distance",
                fmt::format("a = \"{}\"\nb = \"{}\"\nlength = 0.15", point(a), point(b)));
        }
        const std::string start = text;
        text.insert(text.find('\n') + 1, "project_start = \"far\"\n");
        // H from the span, by bisection.
        const auto width = [&](double H) {
            double sum = 0.0;
            for (int i = 1; i <= n; ++i) {
                const double slope = (i - 0.5 * (n + 1)) * kG / H;
                sum += 0.15 / std::sqrt(1.0 + slope * slope);
            }
            return sum;
        };
        double low = 1e-3, high = 1e4;
        for (int k = 0; k < 200; ++k) {
            const double middle = 0.5 * (low + high);
            (width(middle) < span ? low : high) = middle;
        }
        double depth = 0.0;
        for (int i = 1; i <= n / 2; ++i) {
            const double slope = (i - 0.5 * (n + 1)) * kG / low;
            depth += 0.15 * slope / std::sqrt(1.0 + slope * slope);
        }
        Simulation simulation = model(text + steps("emm", 1e-3, 0.01));
        const Equilibrium rest = simulation.find_equilibrium();
        CHECK(rest.stability == Stability::stable);
        CHECK(simulation.point(fmt::format("p{}@[0, 0, 0]", n / 2)).position[2] ==
              near(depth, 1e-10));
        CHECK(simulation.point(fmt::format("p{}@[0, 0, 0]", n / 2)).position[1] == near(0.0, 1e-9));

        text.insert(text.find('\n') + 1, "start = \"equilibrium\"\n");
        Simulation run = model(text + steps("emm", 1e-3, 0.1));
        run_to_end(run);
        CHECK(run.point(fmt::format("p{}@[0, 0, 0]", n / 2)).position[2] == near(depth, 1e-9));
        CHECK(column(run, "energy.kinetic") <= tolerance(1e-16));
    }
    TEST_CASE("a shallow arch of two springs has two stable branches and an unstable one between") {
        const auto arch = [](double height) {
            return "[model]\n" +
                   point_mass("top", {0.0, 0.0, height}, 1.0, "coordinates = \"xz\"\n") +
                   spring("left", "ground@[-1, 0, 0]", "top", 100.0, 1.02) +
                   spring("right", "ground@[1, 0, 0]", "top", 100.0, 1.02) +
                   steps("emm", 1e-3, 1.0);
        };
        const double height = std::sqrt(1.02 * 1.02 - 1.0);
        for (const double side : {1.0, -1.0}) {
            Simulation simulation = model(arch(side * 0.05));
            const Equilibrium rest = simulation.find_equilibrium();
            CHECK(rest.stability == Stability::stable);
            CHECK(simulation.point("top@[0, 0, 0]").position[2] == near(side * height, 1e-11));
        }
        Simulation flat = model(arch(0.001));
        EquilibriumOptions nearest;
        nearest.nearest = true;
        const Equilibrium rest = flat.find_equilibrium(nearest);
        CHECK(flat.point("top@[0, 0, 0]").position[2] == near(0.0, 1e-12));
        CHECK(rest.stability == Stability::unstable);
        CHECK(rest.num_unstable == 1);
    }
    TEST_CASE("Bricard's loop, whose rows depend on each other, rests with one freedom") {
        Simulation simulation =
            model(bricard("ancf_rigid_body", kThick, kThickAcross) + integrator("emm", 1e-3, 1.0));
        const Equilibrium rest = simulation.find_equilibrium();
        CHECK(rest.stability == Stability::stable);
        CHECK(rest.degrees_of_freedom == 1);
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 1);
        CHECK(modes.modes[0].frequency > 0.1);
    }
    TEST_CASE("a car's body on its struts under a load: rest against a long damped run") {
        // Two struts that lean, a body that moves in a plane, a load off its middle.
        const auto strut = [](const char* name, double foot, double at) {
            return force(name,
                         "spring_damper",
                         fmt::format("a = \"ground@[{}, 0, 0]\"\nb = \"car@[{}, 0, "
                                     "-0.1]\"\nstiffness = 1e5\nfree = 0.66\ndamping = 1e4",
                                     foot,
                                     at));
        };
        const std::string text =
            model_text() +
            body("car", "ancf_rigid_body", "position = [0, 0, 0.7]", 300.0, "[40, 90, 100]") +
            constraint("plane",
                       "planar",
                       "a = \"ground\"\nb = \"car\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
            strut("rear", -1.05, -0.8) + strut("front", 0.95, 0.7) + strut("third", -0.2, 0.2) +
            force("load", "point_load", "at = \"car@[0.5, 0, 0.2]\"\nforce = [50, 0, -900]") +
            steps("emm", 1e-2, 20.0) + "[integrator.emm]\nvelocity_projection = true\n";
        Simulation simulation = model(text);
        const Equilibrium rest = simulation.find_equilibrium();
        CHECK(rest.stability == Stability::stable);
        CHECK(rest.degrees_of_freedom == 3);
        Simulation run = model(text);
        run_to_end(run);
        // The run has come to rest, and elsewhere than where it began.
        CHECK(column(run, "energy.kinetic") <= 1e-14);
        for (const char* at : {"car@[0, 0, 0]", "car@[1, 0, 0]", "car@[0, 0, 1]"})
            CHECK((vec3(simulation.point(at).position) - vec3(run.point(at).position)).norm() <=
                  tolerance(1e-9));
        CHECK(rest.moved >= 0.05);
        // The struts carry all of it: the plane has nothing to hold.
        for (const ConstraintForces& item : rest.forces.constraints)
            if (item.name == "plane")
                for (const double x : item.reaction) CHECK(std::abs(x) <= tolerance(1e-9));
    }
    TEST_CASE("a hammock, a net hung by its corners, rests where a long damped run ends") {
        const std::string text =
            model_text() +
            "[[body]]\nname = \"net\"\ntype = \"truss\"\ngrid = { counts = [5, 4], spacing = [0.5, "
            "0.4], origin = [0, 0, 0] }\narea = 1e-5\nyoung = 1e8\ndensity = 1000.0\nnode_masses = "
            "[[7, 0.4], [8, 0.2]]\ndamping = 1e6\n" +
            constraint("a", "position", "a = \"net@0\"\nb = \"ground@[0.2, 0.1, 0]\"") +
            constraint("b", "position", "a = \"net@4\"\nb = \"ground@[1.8, 0.1, 0.1]\"") +
            constraint("c", "position", "a = \"net@15\"\nb = \"ground@[0.2, 1.1, 0]\"") +
            constraint("d", "position", "a = \"net@19\"\nb = \"ground@[1.8, 1.1, 0]\"") +
            force("air", "drag", "at = \"net@*\"\nlinear = 0.5") + steps("emm", 3e-2, 18.0);
        const std::string far = "[model]\nproject_start = \"far\"\n" + text.substr(8);
        Simulation simulation = model(far);
        const Equilibrium rest = simulation.find_equilibrium();
        CHECK(rest.stability == Stability::stable);
        Simulation run = model(far);
        run_to_end(run);
        CHECK(column(run, "energy.kinetic") <= 1e-14);
        for (const int node : {1, 6, 7, 8, 12})
            CHECK((vec3(simulation.point(fmt::format("net@{}", node)).position) -
                   vec3(run.point(fmt::format("net@{}", node)).position))
                      .norm() <= tolerance(1e-6));
        // The four corners bear the weight.
        double weight = 0.6;
        weight += 1000.0 * 1e-5 * (4 * 4 * 0.5 + 3 * 5 * 0.4);
        double borne = 0.0;
        for (const ConstraintForces& item : rest.forces.constraints)
            if (item.name.size() == 1) borne += item.reaction[2];
        CHECK(std::abs(borne) == near(weight * kG, 1e-8));
    }
    TEST_CASE("a rope given as a straight line hangs as its discrete catenary, however stiff") {
        // Links of unstretched length l with the weight at their joints: the horizontal force H is
        // the same in all, the vertical one grows by w from joint to joint, and a link pulled by T
        // is stretched by u where T = EA u (u^2 - 1) / 2. What the hooks feel closes the span.
        int many = 0;
        const auto closes =
            [](int n, double EA, double l, double w, const Vec3& end, const Vec3& at_left) {
                const double H = std::hypot(at_left[0], at_left[1]);
                double V = -at_left[2] + 0.5 * w, x = 0.0, z = 0.0;
                for (int i = 0; i < n; ++i, V += w) {
                    const double T = std::hypot(H, V);
                    double u = 1.0;
                    for (int k = 0; k < 30 && std::isfinite(EA); ++k)
                        u -= (0.5 * EA * u * (u * u - 1.0) - T) / (0.5 * EA * (3.0 * u * u - 1.0));
                    x += l * u * H / T;
                    z += l * u * V / T;
                }
                return std::hypot(x - std::hypot(end[0], end[1]), z - end[2]);
            };
        for (const int n : {4, 13, 24, 48, 100})
            for (const double stiffness :
                 {1e2, 1e4, 1e5, 1e7, std::numeric_limits<double>::infinity()})
                for (const double slack : {1.002, 1.2, 1.7})
                    for (const Vec3& end : {Vec3(10, 0, 0), Vec3(6, 3, -4)}) {
                        // A part of all, each value with each other one.
                        if ((many++ * 7) % 5 != 0 && (n != 24 || end[1] != 0.0)) continue;
                        const bool is_rigid = !std::isfinite(stiffness);
                        if (is_rigid && n > 24) continue;
                        CAPTURE(n);
                        CAPTURE(stiffness);
                        CAPTURE(slack);
                        CAPTURE(end);
                        const double area = 5e-5, density = 8000.0;
                        const double length = slack * end.norm(), l = length / n;
                        const double w = area * density * l * kG;
                        const double EA = stiffness * n * w;
                        Simulation simulation = model(
                            model_text() + (is_rigid ? "project_start = \"far\"\n" : "") +
                            fmt::format("[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = [0, "
                                        "0, 0]\nto = [{0}, {1}, {2}]\nelements = {3}\narea = "
                                        "{4}\nyoung = {5}\ndensity = {6}\nrest_length = {7}\n",
                                        end[0],
                                        end[1],
                                        end[2],
                                        n,
                                        area,
                                        EA / area,
                                        density,
                                        length) +
                            constraint(
                                "left", "position", "a = \"rope@0\"\nb = \"ground@[0, 0, 0]\"") +
                            constraint("right",
                                       "position",
                                       fmt::format("a = \"rope@{}\"\nb = \"ground@[{}, {}, {}]\"",
                                                   n,
                                                   end[0],
                                                   end[1],
                                                   end[2])) +
                            steps("emm", 1e-2, 1.0));
                        const Equilibrium rest = simulation.find_equilibrium();
                        CHECK(rest.stability == Stability::stable);
                        CHECK(rest.lasts);
                        const Vec3 at_left(rest.forces.constraints[0].reaction.data());
                        CHECK(closes(n, EA, l, w, end, at_left) <= tolerance(1e-8 * length));
                        // In the plane of the hooks, below the line between them.
                        const Vec3 middle =
                            vec3(simulation.point(fmt::format("rope@{}", n / 2)).position);
                        CHECK(std::abs(middle[0] * end[1] - middle[1] * end[0]) <=
                              tolerance(1e-6 * length * length));
                        CHECK(middle[2] < 0.5 * end[2]);
                    }
    }
    TEST_CASE("a rigid line that lies straight and is too long is called singular, not wrong") {
        const auto line = [](double length) {
            return model_text() +
                   fmt::format(
                       "[[body]]\nname = \"rope\"\ntype = \"truss\"\nfrom = [0, 0, "
                       "0]\nto = [10, 0, 0]\nelements = 6\narea = 5e-5\nyoung = "
                       "inf\ndensity = 8000\nrest_length = {}\n",
                       length) +
                   constraint("left", "position", "a = \"rope@0\"\nb = \"ground@[0, 0, 0]\"") +
                   constraint("right", "position", "a = \"rope@6\"\nb = \"ground@[10, 0, 0]\"") +
                   steps("emm", 1e-2, 1.0);
        };
        const auto refusal = [](const std::string& text) {
            try {
                model(text);
            } catch (const Error& error) {
                return std::string(error.message());
            }
            return std::string{};
        };
        const std::string too_long = refusal(line(12.0));
        CHECK(too_long.find("which is singular") != std::string::npos);
        CHECK(too_long.find("project_start = \"far\"") != std::string::npos);
        // What is too short cannot be closed by any motion.
        const std::string too_short = refusal(line(9.0));
        CHECK(too_short.find("no motion of the bodies closes") != std::string::npos);
        CHECK(too_short.find("singular") == std::string::npos);
    }
    TEST_CASE("a stiff net hung by two sides, given flat: each of its lines is a catenary") {
        // Lines across that are as long as their distance and next to nothing: nothing pulls at
        // them.
        for (const double young : {1e8, 1e10, 2e11}) {
            CAPTURE(young);
            const int nx = 9, ny = 4;
            const double l = 0.6, slack = 1.1, area = 2e-5, density = 7800.0;
            std::string areas, lengths;
            for (int j = 0; j < ny; ++j)
                for (int i = 0; i + 1 < nx; ++i) {
                    areas += fmt::format("{}, ", area);
                    lengths += fmt::format("{}, ", slack * l);
                }
            for (int j = 0; j + 1 < ny; ++j)
                for (int i = 0; i < nx; ++i) {
                    areas += fmt::format("{}, ", 1e-9 * area);
                    lengths += fmt::format("{}, ", l);
                }
            std::string text =
                model_text() +
                fmt::format(
                    "[[body]]\nname = \"net\"\ntype = \"truss\"\ngrid = {{ counts = [{}, "
                    "{}], spacing = [{}, {}], origin = [0, 0, 0] }}\narea = [{}]\nyoung = "
                    "{}\ndensity = {}\nrest_length = [{}]\n",
                    nx,
                    ny,
                    l,
                    l,
                    areas,
                    young,
                    density,
                    lengths);
            for (int j = 0; j < ny; ++j)
                for (const int i : {0, nx - 1})
                    text += constraint(fmt::format("hook{}_{}", j, i),
                                       "position",
                                       fmt::format("a = \"net@{}\"\nb = \"ground@[{}, {}, 0]\"",
                                                   j * nx + i,
                                                   l * i,
                                                   l * j));
            Simulation simulation = model(text + steps("emm", 1e-2, 1.0));
            const Equilibrium rest = simulation.find_equilibrium();
            CHECK(rest.stability != Stability::unstable);
            const double w = area * density * slack * l * kG, EA = young * area;
            for (const ConstraintForces& hook : rest.forces.constraints) {
                CAPTURE(hook.name);
                double x = 0.0;
                const double H = std::abs(hook.reaction[0]);
                for (int i = 0; i + 1 < nx; ++i) {
                    const double V = (i - 0.5 * (nx - 2)) * w, T = std::hypot(H, V);
                    double u = 1.0;
                    for (int it = 0; it < 20; ++it)
                        u -= (0.5 * EA * u * (u * u - 1.0) - T) / (0.5 * EA * (3.0 * u * u - 1.0));
                    x += slack * l * u * H / T;
                }
                CHECK(x == near((nx - 1) * l, 1e-6));
            }
        }
    }
    TEST_CASE(
        "strings that are tuned rest, whatever rounding pulls at them, and have their tones") {
        // Elements of consistent mass, w^2 = (T/l) (2 - 2 c) / (mu l (4 + 2 c) / 6) with
        // c = cos(k pi / n); gravity raises T by (w L / T)^2 / 24 of it.
        for (const int n : {6, 20, 40, 60, 100})
            for (const double tension : {20.0, 43.6, 90.0})
                for (const double diameter : {0.2e-3, 0.33e-3, 0.45e-3}) {
                    CAPTURE(n);
                    CAPTURE(tension);
                    CAPTURE(diameter);
                    const double length = 0.65, density = 7850.0;
                    const double area = 0.25 * std::numbers::pi * diameter * diameter;
                    Simulation simulation = model(
                        model_text() +
                        fmt::format("[[body]]\nname = \"string\"\ntype = \"truss\"\nfrom = [0, 0, "
                                    "0]\nto = [{}, 0, 0]\nelements = {}\narea = {}\nyoung = "
                                    "2e11\ndensity = {}\nprestress = {}\n",
                                    length,
                                    n,
                                    area,
                                    density,
                                    tension / area) +
                        constraint(
                            "nut", "position", "a = \"string@0\"\nb = \"ground@[0, 0, 0]\"") +
                        constraint("bridge",
                                   "position",
                                   fmt::format(
                                       "a = \"string@{}\"\nb = \"ground@[{}, 0, 0]\"", n, length)) +
                        steps("emm", 1e-5, 1e-4));
                    const Equilibrium rest = simulation.find_equilibrium();
                    CHECK(rest.lasts);
                    CHECK(rest.acceleration == 0.0);
                    ModesOptions few;
                    few.count = 4;
                    const Modes modes = simulation.modes(few);
                    const double mu = density * area, l = length / n;
                    // Sagging stretches it: EA (mu g L)^2 / (24 T^2) on top of the tension.
                    const double sag = mu * kG * length / tension;
                    const double T = tension + 2e11 * area * sag * sag / 24.0;
                    REQUIRE(modes.modes.size() >= 4);
                    for (int k = 1; k <= 2; ++k) {
                        const double c = std::cos(k * std::numbers::pi / n);
                        const double tone =
                            std::sqrt((T / l) * (2 - 2 * c) / (mu * l * (4 + 2 * c) / 6)) /
                            (2 * std::numbers::pi);
                        // Both across; the one along the sag stretches it besides, to second order.
                        const std::size_t first = static_cast<std::size_t>(2 * k - 2);
                        CHECK(modes.modes[first].frequency == near(tone, 2e-5 * tone));
                        CHECK(modes.modes[first + 1].frequency == near(tone, 2e-5 * tone));
                    }
                }
    }
    TEST_CASE("a car on tyres that only push rests, also from a start that just touches the road") {
        // Tyres act up and with the weights alone: their sum and moments are those of all weights.
        for (const double gap : {-0.02, -0.01, 0.0, 0.01, 0.02})
            for (const bool is_held : {false, true})
                for (const bool is_formula : {false, true}) {
                    CAPTURE(gap);
                    CAPTURE(is_held);
                    CAPTURE(is_formula);
                    const double R = 0.3 + gap, k = 2e5, hub_mass = 30.0;
                    std::string text = model_text() + body("car",
                                                           "ancf_rigid_body",
                                                           "position = [0, 0, 0.5]",
                                                           1000.0,
                                                           "[300, 1200, 1400]");
                    if (is_held)
                        text +=
                            constraint("post",
                                       "cylindrical",
                                       "a = \"ground\"\nb = \"car\"\npoint = [0, 0, 0.5]\naxis = "
                                       "[0, 0, 1]");
                    const std::vector<Vec3> corners = {
                        {1.3, 0.7, 0.3}, {1.3, -0.7, 0.3}, {-1.2, 0.7, 0.3}, {-1.2, -0.7, 0.3}};
                    for (std::size_t i = 0; i < corners.size(); ++i) {
                        const double x = corners[i][0], y = corners[i][1];
                        const std::string hub = fmt::format("hub{}", i);
                        text += point_mass(hub, {x, y, 0.3}, hub_mass);
                        text += constraint(
                            fmt::format("guide{}", i),
                            "in_line",
                            fmt::format(
                                "a = \"car\"\nb = \"{}\"\npoint = [{}, {}, 0.3]\naxis = [0, "
                                "0, 1]",
                                hub,
                                x,
                                y));
                        text +=
                            force(fmt::format("strut{}", i),
                                  "spring_damper",
                                  fmt::format("a = \"car@[{}, {}, 0.2]\"\nb = \"{}@[0, 0, "
                                              "0]\"\nstiffness = 2e4\nfree = 0.5\ndamping = 1500",
                                              x,
                                              y,
                                              hub));
                        if (is_formula) {
                            text +=
                                force(fmt::format("tyre{}", i),
                                      "point_load",
                                      fmt::format(
                                          "at = \"{0}@[0, 0, 0]\"\nforce = [\"0\", \"0\", \"{1} * "
                                          "max({2} - {0}.z, 0)\"]",
                                          hub,
                                          k,
                                          R));
                            continue;
                        }
                        text += constraint(
                            fmt::format("height{}", i),
                            "measure",
                            fmt::format(
                                "a = \"ground@[{}, {}, 0.3]\"\nb = \"{}@[0, 0, 0]\"", x, y, hub));
                        text +=
                            force(fmt::format("tyre{}", i),
                                  "motor",
                                  fmt::format("on = \"height{}.displacement_z\"\neffort = \"max(0, "
                                              "{} * ({} - value) - 300 * rate)\"",
                                              i,
                                              k,
                                              gap));
                    }
                    Simulation simulation = model(text + steps("emm", 1e-3, 0.1));
                    const Equilibrium rest = simulation.find_equilibrium();
                    CHECK(rest.stability == Stability::neutral);
                    CHECK(rest.num_neutral == (is_held ? 1 : 3));
                    CHECK(rest.lasts);
                    CHECK(rest.descent_steps + rest.newton_steps <= 60);
                    const Vec3 car = vec3(simulation.point("car@[0, 0, 0]").position);
                    double push = 0.0, weight = 1000.0 * kG;
                    Vec3 moment = -weight * Vec3(car[0], car[1], 0.0);
                    for (std::size_t i = 0; i < corners.size(); ++i) {
                        const Vec3 at =
                            vec3(simulation.point(fmt::format("hub{}@[0, 0, 0]", i)).position);
                        const double N = k * (R - at[2]);
                        CHECK(N > 0.0);
                        push += N;
                        weight += hub_mass * kG;
                        if (!is_held) moment += (N - hub_mass * kG) * Vec3(at[0], at[1], 0.0);
                    }
                    CHECK(push == near(weight, 1e-9 * weight));
                    if (!is_held) CHECK(moment.norm() <= tolerance(1e-6));
                }
    }
    TEST_CASE("slack nets, hung by any corners, rest where each node is borne by what is taut") {
        constexpr double kArea = 1e-6, kDensity = 1000.0, kSpacing = 0.1;
        std::mt19937 random(7);
        const auto draw = [&](int n) {
            return static_cast<int>(random() % static_cast<unsigned>(n));
        };
        for (int trial = 0; trial < 40; ++trial) {
            const int nx = 2 + draw(8), ny = 2 + draw(8);
            const double young = std::pow(10.0, 6 + draw(6)), longer[] = {1.0, 1.05, 1.2, 1.4};
            const double L = kSpacing * longer[draw(4)];
            const int hung = 1 + draw(15);  // a bit for each corner
            std::string text = fmt::format(
                "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"net\"\ntype = "
                "\"truss\"\ngrid = "
                "{{ counts = [{}, {}], spacing = [{}, {}] }}\nyoung = {}\narea = {}\ndensity = {}\n"
                "tension_only = true\nrest_length = {}\n",
                nx,
                ny,
                kSpacing,
                kSpacing,
                young,
                kArea,
                kDensity,
                L);
            const std::array<int, 4> corners{0, nx - 1, nx * (ny - 1), nx * ny - 1};
            std::vector<bool> is_held(static_cast<std::size_t>(nx * ny), false);
            for (int c = 0; c < 4; ++c) {
                const int node = corners[static_cast<std::size_t>(c)];
                if ((hung >> c & 1) == 0) continue;
                is_held[static_cast<std::size_t>(node)] = true;
                text += fmt::format(
                    "[[joint]]\nname = \"h{}\"\ntype = \"position\"\na = \"net@{}\"\nb = "
                    "\"ground@[{}, {}, 0]\"\n",
                    c,
                    node,
                    kSpacing * (node % nx),
                    kSpacing * (node / nx));
            }
            CAPTURE(text);
            Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
            const Equilibrium rest = simulation.find_equilibrium();
            CHECK(rest.descent_steps + rest.newton_steps < 200);
            const double weight = kArea * kDensity * L * kG;  // of an element
            std::vector<Vec3> x, force(is_held.size(), Vec3::Zero());
            for (int i = 0; i < nx * ny; ++i)
                x.push_back(vec3(simulation.point(fmt::format("net@{}", i)).position));
            const auto element = [&](int i, int j) {
                const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
                const Vec3 d = x[b] - x[a];
                const double strain = (d.squaredNorm() - L * L) / (2.0 * L * L);
                const Vec3 pull = young * kArea / L * std::max(strain, 0.0) * d;
                force[a] += pull - 0.5 * weight * Vec3::UnitZ();
                force[b] -= pull + 0.5 * weight * Vec3::UnitZ();
            };
            for (int i = 0; i < nx * ny; ++i) {
                if (i % nx + 1 < nx) element(i, i + 1);
                if (i + nx < nx * ny) element(i, i + nx);
            }
            double largest = 0.0;
            for (std::size_t i = 0; i < force.size(); ++i)
                if (!is_held[i]) largest = std::max(largest, force[i].norm());
            // Positions are rounded, and stiffness makes forces of that
            CHECK(largest < 1e-6 * weight + 1e-14 * young * kArea / L);
        }
    }
    TEST_CASE("a clamp's moment at rest is that of statics, and that of a run's columns") {
        for (const Vec3& arm : {Vec3(0.5, 0, 0), Vec3(0, 0.7, 0), Vec3(0.3, -0.4, 0.2)})
            for (const bool is_a : {false, true}) {
                CAPTURE(arm);
                CAPTURE(is_a);
                const Vec3 load(3.0, -7.0, 11.0);
                const std::string text =
                    model_text() +
                    body("beam",
                         "ancf_rigid_body",
                         fmt::format("position = [{}, {}, {}]", arm[0], arm[1], arm[2]),
                         10.0) +
                    constraint("clamp",
                               "fixed",
                               is_a ? "a = \"beam\"\nb = \"ground\"\npoint = [0, 0, 0]"
                                    : "a = \"ground\"\nb = \"beam\"\npoint = [0, 0, 0]") +
                    force("load",
                          "point_load",
                          fmt::format("at = \"beam@[0, 0, 0]\"\nforce = [{}, {}, {}]",
                                      load[0],
                                      load[1],
                                      load[2])) +
                    steps("emm", 1e-3, 0.01);
                Simulation simulation = model(text);
                const Equilibrium rest = simulation.find_equilibrium();
                const Vec3 pull = load + Vec3(0, 0, -10.0 * kG);
                const double side = is_a ? 1.0 : -1.0;
                const Vec3 force = side * pull, moment = side * arm.cross(pull);
                const std::vector<double>& on_b = rest.forces.constraints[0].on_b;
                REQUIRE(on_b.size() == 6);
                Simulation run = model(text);
                run_to_end(run);
                for (int i = 0; i < 3; ++i) {
                    const auto k = static_cast<std::size_t>(i);
                    CHECK(on_b[k] == near(force[i], 1e-9));
                    CHECK(on_b[k + 3] == near(moment[i], 1e-9));
                    const std::string axis(1, "xyz"[i]);
                    CHECK(column(run, "clamp.on_b.force." + axis) == near(on_b[k], 1e-8));
                    CHECK(column(run, "clamp.on_b.moment." + axis) == near(on_b[k + 3], 1e-8));
                }
            }
    }
    TEST_CASE("what a search evaluates is not the run's, and what it warns of is said once") {
        const std::string text =
            body("lid", "ancf_rigid_body", "position = [0.5, 0, 0]") +
            constraint("first",
                       "revolute",
                       "a = \"ground\"\nb = \"lid\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
            constraint("second",
                       "revolute",
                       "a = \"ground\"\nb = \"lid\"\npoint = [0, 0.5, 0]\naxis = [0, 1, 0]");
        const std::string rests = model_text() + "start = \"equilibrium\"\n" + text;
        for (const char* method : {"emm", "generalized_alpha", "rk4"}) {
            CAPTURE(method);
            std::vector<std::string> warnings;
            Simulation run(Manifest::parse(rests + steps(method, 1e-3, 0.01), "test.toml", {}),
                           registry(),
                           [&](const std::string& warning) {
                               warnings.push_back(warning);
                           });
            CHECK(std::ranges::count_if(warnings, [](const std::string& warning) {
                      return warning.find("redundant") != std::string::npos;
                  }) == 1);
            run.find_equilibrium();
            CHECK(std::ranges::count_if(warnings, [](const std::string& warning) {
                      return warning.find("redundant") != std::string::npos;
                  }) == 1);
            Simulation plain = model(model_text() + text + steps(method, 1e-3, 0.01));
            CHECK(run.statistics().evaluations == plain.statistics().evaluations);
        }
    }
    TEST_CASE("boxes laid down at any attitude rest on a face, which all four corners bear") {
        std::mt19937 random(41);
        std::normal_distribution<double> normal;
        const std::array<double, 3> half{0.2, 0.15, 0.1};
        for (int run = 0; run < 12; ++run) {
            CAPTURE(run);
            std::string text =
                model_text() + fmt::format(
                                   "\n[[body]]\nname = \"box\"\ntype = "
                                   "\"ancf_rigid_body\"\nmass = 3.0\ninertia = [0.0325, "
                                   "0.05, 0.0625]\npenalty = inf\nposition = [0.1, -0.2, "
                                   "0.5]\norientation = {{ axis = [{:.6f}, {:.6f}, {:.6f}], "
                                   "angle = {:.6f} }}\n",
                                   normal(random),
                                   normal(random),
                                   normal(random),
                                   2.0 * normal(random));
            for (int k = 0; k < 8; ++k)
                text += fmt::format(
                    "\n[[constraint]]\nname = \"c{}\"\ntype = \"contact\"\na = "
                    "\"box@[{}, {}, {}]\"\nb = \"ground\"\nplane = {{ normal = "
                    "[0, 0, 1] }}\n",
                    k,
                    (k & 1) != 0 ? half[0] : -half[0],
                    (k & 2) != 0 ? half[1] : -half[1],
                    (k & 4) != 0 ? half[2] : -half[2]);
            Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
            const Equilibrium rest = simulation.find_equilibrium();
            // It may slide and turn on the floor.
            CHECK(rest.stability == Stability::neutral);
            CHECK(rest.num_neutral == 3);
            const double height = simulation.point("box@[0, 0, 0]").position[2];
            double off = 1.0;
            for (const double h : half) off = std::min(off, std::abs(height - h));
            CHECK(off < 1e-12);
            int bearing = 0;
            for (const ConstraintForces& contact : rest.forces.constraints) {
                const double force = contact.reaction[2];
                if (std::abs(force) < 1e-9) continue;
                ++bearing;
                CHECK(force == near(3.0 * kG / 4.0, 1e-9));
            }
            CHECK(bearing == 4);
        }
    }
    TEST_CASE("a mass on a spring leans against a wall, and vibrates along it") {
        const double k = 20.0, length = 1.0, wall = 0.2;
        Simulation simulation = model(
            model_text() + point_mass("p", {0.5, 0.0, 0.4}) +
            fmt::format("\n[[force]]\nname = \"spring\"\ntype = \"spring\"\na = \"p@[0, 0, "
                        "0]\"\nb = \"ground@[0, 0, 2]\"\nstiffness = {}\nfree = {}\n",
                        k,
                        length) +
            fmt::format("\n[[constraint]]\nname = \"wall\"\ntype = \"contact\"\na = \"p\"\nb = "
                        "\"ground\"\nplane = {{ point = [{}, 0, 0], normal = [1, 0, 0] }}\n",
                        wall) +
            "\n[[constraint]]\nname = \"floor\"\ntype = \"contact\"\na = \"p\"\nb = "
            "\"ground\"\nplane = { normal = [0, 0, 1] }\n" +
            steps("emm", 1e-3, 1.0));
        const Equilibrium rest = simulation.find_equilibrium();
        const Vec3 at = vec3(simulation.point("p@[0, 0, 0]").position);
        const Vec3 to = Vec3(0.0, 0.0, 2.0) - at;
        const double L = to.norm();
        const double tension = k * (L - length);
        CHECK(at.x() == near(wall, 1e-13));
        CHECK(tension * to.z() / L == near(kG, 1e-9));
        for (const ConstraintForces& contact : rest.forces.constraints) {
            if (contact.name == "wall")
                CHECK(contact.reaction[0] == near(tension * wall / L, 1e-9));
            if (contact.name == "floor") CHECK(std::abs(contact.reaction[2]) < 1e-12);
        }
        CHECK(rest.stability == Stability::stable);
        // Along the wall (k - T / L) I + T / L u u^T; up and down u_z = to.z / L.
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 2);
        const double across = tension / L;
        const double up = across + (k - across) * to.z() * to.z() / (L * L);
        CHECK(2.0 * std::numbers::pi * modes.modes[0].frequency ==
              near(std::sqrt(std::min(across, up)), 1e-9));
        CHECK(2.0 * std::numbers::pi * modes.modes[1].frequency ==
              near(std::sqrt(std::max(across, up)), 1e-9));
    }
    TEST_CASE("a net that nothing pulls at comes to rest in a few steps, where its forces vanish") {
        // Stretched by four parts of a thousand, and free in space. The second has so many
        // coordinates that only its lowest directions are looked at.
        for (const int n : {5, 24}) {
            CAPTURE(n);
            Simulation simulation =
                model(fmt::format("[model]\n[[body]]\nname = \"net\"\ntype = \"truss\"\ngrid = {{ "
                                  "counts = [{0}, {0}], spacing = [0.25, 0.25], origin = [0, 0, 0] "
                                  "}}\narea = 1e-6\nyoung = 3e9\ndensity = 1420.0\nrest_length = "
                                  "0.249\n",
                                  n) +
                      steps("emm", 1e-3, 1.0));
            const Equilibrium rest = simulation.find_equilibrium();
            CHECK(rest.stability == Stability::neutral);
            CHECK(rest.is_counted == (n == 5));
            CHECK(rest.descent_steps + rest.newton_steps <= 20);
            for (const int node : {0, n + 1, n * n / 2, n * n - 2}) {
                const Vec3 a = vec3(simulation.point(fmt::format("net@{}", node)).position);
                const Vec3 b = vec3(simulation.point(fmt::format("net@{}", node + 1)).position);
                CHECK((b - a).norm() == near(0.249, 1e-11));
            }
        }
    }
    TEST_CASE("a strut on balls, free to turn about its axis, rests where the energy is least") {
        // An arm on a hinge, a coil between it and the ground, and a strut of two heavy parts that
        // slide in each other: turns of these about the strut change nothing. The energy is a
        // function of the arm's angle alone, and its minimum is found without the kernel.
        std::mt19937 random(7);
        const auto pick = [&random](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        for (int k = 0; k < 40; ++k) {
            CAPTURE(k);
            const Eigen::Matrix3d R =
                Eigen::Quaterniond(pick(-1, 1), pick(-1, 1), pick(-1, 1), pick(-1, 1))
                    .normalized()
                    .toRotationMatrix();
            const auto text = [&R](const Eigen::Vector3d& r) {
                const Eigen::Vector3d x = R * r;
                return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
            };
            const Eigen::Vector3d foot(pick(-0.02, 0.02), pick(0.27, 0.33), 0.02),
                head(pick(-0.02, 0.02), pick(0.2, 0.3), 0.6), middle(0.0, 0.4, 0.0),
                hook(0.0, 0.4, 0.7);
            const double arm = pick(100.0, 400.0), tube = pick(1.0, 20.0), rod = pick(1.0, 20.0);
            const double stiffness = pick(8e3, 4e4), free = 0.7 + pick(0.02, 0.1);
            const double length = (head - foot).norm();
            const Eigen::Vector3d along = (head - foot) / length;
            const bool may_turn = k % 2 == 0;
            std::string model_of_it = fmt::format("[model]\ngravity = {}\n", text({0, 0, -9.81}));
            const auto add_body = [&](const char* name, double mass, const Eigen::Vector3d& at) {
                model_of_it += fmt::format(
                    "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {}\n"
                    "inertia = [0.1, 0.11, 0.12]\npenalty = inf\nposition = {}\n",
                    name,
                    mass,
                    text(at));
            };
            add_body("arm", arm, middle);
            add_body("tube", tube, foot + 0.25 * length * along);
            add_body("rod", rod, head - 0.25 * length * along);
            const auto add_joint = [&](const char* name,
                                       const char* type,
                                       const char* a,
                                       const char* b,
                                       const Eigen::Vector3d& at,
                                       const std::string& more) {
                model_of_it += fmt::format(
                    "[[joint]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n"
                    "point = {}\n{}",
                    name,
                    type,
                    a,
                    b,
                    text(at),
                    more);
            };
            add_joint("hinge", "revolute", "ground", "arm", {0, 0, 0}, "axis = " + text({1, 0, 0}));
            model_of_it += "\n";
            add_joint("foot", "spherical", "arm", "tube", foot, "");
            add_joint("head", "spherical", "ground", "rod", head, "");
            add_joint("strut",
                      may_turn ? "cylindrical" : "prismatic",
                      "tube",
                      "rod",
                      foot,
                      "axis = " + text(along));
            model_of_it += fmt::format(
                "\n[[force]]\nname = \"coil\"\ntype = \"spring_damper\"\na = \"arm@[0, 0, 0]\"\n"
                "b = \"ground@{}\"\nstiffness = {}\ndamping = 500\nfree = {}\n",
                text(hook),
                stiffness,
                free);
            Simulation simulation = model(model_of_it + steps("emm", 1e-3, 1.0));

            const auto turned = [](const Eigen::Vector3d& r, double angle) {
                return Eigen::Vector3d(Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()) * r);
            };
            const auto energy = [&](double angle) {
                const Eigen::Vector3d low = turned(foot, angle), at = turned(middle, angle);
                const Eigen::Vector3d u = (head - low).normalized();
                const double stretch = (hook - at).norm() - free;
                return 0.5 * stiffness * stretch * stretch +
                       9.81 * (arm * at[2] + tube * (low + 0.25 * length * u)[2] +
                               rod * (head - 0.25 * length * u)[2]);
            };
            // where its slope is zero, by bisection of differences
            const auto slope = [&](double angle) {
                constexpr double kStep = 1e-4;
                return (8.0 * (energy(angle + kStep) - energy(angle - kStep)) -
                        (energy(angle + 2.0 * kStep) - energy(angle - 2.0 * kStep)));
            };
            double low = -1.2, high = 0.6;
            REQUIRE(slope(low) < 0.0);
            REQUIRE(slope(high) > 0.0);
            for (int step = 0; step < 60; ++step) {
                const double half = 0.5 * (low + high);
                (slope(half) < 0.0 ? low : high) = half;
            }
            const Eigen::Vector3d expected = R * turned(middle, low);
            const Equilibrium rest = simulation.find_equilibrium();
            CHECK(rest.num_neutral == (may_turn ? 2 : 1));
            CHECK(rest.num_unstable == 0);
            const auto at = simulation.point("arm@[0, 0, 0]").position;
            for (std::size_t c = 0; c < 3; ++c)
                CHECK(at[c] == near(expected[static_cast<Eigen::Index>(c)], 1e-8));
        }
    }
    TEST_CASE("what a drive accelerates or moves does not stay at rest, and that is said") {
        const auto arm = [](const std::string& motion, double rate) {
            return model_text() +
                   body("arm",
                        "ancf_rigid_body",
                        fmt::format("position = [0, 0, -0.5]\nvelocity = [{}, 0, 0]\n"
                                    "angular_velocity = [0, {}, 0]",
                                    -0.5 * rate,
                                    rate),
                        1.0,
                        "[0.09, 0.09, 0.01]") +
                   constraint("pin",
                              "revolute",
                              "a = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
                              "drive = \"" +
                                  motion + "\"") +
                   steps("emm", 1e-3, 1.0);
        };
        Simulation pushed = model(arm("1 - cos(2*t)", 0.0));
        const Equilibrium rest = pushed.find_equilibrium();
        CHECK(!rest.lasts);
        // 4 rad/s^2 at the end of the arm, which the model reports of its points' reach
        CHECK(rest.acceleration >= 0.5 * 4.0);
        CHECK(rest.acceleration <= 4.0);
        Simulation held = model(arm("0*t", 0.0));
        const Equilibrium stays = held.find_equilibrium();
        CHECK(stays.lasts);
        CHECK(stays.acceleration <= 1e-12);
        Simulation moved = model(arm("sin(2*t)", 2.0));
        CHECK_THROWS_WITH_AS(moved.find_equilibrium(),
                             doctest::Contains("moves at t = 0 s as it is prescribed"),
                             Error);
    }
    TEST_CASE("what nothing holds has no rest, and says so") {
        Simulation simulation =
            model(model_text() + point_mass("stone", {0, 0, 0}) + steps("emm", 1e-3, 1.0));
        CHECK_THROWS_WITH_AS(simulation.find_equilibrium(), doctest::Contains("stone"), Error);
        // The state stays.
        CHECK(simulation.point("stone@[0, 0, 0]").position[2] == 0.0);
    }
}

/// Velocity of a turn about an axis through a point, and a drift.
std::string turning(const Vec3& at, const Vec3& rate, const Vec3& about, const Vec3& drift) {
    const Vec3 v = rate.cross(at - about) + drift;
    return fmt::format("velocity = [{:.17g}, {:.17g}, {:.17g}]\n", v(0), v(1), v(2));
}

Equilibrium steady_spin(Simulation& simulation) {
    EquilibriumOptions options;
    options.spinning = true;
    return simulation.find_equilibrium(options);
}

TEST_SUITE("steady spin") {
    TEST_CASE("two masses on a spring stretch it by what their turn asks for, and drift on") {
        // k (2 r - L) = m W^2 r, about any axis, through any point, in a frame that moves.
        const double k = 60.0, L = 2.0, m = 1.5, W = 3.0;
        const Vec3 axis = Vec3(1.0, -2.0, 0.5).normalized(), across = axis.unitOrthogonal();
        const Vec3 centre(3.0, 1.0, -2.0), drift(0.2, 0.3, -0.1);
        std::string text = "[model]\n";
        for (const double side : {1.0, -1.0}) {
            const Vec3 at = centre + side * 0.5 * L * across;
            text += point_mass(side > 0.0 ? "a" : "b", at, m, turning(at, W * axis, centre, drift));
        }
        // A load that does not act yet holds nothing.
        const std::string idle_load =
            force("tap",
                  "point_load",
                  "at = \"a@[0, 0, 0]\"\nforce = [[0.0, 0, 0, 0], [1.0, 0, 0, 0]]\noutside = "
                  "\"zero\"");
        Simulation simulation =
            model(text + spring("rope", "a", "b", k, L) + idle_load + steps("emm", 1e-3, 1.0));
        const Equilibrium found = steady_spin(simulation);
        const double r = k * L / (2.0 * k - m * W * W);
        const auto half = [&]() -> Vec3 {
            return 0.5 * (Vec3(simulation.point("a@[0, 0, 0]").position.data()) -
                          Vec3(simulation.point("b@[0, 0, 0]").position.data()));
        };
        CHECK(half().norm() == near(r, 1e-11));
        CHECK(found.stability == Stability::neutral);
        CHECK(found.num_unstable == 0);
        for (int c = 0; c < 3; ++c) CHECK(found.spin[c] == near(W * axis(c), 1e-11));
        // It is the state of modes, and stays.
        double least = 1e9, most = 0.0;
        while (!simulation.done()) {
            simulation.step();
            least = std::min(least, half().norm());
            most = std::max(most, half().norm());
        }
        CHECK(most - least <= 1e-9);
        const Vec3 a(simulation.point("a@[0, 0, 0]").position.data()),
            b(simulation.point("b@[0, 0, 0]").position.data());
        CHECK((0.5 * (a + b) - centre - drift).norm() <= 1e-10);
    }
    TEST_CASE("a conical pendulum, on a rod and as a body: cos angle = g / (l W^2)") {
        const double l = 1.0, W = 4.5;
        const double angle = std::acos(kG / (l * W * W));
        for (const double first : {0.2, 1.4}) {
            CAPTURE(first);
            const Vec3 at(l * std::sin(first), 0.0, -l * std::cos(first));
            const std::string text =
                "[model]\ngravity = [0, 0, -9.81]\nstart = \"steady_spin\"\n" +
                point_mass("bob", at, 1.0, turning(at, {0, 0, W}, Vec3::Zero(), Vec3::Zero())) +
                rope("rod", "ground@[0, 0, 0]", "bob") + steps("emm", 1e-3, 1.0);
            Simulation simulation = model(text);
            for (; !simulation.done(); simulation.step())
                CHECK(simulation.point("bob@[0, 0, 0]").position[2] ==
                      near(-l * std::cos(angle), 1e-6));
            Simulation again = model(text);
            const Equilibrium found = steady_spin(again);
            CHECK(found.stability == Stability::neutral);
            CHECK(found.num_neutral == 1);  // round the axis
            // m W^2 l, whatever the angle
            const std::vector<double> reaction = found.forces.constraints[0].reaction;
            CHECK(std::hypot(reaction[0], reaction[1], reaction[2]) == near(W * W * l, 1e-8));
        }
        // A bar on a ball joint: (I_t + m L^2 / 4 - I_a) W^2 cos = m g L / 2.
        const double L = 0.8, I_a = 0.02, I_t = 2.0 * L * L / 12.0, tilt = 0.6;
        const double cosine = kG * L / ((I_t + 0.5 * L * L - I_a) * W * W);
        const double turned = 0.5 * std::numbers::pi - tilt;
        const Vec3 middle(0.5 * L * std::sin(tilt), 0.0, -0.5 * L * std::cos(tilt));
        const Vec3 w(-W * std::sin(turned), 0.0, W * std::cos(turned));  // in its own axes
        Simulation simulation = model(
            "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"bar\"\n"
            "type = \"ancf_rigid_body\"\nmass = 2.0\n" +
            fmt::format("inertia = [{}, {:.17g}, {:.17g}]\nposition = {}\n",
                        I_a,
                        I_t,
                        I_t,
                        triple(middle)) +
            fmt::format("orientation = {{ axis = [0, 1, 0], angle = {:.17g} }}\n", turned) +
            turning(middle, {0, 0, W}, Vec3::Zero(), Vec3::Zero()) +
            fmt::format("angular_velocity = {}\n", triple(w)) +
            constraint(
                "ball",
                "position",
                fmt::format("a = \"ground@[0, 0, 0]\"\nb = \"bar@[{:.17g}, 0, 0]\"", -0.5 * L)) +
            steps("emm", 1e-3, 1.0));
        steady_spin(simulation);
        CHECK(simulation.point("bar@[0, 0, 0]").position[2] == near(-0.5 * L * cosine, 1e-9));
    }
    TEST_CASE("a bent chain of rods on a hub is drawn straight, with the tensions of its turn") {
        const int n = 8;
        const double l = 0.25, m = 0.3, W = 6.0;
        std::string text = "[model]\n";
        Vec3 at = Vec3::Zero();
        for (int i = 1; i <= n; ++i) {
            const double angle = 0.5 * std::sin(2.0 * i), rise = 0.3 * std::cos(1.7 * i);
            at += l * Vec3(std::cos(angle) * std::cos(rise),
                           std::sin(angle) * std::cos(rise),
                           std::sin(rise));
            text += point_mass(
                fmt::format("p{}", i), at, m, turning(at, {0, 0, W}, Vec3::Zero(), Vec3::Zero()));
            text += rope(fmt::format("r{}", i),
                         i == 1 ? "ground@[0, 0, 0]" : fmt::format("p{}", i - 1),
                         fmt::format("p{}", i));
        }
        Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
        const Equilibrium found = steady_spin(simulation);
        const Vec3 tip(simulation.point(fmt::format("p{}@[0, 0, 0]", n)).position.data());
        CHECK(tip.norm() == near(n * l, 1e-9));
        CHECK(std::abs(tip(2)) <= 1e-9);
        CHECK(found.stability == Stability::neutral);
        CHECK(found.num_neutral == 1);
        for (int i = 1; i <= n; ++i) {
            CAPTURE(i);
            double tension = 0.0;
            for (int j = i; j <= n; ++j) tension += m * W * W * j * l;
            double square = 0.0;
            for (const double x : found.forces.constraints[i - 1].reaction) square += x * x;
            CHECK(std::sqrt(square) == near(tension, 1e-8 * tension));
        }
    }
    TEST_CASE("a balanced rotor spins steadily about a level shaft, too") {
        Simulation simulation = model(
            "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"disc\"\ntype = "
            "\"ancf_rigid_body\"\nmass = 2.0\ninertia = [0.4, 0.2, 0.2]\nposition = [1, 2, 3]\n"
            "angular_velocity = [5, 0, 0]\n[[joint]]\nname = \"shaft\"\ntype = \"revolute\"\na = "
            "\"ground\"\nb = \"disc\"\npoint = [1, 2, 3]\naxis = [1, 0, 0]\n" +
            steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.spin[0] == near(5.0, 1e-12));
        const Equilibrium found = steady_spin(simulation);
        CHECK(found.spin[0] == near(5.0, 1e-12));
        CHECK(found.moved <= 1e-12);
    }
    TEST_CASE(
        "an unloaded rotor on bearings rests where it is, in any direction, spinning or not") {
        // Nothing acts: what is left of forces is positions that are rounded, times stiffness, and
        // the turn about the axis has no stiffness at all.
        std::mt19937 random(3);
        std::uniform_real_distribution<double> any(-1.0, 1.0);
        for (int i = 0; i < 60; ++i) {
            const Vec3 axis = Vec3(any(random), any(random), any(random)).normalized();
            const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis);
            const Vec3 at(any(random), any(random), any(random));
            const double mass = std::pow(10.0, 1.5 * any(random));
            const double across = mass * std::exp(2.0 * any(random) - 3.0);
            const auto triple = [](const Vec3& x) {
                return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
            };
            std::string text =
                model_text(false) +
                body("rotor",
                     "ancf_rigid_body",
                     fmt::format("position = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, "
                                 "{:.17g}]\nangular_velocity = [0, 0, {}]",
                                 triple(at),
                                 turn.w(),
                                 turn.x(),
                                 turn.y(),
                                 turn.z(),
                                 200.0 + 150.0 * any(random)),
                     mass,
                     fmt::format("[{0}, {0}, {1}]", across, across * (1.0 + 0.8 * any(random))));
            const int count = 1 + i % 3;
            for (int k = 0; k < count; ++k) {
                const double stiffness = std::pow(10.0, 5.0 + 3.0 * any(random));
                text += constraint(
                    fmt::format("bearing{}", k),
                    "bushing",
                    fmt::format("a = \"ground\"\nb = \"rotor\"\npoint = {0}\naxis = {1}\n"
                                "stiffness = [{2}, {2}, {3}]\ntorsion = [{4}, {4}, 0.0]",
                                triple(count > 1 ? Vec3(at + any(random) * axis) : at),
                                triple(axis),
                                stiffness,
                                k == 0 ? stiffness : 0.0,
                                0.01 * stiffness));
            }
            for (const bool spins : {true, false}) {
                CAPTURE(i);
                CAPTURE(spins);
                Simulation run = model(text + steps("emm", 1e-3, 1.0));
                EquilibriumOptions options;
                options.spinning = spins;
                Equilibrium rest;
                CHECK_NOTHROW(rest = run.find_equilibrium(options));
                // Beyond its critical rate the turning frame has no minimum there
                if (!spins) CHECK(rest.stability != Stability::unstable);
                CHECK((vec3(run.pose("rotor").position) - at).norm() <= tolerance(1e-12));
                CHECK((attitude(run, "rotor") * Vec3::UnitZ() - axis).norm() <= tolerance(1e-12));
            }
        }
    }
    TEST_CASE("what does not spin, or is braked, is refused in words") {
        const auto refused = [](const std::string& text, const std::string& part) {
            CAPTURE(part);
            Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
            const std::vector<double> q(simulation.q().begin(), simulation.q().end());
            try {
                steady_spin(simulation);
                FAIL("it was taken");
            } catch (const Error& error) {
                CAPTURE(std::string(error.message()));
                CHECK(std::string(error.message()).find(part) != std::string::npos);
            }
            CHECK(std::equal(q.begin(), q.end(), simulation.q().begin()));
        };
        const auto pair = [](double second) {
            return "[model]\n" + point_mass("a", {1, 0, 0}, 1.0, "velocity = [0, 2, 0]\n") +
                   point_mass(
                       "b", {-1, 0, 0}, 1.0, fmt::format("velocity = [0, {}, 0]\n", second)) +
                   spring("s", "a", "b", 50.0, 2.0);
        };
        refused("[model]\n" + point_mass("a", {1, 0, 0}) + point_mass("b", {-1, 0, 0}) +
                    spring("s", "a", "b", 50.0, 2.0),
                "are no spin");
        refused(pair(-2.0) + force("air", "drag", "at = \"a@[0, 0, 0]\"\nlinear = 0.1"), "brakes");
    }
}

}  // namespace
}  // namespace ancora::testing
