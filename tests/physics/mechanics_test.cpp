// SPDX-License-Identifier: BSD-3-Clause
// Small systems with exact solutions: fall, pendulums, a spring, plates, rods, redundant joints.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Dense>
#include <boost/math/special_functions/ellint_1.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/euler_top.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

const std::string kEmm = "\n[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
const std::string kWeight = "[model]\ngravity = [0.0, 0.0, -9.81]\n";
const std::string kBox = R"(
[[body]]
name = "body"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0
)";
constexpr double kBoxMass = 16200.0;

/// A body of given mass and inertia; both as TOML.
std::string body(const std::string& mass, const std::string& inertia) {
    return "\n[[body]]\nname = \"body\"\ntype = \"ancf_rigid_body\"\nmass = " + mass +
           "\ninertia = " + inertia + "\n";
}
std::string pin(const std::string& name, const std::string& point, const std::string& place) {
    return "\n[[constraint]]\nname = \"" + name + "\"\ntype = \"position\"\na = \"body@" + point +
           "\"\nb = \"ground@" + place + "\"\n";
}
Overrides time_grid(double step, double end) {
    return {setting("integrator.step", step), setting("integrator.end", end)};
}
void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

TEST_SUITE("axes of inertia") {
    TEST_CASE("principal moments along given axes are their tensor, R J R^T") {
        const Eigen::Vector3d axis = Eigen::Vector3d(1.0, -2.0, 0.5).normalized();
        const Eigen::Matrix3d R = Eigen::AngleAxisd(0.7, axis).toRotationMatrix();
        const Eigen::Vector3d J(0.3, 0.4, 0.6), w(0.5, -1.0, 2.0);
        const Eigen::Matrix3d tensor = R * J.asDiagonal() * R.transpose();
        for (const std::string type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            const std::string text =
                "[[body]]\nname = \"body\"\ntype = \"" + type +
                "\"\nmass = 2.0\ninertia = [0.3, 0.4, 0.6]\ninertia_orientation = { axis = [1, -2, "
                "0.5], angle = 0.7 }\nangular_velocity = [0.5, -1.0, 2.0]\n"
                "[integrator]\ntype = \"rk4\"\nstep = 1e-2\nend = 0.1\n";
            const ModelAnalysis found = model(text).analyse();
            for (int i = 0; i < 3; ++i) {
                CHECK(found.angular_momentum[i] == near((tensor * w)(i), 1e-13));
                for (int j = 0; j < 3; ++j)
                    CHECK(found.inertia[3 * i + j] == near(tensor(i, j), 1e-13));
            }
        }
    }
    TEST_CASE("axes without moments are refused") {
        CHECK(has(refusal([] {
                      model(
                          "[[body]]\nname = \"body\"\ntype = \"ancf_rigid_body\"\nsize = [1, 1, "
                          "1]\ndensity = 10\ninertia_orientation = [1, 0, 0, 0]\n" +
                          kEmm);
                  }),
                  "says how \"inertia\" lies in the body, and there is none"));
    }
}

TEST_SUITE("free fall") {
    const std::string kStart =
        "position = [4.0, 5.0, 6.0]\nvelocity = [1.0, 2.0, 3.0]\n"
        "angular_velocity = [0.3, 0.5, 0.8]\n";

    // The scheme is exact for a constant force.
    TEST_CASE("the centre follows the parabola, momentum grows by M g h a step, spin goes on") {
        Simulation falling = model(kWeight + kBox + kStart + kEmm, time_grid(1e-2, 2.0));
        Simulation floating = model(kBox + kStart + kEmm, time_grid(1e-2, 2.0));
        while (!falling.done()) {
            falling.step();
            floating.step();
            const double t = falling.time();
            const Vec3 fall(0.0, 0.0, -0.5 * kGravity * t * t);
            const Vec3 x = vec3(falling.pose("body").position);
            CHECK((x - Vec3(4.0 + t, 5.0 + 2.0 * t, 6.0 + 3.0 * t) - fall).norm() <=
                  tolerance(1e-12));
            const Vec3 P = columns(falling, "momentum");
            const Vec3 expected = kBoxMass * Vec3(1.0, 2.0, 3.0 - kGravity * t);
            CHECK((P - expected).norm() <= tolerance(1e-13 * expected.norm()));
            CHECK((omega(falling, "body") - omega(floating, "body")).norm() <= tolerance(1e-12));
        }
        check_balances(falling.statistics());
        check_balances(floating.statistics());
    }

    // M g z is 1.6e11 J there, whose last place is 3e-5 J: 1e-8 of the energy that moves.
    TEST_CASE("a million metres up the balance is as good as at the origin") {
        const std::string start =
            "position = [0.0, 0.0, 1e6]\nangular_velocity = [0.3, 0.5, 0.8]\n";
        Simulation simulation = model(kWeight + kBox + start + kEmm, time_grid(1e-3, 2.0));
        const double kinetic = column(simulation, "energy.kinetic");
        run_to_end(simulation);
        const RunStatistics statistics = simulation.statistics();
        CHECK(statistics.energy.max_rel <= tolerance(rounding_bound(2000.0)));
        CHECK(statistics.momentum.max_rel <= tolerance(rounding_bound(2000.0)));
        // 1/2 M (g t)^2
        const double gained = 0.5 * kBoxMass * kGravity * kGravity * 4.0;
        CHECK(column(simulation, "energy.kinetic") - kinetic == near(gained, 1e-12 * gained));
    }

    TEST_CASE("the last step is shorter if the end is no multiple of the step, and exact too") {
        Simulation simulation = model(kWeight + kBox + kStart + kEmm, time_grid(0.1, 0.25));
        CHECK(simulation.num_steps() == 3);
        run_to_end(simulation);
        CHECK(simulation.time() == 0.25);
        CHECK(simulation.pose("body").position[2] ==
              near(6.0 + 0.75 - 0.5 * kGravity * 0.0625, 1e-14));
        check_balances(simulation.statistics());
    }

    TEST_CASE("an end that is a multiple of the step but for rounding takes no extra step") {
        CHECK(model(kBox + kEmm, time_grid(0.1, 0.3)).num_steps() == 3);
        CHECK(model(kBox + kEmm, time_grid(1e-3, 10.0)).num_steps() == 10000);
        CHECK(model(kBox + kEmm, time_grid(0.1, 0.3 + 1e-6)).num_steps() == 4);
    }
}

