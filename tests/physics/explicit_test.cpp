// SPDX-License-Identifier: BSD-3-Clause
// Order, error control, drift and energy of the integrators on motions with closed solutions, and
// the same model under each of them.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/euler_top.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-9) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    // The contract's key, but a length to one and a relative error to the other.
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}

/// A point mass on a circle of 1 m in the plane y = 0. With sin(theta/2) = k sn(w t + u_0, k),
///
///   theta' = 2 k w cn(w t + u_0, k),  k^2 = sin^2(theta_0/2) + (theta_0' / 2 w)^2,  w^2 = g / 1 m
struct Pendulum {
    static constexpr double kAngle = 1.0, kRate = 1.5, kMass = 2.0;
    enum class Tie { circle, formula };

    Pendulum() {
        k = std::hypot(std::sin(0.5 * kAngle), 0.5 * kRate / w);
        u_0 = boost::math::ellint_1(k, std::asin(std::sin(0.5 * kAngle) / k));
    }
    double angle(double t) const {
        return 2.0 * std::asin(k * boost::math::jacobi_sn(k, w * t + u_0));
    }
    double rate(double t) const { return 2.0 * k * w * boost::math::jacobi_cn(k, w * t + u_0); }
    Vec3 position(double t) const { return {std::sin(angle(t)), 0.0, -std::cos(angle(t))}; }
    Vec3 velocity(double t) const {
        return rate(t) * Vec3(std::cos(angle(t)), 0.0, std::sin(angle(t)));
    }
    /// Pull of the circle on the mass [N].
    double pull(double t) const {
        return kMass * (kGravity * std::cos(angle(t)) + rate(t) * rate(t));
    }
    double distance(const Simulation& simulation, double t) const {
        const Simulation::PointState bob = simulation.point("bob@0");
        return (vec3(bob.position) - position(t)).norm() +
               (vec3(bob.velocity) - velocity(t)).norm() / w;
    }

    std::string text(Tie tie = Tie::circle) const {
        const Vec3 x = position(0.0), v = velocity(0.0);
        return fmt::format(
                   "[model]\ngravity = [0.0, 0.0, -9.81]\n\n[[body]]\nname = \"bob\"\n"
                   "type = \"particle\"\nmass = {:.17g}\nposition = [{:.17g}, 0.0, {:.17g}]\n"
                   "velocity = [{:.17g}, 0.0, {:.17g}]\n",
                   kMass,
                   x(0),
                   x(2),
                   v(0),
                   v(2)) +
               (tie == Tie::circle
                    ? "\n[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\n"
                      "point = \"bob@0\"\nnormal = [0.0, 1.0, 0.0]\nradius = 1.0\n"
                    : "coordinates = \"xz\"\n\n[[constraint]]\nname = \"hoop\"\n"
                      "type = \"general_constraint\"\nequation = \"bob.x^2 + bob.z^2 = 1\"\n");
    }

    const double w = std::sqrt(kGravity);
    double k = 0.0, u_0 = 0.0;
};

/// A body that slides on a plane, upright, on an edge.
std::string skate(const std::string& type, const Vec3& gravity, double edge_at) {
    const auto foot = [](const char* name, const char* at) {
        return fmt::format(
            "\n[[constraint]]\nname = \"{}\"\ntype = \"point_on_plane\"\npoint = \"skate@{}\"\n"
            "normal = [0.0, 0.0, 1.0]\n",
            name,
            at);
    };
    return fmt::format(
               "[model]\ngravity = [{:.17g}, {:.17g}, {:.17g}]\n\n[[body]]\nname = \"skate\"\n"
               "type = \"{}\"\n",
               gravity(0),
               gravity(1),
               gravity(2),
               type) +
           "mass = 2.0\ninertia = [0.1, 0.3, 0.35]\n" + foot("toe", "[0.5, 0.0, 0.0]") +
           foot("left", "[-0.5, 0.3, 0.0]") + foot("right", "[-0.5, -0.3, 0.0]") +
           fmt::format(
               "\n[[constraint]]\nname = \"edge\"\ntype = \"knife_edge\"\nbody = \"skate\"\n"
               "point = [{:.17g}, 0.0, 0.0]\ndirection = [1.0, 0.0, 0.0]\n",
               edge_at);
}
const Overrides kSkateStart{"body.skate.velocity=[0.7, 0.0, 0.0]",
                            "body.skate.angular_velocity=[0.0, 0.0, 1.3]"};

