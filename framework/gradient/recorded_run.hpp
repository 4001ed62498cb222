// SPDX-License-Identifier: BSD-3-Clause
// A run whose steps can be looked at again, from its end to its begin.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/simulation.hpp"
#include "kernel_access.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// What a step of the discrete formulation begins from.
struct StepState {
    double t = 0.0;
    Eigen::VectorXd q, q_low, v, v_low, pi, lag;
    std::vector<double> plugin;
    std::vector<int> dropped;   ///< rows that the selection leaves out
    std::vector<int> closed;    ///< unilateral rows that are conditions
    std::vector<double> modes;  ///< of parts of the system

    static StepState of(KernelSystem& system);
    /// Makes it that of a system, and nothing that follows from its past.
    void put(KernelSystem& system) const;
    /// Makes the mode of an event of a part that of what sticks.
    void let_stick(const KernelSystem& system, int event);
    /// Whether all bits agree, modes apart.
    bool is_same(const StepState& other) const;
};

/// Events of parts whose modes are others in two states of a system.
std::vector<int> changed_modes(const KernelSystem& system, const StepState& a, const StepState& b);

/// A step, or a piece of one, as it was accepted.
struct AcceptedStep {
    StepState before;
    double h = 0.0;
    Eigen::VectorXd a, s;
    /// Of a step whose velocities are projected at both ends: `before` has v0+.
    struct Projection {
        Eigen::VectorXd mu, v, v_low;  ///< and v0
        double start_factor = 1.0, end_factor = 1.0;
    };
    std::optional<Projection> projection{};

    /// `before` with v0.
    StepState start() const;
    /// Positions and velocities that it leads to without a projection, and before any event there.
    StepState end() const;
};

/// An event that ended a piece of a step, and what it has made of the state: an impact, or where
/// modes are others behind it, the end of one.
struct PassedEvent {
    long grid_step = 0;     ///< in which it came, counted from 1
    std::size_t steps = 0;  ///< that were accepted before it
    int row = -1;           ///< unilateral, that has met or parted; -1: several, or none
    bool is_impact = true;
    StepState before, behind;
};

/// A run whose steps are kept, or where they are too many, with checkpoints, about as many as there
/// are steps between two of them, so that memory grows with the root of the number of steps. What
/// is between two checkpoints is then computed again, to the same bits.
class RecordedRun {
public:
    /// @param simulation  at its begin; must outlive this
    /// @param most_bytes  of the steps that are kept
    explicit RecordedRun(Simulation& simulation, std::size_t most_bytes);

    /// To the end.
    void run(const std::function<void()>& after_step);
    /// Grid steps, and the times of their ends, the begin first.
    long num_steps() const { return static_cast<long>(times_.size()) - 1; }
    std::span<const double> times() const { return times_; }
    bool has_events() const { return has_events_; }
    /// After run().
    const AcceptedStep& first_step() const { return first_; }

    /// Grid steps (first, last] between two checkpoints.
    struct Segment {
        long first = 0, last = 0;
        std::vector<AcceptedStep> steps;
        std::vector<std::size_t> ends;  ///< of each grid step, the number of steps up to its end
        std::vector<PassedEvent> events;
        StepState begin, end;  ///< at the checkpoints; what comes next may begin otherwise
        /// The steps beside it, where they are known: that before it on the way back.
        std::optional<AcceptedStep> former, following;
    };
    /// Calls visit(segment) for all, the last first; once, as with visit_forwards().
    /// @param at_end  is called with the simulation's state where a grid step ends, in the order of
    ///        time, with its number; 0 is the begin
    /// @throws Error (numerical) where the steps are others than they were
    void visit_backwards(const std::function<void(long step)>& at_end,
                         const std::function<void(const Segment&)>& visit);

    /// The same with the first first.
    void visit_forwards(const std::function<void(long step)>& at_end,
                        const std::function<void(const Segment&)>& visit);

private:
    void keep(long step);
    void watch(std::vector<AcceptedStep>& steps, std::vector<PassedEvent>& events);
    void note_event(const std::vector<AcceptedStep>& steps,
                    const StepState& behind,
                    std::vector<PassedEvent>& events);
    void visit_segment(std::size_t k,
                       const std::function<void(long step)>& at_end,
                       const std::function<void(const Segment&)>& visit);
    void take_kept(Segment& segment, const std::function<void(long step)>& at_end);
    void recompute(Segment& segment,
                   const std::vector<std::byte>& from,
                   const std::function<void(long step)>& at_end);

    Simulation& simulation_;
    KernelSystem& system_;
    long spacing_;
    std::size_t most_bytes_;
    bool are_kept_ = true;
    AcceptedStep first_;
    std::vector<AcceptedStep> steps_;  // all, if they are kept
    std::vector<std::size_t> ends_;    // of each grid step
    std::vector<PassedEvent> events_;  // all, if steps are kept
    bool has_events_ = false;
    std::size_t records_seen_ = 0;  // of impacts, up to the step accepted last
    long grid_step_ = 0;            // of that
    long under_way_ = 0;            // grid step, counted from 1
    struct Checkpoint {
        long step;
        std::vector<std::byte> saved;
        StepState state;
        std::optional<AcceptedStep> last;  // where steps are not kept
    };
    std::vector<Checkpoint> checkpoints_;
    std::vector<double> times_;
};

}  // namespace ancora