/// A body hung at a point at the distance d from its centre of mass, released with the line between
/// them horizontal; J about the axis of swing through the centre. Exact: w_0^2 = M g d / (J + M
/// d^2), a quarter swing takes K(sin 45 deg) / w_0, at the bottom the rate is sqrt(2) w_0 and the
/// pin carries M (g + 2 d w_0^2).
struct Pendulum {
    std::string body;
    double mass, d, J;

    double frequency() const { return std::sqrt(mass * kGravity * d / (J + mass * d * d)); }
    double quarter() const {
        return boost::math::ellint_1(std::numbers::sqrt2 / 2.0) / frequency();
    }
    /// Simulation of five quarters, which end at the bottom.
    Simulation hang(int steps_per_quarter) const {
        const std::string start = fmt::format("position = [{}, 0.0, 0.0]\n", -d);
        const std::string joint = pin("pin", fmt::format("[{}, 0.0, 0.0]", d), "[0.0, 0.0, 0.0]");
        return model(kWeight + body + start + joint + kEmm,
                     time_grid(quarter() / steps_per_quarter, 5.0 * quarter()));
    }
    /// Angle off the vertical, from the centre of mass [rad].
    double angle(const Simulation& simulation) const {
        const auto x = simulation.pose("body").position;
        return std::atan2(x[0], -x[2]);
    }
};

const Pendulum kBoxPendulum{kBox, kBoxMass, 1.5, 13500.0};
const Pendulum kPlatePendulum{body("2.0", "[0.2, 0.3, 0.5]"), 2.0, 0.4, 0.3};
const Pendulum kRodPendulum{
    body("2.0", "[0.0, 0.166666666666666667, 0.166666666666666667]"), 2.0, 0.5, 1.0 / 6.0};

TEST_SUITE("pendulum") {
    void check_swing(const Pendulum& pendulum) {
        Simulation fine = pendulum.hang(1000), coarse = pendulum.hang(100);
        run_to_end(fine);
        run_to_end(coarse);
        const double fine_error = std::abs(pendulum.angle(fine));
        CHECK(fine_error <= tolerance(1e-5));
        CHECK(observed_order(10.0, std::abs(pendulum.angle(coarse)), 1.0, fine_error) ==
              near(2.0, 0.02));

        // At the bottom; the reaction is a mean over the last step, h / 2 earlier
        const double w = pendulum.frequency();
        const Vec3 rate = omega(fine, "body");
        CHECK(rate(1) == near(-std::numbers::sqrt2 * w, 1e-5 * w));
        CHECK(std::hypot(rate(0), rate(2)) <= tolerance(1e-11));
        const double weight = pendulum.mass * kGravity;
        const double load = weight + 2.0 * pendulum.mass * pendulum.d * w * w;
        CHECK(fine.reaction("pin")[2] == near(load, 2e-5 * load));
        check_balances(fine.statistics());
        check_balances(coarse.statistics());
    }

    TEST_CASE("a box swings as its elliptic integral says, with energy kept to rounding") {
        check_swing(kBoxPendulum);
    }
    TEST_CASE("a plate swings likewise, though one of its base vectors has no mass") {
        check_swing(kPlatePendulum);
    }
    TEST_CASE("a rod swings likewise, though two of its base vectors have no mass") {
        check_swing(kRodPendulum);
    }

    TEST_CASE("momentum is the impulse of weight and pin, angular momentum that of weight") {
        Simulation simulation = kBoxPendulum.hang(200);
        Vec3 impulse = Vec3::Zero(), twist = Vec3::Zero();
        const Vec3 weight(0.0, 0.0, -kBoxMass * kGravity);
        while (!simulation.done()) {
            const double t = simulation.time();
            const Vec3 x = vec3(simulation.pose("body").position);
            simulation.step();
            const double h = simulation.time() - t;
            const std::vector<double> force = simulation.reaction("pin");
            impulse += h * (weight + Vec3(force[0], force[1], force[2]));
            const Vec3 middle = 0.5 * (x + vec3(simulation.pose("body").position));
            twist += h * middle.cross(weight);  // the pin is at the origin
            CHECK((columns(simulation, "momentum") - impulse).norm() <= tolerance(1e-8));
            CHECK((columns(simulation, "angular_momentum") - twist).norm() <= tolerance(1e-8));
        }
        CHECK(impulse.norm() > 1e4);
    }
}

