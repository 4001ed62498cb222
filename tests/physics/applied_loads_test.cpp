// SPDX-License-Identifier: BSD-3-Clause
// Loads over time through the kernel: closed solutions, Newton and Euler's equations integrated
// here, order of convergence, impulses and the ledger.
#include <cmath>
#include <functional>
#include <string>
#include <tuple>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-12) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}
std::string load(const std::string& keys) {
    return "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\n" + keys;
}
const std::string kBead =
    "\n[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 2.0\nvelocity = [0.0, 1.0, 0.0]\n";
constexpr double kMass = 2.0;  // kg

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

/// A rigid body under F at the body's point P and T, of space or of the body:
///
///   m x'' = F,  J w' = P x F + T - w x J w,  R' = R w^                                     (1)
///
/// with w, and F and T in the second equation, in body axes; by the classical Runge-Kutta method in
/// steps so small that its error is rounding.
struct RigidBody {
    double mass = 1.0;
    Vec3 J, P = Vec3::Zero();
    bool follows = false;
    std::function<Vec3(double)> F = [](double) -> Vec3 {
        return Vec3::Zero();
    };
    std::function<Vec3(double)> T = F;

    struct State {
        Vec3 x = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();
        Mat3 R = Mat3::Identity();

        State plus(const State& rate, double h) const {
            return {x + h * rate.x, v + h * rate.v, w + h * rate.w, R + h * rate.R};
        }
    };
    State rate(const State& s, double t) const {
        const Vec3 force = follows ? F(t) : Vec3(s.R.transpose() * F(t));
        const Vec3 torque = follows ? T(t) : Vec3(s.R.transpose() * T(t));
        const Vec3 gyroscopic = s.w.cross(J.cwiseProduct(s.w));
        State out;
        out.x = s.v;
        out.v = s.R * force / mass;
        out.w = (P.cross(force) + torque - gyroscopic).cwiseQuotient(J);
        for (int i = 0; i < 3; ++i) out.R.row(i) = s.R.row(i).cross(s.w);
        return out;
    }
    State at(double end, const State& start) const {
        constexpr int kSteps = 4000;
        const double h = end / kSteps;
        State s = start;
        for (int k = 0; k < kSteps; ++k) {
            const double t = k * h;
            const State k1 = rate(s, t);
            const State k2 = rate(s.plus(k1, 0.5 * h), t + 0.5 * h);
            const State k3 = rate(s.plus(k2, 0.5 * h), t + 0.5 * h);
            const State k4 = rate(s.plus(k3, h), t + h);
            s = s.plus(k1, h / 6.0).plus(k2, h / 3.0).plus(k3, h / 3.0).plus(k4, h / 6.0);
        }
        return s;
    }
};

/// A box in the model, with its twin of (1).
struct Box {
    RigidBody twin;
    RigidBody::State start;
    std::string keys;

    std::string text(const std::string& type) const {
        const Vec3 J = twin.J, v = start.v, w = start.w;
        return fmt::format(
                   "\n[[body]]\nname = \"box\"\ntype = \"{}\"\nmass = {:.17g}\n"
                   "inertia = [{:.17g}, {:.17g}, {:.17g}]\nvelocity = [{:.17g}, {:.17g}, {:.17g}]\n"
                   "angular_velocity = [{:.17g}, {:.17g}, {:.17g}]\n",
                   type,
                   twin.mass,
                   J(0),
                   J(1),
                   J(2),
                   v(0),
                   v(1),
                   v(2),
                   w(0),
                   w(1),
                   w(2)) +
               load(keys);
    }
    double error(const Simulation& simulation) const {
        const RigidBody::State exact = twin.at(simulation.time(), start);
        const Pose pose = simulation.pose("box");
        return (vec3(pose.position) - exact.x).norm() + (vec3(pose.velocity) - exact.v).norm() +
               angle_between(attitude(simulation, "box"), exact.R) +
               (omega(simulation, "box") - exact.w).norm();
    }
    double error_of(const std::string& type,
                    const std::string& method,
                    double step,
                    double end = 1.0) const {
        Simulation simulation = model(text(type) + integrator(method, step, end));
        const double energy = column(simulation, "energy.kinetic");
        run_to_end(simulation);
        if (method == "emm") {
            check_balances(simulation.statistics());
            const double gained = column(simulation, "energy.kinetic") - energy;
            CHECK(column(simulation, "work.external") == near(gained, 1e-13 * (gained + energy)));
        }
        return error(simulation);
    }
    void check() const {
        const double fine = error_of("ancf_rigid_body", "emm", 1e-3);
        CHECK(fine <= tolerance(1e-4));
        CHECK(observed_order(4.0, error_of("ancf_rigid_body", "emm", 4e-3), 1.0, fine) ==
              near(2.0, 0.02));
        for (const std::string type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            CHECK(error_of(type, "dopri5", 1e-2) <= tolerance(1e-9));
            CHECK(error_of(type, "rk4", 1e-3) <= tolerance(1e-9));
        }
    }
};

