// SPDX-License-Identifier: BSD-3-Clause
// Start, steps, changes and saved states of a run.
#include "simulation_impl.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "ancora/framework/lock.hpp"
#include "doubts.hpp"
#include "manifest_plugins.hpp"
#include "rest_search.hpp"

namespace ancora {
namespace {

/// What plugins say of their objects.
void warn_of_objects(const Model& model, const WarningSink& warn) {
    for (const auto& [text, place] : model.warnings)
        warn(place.known() && place.line > 0
                 ? fmt::format("{}:{}:{}: {}", *place.file, place.line, place.column, text)
                 : text);
}

/// What a change of parameters leaves as it is.
void require_same(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    const auto [there, here] = std::ranges::mismatch(before, now);
    if (there == before.end() && here == now.end()) return;
    throw Error(ErrorKind::usage,
                fmt::format("the changed model has {} where the one that runs has {}; objects, "
                            "their sizes, what they act on and read, columns, the integrator and "
                            "its step stay as they are through a run: make a new simulation "
                            "instead",
                            here != now.end() ? *here : "nothing more",
                            there != before.end() ? *there : "nothing more"));
}

}  // namespace

std::unique_ptr<Simulation::Impl> Simulation::Impl::make(const Manifest& manifest,
                                                         PluginRegistry& registry,
                                                         WarningSink warn) {
    manifest.validate();
    std::optional<Manifest> storage;
    auto made = std::make_unique<Impl>(with_texts(manifest, storage), registry, std::move(warn));
    if (const Lock* const lock = registry.lock()) {
        lock->check(made->model.used_plugins);
        made->is_locked = true;
    }
    return made;
}

Simulation::Impl::Impl(const Manifest& manifest, PluginRegistry& registry, WarningSink sink)
    : settings(manifest.integrator),
      warn(std::move(sink)),
      model(manifest, registry),
      system(model),
      observables(model, system, manifest.output),
      stepping(model, system, settings),
      rank(model, system, observables, warn, settings.step),
      saved_state(identity_of(model, system, manifest)),
      ties(ties_of(manifest)) {
    if (warn) warn_of_objects(model, warn);
    if (model.project_start != ProjectStart::no) projected = judge_projection(model, system, warn);
    rank.decide();
    if (manifest.model.start != ModelStart::given) start_at_rest(manifest);
    if (model.traits.face == Face::continuous)
        system.instant().check_accelerations();
    else if (model.num_coordinates <= RowRank::kMostBySolver)
        system.instant().check_consistency();
    system.instant().forget_solver();
    const StepSettings step_settings{settings.step, settings.tolerance.value_or(0.0)};
    if (!settings.is_outer)
        model.integrator.prepare(system, step_settings, [this](int count) {
            system.resize_history(count);
        });
    start = ArchiveWriter::written_by([this](ArchiveWriter& writer) {
        transfer(writer);
    });
}

void Simulation::Impl::start_at_rest(const Manifest& manifest) {
    const bool spins = manifest.model.start == ModelStart::steady_spin;
    const char* const key = spins ? "start = \"steady_spin\"" : "start = \"equilibrium\"";
    try {
        EquilibriumOptions options;
        options.spinning = spins;
        const Equilibrium rest = find_rest(system, options);
        if (warn && !spins && rest.stability == Stability::unstable)
            warn(
                fmt::format("{}: the position that was found is unstable; what moves away "
                            "first is {}",
                            key,
                            rest.unstable_part));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        throw Error(ErrorKind::numerical,
                    fmt::format("{}: {}", key, error.message()),
                    manifest.model.start_place);
    }
    rank.decide();
}

SceneSampler& Simulation::Impl::sampler() {
    if (!scene) scene = std::make_unique<SceneSampler>(model);
    return *scene;
}

void Simulation::Impl::sample(const Samples& to) {
    const auto require = [](const char* what, std::size_t got, std::size_t wanted) {
        if (got != 0 && got != wanted)
            throw Error(
                ErrorKind::usage,
                fmt::format("sample: the {} has {} entries, it takes {}", what, got, wanted));
    };
    const std::span<const double> q = system.q();
    const std::span<const double> v = system.v();
    require("row", to.row.size(), observables.names().size());
    require("state", to.state.size(), 1 + q.size() + v.size());
    if (model.traits.face == Face::continuous) {
        update_reactions();
    } else if (to.of_first_step) {
        // A row has other values too, and a step that fails says why when it is taken.
        try {
            update_reactions();
        } catch (const Error&) {
        }
    }
    if (!to.row.empty()) observables.sample(to.row);
    if (!to.frame.empty()) {
        require("frame", to.frame.size(), static_cast<std::size_t>(sampler().scene().num_values));
        sampler().sample(system, to.frame);
    }
    if (to.state.empty()) return;
    to.state[0] = system.time();
    std::ranges::copy(v, std::ranges::copy(q, to.state.begin() + 1).out);
}

template <class Advance>
auto Simulation::Impl::advance(const Advance& by) {
    if (stepping.done()) throw Error(ErrorKind::usage, "the simulation has reached its end");
    was_restored = false;
    leave_state();
    try {
        return by();
    } catch (const FailedCall&) {
        // A value that is not finite may have been long in coming
        const std::string grown = warn ? system.grown_energy(true) : std::string{};
        if (!grown.empty()) warn(grown);
        throw;
    }
}

void Simulation::Impl::step() {
    advance([this] {
        stepping.step();
    });
    if (stepping.done()) warn_at_end(model, system, warn);
}

bool Simulation::Impl::step_to_event(bool may_pause) {
    const bool has_event = advance([&] {
        return stepping.step_to_event(may_pause);
    });
    if (stepping.done()) warn_at_end(model, system, warn);
    return has_event;
}

void Simulation::Impl::sample_by_step(double t, const Samples& to) {
    const std::vector<std::byte> end = system.save();
    const std::vector<std::byte> begin = system.saved();
    const auto go_back = [&] {
        system.restore(end);
        system.set_saved(begin);
    };
    try {
        if (begin.empty()) throw Error(ErrorKind::usage, "sample_at: there is no step");
        system.restore(begin);
        stepping.reach(t);
        sample(to);
    } catch (...) {
        go_back();
        throw;
    }
    go_back();
}

void Simulation::Impl::update_reactions() {
    if (model.traits.face == Face::continuous) {
        system.instant().update_reactions();
    } else if (!system.reactions().has_mean() &&
               (system.reactions().start().back() > 0 || !model.forces.empty())) {
        system.show_reactions(means_of_next_step());
    }
}

Reactions::Means Simulation::Impl::means_of_next_step() {
    const std::vector<std::byte> now = ArchiveWriter::written_by([this](ArchiveWriter& writer) {
        transfer(writer);
    });
    const std::vector<std::byte> begin = system.saved();
    const auto go_back = [&] {
        ArchiveReader reader(now);
        transfer(reader);
        system.set_saved(begin);
    };
    try {
        // At the end of a run, to which a program has set another state, there is no next one
        if (stepping.done())
            system.instant().update_reactions();
        else
            stepping.step();
    } catch (...) {
        go_back();
        throw;
    }
    Reactions::Means means = system.reactions().means();
    go_back();
    return means;
}

void Simulation::Impl::continue_from(const Impl& before) {
    require_same(layout_of(before.model, before.system, before.settings.step),
                 layout_of(model, system, settings.step));
    require_same(before.ties, ties);
    require_same(before.observables.names(), observables.names());
    system.use_threads(before.system.parts().workers.size());
    try {
        stepping.continue_from(before.stepping);
        rank.decide();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        throw Error(
            ErrorKind::numerical,
            "the present state does not fit the parameters as they would be: " + error.message(),
            error.place());
    }
    observables.continue_from(before.observables);
    was_restored = true;
}

void Simulation::Impl::leave_state() {
    if (std::exchange(is_reported, false)) system.note_reported();
}

void Simulation::Impl::reset() {
    leave_state();
    ArchiveReader reader(start);
    transfer(reader);
    was_restored = true;
}

void Simulation::Impl::set_state(std::span<const double> q,
                                 std::span<const double> v,
                                 std::optional<double> t) {
    const auto n = static_cast<std::size_t>(system.num_coordinates());
    if (q.size() != n || v.size() != n)
        throw Error(
            ErrorKind::usage,
            fmt::format("set_state: q has {} and v {} entries, the model has {} coordinates",
                        q.size(),
                        v.size(),
                        n));
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isfinite(q[i]) || !std::isfinite(v[i]))
            throw Error(
                ErrorKind::usage,
                fmt::format(
                    "set_state: entry {} of {} is not finite", i, std::isfinite(q[i]) ? "v" : "q"));
    double at = t.value_or(system.time());
    const long steps = t ? stepping.steps_to(at) : stepping.steps_done();
    if (at != system.time()) require_whole_state(at);
    system.take_state(q, v, at, settings.step);
    stepping.stand_after(steps);
    rank.decide();
    observables.restart();
}

