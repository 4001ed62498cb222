// SPDX-License-Identifier: BSD-3-Clause
// The course of a run in time: on a grid, or by the integrator's choice.
#pragma once

#include "ancora/framework/manifest.hpp"
#include "break_schedule.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Takes a model from step to step to the end of its run: at equal times where the integrator
/// keeps to a grid, else where it wants; always exactly to the end, to the times at which signals
/// act, and to those at which something that is given over time is not smooth. What it is made with
/// must outlive it.
class Stepping {
public:
    Stepping(Model& model, KernelSystem& system, const IntegratorSettings& settings);

    /// Before done(): one step, which accepts pieces of it as it goes.
    void step();
    bool done() const;
    /// On a grid: a step up to the first event in it if it may pause, else to its end. What
    /// objects do at the time reached is still due, see pass_due(); what was due is passed first.
    /// @returns whether it has paused, or passed an event at the end of the step
    bool step_to_event(bool may_pause);
    /// Samples and break points that are due at the present time.
    void pass_due();
    /// Whether there are some, at a time t that is the present one but for rounding.
    bool is_due(double t);
    /// Whether an object whose next action is at `next` acts at t.
    bool is_at(double next, double t) const { return next <= t + time_rounding(); }
    /// Goes to t from where an integrator that chooses its steps began its last one, which counts
    /// as no step of the run.
    void reach(double t);

    /// For steps that somebody else takes in continuous time: the time of the next sample or break
    /// point, up to which they may go, and what happens at such times up to t.
    double next_event();
    void pass_events_at(double t);
    void set_projection(bool is_on) { model_.traits.projects = is_on; }

    /// Goes on where the run of the same steps, with another end maybe, has come to.
    /// @throws Error (usage) if it was beyond the end already
    void continue_from(const Stepping& before);

    /// How many steps of the grid lead to t, which becomes the grid's; with steps that an
    /// integrator chooses as many as are done.
    /// @throws Error (usage) if t is outside the run, or no step ends there
    long steps_to(double& t) const;
    /// As many are done.
    void stand_after(long steps) { steps_done_ = steps; }

    long num_steps() const { return num_steps_; }
    long steps_done() const { return steps_done_; }
    /// Spent in the integrator's steps.
    double seconds() const { return seconds_; }

    /// Writes or reads how far the run is and, in between, the system's state, see
    /// state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    void step_freely();
    /// Where a step on the grid ends: beyond what happens at its end, before that, or at the first
    /// event in it.
    enum class Until { behind_end, end, event };
    bool step_on_grid(Until until);
    enum class Cut { none, cut, paused };
    /// Pieces of a grid step up to each time inside it at which signals act, or which is a break
    /// point.
    Cut integrate_to_actions(double end_time, double rounding, bool may_pause);
    void begin_behind_break(double rounding);
    bool asks_instants() const { return model_.traits.face == Face::continuous; }
    /// One call of the integrator, guarded and metered.
    void integrate(double t0, double h);
    /// A run that ended here had the end for its time, which may differ from that of the grid by
    /// rounding; one that goes on has the grid's.
    void take_grid_time();
    /// Whether the state stands where so many steps lead, or on the way to the next.
    bool fits_grid() const;
    double grid_length(long steps) const;
    double grid_time(long steps) const;
    /// Times nearer to each other than this are the same here and now, or at the end [s].
    double time_rounding() const;
    double end_rounding() const;

    Model& model_;
    KernelSystem& system_;
    const IntegratorSettings& settings_;
    BreakSchedule breaks_;
    long num_steps_;
    long steps_done_ = 0;
    double seconds_ = 0.0;
};

}  // namespace ancora
