// SPDX-License-Identifier: BSD-3-Clause
// Rest, modes, linear models and inverse dynamics against closed forms and runs.
#include <algorithm>
#include <cmath>
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
    TEST_CASE("what nothing holds has no rest, and says so") {
        Simulation simulation =
            model(model_text() + point_mass("stone", {0, 0, 0}) + steps("emm", 1e-3, 1.0));
        CHECK_THROWS_WITH_AS(simulation.find_equilibrium(), doctest::Contains("stone"), Error);
        // The state stays.
        CHECK(simulation.point("stone@[0, 0, 0]").position[2] == 0.0);
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
}

}  // namespace
}  // namespace ancora::testing
