// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints, and steps between them.
#include "recorded_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ancora {
namespace {

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return std::ranges::equal(view(a), view(b));
}

}  // namespace

StepState StepState::of(KernelSystem& system) {
    const MotionState& state = system.state();
    return {state.t,
            state.q,
            state.q_low,
            state.v,
            state.v_low,
            state.pi,
            state.lag,
            state.plugin,
            system.parts().rows.dropped()};
}

void StepState::put(KernelSystem& system) const {
    const SystemData data = system.step_data();
    MotionState& state = data.state;
    state.t = t;
    state.q = q;
    state.q_low = q_low;
    state.v = v;
    state.v_low = v_low;
    state.pi = pi;
    state.lag = lag;
    state.plugin = plugin;
    if (data.parts.rows.dropped() != dropped) data.parts.rows.drop_rows(dropped);
}

bool StepState::is_same(const StepState& other) const {
    return t == other.t && same_bits(q, other.q) && same_bits(q_low, other.q_low) &&
           same_bits(v, other.v) && same_bits(v_low, other.v_low) && same_bits(pi, other.pi) &&
           same_bits(lag, other.lag) && plugin == other.plugin && dropped == other.dropped;
}

RecordedRun::RecordedRun(Simulation& simulation)
    : simulation_(simulation),
      system_(KernelAccess::of(simulation)),
      spacing_(std::max(
          1L,
          static_cast<long>(std::ceil(std::sqrt(static_cast<double>(simulation.num_steps())))))) {
    times_.push_back(simulation.time());
    keep(0);
}

void RecordedRun::keep(long step) {
    checkpoints_.push_back({step, simulation_.save(), StepState::of(system_)});
}

void RecordedRun::run(const std::function<void()>& after_step) {
    while (!simulation_.done()) {
        simulation_.step();
        times_.push_back(simulation_.time());
        after_step();
        if (num_steps() % spacing_ == 0 && !simulation_.done()) keep(num_steps());
    }
    checkpoints_.push_back({num_steps(), {}, StepState::of(system_)});
}

void RecordedRun::visit_backwards(const std::function<void(long step)>& at_end,
                                  const std::function<void(const Segment&)>& visit) {
    Segment segment;
    for (std::size_t k = checkpoints_.size() - 1; k-- > 0;) {
        const Checkpoint& begin = checkpoints_[k];
        const Checkpoint& end = checkpoints_[k + 1];
        segment.first = begin.step;
        segment.last = end.step;
        segment.steps.clear();
        segment.ends.clear();
        simulation_.restore(begin.saved);
        if (begin.step == 0) at_end(0);
        system_.watch_steps([&](const StepTrial& trial) {
            const auto copy = [](std::span<const double> x) {
                return Eigen::Map<const Eigen::VectorXd>(x.data(),
                                                         static_cast<Eigen::Index>(x.size()));
            };
            segment.steps.push_back(
                {StepState::of(system_), trial.h, copy(trial.a), copy(trial.s)});
            segment.steps.back().before.t = trial.t0;
        });
        try {
            for (long step = begin.step + 1; step <= end.step; ++step) {
                simulation_.step();
                segment.ends.push_back(segment.steps.size());
                at_end(step);
            }
        } catch (...) {
            system_.watch_steps({});
            throw;
        }
        system_.watch_steps({});
        segment.end = StepState::of(system_);
        if (!segment.end.is_same(end.state))
            throw Error(ErrorKind::numerical,
                        fmt::format("steps up to t = {:.9g} s, computed again from a saved state, "
                                    "have other bits than they had",
                                    end.state.t));
        visit(segment);
    }
}

}  // namespace ancora
