// SPDX-License-Identifier: BSD-3-Clause
// The same manifest gives the same bytes: run after run, process after process, whatever else runs.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/run.hpp"
#include "box_and_net.hpp"
#include "framework/models.hpp"
#include "support/process.hpp"

using namespace ancora;
using ancora::testing::ProcessResult;
using ancora::testing::TempFolder;

namespace {

/// A box with a net, a plate and gravity, at a step at which the factorisation is sometimes
/// renewed.
const std::string kModel = testing::kBoxAndNet + R"([[body]]
name = "plate"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.1, 0.2, 0.3]
position = [0.5, 0.25, 0.1]
[integrator]
type = "emm"
step = 0.004
end = 0.8
[output]
every = 0.02
points = ["net@35"]
)";

/// A chain, to run beside it.
constexpr const char* kOther = R"(
[[body]]
name = "top"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0
angular_velocity = [0.3, 0.5, 0.8]
[integrator]
type = "emm"
step = 0.01
end = 5.0
)";

std::string history(const std::string& model) {
    const TempFolder folder;
    const Manifest manifest = testing::manifest(model);
    testing::Plugins plugins;
    Simulation simulation(manifest, plugins.registry);
    Recorder recorder(folder.path() / "out", simulation, manifest);
    run(simulation, &recorder);
    return folder.read("out/history.csv");
}

std::string history_of_process() {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    testing::ProcessOptions options;
    options.folder = folder.path();
    const ProcessResult result = testing::run_process(
        {ANCORA_TEST_BIN, "run", "model.toml", "--quiet", "--out", "out"}, options);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    return folder.read("out/history.csv");
}

}  // namespace

