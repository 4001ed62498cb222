// SPDX-License-Identifier: BSD-3-Clause
// Types that are written as one function, in models, under `emm` and `rk4`: what is kept, and
// against the same mechanism in another form.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/near.hpp"

using namespace ancora;
using ancora::testing::Run;
using ancora::testing::tolerance;

namespace {

std::string integrator(const char* type, double h, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, h, end);
}

std::string particle(const char* name, double mass, const char* position, const char* velocity) {
    return fmt::format(R"(
[[body]]
name = "{}"
type = "particle"
mass = {:.17g}
position = {}
velocity = {}
)",
                       name,
                       mass,
                       position,
                       velocity);
}

/// Largest |balance| of energy, momentum and angular momentum over all steps, and the largest gap.
struct Kept {
    double energy = 0.0, momentum = 0.0, angular_momentum = 0.0, gap = 0.0;
};
Kept run_and_watch(Run& run) {
    Kept kept;
    const auto raise = [&run](double& largest, const std::string& column) {
        largest = std::max(largest, std::abs(run.column(column)));
    };
    while (!run.simulation.done()) {
        run.simulation.step();
        raise(kept.energy, "energy.balance");
        for (const char* axis : {"x", "y", "z"}) {
            raise(kept.momentum, fmt::format("momentum.balance.{}", axis));
            raise(kept.angular_momentum, fmt::format("angular_momentum.balance.{}", axis));
        }
        raise(kept.gap, "constraint.position");
    }
    return kept;
}

std::array<double, 3> place(const Run& run, const std::string& body) {
    return {run.column(body + ".x"), run.column(body + ".y"), run.column(body + ".z")};
}
double distance_between(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Three particles that keep a right angle at b; two springs of the SDK hold them together.
std::string right_angle() {
    return particle("a", 1.0, "[1, 0, 0]", "[0, 0.4, 0.7]") +
           particle("b", 2.0, "[0, 0, 0]", "[0.1, 0, -0.3]") +
           particle("c", 1.5, "[0, 1.2, 0]", "[-0.38, 0.2, 0.5]") + R"(
[[constraint]]
name = "angle"
type = "w_angle"
a = "a@0"
b = "b@0"
c = "c@0"
angle = 1.5707963267948966
[[constraint]]
name = "spring"
type = "w_distance"
a = "a@0"
b = "b@0"
length = 0.9
stiffness = 40.0
[[constraint]]
name = "spring2"
type = "w_distance"
a = "b@0"
b = "c@0"
length = 1.3
stiffness = 25.0
)";
}

/// Two particles on a rope of length 3 that runs over two fixed pulleys, in gravity.
std::string rope(const char* second_end) {
    return "[model]\ngravity = [0, 0, -9.81]\n" +
           particle("a", 1.0, "[0.6, 0, -0.8]", "[0, 0.5, 0]") +
           particle("c", 1.4, "[2, 0, -2]", "[0, 0.3, 0]") +
           fmt::format(R"(
[[constraint]]
name = "rope"
type = "w_gear"
a = "a@0"
b = "ground@[0, 0, 0]"
c = "c@0"
d = "{}"
ratio = 1.0
length = 3.0
)",
                       second_end);
}

std::string rods(const char* type) {
    return "[model]\ngravity = [0, 0, -9.81]\n" + particle("a", 1.0, "[1, 0, 0]", "[0, 1, 0]") +
           particle("b", 0.5, "[1, 0, -0.7]", "[0, -1, 0]") +
           fmt::format(R"(
[[constraint]]
name = "upper"
type = "{0}"
a = "a@0"
b = "ground@[0, 0, 0]"
length = 1.0
[[constraint]]
name = "lower"
type = "{0}"
a = "b@0"
b = "a@0"
length = 0.7
)",
                       type);
}

}  // namespace