/// A skate whose edge lies under the centre of mass, on a plane that falls along x by 20 degrees:
/// no moment about its normal, so theta = W t, and along the edge u' = g sin(a) cos(theta),
///
///   u = u_0 + (g sin(a) / W) sin(W t)
///   x = (u_0 / W) sin(W t) + (g sin(a) / (2 W^2)) sin^2(W t)
///   y = (u_0 / W) (1 - cos(W t)) + (g sin(a) / W) (t / 2 - sin(2 W t) / (4 W))
///
/// It does not slide down but across the slope.
struct SkateOnSlope {
    static constexpr double kSpin = 1.3, kSpeed = 0.7;
    const double slope = 20.0 / 180.0 * std::numbers::pi;
    const double pull = kGravity * std::sin(slope);

    std::string text(const std::string& type) const {
        std::string text = skate(type, {pull, 0.0, -kGravity * std::cos(slope)}, 0.0);
        return text;
    }
    Vec3 position(double t) const {
        const double s = std::sin(kSpin * t);
        return {kSpeed / kSpin * s + 0.5 * pull / (kSpin * kSpin) * s * s,
                kSpeed / kSpin * (1.0 - std::cos(kSpin * t)) +
                    pull / kSpin * (0.5 * t - 0.25 * std::sin(2.0 * kSpin * t) / kSpin),
                0.0};
    }
    Vec3 velocity(double t) const {
        return (kSpeed + pull / kSpin * std::sin(kSpin * t)) *
               Vec3(std::cos(kSpin * t), std::sin(kSpin * t), 0.0);
    }
    double distance(const Simulation& simulation, double t) const {
        const Pose pose = simulation.pose("skate");
        return (vec3(pose.position) - position(t)).norm() +
               (vec3(pose.velocity) - velocity(t)).norm() / kSpin +
               (vec3(pose.angular_velocity) - Vec3(0.0, 0.0, kSpin)).norm() / kSpin;
    }
};

/// Chaplygin's sleigh: the edge a distance a behind the centre of mass, on a level plane. With u
/// the velocity of the edge's point and I = J + m a^2,
///
///   u' = a W^2,   I W' = -m a u W,   m V^2 = m u^2 + I W^2 constant, hence
///   u = V tanh(p t + c),   W = sqrt(m / I) V sech(p t + c),   p = a m V / I
///   theta = sqrt(I / m) / a (gd(p t + c) - gd(c)),   gd(x) = 2 atan(tanh(x / 2))
///
/// Source: Ju. I. Neimark and N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972, III.
struct Sleigh {
    static constexpr double a = 0.2, m = 2.0, u_0 = 0.7, W_0 = 1.3;
    static constexpr double I = 0.35 + m * a * a;
    const double V = std::sqrt(u_0 * u_0 + I / m * W_0 * W_0);
    const double p = a * m * V / I, c = std::atanh(u_0 / V);

    double speed(double t) const { return V * std::tanh(p * t + c); }
    double spin(double t) const { return std::sqrt(m / I) * V / std::cosh(p * t + c); }
    double heading(double t) const {
        const auto gd = [](double x) {
            return 2.0 * std::atan(std::tanh(0.5 * x));
        };
        return std::sqrt(I / m) / a * (gd(p * t + c) - gd(c));
    }
    /// Of the edge's point, by quadrature.
    Vec3 position(double t) const {
        const auto along = [&](double phase) {
            constexpr int kSubsteps = 8;
            double sum = 0.0;
            for (int i = 0; i < kSubsteps; ++i)
                sum += boost::math::quadrature::gauss<double, 20>::integrate(
                    [&](double s) {
                        return speed(s) * std::cos(heading(s) - phase);
                    },
                    t * i / kSubsteps,
                    t * (i + 1) / kSubsteps);
            return sum;
        };
        return {-a + along(0.0), along(0.5 * std::numbers::pi), 0.0};
    }
    std::string text(const std::string& type) const { return skate(type, {0, 0, -kGravity}, -a); }
    double distance(const Simulation& simulation, double t) const {
        const Simulation::PointState edge = simulation.point("skate@[-0.2, 0.0, 0.0]");
        const Vec3 along(std::cos(heading(t)), std::sin(heading(t)), 0.0);
        return (vec3(edge.position) - position(t)).norm() +
               (vec3(edge.velocity) - speed(t) * along).norm() +
               (omega(simulation, "skate") - Vec3(0.0, 0.0, spin(t))).norm();
    }
};

/// Error at the end of a run.
template <class Exact>
double error_of(const Exact& exact,
                const std::string& text,
                double end,
                const Overrides& overrides = {}) {
    Simulation simulation = model(text, overrides);
    run_to_end(simulation);
    CHECK(simulation.time() == end);
    return exact.distance(simulation, end);
}