TEST_SUITE("redundant joints") {
    TEST_CASE("two pins at one point carry equal halves of what one pin carries") {
        const std::string start =
            "position = [-1.5, 0.0, 0.0]\nangular_velocity = [0.3, 0.0, 0.8]\n"
            "velocity = [0.0, -1.2, 0.0]\n";
        const std::string at = "[1.5, 0.0, 0.0]", place = "[0.0, 0.0, 0.0]";
        const std::string text = kWeight + kBox + start + pin("one", at, place);
        Simulation single = model(text + kEmm);
        Simulation twice = model(text + pin("two", at, place) + kEmm);
        CHECK(twice.analyse().redundant_rows.size() == 3);
        CHECK(twice.analyse().degrees_of_freedom == 3);
        const double weight = kBoxMass * kGravity;
        while (!single.done()) {
            single.step();
            twice.step();
            for (std::size_t i = 0; i < 3; ++i) {
                const double whole = single.reaction("one")[i];
                CHECK(twice.reaction("one")[i] == near(0.5 * whole, 1e-9 * weight));
                CHECK(twice.reaction("two")[i] == near(0.5 * whole, 1e-9 * weight));
            }
            CHECK((columns(single, "body") - columns(twice, "body")).norm() <= tolerance(1e-12));
        }
        CHECK(twice.statistics().redundant_rows == 3);
        check_balances(twice.statistics());
    }
}

TEST_SUITE("spring") {
    // Two boxes of 1 kg joined by a truss without mass, EA = 100 N, L = 1 m - X, stretched by X and
    // let go. Small X: w^2 = EA/L (1/m + 1/m), and the scheme turns the phase by p a step, tan(p/2)
    // = w h / 2.
    TEST_CASE("two boxes on a massless truss oscillate with sqrt(2 k / m), to the scheme's phase") {
        constexpr double X = 1e-6;  // m; the Green strain bends the line by 3/2 X / L
        const auto cube = [](const std::string& name, const std::string& x) {
            return "\n[[body]]\nname = \"" + name +
                   "\"\ntype = \"ancf_rigid_body\"\nsize = [1.0, 1.0, 1.0]\ndensity = 1.0\n"
                   "position = [" +
                   x + ", 0.0, 0.0]\n";
        };
        const auto joint = [](const std::string& name, const std::string& a, const std::string& b) {
            return "\n[[constraint]]\nname = \"" + name + "\"\ntype = \"position\"\na = \"" + a +
                   "\"\nb = \"" + b + "\"\n";
        };
        const std::string text =
            cube("left", "-1.0") + cube("right", "1.0") +
            "\n[[body]]\nname = \"spring\"\ntype = \"truss\"\nfrom = [-0.5, 0.0, 0.0]\n"
            "to = [0.5, 0.0, 0.0]\narea = 1e-4\nyoung = 1e6\ndensity = 0.0\n"
            "rest_length = 0.999999\n" +
            joint("a", "left@[0.5, 0.0, 0.0]", "spring@0") +
            joint("b", "right@[-0.5, 0.0, 0.0]", "spring@1") + kEmm;
        for (const double h : {1e-3, 1e-2}) {
            CAPTURE(h);
            Simulation simulation = model(text, time_grid(h, 2.0));
            const double phase = 2.0 * std::atan(0.5 * h * std::sqrt(200.0 / (1.0 - X)));
            double largest = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const double distance =
                    simulation.pose("right").position[0] - simulation.pose("left").position[0];
                const double expected =
                    X * std::cos(static_cast<double>(simulation.steps_done()) * phase);
                largest = std::max(largest, std::abs(distance - (2.0 - X) - expected));
            }
            CHECK(largest <= tolerance(1e-5 * X));
            check_balances(simulation.statistics());
        }
    }
}

