// SPDX-License-Identifier: BSD-3-Clause
// Checks of derivatives: by parameters that are called sensitive, and what symmetry asks of them.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/manifest_text.hpp"
#include "call_in_progress.hpp"
#include "object.hpp"
#include "reference_systems.hpp"

namespace ancora::verify {
namespace {

constexpr int kGradientSteps = 8;
// The adjoint and differences of runs, relative to the larger; errors that they state beside.
constexpr double kAgree = 1e-6;
constexpr double kErrors = 20.0;
// Sums that stay, in their largest terms: each step's solve leaves rounding, and its iteration what
// it stops at.
constexpr double kStays = 1e-9;

RunSettings discrete_run(const Example& example) {
    const std::vector<std::string> able = example.integrators();
    for (const ReferenceIntegrator& one : reference_integrators())
        if (one.is_discrete && std::ranges::find(able, one.type) != able.end()) {
            RunSettings settings;
            settings.integrator = one.type;
            settings.step = reference_step(one.type);
            settings.end = kGradientSteps * settings.step;
            settings.gravity = true;
            return settings;
        }
    throw Skipped("no example runs in steps of the discrete formulation");
}

bool is_sensitive(const Parameter& parameter) {
    const std::span<const Parameter> inside(parameter.children,
                                            static_cast<std::size_t>(parameter.num_children));
    return parameter.is_sensitive || std::ranges::any_of(inside, is_sensitive);
}

/// Positions and velocities of bodies and joints; of what has none of its own, as nets, the energy.
/// Momenta and energies that a free system keeps would say nothing.
std::vector<Objective> objectives(const Simulation& simulation) {
    constexpr std::size_t kMost = 8;
    constexpr std::string_view kOfAll[] = {
        "energy.", "momentum.", "angular_momentum.", "violation.", "integrator."};
    constexpr std::string_view kOfPlaces[] = {
        ".x", ".vx", ".z", ".vz", ".angle", ".angle_rate", ".displacement"};
    std::vector<Objective> out;
    for (const std::string& name : simulation.column_names()) {
        const bool is_of_all = std::ranges::any_of(kOfAll, [&](std::string_view head) {
            return name.starts_with(head);
        });
        if (out.size() < kMost && !is_of_all &&
            std::ranges::any_of(kOfPlaces, [&](std::string_view end) {
                return name.ends_with(end);
            }))
            out.push_back(Objective::parse(name));
    }
    if (out.empty()) out.push_back(Objective::parse("energy.kinetic"));
    return out;
}

/// As many as take little time, others with another seed.
std::vector<std::string> some_of(const std::vector<std::string>& all, std::uint64_t seed) {
    constexpr std::size_t kMost = 5;
    const std::size_t count = std::min(all.size(), kMost);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(all[(seed + i * all.size() / count) % all.size()]);
    return out;
}

/// Whether a remark says that the parameter is not what it is called, not that this run has events,
/// that its value is at the edge of its range, or that it is hardly felt.
bool is_fault(const Gradient::Entry& entry) {
    return entry.remark.starts_with("a corner");
}

void check_sensitive(Subject& subject) {
    const std::span<const Parameter> schema(subject.type.parameters,
                                            static_cast<std::size_t>(subject.type.num_parameters));
    if (!std::ranges::any_of(schema, is_sensitive))
        throw Skipped("the type calls no parameter sensitive");
    std::size_t count = 0, by_adjoint = 0;
    std::set<std::string> felt, unfelt;
    for_each_example(subject, [&](const Example& example) {
        const RunSettings settings = discrete_run(example);
        const CallInProgress call("a run under " + settings.integrator);
        const Simulation simulation = example.simulate(settings);
        const std::string text = expanded_text(example.placed_system(settings), subject.registry);
        const ModelSource model = [&](std::span<const std::string> overrides) {
            return Manifest::parse(text, "example", overrides);
        };
        const std::vector<Objective> of = objectives(simulation);
        std::vector<std::string> by;
        try {
            by =
                some_of(sensitive_parameters(model, example.key(), subject.registry), subject.seed);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::usage)
                throw Skipped("no example gives a number to a parameter that is called sensitive");
            throw;
        }
        std::vector<Objective> all = of;
        for (const std::string& name : simulation.column_names())
            all.push_back(Objective::parse(name));
        const Gradient runs = differentiate(model,
                                            all,
                                            by,
                                            subject.registry,
                                            {.workers = 1, .method = GradientMethod::differences});
        const Gradient adjoint = differentiate(model, of, by, subject.registry, {.workers = 1});
        for (std::size_t k = 0; k < runs.by.size(); ++k) {
            ++count;
            bool is_felt = false;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Gradient::Entry& slope = runs.entry(i, k);
                is_felt |= slope.value != 0.0 || !slope.remark.empty();
                if (i >= of.size()) continue;
                if (is_fault(slope))
                    throw Failure(
                        fmt::format("{} is called sensitive, but of the derivative of {} "
                                    "by it: {}",
                                    runs.by[k].key,
                                    of[i].text,
                                    slope.remark));
                const Gradient::Entry& other = adjoint.entry(i, k);
                if (!other.is_by_adjoint || !slope.remark.empty()) continue;
                if (i == 0) ++by_adjoint;
                const double allowed =
                    kAgree * std::max(std::abs(slope.value), std::abs(other.value)) +
                    kErrors * (slope.error + other.error);
                if (!(std::abs(slope.value - other.value) <= allowed))
                    throw Failure(fmt::format(
                        "d {} / d {} is {:.10g} by the adjoint and {:.10g} by differences of runs",
                        of[i].text,
                        runs.by[k].key,
                        other.value,
                        slope.value));
            }
            (is_felt ? felt : unfelt).insert(runs.by[k].key);
        }
    });
    subject.remark =
        fmt::format("{} number{}, {} by the adjoint too", count, count == 1 ? "" : "s", by_adjoint);
    // May be the example's: a slack rope, friction of what does not slide.
    for (const std::string& key : unfelt)
        if (!felt.contains(key)) subject.remark += fmt::format("; nothing changes with {}", key);
}

void check_symmetry(Subject& subject) {
    const Claims claims = subject.type.claims;
    if (!claims.has(Claim::rigid_motion_invariant) && !claims.has(Claim::frame_invariant))
        throw Skipped("the type claims no symmetry");
    for_each_example(subject, [&](const Example& example) {
        if (!example.is_free(example.make())) throw Skipped("every example is tied to the ground");
        RunSettings settings = discrete_run(example);
        settings.gravity = false;
        const CallInProgress call("a run under " + settings.integrator);
        Simulation simulation = example.simulate(settings), other = example.simulate(settings);
        const AdjointInvariance found = adjoint_invariance(simulation, other, subject.seed);
        if (!found.obstacle.empty()) throw Skipped(found.obstacle);
        if (!(found.translation <= kStays) || !(found.rotation <= kStays))
            throw Failure(
                fmt::format("derivatives by shifts and turns of the whole change on the "
                            "way back, by {:.2g} and {:.2g} of their terms",
                            found.translation,
                            found.rotation));
    });
}

constexpr Check kGradientChecks[] = {
    {"sensitive",
     kModels,
     "results change smoothly with sensitive parameters, by both ways of differentiating",
     check_sensitive},
    {"symmetry",
     kModels,
     "the adjoint of a free system keeps what its symmetry says, without differences",
     check_symmetry},
};

}  // namespace

std::span<const Check> gradient_checks() {
    return kGradientChecks;
}

}  // namespace ancora::verify