TEST_SUITE("written types in models") {
    // No outside force: all three laws, at steps from fine to coarse.
    TEST_CASE("an angle of three free points keeps energy, momentum and angular momentum") {
        for (const double h : {0.002, 0.02, 0.1}) {
            CAPTURE(h);
            Run run(right_angle() + integrator("emm", h, 10.0));
            const Kept kept = run_and_watch(run);
            CHECK(kept.energy <= tolerance(2e-13));
            CHECK(kept.momentum <= tolerance(1e-13));
            CHECK(kept.angular_momentum <= tolerance(1e-13));
            CHECK(kept.gap <= tolerance(1e-13));
        }
    }

    TEST_CASE("distances geared to each other keep energy and close to rounding") {
        Run run(rope("ground@[2, 0, 0]") + integrator("emm", 0.01, 5.0));
        const Kept kept = run_and_watch(run);
        CHECK(kept.energy <= tolerance(1e-12));
        CHECK(kept.momentum <= tolerance(1e-12));
        CHECK(kept.angular_momentum <= tolerance(1e-12));
        CHECK(kept.gap <= tolerance(1e-13));
    }

    // For a distance there is one B that closes and has no moment, but for its length: along the
    // mean of d. So |d| - L and (d.d - L^2) / 2L step alike, and so does one whose author wrote B.
    TEST_CASE("|d| - L takes the same steps as its quadratic form") {
        Run square(rods("w_square") + integrator("emm", 0.01, 3.0));
        square.to_end();
        for (const char* type : {"w_distance", "w_hand", "w_plain"}) {
            CAPTURE(std::string(type));
            Run other(rods(type) + integrator("emm", 0.01, 3.0));
            const Kept kept = run_and_watch(other);
            for (const char* body : {"a", "b"})
                CHECK(distance_between(place(square, body), place(other, body)) <=
                      tolerance(1e-11));
            CHECK(kept.energy <= tolerance(1e-12));
        }
    }

    // `emm` uses B, `rk4` uses A and b: two sets of derivatives, one motion.
    TEST_CASE("emm and rk4 agree, the first to second order") {
        const auto difference = [](const std::string& model, const char* body, double h) {
            Run reference(model + integrator("rk4", 0.0005, 1.0));
            Run steps(model + integrator("emm", h, 1.0));
            reference.to_end();
            steps.to_end();
            return distance_between(place(reference, body), place(steps, body));
        };
        const std::string follow = particle("a", 1.0, "[0.5, 0.2, 0.1]", "[0, 0.3, 0.2]") +
                                   particle("b", 1.0, "[0.15, 0, 0]", "[0.08, 0, 0]") + R"(
[[constraint]]
name = "follow"
type = "w_follow"
x = "b.x"
p = "a@0"
c = 1.0
)";
        const std::string drive = particle("a", 1.0, "[1, 0, 0]", "[0.34, 1, 0]") + R"(
[[constraint]]
name = "drive"
type = "w_drive"
a = "a@0"
b = "ground@[0, 0, 0]"
length = 1.0
stroke = 0.2
rate = 1.7
)";
        for (const std::string& model :
             {right_angle(), rope("ground@[2, 0, 0]"), rods("w_distance"), drive, follow}) {
            CAPTURE(model);
            const double coarse = difference(model, "a", 0.01);
            const double fine = difference(model, "a", 0.005);
            CHECK(fine <= 1e-3);
            CHECK(std::log2(coarse / fine) == doctest::Approx(2.0).epsilon(0.05));
        }
    }

    // The drive does work: it is recorded as external, and the ledger closes.
    TEST_CASE("a driven length follows its law, and its work is booked") {
        Run run(particle("a", 1.0, "[1, 0, 0]", "[0.34, 1, 0]") +
                particle("b", 2.0, "[0, 0, 0]", "[0, 0, 0.2]") + R"(
[[constraint]]
name = "drive"
type = "w_drive"
a = "a@0"
b = "b@0"
length = 1.0
stroke = 0.2
rate = 1.7
)" + integrator("emm", 0.02, 4.0));
        const Kept kept = run_and_watch(run);
        CHECK(kept.energy <= tolerance(1e-13));
        CHECK(kept.momentum <= tolerance(1e-13));
        CHECK(kept.angular_momentum <= tolerance(1e-13));
        CHECK(std::abs(run.column("work.external")) > 1e-3);
        CHECK(std::abs(distance_between(place(run, "a"), place(run, "b")) -
                       (1.0 + 0.2 * std::sin(1.7 * 4.0))) <= tolerance(1e-14));
    }
}

