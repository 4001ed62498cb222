// SPDX-License-Identifier: BSD-3-Clause
// Runs of a mechanism at shorter and shorter steps, and what they come to beside `dopri5`.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "mechanisms.hpp"

namespace ancora::testing {
namespace {

using Vec3 = Eigen::Vector3d;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Outcome {
    bool is_completed = false;
    std::string doubts;
    int num_singular = 0;
    bool is_too_long = false;
    double t = 0.0;  // reached [s]
    std::string message;
    RunStatistics statistics;
    std::vector<Vec3> probes;
};

constexpr long kMostSteps = 2000;     // of dopri5
constexpr long kManySteps = 300'000;  // where stiff springs have to be followed

Outcome run(const Mechanism& m,
            const std::string& text,
            const std::string& type,
            double step,
            PluginRegistry& registry,
            long most_steps = kMostSteps) {
    Outcome out;
    try {
        Simulation simulation(
            Manifest::parse(with_integrator(text, type, step, m.end), "mechanism.toml"), registry);
        for (long k = 0; !simulation.done(); ++k) {
            if (type == "dopri5" && k == most_steps) {
                out.is_too_long = true;
                out.message = "too many steps";
                return out;
            }
            simulation.step();
            out.t = simulation.time();
        }
        out.is_completed = true;
        out.statistics = simulation.statistics();
        for (const std::string& doubt : out.statistics.doubts) out.doubts += doubt + "; ";
        out.num_singular = static_cast<int>(simulation.singular_positions().size());
        for (const std::string& probe : m.probes) {
            const auto x = simulation.point(probe).position;
            out.probes.emplace_back(x[0], x[1], x[2]);
        }
    } catch (const Error& error) {
        out.message = error.what();
    }
    return out;
}

double distance(const Outcome& a, const Outcome& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.probes.size(); ++i)
        largest = std::max(largest, (a.probes[i] - b.probes[i]).norm());
    return largest;
}

bool says(const std::string& message, const char* words) {
    return message.find(words) != std::string::npos;
}

constexpr int kMostLevels = 6;
constexpr int kMostHalvings = 12;     // where a whip asks for far shorter steps
constexpr double kSameTime = 0.02;    // of the run: refusals so close are of one place
constexpr double kFollows = 10.0;     // what is left of a difference by stiffer parts, at most
constexpr double kOrderTwo = 2.5;     // by which an error falls at least, of 4
constexpr double kGap = 1e-11;        // of the extent
constexpr double kUnresolved = 1e-7;  // of the size: what dopri5 leaves at its tolerance

/// What becomes of a whip, light links that turn over between heavy ones, at steps far shorter than
/// those tried before, whose last error was `last`: agrees, told, refused or disagrees.
Verdict by_far_shorter_steps(const Mechanism& m,
                             const Outcome& reference,
                             double floor,
                             double last,
                             PluginRegistry& registry,
                             Judgement& out) {
    for (int halvings = kMostLevels + 2; halvings <= kMostHalvings; halvings += 2) {
        const Outcome here = run(m, m.text, "emm", std::ldexp(m.step, -halvings), registry);
        if (!here.is_completed) return Verdict::refused;
        if (!here.doubts.empty()) return Verdict::told;
        if (!reference.is_completed) return Verdict::not_compared;
        const double error = distance(here, reference);
        out.errors.push_back(error);
        if (error <= floor || (std::isfinite(last) && error * kOrderTwo * kOrderTwo <= last))
            return Verdict::agrees;
        last = error;
    }
    return Verdict::disagrees;
}

/// Whether shorter steps come to what dopri5 makes of `text` in as many steps as it takes.
bool comes_to_followed(const Mechanism& m,
                       const std::string& text,
                       double floor,
                       PluginRegistry& registry,
                       Judgement& out) {
    const Outcome followed = run(m, text, "dopri5", 0.1 * m.step, registry, kManySteps);
    if (!followed.is_completed || !followed.doubts.empty()) return false;
    double last = kInf;
    for (const double part : {1.0 / 16.0, 1.0 / 64.0}) {
        const Outcome here = run(m, m.text, "emm", part * m.step, registry);
        if (!here.is_completed || !here.doubts.empty()) return false;
        out.errors.push_back(distance(here, followed));
        if (out.errors.back() > floor && out.errors.back() * kOrderTwo > last) return false;
        last = out.errors.back();
    }
    return true;
}

}  // namespace

const char* to_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::agrees:
            return "agrees";
        case Verdict::refused:
            return "refused, with a true cause";
        case Verdict::told:
            return "completed, and told to be in doubt";
        case Verdict::unexplained:
            return "refused without a true cause";
        case Verdict::not_compared:
            return "balances close, no reference";
        case Verdict::unbalanced:
            return "open balance or gap without a word";
        case Verdict::disagrees:
            return "disagrees";
        case Verdict::impossible_ran:
            return "impossible, and completed";
    }
    return "";
}

