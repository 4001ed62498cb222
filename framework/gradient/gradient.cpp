// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of results by parameters, from neighbouring runs.
#include "ancora/framework/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "adjoint.hpp"
#include "ancora/framework/simulation.hpp"
#include "column_watch.hpp"
#include "model_parameter.hpp"
#include "model_runs.hpp"
#include "recorded_run.hpp"
#include "richardson.hpp"

namespace ancora {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Distances of neighbours relative to the parameter's scale: 4^-(3 + k), k = 0, 1, ...
constexpr int kFirstPower = 3;
constexpr int kMostLevels = 8;
// Relative error of a derivative at which no nearer neighbours are asked for, and beyond which it
// is reported as uncertain.
constexpr double kAccurate = 1e-10;
constexpr double kDoubtful = 1e-4;
// What rounding leaves of a result of a run, relative to the largest.
constexpr double kRounding = 1e-13;
// The slopes on both sides of a smooth function differ in proportion to the distance, by 1/4 from
// one level to the next; at a corner they go on to differ.
constexpr double kOfCorner = 0.6;
constexpr double kSlope = 1e-6;
constexpr double kOverNoise = 8.0;
// Changes of a result in SI units that are taken for rounding of zero, where nothing else tells.
constexpr double kNothing = 1e-12;

class ObjectiveWatch final : public RunWatch {
public:
    ObjectiveWatch(std::span<const Objective> of,
                   const Simulation& simulation,
                   std::vector<ColumnWatch::Place> pinned)
        : watch_(columns_of(of), simulation, std::move(pinned)) {}
    void after_step(const Simulation& simulation) override { watch_.after_step(simulation); }
    std::vector<double> finish(const Simulation& simulation) override {
        return watch_.finish(simulation);
    }
    const std::vector<ColumnWatch::Place>& places() const { return watch_.places(); }

private:
    static std::vector<ColumnWatch::Column> columns_of(std::span<const Objective> of) {
        std::vector<ColumnWatch::Column> columns;
        for (const Objective& one : of) columns.push_back({one.column, one.take, one.time});
        return columns;
    }
    ColumnWatch watch_;
};

/// Impacts are taken, if no step has gone over several of them, and changes of friction's modes.
bool has_events(const Simulation& simulation) {
    return !simulation.breaks().empty() || !simulation.singular_positions().empty() ||
           KernelAccess::of(simulation).impacts().counts().stepped_over > 0;
}

void require_within_run(std::span<const Objective> of, const Simulation& simulation) {
    for (const Objective& one : of)
        if (one.take == ColumnTake::at &&
            !(one.time >= simulation.begin_time() && one.time <= simulation.end_time()))
            throw Error(ErrorKind::usage,
                        fmt::format("{}: the run is from {} s to {} s",
                                    one.text,
                                    simulation.begin_time(),
                                    simulation.end_time()));
}

/// Of what impacts do to a number within a step its ends know nothing, and neither do the adjoint
/// and differences of sums of them, or of the end that is nearest to an extreme value.
/// @returns why a number has no derivative; empty: it may have one
std::string hidden_in_steps(const Objective& one,
                            const ColumnWatch::Place& place,
                            const Simulation& simulation) {
    const bool jumps = !is_of_places(unit_of({one.column, one.column}, simulation));
    if (simulation.is_adaptive() || !(is_extreme(one.take) || (is_sum(one.take) && jumps)))
        return {};
    const std::string name = one.column.substr(0, one.column.find_first_of(".@"));
    const bool is_of_body = std::ranges::any_of(KernelAccess::of(simulation).parts().model.bodies,
                                                [&](const BodyPart& body) {
                                                    return body.object.name == name;
                                                });
    for (const ImpactEvent& event : simulation.impacts()) {
        if (event.kind != ImpactEvent::Kind::impact && event.kind != ImpactEvent::Kind::closed)
            continue;
        // Of a column of a body its own alone count.
        if (is_of_body && std::ranges::find(event.bodies, name) == event.bodies.end()) continue;
        if (is_sum(one.take))
            return fmt::format(
                "{} jumps in an impact at t = {:.6g} s, and sums over the ends of steps do not "
                "know "
                "when",
                one.column,
                event.t);
        if (std::abs(event.t - place.time) <= simulation.step_size())
            return fmt::format("it lies at an impact, at t = {:.6g} s, where there is a corner",
                               event.t);
    }
    return {};
}

/// The derivatives of all objectives by one parameter, as neighbours come in.
class Derivatives {
public:
    Derivatives(const ModelParameter& parameter, double extent, const RunResult& here)
        : parameter_(parameter),
          scale_(parameter.scale(extent)),
          here_(here),
          central_(here.values.size(), Richardson(2)),
          forward_(here.values.size(), Richardson(1)),
          backward_(here.values.size(), Richardson(1)),
          largest_change_(here.values.size(), 0.0) {}

