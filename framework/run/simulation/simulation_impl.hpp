// SPDX-License-Identifier: BSD-3-Clause
// A model with its system, its steps and what is kept of a run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/simulation.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "observables.hpp"
#include "row_rank.hpp"
#include "saved_state.hpp"
#include "scene_sampler.hpp"
#include "start_projection.hpp"
#include "stepping.hpp"

namespace ancora {

struct Simulation::Impl {
    /// A model with the plugins it needs, held to the registry's lock if there is one.
    static std::unique_ptr<Impl> make(const Manifest& manifest,
                                      PluginRegistry& registry,
                                      WarningSink warn);

    /// Ends at the start of the run, found and projected as the manifest asks.
    Impl(const Manifest& manifest, PluginRegistry& registry, WarningSink sink);

    /// Looks for rest from the bodies' start, and says what it took.
    void start_at_rest(const Manifest& manifest);

    SceneSampler& sampler();
    void sample(const Samples& to);
    void step();
    bool step_to_event(bool may_pause);
    /// Either of them, with what comes before it.
    template <class Advance>
    auto advance(const Advance& by);

    /// A step of its own from the begin of the last one: it keeps what steps keep.
    void sample_by_step(double t, const Samples& to);

    /// Makes reactions those of the present state, or means over the step that ended there. Before
    /// the first step they are those of the first, which is made to see them and taken back.
    void update_reactions();

    Reactions::Means means_of_next_step();
    /// Loads or inputs have changed.
    void after_change() { system.hide_reactions(); }

    /// Goes on where a simulation with other parameters stands.
    void continue_from(const Impl& before);

    /// Before another state takes the place of the present one.
    void leave_state();

    void reset();
    void set_state(std::span<const double> q, std::span<const double> v, std::optional<double> t);

    /// At another time what objects keep besides positions and velocities is not that of now.
    void require_whole_state(double t) const;

    template <class Archive>
    void transfer(Archive& archive) {
        stepping.transfer(archive);
        observables.transfer(archive);
    }

    std::vector<std::byte> save();
    void restore(std::span<const std::byte> saved);

    IntegratorSettings settings;
    WarningSink warn;
    Model model;
    KernelSystem system;
    Observables observables;
    Stepping stepping;
    RowRank rank;
    SavedState saved_state;
    std::vector<std::string> ties;
    StartProjection projected;
    std::unique_ptr<SceneSampler> scene;  // made when first asked for
    std::vector<std::byte> start;         // what reset() goes back to
    bool is_locked = false;
    bool is_reported = false;   // q or v of the present state, which the program may set again
    bool was_restored = false;  // or changed, and no step since: nothing to interpolate in
};

}  // namespace ancora