Judgement judge(const Mechanism& m, PluginRegistry& registry) {
    Judgement out;
    if (m.is_impossible) {
        const Outcome run_of = run(m, m.text, "emm", m.step, registry);
        out.cause = run_of.message;
        if (run_of.is_completed)
            out.verdict = Verdict::impossible_ran;
        else
            out.verdict = says(run_of.message, "contradict") ||
                                  says(run_of.message, "inconsistent constraints")
                              ? Verdict::refused
                              : Verdict::unexplained;
        return out;
    }
    Outcome reference = run(m, m.reference, "dopri5", 0.1 * m.step, registry);
    if (reference.is_completed && !reference.doubts.empty()) {
        reference.is_completed = false;
        reference.message = "dopri5: " + reference.doubts;
    }
    const double floor = kUnresolved * m.size + m.yield;
    bool was_refused = false;
    double last = kInf;
    double step = m.step;
    for (int level = 0; level < kMostLevels; ++level, step *= 0.5) {
        const Outcome here = run(m, m.text, "emm", step, registry);
        if (!here.is_completed) {
            // Of a step that is too long it is true that shorter ones help, if they do.
            out.cause = here.message;
            if (!says(here.message, "take a smaller step") &&
                !says(here.message, "no convergence")) {
                out.verdict = Verdict::unexplained;
                return out;
            }
            last = kInf;
            if (!std::exchange(was_refused, true)) continue;
            // That the motion ends there, or is very fast, may be true too.
            const bool ends_there = !reference.is_completed && !reference.is_too_long &&
                                    std::abs(reference.t - here.t) <= kSameTime * m.end;
            if (ends_there) {
                out.verdict = Verdict::refused;
                return out;
            }
            const std::string cause = out.cause;
            const Verdict shorter = by_far_shorter_steps(m, reference, floor, kInf, registry, out);
            out.verdict = shorter == Verdict::agrees || shorter == Verdict::told
                              ? Verdict::refused
                              : Verdict::unexplained;
            out.cause = cause;
            return out;
        }
        out.num_singular = std::max(out.num_singular, here.num_singular);
        if (!here.doubts.empty()) {
            out.verdict = Verdict::told;
            out.cause = here.doubts;
            if (!says(here.doubts, "compare with shorter steps")) return out;
            // Which then must bear it out, without a doubt of their own.
            last = 0.0;
            continue;
        }
        if (here.statistics.constraint_position.max_abs > kGap * m.extent) {
            out.verdict = Verdict::unbalanced;
            out.cause = fmt::format("gap of {:.3g} m", here.statistics.constraint_position.max_abs);
            return out;
        }
        if (!reference.is_completed) {
            if (level == 0) continue;
            out.verdict = Verdict::not_compared;
            out.cause = reference.message;
            return out;
        }
        const double error = distance(here, reference);
        out.errors.push_back(error);
        if ((level > 0 || error <= floor) && (error <= floor || error * kOrderTwo <= last)) {
            if (level == 0) {
                last = error;
                continue;
            }
            out.verdict = was_refused ? Verdict::refused : Verdict::agrees;
            return out;
        }
        last = error;
    }
    if (out.verdict == Verdict::told) return out;
    out.verdict = was_refused && out.errors.empty() ? Verdict::unexplained : Verdict::disagrees;
    if (out.verdict != Verdict::disagrees) return out;
    out.cause = "does not converge";
    if (!was_refused &&
        by_far_shorter_steps(m, reference, floor, last, registry, out) == Verdict::agrees) {
        out.verdict = Verdict::agrees;
        return out;
    }
    // Where a linkage is next to locked, stiff parts give way by more, but in proportion.
    if (m.stiffer.empty() || was_refused) return out;
    const Outcome stiffer = run(m, m.stiffer, "emm", 0.25 * m.step, registry);
    if (stiffer.is_completed && stiffer.doubts.empty()) {
        out.errors.push_back(distance(stiffer, reference));
        if (out.errors.back() <= std::max(floor, kFollows * last / kStiffer))
            out.verdict = Verdict::agrees;
    }
    // And at a dead centre nothing is stiff: there springs are followed as they are.
    if (out.verdict == Verdict::agrees || m.elastic.empty()) return out;
    // Nor are bodies then, which takes dopri5 longer still.
    for (const std::string* text : {&m.elastic, &m.text}) {
        if (!comes_to_followed(m, *text, floor, registry, out)) continue;
        out.verdict = Verdict::agrees;
        return out;
    }
    return out;
}

}  // namespace ancora::testing
