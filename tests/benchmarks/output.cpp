// SPDX-License-Identifier: BSD-3-Clause
// What results cost: a spinning net with rows and frames every tenth step, against the same steps
// without a recorder.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/recorder.hpp"
#include "ancora/framework/run.hpp"
#include "ancora/framework/simulation.hpp"
#include "models.hpp"

namespace {

using namespace ancora;
namespace fs = std::filesystem;

constexpr int kNodes = 60;      // along a side
constexpr double kStep = 1e-3;  // [s]
constexpr long kSteps = 200;    // of one run
constexpr int kRounds = 7;
constexpr double kGoal = 5.0;  // [%]

/// Of this process [s]; other programs on the machine do not count.
double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Time of one run [s], with a recorder if there is a folder for it.
double measure(const Manifest& manifest, PluginRegistry& registry, const fs::path* folder) {
    Simulation simulation(manifest, registry);
    const double begin = processor_time();
    if (folder != nullptr) {
        Recorder recorder(*folder, simulation, manifest);
        run(simulation, &recorder);
    } else {
        run(simulation, nullptr);
    }
    return processor_time() - begin;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main() {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    Manifest manifest = benchmark::spinning_net(kNodes, kStep, kSteps, false);
    manifest.output.every = 10.0 * kStep;
    manifest.output.frames = manifest.output.every;
    const fs::path folder =
        fs::temp_directory_path() / fmt::format("ancora_benchmark_output_{}", ::getpid());

    std::vector<double> plain, recorded, ratios;
    for (int round = 0; round < kRounds; ++round) {
        plain.push_back(measure(manifest, registry, nullptr));
        recorded.push_back(measure(manifest, registry, &folder));
        ratios.push_back(recorded.back() / plain.back());
    }
    std::error_code ignored;
    const auto bytes = fs::file_size(folder / "frames.npy", ignored);
    fs::remove_all(folder, ignored);

    fmt::print(
        "Net of {0} x {0} nodes, {1} steps, a row and a frame every 10 steps; {2} runs of each "
        "kind in turn, processor time, median\n"
        "  without recorder  {3:.3f} ms a step\n"
        "  with recorder     {4:.3f} ms a step, {5:.1f} kB a frame\n"
        "  output costs      {6:.1f} % (goal: less than {7:.0f} %)\n",
        kNodes,
        kSteps,
        kRounds,
        1e3 * median(plain) / kSteps,
        1e3 * median(recorded) / kSteps,
        1e-3 * static_cast<double>(bytes) / (kSteps / 10 + 1),
        100.0 * (median(ratios) - 1.0),
        kGoal);
    return 0;
}
