// SPDX-License-Identifier: BSD-3-Clause
// Gravity of a central body: Kepler's orbit, the gravity gradient on rigid bodies, the ledger.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string integrator(const std::string& type, double step, double end) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + "tolerance = 1e-12\n" : table;
}
const std::string kCentral = "[model]\ngravity = { type = \"central\", mu = 4.0 }\n";

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

/// The largest component by which the sum of energies, or L, has changed over the run.
struct Kept {
    double energy, L;
};
Kept kept(Simulation& simulation) {
    const double E = column(simulation, "energy.total");
    const Vec3 L = columns(simulation, "angular_momentum");
    run_to_end(simulation);
    return {std::abs(column(simulation, "energy.total") - E),
            (columns(simulation, "angular_momentum") - L).norm()};
}

}  // namespace

TEST_SUITE("central gravity") {
    /// mu = 4, from the pericentre r = 1 with e = 0.3: a = 1 / 0.7, period 2 pi sqrt(a^3 / mu)
    TEST_CASE("Kepler's ellipse closes after its period") {
        const double e = 0.3, a = 1.0 / (1.0 - e);
        const double period = 2.0 * std::numbers::pi * std::sqrt(a * a * a / 4.0);
        const std::string text =
            kCentral + fmt::format(
                           "[[body]]\nname = \"dot\"\ntype = \"particle\"\nmass = 3.0\n"
                           "position = [1, 0, 0]\nvelocity = [0, {:.17g}, 0]\n",
                           std::sqrt(4.0 * (1.0 + e)));
        const auto error_of = [&](const std::string& type, double steps) {
            Simulation simulation = model(text + integrator(type, period / steps, period));
            const Kept change = kept(simulation);
            if (type == "emm") {
                check_balances(simulation.statistics());
                CHECK(change.energy <= tolerance(1e-13));
                CHECK(change.L <= tolerance(1e-13));
            }
            return (vec3(simulation.point("dot@0").position) - Vec3(1, 0, 0)).norm();
        };
        CHECK(error_of("dopri5", 100) <= tolerance(1e-9));
        const double coarse = error_of("emm", 500), fine = error_of("emm", 1000);
        CHECK(std::log2(coarse / fine) == doctest::Approx(2.0).epsilon(0.02));
        const double rk = error_of("rk4", 500), rk_fine = error_of("rk4", 1000);
        CHECK(std::log2(rk / rk_fine) == doctest::Approx(4.0).epsilon(0.05));
        // what falls goes on: half the major axis from the period
        Simulation half = model(text + integrator("dopri5", period / 100, period / 2));
        run_to_end(half);
        CHECK((vec3(half.point("dot@0").position) - Vec3(-a * (1.0 + e), 0, 0)).norm() <=
              tolerance(1e-9));
    }

    /// On a circular orbit with the rate n, pitch about the normal: theta'' = -3 n^2 (J_2 - J_1) /
    /// J_3 sin(2 theta) / 2, axis 1 up, 2 along the track
    TEST_CASE("a rigid body librates in the gravity gradient") {
        constexpr double r = 1.0e5, mu = 1.0e15;  // n = 1
        const double n = std::sqrt(mu / (r * r * r));
        const double J1 = 2.0, J2 = 5.0, J3 = 6.0;
        const double w = n * std::sqrt(3.0 * (J2 - J1) / J3);
        const double theta0 = 1e-3, end = 2.0;
        for (const std::string type : {"ancf_rigid_body", "quaternion_body"}) {
            CAPTURE(type);
            const bool is_ancf = type[0] == 'a';
            Simulation simulation = model(
                fmt::format("[model]\ngravity = {{ type = \"central\", mu = {}, "
                            "center = [1, 2, 3] }}\n"
                            "[[body]]\nname = \"sat\"\ntype = \"{}\"\nmass = 7.0\n"
                            "inertia = [{}, {}, {}]\ncenter_of_mass = [0.3, 0, 0.2]\n"
                            "orientation = {{ axis = [0, 0, 1], angle = {:.17g} }}\n"
                            "position = [{:.17g}, {:.17g}, 2.8]\n"
                            "velocity = [{:.17g}, {:.17g}, 0]\nangular_velocity = [0, 0, {:.17g}]\n"
                            "{}",
                            mu,
                            type,
                            J1,
                            J2,
                            J3,
                            theta0,
                            1.0 + r - 0.3 * std::cos(theta0),
                            2.0 - 0.3 * std::sin(theta0),
                            n * 0.3 * std::sin(theta0),
                            n * (r - 0.3 * std::cos(theta0)),
                            n,
                            is_ancf ? "penalty = inf\n" : "") +
                integrator(is_ancf ? "emm" : "dopri5", 1e-3, end));
            run_to_end(simulation);
            if (is_ancf) check_balances(simulation.statistics());
            const Mat3 R = attitude(simulation, "sat");
            const Vec3 centre = vec3(simulation.pose("sat").position) + R * Vec3(0.3, 0, 0.2);
            const double turned = std::atan2(R(1, 0), R(0, 0));
            const double orbit = std::atan2(centre.y() - 2.0, centre.x() - 1.0);
            CHECK(std::remainder(turned - orbit, 2.0 * std::numbers::pi) ==
                  near(theta0 * std::cos(w * end), is_ancf ? 3e-7 : 1e-8));
            CHECK((centre - Vec3(1, 2, 3)).norm() == near(r, 1e-7 * r));
        }
    }

    // The torque 3 mu / r^3 e x J e by the change of angular momentum of a resting plate; the next
    // term is (size / r)^2 smaller
    TEST_CASE("the torque is MacCullagh's") {
        Simulation simulation = model(
            kCentral +
            "[[body]]\nname = \"plate\"\ntype = \"ancf_rigid_body\"\npenalty = inf\n"
            "mass = 2.0\ninertia = [[0.03, 0.004, 0], [0.004, 0.02, 0.002], [0, 0.002, 0.04]]\n"
            "position = [20, 30, -60]\n" +
            integrator("dopri5", 1e-3, 1e-2));
        run_to_end(simulation);
        const Vec3 r(20, 30, -60);
        const Vec3 e = r.normalized();
        Mat3 J;
        J << 0.03, 0.004, 0, 0.004, 0.02, 0.002, 0, 0.002, 0.04;
        const Vec3 torque = 3.0 * 4.0 / std::pow(r.norm(), 3) * e.cross(J * e);
        const Vec3 spin = J * omega(simulation, "plate");
        CHECK((spin / 1e-2 - torque).norm() <= tolerance(1e-4 * torque.norm()));
        CHECK(torque.norm() > 1e-7);
    }

    TEST_CASE("a tethered pair: nodes have their share of mass; models run again from their text") {
        const std::string pair =
            "[[body]]\nname = \"tether\"\ntype = \"truss\"\nfrom = [5, 0, 0]\nto = [5.5, 0, 0]\n"
            "elements = 4\nyoung = 1e5\narea = 1e-4\ndensity = 100.0\nnode_masses = [[4, 2.0]]\n"
            "velocity = [0, 0.9, 0]\n"
            "[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\nsize = [0.2, 0.3, 0.1]\n"
            "density = 500\npenalty = inf\nposition = [4.9, 0, 0]\nvelocity = [0, 0.9, 0]\n"
            "[[constraint]]\nname = \"tie\"\ntype = \"position\"\na = \"hub@[0.1, 0, 0]\"\n"
            "b = \"tether@from\"\n";
        const std::string end = integrator("emm", 2e-3, 3.0);
        Simulation simulation = model(kCentral + pair + end);
        const Kept change = kept(simulation);
        check_balances(simulation.statistics());
        CHECK(change.energy <= tolerance(1e-12));
        CHECK(change.L <= tolerance(1e-12));
        Simulation spelled = model("[model]\n" + pair +
                                   "[[force]]\nname = \"gravity\"\ntype = \"central_gravity\"\n"
                                   "mu = 4.0\non = [\"tether\", \"hub\"]\n" +
                                   end);
        run_to_end(spelled);
        CHECK(std::vector<double>(spelled.q().begin(), spelled.q().end()) ==
              std::vector<double>(simulation.q().begin(), simulation.q().end()));
    }

    TEST_CASE("what has no meaning is refused") {
        const auto refusal = [](const std::string& gravity,
                                const std::string& keys = "mass = 1.0\n") {
            try {
                model("[model]\ngravity = " + gravity +
                      "\n[[body]]\nname = \"dot\"\ntype = \"particle\"\n" + keys +
                      integrator("emm", 1e-2, 0.1));
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        const auto has = [](const std::string& message, const std::string& part) {
            CAPTURE(message);
            CHECK(message.find(part) != std::string::npos);
        };
        has(refusal("{ type = \"central\", mu = 1.0 }"), "infinite");
        has(refusal("{ type = \"central\" }"), "mu");
        has(refusal("{ type = \"centrl\", mu = 1.0 }"), "central");
        has(refusal("{ type = \"central\", mu = \"1 m/s^2\" }"), "m^3/s^2");
        has(refusal("{ type = \"central\", mu = 1.0, center = [1, 0, 0] }",
                    "mass = [[1, 0, 0], [0, 2, 0], [0, 0, 1]]\n"),
            "depends on the direction");
        has(refusal("[0, 0, 0]",
                    "mass = 1.0\n[[force]]\nname = \"g\"\ntype = \"central_gravity\"\nmu = 1.0\n"
                    "on = \"dit\"\n"),
            "dot");
    }
}

TEST_SUITE("attraction") {
    /// Masses 3 and 1 with k = 2: relative motion is Kepler's with mu = 8, from the pericentre at
    /// distance 1 with e = 0.4; the centre of mass drifts.
    TEST_CASE("two bodies about their centre of mass: closed after a period, all laws kept") {
        const double e = 0.4, a = 1.0 / (1.0 - e);
        const double period = 2.0 * std::numbers::pi * std::sqrt(a * a * a / 8.0);
        const double speed = std::sqrt(8.0 * (1.0 + e));
        const Vec3 drift(0.1, -0.2, 0.3);
        const auto dot = [&](const char* name, double mass, double x, double v) {
            return fmt::format(
                "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {}\n"
                "position = [{}, 0, 0]\nvelocity = [{}, {:.17g}, {}]\n",
                name,
                mass,
                x,
                drift.x(),
                drift.y() + v,
                drift.z());
        };
        const std::string text =
            "[model]\ngravity = [0, 0, 0]\n" + dot("big", 3.0, -0.25, -0.25 * speed) +
            dot("small", 1.0, 0.75, 0.75 * speed) +
            "[[force]]\nname = \"pull\"\ntype = \"attraction\"\n"
            "points = [\"big@0\", \"small@0\"]\nweights = [3, 1]\nconstant = 2.0\n";
        const auto error_of = [&](const std::string& type, double steps) {
            Simulation simulation = model(text + integrator(type, period / steps, period));
            const double E = column(simulation, "energy.total");
            CHECK(column(simulation, "energy.potential") == Near(-6.0, tolerance(1e-14)));
            const Kept change = kept(simulation);
            if (type == "emm") {
                check_balances(simulation.statistics());
                CHECK(change.energy <= tolerance(1e-13 * std::abs(E)));
                CHECK(change.L <= tolerance(1e-13));
            }
            const Vec3 small = vec3(simulation.point("small@0").position) - period * drift;
            const Vec3 big = vec3(simulation.point("big@0").position) - period * drift;
            CHECK((3.0 * big + small).norm() <= tolerance(1e-12));
            return (small - Vec3(0.75, 0, 0)).norm();
        };
        CHECK(error_of("dopri5", 100) <= tolerance(1e-9));
        const double coarse = error_of("emm", 500), fine = error_of("emm", 1000);
        CHECK(std::log2(coarse / fine) == doctest::Approx(2.0).epsilon(0.02));
    }

    /// Chenciner, Montgomery, Ann. Math. 152 (2000) 881: three equal masses on one figure eight.
    TEST_CASE("three bodies dance on a figure eight") {
        const double x = 0.97000436, y = -0.24308753, vx = -0.93240737, vy = -0.86473146;
        constexpr double kPeriod = 6.32591398;
        const auto dot = [](const char* name, double px, double py, double wx, double wy) {
            return fmt::format(
                "[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = 1.0\n"
                "position = [{}, {}, 0]\nvelocity = [{}, {}, 0]\n",
                name,
                px,
                py,
                wx,
                wy);
        };
        Simulation simulation =
            model("[model]\ngravity = [0, 0, 0]\n" + dot("a", x, y, -0.5 * vx, -0.5 * vy) +
                  dot("b", -x, -y, -0.5 * vx, -0.5 * vy) + dot("c", 0, 0, vx, vy) +
                  "[[force]]\nname = \"pull\"\ntype = \"attraction\"\n"
                  "points = [\"a@0\", \"b@0\", \"c@0\"]\nweights = [1, 1, 1]\nconstant = 1.0\n" +
                  integrator("dopri5", 1e-3, kPeriod));
        run_to_end(simulation);
        CHECK((vec3(simulation.point("a@0").position) - Vec3(x, y, 0)).norm() <= tolerance(1e-6));
        CHECK((vec3(simulation.point("c@0").position)).norm() <= tolerance(1e-6));
    }

    TEST_CASE("equal charges repel: head on to the distance that their energy allows") {
        // relative: mu v^2 / 2 = k q^2 / r_min - k q^2 / r_0, mu = 1/2
        const double k = 0.5, r0 = 4.0, v = 1.0;
        const double nearest = 1.0 / (1.0 / r0 + 0.25 * v * v / k);
        Simulation simulation =
            model(fmt::format("[model]\ngravity = [0, 0, 0]\n"
                              "[[body]]\nname = \"a\"\ntype = \"particle\"\nmass = 1.0\n"
                              "position = [-2, 0, 0]\nvelocity = [{0}, 0, 0]\n"
                              "[[body]]\nname = \"b\"\ntype = \"particle\"\nmass = 1.0\n"
                              "position = [2, 0, 0]\nvelocity = [-{0}, 0, 0]\n"
                              "[[force]]\nname = \"push\"\ntype = \"attraction\"\n"
                              "points = [\"a@0\", \"b@0\"]\nweights = [1, 1]\nconstant = -{1}\n",
                              0.5 * v,
                              k) +
                  integrator("emm", 1e-3, 12.0));
        double least = r0;
        while (!simulation.done()) {
            simulation.step();
            least = std::min(
                least,
                (vec3(simulation.point("b@0").position) - vec3(simulation.point("a@0").position))
                    .norm());
        }
        CHECK(least == Near(nearest, tolerance(1e-5)));
        check_balances(simulation.statistics());
    }
}

}  // namespace ancora::testing
