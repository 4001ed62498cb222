// SPDX-License-Identifier: BSD-3-Clause
// Boxes in piles: many contacts that meet, rub and rest at once.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

std::string box(const std::string& name,
                double mass,
                const Vec3& size,
                const Vec3& x,
                const Eigen::Quaterniond& q) {
    const Vec3 square = size.cwiseProduct(size);
    const Vec3 inertia =
        mass / 12.0 *
        Vec3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y());
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\npenalty = inf\nmass = {:.17g}\n"
        "inertia = {}\nposition = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n"
        "shape = {{ box = {} }}\n",
        name,
        mass,
        triple(inertia),
        triple(x),
        q.w(),
        q.x(),
        q.y(),
        q.z(),
        triple(size));
}

void check_kept(const Simulation& simulation) {
    const RunStatistics statistics = simulation.statistics();
    const double steps = static_cast<double>(statistics.steps);
    CHECK(statistics.energy.max_rel <= tolerance(10.0 * rounding_bound(steps)));
    CHECK(statistics.momentum.max_rel <= tolerance(10.0 * rounding_bound(steps)));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(10.0 * rounding_bound(steps)));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
}

}  // namespace

/// Boxes on each other fall a little, hit each other and the floor, and rest. What the floor bears
/// is then the weight of all, what bears the upper one that of it alone.
TEST_CASE("a pile that has fallen bears its weight") {
    constexpr double kMass = 2.0, kSide = 0.2, kDrop = 0.003;
    constexpr int kCount = 3;
    std::string text = weight({0.0, 0.0, -kGravity});
    const Eigen::Quaterniond attitude(Eigen::AngleAxisd(0.3, Vec3::UnitZ()));
    for (int k = 0; k < kCount; ++k)
        text += box(fmt::format("b{}", k),
                    kMass * (k + 1),
                    Vec3::Constant(kSide),
                    Vec3(0.02 * k, 0.01 * k, 0.5 * kSide + (kSide + kDrop) * k + kDrop),
                    attitude);
    text +=
        "\n[[constraint]]\nname = \"floor\"\ntype = \"contact\"\na = \"b0\"\nb = "
        "\"ground\"\nplane = { normal = [0, 0, 1] }\nfriction = 0.4\n";
    for (int k = 1; k < kCount; ++k)
        text += fmt::format(
            "\n[[constraint]]\nname = \"c{0}\"\ntype = \"contact\"\na = \"b{0}\"\nb = \"b{1}\"\n"
            "friction = 0.4\n",
            k,
            k - 1);
    Simulation simulation = model(text + integrator("emm", 0.002, 0.2));
    run_to_end(simulation);
    double above = 0.0;
    for (int k = kCount; k-- > 0;) {
        CAPTURE(k);
        above += kMass * (k + 1) * kGravity;
        const std::string force = k == 0 ? "floor.force." : fmt::format("c{}.force.", k);
        CHECK(column(simulation, force + "z") == near(above, tolerance(1e-9 * above)));
        CHECK(column(simulation, fmt::format("b{}.z", k)) ==
              near((k + 0.5) * kSide, tolerance(1e-12)));
    }
    check_kept(simulation);
}

/// Cubes at any attitude fall on each other between walls.
TEST_CASE("a pile of cubes keeps its balances and its gaps") {
    constexpr double kMass = 8.0, kSide = 0.2;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::string text = weight({0.0, 0.0, -kGravity});
    for (int k = 0; k < 3; ++k) {
        const double w = normal(random), x = normal(random), y = normal(random);
        text += box(fmt::format("b{}", k),
                    kMass,
                    Vec3::Constant(kSide),
                    Vec3(0.02 * k, -0.01 * k, 0.18 + 0.3 * k),
                    Eigen::Quaterniond(w, x, y, normal(random)).normalized());
    }
    text +=
        "\n[[constraint]]\nname = \"all\"\ntype = \"contact\"\nbodies = \"b*\"\n"
        "planes = [[0, 0, 1, 0], [1, 0, 0, -0.25], [-1, 0, 0, -0.25]]\nfriction = 0.4\n";
    Simulation simulation = model(text + integrator("emm", 0.002, 0.5));
    run_to_end(simulation);
    // They lie no higher than on each other's faces, but for what has not come to rest [m].
    constexpr double kTilting = 0.03;
    CHECK(column(simulation, "energy.potential") <
          kMass * kGravity * ((0.5 + 1.5 + 2.5) * kSide + kTilting));
    check_kept(simulation);
}

