// SPDX-License-Identifier: BSD-3-Clause
// Points on surfaces and curves that equations state: geodesics, a bead on a parabola, friction on
// a circle, a sphere and an incline, against closed solutions and against the types with a shape.
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2
const std::vector<std::string> kIntegrators{"emm", "rk4", "dopri5"};

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-11) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}
std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
std::string weight(double g) {
    return "[model]\ngravity = " + triple({0.0, 0.0, -g}) + "\n";
}
std::string bead(double mass, const Vec3& x, const Vec3& v) {
    return fmt::format(
        "\n[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = {:.17g}\nposition = {}\n"
        "velocity = {}\n",
        mass,
        triple(x),
        triple(v));
}
std::string tie(const std::string& type, const std::string& keys) {
    return "\n[[constraint]]\nname = \"tie\"\ntype = \"" + type + "\"\npoint = \"bead@0\"\n" +
           keys + "\n";
}
std::string surface(const std::string& equation) {
    return tie("point_on_surface", "equation = \"" + equation + "\"");
}
std::string curve(const std::string& first, const std::string& second) {
    return tie("point_on_curve", "equations = [\"" + first + "\", \"" + second + "\"]");
}
std::string friction(double mu) {
    return fmt::format(
        "\n[[force]]\nname = \"rub\"\ntype = \"coulomb_friction\"\non = \"tie\"\n"
        "mu_kinetic = {:.17g}\n",
        mu);
}

Vec3 position(const Simulation& simulation) {
    return vec3(simulation.point("bead@0").position);
}
Vec3 velocity(const Simulation& simulation) {
    return vec3(simulation.point("bead@0").velocity);
}
/// Force of the constraint on the bead at the present state.
Vec3 reaction(const Simulation& simulation) {
    const Dynamics d = simulation.dynamics();
    REQUIRE(d.constraints.size() == 1);
    REQUIRE(d.constraints[0].reaction.size() == 3);
    return Eigen::Map<const Vec3>(d.constraints[0].reaction.data());
}

std::string message_of(const std::string& text, ErrorKind kind) {
    try {
        model(text);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "nothing thrown";
}

/// A free particle on x^2/a^2 + y^2/b^2 + z^2/c^2 = 1 moves along a geodesic at constant speed,
/// with
///
///   J = (sum_i x_i^2 / a_i^4) (sum_i v_i^2 / a_i^2)                                      (1)
///
/// constant too, and is pressed by N = m (sum_i v_i^2 / a_i^2) / sqrt(sum_i x_i^2 / a_i^4) inwards.
///
/// Source: F. Joachimsthal, Journal fuer die reine und angewandte Mathematik 26, 1843.
struct Ellipsoid {
    static constexpr double kMass = 1.7, kEnd = 3.0;
    const Vec3 axes{2.0, 1.0, 1.5};

    Vec3 gradient(const Vec3& x) const { return x.cwiseQuotient(axes.cwiseAbs2()); }
    Vec3 start() const { return axes.cwiseProduct(Vec3(2.0, -1.0, 2.0) / 3.0); }
    Vec3 thrown() const { return 1.3 * gradient(start()).cross(Vec3(0.3, 1.0, 0.2)); }
    double joachimsthal(const Vec3& x, const Vec3& v) const {
        return gradient(x).squaredNorm() * v.dot(gradient(v));
    }
    Vec3 press(const Vec3& x, const Vec3& v) const {
        return -kMass * v.dot(gradient(v)) / gradient(x).squaredNorm() * gradient(x);
    }
    Simulation simulation(const std::string& type, double step) const {
        return model(weight(0.0) + bead(kMass, start(), thrown()) +
                     surface("x^2/4 + y^2 + z^2/2.25 = 1") + integrator(type, step, kEnd, 1e-12));
    }
};

TEST_SUITE("free particle on an ellipsoid") {
    TEST_CASE("it is pressed by m v'Hv / |grad|, and keeps speed and Joachimsthal's constant") {
        const Ellipsoid ellipsoid;
        const double J = ellipsoid.joachimsthal(ellipsoid.start(), ellipsoid.thrown());
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            Simulation simulation = ellipsoid.simulation(type, 1e-3);
            while (!simulation.done()) {
                simulation.step();
                if (simulation.steps_done() % 300 != 0) continue;
                const Vec3 x = position(simulation), v = velocity(simulation);
                const Vec3 press = ellipsoid.press(x, v);
                // what v of emm has across the surface is of second order
                const double bound = type == "emm" ? 1e-5 : 1e-11;
                CHECK((reaction(simulation) - press).norm() <= tolerance(bound * press.norm()));
                CHECK(ellipsoid.joachimsthal(x, v) == near(J, type == "emm" ? 1e-5 * J : 1e-9 * J));
            }
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.constraint_position.max_abs <= tolerance(1e-14));
            CHECK(statistics.energy.max_rel <=
                  tolerance(type == "emm" ? rounding_bound(3000.0) : 1e-10));
        }
    }

    TEST_CASE("Joachimsthal's constant errs with order 2 under emm, rk4 errs with order 4") {
        const Ellipsoid ellipsoid;
        const double J = ellipsoid.joachimsthal(ellipsoid.start(), ellipsoid.thrown());
        const auto error = [&](const std::string& type, double step) {
            Simulation simulation = ellipsoid.simulation(type, step);
            run_to_end(simulation);
            return std::abs(ellipsoid.joachimsthal(position(simulation), velocity(simulation)) - J);
        };
        CHECK(observed_order(2.0, error("emm", 4e-3), 1.0, error("emm", 2e-3)) == near(2.0, 0.1));
        CHECK(observed_order(2.0, error("rk4", 2e-2), 1.0, error("rk4", 1e-2)) > 3.8);
    }
}

