// SPDX-License-Identifier: BSD-3-Clause
// Rotors that a base carries along: against bodies on hinges with gears, and closed forms.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "joint_law_models.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

/// Random numbers of a fixed seed.
struct Chance {
    explicit Chance(unsigned seed) : engine(seed) {}
    double in(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine);
    }
    Vec3 vector(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
    std::mt19937_64 engine;
};

std::string numbers_of(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

/// A free base that turns, an arm on a hinge, and a rotor of ratio n about the hinge's axis, a ball
/// at the centre of the base: by the law, or a body on a hinge with a gear.
struct Carrier {
    explicit Carrier(Chance& chance) {
        for (int i = 0; i < 3; ++i) {
            base_inertia[i] = chance.in(0.8, 1.2);
            arm_inertia[i] = chance.in(0.15, 0.25);
        }
        axis = chance.vector(1.0) + Vec3(0.0, 0.0, 1.5);
        at = chance.vector(0.5);
        turn = chance.vector(0.7);
        rate = chance.in(1.0, 3.0) * (chance.in(-1.0, 1.0) > 0.0 ? 1.0 : -1.0);
        J = chance.in(0.01, 0.1);
        n = chance.in(2.0, 12.0) * (chance.in(-1.0, 1.0) > 0.0 ? 1.0 : -1.0);
    }

    std::string text(bool is_law) const {
        const auto piece = [this](const std::string& name,
                                  double mass,
                                  const Vec3& inertia,
                                  const std::string& where) {
            return body(name, "ancf_rigid_body", where, mass, numbers_of(inertia));
        };
        const auto hinge = [this](const std::string& name,
                                  const std::string& b,
                                  const Vec3& point,
                                  double start,
                                  const std::string& laws) {
            return constraint(name,
                              "revolute",
                              fmt::format("a = \"base\"\nb = \"{}\"\npoint = {}\naxis = {}\n"
                                          "start = {{angle = 0.0, angle_rate = {:.17g}}}\n{}",
                                          b,
                                          numbers_of(point),
                                          numbers_of(axis),
                                          start,
                                          laws));
        };
        const std::string turning = fmt::format("angular_velocity = {}", numbers_of(turn));
        const std::string law =
            fmt::format("rotor = {{inertia = {:.17g}, ratio = {:.17g}, gyroscopic = true}}", J, n);
        std::string out =
            model_text(false) + piece("base", is_law ? 5.0 : 4.0, base_inertia, turning) +
            piece("arm", 0.7, arm_inertia, fmt::format("position = {}", numbers_of(at + arm))) +
            hinge("joint", "arm", at, rate, is_law ? law : "") +
            force("push", "motor", "on = \"joint.angle\"\neffort = \"0.3*cos(4*t)\"");
        if (is_law) return out;
        return out + piece("ball", 1.0, Vec3::Constant(J), "") +
               hinge("spindle", "ball", Vec3::Zero(), n * rate, "") +
               constraint(
                   "gear",
                   "coupler",
                   fmt::format("on = [\"spindle.angle\", \"joint.angle\"]\nratios = [1.0, {:.17g}]",
                               -n));
    }

    Vec3 base_inertia, arm_inertia, axis, at, turn, arm{0.3, 0.1, -0.2};
    double rate, J, n;
};

}  // namespace