void Simulation::Impl::require_whole_state(double t) const {
    std::vector<std::string> names = system.parts().signals.names_with_states();
    const bool may_break = system.breaking().may_break();
    if (names.empty() && !may_break) return;
    const std::string what = names.empty() ? "which of its elements have broken"
                                           : fmt::format("what {} keep{} besides, or when {} act{}",
                                                         fmt::join(names, ", "),
                                                         names.size() == 1 ? "s" : "",
                                                         names.size() == 1 ? "it" : "they",
                                                         names.size() == 1 ? "s" : "");
    throw Error(ErrorKind::usage,
                fmt::format("set_state: at t = {:.9g} s, which is not the present time, "
                            "positions and velocities do not tell {}; save() of the simulation "
                            "that was there has it all, for restore()",
                            t,
                            what));
}

std::vector<std::byte> Simulation::Impl::save() {
    return saved_state.save([this](ArchiveWriter& writer) {
        transfer(writer);
    });
}

void Simulation::Impl::restore(std::span<const std::byte> saved) {
    leave_state();
    saved_state.restore(
        saved,
        [this](ArchiveWriter& writer) {
            transfer(writer);
        },
        [this](ArchiveReader& reader) {
            transfer(reader);
        });
    was_restored = true;
}

}  // namespace ancora
