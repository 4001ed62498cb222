// SPDX-License-Identifier: BSD-3-Clause
// Linear models and inverse dynamics against equations on paper and runs.
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "particle_models.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

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
            for (int i = 0; i < 4; ++i) values[i] = column(run, outputs[i]);
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