TEST_SUITE("written velocity conditions in models") {
    /// examples/knife_edge_on_slope on one rigid body, with the edge by `edge`.
    std::string skate(const std::string& edge) {
        return R"(
[model]
gravity = [4.905, 0.0, -8.5]
[[body]]
name = "skate"
type = "ancf_rigid_body"
size = [0.3, 0.1, 0.02]
density = 5000.0
penalty = inf
angular_velocity = [0.0, 0.0, 2.0]
[[constraint]]
name = "slope"
type = "point_on_plane"
point = "skate@[0, 0, 0]"
normal = [0.0, 0.0, 1.0]
[[constraint]]
name = "edge"
)" + edge;
    }

    TEST_CASE("a skate moves as the plugin that was written row by row") {
        const std::string by_hand =
            "type = \"knife_edge\"\nbody = \"skate\"\ndirection = [1.0, 0.0, 0.0]\n";
        const std::string written =
            "type = \"w_skate\"\np = \"skate@[0, 0, 0]\"\nd = \"skate@[1, 0, 0]\"\n";
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(std::string(type));
            Run reference(skate(by_hand) + integrator(type, 0.01, 2.0));
            Run run(skate(written) + integrator(type, 0.01, 2.0));
            reference.to_end();
            run.to_end();
            CHECK(distance_between(place(reference, "skate"), place(run, "skate")) <=
                  tolerance(1e-12));
            CHECK(run.column("work.external") == 0.0);
        }
    }

    // At constant speed c only the force across the path turns it: with v = c (cos a, sin a) and
    // gravity -g along y, a' = -(g / c) cos a, so sin a = tanh(artanh(sin a_0) - g t / c), and
    // x' = c cos a gives x = (c^2 / g) (a_0 - a), y = (c^2 / g) ln(cos a / cos a_0).
    TEST_CASE("a point whose speed is kept falls along the curve of the closed solution") {
        const auto error = [](const char* type, const char* method, double h) {
            constexpr double g = 9.81, c = 2.0, end = 0.5, a_0 = 0.6435011087932844;  // 4 / 5 of 1
            Run run("[model]\ngravity = [0, -9.81, 0]\n" +
                    particle("p", 1.5, "[0, 0, 0]", "[1.6, 1.2, 0]") +
                    fmt::format("[[constraint]]\nname = \"s\"\ntype = \"{}\"\np = \"p@0\"\n"
                                "speed = 2.0\n",
                                type) +
                    integrator(method, h, end));
            run.to_end();
            const double a = std::asin(std::tanh(std::atanh(std::sin(a_0)) - g * end / c));
            const std::array<double, 3> exact = {
                c * c / g * (a_0 - a), c * c / g * std::log(std::cos(a) / std::cos(a_0)), 0.0};
            return distance_between(place(run, "p"), exact);
        };
        CHECK(error("w_speed", "rk4", 0.0025) <= tolerance(1e-9));
        CHECK(error("w_plain_speed", "rk4", 0.0025) <= tolerance(1e-9));
        const double coarse = error("w_speed", "emm", 0.01);
        CHECK(std::log2(coarse / error("w_speed", "emm", 0.005)) ==
              doctest::Approx(2.0).epsilon(0.02));
        CHECK(error("w_plain_speed", "emm", 0.01) == doctest::Approx(coarse).epsilon(1e-6));
    }

    // psi is not homogeneous: the reaction does work, and the ledger records it.
    TEST_CASE("the work of a condition that is nonlinear in the velocity is booked") {
        Run run(particle("p", 1.5, "[0, 0, 0]", "[2, 0, 0]") + R"(
[[constraint]]
name = "s"
type = "w_speed"
p = "p@0"
speed = 2.0
acceleration = 3.0
)" + integrator("emm", 0.01, 1.0));
        const Kept kept = run_and_watch(run);
        CHECK(kept.energy <= tolerance(1e-12));
        // From the midpoint condition: (v_n + v_n+1) / 2 = 2 + 3 t at midpoints, so v(1) = 5
        CHECK(std::abs(run.column("p.vx") - 5.0) <= tolerance(1e-12));
        CHECK(std::abs(run.column("work.external") - 0.75 * (25.0 - 4.0)) <= tolerance(1e-12));
    }
}

