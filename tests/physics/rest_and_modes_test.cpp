// SPDX-License-Identifier: BSD-3-Clause
// Rest, modes, linear models and inverse dynamics against closed forms and runs.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kG = 9.81;

std::string point_mass(const std::string& name,
                       const Vec3& at,
                       double mass = 1.0,
                       const std::string& more = "") {
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {}\nposition = [{:.17g}, {:.17g}, "
        "{:.17g}]\n{}",
        name,
        mass,
        at(0),
        at(1),
        at(2),
        more);
}

/// A particle by its name, or a point of the ground.
std::string point(const std::string& text) {
    return text.find('@') == std::string::npos ? text + "@[0, 0, 0]" : text;
}

std::string spring(
    const std::string& name, const std::string& a, const std::string& b, double k, double free) {
    return force(
        name,
        "spring",
        fmt::format(
            "a = \"{}\"\nb = \"{}\"\nstiffness = {}\nfree = {}", point(a), point(b), k, free));
}

std::string rope(const std::string& name, const std::string& a, const std::string& b) {
    return constraint(name, "distance", fmt::format("a = \"{}\"\nb = \"{}\"", point(a), point(b)));
}

std::vector<double> angular(const Modes& modes) {
    std::vector<double> out;
    for (const Mode& mode : modes.modes) out.push_back(std::abs(mode.eigenvalue));
    return out;
}

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
        for (int c = 0; c < 3; ++c)
            CHECK(found.spin[static_cast<std::size_t>(c)] == near(W * axis(c), 1e-11));
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
            for (const double x :
                 found.forces.constraints[static_cast<std::size_t>(i - 1)].reaction)
                square += x * x;
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