template <class Exact>
void check_order(const Exact& exact,
                 const std::string& text,
                 const std::string& type,
                 double order,
                 double step,
                 double slack,
                 const Overrides& overrides = {}) {
    CAPTURE(type);
    constexpr double kEnd = 2.0;
    const double coarse = error_of(exact, text + integrator(type, step, kEnd), kEnd, overrides);
    const double fine = error_of(exact, text + integrator(type, 0.5 * step, kEnd), kEnd, overrides);
    CHECK(observed_order(step, coarse, 0.5 * step, fine) == near(order, slack));
}

/// The error follows the tolerance: within `most` times, and in proportion.
template <class Exact>
void check_tolerance(const Exact& exact,
                     const std::string& text,
                     double most,
                     const Overrides& overrides = {}) {
    constexpr double kEnd = 2.0;
    std::vector<double> errors;
    for (const double tol : {1e-6, 1e-8, 1e-10}) {
        CAPTURE(tol);
        const double error =
            error_of(exact, text + integrator("dopri5", 1e-3, kEnd, tol), kEnd, overrides);
        CHECK(error <= tolerance(most * tol));
        errors.push_back(error);
    }
    CHECK(std::log10(errors.front() / errors.back()) == near(4.0, 0.6));
}

TEST_SUITE("order of convergence") {
    TEST_CASE("pendulum: rk4 has order 4, emm order 2, on a circle and on a formula") {
        const Pendulum pendulum;
        for (const auto tie : {Pendulum::Tie::circle, Pendulum::Tie::formula}) {
            check_order(pendulum, pendulum.text(tie), "rk4", 4.0, 0.01, 0.1);
            check_order(pendulum, pendulum.text(tie), "emm", 2.0, 0.005, 0.01);
        }
    }
    TEST_CASE("pendulum: the error of dopri5 follows its tolerance") {
        const Pendulum pendulum;
        for (const auto tie : {Pendulum::Tie::circle, Pendulum::Tie::formula})
            check_tolerance(pendulum, pendulum.text(tie), 30.0);
    }
    TEST_CASE("pendulum: the circle pulls with m (g cos(theta) + l theta'^2)") {
        const Pendulum pendulum;
        Simulation simulation = model(pendulum.text() + integrator("rk4", 1e-3, 2.0));
        run_to_end(simulation);
        const Vec3 expected = -pendulum.pull(2.0) * pendulum.position(2.0);
        CHECK((columns(simulation, "hoop.force") - expected).norm() <= tolerance(1e-9));
    }

    TEST_CASE("skate on a slope: rk4 has order 4, emm order 2, dopri5 follows its tolerance") {
        const SkateOnSlope exact;
        for (const char* type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            check_order(exact, exact.text(type), "rk4", 4.0, 0.02, 0.1, kSkateStart);
            check_tolerance(exact, exact.text(type), 30.0, kSkateStart);
        }
        check_order(exact, exact.text("ancf_rigid_body"), "emm", 2.0, 0.01, 0.01, kSkateStart);
    }

    TEST_CASE("Chaplygin's sleigh: rk4 has order 4, emm order 2, dopri5 follows its tolerance") {
        const Sleigh exact;
        // The centre of mass is carried along: its velocity is the edge's point's and a W across.
        const Overrides start{
            fmt::format("body.skate.velocity=[{:.17g}, {:.17g}, 0.0]", exact.u_0, exact.a * 1.3),
            "body.skate.angular_velocity=[0.0, 0.0, 1.3]"};
        for (const char* type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            check_order(exact, exact.text(type), "rk4", 4.0, 0.04, 0.15, start);
            check_tolerance(exact, exact.text(type), 30.0, start);
        }
        check_order(exact, exact.text("ancf_rigid_body"), "emm", 2.0, 0.01, 0.01, start);
    }
}

