// SPDX-License-Identifier: BSD-3-Clause
// Supports that move: against minimal coordinates integrated here, known reactions, the ledger,
// files beside the manifest, and motions that are refused.
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/program.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

std::string integrator(const std::string& type, double step, double end) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + "tolerance = 1e-12\n" : table;
}
const std::string kWeight = "[model]\ngravity = [0.0, 0.0, -9.81]\n";
std::string bead(const std::string& keys = "") {
    return "\n[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 2.0\n" + keys;
}
constexpr double kMass = 2.0;  // kg
std::string drive(const std::string& point, const std::string& keys) {
    return fmt::format(
        "\n[[constraint]]\nname = \"drive\"\ntype = \"position\"\na = \"{}\"\n"
        "b = \"ground@[0.0, 0.0, 0.0]\"\n{}",
        point,
        keys);
}

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

/// Compound pendulum in the plane y = 0 whose pivot moves by p(t), with the angle theta from
/// hanging straight down and the centre at p - l (sin theta, cos theta):
///
///   (J + m l^2) theta'' = m l (p_x'' cos theta - (p_z'' + g) sin theta)                   (1)
///   W = integral of F . p',   F = m (c'' + g e_z)                                        (2)
///
/// by the classical Runge-Kutta method in steps so small that its error is rounding. W is the
/// support's work.
struct Pendulum {
    static constexpr double m = 3.0, J = 0.5, l = 0.8;
    std::function<Vec3(double)> p, p1, p2;  // the pivot's displacement and its derivatives
    double theta0 = 0.0;
    std::string motion;

    struct State {
        double theta, rate, work;
        State plus(const State& d, double h) const {
            return {theta + h * d.theta, rate + h * d.rate, work + h * d.work};
        }
    };
    State derivative(const State& s, double t) const {
        const double sine = std::sin(s.theta), cosine = std::cos(s.theta);
        const Vec3 a = p2(t);
        const double alpha = m * l * (a.x() * cosine - (a.z() + kGravity) * sine) / (J + m * l * l);
        const Vec3 c2 = a - l * Vec3(alpha * cosine - s.rate * s.rate * sine,
                                     0.0,
                                     -alpha * sine - s.rate * s.rate * cosine);
        const Vec3 F = m * (c2 + Vec3(0.0, 0.0, kGravity));
        return {s.rate, alpha, F.dot(p1(t))};
    }
    State at(double end) const {
        constexpr int kSteps = 40000;
        const double h = end / kSteps;
        State s{theta0, 0.0, 0.0};
        for (int k = 0; k < kSteps; ++k) {
            const double t = k * h;
            const State k1 = derivative(s, t);
            const State k2 = derivative(s.plus(k1, 0.5 * h), t + 0.5 * h);
            const State k3 = derivative(s.plus(k2, 0.5 * h), t + 0.5 * h);
            const State k4 = derivative(s.plus(k3, h), t + h);
            s = s.plus(k1, h / 6.0).plus(k2, h / 3.0).plus(k3, h / 3.0).plus(k4, h / 6.0);
        }
        return s;
    }