// With the slope p = x of the wire z = x^2 / 2: v^2 = v_0^2 + 2 g (z_0 - z), and the wire presses
// with N = m (g + v^2 / (1 + x^2)) / sqrt(1 + x^2) along (-x, 0, 1) / sqrt(1 + x^2).
TEST_SUITE("bead on a parabola under gravity") {
    TEST_CASE("speed and normal force follow from the height") {
        constexpr double kMass = 0.8, kStart = 1.1;
        for (const std::string& tied : {curve("z = x^2/2", "y = 0"), surface("z = x^2/2")})
            for (const std::string& type : kIntegrators) {
                CAPTURE(type);
                Simulation simulation =
                    model(weight(kGravity) +
                          bead(kMass, {kStart, 0.0, 0.5 * kStart * kStart}, Vec3::Zero()) + tied +
                          integrator(type, 1e-3, 1.5));
                while (!simulation.done()) {
                    simulation.step();
                    if (simulation.steps_done() % 100 != 0) continue;
                    const Vec3 x = position(simulation), v = velocity(simulation);
                    const double square = 1.0 + x(0) * x(0);
                    const double v2 = kGravity * (kStart * kStart - x(0) * x(0));
                    const double bound = type == "emm" ? 1e-12 : 1e-9;
                    CHECK(x(1) == 0.0);
                    CHECK(x(2) == near(0.5 * x(0) * x(0), 1e-13));
                    CHECK(v.squaredNorm() == near(v2, bound));
                    const Vec3 press =
                        kMass * (kGravity + v2 / square) / square * Vec3(-x(0), 0.0, 1.0);
                    CHECK((reaction(simulation) - press).norm() <=
                          tolerance(type == "emm" ? 1e-4 : 1e-8));
                }
            }
    }
}

/// A bead on a great circle of radius R, or on a circle of that radius, pressed by m v^2 / R:
/// v = v_0 / (1 + mu v_0 t / R), angle = log(1 + mu v_0 t / R) / mu.
struct Slowed {
    static constexpr double kRadius = 0.7, kSpeed = 3.0, kMu = 0.4, kEnd = 2.0;
    Vec3 e, f;  // from the centre to the start, and along the start's velocity
    std::string tied;

    double error(const std::string& type, int count, double tol = 1e-10) const {
        Simulation simulation = model(weight(0.0) + bead(1.5, kRadius * e, kSpeed * f) + tied +
                                      friction(kMu) + integrator(type, kEnd / count, kEnd, tol));
        run_to_end(simulation);
        const double slowed = 1.0 + kMu * kSpeed * kEnd / kRadius, angle = std::log(slowed) / kMu;
        const Vec3 x = kRadius * (std::cos(angle) * e + std::sin(angle) * f);
        const Vec3 v = kSpeed / slowed * (std::cos(angle) * f - std::sin(angle) * e);
        return (position(simulation) - x).norm() + (velocity(simulation) - v).norm();
    }
    void check_orders() const {
        CHECK(observed_order(2.0, error("emm", 400), 1.0, error("emm", 800)) == near(2.0, 0.05));
        CHECK(observed_order(2.0, error("rk4", 200), 1.0, error("rk4", 400)) == near(4.0, 0.1));
        for (const double tol : {1e-6, 1e-8, 1e-10}) {
            CAPTURE(tol);
            CHECK(error("dopri5", 100, tol) <= tolerance(30.0 * tol));
        }
    }
};

