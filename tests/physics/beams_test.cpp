// SPDX-License-Identifier: BSD-3-Clause
// Beams in models: published large deflections in statics and motion with their orders in the mesh,
// joints at nodes, and what is kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/near.hpp"

using namespace ancora;
using ancora::testing::Near;
using ancora::testing::Run;
using ancora::testing::tolerance;

namespace {

using Point = std::array<double, 3>;

std::string integrator(const char* type, double h, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, h, end);
}

std::string beam(const std::string& name, const std::string& keys) {
    return fmt::format("[[body]]\nname = \"{}\"\ntype = \"beam\"\n{}\n", name, keys);
}
std::string joint(const std::string& name, const char* type, const char* a, const char* b) {
    return fmt::format(
        "[[constraint]]\nname = \"{}\"\ntype = \"{}\"\na = \"{}\"\nb = \"{}\"\n", name, type, a, b);
}

/// A cantilever with a load at its end.
std::string cantilever(const std::string& keys, const std::string& load) {
    return beam("beam", keys) + joint("root", "fixed", "ground", "beam@start") +
           "[[force]]\nname = \"load\"\ntype = \"point_load\"\nat = \"beam@end\"\n" + load +
           integrator("emm", 1e-2, 1.0);
}
/// Where its end comes to rest.
Point rest(const std::string& text, bool nearest = false) {
    Run run(text);
    EquilibriumOptions options;
    options.nearest = nearest;
    run.simulation.find_equilibrium(options);
    return run.simulation.point("beam@end").position;
}
/// The value to which a, b at meshes n, 2n converge with order 2.
double limit(double a, double b) {
    return (4.0 * b - a) / 3.0;
}

/// Largest balances over a run, energy and both momenta together.
double balance(Run& run) {
    double out = 0.0;
    while (!run.simulation.done()) {
        run.simulation.step();
        out = std::max(out, std::abs(run.column("energy.balance")));
        for (const char* axis : {"x", "y", "z"})
            out =
                std::max({out,
                          std::abs(run.column(fmt::format("momentum.balance.{}", axis))),
                          std::abs(run.column(fmt::format("angular_momentum.balance.{}", axis)))});
    }
    return out;
}

}  // namespace

