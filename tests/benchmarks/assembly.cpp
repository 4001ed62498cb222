// SPDX-License-Identifier: BSD-3-Clause
// How the time until a model stands, and is analysed, grows with the model: a chain of boxes joined
// by positions.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>
#include <malloc.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "models.hpp"

namespace {

using namespace ancora;
/// Of the processor, which other programs on the machine do not lengthen.
double seconds_since(std::clock_t begin) {
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// hanging_chain() as a text of one [[generate]], under `integrator`.
std::string chain_text(int N, const std::string& integrator) {
    return fmt::format(R"([model]
gravity = [0, 0, -9.81]
[integrator]
type = "{}"
step = 1e-3
end = 1.0
[[constraint]]
name = "joint0"
type = "position"
a = "link0@[-0.5, 0, 0]"
b = "ground@[0, 0, 0]"
[[generate]]
for = {{i = {}}}
[[generate.body]]
name = "link${{i}}"
type = "ancf_rigid_body"
size = [1.0, 0.2, 0.1]
density = 1000.0
position = ["i + 0.5", 0, 0]
[[generate]]
for = {{i = [1, {}]}}
[[generate.constraint]]
name = "joint${{i}}"
type = "position"
a = "link${{i}}@[-0.5, 0, 0]"
b = "link${{i - 1}}@[0.5, 0, 0]"
)",
                       integrator,
                       N,
                       N - 1);
}

}  // namespace

/// Prints a line for each integrator and each of the numbers of boxes, by default 10^3 to 10^5.
int main(int argc, char** argv) {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    std::vector<int> sizes{1000, 10000, 100000};
    if (argc > 1) {
        sizes.clear();
        for (int k = 1; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
    }
    fmt::print(
        "Chains of exactly rigid boxes, processor time in us a box\n"
        "{:>8} {:>8} {:>10} {:>10} {:>10} {:>12} {:>10} {:>10}\n",
        "bodies",
        "type",
        "in code",
        "read",
        "assembled",
        "bytes a box",
        "analysed",
        "total [s]");
    for (const char* const integrator : {"rk4", "emm"}) {
        for (const int N : sizes) {
            const double per_box = 1e6 / N;
            auto begin = std::clock();
            Manifest built = benchmark::hanging_chain(N, 1e-3, 1000);
            built.integrator.type = integrator;
            built.validate();
            const double in_code = seconds_since(begin);

            begin = std::clock();
            const Manifest read = Manifest::parse(chain_text(N, integrator), {});
            const double reading = seconds_since(begin);

            const double before = bytes_in_use();
            begin = std::clock();
            const Simulation simulation(read, registry);
            const double assembling = seconds_since(begin);
            const double bytes = bytes_in_use() - before;
            begin = std::clock();
            simulation.analyse();
            const double analysing = seconds_since(begin);
            fmt::print("{:>8} {:>8} {:>10.2f} {:>10.2f} {:>10.2f} {:>12.0f} {:>10.2f} {:>10.3f}\n",
                       N,
                       integrator,
                       per_box * in_code,
                       per_box * reading,
                       per_box * assembling,
                       bytes / N,
                       per_box * analysing,
                       reading + assembling + analysing);
            std::fflush(stdout);
        }
    }
    return 0;
}