TEST_SUITE("written forces in models") {
    // The midpoint rule on m v' = -c v: v_1 = v_0 (1 - a) / (1 + a), a = h c / (2 m)
    TEST_CASE("drag: the midpoint recursion, and its work in the ledger") {
        Run run(particle("p", 2.0, "[0, 0, 0]", "[1, -2, 0.5]") +
                "[[force]]\nname = \"air\"\ntype = \"w_drag\"\nat = \"p@0\"\nc = 0.7\n" +
                integrator("emm", 0.05, 1.0));
        const Kept kept = run_and_watch(run);
        const double a = 0.05 * 0.7 / 4.0;
        const double factor = std::pow((1.0 - a) / (1.0 + a), 20);
        CHECK(std::abs(run.column("p.vx") - factor) <= tolerance(1e-14));
        CHECK(std::abs(run.column("p.vy") + 2.0 * factor) <= tolerance(1e-14));
        CHECK(kept.energy <= tolerance(1e-14));
        CHECK(std::abs(run.column("work.nonideal") - 5.25 * (factor * factor - 1.0)) <=
              tolerance(1e-13));
    }

    TEST_CASE("one force between two points acts on both and keeps both momenta") {
        Run run(particle("a", 2.0, "[0, 0, 0]", "[1, -2, 0.5]") +
                particle("b", 1.0, "[1, 1, 0]", "[0, 0.3, 0]") +
                "[[force]]\nname = \"winch\"\ntype = \"w_winch\"\na = \"a@0\"\nb = \"b@0\"\n"
                "strength = 2.0\n" +
                integrator("emm", 0.02, 2.0));
        const Kept kept = run_and_watch(run);
        CHECK(kept.energy <= tolerance(1e-13));
        CHECK(kept.momentum <= tolerance(1e-14));
        CHECK(kept.angular_momentum <= tolerance(1e-13));
        CHECK(std::abs(run.column("work.nonideal")) > 1e-2);
    }

    // I theta'' = -k (theta - target) - c theta' about an axis, in free space.
    TEST_CASE(
        "a motor with stiff feedback is solved with its derivative, exact or by differences") {
        const double k = 4.0e5, c = 400.0, target = 0.6;
        const double I = 3.0;
        const auto model = [&](const char* motor, double step, double end) {
            return fmt::format(R"(
[[body]]
name = "arm"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.7, 0.9, 1.0]
position = [1.0, 0.0, 0.0]

[[constraint]]
name = "upper"
type = "position"
a = "arm@[-1.0, 0.0, 0.3]"
b = "ground@[0.0, 0.0, 0.3]"

[[constraint]]
name = "lower"
type = "position"
a = "arm@[-1.0, 0.0, -0.3]"
b = "ground@[0.0, 0.0, -0.3]"

[[force]]
name = "motor"
type = "{}"
a = "arm@[1.0, 0.0, 0.0]"
b = "ground@[1.0, 0.0, 0.0]"
axis = [0.0, 0.0, 1.0]
stiffness = {}
damping = {}
target = {}
)",
                               motor,
                               k,
                               c,
                               target) +
                   integrator("emm", step, end);
        };
        const double decay = c / (2.0 * I);
        const double w = std::sqrt(k / I - decay * decay);
        for (const char* motor : {"w_motor", "w_plain_motor"})
            for (const double step : {1e-4, 2e-3}) {
                CAPTURE(motor);
                CAPTURE(step);
                Run run(model(motor, step, 0.2));
                const Kept kept = run_and_watch(run);
                const RunStatistics statistics = run.simulation.statistics();
                CHECK(static_cast<double>(statistics.iterations) <=
                      8.0 * static_cast<double>(statistics.steps));
                CHECK(statistics.energy.max_rel <= tolerance(1e-12));
                CHECK(kept.gap <= tolerance(1e-13));
                if (step > 1e-3) continue;
                const double e = std::exp(-decay * 0.2);
                const double theta =
                    target - target * e * (std::cos(w * 0.2) + decay / w * std::sin(w * 0.2));
                CHECK(std::abs(run.column("arm.x") - std::cos(theta)) <= tolerance(1e-4));
                CHECK(std::abs(run.column("arm.y") - std::sin(theta)) <= tolerance(1e-4));
            }
        // Without a derivative the same steps, more dearly: where they can be taken at all.
        Run told(model("w_motor", 1e-4, 0.01));
        Run silent(model("w_silent_motor", 1e-4, 0.01));
        run_and_watch(told);
        run_and_watch(silent);
        CHECK(std::abs(told.column("arm.y") - silent.column("arm.y")) <= tolerance(1e-13));
        CHECK(told.simulation.statistics().iterations < silent.simulation.statistics().iterations);
    }

    TEST_CASE("a friction law of one line is coulomb_friction") {
        const auto model = [](const char* law) {
            return "[model]\ngravity = [0, 0, -9.81]\n" +
                   particle("block", 2.5, "[0, 0, 0]", "[1.7320508075688772, 0.4, 1.0]") + R"(
[[constraint]]
name = "ramp"
type = "point_on_plane"
point = "block@[0, 0, 0]"
normal = [-0.5, 0.0, 0.8660254037844386]
[[force]]
name = "rubbing"
on = "ramp"
)" + law + integrator("emm", 0.01, 1.0);
        };
        Run reference(model("type = \"coulomb_friction\"\nmu_kinetic = 0.3\nviscous = 0.4\n"));
        Run run(model("type = \"w_rubbing\"\nmu = 0.3\nviscous = 0.4\n"));
        reference.to_end();
        run.to_end();
        CHECK(distance_between(place(reference, "block"), place(run, "block")) <= tolerance(1e-14));
        CHECK(run.column("work.nonideal") < -1.0);
    }
}

