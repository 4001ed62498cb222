// SPDX-License-Identifier: BSD-3-Clause
// A model as ordinary differential equations with events, for integrators that are none of the
// kernel's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// x' = f(t, x) with event functions g(t, x), of a simulation that was made with
/// IntegratorSettings::is_outer. The state is
///
///   x = (q, v, states of objects, works and impulses of the energy balance)               (1)
///
/// the last of them on demand; f has the accelerations of the Udwadia-Kalaba equation. They keep
/// constraints up to the error of the integrator, which grows with time: complete_step() reports it
/// beyond a limit, and pass_events() removes it by projection in the norm of the mass matrix. What
/// the caller knows as x stays as it is in between.
///
/// As in the standard of FMUs for model exchange: modes are frozen between events; an event is
/// where an event function goes from above zero to zero or below, where complete_step() asks for
/// one, or at next_time_event().
class ANCORA_FRAMEWORK_EXPORT ContinuousModel {
public:
    /// @param simulation  must outlive this, and be stepped by nobody else
    /// @param has_works   whether the works and impulses are in x; without, columns with them and
    ///                    with balances say nothing
    /// @throws Error (usage) if it was made to step by itself
    ContinuousModel(Simulation& simulation, bool has_works);

    /// Of each entry of (1): "q.box.0", "v.box.0", "state.0", "work.0".
    std::vector<std::string> state_names() const;
    int num_states() const { return 2 * n_ + num_own_ + (has_works_ ? num_works_ : 0); }
    int num_events() const { return static_cast<int>(is_armed_.size()); }

    /// The accepted state. [step]
    void read_state(std::span<double> x) const;
    double time() const;
    /// [step] @throws Error (numerical) where accelerations are not unique
    void derivative(double t, std::span<const double> x, std::span<double> dx);
    /// Functions that begin at zero with a mode count as positive until they are. [step]
    void event_functions(double t, std::span<const double> x, std::span<double> g);

    /// Ends a step of the integrator at (t, x): the kernel goes there, unless an event is due.
    /// @param drift  largest distance to the constraints, of the model's size
    /// @returns whether pass_events() is to be called here. [step]
    bool complete_step(double t, std::span<const double> x, double drift);
    /// Goes to (t, x), passes the events that are due there, and projects; x becomes the state.
    /// @throws Error (numerical) where modes change without end
    void pass_events(double t, std::span<double> x);
    /// Inputs, or what a program applies, have changed.
    void refresh() { begin_motion(); }
    /// Time of the next sample or break point of what is given over time; infinity if there is
    /// none.
    double next_time_event() const;

    /// Columns at (t, x), as Simulation::values() has them of the accepted state: of the projected
    /// one after complete_step() or pass_events() with this x, else as x is. [step]
    void values(double t,
                std::span<const double> x,
                std::span<const int> columns,
                std::span<double> to);

    /// What is neither in x nor in Simulation::save(), for states that are kept.
    std::vector<double> memory() const;
    /// @throws Error (usage) if it is of another model
    void set_memory(std::span<const double> memory);

private:
    KernelSystem& system() const;
    std::span<const double> whole(std::span<const double> x);
    double at_or_behind(double t) const;
    double least_step() const;
    bool is_at(double t, std::span<const double> x) const;
    void accept(double t, std::span<const double> x);
    void begin_motion();
    int first_due(std::span<const double> g) const;
    int next_due();
    void arm();

    Simulation* simulation_;
    bool has_works_;
    int n_ = 0, num_own_ = 0, num_works_ = 0;
    std::vector<char> is_armed_;  // functions that have been positive in their modes
    std::vector<double> works_;   // up to the accepted state
    std::vector<double> taken_;   // what was accepted, before its projection
    std::vector<double> x_, dx_, trial_, g_;
};

}  // namespace ancora