/// Dominoes that have fallen against each other, and still move a little: friction holds them where
/// they lean, whatever the step. What rested crept by half of what a step falls in it where steps
/// went over all events at once.
TEST_CASE("dominoes that lean on each other come to rest, and stay") {
    struct Domino {
        std::array<double, 2> at, turned, v;  // x, z; cosine and sine of half the turn about y
        double w;
    };
    constexpr std::array<Domino, 3> kDominoes = {{
        {{0.0325974288, 0.01443755239},
         {0.811399358468, 0.584492023364},
         {-0.0197245, -0.00659647},
         -0.00116153},
        {{0.0635934322, 0.01424523244},
         {0.811399421301, 0.584492067488},
         {-0.000108751, -1.02859e-05},
         -0.0011609},
        {{0.0966665798, 0.00500001}, {0.707106781162, 0.707106781162}, {0, 0}, 0},
    }};
    constexpr double kMass = 0.018;
    const Vec3 size(0.01, 0.03, 0.06);
    std::string text = weight({0.0, 0.0, -kGravity}), contacts;
    for (std::size_t k = 0; k < kDominoes.size(); ++k) {
        const Domino& domino = kDominoes[k];
        text += box(fmt::format("d{}", k),
                    kMass,
                    size,
                    {domino.at[0], 0.0, domino.at[1]},
                    {domino.turned[0], 0.0, domino.turned[1], 0.0}) +
                fmt::format("velocity = {}\nangular_velocity = {}\n",
                            triple({domino.v[0], 0.0, domino.v[1]}),
                            triple({0.0, domino.w, 0.0}));
        contacts += fmt::format(
            "\n[[constraint]]\nname = \"floor{0}\"\ntype = \"contact\"\na = \"d{0}\"\n"
            "b = \"ground\"\nplane = {{ normal = [0, 0, 1] }}\nfriction = 0.6\n",
            k);
        if (k > 0)
            contacts += fmt::format(
                "\n[[constraint]]\nname = \"c{0}\"\ntype = \"contact\"\na = \"d{0}\"\n"
                "b = \"d{1}\"\nfriction = 0.2\n",
                k,
                k - 1);
    }
    text += contacts;
    constexpr double kSettled = 0.08, kEnd = 0.1;
    Simulation simulation = model(text + integrator("emm", 0.002, kEnd));
    const auto places = [&] {
        std::array<double, 2 * kDominoes.size()> out{};
        for (std::size_t k = 0; k < kDominoes.size(); ++k) {
            out[2 * k] = column(simulation, fmt::format("d{}.x", k));
            out[2 * k + 1] = column(simulation, fmt::format("d{}.z", k));
        }
        return out;
    };
    while (simulation.time() < kSettled) simulation.step();
    const auto settled = places();
    run_to_end(simulation);
    const auto at_end = places();
    for (std::size_t k = 0; k < settled.size(); ++k) CHECK(at_end[k] == near(settled[k], 1e-14));
    CHECK(column(simulation, "energy.kinetic") == near(0.0, 1e-25));
    // The floor bears the weight of all, and pushes them nowhere.
    const auto sum = [&](const char* axis) {
        double out = 0.0;
        for (std::size_t k = 0; k < kDominoes.size(); ++k)
            out += column(simulation, fmt::format("floor{}.force.{}", k, axis)) +
                   column(simulation, fmt::format("floor{}.friction.force.{}", k, axis));
        return out;
    };
    const double all = kMass * kGravity * kDominoes.size();
    CHECK(sum("z") == near(all, 1e-8 * all));
    CHECK(sum("x") == near(0.0, 1e-8 * all));
    // Rounding of places is that of the weight's energy, beside which what moves has next to none.
    const RunStatistics statistics = simulation.statistics();
    const double steps = static_cast<double>(statistics.steps);
    CHECK(statistics.energy.max_abs <= tolerance(rounding_bound(steps) * all * size.z()));
    const double pieces = static_cast<double>(statistics.substeps);
    CHECK(statistics.momentum.max_rel <= tolerance(10.0 * rounding_bound(pieces)));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(10.0 * rounding_bound(pieces)));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
}

}  // namespace ancora::testing