TEST_SUITE("rotors that a base carries") {
    TEST_CASE("move as a body on a hinge with a gear does, whatever integrates them") {
        Chance chance(31);
        for (int member = 0; member < 8; ++member) {
            CAPTURE(member);
            const Carrier one(chance);
            Simulation exact = model(one.text(false) + steps("dopri5", 1e-3, 1.0, 1e-11));
            run_to_end(exact);
            Simulation law = model(one.text(true) + steps("dopri5", 1e-3, 1.0, 1e-11));
            const Vec3 L = columns(law, "angular_momentum");
            CHECK(
                (L - columns(model(one.text(false) + steps("emm", 1e-3, 1.0)), "angular_momentum"))
                    .norm() <= tolerance(1e-12 * L.norm()));
            run_to_end(law);
            CHECK((omega(law, "base") - omega(exact, "base")).norm() <= tolerance(1e-8));
            CHECK(column(law, "joint.angle") == Near(column(exact, "joint.angle"), 1e-8));
            CHECK(column(law, "energy.kinetic") == Near(column(exact, "energy.kinetic"), 1e-8));
            // What it is without: by far another motion
            CHECK(column(law, "joint.rotor.effort") != 0.0);
            double error[2];
            for (int k = 0; k < 2; ++k) {
                Simulation run = model(one.text(true) + steps("emm", 4e-3 / (k + 1), 1.0));
                run_to_end(run);
                check_balances(run);
                CHECK((columns(run, "angular_momentum") - L).norm() <= tolerance(1e-12 * L.norm()));
                error[k] = (omega(run, "base") - omega(exact, "base")).norm();
            }
            CHECK(error[0] / error[1] >= 3.0);
            CHECK(error[1] <= 1e-3);
        }
    }

    TEST_CASE("from rest the base turns back by what the rotor is of the whole") {
        for (const auto& [base, arm, J, n] :
             {std::array{3.0, 1.0, 0.02, 5.0}, {0.8, 0.3, 0.1, 2.0}, {2.0, 0.5, 1e-3, -40.0}}) {
            const auto disc = [](const char* name, double inertia) {
                return body(name, "ancf_rigid_body", "", 1.0, numbers_of(Vec3::Constant(inertia)));
            };
            const std::string text =
                model_text(false) + disc("base", base) + disc("arm", arm) +
                constraint("joint",
                           "revolute",
                           fmt::format("a = \"base\"\nb = \"arm\"\npoint = [0, 0, 0]\n"
                                       "axis = [0, 0, 1]\nmotor = 0.2\nrotor = {{inertia = {}, "
                                       "ratio = {}, gyroscopic = true}}",
                                       J,
                                       n));
            for (const std::string integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
                CAPTURE(integrator);
                Simulation run = model(text + steps(integrator, 1e-3, 0.5, 1e-11));
                run_to_end(run);
                // generalized_alpha is of second order
                const double off = integrator == "generalized_alpha" ? 1e-6 : 1e-8;
                // L = 0 about the axis
                const double rate = column(run, "joint.angle_rate");
                CHECK(omega(run, "base")[2] ==
                      Near(-(arm + n * J) * rate / (base + arm + J), off * std::abs(rate)));
                // (n^2 J + arm) m'' + (n J + arm) omega' = 0.2
                const double H = n * J + arm;
                const double reduced = n * n * J + arm - H * H / (base + arm + J);
                CHECK(rate == Near(0.1 / reduced, off * std::abs(rate)));
            }
        }
    }

    TEST_CASE("a spin bends the turning of its base: a gyrostat of balls, in closed form") {
        // (I + J + I_a) omega' = H m' a x omega with H = n J + I_a, in axes of the base
        Chance chance(32);
        for (int member = 0; member < 12; ++member) {
            CAPTURE(member);
            const double I = chance.in(0.5, 2.0), arm = chance.in(0.05, 0.2),
                         J = chance.in(0.01, 0.05), n = chance.in(-30.0, 30.0);
            const double rate = chance.in(0.5, 2.0), end = 1.0;
            const Vec3 turn = chance.vector(0.5);
            Vec3 axis = chance.vector(1.0);
            axis.normalize();
            const std::string text =
                model_text(false) +
                body("base",
                     "ancf_rigid_body",
                     fmt::format("angular_velocity = {}", numbers_of(turn)),
                     1.0,
                     numbers_of(Vec3::Constant(I))) +
                body("arm", "ancf_rigid_body", "", 1.0, numbers_of(Vec3::Constant(arm))) +
                constraint("joint",
                           "revolute",
                           fmt::format("a = \"base\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = {}\n"
                                       "start = {{angle = 0.0, angle_rate = {:.17g}}}\nrotor = "
                                       "{{inertia = {:.17g}, ratio = {:.17g}, gyroscopic = true}}",
                                       numbers_of(axis),
                                       rate,
                                       J,
                                       n));
            const Vec3 expected =
                Eigen::AngleAxisd((n * J + arm) * rate / (I + J + arm) * end, axis) * turn;
            Simulation run = model(text + steps("dopri5", 1e-3, end, 1e-11));
            run_to_end(run);
            CHECK((omega(run, "base") - expected).norm() <= tolerance(1e-8));
            CHECK(column(run, "joint.angle_rate") == Near(rate, 1e-8));
            Simulation kept = model(text + steps("emm", 2e-3, end));
            run_to_end(kept);
            check_balances(kept);
            CHECK((omega(kept, "base") - expected).norm() <= tolerance(1e-4));
        }
    }

    TEST_CASE("on the ground it is what it is without") {
        const auto text = [](const char* more, const std::string& integrator) {
            return model_text() + body("wheel", "ancf_rigid_body", "", 1.0, "[0.02, 0.03, 0.04]") +
                   axle(fmt::format("motor = 0.1\nrotor = {{inertia = 0.002, ratio = 3{}}}", more),
                        "[0.2, -0.5, 0.8]") +
                   steps(integrator, 1e-3, 0.5, 1e-12);
        };
        for (const std::string integrator : {"emm", "dopri5"}) {
            CAPTURE(integrator);
            Simulation one = model(text("", integrator));
            Simulation other = model(text(", gyroscopic = true", integrator));
            run_to_end(one);
            run_to_end(other);
            if (is_emm(integrator)) check_balances(other);
            // Of second order in the turn of a step: its rate is that in the middle
            const double off = is_emm(integrator) ? 1e-6 : 1e-9;
            for (const char* name :
                 {"axle.angle", "axle.angle_rate", "axle.rotor.effort", "axle.rotor.work"})
                CHECK(column(other, name) == Near(column(one, name), off));
        }
    }

    TEST_CASE("what has no axis that a base carries is refused") {
        CHECK(refused(model_text() + body("wheel", "ancf_rigid_body", "position = [1, 0, 0]") +
                      force("drum",
                            "rotor",
                            "a = \"ground@[0, 0, 0]\"\nb = \"wheel@[0, 0, 0]\"\ninertia = 0.1\n"
                            "gyroscopic = true")) ==
              "force \"drum\": gyroscopic: needs an angle about an axis that some base carries");
    }
}

}  // namespace ancora::testing