TEST_SUITE("written bodies in models") {
    std::string molecule(const std::string& stiffness) {
        return R"(
[[body]]
name = "m"
type = "w_molecule"
nodes = [[1.0, 0.1, 0.0], [0.0, 0.0, 0.0], [-0.2, 0.9, 0.1]]
velocities = [[0.1, 0.5, 0.2], [0.0, -0.2, 0.3], [0.4, 0.0, -0.6]]
mass = 0.8
length = 1.1
)" + stiffness;
    }

    TEST_CASE("springs inside a body are springs between particles") {
        const auto spring = [](const char* name, const char* a, const char* b) {
            return fmt::format(
                "[[constraint]]\nname = \"{}\"\ntype = \"w_distance\"\na = \"{}@0\"\n"
                "b = \"{}@0\"\nlength = 1.1\nstiffness = 30.0\n",
                name,
                a,
                b);
        };
        Run parts(particle("a", 0.8, "[1.0, 0.1, 0.0]", "[0.1, 0.5, 0.2]") +
                  particle("b", 0.8, "[0, 0, 0]", "[0.0, -0.2, 0.3]") +
                  particle("c", 0.8, "[-0.2, 0.9, 0.1]", "[0.4, 0.0, -0.6]") +
                  spring("s", "a", "b") + spring("r", "b", "c") + integrator("emm", 0.02, 3.0));
        Run whole(molecule("stiffness = 30.0\n") + integrator("emm", 0.02, 3.0) +
                  "[output]\npoints = [\"m@0\", \"m@2\", \"m@middle\"]\n");
        parts.to_end();
        whole.to_end();
        const auto a = place(parts, "a");
        const auto c = place(parts, "c");
        CHECK(distance_between(a, place(whole, "m@0")) <= tolerance(1e-12));
        CHECK(distance_between(c, place(whole, "m@2")) <= tolerance(1e-12));
        const std::array<double, 3> middle = {
            0.5 * (a[0] + c[0]), 0.5 * (a[1] + c[1]), 0.5 * (a[2] + c[2])};
        CHECK(distance_between(middle, place(whole, "m@middle")) <= tolerance(1e-12));
        CHECK(std::abs(whole.column("energy.total") - parts.column("energy.total")) <=
              tolerance(1e-12));
    }

    TEST_CASE("a molecule with a bond angle, rigid or not, and a beam keep all three laws") {
        for (const char* stiffness : {"stiffness = 30.0\nangle_stiffness = 4.0\n",
                                      "stiffness = 30.0\nbending = 5.0\n",
                                      "stiffness = 3000.0\nangle_stiffness = 4.0\nbending = 2.0\n"})
            for (const double h : {0.005, 0.05}) {
                CAPTURE(std::string(stiffness));
                CAPTURE(h);
                Run run(molecule(stiffness) + integrator("emm", h, 5.0));
                // Rounding of the stresses, up to 300 N, in up to 1000 steps
                const double energy = run.column("energy.total");
                const Kept kept = run_and_watch(run);
                CHECK(kept.energy <= tolerance(1e-13) * energy);
                CHECK(kept.momentum <= tolerance(1e-13));
                CHECK(kept.angular_momentum <= tolerance(1e-13));
            }
    }

    TEST_CASE("emm converges to rk4, to second order") {
        const std::string model =
            molecule("stiffness = 30.0\nangle_stiffness = 4.0\nbending = 2.0\n");
        const auto error = [&](double h) {
            Run reference(model + integrator("rk4", 0.0005, 1.0));
            Run run(model + integrator("emm", h, 1.0));
            reference.to_end();
            run.to_end();
            return distance_between(place(reference, "m"), place(run, "m")) +
                   std::abs(reference.column("energy.kinetic") - run.column("energy.kinetic"));
        };
        CHECK(std::log2(error(0.01) / error(0.005)) == doctest::Approx(2.0).epsilon(0.02));
    }

    TEST_CASE("what it has no point for is refused with what it has") {
        const auto failure = [&](const char* where) {
            return ancora::testing::failure_of(
                       molecule("stiffness = 30.0\n") +
                       fmt::format("[[force]]\nname = \"f\"\ntype = \"w_drag\"\nat = \"{}\"\n"
                                   "c = 1.0\n",
                                   where) +
                       integrator("emm", 0.1, 0.1))
                .message;
        };
        const auto says = [&](const char* where, const char* text) {
            const std::string message = failure(where);
            CAPTURE(message);
            CHECK(message.find(text) != std::string::npos);
        };
        says("m@3", "the body has points @0 to @2");
        says("m@centre", "the body has no point of this name; it names middle");
        says("m@[1, 0, 0]", "go by number, @0 to @2, or by name; it names middle");
    }
}