    std::string text(const std::string& type) const {
        const Vec3 c = p(0.0) - l * Vec3(std::sin(theta0), 0.0, std::cos(theta0)), v = p1(0.0);
        return kWeight +
               fmt::format(
                   "\n[[body]]\nname = \"bob\"\ntype = \"{}\"\nmass = {:.17g}\n"
                   "inertia = [{:.17g}, {:.17g}, {:.17g}]\n"
                   "position = [{:.17g}, {:.17g}, {:.17g}]\nvelocity = [{:.17g}, {:.17g}, "
                   "{:.17g}]\n"
                   "orientation = {{axis = [0.0, 1.0, 0.0], angle = {:.17g}}}\n",
                   type,
                   m,
                   J,
                   J,
                   J,
                   c.x(),
                   c.y(),
                   c.z(),
                   v.x(),
                   v.y(),
                   v.z(),
                   theta0) +
               drive(fmt::format("bob@[0.0, 0.0, {:.17g}]", l), "motion = " + motion + "\n");
    }
    double error(const Simulation& simulation) const {
        const double t = simulation.time();
        const State exact = at(t);
        const double sine = std::sin(exact.theta), cosine = std::cos(exact.theta);
        const Pose pose = simulation.pose("bob");
        const Vec3 c = p(t) - l * Vec3(sine, 0.0, cosine);
        const Vec3 v = p1(t) - l * exact.rate * Vec3(cosine, 0.0, -sine);
        return (vec3(pose.position) - c).norm() + (vec3(pose.velocity) - v).norm() +
               (vec3(pose.angular_velocity) - Vec3(0.0, exact.rate, 0.0)).norm() +
               std::abs(column(simulation, "work.external") - exact.work);
    }
    double error_of(const std::string& type,
                    const std::string& method,
                    double step,
                    double end = 2.0) const {
        Simulation simulation = model(text(type) + integrator(method, step, end));
        run_to_end(simulation);
        if (method == "emm") check_balances(simulation.statistics());
        return error(simulation);
    }
};

Pendulum shaken() {
    return {[](double t) {
                return Vec3(0.2 * std::sin(5.0 * t), 0.0, 0.1 * std::cos(7.0 * t) - 0.1);
            },
            [](double t) {
                return Vec3(std::cos(5.0 * t), 0.0, -0.7 * std::sin(7.0 * t));
            },
            [](double t) {
                return Vec3(-5.0 * std::sin(5.0 * t), 0.0, -4.9 * std::cos(7.0 * t));
            },
            0.4,
            "[\"0.2*sin(5*t)\", \"0\", \"0.1*cos(7*t) - 0.1\"]"};
}

/// Pivot up and down so fast that the pendulum may stand on its head.
Pendulum kapitza(double frequency) {
    constexpr double A = 0.05;
    return {[=](double t) {
                return Vec3(0.0, 0.0, A * (std::cos(frequency * t) - 1.0));
            },
            [=](double t) {
                return Vec3(0.0, 0.0, -A * frequency * std::sin(frequency * t));
            },
            [=](double t) {
                return Vec3(0.0, 0.0, -A * frequency * frequency * std::cos(frequency * t));
            },
            std::numbers::pi - 0.1,
            fmt::format("[\"0\", \"0\", \"0.05*(cos({:.17g}*t) - 1)\"]", frequency)};
}

/// model.toml of a folder.
Simulation load(const TempFolder& folder, const Overrides& overrides = {}) {
    return {Manifest::load(folder / "model.toml", overrides), registry()};
}

/// What running a model is refused with, and its kind.
struct Refusal {
    std::string message;
    ErrorKind kind = ErrorKind::internal;
};
Refusal refusal(const std::function<void()>& run) {
    try {
        run();
    } catch (const Error& error) {
        return {error.what(), error.kind()};
    }
    return {};
}
Refusal refusal_of(const std::string& motion,
                   const std::string& method = "emm",
                   const std::string& keys = "") {
    return refusal([&] {
        Simulation simulation = model(bead(keys) + drive("bead@0", "motion = " + motion + "\n") +
                                      integrator(method, 0.01, 1.0));
        run_to_end(simulation);
    });
}
TEST_SUITE("prescribed motion: pendulums") {
    TEST_CASE("a pivot that is shaken: as in minimal coordinates, with the order of each method") {
        const Pendulum pendulum = shaken();
        const double emm = pendulum.error_of("ancf_rigid_body", "emm", 1e-3);
        CHECK(emm <= tolerance(5e-4));
        CHECK(observed_order(4.0, pendulum.error_of("ancf_rigid_body", "emm", 4e-3), 1.0, emm) ==
              near(2.0, 0.02));
        for (const std::string type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            const double rk4 = pendulum.error_of(type, "rk4", 5e-3);
            CHECK(rk4 <= tolerance(1e-6));
            CHECK(observed_order(4.0, pendulum.error_of(type, "rk4", 2e-2), 1.0, rk4) ==
                  near(4.0, 0.25));
            CHECK(pendulum.error_of(type, "dopri5", 1e-2) <= tolerance(1e-8));
        }
    }

    // A^2 W^2 > 2 g l_eff with l_eff = (J + m l^2) / (m l): Kapitza, 1951.
    TEST_CASE("Kapitza's pendulum stands on its head if its pivot shakes fast enough") {
        const auto lowest = [](double frequency) {
            const Pendulum pendulum = kapitza(frequency);
            Simulation simulation =
                model(pendulum.text("ancf_rigid_body") + integrator("emm", 1e-3, 3.0));
            double height = 1.0;
            while (!simulation.done()) {
                simulation.step();
                const double pivot = pendulum.p(simulation.time()).z();
                height =
                    std::min(height, (simulation.pose("bob").position[2] - pivot) / Pendulum::l);
            }
            check_balances(simulation.statistics());
            return height;
        };
        const double needed =
            std::sqrt(2.0 * kGravity * (Pendulum::J / (Pendulum::m * Pendulum::l) + Pendulum::l)) /
            0.05;
        CHECK(lowest(2.0 * needed) > 0.95);
        CHECK(lowest(0.5 * needed) < 0.0);
    }
}