TEST_SUITE("dense output") {
    TEST_CASE("rows inside a step are as good as its ends, and lie on the constraints") {
        const Pendulum pendulum;
        for (const double tol : {1e-6, 1e-9}) {
            CAPTURE(tol);
            Simulation simulation = model(pendulum.text() + integrator("dopri5", 0.01, 3.0, tol));
            const std::vector<std::string> names = simulation.column_names();
            const auto at = [&](const std::string& name) {
                return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                                names.begin());
            };
            std::vector<double> row(names.size());
            double worst = 0.0, gap = 0.0, slip = 0.0;
            for (double before = 0.0; !simulation.done(); before = simulation.time()) {
                simulation.step();
                for (int i = 1; i < 8; ++i) {
                    const double t = before + (simulation.time() - before) * i / 8.0;
                    simulation.sample_at(t, row);
                    CHECK(row[at("t")] == t);
                    const Vec3 x(row[at("bob.x")], row[at("bob.y")], row[at("bob.z")]);
                    const Vec3 v(row[at("bob.vx")], row[at("bob.vy")], row[at("bob.vz")]);
                    worst = std::max(worst,
                                     (x - pendulum.position(t)).norm() +
                                         (v - pendulum.velocity(t)).norm() / pendulum.w);
                    gap = std::max(gap, std::abs(0.5 * (x.squaredNorm() - 1.0)));
                    slip = std::max(slip, std::abs(x.dot(v)));
                }
            }
            CHECK(worst <= tolerance(100.0 * tol));
            CHECK(gap <= tolerance(1e-13));
            CHECK(slip <= tolerance(1e-12));
        }
    }
    TEST_CASE("outputs of dopri5 foretell its steps, and a resumed run shows the same") {
        const Pendulum pendulum;
        const std::string text = pendulum.text() + integrator("dopri5", 0.01, 3.0);
        const std::string shown = text + "[integrator.dopri5]\nshow_steps = true\n";
        Simulation plain = model(text);
        CHECK_THROWS_WITH_AS(
            plain.value("integrator.error"), doctest::Contains("there is no column"), Error);
        Simulation run = model(shown);
        int told = 0;
        for (int k = 0; k < 20; ++k) {
            const double next = run.value("integrator.next_step"), t = run.time();
            run.step();
            plain.step();
            // A step that is refused is made shorter.
            const double taken = run.time() - t;
            if (k > 0) CHECK(taken <= next * (1.0 + 1e-12));
            told += std::abs(taken - next) <= 1e-12 * next ? 1 : 0;
            CHECK(run.value("integrator.error") > 0.0);
            CHECK(run.value("integrator.error") <= 1.0);
            CHECK(run.time() == plain.time());
        }
        CHECK(told >= 15);
        Simulation other = model(shown);
        other.restore(run.save());
        for (const char* name : {"integrator.next_step", "integrator.error"})
            CHECK(other.value(name) == run.value(name));
    }

    TEST_CASE("looking inside the steps does not change the motion") {
        const std::string text = Pendulum().text() + integrator("dopri5", 0.01, 3.0);
        Simulation watched = model(text), alone = model(text);
        std::vector<double> row(watched.column_names().size());
        while (!watched.done()) {
            const double before = watched.time();
            watched.step();
            watched.sample_at(0.3 * before + 0.7 * watched.time(), row);
            alone.step();
            CHECK(watched.time() == alone.time());
            CHECK(std::ranges::equal(watched.q(), alone.q()));
            CHECK(std::ranges::equal(watched.v(), alone.v()));
        }
        CHECK(watched.statistics().energy.max_abs == alone.statistics().energy.max_abs);
    }
}

/// Largest gap (r.r - R^2) / (2 R) of a pendulum over 10 s, from its positions, with statistics.
struct Drift {
    double seen = 0.0;
    RunStatistics statistics;
};
Drift drift(const std::string& type, double step, double tol, const std::string& own) {
    Simulation simulation = model(Pendulum().text() + integrator(type, step, 10.0, tol) +
                                  "\n[integrator." + type + "]\n" + own + "\n");
    Drift out;
    while (!simulation.done()) {
        simulation.step();
        const Vec3 x = vec3(simulation.point("bob@0").position);
        out.seen = std::max(out.seen, std::abs(0.5 * (x.squaredNorm() - 1.0)));
    }
    out.statistics = simulation.statistics();
    return out;
}

TEST_SUITE("drift") {
    TEST_CASE("projection holds the constraints over 10 s; without it they drift, and it shows") {
        const struct {
            const char* type;
            double step, tolerance;
        } runs[] = {{"rk4", 0.02, 0.0}, {"dopri5", 0.02, 1e-6}};
        for (const auto& run : runs) {
            CAPTURE(run.type);
            const Drift held = drift(run.type, run.step, run.tolerance, "");
            CHECK(held.statistics.constraint_position.max_abs <= tolerance(1e-12));
            CHECK(held.statistics.constraint_velocity.max_abs <= tolerance(1e-12));
            CHECK(held.seen <= tolerance(1e-12));

            const Drift free = drift(run.type, run.step, run.tolerance, "projection = false");
            CHECK(free.seen >= 1e-6);
            CHECK(free.statistics.constraint_position.max_abs == near(free.seen, 1e-14));
            CHECK(free.statistics.constraint_velocity.max_abs >= 1e-7);

            // The best rate is near the motion's own; a larger one costs accuracy in the stages.
            const Drift damped =
                drift(run.type, run.step, run.tolerance, "projection = false\nbaumgarte = 2.0");
            CHECK(damped.seen <= 0.1 * free.seen);
            CHECK(damped.seen > 1e-9);
        }
    }
}