TEST_SUITE("beams") {
    // Bathe, Bolourchi 1979: R 100, section 1 x 1, 600 lb out of the plane. Limit of this element,
    // computed apart from this program, J = .1406: (46.892, 15.558, 53.608).
    TEST_CASE("45 degree bend, to second order in the mesh") {
        const auto tip = [](int n) {
            return rest(cantilever(fmt::format(R"(from = [0, 0, 0]
arc = {{ center = [0, 100, 0], axis = [0, 0, 1], angle = {:.17g} }}
elements = {}
section = {{ shape = "rectangle", width = 1, height = 1, torsion = 0.1406 }}
young = 1e7
poisson = 0
density = 1
)",
                                               0.25 * std::numbers::pi,
                                               n),
                                   "force = [0, 0, 600]\n"));
        };
        const Point a = tip(8), b = tip(16), c = tip(32);
        const Point at_16 = {46.9259, 15.5882, 53.6365}, at_32 = {46.9004, 15.5654, 53.6149};
        const Point exact = {46.892, 15.558, 53.608};
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(b[k] == Near(at_16[k], 6e-5));
            CHECK(c[k] == Near(at_32[k], 6e-5));
            CHECK(limit(b[k], c[k]) == Near(exact[k], 2e-3));
            CHECK(std::log2((a[k] - b[k]) / (b[k] - c[k])) == Near(2.0, 0.15));
        }
    }

    // Elastica (elliptic integrals): W 6.699642, U 3.289412; neither shear nor stretch.
    TEST_CASE("elastica of an inextensible cantilever from rest") {
        const auto tip = [](int n) {
            return rest(cantilever(fmt::format(R"(from = [0, 0, 0]
to = [10, 0, 0]
elements = {}
rigid = ["shear", "axial"]
section = {{ EI = 100, GJ = 100, mass = 1, rotary = 1e-3 }}
)",
                                               n),
                                   "force = [0, 0, 4]\n"));
        };
        const Point a = tip(8), b = tip(16);
        CHECK(limit(a[2], b[2]) == Near(6.699642, 5e-4));
        CHECK(10.0 - limit(a[0], b[0]) == Near(3.289412, 5e-4));
    }

    // Princeton beam, 8.896 N at 0, 45 and 90 degrees; the limits of this element with this J.
    TEST_CASE("Princeton beam at three angles") {
        constexpr double kHeight = 12.3777e-3, kWidth = 3.2024e-3, kForce = 8.896;
        const double slender = kWidth / kHeight;
        const double J = kHeight * std::pow(kWidth, 3) *
                         (1.0 / 3.0 - 0.21 * slender * (1.0 - std::pow(slender, 4) / 12.0));
        const std::array<std::array<double, 2>, 3> exact = {
            {{0.0107136, 0.0}, {0.0088872, 0.1090357}, {0.0, 0.1462530}}};
        for (int i = 0; i < 3; ++i) {
            CAPTURE(i);
            const double angle = 0.25 * std::numbers::pi * i;
            const auto tip = [&](int n) {
                return rest(cantilever(fmt::format(R"(from = [0, 0, 0]
to = [0.508, 0, 0]
elements = {}
up = [0, 1, 0]
section = {{ shape = "rectangle", width = {:.17g}, height = {:.17g}, torsion = {:.17g} }}
young = 71.7e9
poisson = 0.31
density = 2700
)",
                                                   n,
                                                   kWidth,
                                                   kHeight,
                                                   J),
                                       fmt::format("force = [0, {:.17g}, {:.17g}]\n",
                                                   kForce * std::cos(angle),
                                                   kForce * std::sin(angle))));
            };
            const Point a = tip(8), b = tip(16);
            CHECK(limit(a[1], b[1]) == Near(exact[std::size_t(i)][0], 2e-6));
            CHECK(limit(a[2], b[2]) == Near(exact[std::size_t(i)][1], 2e-6));
        }
    }

    // Thick cantilever with shear; in its plane it is unstable sideways, so the nearest rest.
    TEST_CASE("thick cantilever in its plane") {
        const auto tip = [](int n) {
            return rest(cantilever(fmt::format(R"(from = [0, 0, 0]
to = [2, 0, 0]
elements = {}
section = {{ shape = "rectangle", width = 0.1, height = 0.5 }}
young = 2.07e11
poisson = 0.3
density = 7800
)",
                                               n),
                                   "force = [0, 0, 62.5e6]\n"),
                        true);
        };
        const Point a = tip(16), b = tip(32);
        CHECK(2.0 - limit(a[0], b[0]) == Near(0.15097103, 1e-4));
        CHECK(limit(a[2], b[2]) == Near(0.71056837, 2e-5));
    }

    TEST_CASE("rolled up by an end moment it closes to a circle, whatever the mesh") {
        for (const int n : {5, 8, 13}) {
            CAPTURE(n);
            const Point end = rest(
                cantilever(fmt::format(R"(from = [0, 0, 0]
to = [1, 0, 0]
elements = {}
section = {{ EA = 100, GA = 100, EI = 1, GJ = 1, mass = 1, rotary = 1e-3 }}
)",
                                       n),
                           fmt::format("torque = [0, {:.17g}, 0]\n", -2.0 * std::numbers::pi)));
            for (const double x : end) CHECK(std::abs(x) <= tolerance(1e-8));
        }
    }

    // Lateral buckling of a cantilever by a force at its end: with EI_y = 1, GJ = .5, EI_z = 1e3 it
    // begins at P L^2 / sqrt(EI_y GJ) = 4.0156; n = 16 gives 4.03466.
    TEST_CASE("lateral buckling: stable below, unstable above the load") {
        for (const double factor : {4.0347 * 0.999, 4.0347 * 1.001}) {
            const double load = factor * std::sqrt(0.5);
            Run run(cantilever(R"(from = [0, 0, 0]
to = [1, 0, 0]
elements = 16
up = [0, 0, 1]
rigid = ["shear", "axial"]
section = { EI = [1e3, 1], GJ = 0.5, mass = 1, rotary = 0.1 }
)",
                               fmt::format("force = [0, 0, {:.17g}]\n", -load)));
            EquilibriumOptions options;
            options.nearest = true;
            const Equilibrium found = run.simulation.find_equilibrium(options);
            CHECK(found.num_unstable == (factor < 4.0347 ? 0 : 1));
        }
    }

    // Flying spaghetti (Simo, Vu-Quoc 1986) in its plane; limits computed apart from this program.
    TEST_CASE("flying spaghetti") {
        const auto run_of = [](int n, double h) {
            return beam("beam",
                        fmt::format(R"(from = [6, 0, 0]
to = [0, 8, 0]
elements = {}
up = [0, 0, 1]
section = {{ EA = 1e4, GA = 1e4, EI = 500, GJ = 500, mass = 1, rotary = 10 }}
)",
                                    n)) +
                   R"([[force]]
name = "load"
type = "point_load"
at = "beam@start"
force = [8, 0, 0]
torque = [0, 0, -80]
table = [[0, 1], [2.5, 1], [2.5000001, 0], [9, 0]]
)" + integrator("emm", h, 5.0);
        };
        std::vector<std::array<double, 5>> seen;
        for (const int n : {8, 16}) {
            Run run(run_of(n, 0.4 / n));
            CHECK(balance(run) <= tolerance(1e-12));
            const Point a = run.simulation.point("beam@start").position;
            const Point b = run.simulation.point("beam@end").position;
            seen.push_back({run.column("angular_momentum.z"), a[0], a[1], b[0], b[1]});
        }
        const std::array<double, 5> exact = {-189.2745, 5.620, 4.763, 15.409, 4.265};
        for (std::size_t k = 0; k < 5; ++k)
            CHECK(limit(seen[0][k], seen[1][k]) == Near(exact[k], k == 0 ? 0.02 : 0.01));
    }

    // Simo, Vu-Quoc 1988: a right-angle frame, out of its plane; limits as above, +- .0015.
    TEST_CASE("right-angle frame with a sharp corner") {
        const auto after = [](int n, double h) {
            std::string nodes;
            for (int i = 0; i < n; ++i)
                nodes += fmt::format("[0, 0, {:.17g}], ", 10.0 - 10.0 * i / n);
            for (int i = 0; i <= n; ++i) nodes += fmt::format("[0, {:.17g}, 0], ", 10.0 * i / n);
            Run run(beam("beam",
                         fmt::format(R"(nodes = [{}]
corners = "sharp"
up = [1, 0, 0]
section = {{ EA = 1e6, GA = 1e6, EI = 1e3, GJ = 1e3, mass = 1, rotary = 10 }}
)",
                                     nodes)) +
                    joint("root", "fixed", "ground", "beam@start") +
                    fmt::format("[[force]]\nname = \"load\"\ntype = \"point_load\"\nat = "
                                "\"beam@{}\"\nforce = [50, 0, 0]\ntable = [[0, 0], [1, 1], [2, 0], "
                                "[9, 0]]\n",
                                n) +
                    integrator("emm", h, 5.0));
            CHECK(balance(run) <= tolerance(1e-11));
            return std::array{run.simulation.point(fmt::format("beam@{}", n)).position[0],
                              run.simulation.point("beam@end").position[0],
                              run.column("energy.total")};
        };
        const auto a = after(5, 0.1), b = after(10, 0.05);
        CHECK(limit(a[0], b[0]) == Near(3.1112, 0.01));
        CHECK(limit(a[1], b[1]) == Near(5.4794, 0.01));
        CHECK(limit(a[2], b[2]) == Near(114.88, 0.1));
    }

    // Kane, Ryan, Banerjee 1987, as Simo and Vu-Quoc have it: lag of the tip.
    TEST_CASE("spin-up of a driven blade") {
        const std::string motion = "(6/15)*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1))";
        const double t = 6.765;
        const double w = 2.0 * std::numbers::pi / 15.0;
        const double angle = 0.4 * (0.5 * t * t + (std::cos(w * t) - 1.0) / (w * w));
        std::vector<double> lag;
        for (const int n : {6, 12}) {
            Run run(beam("blade",
                         fmt::format(R"(from = [0, 0, 0]
to = [10, 0, 0]
elements = {}
section = {{ EA = 2.8e7, GA = 1e7, EI = 1.4e4, GJ = 1.4e4, mass = 1.2, rotary = 6e-4 }}
)",
                                     n)) +
                    joint("hub", "revolute", "ground", "blade@start") + "axis = [0, 0, 1]\n" +
                    fmt::format("[[constraint]]\nname = \"drive\"\ntype = \"drive\"\non = \"hub\"\n"
                                "motion = \"{}\"\n",
                                motion) +
                    integrator("emm", 0.0165 * 6.0 / n, t));
            run.to_end();
            const Point tip = run.simulation.point("blade@end").position;
            lag.push_back(-std::sin(angle) * tip[0] + std::cos(angle) * tip[1]);
        }
        CHECK(limit(lag[0], lag[1]) == Near(-0.57383, 5e-4));
    }

    // w_n = (beta_n / L)^2 sqrt(EI / m): a slender beam clamped at one end, and free
    TEST_CASE("modes of a slender beam, to second order in the mesh") {
        const auto frequencies = [](int n, bool is_clamped) {
            std::string text = beam("beam",
                                    fmt::format(R"(from = [0, 0, 0]
to = [2, 1, 2]
elements = {}
section = {{ EA = 1e6, GA = 1e6, EI = [3, 12], GJ = 1e2, mass = 2, rotary = 1e-4 }}
)",
                                                n));
            if (is_clamped) text += joint("root", "fixed", "ground", "beam@start");
            Run run(text + integrator("emm", 1e-3, 1.0));
            std::vector<double> out;
            for (const Mode& mode : run.simulation.modes().modes)
                if (mode.frequency > 1e-6)
                    out.push_back(2.0 * std::numbers::pi * mode.frequency * 9.0);
            return out;
        };
        for (const bool is_clamped : {true, false}) {
            CAPTURE(is_clamped);
            const auto coarse = frequencies(10, is_clamped), fine = frequencies(20, is_clamped);
            const double first = is_clamped ? 1.8751040687 : 4.7300407449;
            // Twice as stiff about axis 2
            for (std::size_t k = 0; k < 2; ++k) {
                const double exact = first * first * std::sqrt((k == 0 ? 3.0 : 12.0) / 2.0);
                const double error_coarse = coarse.at(k) / exact - 1.0;
                const double error_fine = fine.at(k) / exact - 1.0;
                CHECK(std::log2(error_coarse / error_fine) == Near(2.0, 0.1));
                CHECK(std::abs(error_fine) <= tolerance(0.02));
            }
        }
    }
}