TEST_SUITE("examples: driven pendulum") {
    // w^2 = A^2 W^2 / (2 l^2) - g / l for the slow swing about upright, l = 2 L / 3: Kapitza's
    // average, whose error is of the order of w / W = 0.02.
    TEST_CASE("the pushed pendulum swings about upright as slowly as the average says") {
        Simulation simulation = example("driven_pendulum");
        const double l = 2.0 * 0.4 / 3.0, A = 0.01, W = 400.0;
        const double w = std::sqrt(A * A * W * W / (2.0 * l * l) - kGravity / l);
        double first = 0.0, last = 0.0, x_before = 0.0;
        int crossings = 0;
        while (!simulation.done()) {
            simulation.step();
            const double x = simulation.point("bar@[0.0, 0.0, 0.2]").position[0];
            if (simulation.time() > 0.65 && x * x_before < 0.0) {
                last = simulation.time();
                if (crossings++ == 0) first = last;
            }
            x_before = x;
        }
        REQUIRE(crossings > 3);
        const double period = 2.0 * (last - first) / (crossings - 1);
        CHECK(period == near(2.0 * std::numbers::pi / w, 0.02 * period));
        check_balances(simulation.statistics());
        CHECK(simulation.statistics().steps == 15000);
    }
}

TEST_SUITE("prescribed motion: reactions and works") {
    // z = a t^2 / 2: the support pushes by m (g + a) and works by m (g + a) z. A step's force is
    // 2 m (dz / h - v) / h, so that rounding of z is divided by h^2.
    TEST_CASE("a mass that is lifted with constant acceleration") {
        constexpr double a = 3.0, h = 0.01, kForce = kMass * (kGravity + a);
        constexpr double kRounding = 1e-15 * 6.0 * 4.0 * kMass / (h * h);
        for (const std::string method : {"emm", "rk4", "dopri5"}) {
            CAPTURE(method);
            Simulation simulation =
                model(kWeight + bead() + drive("bead@0", "motion = [\"0\", \"0\", \"1.5*t^2\"]\n") +
                      integrator(method, h, 2.0));
            double force_error = 0.0, path_error = 0.0, work_error = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const double z = 0.5 * a * simulation.time() * simulation.time();
                force_error = std::max(
                    force_error, (columns(simulation, "drive.force") - Vec3(0, 0, kForce)).norm());
                path_error =
                    std::max(path_error, std::abs(simulation.point("bead@0").position[2] - z));
                work_error = std::max(work_error,
                                      std::abs(column(simulation, "work.external") - kForce * z));
            }
            CHECK(force_error <= tolerance(kRounding));
            CHECK(path_error <= tolerance(1e-13));
            CHECK(work_error <= tolerance(1e-12 * kForce));
            if (method == "emm") check_balances(simulation.statistics());
        }
    }

    TEST_CASE("components that are not named are free, and a ground point named `a` moves too") {
        const std::string text =
            bead("velocity = [3.0, 0.0, 0.0]\n") +
            "\n[[constraint]]\nname = \"drive\"\ntype = \"position\"\na = \"ground@[0.0, 0.0, "
            "0.0]\"\nb = \"bead@0\"\ncomponents = \"zy\"\n"
            "motion = [\"77*t\", \"0\", \"1.5*t^2\"]\n";
        Simulation simulation = model(text + integrator("emm", 0.01, 1.0));
        run_to_end(simulation);
        CHECK((vec3(simulation.point("bead@0").position) - Vec3(3.0, 0.0, 1.5)).norm() <=
              tolerance(1e-13));
        // On the ground's point, which the bead pulls back.
        CHECK(columns(simulation, "drive.force").z() == near(-kMass * 3.0, 1e-10));
        CHECK(column(simulation, "work.external") == near(kMass * 3.0 * 1.5, 1e-11));
        check_balances(simulation.statistics());
    }

    TEST_CASE("a lift from rest to rest by a table: the work is m g H, the motion then stands") {
        Simulation simulation =
            model(kWeight + bead() +
                  drive("bead@0",
                        "motion = [[0.0, 0.0, 0.0, 0.0], [0.33, 0.0, 0.0, 0.1], [1.0, 0.0, 0.0, "
                        "0.7]]\ninterpolation = \"rest\"\noutside = \"hold\"\n") +
                  integrator("emm", 0.01, 1.5));
        run_to_end(simulation);
        CHECK(simulation.point("bead@0").position[2] == near(0.7, 1e-14));
        CHECK(column(simulation, "work.external") ==
              near(kMass * kGravity * 0.7 + column(simulation, "energy.kinetic"), 1e-12));
        CHECK(column(simulation, "energy.kinetic") <= 1e-4);
        check_balances(simulation.statistics());
    }

    // Times k h and (k - 1) h + h differ by rounding, in one direction over long stretches: without
    // care the body would lag behind, here by 2e-12 m. Of functions that stay near 6 m a lag of
    // 8 * 6 * 2e-16 m is taken for rounding, and what one step adds, at most 1.5 m/s * 2e-15 s,
    // sixteen times.
    TEST_CASE("a long run stays where the drive is") {
        Simulation simulation = model(
            bead("velocity = [1.5, 0.0, 0.0]\n") +
            drive("bead@0", "motion = [\"0.5*sin(3*t)\", \"0.3*t - 0.1*sin(3*t)\", \"0\"]\n") +
            integrator("emm", 1e-3, 20.0));
        run_to_end(simulation);
        CHECK(column(simulation, "constraint.position") <= tolerance(6e-14));
        CHECK(std::abs(column(simulation, "work.projection")) <= tolerance(1e-11));
        check_balances(simulation.statistics());
    }

    // A sphere of links pulled along by a hook that runs round a circle.
    TEST_CASE("a chain whose end is led round a circle keeps its balances") {
        const std::string text =
            kWeight +
            "\n[[body]]\nname = \"chain\"\ntype = \"truss\"\nnodes = [[0.0, 0.0, 0.0], [0.5, 0.0, "
            "0.0], [1.0, 0.0, 0.0]]\nelements = [[0, 1], [1, 2]]\narea = 1e-4\nyoung = 1e7\n"
            "density = 1000.0\nvelocity = [0.0, 0.6, 0.0]\n" +
            drive("chain@0", "motion = [\"0.2*cos(3*t) - 0.2\", \"0.2*sin(3*t)\", \"0\"]\n");
        Simulation simulation = model(text + integrator("emm", 2e-3, 1.0));
        run_to_end(simulation);
        check_balances(simulation.statistics());
        CHECK(std::abs(column(simulation, "work.external")) > 1e-3);
    }
}

