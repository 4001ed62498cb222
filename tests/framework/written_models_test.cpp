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

#include "models.hpp"
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

    // The drive does work: it is booked as external, and the ledger closes.
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
