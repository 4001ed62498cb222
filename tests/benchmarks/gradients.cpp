// SPDX-License-Identifier: BSD-3-Clause
// What a gradient costs beside the run that it is of: by the adjoint and by differences, of chains
// and nets of 10^2 to 10^4 coordinates by 1, 10 and as many parameters as they have bodies.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"

namespace {

using namespace ancora;

/// Of this process, so that others on the machine do not count.
double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Function>
double seconds_of(const Function& function) {
    const double begin = processor_seconds();
    function();
    return processor_seconds() - begin;
}

std::string particle(int i, double x, double y, double z) {
    return fmt::format(
        "[[body]]\nname = \"p{}\"\ntype = \"particle\"\nmass = {:.6f}\nposition = [{:.12g}, "
        "{:.12g}, {:.12g}]\n",
        i,
        1.0 + 0.1 * std::sin(3.0 * i),
        x,
        y,
        z);
}

std::string head_and_tail(const std::string& model, long steps, double step) {
    return "[model]\ngravity = [0, 0, -9.81]\n" + model +
           fmt::format("[integrator]\ntype = \"emm\"\nstep = {0}\nend = {1:.12g}\n",
                       step,
                       step * static_cast<double>(steps));
}

/// N particles on rods of 10 m in all, released from a bow.
std::string chain(int N, long steps) {
    std::string out;
    double x = 0.0, z = 0.0;
    for (int i = 0; i < N; ++i) {
        const double angle = 0.5 + 0.3 * std::sin(6.0 * i / N);
        x += 10.0 / N * std::sin(angle);
        z -= 10.0 / N * std::cos(angle);
        out += particle(i, x, 0.0, z);
        out += fmt::format(
            "[[constraint]]\nname = \"r{0}\"\ntype = \"distance\"\na = \"{1}\"\nb = \"p{0}@0\"\n",
            i,
            i == 0 ? std::string("ground@[0, 0, 0]") : fmt::format("p{}@0", i - 1));
    }
    return head_and_tail(out, steps, 0.002);
}

/// N x N particles between springs, the corners held by springs as well.
std::string net(int N, long steps) {
    std::string out;
    int count = 0;
    const auto spring = [&](const std::string& a, const std::string& b) {
        out += fmt::format(
            "[[constraint]]\nname = \"s{}\"\ntype = \"spring\"\na = \"{}\"\nb = \"{}\"\nstiffness "
            "= 2000\nfree = 0.09\n",
            count++,
            a,
            b);
    };
    const auto point = [N](int i, int j) {
        return fmt::format("p{}@0", i * N + j);
    };
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            out += particle(i * N + j, 0.1 * i, 0.1 * j, 0.01 * std::sin(7.0 * i + 5.0 * j));
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            if (i + 1 < N) spring(point(i, j), point(i + 1, j));
            if (j + 1 < N) spring(point(i, j), point(i, j + 1));
        }
    for (const int i : {0, N - 1})
        for (const int j : {0, N - 1})
            spring(fmt::format("ground@[{}, {}, 0]",
                               0.1 * i + (i > 0 ? 0.1 : -0.1),
                               0.1 * j + (j > 0 ? 0.1 : -0.1)),
                   point(i, j));
    return head_and_tail(out, steps, 0.005);
}

void measure(const std::string& name,
             const std::string& text,
             int num_bodies,
             bool with_differences,
             PluginRegistry& registry) {
    const ModelSource source = [&](std::span<const std::string> overrides) {
        return Manifest::parse(text, "benchmark.toml", overrides);
    };
    const std::vector<Objective> of{Objective::parse(fmt::format("p{}.z", num_bodies - 1))};
    const double run = seconds_of([&] {
        Simulation simulation(source({}), registry);
        while (!simulation.done()) simulation.step();
    });
    const auto gradient = [&](int count, GradientMethod method, std::size_t& runs) {
        std::vector<std::string> by;
        for (int k = 0; k < count; ++k)
            by.push_back(fmt::format("body.p{}.mass", k * num_bodies / count));
        return seconds_of([&] {
            runs = differentiate(source, of, by, registry, {.workers = 1, .method = method}).runs;
        });
    };
    fmt::print("{:<14} {:>11} {:>8.2f}", name, 3 * num_bodies, run);
    std::size_t runs = 0;
    for (const int count : {1, 10, num_bodies})
        fmt::print(" {:>8.2f}", gradient(count, GradientMethod::adjoint, runs) / run);
    if (with_differences)
        fmt::print(" {:>12.2f}", gradient(1, GradientMethod::differences, runs) / run);
    fmt::print("\n");
    std::fflush(stdout);
}

}  // namespace

/// Optional argument: the number of steps.
int main(int argc, char** argv) {
    const long steps = argc > 1 ? std::atol(argv[1]) : 300;
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    fmt::print(
        "{} steps; processor time of a run in s, and of a gradient of one place by masses in "
        "runs.\n{:<14} {:>11} {:>8} {:>8} {:>8} {:>8} {:>12}\n",
        steps,
        "model",
        "coordinates",
        "run",
        "by 1",
        "by 10",
        "by all",
        "differences");
    for (const int N : {33, 333, 3333})
        measure(fmt::format("chain of {}", N), chain(N, steps), N, N < 3000, registry);
    for (const int N : {6, 18, 58})
        measure(fmt::format("net of {0} x {0}", N), net(N, steps), N * N, N < 50, registry);
    return 0;
}