TEST_SUITE("prescribed motion: files") {
    std::string table_of(const std::string& separator, int rows) {
        std::string text = "t" + separator + "x" + separator + "y" + separator + "z\n";
        for (int k = 0; k <= rows; ++k) {
            const double t = 1.0 * k / rows;
            text += fmt::format(
                "{0:.17g}{3}{1:.17g}{3}0{3}{2:.17g}\n", t, 0.1 * t * t, 0.2 * t * t * t, separator);
        }
        return text;
    }

    TEST_CASE("a file beside the manifest, another by --set, and the same table written out") {
        const TempFolder folder;
        folder.write("lift.csv", table_of(", ", 10));
        folder.write("finer.csv", "# finer\n" + table_of(";", 200));
        folder.write("push.txt", "0 0 0 6\n1 0 0 6\n");
        folder.write("model.toml",
                     bead() +
                         drive("bead@0",
                               "motion = \"lift.csv\"\ncomponents = \"z\"\n"
                               "interpolation = \"rest\"\n") +
                         "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"bead@0\"\n"
                         "force = \"push.txt\"\n" +
                         integrator("emm", 0.01, 1.0));
        std::string rows = "[";
        for (int k = 0; k <= 10; ++k)
            rows += fmt::format("{}[{:.17g}, {:.17g}, 0.0, {:.17g}]",
                                k > 0 ? ", " : "",
                                k / 10.0,
                                0.1 * (k / 10.0) * (k / 10.0),
                                0.2 * (k / 10.0) * (k / 10.0) * (k / 10.0));
        Simulation of_file = load(folder);
        Simulation of_rows = load(folder,
                                  {"constraint.drive.motion=" + rows + "]",
                                   "force.push.force=[[0, 0, 0, 6], [1, 0, 0, 6]]"});
        Simulation of_finer = load(folder, {"constraint.drive.motion=finer.csv"});
        for (Simulation* simulation : {&of_file, &of_rows, &of_finer}) run_to_end(*simulation);
        CHECK(of_file.point("bead@0").position == of_rows.point("bead@0").position);
        CHECK(column(of_file, "work.external") == column(of_rows, "work.external"));
        CHECK(of_file.point("bead@0").position[2] == near(0.2, 1e-13));
        CHECK(of_finer.point("bead@0").position[2] == near(0.2, 1e-13));
        check_balances(of_file.statistics());
    }

    TEST_CASE("a file that is missing, and mistakes in one, at their place") {
        const TempFolder folder;
        const auto loaded = [&] {
            return refusal([&] {
                load(folder);
            });
        };
        folder.write(
            "model.toml",
            bead() + drive("bead@0", "motion = \"lift.csv\"\n") + integrator("emm", 0.01, 1.0));
        const Refusal missing = loaded();
        CHECK(missing.kind == ErrorKind::file);
        CHECK(contains(missing.message, "model.toml:12:10: "));
        CHECK(contains(missing.message, "lift.csv\" does not exist"));
        CHECK(contains(missing.message, "a text alone names a file, formulas stand in an array"));

        folder.write("lift.csv", "t, x, y, z\n0, 0, 0, 0\n0.5, 0, 0, 0.1\n0.5, 0, 0, 0.2\n");
        const Refusal order = loaded();
        CHECK(order.kind == ErrorKind::manifest);
        CHECK(contains(order.message,
                       (folder / "lift.csv").string() +
                           ":4:1: error: constraint \"drive\": motion: this row has t = 0.5 s, but "
                           "the row before it t = 0.5 s; times must increase"));
        folder.write("lift.csv", "t, x, y, z\n0, 0, 0, 0\n0.5, 0, zero, 0.1\n");
        CHECK(contains(loaded().message,
                       ":3:9: error: constraint \"drive\": motion: \"zero\" is no number"));
        folder.write("lift.csv", "t, x, y, z\n0, 0, 0\n0.5, 0, 0\n");
        CHECK(contains(loaded().message,
                       ":2:7: error: constraint \"drive\": motion: found 3 "
                       "columns, expected 4: t, x, y, z"));
    }
}