TEST_SUITE("loads on a point mass") {
    TEST_CASE("a constant force: the parabola, exactly") {
        for (const std::string type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            Simulation simulation =
                model(kBead + load("at = \"bead@0\"\nforce = [3.0, 0.0, -1.0]\n") +
                      integrator(type, 0.1, 2.0));
            run_to_end(simulation);
            const Simulation::PointState bead = simulation.point("bead@0");
            CHECK((vec3(bead.position) - Vec3(3.0, 2.0, -1.0)).norm() <= tolerance(1e-13));
            CHECK((vec3(bead.velocity) - Vec3(3.0, 1.0, -1.0)).norm() <= tolerance(1e-13));
            CHECK(column(simulation, "work.external") == near(3.0 * 3.0 + 1.0, 1e-12));
            check_balances(simulation.statistics());
        }
    }

    // F = k t: v = k t^2 / 2 m, r = k t^3 / 6 m.
    TEST_CASE("a ramp, as a table or as a formula: impulse exact, path at second order") {
        const std::string written[] = {
            "force = [[0.0, 0.0, 0.0, 0.0], [2.0, 12.0, 0.0, 0.0]]\n",
            "force = [[0.0, 0.0, 0.0, 0.0], [0.77, 4.62, 0.0, 0.0], [2.0, 12.0, 0.0, 0.0]]\n"
            "interpolation = \"spline\"\n",
            "force = [\"6*t\", \"0\", \"0\"]\n"};
        for (const std::string& force : written) {
            CAPTURE(force);
            const auto error = [&](double h) {
                Simulation simulation =
                    model(kBead + load("at = \"bead@0\"\n" + force) + integrator("emm", h, 2.0));
                while (!simulation.done()) {
                    simulation.step();
                    const double t = simulation.time();
                    CHECK(simulation.point("bead@0").velocity[0] ==
                          near(3.0 * t * t / kMass, 1e-13));
                    CHECK(column(simulation, "momentum.x") == near(3.0 * t * t, 1e-13));
                }
                check_balances(simulation.statistics());
                return std::abs(simulation.point("bead@0").position[0] - 8.0 / kMass);
            };
            CHECK(observed_order(10.0, error(0.1), 1.0, error(0.01)) == near(2.0, 1e-6));
            for (const std::string type : {"rk4", "dopri5"}) {
                Simulation simulation =
                    model(kBead + load("at = \"bead@0\"\n" + force) + integrator(type, 0.1, 2.0));
                CHECK(run_to_end(simulation).point("bead@0").position[0] ==
                      near(8.0 / kMass, 1e-11));
            }
        }
    }

    // The impulse of the trapezium 0, 4, 4, 0 over 0.33, 0.41, 0.26 s; no row on a step's end.
    TEST_CASE("a pulse between the steps gives its whole impulse") {
        for (const double h : {0.5, 0.1, 0.03}) {
            CAPTURE(h);
            Simulation simulation = model(
                kBead +
                load("at = \"bead@0\"\nforce = [[0.21, 0.0, 0.0, 0.0], [0.54, 4.0, 0.0, 0.0], "
                     "[0.95, 4.0, 0.0, 0.0], [1.21, 0.0, 0.0, 0.0]]\noutside = \"zero\"\n") +
                integrator("emm", h, 2.0));
            run_to_end(simulation);
            const double impulse = 4.0 * (0.5 * 0.33 + 0.41 + 0.5 * 0.26);
            CHECK(column(simulation, "momentum.x") == near(impulse, 1e-14));
            check_balances(simulation.statistics());
        }
    }

    // m x'' = F sin(w t) - EA e l / L, e = (l^2 - L^2) / (2 L^2), l = L + x: a truss of Green's
    // strain; integrated here.
    TEST_CASE("a sine on a mass on a spring") {
        constexpr double kF = 3.0, kW = 7.0, kEA = 100.0;
        const auto acceleration = [](double x, double t) {
            const double strain = 0.5 * ((1.0 + x) * (1.0 + x) - 1.0);
            return (kF * std::sin(kW * t) - kEA * strain * (1.0 + x)) / kMass;
        };
        double x = 0.0, v = 0.0;
        constexpr int kSteps = 20000;
        constexpr double e = 2.0 / kSteps;
        for (int k = 0; k < kSteps; ++k) {
            const double t = k * e, m = t + 0.5 * e;
            const double a1 = acceleration(x, t), v2 = v + 0.5 * e * a1;
            const double a2 = acceleration(x + 0.5 * e * v, m), v3 = v + 0.5 * e * a2;
            const double a3 = acceleration(x + 0.5 * e * v2, m), v4 = v + e * a3;
            const double a4 = acceleration(x + e * v3, t + e);
            x += e / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
            v += e / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        }
        const auto error = [&](const std::string& type, double h) {
            Simulation simulation = model(
                "\n[[body]]\nname = \"spring\"\ntype = \"truss\"\nfrom = [0.0, 0.0, 0.0]\n"
                "to = [1.0, 0.0, 0.0]\narea = 1e-4\nyoung = 1e6\n"
                "node_masses = [[0, 1.0], [1, 2.0]]\n"
                "\n[[constraint]]\nname = \"wall\"\ntype = \"position\"\na = \"spring@0\"\n"
                "b = \"ground@[0.0, 0.0, 0.0]\"\n" +
                load("at = \"spring@1\"\nforce = [\"3*sin(7*t)\", \"0\", \"0\"]\n") +
                integrator(type, h, 2.0));
            run_to_end(simulation);
            if (type == "emm") check_balances(simulation.statistics());
            const Simulation::PointState end = simulation.point("spring@1");
            return std::abs(end.position[0] - 1.0 - x) + std::abs(end.velocity[0] - v);
        };
        const double fine = error("emm", 1e-3);
        CHECK(fine <= tolerance(1e-4));
        CHECK(observed_order(4.0, error("emm", 4e-3), 1.0, fine) == near(2.0, 0.02));
        CHECK(error("dopri5", 1e-3) <= tolerance(1e-9));
    }
}