    bool is_done() const { return is_done_; }
    /// Neighbouring values, above and below.
    std::array<double, 2> next() const {
        const double distance = scale_ * std::ldexp(1.0, -2 * (kFirstPower + level_));
        const double p = parameter_.value();
        return {p + distance, p - distance};
    }

    void take(const RunResult& above, const RunResult& below) {
        const std::array<double, 2> at = next();
        const double p = parameter_.value();
        const bool has_above = is_alike(above), has_below = is_alike(below);
        for (std::size_t i = 0; i < here_.values.size(); ++i) {
            const double f = here_.values[i];
            // 1 / scale of the largest value: what rounding makes of a derivative
            const double noise =
                kRounding * std::max({std::abs(f), value(above, i), value(below, i)}) / (at[0] - p);
            for (const RunResult* run : {&above, &below})
                if (is_alike(*run))
                    largest_change_[i] = std::max(largest_change_[i], std::abs(run->values[i] - f));
            const auto add = [&](Richardson& to, bool is_there, double rise, double run) {
                if (is_there)
                    to.add(rise / run, noise);
                else
                    to.restart();
            };
            add(central_[i],
                has_above && has_below,
                has_above && has_below ? above.values[i] - below.values[i] : 0.0,
                at[0] - at[1]);
            add(forward_[i], has_above, has_above ? above.values[i] - f : 0.0, at[0] - p);
            add(backward_[i], has_below, has_below ? f - below.values[i] : 0.0, p - at[1]);
        }
        if (!has_above) failure_ = reason(above);
        if (!has_below) failure_ = reason(below);
        ++level_;
        is_done_ = level_ == kMostLevels || are_accurate();
    }

    Gradient::Entry entry(std::size_t i) const {
        if (central_[i].count() > 0) return of_both_sides(i);
        const Richardson& side =
            forward_[i].count() >= backward_[i].count() ? forward_[i] : backward_[i];
        if (side.count() < 2)
            return {kNone, kNone, failure_.empty() ? "no run with a neighbouring value" : failure_};
        return {side.value(), side.error(), "from one side: " + failure_};
    }

private:
    static double value(const RunResult& run, std::size_t i) {
        return i < run.values.size() ? std::abs(run.values[i]) : 0.0;
    }
    bool is_alike(const RunResult& run) const {
        return run.failure.empty() && run.events == here_.events;
    }
    std::string reason(const RunResult& run) const {
        if (!run.failure.empty())
            return fmt::format("no run with a neighbouring value: {}", run.failure);
        return "events come in another order with neighbouring values (contacts, impacts, breaks)";
    }
    bool are_accurate() const {
        for (const Richardson& one : central_) {
            // Three levels tell that errors fall as they should.
            if (one.count() < 3) return false;
            if (!(one.error() <= std::max(kAccurate * std::abs(one.value()), one.noise())) &&
                !one.has_begun_to_grow())
                return false;
        }
        return true;
    }
    Gradient::Entry of_both_sides(std::size_t i) const {
        Gradient::Entry out{central_[i].value(), central_[i].error(), ""};
        if (largest_change_[i] <= kNothing) return out;
        const auto& up = forward_[i].differences();
        const auto& down = backward_[i].differences();
        if (central_[i].count() >= 2 && up.size() >= 2 && down.size() >= 2) {
            const double jump = std::abs(up.back() - down.back());
            const double before = std::abs(up[up.size() - 2] - down[down.size() - 2]);
            const double size = std::abs(up.back()) + std::abs(down.back());
            if (jump > kOfCorner * before && jump > kSlope * size &&
                jump > kOverNoise * std::max(out.error, forward_[i].last_noise())) {
                out.error = 0.5 * jump;
                out.remark = fmt::format(
                    "a corner: slopes of {:.6g} above and {:.6g} below", up.back(), down.back());
                return out;
            }
        }
        if (!(out.error <= kDoubtful * std::abs(out.value)) && out.error > central_[i].noise())
            out.remark =
                "differences do not settle: a motion that is noisy or chaotic, or steps that the "
                "integrator chooses";
        return out;
    }

    const ModelParameter& parameter_;
    double scale_;
    const RunResult& here_;
    std::vector<Richardson> central_, forward_, backward_;
    std::vector<double> largest_change_;
    std::string failure_;
    int level_ = 0;
    bool is_done_ = false;
};

}  // namespace

std::optional<double> Gradient::relative(std::size_t objective, std::size_t parameter) const {
    const double J = of[objective].value, p = by[parameter].value;
    if (J == 0.0 || p == 0.0) return std::nullopt;
    const Entry& of_both = entry(objective, parameter);
    return std::abs(of_both.value) <= of_both.error ? 0.0 : p / J * of_both.value;
}

