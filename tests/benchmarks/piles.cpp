// SPDX-License-Identifier: BSD-3-Clause
// What piles cost: boxes of any attitude that fall on each other between four walls, rub, and come
// to rest; processor time for a second of the model, and what the run keeps.
#include <cmath>
#include <ctime>
#include <random>
#include <string>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"

namespace {

using namespace ancora;

constexpr double kSide = 0.2, kMass = 8.0, kFriction = 0.4;  // of cubes [m], [kg]
constexpr double kEnd = 1.0, kStep = 0.002;                  // [s]
constexpr double kWall = 0.35;                               // from the middle [m]
constexpr double kApart = 0.36;                              // one above the other [m]
constexpr double kAside = 0.05;

/// Of this process [s]; other programs on the machine do not count.
double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string pile(int count) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> aside(-kAside, kAside);
    std::string text = "[model]\ngravity = [0.0, 0.0, -9.81]\n";
    const double inertia = kMass * kSide * kSide / 6.0;
    for (int k = 0; k < count; ++k) {
        const double w = normal(random), x = normal(random), y = normal(random);
        const Eigen::Quaterniond q = Eigen::Quaterniond(w, x, y, normal(random)).normalized();
        const double along = aside(random), across = aside(random);
        text += fmt::format(
            "\n[[body]]\nname = \"b{0}\"\ntype = \"ancf_rigid_body\"\npenalty = inf\nmass = {1}\n"
            "inertia = [{2:.17g}, {2:.17g}, {2:.17g}]\n"
            "position = [{3:.17g}, {4:.17g}, {5:.17g}]\n"
            "orientation = [{6:.17g}, {7:.17g}, {8:.17g}, {9:.17g}]\n"
            "shape = {{ box = [{10}, {10}, {10}] }}\n",
            k,
            kMass,
            inertia,
            along,
            across,
            kSide + kApart * k,
            q.w(),
            q.x(),
            q.y(),
            q.z(),
            kSide);
    }
    return text + fmt::format(
                      "\n[[constraint]]\nname = \"all\"\ntype = \"contact\"\nbodies = \"b*\"\n"
                      "planes = [[0, 0, 1, 0], [1, 0, 0, {0}], [-1, 0, 0, {0}], "
                      "[0, 1, 0, {0}], [0, -1, 0, {0}]]\nfriction = {1}\n"
                      "\n[integrator]\ntype = \"emm\"\nstep = {2}\nend = {3}\n",
                      -kWall,
                      kFriction,
                      kStep,
                      kEnd);
}

}  // namespace

int main() {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    fmt::print("Cubes with friction {}, {} s in steps of {} s\n", kFriction, kEnd, kStep);
    double least = 0.0;
    for (const int count : {3, 5, 10}) {
        Simulation simulation(Manifest::parse(pile(count), "pile.toml"), registry);
        const double begin = processor_time();
        while (!simulation.done()) simulation.step();
        const double spent = (processor_time() - begin) / kEnd;
        const RunStatistics statistics = simulation.statistics();
        if (least == 0.0) least = spent;
        fmt::print(
            "  {:2} boxes: {:6.2f} s of processor time a second, {:4.1f} times the first; "
            "{:.1f} iterations a step, {} of {} steps gone over; balance {:.1e}, least gap {:.1e} "
            "m\n",
            count,
            spent,
            spent / least,
            static_cast<double>(statistics.iterations) / static_cast<double>(statistics.steps),
            statistics.impacts.stepped_over,
            statistics.steps,
            statistics.energy.max_rel,
            statistics.impacts.least_gap);
    }
    return 0;
}