TEST_SUITE("reproducibility") {
    TEST_CASE("its modes looked at, a spinning rod goes on with the same bits") {
        std::string nodes;
        for (int i = 0; i <= 6; ++i)
            nodes += fmt::format("{}[{:.17g}, 0, 0]", i > 0 ? ", " : "", -1.0 + i / 3.0);
        const std::string text = fmt::format(
            "[[body]]\nname = \"rod\"\ntype = \"truss\"\nnodes = [{}]\n"
            "elements = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]\narea = 1e-6\n"
            "young = 3e9\ndensity = 1420.0\nrest_length = \"spin\"\n"
            "spin = {{ axis = [0, 0, 1], rate = 10.0 }}\n"
            "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n",
            nodes);
        testing::Plugins plugins;
        Simulation alone(testing::manifest(text), plugins.registry);
        Simulation seen(testing::manifest(text), plugins.registry);
        for (int k = 0; k < 200; ++k) {
            alone.step();
            seen.step();
            if (k % 50 == 49) CHECK(seen.modes().is_spinning);
        }
        CHECK(std::vector<double>(seen.q().begin(), seen.q().end()) ==
              std::vector<double>(alone.q().begin(), alone.q().end()));
        CHECK(std::vector<double>(seen.v().begin(), seen.v().end()) ==
              std::vector<double>(alone.v().begin(), alone.v().end()));
    }

    TEST_CASE("twice in one process") {
        const std::string first = history(kModel);
        CHECK(first.size() > 10000);
        CHECK(history(kModel) == first);
    }

    TEST_CASE("in two processes, and in this one") {
        const std::string first = history_of_process();
        CHECK(history_of_process() == first);
        CHECK(history(kModel) == first);
    }

    TEST_CASE("two simulations step by step in turn") {
        const std::string alone = history(kModel);
        const std::string other_alone = history(kOther);

        const TempFolder folder;
        const Manifest manifest = testing::manifest(kModel);
        const Manifest other_manifest = testing::manifest(kOther);
        testing::Plugins plugins;
        Simulation simulation(manifest, plugins.registry);
        Simulation other(other_manifest, plugins.registry);
        Recorder recorder(folder.path() / "one", simulation, manifest);
        Recorder other_recorder(folder.path() / "two", other, other_manifest);
        recorder.start();
        other_recorder.start();
        while (!simulation.done() || !other.done()) {
            if (!simulation.done()) {
                simulation.step();
                recorder.record();
            }
            if (!other.done()) {
                other.step();
                other_recorder.record();
            }
        }
        recorder.finish("completed");
        other_recorder.finish("completed");
        CHECK(folder.read("one/history.csv") == alone);
        CHECK(folder.read("two/history.csv") == other_alone);
    }

    TEST_CASE("two simulations in two threads at once") {
        const std::string alone = history(kModel);
        std::string one;
        std::string two;
        std::thread first([&] {
            one = history(kModel);
        });
        std::thread second([&] {
            two = history(kModel);
        });
        first.join();
        second.join();
        CHECK(one == alone);
        CHECK(two == alone);
    }

    // Large enough that its factors have parts and its loops are shared, or factors alone; resumed
    // with another number, too.
    TEST_CASE("with any number of threads") {
        using Case = std::pair<const char*, const char*>;
        for (const auto& [integrator, counts] :
             {Case("emm", "130, 130"), Case("emm", "60, 50"), Case("rk4", "80, 70")}) {
            CAPTURE(integrator);
            CAPTURE(counts);
            const Manifest manifest = testing::manifest(fmt::format(R"(
[[body]]
name = "net"
type = "truss"
grid = {{counts = [{}], spacing = [0.1, 0.1], diagonals = true}}
young = 1e7
area = 1e-5
density = 1000.0
mass = "consistent"
[[constraint]]
name = "corner"
type = "position"
a = "ground@[0, 0, 0]"
b = "net@0"
[model]
gravity = [0.0, 3.0, -9.81]
[integrator]
type = "{}"
step = 1e-4
end = 6e-4
)",
                                                                    counts,
                                                                    integrator));
            testing::Plugins plugins;
            const auto states = [&](int before, int after) {
                auto simulation = std::make_unique<Simulation>(manifest, plugins.registry);
                simulation->set_threads(before);
                for (int k = 0; k < 3; ++k) simulation->step();
                const std::vector<std::byte> saved = simulation->save();
                if (before != after) {
                    simulation = std::make_unique<Simulation>(manifest, plugins.registry);
                    simulation->set_threads(after);
                    simulation->restore(saved);
                }
                while (!simulation->done()) simulation->step();
                std::vector<double> out(simulation->q().begin(), simulation->q().end());
                out.insert(out.end(), simulation->v().begin(), simulation->v().end());
                const RunStatistics run = simulation->statistics();
                out.insert(out.end(),
                           {run.energy.max_abs,
                            run.momentum.max_abs,
                            run.angular_momentum.max_abs,
                            run.constraint_position.max_abs,
                            static_cast<double>(run.iterations)});
                return out;
            };
            const std::vector<double> alone = states(1, 1);
            CHECK(states(2, 2) == alone);
            CHECK(states(5, 5) == alone);
            CHECK(states(3, 1) == alone);
            CHECK(states(1, 2) == alone);
            // Changed while it runs
            Simulation changing(manifest, plugins.registry);
            for (int k = 0; !changing.done(); ++k) {
                changing.set_threads(1 + k % 3);
                changing.step();
            }
            CHECK(std::ranges::equal(changing.q(), std::span(alone).first(changing.q().size())));
        }
        testing::Plugins plugins;
        Simulation simulation(testing::manifest(kOther), plugins.registry);
        CHECK_THROWS_AS(simulation.set_threads(0), Error);
    }

    // Where the memory of a simulation lies must not matter: vectorised sums peel by address.
    TEST_CASE("wherever the buffers lie") {
        const std::string alone = history(kModel);
        for (const std::size_t shift : {8, 24, 40, 56, 1000}) {
            std::vector<std::unique_ptr<char[]>> holes;
            for (std::size_t k = 0; k < 64; ++k)
                holes.push_back(std::make_unique<char[]>(shift + 16 * k));
            CHECK(history(kModel) == alone);
        }
    }
}
