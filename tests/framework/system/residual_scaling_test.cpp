// SPDX-License-Identifier: BSD-3-Clause
// Residuals in units of roundings: what a solution that is rounded leaves is about one, k roundings
// are about k, and units, axes and other bodies do not count.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "equations.hpp"

namespace ancora::testing {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();

std::string triple(const Eigen::Vector3d& x) {
    return fmt::format("[{}, {}, {}]", x[0], x[1], x[2]);
}

/// Units of length and mass in which a model is written, and the axes.
struct Units {
    double length = 1.0, mass = 1.0;
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    double force() const { return mass * length; }
};

/// Particles in a chain that hang by constraints, springs with dampers and prestress.
std::string chain(const Units& in, bool is_still = false) {
    std::string out = fmt::format(
        "[model]\ngravity = {}\n[integrator]\ntype = \"emm\"\nstep = 1e-3\n"
        "end = 1.0\n",
        triple(in.axes * Eigen::Vector3d(0.0, 0.0, -9.81 * in.length)));
    std::mt19937 random(3);
    constexpr int kCount = 4;
    for (int p = 0; p < kCount; ++p) {
        const Eigen::Vector3d velocity(0.3, 0.0, 0.1 * p);
        out += fmt::format(
            "[[body]]\nname = \"p{}\"\ntype = \"particle\"\nmass = {}\nposition = {}\nvelocity = "
            "{}\n",
            p,
            in.mass * (0.5 + p),
            triple(in.axes * Eigen::Vector3d(1.0 + p, 0.2 * p * p, -1.0) * in.length),
            triple(in.axes * (is_still ? Eigen::Vector3d::Zero() : velocity) * in.length));
    }
    for (int p = 0; p < kCount; ++p) {
        const Eigen::Vector3d axis = Eigen::Vector3d(0.0, p % 2 == 0 ? 1.0 : 0.6, 0.8);
        const bool is_constraint = p % 2 == 0;
        out += fmt::format(
            "[[constraint]]\nname = \"c{}\"\ntype = \"test_spring\"\naxis = {}\na = "
            "\"p{}@0\"\nb = \"{}\"\n",
            p,
            triple(in.axes * (is_constraint ? Eigen::Vector3d(0.0, 1.0, 0.0) : axis)),
            p,
            is_constraint
                ? "ground@" + triple(in.axes * Eigen::Vector3d(0.0, 0.2 * p * p, 0.0) * in.length)
                : fmt::format("p{}@0", p - 1));
        if (!is_constraint)
            out +=
                fmt::format("law = \"elastic\"\ncompliance = {}\nviscosity = {}\nprestress = {}\n",
                            0.01 / in.mass,
                            3.0 * in.mass,
                            2.0 * in.force());
    }
    return out;
}

/// The defect of a trial that is the same in any units.
ScaledResidual defect_of(const Units& in, unsigned seed, double slack = 0.0) {
    Equations model(chain(in));
    std::mt19937 random(seed);
    VectorXd a = random_vector(model.n, random);
    for (Index i = 0; i < model.n; i += 3)
        a.segment<3>(i) = (in.axes * a.segment<3>(i) * in.length).eval();
    VectorXd s = random_vector(model.m, random) * in.force();
    const StepTrial trial{0.0,
                          1e-3,
                          {a.data(), static_cast<std::size_t>(model.n)},
                          {s.data(), static_cast<std::size_t>(model.m)}};
    std::vector<double> r_motion(static_cast<std::size_t>(model.n)),
        r_rows(static_cast<std::size_t>(model.m));
    model.equations.evaluate(trial, r_motion, r_rows);
    return model.equations.defect(trial, slack * in.length);
}

bool are_near(double a, double b, double relative) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// A free particle of this mass, pulled by a force, with an acceleration that is off by so many
/// roundings of itself.
double defect_of_motion(double mass, double force, double roundings) {
    Equations model(
        fmt::format("[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = {}\n[[force]]\n"
                    "name = \"f\"\ntype = \"test_load\"\nat = \"p@0\"\nforce = [{}, 0, 0]\n"
                    "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n",
                    mass,
                    force));
    std::vector<double> a{force / mass, 0.0, 0.0}, none, r_motion(3), r_rows;
    a[0] *= 1.0 + roundings * kRounding;
    const StepTrial trial{0.0, 1e-3, a, none};
    model.equations.evaluate(trial, r_motion, r_rows);
    return model.equations.defect(trial, 0.0).motion;
}

/// A row n . r = 0 of a particle that moves by `way` in a step, of which the last part is missed by
/// so many roundings of it.
double defect_of_row(double way, double roundings) {
    constexpr double kStep = 1e-3;
    Equations model(
        fmt::format("[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\nvelocity = "
                    "[{}, {}, 0]\n[[constraint]]\nname = \"c\"\ntype = \"test_spring\"\n"
                    "axis = [1, -1, 0]\na = \"p@0\"\nb = \"ground@[0, 0, 0]\"\n"
                    "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n",
                    way / kStep,
                    way / kStep));
    // h^2 a / 2 = so many roundings of the way
    const std::vector<double> a{2.0 * roundings * kRounding * way / (kStep * kStep), 0.0, 0.0},
        s{0.0};
    std::vector<double> r_motion(3), r_rows(1);
    const StepTrial trial{0.0, kStep, a, s};
    model.equations.evaluate(trial, r_motion, r_rows);
    return model.equations.defect(trial, 0.0).rows;
}

}  // namespace