Gradient differentiate(const ModelSource& model,
                       std::span<const Objective> of,
                       std::span<const std::string> by,
                       PluginRegistry& registry,
                       const GradientOptions& options) {
    if (of.empty() || by.empty())
        throw Error(ErrorKind::usage,
                    "a gradient needs a number of the run and a parameter at least");
    ModelRuns runs(model, registry, options.workers);
    Simulation simulation = runs.make({});
    const std::vector<ModelParameter> parameters =
        find_parameters(model, with_sensitive(model, by, registry), registry);
    require_within_run(of, simulation);
    const double extent = simulation.extent();

    Gradient out;
    out.model = simulation.name();
    for (const ModelParameter& parameter : parameters)
        out.by.push_back({parameter.key(), parameter.unit(), parameter.value()});

    AdjointGradient adjoint;
    if (options.method == GradientMethod::differences)
        adjoint.obstacle = "differences were asked for";
    else
        adjoint.obstacle = obstacle_of_adjoint(simulation);
    if (adjoint.obstacle.empty() && options.method == GradientMethod::automatic &&
        differences_cost_less(simulation, of, parameters.size()))
        adjoint.obstacle = "runs cost less for energies and momenta over time by so few parameters";
    ObjectiveWatch watch(of, simulation, {});
    std::optional<RecordedRun> recorded;
    if (adjoint.obstacle.empty()) recorded.emplace(simulation, options.most_bytes);
    const RunResult here =
        recorded ? runs.run(*recorded, simulation, watch) : runs.run(simulation, watch);
    const std::vector<ColumnWatch::Place> places = watch.places();
    for (std::size_t i = 0; i < of.size(); ++i) {
        Gradient::Value& value = out.of.emplace_back();
        value.text = of[i].text;
        value.unit = unit_of(of[i], simulation);
        value.value = here.values[i];
        if (is_extreme(of[i].take)) value.at = places[i].time;
    }
    std::vector<std::string> hidden;
    for (std::size_t i = 0; i < of.size(); ++i)
        hidden.push_back(hidden_in_steps(of[i], places[i], simulation));
    if (recorded && has_events(simulation))
        adjoint.obstacle = "the run has events other than impacts and changes of friction";
    if (adjoint.obstacle.empty())
        adjoint =
            differentiate_backwards(model, runs, *recorded, simulation, of, places, parameters);
    recorded.reset();
    std::vector<char> is_wanted(parameters.size(), 0);  // by differences
    const auto why_not = [&](std::size_t i, std::size_t k) -> const std::string& {
        if (!adjoint.obstacle.empty()) return adjoint.obstacle;
        return adjoint.of[i].empty() ? adjoint.by[k] : adjoint.of[i];
    };
    for (std::size_t i = 0; i < of.size(); ++i)
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (adjoint.has(i, k)) continue;
            is_wanted[k] = 1;
            if (options.method == GradientMethod::adjoint)
                throw Error(ErrorKind::usage,
                            fmt::format("d {} / d {}: not by the adjoint: {}; leave the choice of "
                                        "the method to Ancora, or take differences",
                                        of[i].text,
                                        parameters[k].key(),
                                        why_not(i, k)));
            if (options.method == GradientMethod::automatic && out.why_differences.empty())
                out.why_differences = why_not(i, k);
        }

    if (adjoint.has_jump)
        out.why_differences +=
            ": steps do not end there, so that neither they nor their differences have the "
            "derivative of the motion; take an integrator that chooses its steps, or a condition "
            "that is smooth";

    std::vector<Derivatives> derivatives;
    for (const ModelParameter& parameter : parameters)
        derivatives.emplace_back(parameter, extent, here);
    const auto watch_neighbour = [&](const Simulation& neighbour) {
        return std::make_unique<ObjectiveWatch>(of, neighbour, places);
    };
    while (true) {
        std::vector<std::vector<std::string>> overrides;
        std::vector<std::size_t> whose;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (is_wanted[k] == 0 || derivatives[k].is_done()) continue;
            for (const double value : derivatives[k].next())
                overrides.push_back({parameters[k].override_with(value)});
            whose.push_back(k);
        }
        if (whose.empty()) break;
        const std::vector<RunResult> results = runs.run(overrides, watch_neighbour);
        for (std::size_t j = 0; j < whose.size(); ++j)
            derivatives[whose[j]].take(results[2 * j], results[2 * j + 1]);
    }
    for (std::size_t i = 0; i < of.size(); ++i)
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            out.entries.push_back(adjoint.has(i, k) ? adjoint.entries[i * parameters.size() + k]
                                                    : derivatives[k].entry(i));
            Gradient::Entry& entry = out.entries.back();
            const std::string& why = adjoint.has_jump ? adjoint.obstacle : hidden[i];
            if (why.empty()) continue;
            // A difference of zero is as wrong as any other.
            entry.error = std::numeric_limits<double>::infinity();
            entry.remark = why;
        }
    out.runs = runs.count;
    return out;
}

}  // namespace ancora