TEST_SUITE("modes") {
    TEST_CASE("double pendulum: w^2 = (2 -+ sqrt 2) g / l, without modes of its rods") {
        Simulation simulation =
            model(model_text() + point_mass("upper", {0, 0, -1}, 1.0, "coordinates = \"xz\"\n") +
                  point_mass("lower", {0, 0, -2}, 1.0, "coordinates = \"xz\"\n") +
                  rope("a", "ground@[0, 0, 0]", "upper") + rope("b", "upper", "lower") +
                  steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 2);
        CHECK(angular(modes)[0] == near(std::sqrt((2.0 - std::sqrt(2.0)) * kG), 1e-9));
        CHECK(angular(modes)[1] == near(std::sqrt((2.0 + std::sqrt(2.0)) * kG), 1e-9));
        CHECK(modes.modes[0].damping == 0.0);
        // Lower over upper is sqrt 2 in the first mode, -sqrt 2 in the second.
        const auto ratio = [&](int k) {
            const auto& bodies = modes.modes[static_cast<std::size_t>(k)].bodies;
            return (bodies[1].displacement[0] / bodies[0].displacement[0]).real();
        };
        CHECK(ratio(0) == near(1.0 + std::sqrt(2.0), 1e-7));
        CHECK(ratio(1) == near(1.0 - std::sqrt(2.0), 1e-7));
    }
    TEST_CASE("a physical pendulum with a damper on its hinge: frequency and damping ratio") {
        const double c = 0.05, J = 0.09 + 0.25;
        Simulation simulation = model(
            model_text() +
            body("arm", "ancf_rigid_body", "position = [0, 0, -0.5]", 1.0, "[0.09, 0.09, 0.01]") +
            constraint("pin",
                       "revolute",
                       "a = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
            force("oil", "damper", fmt::format("on = \"pin.angle\"\ndamping = {}", c)) +
            steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 1);
        const double w = std::sqrt(0.5 * kG / J);
        CHECK(angular(modes)[0] == near(w, 1e-7));
        CHECK(modes.modes[0].damping == near(0.5 * c / J / w, 1e-7));
        REQUIRE(modes.modes[0].measures.size() >= 1);
        CHECK(modes.modes[0].measures[0].name == "pin.angle");
    }
    // Against each other with (2 k, 2 c) / J; as a whole they are free in six ways.
    TEST_CASE("two bars on a damped hinge float free: six motions without a frequency, told once") {
        const double k = 40.0, c = 0.3, J = 0.09;
        const auto bars = [&](const std::string& laws) {
            return model_text(false) +
                   body("one", "ancf_rigid_body", "", 1.0, "[0.01, 0.09, 0.09]") +
                   body("two",
                        "ancf_rigid_body",
                        "position = [1, 0, 0]",
                        1.0,
                        "[0.01, 0.09, 0.09]") +
                   constraint(
                       "hinge",
                       "revolute",
                       "a = \"one\"\nb = \"two\"\npoint = [0.5, 0, 0]\naxis = [0, 0, 1]\n" + laws) +
                   steps("emm", 1e-3, 1.0);
        };
        Simulation simulation = model(bars(fmt::format("spring = {}\ndamping = {}", k, c)));
        const Modes modes = simulation.modes();
        CHECK(modes.degrees_of_freedom == 7);
        CHECK(modes.is_complete);
        REQUIRE(modes.modes.size() == 7);
        for (int i = 0; i < 6; ++i)
            CHECK(modes.modes[static_cast<std::size_t>(i)].eigenvalue == 0.0);
        const std::complex<double> bending = modes.modes[6].eigenvalue;
        CHECK(bending.real() == near(-c / J, 1e-7));
        CHECK(bending.imag() == near(std::sqrt(2.0 * k / J - c / J * c / J), 1e-7));
        CHECK(simulation.modes({3}).modes.size() == 3);
        CHECK(!simulation.modes({3}).is_complete);
        // Without the spring the hinge comes to rest anywhere: of its own two eigenvalues one is 0.
        Simulation slack = model(bars(fmt::format("damping = {}", c)));
        const Modes damped = slack.modes();
        REQUIRE(damped.modes.size() == 8);
        CHECK(damped.modes[6].eigenvalue == 0.0);
        CHECK(damped.modes[7].eigenvalue.real() == near(-2.0 * c / J, 1e-7));
        CHECK(damped.modes[7].eigenvalue.imag() == 0.0);
    }
    TEST_CASE("a string of masses under tension: w = 2 sqrt(T / m l) sin(k pi / 2 (n + 1))") {
        const int n = 9;
        const double T = 100.0, l = 0.1, m = 0.01, k = 1e5;
        std::string text = "[model]\n";
        for (int i = 1; i <= n; ++i) text += point_mass(fmt::format("p{}", i), {l * i, 0, 0}, m);
        for (int i = 0; i <= n; ++i)
            text += spring(
                fmt::format("s{}", i),
                i == 0 ? "ground@[0, 0, 0]" : fmt::format("p{}", i),
                i == n ? fmt::format("ground@[{}, 0, 0]", l * (n + 1)) : fmt::format("p{}", i + 1),
                k,
                l - T / k);
        Simulation simulation = model(text + steps("emm", 1e-4, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == 3 * n);
        // Each transverse mode is there twice.
        for (int j = 1; j <= 4; ++j) {
            const double w =
                2.0 * std::sqrt(T / (m * l)) * std::sin(j * std::numbers::pi / (2.0 * (n + 1)));
            CHECK(angular(modes)[static_cast<std::size_t>(2 * j - 2)] == near(w, 1e-5 * w));
            CHECK(angular(modes)[static_cast<std::size_t>(2 * j - 1)] == near(w, 1e-5 * w));
        }
    }
    TEST_CASE("a large net of masses: Lanczos finds the lowest modes") {
        const int n = 600;
        const double k = 1e4, m = 1e-2;
        std::string text = "[model]\n";
        for (int i = 1; i <= n; ++i) text += point_mass(fmt::format("p{}", i), {0.01 * i, 0, 0}, m);
        for (int i = 0; i <= n; ++i) {
            const std::string a = i == 0 ? "ground@[0, 0, 0]" : fmt::format("p{}", i);
            const std::string b = i == n ? fmt::format("ground@[{}, 0, 0]", 0.01 * (n + 1))
                                         : fmt::format("p{}", i + 1);
            text += spring(fmt::format("s{}", i), a, b, k, 0.005);
        }
        Simulation simulation = model(text + steps("emm", 1e-4, 1.0));
        const Modes modes = simulation.modes({6});
        REQUIRE(modes.modes.size() == 6);
        CHECK_FALSE(modes.is_complete);
        // Half of the spring's length is stretch: T / l = k / 2 for both transverse directions, k
        // along.
        const auto w = [&](double stiffness, int j) {
            return 2.0 * std::sqrt(stiffness / m) *
                   std::sin(j * std::numbers::pi / (2.0 * (n + 1)));
        };
        const double expected[] = {
            w(0.5 * k, 1), w(0.5 * k, 1), w(k, 1), w(0.5 * k, 2), w(0.5 * k, 2), w(k, 2)};
        for (std::size_t i = 0; i < 6; ++i)
            CHECK(angular(modes)[i] == near(expected[i], 1e-6 * expected[i]));
    }
    TEST_CASE("a spinning tether: its spin out of plane, and stretch") {
        // Two masses on a rod-like spring, spinning about its middle: out of plane the spin's own
        // rate; along the spring w^2 = 2 k / m + 3 W^2.
        const double W = 2.0, k = 50.0, m = 1.0, r = 1.0;
        // At radius r the spring's stretch makes the centripetal force.
        const double free = 2.0 * r - m * W * W * r / k;
        const std::string text =
            "[model]\n" +
            point_mass("a", {r, 0, 0}, m, fmt::format("velocity = [0, {}, 0]\n", W * r)) +
            point_mass("b", {-r, 0, 0}, m, fmt::format("velocity = [0, {}, 0]\n", -W * r)) +
            spring("rope", "a", "b", k, free) + steps("emm", 1e-3, 1.0);
        Simulation simulation = model(text);
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.spin[2] == near(W, 1e-12));
        const std::vector<double> w = angular(modes);
        const auto has = [&](double value) {
            return std::ranges::any_of(w, [&](double x) {
                return std::abs(x - value) <= 1e-6;
            });
        };
        CHECK(has(W));
        CHECK(has(std::sqrt(2.0 * k / m + 3.0 * W * W)));
    }
    TEST_CASE("a string that spins about its hub: 1, 6, 15 W^2 out of plane") {
        // Masses in the middles of n equal pieces; the tension in each link is what the spin of all
        // beyond it asks for. Out of plane m w^2 z is the pull of two links.
        const int n = 24;
        const double W = 3.0, l = 1.0 / n, m = 0.5 / n, k = 1e6;
        const auto radius = [&](int i) {
            return (i - 0.5) * l;
        };
        std::string text = "[model]\n";
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
        for (int i = 1; i <= n; ++i) {
            text += point_mass(fmt::format("p{}", i),
                               {radius(i), 0, 0},
                               m,
                               fmt::format("velocity = [0, {:.17g}, 0]\n", W * radius(i)));
            double tension = 0.0;
            for (int j = i; j <= n; ++j) tension += m * W * W * radius(j);
            const double length = i == 1 ? 0.5 * l : l;
            text += spring(fmt::format("s{}", i),
                           i == 1 ? "ground@[0, 0, 0]" : fmt::format("p{}", i - 1),
                           fmt::format("p{}", i),
                           k,
                           length - tension / k);
            K(i - 1, i - 1) += tension / length;
            if (i == 1) continue;
            K(i - 2, i - 2) += tension / length;
            K(i - 1, i - 2) -= tension / length;
            K(i - 2, i - 1) -= tension / length;
        }
        Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.spin[2] == near(W, 1e-12));
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K / m);
        // Those that move out of plane, in their order.
        std::vector<double> out_of_plane;
        for (const Mode& mode : modes.modes) {
            double across = 0.0, along = 0.0;
            for (const Mode::Part& part : mode.bodies) {
                along += std::norm(part.displacement[0]) + std::norm(part.displacement[1]);
                across += std::norm(part.displacement[2]);
            }
            if (across > along) out_of_plane.push_back(std::abs(mode.eigenvalue));
        }
        REQUIRE(out_of_plane.size() == static_cast<std::size_t>(n));
        const double continuous[] = {1.0, 6.0, 15.0};
        for (std::size_t j = 0; j < 3; ++j) {
            const double w = out_of_plane[j];
            CHECK(w ==
                  near(std::sqrt(eigen.eigenvalues()[static_cast<Eigen::Index>(j)]), 1e-6 * w));
            CHECK(w * w / (W * W) == near(continuous[j], 0.01 * continuous[j]));
        }
    }
    TEST_CASE("a beam of bodies on torsion springs against its matrices, and against Euler") {
        const int n = 16;
        const double l = 1.0 / n, m = 2.0 / n, J = 1e-6, EI = 30.0;
        std::string text = "[model]\n";
        for (int i = 0; i < n; ++i)
            text += body(fmt::format("piece{}", i),
                         "ancf_rigid_body",
                         fmt::format("position = [{:.17g}, 0, 0]", (i + 0.5) * l),
                         m,
                         fmt::format("[{0}, {0}, {0}]", J));
        Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), K = M;
        for (int i = 0; i < n; ++i) {
            text += constraint(
                fmt::format("hinge{}", i),
                "revolute",
                fmt::format(
                    "a = \"{}\"\nb = \"piece{}\"\npoint = [{:.17g}, 0, 0]\naxis = [0, 1, 0]",
                    i == 0 ? "ground" : fmt::format("piece{}", i - 1),
                    i,
                    i * l));
            // From middle to middle of the pieces; the first one has half of it.
            const double k = (i == 0 ? 2.0 : 1.0) * EI / l;
            text += force(fmt::format("bend{}", i),
                          "spring",
                          fmt::format("on = \"hinge{}.angle\"\nstiffness = {:.17g}", i, k));
            Eigen::VectorXd at = Eigen::VectorXd::Zero(n), bend = at;
            at.head(i).setConstant(l);
            at[i] = 0.5 * l;
            bend[i] = 1.0;
            if (i > 0) bend[i - 1] = -1.0;
            M += m * at * at.transpose();
            M(i, i) += J;
            K += k * bend * bend.transpose();
        }
        Simulation simulation = model(text + steps("emm", 1e-4, 1.0));
        const Modes modes = simulation.modes();
        REQUIRE(modes.modes.size() == static_cast<std::size_t>(n));
        const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, M);
        const std::vector<double> w = angular(modes);
        for (std::size_t j = 0; j < w.size(); ++j)
            CHECK(w[j] ==
                  near(std::sqrt(eigen.eigenvalues()[static_cast<Eigen::Index>(j)]), 1e-7 * w[j]));
        // (beta L)^2 sqrt(EI / rho A L^4) of the clamped beam.
        const double roots[] = {1.8751040687, 4.6940911330};
        for (std::size_t j = 0; j < 2; ++j) {
            const double euler = roots[j] * roots[j] * std::sqrt(EI / 2.0);
            CHECK(w[j] == near(euler, 0.01 * euler));
        }
    }
    TEST_CASE("a rotor: gyroscopic moments split its whirl into one forward and one backward") {
        // Jt w^2 -+ Jp W w - m g l = 0 about the hanging axis, for the spin W; in the frame that
        // turns along they are seen at w - W and w + W.
        const double m = 2.0, l = 0.4, across = 0.05, Jp = 0.08, W = 30.0;
        const double Jt = across + m * l * l;
        Simulation simulation = model(
            model_text() +
            body("rotor",
                 "ancf_rigid_body",
                 fmt::format("position = [0, 0, {}]\nangular_velocity = [0, 0, {}]", -l, W),
                 m,
                 fmt::format("[{0}, {0}, {1}]", across, Jp)) +
            constraint("ball", "spherical", "a = \"ground\"\nb = \"rotor\"\npoint = [0, 0, 0]") +
            steps("emm", 1e-3, 1.0));
        const Modes modes = simulation.modes();
        CHECK(modes.is_spinning);
        CHECK(modes.degrees_of_freedom == 3);
        const double half = 0.5 * Jp * W / Jt;
        const double root = std::sqrt(half * half + m * kG * l / Jt);
        const double forward = half + root, backward = root - half;
        CHECK(forward / backward >= 1.5);
        const std::vector<double> w = angular(modes);
        for (const double expected : {std::abs(forward - W), backward + W})
            CHECK(std::ranges::any_of(w, [&](double x) {
                return std::abs(x - expected) <= 1e-7 * expected;
            }));
        for (const Mode& mode : modes.modes) CHECK(std::abs(mode.eigenvalue.real()) <= 1e-7);
    }
    TEST_CASE("a model that falls has no modes, and says what to do") {
        Simulation simulation =
            model(model_text() + point_mass("bob", {1, 0, 0}) +
                  rope("rod", "ground@[0, 0, 0]", "bob") + steps("emm", 1e-3, 1.0));
        CHECK_THROWS_WITH_AS(simulation.modes(), doctest::Contains("--at-rest"), Error);
    }
}

