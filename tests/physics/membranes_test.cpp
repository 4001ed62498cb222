// SPDX-License-Identifier: BSD-3-Clause
// Membranes in models: against trusses that are the same film, the modes of a stretched square, and
// what is kept while a film wrinkles and goes slack.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/near.hpp"

using namespace ancora;
using ancora::testing::Run;
using ancora::testing::tolerance;

namespace {

std::string integrator(const char* type, double h, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, h, end);
}

/// A patch of equilateral triangles with edges of length 1, two rows of four, flat at the start.
struct Patch {
    std::string nodes, triangles, masses;
    std::vector<std::pair<int, int>> edges;
    std::vector<int> shared_by;  ///< triangles at each edge
};
Patch patch() {
    Patch out;
    constexpr int kColumns = 3, kRows = 3;
    const double height = 0.5 * std::sqrt(3.0);
    for (int j = 0; j < kRows; ++j)
        for (int i = 0; i < kColumns; ++i) {
            out.nodes += fmt::format("[{:.17g}, {:.17g}, 0], ", i + 0.5 * (j % 2), j * height);
            out.masses += fmt::format("[{}, {}], ", j * kColumns + i, 0.1 + 0.03 * i);
        }
    const auto add_edge = [&](int a, int b) {
        const std::pair<int, int> edge = std::minmax(a, b);
        const auto at = std::ranges::find(out.edges, edge);
        if (at != out.edges.end()) {
            ++out.shared_by[at - out.edges.begin()];
            return;
        }
        out.edges.push_back(edge);
        out.shared_by.push_back(1);
    };
    const auto add = [&](int a, int b, int c) {
        out.triangles += fmt::format("[{}, {}, {}], ", a, b, c);
        add_edge(a, b);
        add_edge(b, c);
        add_edge(c, a);
    };
    for (int j = 0; j + 1 < kRows; ++j)
        for (int i = 0; i + 1 < kColumns; ++i) {
            const int a = j * kColumns + i, b = a + 1, d = a + kColumns, c = d + 1;
            if (j % 2 == 0) {
                add(a, b, d);
                add(b, c, d);
            } else {
                add(a, c, d);
                add(a, b, c);
            }
        }
    return out;
}

constexpr double kYoung = 1e4, kThickness = 1e-2;

std::string film() {
    const Patch p = patch();
    return fmt::format(R"([[body]]
name = "film"
type = "membrane"
nodes = [{}]
triangles = [{}]
young = {}
poisson = 0.33333333333333333
thickness = {}
density = 0
node_masses = [{}]
spin = {{ axis = [0.3, 0.2, 1], rate = 2.0 }}
)",
                       p.nodes,
                       p.triangles,
                       kYoung,
                       kThickness,
                       p.masses);
}

/// The same film: at Poisson's ratio 1/3 an equilateral triangle is three bars of E A =
/// sqrt(3)/4 L t Y each, since the sum of their squared Green strains has its two invariants.
std::string bars() {
    const Patch p = patch();
    std::string elements, areas;
    for (std::size_t e = 0; e < p.edges.size(); ++e) {
        elements += fmt::format("[{}, {}], ", p.edges[e].first, p.edges[e].second);
        areas += fmt::format("{:.17g}, ", 0.25 * std::sqrt(3.0) * kThickness * p.shared_by[e]);
    }
    return fmt::format(R"([[body]]
name = "film"
type = "truss"
nodes = [{}]
elements = [{}]
young = {}
area = [{}]
density = 0
node_masses = [{}]
spin = {{ axis = [0.3, 0.2, 1], rate = 2.0 }}
)",
                       p.nodes,
                       elements,
                       kYoung,
                       areas,
                       p.masses);
}

/// A corner on a spring to the ground, and one held.
std::string held() {
    return R"([[constraint]]
name = "hook"
type = "position"
a = "film@0"
b = "ground@[0, 0, 0]"
[[constraint]]
name = "spring"
type = "w_distance"
a = "film@8"
b = "ground@[2.5, 2.2, 0.4]"
length = 0.5
stiffness = 20
)";
}

double distance(const Run& a, const Run& b, int num_nodes) {
    double out = 0.0;
    for (int i = 0; i < num_nodes; ++i) {
        const auto at = fmt::format("film@{}", i);
        const auto x = a.simulation.point(at).position, y = b.simulation.point(at).position;
        for (std::size_t k = 0; k < 3; ++k) out = std::max(out, std::abs(x[k] - y[k]));
    }
    return out;
}

/// A square film of edge 1 on held rims, stretched; n cells a side.
std::string drum(int n, double stress, double density) {
    std::string text = fmt::format(R"([[body]]
name = "film"
type = "membrane"
grid = {{ counts = [{0}, {0}], spacing = [{1:.17g}, {1:.17g}] }}
young = 1e7
poisson = 0.3
thickness = 1e-4
density = {2}
prestress = {3}
tension_only = true
)",
                                   n + 1,
                                   1.0 / n,
                                   density,
                                   stress);
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
            if (i == 0 || j == 0 || i == n || j == n)
                text += fmt::format(
                    "[[constraint]]\nname = \"rim_{0}\"\ntype = \"position\"\na = \"film@{0}\"\nb "
                    "= \"ground@[{1:.17g}, {2:.17g}, 0]\"\n",
                    j * (n + 1) + i,
                    static_cast<double>(i) / n,
                    static_cast<double>(j) / n);
    return text + integrator("emm", 1e-3, 1.0);
}

}  // namespace

