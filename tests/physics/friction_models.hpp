// SPDX-License-Identifier: BSD-3-Clause
// What the tests of dry friction have in common: models of particles and feet, the incline.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {

inline constexpr double kGravity = 9.81;  // m/s^2
inline const std::vector<std::string> kIntegrators{"emm", "rk4", "dopri5"};

inline std::string integrator(const std::string& type,
                              double step,
                              double end,
                              double tolerance = 1e-10) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}
inline std::string triple(const Vec3& x) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
}
inline std::string weight(const Vec3& gravity) {
    return "[model]\ngravity = " + triple(gravity) + "\n";
}
inline std::string particle(const std::string& name, double mass, const Vec3& x, const Vec3& v) {
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"particle\"\nmass = {:.17g}\nposition = {}\n"
        "velocity = {}\n",
        name,
        mass,
        triple(x),
        triple(v));
}
inline std::string plane(const std::string& name, const std::string& point, const Vec3& normal) {
    return fmt::format(
        "\n[[constraint]]\nname = \"{}\"\ntype = \"point_on_plane\"\npoint = \"{}\"\nnormal = {}\n",
        name,
        point,
        triple(normal));
}
inline std::string friction(const std::string& on, const std::string& coefficients) {
    return fmt::format(
        "\n[[force]]\nname = \"rub_{0}\"\ntype = \"coulomb_friction\"\non = \"{0}\"\n{1}\n",
        on,
        coefficients);
}
inline std::string mu(double kinetic) {
    return fmt::format("mu_kinetic = {:.17g}", kinetic);
}
inline std::string mu(double at_rest, double kinetic) {
    return fmt::format("mu_static = {:.17g}\nmu_kinetic = {:.17g}", at_rest, kinetic);
}

/// Where a run first passes a friction's change of mode [s].
inline double time_of_event(const Simulation& simulation, std::size_t number) {
    const std::vector<ContactEvent> events = simulation.events();
    REQUIRE(number < events.size());
    return events[number].t;
}

/// A block of mass m on a plane that rises along x by a = 30 degrees, thrown upwards with v_0:
///
///   going up     s = v_0 t - d t^2 / 2,             d = g (sin a + mu cos a)
///   it stops at  t_s = v_0 / d,  s_s = v_0^2 / (2 d); for tan a <= mu it stays there
///   coming back  s = s_s - c (t - t_s)^2 / 2,       c = g (sin a - mu cos a)
struct Incline {
    explicit Incline(double coefficient) : mu(coefficient) {}

    static constexpr double kSpeed = 2.0, kMass = 2.5;
    static constexpr double kSin = 0.5, kCos = std::numbers::sqrt3 / 2.0;
    const double mu;
    const double d = kGravity * (kSin + mu * kCos), c = kGravity * (kSin - mu * kCos);
    const double stop = kSpeed / d, top = 0.5 * kSpeed * kSpeed / d;
    const double energy = 0.5 * kMass * kSpeed * kSpeed;

    double back() const { return stop + std::sqrt(2.0 * top / c); }
    double place(double t) const {
        if (t <= stop) return (kSpeed - 0.5 * d * t) * t;
        return c <= 0.0 ? top : top - 0.5 * c * (t - stop) * (t - stop);
    }
    double speed(double t) const {
        if (t <= stop) return kSpeed - d * t;
        return c <= 0.0 ? 0.0 : -c * (t - stop);
    }

    static Vec3 uphill() { return {kCos, 0.0, kSin}; }
    static Vec3 normal() { return {-kSin, 0.0, kCos}; }
    std::string block() const {
        return weight({0.0, 0.0, -kGravity}) +
               particle("block", kMass, Vec3::Zero(), kSpeed * uphill()) +
               plane("ramp", "block@0", normal()) + friction("ramp", testing::mu(mu));
    }
};

inline double along(const Simulation& simulation, const char* point = "block@0") {
    return Incline::uphill().dot(vec3(simulation.point(point).position));
}
inline double speed_along(const Simulation& simulation, const char* point = "block@0") {
    return Incline::uphill().dot(vec3(simulation.point(point).velocity));
}

/// Work of friction and the balance at the end of a run on the incline.
inline void check_energy_accounting(const Simulation& simulation,
                                    const Incline& incline,
                                    double path) {
    const double lost = -incline.mu * incline.kMass * kGravity * incline.kCos * path;
    CHECK(column(simulation, "work.nonideal") == near(lost, 1e-12 * incline.energy));
    CHECK(column(simulation, "work.external") == 0.0);
    CHECK(simulation.statistics().energy.max_abs <= tolerance(1e-13 * incline.energy));
    CHECK(simulation.statistics().momentum.max_rel <= tolerance(1e-12));
}

/// The box of a rigid block, 0.4 x 0.3 x 0.2 m, lying on the incline.
inline std::string rigid_block(const std::string& type,
                               const Vec3& velocity,
                               const std::string& more) {
    return fmt::format(
        "\n[[body]]\nname = \"block\"\ntype = \"{}\"\nmass = 2.5\n"
        "inertia = [0.0270833333, 0.0416666667, 0.0520833333]\n"
        "orientation = {{axis = [0.0, -1.0, 0.0], angle = {:.17g}}}\nvelocity = {}\n{}\n",
        type,
        std::numbers::pi / 6.0,
        triple(velocity),
        more);
}

struct Foot {
    const char* name;
    const char* at;
};
using Feet = std::vector<Foot>;
inline const Feet kThreeFeet{{"front", "[0.2, 0.0, -0.1]"},
                             {"left", "[-0.2, 0.15, -0.1]"},
                             {"right", "[-0.2, -0.15, -0.1]"}};
inline const Feet kFourFeet{{"front_left", "[0.2, 0.15, -0.1]"},
                            {"front_right", "[0.2, -0.15, -0.1]"},
                            {"left", "[-0.2, 0.15, -0.1]"},
                            {"right", "[-0.2, -0.15, -0.1]"}};

// Feet 0.1 m below the centre of mass: the load shifts between them, the sum stays. Those at the
// back lie symmetrically, so nothing turns it about the normal.
inline std::string on_feet(const Feet& feet, double coefficient) {
    const Vec3 origin = -0.1 * Incline::normal();
    std::string text = weight({0.0, 0.0, -kGravity}) +
                       rigid_block("ancf_rigid_body", Incline::kSpeed * Incline::uphill(), "");
    for (const Foot& foot : feet)
        text += plane(foot.name, fmt::format("block@{}", foot.at), Incline::normal()) +
                "origin = " + triple(origin) + "\n" + friction(foot.name, mu(coefficient));
    return text;
}

}  // namespace ancora::testing