TEST_SUITE("defect") {
    TEST_CASE("one rounding of a force is at most one, and many count as many") {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> uniform(1.0, 2.0);
        // Forces that move a heavier one in this step by less than 1e-30 m would count as none.
        for (int power = -12; power <= 6; power += 3) {
            const double mass = uniform(random) * std::pow(10.0, power);
            const double force = uniform(random);
            CAPTURE(mass);
            CHECK(defect_of_motion(mass, force, 0.0) <= 1.0);
            CHECK(defect_of_motion(mass, force, 1.0) <= 1.0);
            for (const double count : {8.0, 1e3, 1e6}) {
                const double defect = defect_of_motion(mass, force, count);
                CHECK(defect >= 0.2 * count);
                CHECK(defect <= 1.2 * count);
            }
        }
    }

    TEST_CASE(
        "one rounding of a way is at most one in the row that it meets, and many count as many") {
        for (const double way : {1e-6, 1e-3, 1.0, 1e3}) {
            CAPTURE(way);
            CHECK(defect_of_row(way, 0.0) <= 1.0);
            for (const double count : {100.0, 1e6}) {
                const double defect = defect_of_row(way, count);
                CHECK(defect <= 1.2 * count);
                // Ways far below the model's size are seen against a small part of that.
                if (way >= 1e-3) CHECK(defect >= 0.2 * count);
            }
        }
    }

    TEST_CASE("units do not count") {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const ScaledResidual plain = defect_of({}, seed);
            REQUIRE(plain.motion > 1e3);
            REQUIRE(plain.rows > 1e3);
            for (const Units& in :
                 {Units{1e3, 1.0}, Units{1.0, 1e6}, Units{1e3, 1e6}, Units{1e-3, 1e-9}}) {
                const ScaledResidual other = defect_of(in, seed);
                CHECK(are_near(other.motion, plain.motion, 1e-6));
                CHECK(are_near(other.rows, plain.rows, 1e-6));
            }
            // Of a slack that is a length too: far above rounding it is all that counts.
            const ScaledResidual loose = defect_of({}, seed, 1e-6);
            CHECK(loose.motion < 1e-2 * plain.motion);
            const ScaledResidual other = defect_of({1e3, 1e6}, seed, 1e-6);
            CHECK(are_near(other.motion, loose.motion, 1e-6));
            CHECK(are_near(other.rows, loose.rows, 1e-6));
        }
    }

    // The largest coordinate of a node is its length but for the square root of three.
    TEST_CASE("the directions of the axes do not count") {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const ScaledResidual plain = defect_of({}, seed);
            for (const double angle : {0.3, 1.0, 2.5}) {
                Units turned;
                turned.axes = Eigen::AngleAxisd(angle, Eigen::Vector3d(1.0, -2.0, 0.5).normalized())
                                  .toRotationMatrix();
                const ScaledResidual other = defect_of(turned, seed);
                CHECK(other.motion <= 3.0 * plain.motion);
                CHECK(plain.motion <= 3.0 * other.motion);
                CHECK(other.rows <= 6.0 * plain.rows);
                CHECK(plain.rows <= 6.0 * other.rows);
            }
        }
    }

    TEST_CASE("what is no number is no small residual") {
        Equations model(chain({}));
        for (const bool of_motion : {true, false}) {
            std::vector<double> a(static_cast<std::size_t>(model.n), 0.0),
                s(static_cast<std::size_t>(model.m), 0.0), r_motion(a), r_rows(s);
            (of_motion ? a[1] : s[0]) = std::numeric_limits<double>::quiet_NaN();
            const StepTrial trial{0.0, 1e-3, a, s};
            model.equations.evaluate(trial, r_motion, r_rows);
            const ScaledResidual defect = model.equations.defect(trial, 0.0);
            CHECK_FALSE(std::max(defect.motion, 0.0) + defect.rows <= 1e9);
        }
    }

    // The solution that the iteration finds is one to rounding, in any units.
    TEST_CASE("what the iteration accepts is a few roundings") {
        for (const Units& in : {Units{}, Units{1e3, 1e6}, Units{1e-3, 1e-9}}) {
            Equations model(chain(in, true));
            model.system.set_redundant(false);
            std::vector<double> a(static_cast<std::size_t>(model.n), 0.0),
                s(static_cast<std::size_t>(model.m), 0.0), r_motion(a), r_rows(s);
            StepOptions options;
            options.tolerance = kDefaultTolerance;
            REQUIRE(model.system.solve_step({0.0, 1e-3, a, s}, options).has_converged);
            const StepTrial trial{0.0, 1e-3, a, s};
            model.equations.evaluate(trial, r_motion, r_rows);
            const ScaledResidual defect = model.equations.defect(trial, 0.0);
            CHECK(defect.motion <= 3.0);
            CHECK(defect.rows <= 3.0);
            // Against an independent measure: what is left of the equation of motion is roundings
            // of the weight.
            for (const double left : r_motion)
                CHECK(std::abs(left) <= 10.0 * kRounding * 4.0 * 9.81 * in.force());
        }
    }
}

}  // namespace ancora::testing
