// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by the adjoint against differences of runs, of models by the hundred: `gradient_fuzz
// [COUNT [FIRST_SEED [INTEGRATOR]]]`, and `gradient_fuzz --print SEED` for the file of one.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

#include "physics/gradient_cases.hpp"

namespace {
constexpr std::size_t kParameters = 6;  // of each model
}

int main(int argc, char** argv) {
    using namespace ancora;
    using namespace ancora::testing;
    if (argc >= 3 && std::string(argv[1]) == "--print") {
        const std::string integrator = argc > 3 ? argv[3] : "emm";
        fmt::print("{}", make_gradient_case(std::strtoull(argv[2], nullptr, 10), integrator).text);
        return 0;
    }
    const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300;
    const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const std::string integrator = argc > 3 ? argv[3] : "emm";
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    struct Row {
        int models = 0, by_adjoint = 0, pairs = 0, compared = 0, off = 0;
        double worst = 0.0;
    };
    std::map<std::string, Row> table;
    Row total;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const GradientCase model = make_gradient_case(seed, integrator);
        if (model.is_impossible) continue;
        const GradientComparison found = compare_gradients(model, kParameters, registry);
        for (Row* row : {&table[model.family], &total}) {
            ++row->models;
            row->by_adjoint += found.num_by_adjoint > 0 ? 1 : 0;
            row->pairs += found.num_by_adjoint;
            row->compared += found.num_compared;
            row->off += found.num_off;
            row->worst = std::max(row->worst, found.worst);
        }
        if (found.num_off > 0)
            fmt::print("seed {}, {}: {} of {} differ: {}\n",
                       seed,
                       model.family,
                       found.num_off,
                       found.num_compared,
                       found.where);
        if (!found.obstacle.empty())
            fmt::print("seed {}, {}: not compared: {}\n", seed, model.family, found.obstacle);
        std::fflush(stdout);
    }
    fmt::print("\n{:<28} {:>7} {:>11} {:>7} {:>9} {:>8} {:>9}\n",
               "family",
               "models",
               "by adjoint",
               "pairs",
               "compared",
               "differ",
               "worst");
    table["all"] = total;
    for (const auto& [family, row] : table)
        fmt::print("{:<28} {:>7} {:>11} {:>7} {:>9} {:>8} {:>9.1e}\n",
                   family,
                   row.models,
                   row.by_adjoint,
                   row.pairs,
                   row.compared,
                   row.off,
                   row.worst);
    return total.off > 0 ? 1 : 0;
}