/// Errors of angular velocity and attitude at 5 s against Euler's top, for principal axes `axes`.
struct TopErrors {
    double omega, attitude;
};
TopErrors top_errors(const std::string& text,
                     const Vec3& moments,
                     const Vec3& omega_0,
                     const Mat3& axes,
                     double step) {
    Simulation simulation = model(text, time_grid(step, 5.0));
    run_to_end(simulation);
    check_balances(simulation.statistics());
    const EulerTop top(moments, axes.transpose() * omega_0);
    return {
        (omega(simulation, "body") - axes * top.omega(5.0)).norm(),
        angle_between(attitude(simulation, "body"), axes * top.attitude(5.0) * axes.transpose())};
}

TEST_SUITE("tops") {
    void check_top(const std::string& text,
                   const Vec3& moments,
                   const Vec3& omega_0,
                   const Mat3& axes = Mat3::Identity()) {
        const TopErrors coarse = top_errors(text, moments, omega_0, axes, 1e-2);
        const TopErrors fine = top_errors(text, moments, omega_0, axes, 1e-3);
        CHECK(fine.omega <= tolerance(3e-6));
        CHECK(fine.attitude <= tolerance(3e-6));
        CHECK(observed_order(10.0, coarse.omega, 1.0, fine.omega) == near(2.0, 0.02));
        CHECK(observed_order(10.0, coarse.attitude, 1.0, fine.attitude) == near(2.0, 0.02));
    }
    const std::string kSpin = "angular_velocity = [0.9, 0.3, -0.2]\n";
    const Vec3 kOmega(0.9, 0.3, -0.2);

    TEST_CASE("a plate, J3 = J1 + J2, moves as Euler's top") {
        check_top(body("2.0", "[1.0, 2.0, 3.0]") + kSpin + kEmm, {1.0, 2.0, 3.0}, kOmega);
    }
    TEST_CASE("a disc, J = (1, 1, 2), precesses as Euler's top") {
        check_top(body("2.0", "[1.0, 1.0, 2.0]") + kSpin + kEmm, {1.0, 1.0, 2.0}, kOmega);
    }
    TEST_CASE("a symmetric top, J = (3, 3, 1), precesses as Euler's top") {
        check_top(body("2.0", "[3.0, 3.0, 1.0]") + kSpin + kEmm, {3.0, 3.0, 1.0}, kOmega);
    }

    // Principal axes turned by 0.5 rad about z: J = R diag(1, 2, 2.5) R^T.
    TEST_CASE("an inertia tensor in oblique axes moves as Euler's top in those axes") {
        const double c = std::cos(0.5), s = std::sin(0.5);
        const std::string tensor =
            fmt::format("[[{0}, {1}, 0.0], [{1}, {2}, 0.0], [0.0, 0.0, 2.5]]",
                        c * c + 2.0 * s * s,
                        -c * s,
                        s * s + 2.0 * c * c);
        const Mat3 axes = Eigen::AngleAxisd(0.5, Vec3::UnitZ()).toRotationMatrix();
        check_top(body("2.0", tensor) + kSpin + kEmm, {1.0, 2.0, 2.5}, kOmega, axes);
    }

    // The scheme turns a rod by p a step, tan(p/2) = w h / 2, about the axis of its spin, and the
    // frame goes with it without twist.
    TEST_CASE("a rod turns about a fixed axis, exactly as the scheme's own solution") {
        const Vec3 w(0.0, 0.9, 1.2);
        const std::string text =
            body("2.0", "[0.0, 2.0, 2.0]") + "angular_velocity = [0.0, 0.9, 1.2]\n" + kEmm;
        for (const double h : {1e-3, 1e-1}) {
            CAPTURE(h);
            Simulation simulation = model(text, time_grid(h, 10.0));
            const double angle = 2.0 * std::atan(0.5 * h * w.norm());
            double attitude_gap = 0.0, omega_gap = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const Eigen::AngleAxisd turned(angle * static_cast<double>(simulation.steps_done()),
                                               w.normalized());
                attitude_gap = std::max(
                    attitude_gap,
                    angle_between(attitude(simulation, "body"), turned.toRotationMatrix()));
                omega_gap = std::max(omega_gap, (omega(simulation, "body") - w).norm());
            }
            CHECK(attitude_gap <= tolerance(1e-10));
            CHECK(omega_gap <= tolerance(1e-11));
            check_balances(simulation.statistics());
        }
    }
}

}  // namespace
}  // namespace ancora::testing