TEST_SUITE("linear models") {
    TEST_CASE("cart and pendulum: A, B, C against the equations on paper") {
        // (M + m) x'' + m l th'' = F, m l x'' + (J + m l^2) th'' + m g l th = tau
        const double M = 2.0, m = 1.0, l = 0.5, J = 0.09;
        Simulation simulation = model(
            model_text() + body("cart", "ancf_rigid_body", "", M) +
            body("arm", "ancf_rigid_body", "position = [0, 0, -0.5]", m, "[0.09, 0.09, 0.01]") +
            constraint("rail",
                       "prismatic",
                       "a = \"ground\"\nb = \"cart\"\npoint = [0, 0, 0]\naxis = [1, 0, 0]") +
            constraint("pin",
                       "revolute",
                       "a = \"cart\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
            steps("emm", 1e-3, 1.0));
        const LinearModel linear =
            simulation.linearize({"cart.x", "pin.angle"},
                                 {"rail.displacement", "pin.angle", "arm.vx", "pin.angle_rate"});
        REQUIRE(linear.num_states == 4);
        using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::Map<const Rows> A(linear.A.data(), 4, 4), B(linear.B.data(), 4, 2),
            C(linear.C.data(), 4, 4);
        // In coordinates of one's own choice: Markov parameters C A^k B do not depend on it.
        Eigen::Matrix2d mass, stiffness = Eigen::Matrix2d::Zero();
        // The angle about +y turns the arm, which hangs along -z, towards -x.
        mass << M + m, -m * l, -m * l, J + m * l * l;
        stiffness(1, 1) = m * kG * l;
        Eigen::Matrix4d a = Eigen::Matrix4d::Zero();
        a.topRightCorner<2, 2>().setIdentity();
        a.bottomLeftCorner<2, 2>() = -mass.inverse() * stiffness;
        Eigen::Matrix<double, 4, 2> b = Eigen::Matrix<double, 4, 2>::Zero();
        b.bottomRows<2>() = mass.inverse();
        Eigen::Matrix4d c = Eigen::Matrix4d::Zero();
        c(0, 0) = c(1, 1) = c(3, 3) = 1.0;
        c(2, 2) = 1.0;
        c(2, 3) = -l;
        Eigen::MatrixXd x = B, y = b;
        for (int k = 0; k < 5; ++k) {
            CAPTURE(k);
            CHECK((C * x - c * y).cwiseAbs().maxCoeff() <= tolerance(1e-6));
            x = A * x;
            y = a * y;
        }
        CHECK_THROWS_WITH_AS(
            simulation.linearize({"cart.q"}, {"pin.angle"}), doctest::Contains("no input"), Error);
    }
    TEST_CASE("A, B, C, D against runs of the model that are pushed a little") {
        const auto text = [](double push) {
            return model_text() + body("upper", "ancf_rigid_body", "position = [0, 0, -0.4]") +
                   body("lower", "ancf_rigid_body", "position = [0, 0.1, -1.1]") +
                   constraint(
                       "ball", "spherical", "a = \"ground\"\nb = \"upper\"\npoint = [0, 0, 0]") +
                   constraint(
                       "pin",
                       "revolute",
                       "a = \"upper\"\nb = \"lower\"\npoint = [0, 0, -0.8]\naxis = [1, 0, 0]") +
                   force("knee",
                         "spring_damper",
                         "on = \"pin.angle\"\nstiffness = 4\ndamping = 0.3") +
                   force(
                       "push",
                       "point_load",
                       fmt::format("at = \"lower@[0.2, 0, -0.1]\"\nforce = [{0}, {0}, 0]", push)) +
                   "[integrator]\ntype = \"dopri5\"\nstep = 1e-3\nend = 0.6\ntolerance = 1e-12\n";
        };
        const auto at_rest = [](std::string model_text) {
            model_text.insert(model_text.find('\n') + 1, "start = \"equilibrium\"\n");
            return model_text;
        };
        const std::vector<std::string> outputs{
            "lower.x", "lower.vy", "pin.angle", "pin.angle_rate"};
        Simulation rest = model(at_rest(text(0.0)));
        const LinearModel linear =
            rest.linearize({"lower@[0.2, 0, -0.1].x", "lower@[0.2, 0, -0.1].y"}, outputs);
        using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const int x = linear.num_states;
        REQUIRE(x == 8);
        const Eigen::Map<const Rows> A(linear.A.data(), x, x), B(linear.B.data(), x, 2),
            C(linear.C.data(), 4, x);
        // The course under a constant push, by small steps of the classical Runge-Kutta method.
        const double push = 1e-5, end = 0.6;
        const Eigen::VectorXd u = B * Eigen::Vector2d(push, push);
        Eigen::VectorXd state = Eigen::VectorXd::Zero(x);
        const int count = 6000;
        const double h = end / count;
        for (int k = 0; k < count; ++k) {
            const Eigen::VectorXd a = A * state + u, b = A * (state + 0.5 * h * a) + u,
                                  c = A * (state + 0.5 * h * b) + u, d = A * (state + h * c) + u;
            state += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        }
        const Eigen::VectorXd predicted = C * state;
        // Runs from rest; what both pushes have in common is of second order.
        std::vector<Eigen::VectorXd> ends;
        for (const double sign : {1.0, -1.0}) {
            Simulation run = model(text(sign * push));
            run.set_state(rest.q(), rest.v());
            run_to_end(run);
            Eigen::VectorXd& values = ends.emplace_back(4);
            for (int i = 0; i < 4; ++i)
                values[i] = column(run, outputs[static_cast<std::size_t>(i)]);
        }
        const Eigen::VectorXd seen = 0.5 * (ends[0] - ends[1]);
        for (Eigen::Index i = 0; i < 4; ++i) {
            CAPTURE(i);
            CHECK(std::abs(seen[i]) >= 1e-7);
            CHECK(seen[i] == near(predicted[i], 1e-5 * predicted.cwiseAbs().maxCoeff()));
        }
    }
}

TEST_SUITE("inverse dynamics") {
    TEST_CASE("a driven arm: the torque is J th'' + m g l sin th, and fed back it gives the path") {
        const std::string arm =
            model_text() +
            body("arm", "ancf_rigid_body", "position = [0, 0, -0.5]", 1.0, "[0.09, 0.09, 0.01]") +
            constraint("pin",
                       "revolute",
                       "a = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]");
        Simulation simulation = model(
            arm + constraint("motor", "drive", "on = \"pin.angle\"\nmotion = \"7*sin(t)*sin(t)\"") +
            steps("emm", 1e-2, 2.0));
        simulation.require_prescribed();
        const double J = 0.09 + 0.25;
        for (int k = 1; k <= 200; ++k) {
            const double t = 0.01 * k;
            simulation.follow_prescribed(t);
            const double angle = 7.0 * std::sin(t) * std::sin(t);
            const double acceleration = 14.0 * std::cos(2.0 * t);
            CHECK(simulation.value("pin.angle") == near(angle, 1e-10));
            CHECK(std::abs(simulation.value("motor.effort")) ==
                  near(std::abs(J * acceleration + 0.5 * kG * std::sin(angle)), 1e-7));
        }
        Simulation free = model(arm + steps("emm", 1e-2, 2.0));
        CHECK_THROWS_WITH_AS(free.require_prescribed(), doctest::Contains("1 degree of"), Error);
    }
    TEST_CASE("torques of two driven hinges, fed back as motors, lead along the same path") {
        const double end = 1.0;
        const auto arm = [&](const std::string& laws, double step) {
            return model_text() +
                   body("upper",
                        "ancf_rigid_body",
                        "position = [0.3, 0, 0]",
                        2.0,
                        "[0.02, 0.1, 0.1]") +
                   body("fore",
                        "ancf_rigid_body",
                        "position = [0.85, 0, 0]",
                        1.0,
                        "[0.01, 0.04, 0.04]") +
                   constraint(
                       "shoulder",
                       "revolute",
                       "a = \"ground\"\nb = \"upper\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]") +
                   constraint("elbow",
                              "revolute",
                              "a = \"upper\"\nb = \"fore\"\npoint = [0.6, 0, 0]\naxis = [0, 0.6, "
                              "0.8]") +
                   laws + steps("emm", step, end);
        };
        const auto drive = [](const char* name, const char* motion) {
            return constraint(fmt::format("{}_drive", name),
                              "drive",
                              fmt::format("on = \"{}.angle\"\nmotion = \"{}\"", name, motion));
        };
        Simulation driven = model(
            arm(drive("shoulder", "0.7*sin(2*t)*sin(2*t)") + drive("elbow", "1.1*sin(t)*sin(3*t)"),
                1e-3));
        driven.require_prescribed();
        std::string laws;
        std::vector<std::string> tables{"", ""};
        const int count = 1000;
        for (int k = 0; k <= count; ++k) {
            const double t = end * k / count;
            driven.follow_prescribed(t);
            for (std::size_t j = 0; j < 2; ++j)
                tables[j] += fmt::format(
                    "{}[{:.17g}, {:.17g}]",
                    k == 0 ? "" : ", ",
                    t,
                    driven.value(j == 0 ? "shoulder_drive.effort" : "elbow_drive.effort"));
        }
        for (std::size_t j = 0; j < 2; ++j)
            laws += force(
                fmt::format("motor{}", j),
                "motor",
                fmt::format(
                    "on = \"{}.angle\"\neffort = [{}]", j == 0 ? "shoulder" : "elbow", tables[j]));
        // Order 2, of the step and of the table between its rows.
        std::vector<double> errors;
        for (const double step : {4e-3, 2e-3}) {
            Simulation fed = model(arm(laws, step));
            run_to_end(fed);
            errors.push_back(
                std::abs(fed.value("shoulder.angle") - driven.value("shoulder.angle")) +
                std::abs(fed.value("elbow.angle") - driven.value("elbow.angle")));
        }
        CHECK(std::abs(driven.value("elbow.angle")) >= 0.1);
        CHECK(errors[1] <= 1e-4);
        CHECK(std::log2(errors[0] / errors[1]) == near(2.0, 0.2));
    }
}

}  // namespace
}  // namespace ancora::testing
