// SPDX-License-Identifier: BSD-3-Clause
// Counts what becomes of mechanisms by the thousand: `mechanisms --count 10000`, and with `--print
// SEED` and the like the model files of one.
#include "physics/mechanisms.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include <fmt/format.h>

namespace {

using namespace ancora;
using namespace ancora::testing;
using Clock = std::chrono::steady_clock;

void report(const Mechanism& m, const Judgement& judgement) {
    std::string errors;
    for (const double error : judgement.errors) errors += fmt::format(" {:.2e}", error);
    fmt::print("seed {}: {}: {} ({}){}{}\n    {}\n",
               m.seed,
               to_text(judgement.verdict),
               m.family,
               m.traits,
               errors.empty() ? "" : "; errors",
               errors,
               judgement.cause);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t first = 1;
    std::uint64_t count = 10000;
    bool is_verbose = false;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--verbose") {
            is_verbose = true;
            continue;
        }
        const bool is_known = option == "--count" || option == "--first-seed" ||
                              option == "--print" || option == "--print-reference" ||
                              option == "--print-stiffer" || option == "--print-elastic";
        if (!is_known || i + 1 == argc) {
            fmt::print(stderr,
                       "usage: mechanisms [--count N] [--first-seed SEED] [--verbose]\n"
                       "       mechanisms --print|--print-reference|--print-stiffer|"
                       "--print-elastic SEED\n");
            return 2;
        }
        const std::uint64_t value = std::strtoull(argv[++i], nullptr, 10);
        if (option == "--count") count = value;
        if (option == "--first-seed") first = value;
        if (option.starts_with("--print")) {
            const Mechanism m = make_mechanism(value);
            const bool is_by_dopri5 = option == "--print-reference" || option == "--print-elastic";
            const std::string& text = option == "--print"             ? m.text
                                      : option == "--print-reference" ? m.reference
                                      : option == "--print-stiffer"   ? m.stiffer
                                                                      : m.elastic;
            fmt::print("# {}: {}\n{}",
                       m.family,
                       m.traits,
                       is_by_dopri5 ? with_integrator(text, "dopri5", 0.1 * m.step, m.end)
                                    : with_integrator(text, "emm", m.step, m.end));
            return 0;
        }
    }

    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    std::map<std::string, std::map<std::string, int>> table;
    std::map<std::string, int> total;
    int num_wrong = 0;
    const auto begin = Clock::now();
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Mechanism m = make_mechanism(seed);
        const auto start = Clock::now();
        const Judgement judgement = judge(m, registry);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        const bool is_good =
            judgement.verdict == Verdict::agrees || judgement.verdict == Verdict::refused;
        num_wrong += judgement.verdict == Verdict::unbalanced ||
                     judgement.verdict == Verdict::disagrees ||
                     judgement.verdict == Verdict::impossible_ran;
        if (!is_good || is_verbose) report(m, judgement);
        if (is_verbose) fmt::print("    {:.2f} s\n", seconds);
        ++table[m.family][to_text(judgement.verdict)];
        ++total[to_text(judgement.verdict)];
        if (judgement.num_singular > 0) {
            ++table[m.family]["passed singular positions"];
            fmt::print("seed {}: {} ({}) passed {} singular positions, it says\n",
                       m.seed,
                       m.family,
                       m.traits,
                       judgement.num_singular);
        }
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    fmt::print("\n{} mechanisms from seed {} on, {:.0f} s\n", count, first, seconds);
    for (const auto& [verdict, number] : total) fmt::print("  {:6} {}\n", number, verdict);
    for (const auto& [family, verdicts] : table) {
        fmt::print("{}:", family);
        for (const auto& [verdict, number] : verdicts) fmt::print(" {} {};", number, verdict);
        fmt::print("\n");
    }
    return num_wrong == 0 ? 0 : 1;
}