TEST_SUITE("energy") {
    TEST_CASE("the energy balance of rk4 is its error and goes down with its order") {
        const Pendulum pendulum;
        double worst[3];
        const double steps[] = {0.02, 0.01, 0.005};
        for (int i = 0; i < 3; ++i) {
            Simulation simulation = model(pendulum.text() + integrator("rk4", steps[i], 4.0));
            run_to_end(simulation);
            worst[i] = simulation.statistics().energy.max_abs;
        }
        CHECK(worst[0] > 1e-6);
        CHECK(observed_order(steps[0], worst[0], steps[1], worst[1]) >= 3.9);
        CHECK(observed_order(steps[1], worst[1], steps[2], worst[2]) >= 3.9);
    }
    TEST_CASE("the energy balance of dopri5 follows the tolerance, that of emm is rounding") {
        const Pendulum pendulum;
        double last = 1.0;
        for (const double tol : {1e-6, 1e-8, 1e-10}) {
            CAPTURE(tol);
            Simulation simulation = model(pendulum.text() + integrator("dopri5", 0.01, 4.0, tol));
            run_to_end(simulation);
            const double worst = simulation.statistics().energy.max_rel;
            CHECK(worst <= tolerance(30.0 * tol));
            CHECK(worst < 0.1 * last);
            last = worst;
        }
        Simulation simulation = model(pendulum.text() + integrator("emm", 0.01, 4.0));
        run_to_end(simulation);
        CHECK(simulation.statistics().energy.max_rel <= tolerance(rounding_bound(400.0)));
    }
}

