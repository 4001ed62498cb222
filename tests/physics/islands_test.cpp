// SPDX-License-Identifier: BSD-3-Clause
// Scenes of islands with dry friction, apart from each other: each moves as it does alone.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"

namespace ancora::testing {
namespace {

constexpr double kEnd = 0.04;  // [s], before any contact stops
constexpr double kStep = 1e-3;

/// Tables of a manifest, and the bodies among them.
struct Island {
    std::vector<std::string> tables, bodies;
};

/// Islands at random, each of names and places of its own.
class Scene {
public:
    explicit Scene(unsigned seed) : random_(seed) {}

    Island island() {
        ++count_;
        Island out;
        switch (below(4)) {
            case 0:
                slide(out, "a", 0.0, 1 + below(4));
                break;
            case 1:
                stack(out);
                break;
            case 2:
                swing(out, "a", 0.0, 1 + below(2));
                break;
            default:
                tie(out);
                break;
        }
        return out;
    }
    std::string text(std::vector<std::string> tables, const std::string& type) {
        std::ranges::shuffle(tables, random_);
        std::string out = weight({0.0, 0.0, -kGravity});
        for (const std::string& table : tables) out += table;
        return out + integrator(type, kStep, kEnd);
    }

private:
    int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
    double between(double a, double b) {
        return std::uniform_real_distribution<double>(a, b)(random_);
    }
    std::string name(const std::string& of) const { return fmt::format("{}{}", of, count_); }

    void block(Island& to, const std::string& of, double x, double z, double speed) {
        to.bodies.push_back(name(of));
        to.tables.push_back(fmt::format(
            "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nsize = [0.4, 0.3, 0.2]\n"
            "density = {:.17g}\nposition = [{:.17g}, {:.17g}, {:.17g}]\n"
            "velocity = [{:.17g}, 0.1, 0.0]\n",
            name(of),
            between(300.0, 3000.0),
            x,
            2.0 * count_,
            z,
            speed));
    }
    /// Feet of a block on the floor or on another block.
    void feet(Island& to, const std::string& of, const std::string& on, int number) {
        for (int k = 0; k < number; ++k) {
            const std::string foot = fmt::format("{}_{}", name(of), k);
            std::string floor = "normal = [0, 0, 1]\n";
            if (!on.empty())
                floor = fmt::format("origin = \"{0}@[0, 0, 0.1]\"\nnormal = \"{0}@[0, 0, 1]\"\n",
                                    name(on));
            to.tables.push_back(
                fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"point_on_plane\"\n"
                            "point = \"{}@[{:.17g}, {:.17g}, -0.1]\"\n{}",
                            foot,
                            name(of),
                            k % 2 == 0 ? 0.2 : -0.2,
                            k < 2 ? 0.15 : -0.15,
                            floor));
            to.tables.push_back(friction(foot, mu(between(0.05, 0.3))));
        }
    }
    void slide(Island& to, const std::string& of, double x, int number) {
        block(to, of, x, 0.1, between(0.5, 1.5));
        feet(to, of, "", number);
    }
    void stack(Island& to) {
        block(to, "a", 0.0, 0.1, between(0.4, 0.6));
        feet(to, "a", "", 4);
        block(to, "b", 0.0, 0.3, between(0.8, 1.0));
        feet(to, "b", "a", 4);
    }
    /// A pendulum of links with friction in each joint.
    void swing(Island& to, const std::string& of, double x, int links) {
        for (int k = 0; k < links; ++k) {
            const std::string link = fmt::format("{}{}", of, k);
            to.bodies.push_back(name(link));
            const double from = x + 0.5 * k, y = 2.0 * count_;
            to.tables.push_back(fmt::format(
                "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nsize = [0.5, 0.05, 0.05]\n"
                "density = {:.17g}\nposition = [{:.17g}, {:.17g}, 3.0]\n",
                name(link),
                between(300.0, 3000.0),
                from + 0.25,
                y));
            to.tables.push_back(fmt::format(
                "\n[[constraint]]\nname = \"j{0}\"\ntype = \"revolute\"\na = \"{1}\"\nb = \"{0}\"\n"
                "point = [{2:.17g}, {3:.17g}, 3.0]\naxis = [0, 1, 0]\nstart = {{ angle = 0, "
                "angle_rate = {4:.17g} }}\n",
                name(link),
                k == 0 ? "ground" : name(fmt::format("{}{}", of, k - 1)),
                from,
                y,
                between(2.0, 3.0)));
            to.tables.push_back(fmt::format(
                "\n[[force]]\nname = \"rub_{0}\"\ntype = \"joint_friction\"\non = \"j{0}\"\n"
                "mu = {1:.17g}\nradius = 0.02\n",
                name(link),
                between(0.05, 0.3)));
        }
    }
    /// A block and a pendulum that a spring ties.
    void tie(Island& to) {
        slide(to, "a", 0.0, 1 + below(4));
        swing(to, "b", 1.0, 1);
        to.tables.push_back(fmt::format(
            "\n[[constraint]]\nname = \"{0}\"\ntype = \"spring\"\na = \"{1}@[0, 0, 0.1]\"\n"
            "b = \"{2}@[0.25, 0, 0]\"\nstiffness = {3:.17g}\n",
            name("tie"),
            name("a"),
            name("b0"),
            between(50.0, 500.0)));
    }

    std::mt19937 random_;
    int count_ = 0;
};

/// Positions and attitudes of bodies at the end.
std::vector<double> motion(const std::string& text, const std::vector<std::string>& bodies) {
    Simulation simulation = model(text);
    while (!simulation.done()) simulation.step();
    // No event cuts a step, of which all islands would feel the length.
    REQUIRE(simulation.statistics().substeps == simulation.statistics().steps);
    std::vector<double> out;
    for (const std::string& body : bodies) {
        const Pose pose = simulation.pose(body);
        out.insert(out.end(), pose.position.begin(), pose.position.end());
        out.insert(out.end(), pose.quaternion.begin(), pose.quaternion.end());
    }
    return out;
}

}  // namespace

TEST_SUITE("islands with friction") {
    TEST_CASE("islands together in any order move as each does alone") {
        for (const std::string type : {"emm", "rk4"})
            for (unsigned seed = 1; seed <= 12; ++seed) {
                CAPTURE(type);
                CAPTURE(seed);
                Scene scene(seed);
                std::vector<std::string> tables, bodies;
                std::vector<double> alone;
                for (int k = 0; k < 5; ++k) {
                    const Island island = scene.island();
                    tables.insert(tables.end(), island.tables.begin(), island.tables.end());
                    bodies.insert(bodies.end(), island.bodies.begin(), island.bodies.end());
                    const std::vector<double> moved =
                        motion(scene.text(island.tables, type), island.bodies);
                    alone.insert(alone.end(), moved.begin(), moved.end());
                }
                const std::vector<double> together = motion(scene.text(tables, type), bodies);
                REQUIRE(together.size() == alone.size());
                double largest = 0.0;
                for (std::size_t i = 0; i < alone.size(); ++i)
                    largest = std::max(largest, std::abs(together[i] - alone[i]));
                CHECK(largest <= 1e-13);
            }
    }
}

}  // namespace ancora::testing