TEST_SUITE("prescribed motion: refusals") {
    TEST_CASE("a motion that jumps is refused when it does, with the time and the size") {
        for (const std::string method : {"emm", "rk4", "dopri5"}) {
            CAPTURE(method);
            const Refusal step = refusal_of("[\"0\", \"0\", \"0.25*sign(t - 0.5034)\"]",
                                            method,
                                            "position = [0.0, 0.0, -0.25]\n");
            CHECK(step.kind == ErrorKind::numerical);
            CHECK(contains(step.message, "t = 0.5034 s: what constraint \"drive\""));
            CHECK(contains(step.message, "prescribes jumps by 0.5"));
        }
        // A branch cut, on the end of a step.
        const Refusal cut = refusal_of("[\"0\", \"atan2(sin(2*pi*t), cos(2*pi*t))\", \"0\"]",
                                       "emm",
                                       "velocity = [0.0, 6.283185307179586, 0.0]\n");
        CHECK(contains(cut.message, "t = 0.5 s: what constraint"));
        CHECK(contains(cut.message, "jumps by 6.28319"));
        // Beside a large smooth part.
        CHECK(contains(refusal_of("[\"3*t + 1e-4*sign(t - 0.2)\", \"0\", \"0\"]",
                                  "emm",
                                  "position = [-1e-4, 0.0, 0.0]\nvelocity = [3.0, 0.0, 0.0]\n")
                           .message,
                       "t = 0.2 s: what constraint"));
        // At the very start.
        CHECK(contains(refusal_of("[\"0.1*sign(t)\", \"0\", \"0\"]").message, "jumps by 0.1"));
    }

    TEST_CASE("what is steep, bent or fast but continuous is no jump") {
        for (const std::string motion : {"0.1*tanh(1e4*(t - 0.5034)) + 0.1",
                                         "abs(t - 0.3033) - 0.3033 + t",
                                         "0.01*cos(1e4*t) - 0.01",
                                         "0.01*sqrt(abs(t - 0.5034)) - 0.0070950687097"}) {
            CAPTURE(motion);
            const Refusal none = refusal_of("[\"0\", \"0\", \"" + motion + "\"]");
            CHECK(!contains(none.message, "jumps"));
        }
    }

    // What a step follows without resolving it moves bodies by velocities of size / h.
    TEST_CASE("a smooth ramp within a step is told at the end; corners, which end steps, are not") {
        const auto doubts = [](const std::string& motion, const std::string& method, double h) {
            Simulation simulation = model(bead() + drive("bead@0", "motion = " + motion + "\n") +
                                          integrator(method, h, 1.0));
            run_to_end(simulation);
            std::string all;
            for (const std::string& doubt : simulation.statistics().doubts) all += doubt + '\n';
            return all;
        };
        const auto ramp = [](double begin, double end) {
            const std::string x = fmt::format("(t - {})/{:.17g}", begin, end - begin);
            return "[\"0.125*(abs(" + x + ") - abs(" + x + " - 1) + 1)\", \"0\", \"0\"]";
        };
        for (const std::string method : {"emm", "rk4"}) {
            CAPTURE(method);
            const std::string told =
                doubts("[\"0.125*tanh((t - 0.505)*4000) + 0.125\", \"0\", \"0\"]", method, 0.01);
            CHECK(contains(told, "what constraint \"drive\""));
            CHECK(contains(told, "prescribes goes 0.25 within less than the step of 0.01 s that "));
            CHECK(contains(told, "t = 0.51 s"));
            CHECK(contains(
                doubts("[\"0.1*tanh(1e4*(t - 0.5034)) + 0.1\", \"0\", \"0\"]", method, 0.01),
                "do not resolve it"));
            for (const std::string& fine :
                 {ramp(0.503, 0.507),
                  ramp(0.5031, 0.5033),
                  ramp(0.503, 0.603),
                  ramp(0.5, 0.52),
                  std::string("[\"0.1*(1 - cos(9*t))\", \"abs(t - 0.3033) - 0.3033 + t\", \"0\"]"),
                  std::string("[\"0.1*tanh((t - 0.5)/0.02) + 0.1\", \"0\", \"0\"]")}) {
                CAPTURE(fine);
                CHECK_FALSE(contains(doubts(fine, method, 0.01), "prescribes goes"));
            }
        }
    }

    TEST_CASE("a formula that turns infinite in mid-run: object, formula and time") {
        const Refusal refusal = refusal_of(
            "[\"0\", \"0\", \"0.001/(0.5 - t) - 0.002\"]", "rk4", "velocity = [0.0, 0.0, 0.004]\n");
        CAPTURE(refusal.message);
        CHECK(contains(refusal.message, "constraint \"drive\""));
        CHECK(contains(refusal.message,
                       "motion: the formula of z, \"0.001/(0.5 - t) - 0.002\", has no finite"));
        CHECK(contains(refusal.message, "at t = 0.5 s"));
    }

    TEST_CASE("other constraints that prescribe motions are watched alike") {
        const Refusal step = refusal([] {
            Simulation simulation =
                model(bead("position = [-1.0, 0.0, 0.0]\n") +
                      "\n[[constraint]]\nname = \"law\"\ntype = \"general_constraint\"\n"
                      "equation = \"bead.x = sign(t - 0.3033)\"\n" +
                      integrator("emm", 0.01, 1.0));
            run_to_end(simulation);
        });
        CHECK(contains(step.message, "t = 0.3033 s: what constraint \"law\""));
    }

    TEST_CASE("a motion that begins at rest but for rounding is no wrong start") {
        CHECK(refusal_of("[\"0\", \"0\", \"0.1*cos(3*t + 2*pi) - 0.1\"]").message == "");
    }

    TEST_CASE("a table that begins with rows of zeros begins at rest, however many there are") {
        // Of the natural spline what is left of the first motion falls by 2 - sqrt(3) a row.
        const auto table = [](int zeros) {
            std::string rows;
            for (int k = 0; k < zeros; ++k) rows += fmt::format("[{}, 0.0, 0.0, 0.0], ", 0.01 * k);
            return bead() +
                   drive("bead@0",
                         fmt::format("motion = [{}[{}, 0.0, 0.0, 0.1], [{}, 0.0, 0.0, 0.1]]\n",
                                     rows,
                                     0.01 * zeros,
                                     0.01 * zeros + 2.0)) +
                   integrator("emm", 0.01, 0.02);
        };
        for (const int zeros : {40, 80, 200, 300}) {
            CAPTURE(zeros);
            CHECK(refusal([&] {
                      Simulation simulation = model(table(zeros));
                      run_to_end(simulation);
                  }).message == "");
        }
        // With few it does begin with a rate: the message says what would not.
        for (const int zeros : {1, 3, 6}) {
            CAPTURE(zeros);
            const std::string message = refusal([&] {
                                            Simulation simulation = model(table(zeros));
                                        }).message;
            CHECK(contains(message, "changes at a rate of"));
            CHECK(contains(message, "interpolation = \"rest\""));
        }
    }

    TEST_CASE("a start that does not move with its support, and tables that are too short") {
        const Refusal start = refusal_of("[\"0\", \"0\", \"0.1*sin(3*t)\"]");
        CHECK(start.kind == ErrorKind::numerical);
        CHECK(contains(start.message, "changes at a rate of -0.3"));
        CHECK(contains(start.message, "of which -0.3 is prescribed over time"));
        const Refusal end = refusal([] {
            Simulation simulation =
                model(bead() +
                      drive("bead@0",
                            "interpolation = \"rest\"\n"
                            "motion = [[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.1]]\n") +
                      integrator("emm", 0.01, 1.0));
        });
        CHECK(end.kind == ErrorKind::manifest);
        CHECK(contains(end.message, "constraint \"drive\": motion: the table ends at t = 0.5 s"));
    }
}

}  // namespace
}  // namespace ancora::testing