TEST_SUITE("loads on a box") {
    const RigidBody kBody{.mass = 3.0, .J = Vec3(0.4, 0.5, 0.7)};

    // theta = tau t^2 / 2 J; L = tau t.
    TEST_CASE("a torque about a principal axis, in space or in the body") {
        for (const std::string frame : {"space", "body"}) {
            CAPTURE(frame);
            const auto error = [&](const std::string& type, const std::string& method, double h) {
                const Box box{.twin = kBody,
                              .start = {},
                              .keys = "body = \"box\"\ntorque = [0.0, 0.0, 2.0]\nframe = \"" +
                                      frame + "\"\n"};
                Simulation simulation = model(box.text(type) + integrator(method, h, 1.5));
                while (!simulation.done()) {
                    simulation.step();
                    CHECK(column(simulation, "angular_momentum.z") ==
                          near(2.0 * simulation.time(), method == "emm" ? 1e-14 : 1e-10));
                }
                if (method == "emm") check_balances(simulation.statistics());
                const double theta = 2.0 * 1.5 * 1.5 / (2.0 * 0.7);
                return angle_between(attitude(simulation, "box"),
                                     Eigen::AngleAxisd(theta, Vec3::UnitZ()).toRotationMatrix());
            };
            const double fine = error("ancf_rigid_body", "emm", 1e-3);
            CHECK(observed_order(10.0, error("ancf_rigid_body", "emm", 1e-2), 1.0, fine) ==
                  near(2.0, 0.02));
            CHECK(error("quaternion_body", "dopri5", 1e-2) <= tolerance(1e-10));
        }
    }

    TEST_CASE("a force that follows a spinning box") {
        Box box{.twin = kBody,
                .start = {.v = Vec3(0.5, 0.0, 0.0), .w = Vec3(0.5, 3.0, -1.0)},
                .keys =
                    "at = \"box@[0.2, -0.1, 0.3]\"\nforce = [1.0, 4.0, -2.0]\n"
                    "frame = \"body\"\n"};
        box.twin.follows = true;
        box.twin.P = Vec3(0.2, -0.1, 0.3);
        box.twin.F = [](double) {
            return Vec3(1.0, 4.0, -2.0);
        };
        box.check();
    }

    TEST_CASE("a force fixed in space on a corner of it, that changes with time") {
        Box box{
            .twin = kBody,
            .start = {.w = Vec3(0.5, 3.0, -1.0)},
            .keys = "at = \"box@[0.2, -0.1, 0.3]\"\nforce = [\"2*cos(4*t)\", \"3*t\", \"1\"]\n"};
        box.twin.P = Vec3(0.2, -0.1, 0.3);
        box.twin.F = [](double t) {
            return Vec3(2.0 * std::cos(4.0 * t), 3.0 * t, 1.0);
        };
        box.check();
    }

    TEST_CASE("a torque fixed in space on a tumbling box: the angular momentum grows by tau h") {
        Box box{.twin = kBody,
                .start = {.w = Vec3(0.5, 3.0, -1.0)},
                .keys = "body = \"box\"\ntorque = [1.0, -0.5, 0.7]\n"};
        box.twin.T = [](double) {
            return Vec3(1.0, -0.5, 0.7);
        };
        box.check();
        Simulation simulation = model(box.text("ancf_rigid_body") + integrator("emm", 0.05, 5.0));
        const Vec3 L = columns(simulation, "angular_momentum");
        while (!simulation.done()) {
            simulation.step();
            const Vec3 expected = L + simulation.time() * Vec3(1.0, -0.5, 0.7);
            CHECK((columns(simulation, "angular_momentum") - expected).norm() <= tolerance(1e-13));
        }
        check_balances(simulation.statistics());
    }

    // A torque that follows the box, given at a point of it, which does not matter: Euler's
    // equations with a constant torque in body axes.
    TEST_CASE("a torque that follows a tumbling box") {
        Box box{.twin = kBody,
                .start = {.w = Vec3(0.5, 3.0, -1.0)},
                .keys = "at = \"box@[0.3, 0.2, 0.1]\"\ntorque = [1.0, -0.5, 0.7]\nfollow = true\n"};
        box.twin.follows = true;
        box.twin.T = [](double) {
            return Vec3(1.0, -0.5, 0.7);
        };
        box.check();
    }

    // A factor on a line, which is its own natural spline, so that the exact load is known.
    TEST_CASE("a table of factors scales force and torque") {
        Box box{.twin = kBody,
                .start = {.w = Vec3(0.5, 1.0, -2.0)},
                .keys =
                    "at = \"box@[0.2, -0.1, 0.3]\"\nforce = [1.0, 4.0, -2.0]\n"
                    "torque = [1.0, -0.5, 0.7]\nfollow = true\n"
                    "table = [[0.0, 2.0], [0.37, 1.26], [1.0, 0.0], [5.0, -8.0]]\n"
                    "interpolation = \"spline\"\n"};
        box.twin.follows = true;
        box.twin.P = Vec3(0.2, -0.1, 0.3);
        box.twin.F = [](double t) {
            return Vec3((2.0 - 2.0 * t) * Vec3(1.0, 4.0, -2.0));
        };
        box.twin.T = [](double t) {
            return Vec3((2.0 - 2.0 * t) * Vec3(1.0, -0.5, 0.7));
        };
        box.check();
    }

    TEST_CASE("force and torque together that follow it, from tables") {
        // Rows on a line, which is its own natural spline, so that the exact load is known.
        Box box{.twin = kBody,
                .start = {.w = Vec3(0.5, 1.0, -2.0)},
                .keys =
                    "at = \"box@[0.2, -0.1, 0.3]\"\n"
                    "force = [[0.0, 1.0, 0.0, 2.0], [0.4, 0.6, 0.4, 2.0], [1.0, 0.0, 1.0, 2.0]]\n"
                    "torque = [[0.0, 0.3, 0.0, 0.0], [1.0, 0.3, 2.0, -1.0]]\n"
                    "interpolation = \"spline\"\nframe = \"body\"\n"};
        box.twin.follows = true;
        box.twin.P = Vec3(0.2, -0.1, 0.3);
        box.twin.F = [](double t) {
            return Vec3(1.0 - t, t, 2.0);
        };
        box.twin.T = [](double t) {
            return Vec3(0.3, 2.0 * t, -t);
        };
        box.check();
    }

    // J_1 = J_2: w_3 = w_30 + tau t / J_3, and w_1 + i w_2 turns in the body by the angle
    // -(J_1 - J_3) / J_1 int w_3 dt.
    TEST_CASE("a symmetric top spun up about its own axis") {
        Box box{.twin = {.mass = 1.0, .J = Vec3(0.5, 0.5, 0.2)},
                .start = {.w = Vec3(0.7, 0.0, 1.0)},
                .keys = "body = \"box\"\ntorque = [0.0, 0.0, 0.8]\nframe = \"body\"\n"};
        box.twin.follows = true;
        box.twin.T = [](double) {
            return Vec3(0.0, 0.0, 0.8);
        };
        box.check();
        Simulation simulation =
            model(box.text("quaternion_body") + integrator("dopri5", 1e-2, 2.0));
        run_to_end(simulation);
        const double turned = (1.0 - 0.2 / 0.5) * (1.0 * 2.0 + 0.5 * 4.0 * 2.0 * 2.0);
        const Vec3 exact(0.7 * std::cos(turned), -0.7 * std::sin(turned), 1.0 + 4.0 * 2.0);
        CHECK((omega(simulation, "box") - exact).norm() <= tolerance(1e-10));
    }

    TEST_CASE("a plate, one of whose base vectors has no mass, and a soft box take a torque too") {
        for (const std::string shape :
             {"mass = 2.0\ninertia = [0.2, 0.3, 0.5]\n",
              "size = [0.3, 0.2, 0.1]\ndensity = 500.0\npenalty = 1e6\n"}) {
            CAPTURE(shape);
            Simulation simulation =
                model("\n[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\n" + shape +
                      load("body = \"box\"\ntorque = [0.1, -0.05, 0.07]\n") +
                      integrator("emm", 1e-3, 1.0));
            run_to_end(simulation);
            check_balances(simulation.statistics());
            CHECK((columns(simulation, "angular_momentum") - Vec3(0.1, -0.05, 0.07)).norm() <=
                  tolerance(1e-14));
        }
    }
}