TEST_SUITE("membranes") {
    TEST_CASE("a film of Poisson's ratio 1/3 is a truss of equilateral triangles") {
        for (const char* type : {"emm", "rk4", "generalized_alpha"})
            for (const bool is_held : {false, true}) {
                CAPTURE(std::string(type));
                CAPTURE(is_held);
                const std::string rest =
                    (is_held ? held() : std::string()) + integrator(type, 2e-3, 1.0);
                const std::string gravity = is_held ? "[model]\ngravity = [0, 0, -9.81]\n" : "";
                Run membrane(gravity + film() + rest), truss(gravity + bars() + rest);
                membrane.to_end();
                truss.to_end();
                CHECK(distance(membrane, truss, 9) <= tolerance(1e-9));
            }
    }

    // w^2 = (S / rho) pi^2 (m^2 + n^2): transverse modes know the stress alone, those in the plane
    // are far above.
    TEST_CASE("modes of a stretched square drum, to second order in the mesh") {
        constexpr double kStress = 1e4, kDensity = 1000.0;
        const auto error = [&](int n, std::size_t which, double squares) {
            Run run(drum(n, kStress, kDensity));
            const Modes modes = run.simulation.modes();
            const double exact = 0.5 * std::sqrt(kStress / kDensity * squares);  // w / (2 pi)
            return modes.modes.at(which).frequency / exact - 1.0;
        };
        const double coarse = error(8, 0, 2.0), fine = error(16, 0, 2.0);
        CHECK(std::log2(coarse / fine) == testing::Near(2.0, 0.1));
        CHECK(std::abs(fine) <= tolerance(0.01));
        // 1-2 and 2-1 are one frequency; 2-2
        CHECK(std::abs(error(16, 1, 5.0)) <= tolerance(0.03));
        CHECK(std::abs(error(16, 2, 5.0)) <= tolerance(0.03));
        CHECK(std::abs(error(16, 3, 8.0)) <= tolerance(0.05));
    }

    TEST_CASE("the rim of a stretched film bears its stress") {
        constexpr int kCells = 6;
        Run run(drum(kCells, 1e4, 1000.0));
        run.steps(1);
        // Nodes inside a side bear the stress over their share of it, S t / n across the side
        const double share = 1e4 * 1e-4 / kCells;
        for (const int i : {2, 3, 4}) {
            const double f = run.column(fmt::format("rim_{}.force.y", i));
            CHECK(std::abs(f) == testing::Near(share, 1e-9));
        }
    }

    // Free in space, crumpled: taut, wrinkled and slack triangles change all the time.
    TEST_CASE("a crumpled film keeps energy, momentum and angular momentum") {
        const std::string text = R"([[body]]
name = "film"
type = "membrane"
grid = { counts = [7, 6], spacing = [0.2, 0.2] }
young = 2e5
poisson = 0.3
thickness = 1e-3
density = 500
tension_only = true
spin = { axis = [0.1, 0.3, 1], rate = 3.0, center = [0.6, 0.5, 0.0] }
node_masses = [[0, 0.3], [41, 0.2]]
[[body]]
name = "weight"
type = "particle"
mass = 0.4
position = [1.2, 0.0, 0.3]
velocity = [-2.0, 0.5, 1.0]
[[constraint]]
name = "spring"
type = "w_distance"
a = "film@6"
b = "weight@0"
length = 0.25
stiffness = 300
)";
        for (const double h : {1e-3, 5e-3, 2e-2}) {
            CAPTURE(h);
            Run run(text + integrator("emm", h, 2.0));
            double energy = 0.0, momentum = 0.0;
            while (!run.simulation.done()) {
                run.simulation.step();
                energy = std::max(energy, std::abs(run.column("energy.balance")));
                for (const char* axis : {"x", "y", "z"})
                    momentum = std::max(
                        {momentum,
                         std::abs(run.column(fmt::format("momentum.balance.{}", axis))),
                         std::abs(run.column(fmt::format("angular_momentum.balance.{}", axis)))});
            }
            CHECK(energy <= tolerance(1e-12));
            CHECK(momentum <= tolerance(1e-13));
        }
    }

    TEST_CASE("a damped film only loses energy, and the ledger knows what") {
        std::string text = drum(6, 2e3, 1000.0);
        text.insert(text.find("tension_only"), "damping = 200\nvelocity = [0, 0, 0]\n");
        text = "[model]\ngravity = [0, 0, -9.81]\n" + text;
        Run run(text);
        double balance = 0.0;
        while (!run.simulation.done()) {
            run.simulation.step();
            balance = std::max(balance, std::abs(run.column("energy.balance")));
        }
        CHECK(balance <= tolerance(1e-11));
        CHECK(run.column("work.nonideal") < 0.0);
    }

    TEST_CASE("tension fields have no order above two") {
        std::string text = drum(3, 1e3, 1000.0);
        text += "[integrator.emm]\norder = 4\n";
        const auto failure = testing::failure_of(text);
        CHECK(failure.happened);
        CHECK(failure.message.find("slack") != std::string::npos);
    }
}