TEST_SUITE("one model, three integrators") {
    const std::vector<std::string> kExplicit{"rk4", "dopri5"};

    Overrides under(const std::string& type, double step, double end, double tol) {
        Overrides out{"integrator.type=" + type,
                      setting("integrator.step", step),
                      setting("integrator.end", end)};
        if (type == "dopri5") out.push_back(setting("integrator.tolerance", tol));
        return out;
    }

    TEST_CASE("tumbling box: explicit methods meet Euler's top where emm errs by its own 2e-6") {
        const EulerTop top({6750.0, 13500.0, 17550.0}, {0.3, 0.5, 0.8});
        for (const std::string& type : kExplicit) {
            CAPTURE(type);
            Simulation simulation = example("tumbling_box", under(type, 0.01, 5.0, 1e-11));
            run_to_end(simulation);
            CHECK((omega(simulation, "box") - top.omega(5.0)).norm() <= tolerance(1e-9));
            CHECK(angle_between(attitude(simulation, "box"), top.attitude(5.0)) <= tolerance(1e-9));
            CHECK(simulation.statistics().constraint_strain.max_abs <= tolerance(1e-13));
        }
        Simulation simulation = example("tumbling_box", under("emm", 1e-3, 5.0, 0.0));
        run_to_end(simulation);
        CHECK((omega(simulation, "box") - top.omega(5.0)).norm() <= tolerance(2e-6));
    }

    // At rest about some axes, rows of rigidity such as e_1' . e_1' meet numbers that are all zero
    // but for rounding; such rows contradict nothing. About a principal axis, the exact motion is
    // omega constant and the attitude turned about it.
    TEST_CASE("exactly rigid box turning in a coordinate plane or about a principal axis") {
        for (const Vec3& start : {Vec3(0.0, 0.5, 0.5), Vec3(0.5, 0.0, 0.5), Vec3(0.5, 0.5, 0.0)})
            for (const std::string& type : kExplicit) {
                CAPTURE(start.transpose());
                CAPTURE(type);
                const EulerTop top({6750.0, 13500.0, 17550.0}, start);
                Overrides overrides = under(type, 0.01, 2.0, 1e-11);
                overrides.push_back(fmt::format(
                    "body.box.angular_velocity=[{}, {}, {}]", start.x(), start.y(), start.z()));
                Simulation simulation = example("tumbling_box", overrides);
                run_to_end(simulation);
                CHECK((omega(simulation, "box") - top.omega(2.0)).norm() <= tolerance(1e-10));
                CHECK(angle_between(attitude(simulation, "box"), top.attitude(2.0)) <=
                      tolerance(1e-10));
            }
        for (int axis = 0; axis < 3; ++axis)
            for (const std::string& type : kExplicit) {
                CAPTURE(axis);
                CAPTURE(type);
                const Vec3 start = 0.7 * Vec3::Unit(axis);
                Overrides overrides = under(type, 0.01, 2.0, 1e-11);
                overrides.push_back(fmt::format(
                    "body.box.angular_velocity=[{}, {}, {}]", start.x(), start.y(), start.z()));
                Simulation simulation = example("tumbling_box", overrides);
                run_to_end(simulation);
                const Mat3 turned = Eigen::AngleAxisd(1.4, Vec3::Unit(axis)).toRotationMatrix();
                CHECK((omega(simulation, "box") - start).norm() <= tolerance(1e-10));
                CHECK(angle_between(attitude(simulation, "box"), turned) <= tolerance(1e-10));
            }
    }

    // All bodies of the example, their reference points.
    Eigen::VectorXd places(const Simulation& simulation, const std::vector<std::string>& points) {
        Eigen::VectorXd x(3 * static_cast<Eigen::Index>(points.size()));
        for (std::size_t i = 0; i < points.size(); ++i)
            x.segment<3>(3 * static_cast<Eigen::Index>(i)) =
                vec3(simulation.point(points[i]).position);
        return x;
    }

    TEST_CASE("hanging chain: rk4 meets dopri5, and emm's distance to both is of second order") {
        const std::vector<std::string> points{
            "link1@[0.5, 0.0, 0.0]", "link5@[0.5, 0.0, 0.0]", "link10@[0.5, 0.0, 0.0]"};
        constexpr double kEnd = 0.5;
        const auto run = [&](const std::string& type, double step, double tol) {
            Simulation simulation = example("hanging_chain", under(type, step, kEnd, tol));
            run_to_end(simulation);
            return places(simulation, points);
        };
        const Eigen::VectorXd reference = run("dopri5", 1e-3, 1e-11);
        CHECK((run("rk4", 2e-3, 0.0) - reference).norm() <= tolerance(1e-8));
        const double coarse = (run("emm", 4e-3, 0.0) - reference).norm();
        const double fine = (run("emm", 2e-3, 0.0) - reference).norm();
        CHECK(fine <= tolerance(1e-3));
        CHECK(observed_order(2.0, coarse, 1.0, fine) == near(2.0, 0.05));
    }

    // The boom rings along its axis with 1.1e4 rad/s by some 1e-8 m, which emm's step does not
    // resolve and an explicit step must.
    TEST_CASE("box with truss: the three agree about box and tip") {
        constexpr double kEnd = 0.1;
        const auto run = [&](const std::string& type, double step) {
            Simulation simulation = example("box_with_truss", under(type, step, kEnd, 1e-11));
            run_to_end(simulation);
            Eigen::VectorXd out(6);
            out << omega(simulation, "box"), vec3(simulation.point("boom@1").position);
            return out;
        };
        const Eigen::VectorXd reference = run("dopri5", 1e-5);
        CHECK((run("rk4", 1e-5) - reference).norm() <= tolerance(1e-9));
        CHECK((run("emm", 1e-3) - reference).norm() <= tolerance(2e-7));
    }

    /// A body of 1 kg on a hinge of any axis, a distance of 0.3 m beside its centre; `twice` on
    /// two of them, whose rows depend on each other.
    std::string on_hinge(std::mt19937 & random, const std::string& keys, bool twice) {
        std::normal_distribution<double> normal;
        const Vec3 axis = Vec3(normal(random), normal(random), normal(random)).normalized();
        const Vec3 across = axis.unitOrthogonal();
        const auto triple = [](const Vec3& x) {
            return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
        };
        std::string text =
            "[[body]]\nname = \"b\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
            "inertia = [0.1, 0.1, 0.1]\n";
        for (int k = 0; k < (twice ? 2 : 1); ++k)
            text += fmt::format(
                "[[joint]]\nname = \"j{}\"\ntype = \"revolute\"\na = \"ground\"\nb = \"b\"\n"
                "point = {}\naxis = {}\n{}\n",
                k,
                triple(0.3 * across + 0.4 * k * axis),
                triple(axis),
                k == 0 ? keys : "");
        return text;
    }
    constexpr double kOnHinge = 0.1 + 0.3 * 0.3;  // kg m^2

    // J theta'' = -c theta': theta = (J / c) theta_0' (1 - exp(-c t / J)), and the rate falls below
    // all numbers at some 745 J / c.
    TEST_CASE("a damped hinge comes to rest, down to where the squares of its speed are nothing") {
        std::mt19937 random(36);
        for (const double damping : {0.3, 5.0, 40.0})
            for (const bool twice : {false, true})
                for (const std::string type : {"rk4", "dopri5", "emm", "generalized_alpha"}) {
                    CAPTURE(damping);
                    CAPTURE(twice);
                    CAPTURE(type);
                    const double time = kOnHinge / damping;
                    const bool is_exact = type == "rk4" || type == "dopri5";
                    Simulation simulation = model(
                        on_hinge(random,
                                 fmt::format("start = {{angle_rate = 2.0}}\ndamping = {}", damping),
                                 twice) +
                        integrator(type, 0.2 * time, 1000.0 * time));
                    run_to_end(simulation);
                    CHECK(column(simulation, "j0.angle") ==
                          near(2.0 * time, (is_exact ? 1e-4 : 1e-1) * time));
                    CHECK(std::abs(column(simulation, "j0.angle_rate")) <= tolerance(1e-8));
                    CHECK(simulation.statistics().doubts.empty());
                }
    }

    // theta = a exp(-((t - t_0) / w)^2) is a denormal number at the start, and later again.
    TEST_CASE("a drive that follows a smooth pulse moves from rest and comes to rest") {
        std::mt19937 random(37);
        std::uniform_real_distribution<double> width(0.02, 0.08);
        for (int k = 0; k < 6; ++k)
            for (const std::string type : {"rk4", "dopri5", "emm"}) {
                const double w = width(random), t_0 = 27.4 * w;
                CAPTURE(w);
                CAPTURE(type);
                const std::string motion =
                    fmt::format("0.2*exp(-((t - {:.17g})/{:.17g})^2)", t_0, w);
                Simulation simulation =
                    model(on_hinge(random, "drive = {motion = \"" + motion + "\"}", k % 2 == 1) +
                          integrator(type, 0.02 * w, 2.0 * t_0));
                while (simulation.time() < t_0 + 0.5 * w) simulation.step();
                const double in = (simulation.time() - t_0) / w;
                CHECK(column(simulation, "j0.angle") == near(0.2 * std::exp(-in * in), 1e-9));
                run_to_end(simulation);
                CHECK(std::abs(column(simulation, "j0.angle")) <= tolerance(1e-9));
            }
    }

    // The natural spline of rows that are all zero at first begins with a slope that falls by
    // 2 - sqrt(3) from row to row: next to nothing, but not nothing.
    TEST_CASE("a table that begins with zeros starts a body at rest") {
        std::mt19937 random(38);
        for (const int zeros : {40, 120, 200, 400, 600})
            for (const std::string type : {"rk4", "emm"}) {
                CAPTURE(zeros);
                CAPTURE(type);
                std::string table;
                for (int k = 0; k < zeros; ++k) table += fmt::format("[{}, 0.0], ", 0.01 * k);
                for (int k = 0; k < 20; ++k)
                    table += fmt::format("[{}, {}], ", 0.01 * (zeros + k), 0.01 * k * k);
                Simulation simulation =
                    model(on_hinge(random, "drive = {motion = [" + table + "]}", zeros % 200 == 0) +
                          integrator(type, 1e-3, 0.02));
                run_to_end(simulation);
                CHECK(std::abs(column(simulation, "j0.angle")) <= tolerance(1e-12));
            }
    }

    // A nut on a screw of pitch p falls by z'' = -g / (1 + J (2 pi / p)^2 / m): next to nothing
    // where p is small, and what meeting the screw's thread changes is rounding of m g z.
    TEST_CASE("what rounding of a weight's height changes casts no doubt on a run") {
        for (const double pitch : {1e-9, 3e-8, 1e-6, 1e-4, 1e-2})
            for (const double height : {0.3, 7.0, 400.0})
                for (const std::string type : {"rk4", "dopri5", "emm"}) {
                    CAPTURE(pitch);
                    CAPTURE(height);
                    CAPTURE(type);
                    Simulation simulation = model(
                        fmt::format("[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"nut\"\n"
                                    "type = \"ancf_rigid_body\"\nmass = 2.0\n"
                                    "inertia = [0.01, 0.01, 0.003]\nposition = [0.1, 0.2, {0}]\n"
                                    "[[joint]]\nname = \"lead\"\ntype = \"screw\"\n"
                                    "a = \"ground\"\nb = \"nut\"\npoint = [0.1, 0.2, {0}]\n"
                                    "axis = [0, 0, 1]\npitch = {1}\n",
                                    height,
                                    pitch) +
                        integrator(type, 1e-3, 0.5));
                    run_to_end(simulation);
                    const double turns = 2.0 * std::numbers::pi / pitch;
                    const double fallen = 0.125 * kGravity / (1.0 + 0.003 * turns * turns / 2.0);
                    CHECK(height - simulation.pose("nut").position[2] ==
                          near(fallen, (type == "emm" ? 1e-5 : 1e-9) * fallen + 1e-14 * height));
                    CHECK(simulation.statistics().doubts.empty());
                }
    }

    // Nothing moves, and no energy is in play: what is left in the balances is rounding of forces.
    TEST_CASE("bodies that rest under loads leave no doubt about balances") {
        std::mt19937 random(39);
        std::normal_distribution<double> normal;
        for (int k = 0; k < 30; ++k) {
            CAPTURE(k);
            std::string text;
            const auto triple = [&](double size) {
                return fmt::format("[{:.17g}, {:.17g}, {:.17g}]",
                                   size * normal(random),
                                   size * normal(random),
                                   size * normal(random));
            };
            const double mass = std::pow(10.0, -4.0 + k % 7);
            text += fmt::format(
                "[[body]]\nname = \"b\"\ntype = \"ancf_rigid_body\"\nmass = {0}\n"
                "inertia = [{1}, {1}, {1}]\nposition = {2}\n"
                "orientation = {{axis = {3}, angle = 0.7}}\n",
                mass,
                0.01 * mass,
                triple(5.0),
                triple(1.0));
            for (int j = 0; j < 1 + k % 2; ++j)
                text += fmt::format(
                    "[[joint]]\nname = \"j{}\"\ntype = \"fixed\"\na = \"ground\"\nb = \"b\"\n"
                    "point = {}\n",
                    j,
                    triple(5.0));
            for (int j = 0; j < 3; ++j)
                text += fmt::format(
                    "[[force]]\nname = \"f{}\"\ntype = \"point_load\"\nat = \"b@{}\"\n"
                    "force = {}\n",
                    j,
                    triple(0.3),
                    triple(100.0));
            Simulation simulation = model(text + integrator("emm", 1e-3, 0.3));
            run_to_end(simulation);
            CHECK(simulation.statistics().doubts.empty());
        }
    }

    // A mass flies against a stiff spring: its energy is what it was, or the run has a doubt.
    TEST_CASE("steps that do not resolve a blow are told by the balance that jumps in them") {
        std::mt19937 random(40);
        std::uniform_real_distribution<double> some(0.3, 3.0);
        int off = 0;
        for (int k = 0; k < 30; ++k)
            for (const double part : {0.05, 2.0}) {
                const double stiffness = std::pow(10.0, 2 + k % 4) * some(random);
                const double mass = some(random), speed = some(random);
                const double w = std::sqrt(stiffness / mass);
                const double start = 30.0 * some(random) * speed / w;
                CAPTURE(k);
                CAPTURE(part);
                Simulation simulation = model(
                    fmt::format("[[body]]\nname = \"m\"\ntype = \"particle\"\nmass = {:.17g}\n"
                                "position = [{:.17g}, 0, 0]\nvelocity = [{:.17g}, 0, 0]\n"
                                "[[force]]\nname = \"wall\"\ntype = \"point_load\"\nat = \"m@0\"\n"
                                "force = [\"{:.17g}*max(-m.x, 0)\", \"0\", \"0\"]\n",
                                mass,
                                start,
                                -speed,
                                stiffness) +
                    integrator("rk4", part / w, 1.2 * start / speed + 10.0 / w));
                run_to_end(simulation);
                const double energy = 0.5 * mass * speed * speed;
                const double now =
                    0.5 * mass * vec3(simulation.point("m@0").velocity).squaredNorm();
                const std::vector<std::string> doubts = simulation.statistics().doubts;
                const bool is_told = std::ranges::any_of(doubts, [](const std::string& doubt) {
                    return doubt.find("the energy balance jumps by") != std::string::npos &&
                           doubt.find("compare with shorter steps") != std::string::npos;
                });
                if (std::abs(now - energy) > 0.01 * energy) {
                    ++off;
                    CHECK(is_told);
                }
                if (part <= 0.05) CHECK(doubts.empty());
            }
        CHECK(off >= 20);
    }

    // rk4 takes (h w)^6 / 72 of the energy a step.
    TEST_CASE("a step that takes a tenth of the energy is told, the usual error is not") {
        const auto is_told = [](double turn) {
            Simulation simulation = model(
                "[[body]]\nname = \"m\"\ntype = \"particle\"\nmass = 1.0\nposition = [1, 0, 0]\n"
                "[[force]]\nname = \"k\"\ntype = \"point_load\"\nat = \"m@0\"\n"
                "force = [\"-100*m.x\", \"0\", \"0\"]\n" +
                integrator("rk4", 0.1 * turn, 4.0));
            run_to_end(simulation);
            return !simulation.statistics().doubts.empty();
        };
        for (const double turn : {0.05, 0.2, 0.5, 0.8}) CHECK_FALSE(is_told(turn));
        for (const double turn : {1.7, 2.0, 2.4}) CHECK(is_told(turn));
    }
}

}  // namespace
}  // namespace ancora::testing