TEST_SUITE("loads that are refused") {
    std::string error_of(const std::function<void()>& action) {
        try {
            action();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }

    TEST_CASE("a table that does not reach from the begin of the run to its end") {
        for (const std::string type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            const std::string text =
                kBead + load(
                            "at = \"bead@0\"\nforce = [[0.0, 1.0, 0.0, 0.0], [0.5, 2.0, 0.0, "
                            "0.0]]\n");
            Simulation whole = model(text + integrator(type, 0.1, 0.5));
            CHECK_NOTHROW(run_to_end(whole));
            const auto refusal = [&](const std::string& model_text) {
                return error_of([&] {
                    model(model_text + integrator(type, 0.1, 1.0));
                });
            };
            CHECK(refusal(text).ends_with(
                "force \"push\": force: the table ends at t = 0.5 s, and the run at t = 1 s; add "
                "rows up to there, shorten the run (\"end\" of [integrator]), or say with "
                "\"outside\" what stands after the last"));
            CHECK(refusal(kBead + load("at = \"bead@0\"\nforce = [[0.2, 1.0, 0.0, 0.0], [1.0, 2.0, "
                                       "0.0, 0.0]]\n"))
                      .ends_with("force \"push\": force: the table begins at t = 0.2 s, and the "
                                 "run at t = 0 s; add a row for its begin, or say with "
                                 "\"outside\" what stands before the first"));
        }
    }

    TEST_CASE("formulas, rows and bodies without axes, at their place in the file") {
        const auto message = [](const std::string& keys) {
            return error_of([&] {
                model(kBead + load(keys) + integrator("emm", 0.1, 1.0));
            });
        };
        const std::string formula =
            message("at = \"bead@0\"\nforce = [\"1\", \"2*sin(3*s)\", \"0\"]\n");
        CHECK(formula.find("test.toml:12:") != std::string::npos);
        CHECK(formula.find("formula of y, position 9: ") != std::string::npos);
        const std::string row =
            message("at = \"bead@0\"\nforce = [[0.0, 1.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]\n");
        CHECK(row.find("test.toml:12:") != std::string::npos);
        CHECK(row.find("row 2 has t = 0 s") != std::string::npos);
        const std::string axes = message("body = \"bead\"\ntorque = [0.0, 0.0, 1.0]\n");
        CHECK(axes.find("test.toml:11:") != std::string::npos);
        CHECK(axes.find("bead@[1, 0, 0]") != std::string::npos);
        CHECK(message("force = [1.0, 0.0, 0.0]\n").find("at: is missing") != std::string::npos);
    }
}

// A torque is distributed over a body's directions d_i by forces f_i, which are no forces on a
// point: what is reported of them is the moment, sum of d_i x f_i.
TEST_SUITE("what a load reports") {
    Vec3 reported(const Simulation& simulation, const std::string& what) {
        return {column(simulation, "push." + what + ".x"),
                column(simulation, "push." + what + ".y"),
                column(simulation, "push." + what + ".z")};
    }

    const std::string kSpinning =
        "size = [0.5, 0.3, 0.2]\ndensity = 700.0\nangular_velocity = [0.4, 2.0, -1.0]\n";

    std::string body(const std::string& type) {
        return "[[body]]\nname = \"m\"\ntype = \"" + type + "\"\n" + kSpinning;
    }

    TEST_CASE("a pure torque is a torque in N m, and no force") {
        const Vec3 T(30.0, -20.0, 100.0);
        for (const auto& [type, stepper, tolerance_of_kind] :
             {std::tuple{"ancf_rigid_body", "emm", 1e-12},
              {"ancf_rigid_body", "rk4", 1e-12},
              {"quaternion_body", "rk4", 1e-12},
              {"quaternion_body", "dopri5", 1e-12}}) {
            CAPTURE(type);
            CAPTURE(stepper);
            Simulation simulation =
                model(body(type) + load("body = \"m\"\ntorque = [30.0, -20.0, 100.0]\n") +
                      integrator(stepper, 1e-3, 0.02));
            while (!simulation.done()) {
                simulation.step();
                CHECK(reported(simulation, "force").norm() == 0.0);
                CHECK((reported(simulation, "torque") - T).norm() <=
                      tolerance(tolerance_of_kind * T.norm()));
            }
            const Dynamics now = simulation.dynamics();
            REQUIRE(now.forces.size() == 1);
            CHECK(vec3(now.forces[0].force).norm() == 0.0);
            CHECK((vec3(now.forces[0].torque) - T).norm() <=
                  tolerance(tolerance_of_kind * T.norm()));
        }
    }

    TEST_CASE("of a force and a torque that follow the body, both in axes of space") {
        Simulation simulation =
            model(body("quaternion_body") +
                  load("at = \"m@[0.1, 0.2, 0.0]\"\nforce = [3.0, 0.0, 4.0]\ntorque = [0.0, 2.0, "
                       "0.0]\nfollow = true\n") +
                  integrator("rk4", 1e-3, 0.3));
        run_to_end(simulation);
        const Mat3 R = attitude(simulation, "m");
        CHECK((reported(simulation, "force") - R * Vec3(3.0, 0.0, 4.0)).norm() <= tolerance(1e-12));
        CHECK((reported(simulation, "torque") - R * Vec3(0.0, 2.0, 0.0)).norm() <=
              tolerance(1e-12));
    }

    TEST_CASE("the torque of a step is the angular momentum that it brings") {
        Simulation simulation =
            model(body("ancf_rigid_body") +
                  load("body = \"m\"\ntorque = [[0.0, 0.0, 0.0, 1.0], [1.0, 5.0, -8.0, 20.0]]\n") +
                  integrator("emm", 0.01, 0.2));
        const auto momentum = [&]() -> Vec3 {
            return {column(simulation, "angular_momentum.x"),
                    column(simulation, "angular_momentum.y"),
                    column(simulation, "angular_momentum.z")};
        };
        while (!simulation.done()) {
            const Vec3 before = momentum();
            simulation.step();
            const Vec3 gained = (momentum() - before) / simulation.step_size();
            CHECK((reported(simulation, "torque") - gained).norm() <= tolerance(1e-9));
        }
    }

    // Drag that is written as a formula, on a particle and on a hinge: -c v of 3 kg from 2 m/s.
    TEST_CASE("work is recorded under the heading that is asked for") {
        const std::string moving =
            "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 3.0\nvelocity = [2, 0, 0]\n";
        const std::string steps = "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 1.0\n";
        for (const bool is_nonideal : {false, true})
            for (const bool is_motor : {false, true}) {
                const std::string work =
                    fmt::format("work = \"{}\"\n", is_nonideal ? "nonideal" : "external");
                Simulation simulation = model(
                    moving +
                    (is_motor
                         ? "[[force]]\nname = \"f\"\ntype = \"motor\"\na = \"ground@[-1, 0, 0]\"\n"
                           "b = \"p@0\"\neffort = \"-0.6*rate\"\n"
                         : "[[force]]\nname = \"f\"\ntype = \"point_load\"\nat = \"p@0\"\n"
                           "force = [\"-0.6*vx\", \"0\", \"0\"]\n") +
                    work + steps);
                run_to_end(simulation);
                const double lost = -6.0 * (1.0 - std::exp(-0.4));
                CHECK(column(simulation, is_nonideal ? "work.nonideal" : "work.external") ==
                      near(lost, 1e-4));
                CHECK(column(simulation, is_nonideal ? "work.external" : "work.nonideal") == 0.0);
                CHECK(simulation.statistics().energy.max_rel <= 1e-13);
                CHECK(simulation.statistics().momentum.max_rel <= 1e-13);
            }
    }

    TEST_CASE("of a load on a group, the sum; without a torque there are no columns of one") {
        Simulation simulation = model(
            "[[body]]\nname = \"net\"\ntype = \"truss\"\ngrid = {counts = [3, 2], spacing = "
            "[1.0, 1.0]}\narea = 1e-4\nyoung = 1e7\ndensity = 1000.0\n" +
            load("at = \"net@*\"\nforce = [1.0, -2.0, 0.5]\n") + integrator("emm", 1e-3, 0.01));
        run_to_end(simulation);
        CHECK((reported(simulation, "force") - Vec3(6.0, -12.0, 3.0)).norm() <= tolerance(1e-13));
        for (const std::string& name : simulation.column_names())
            CHECK(name.find("torque") == std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