TEST_SUITE("friction") {
    TEST_CASE("bead on a circle given by equations: emm order 2, rk4 order 4") {
        Slowed{Vec3::UnitX(), Vec3::UnitY(), curve("x^2 + y^2 = 0.49", "z = 0")}.check_orders();
    }

    TEST_CASE("the same circle as a section of a cone, so that neither normal is radial") {
        Slowed{Vec3::UnitX(), Vec3::UnitY(), curve("x^2 + y^2 = (0.7 - z)^2", "z = 0.3*x*z")}
            .check_orders();
    }

    TEST_CASE("thrown over a sphere it slides along a great circle in two directions") {
        const Vec3 e = Vec3(1.0, -2.0, 2.0) / 3.0, f = Vec3(2.0, 2.0, 1.0) / 3.0;
        Slowed{e, f, surface("x^2 + y^2 + z^2 = 0.49")}.check_orders();
    }

    // The point where the axes of sliding fail at an instant lies on the way.
    TEST_CASE("a great circle through the direction that has no axes of its own") {
        const Vec3 e(0.8, -0.64, 0.0);
        const Vec3 c = -Vec3(0.48, 0.6, 0.64);
        const Vec3 f = (c - c.dot(e.normalized()) * e.normalized()).normalized();
        Slowed{e.normalized(), f, surface("x^2 + y^2 + z^2 = 0.49")}.check_orders();
    }

    TEST_CASE("an incline as an equation stops and holds a block as point_on_plane does") {
        const double s = 0.5, c = std::sqrt(0.75);
        const std::string start =
            weight(kGravity) + bead(2.5, Vec3::Zero(), 2.0 * Vec3(c, 0.0, s) + Vec3(0.0, 0.7, 0.0));
        for (const double mu : {0.3, 0.6})
            for (const std::string& type : kIntegrators) {
                CAPTURE(mu);
                CAPTURE(type);
                const auto end = [&](const std::string& tied) {
                    Simulation simulation =
                        model(start + tied + friction(mu) + integrator(type, 1e-3, 0.6, 1e-12));
                    run_to_end(simulation);
                    Eigen::VectorXd out(6);
                    out << position(simulation), velocity(simulation);
                    if (mu > 0.58) CHECK(out.tail(3).norm() == 0.0);
                    return out;
                };
                const Eigen::VectorXd a = end(surface(fmt::format("{:.17g}*z = {:.17g}*x", c, s)));
                const Eigen::VectorXd b =
                    end(tie("point_on_plane", "normal = " + triple({-s, 0.0, c})));
                CHECK((a - b).norm() <= tolerance(type == "dopri5" ? 1e-9 : 1e-11));
            }
    }

    TEST_CASE(
        "at rest in a bowl that is flat enough it stays to the bit, on a steeper one it slides") {
        // slope x of z = x^2 / 2 against mu = 0.3
        for (const std::string& type : kIntegrators) {
            CAPTURE(type);
            for (const double x : {0.25, 0.35}) {
                Simulation simulation =
                    model(weight(kGravity) + bead(1.0, {x, 0.2, 0.5 * x * x}, Vec3::Zero()) +
                          surface("z = x^2/2") + friction(0.3) + integrator(type, 1e-2, 5.0));
                run_to_end(simulation);
                const Vec3 at = position(simulation);
                if (x < 0.3)
                    CHECK(at == Vec3(x, 0.2, 0.5 * x * x));
                else
                    CHECK(at(0) < 0.3);
            }
        }
    }
}

TEST_SUITE("refused") {
    TEST_CASE("a start off the surface, with the gap as a length") {
        const std::string text = weight(0.0) + bead(1.0, {0.0, 0.0, 1.001}, Vec3::Zero()) +
                                 surface("4*x^2 + 4*y^2 + 4*z^2 = 4") + integrator("rk4", 0.1, 1.0);
        const std::string message = message_of(text, ErrorKind::numerical);
        CAPTURE(message);
        // (1.001^2 - 1) / 2
        CHECK(message.find("constraint \"tie\", gap 0 is 0.0010005 instead of 0") !=
              std::string::npos);
    }

    TEST_CASE("a start in the tip of a cone") {
        const std::string message =
            message_of(weight(0.0) + bead(1.0, Vec3::Zero(), Vec3::Zero()) +
                           surface("x^2 + y^2 = z^2") + integrator("rk4", 0.1, 1.0),
                       ErrorKind::numerical);
        CAPTURE(message);
        CHECK(message.find("\"tie\"") != std::string::npos);
        CHECK(message.find("has no gradient at (0, 0, 0)") != std::string::npos);
    }

    TEST_CASE("a mistake in a formula, with its place in the file and in the text") {
        const std::string message =
            message_of(weight(0.0) + bead(1.0, Vec3::Zero(), Vec3::Zero()) +
                           curve("x = 0", "sin(y = 0") + integrator("rk4", 0.1, 1.0),
                       ErrorKind::manifest);
        CAPTURE(message);
        CHECK(message.starts_with("test.toml:15:13: error: constraint \"tie\": equations: "));
        CHECK(message.find("equation 2 of 2, position 7: found \"=\"") != std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
