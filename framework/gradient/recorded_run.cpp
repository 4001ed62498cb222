// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints, and steps between them.
#include "recorded_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace ancora {
namespace {

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return std::ranges::equal(view(a), view(b));
}

std::size_t size_of(const AcceptedStep& step) {
    const StepState& at = step.before;
    Eigen::Index count = step.a.size() + step.s.size();
    for (const auto* x : {&at.q, &at.q_low, &at.v, &at.v_low, &at.pi, &at.lag}) count += x->size();
    if (step.projection) count += step.projection->mu.size() + 2 * at.v.size();
    return sizeof step + sizeof(double) * (static_cast<std::size_t>(count) + at.plugin.size()) +
           sizeof(int) * at.dropped.size();
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

StepState AcceptedStep::start() const {
    StepState out = before;
    if (!projection) return out;
    out.v = projection->v;
    out.v_low = projection->v_low;
    return out;
}

RecordedRun::RecordedRun(Simulation& simulation, std::size_t most_bytes)
    : simulation_(simulation),
      system_(KernelAccess::of(simulation)),
      spacing_(std::max(
          1L,
          static_cast<long>(std::ceil(std::sqrt(static_cast<double>(simulation.num_steps())))))),
      most_bytes_(most_bytes) {
    times_.push_back(simulation.time());
    keep(0);
}

void RecordedRun::keep(long step) {
    checkpoints_.push_back({step, simulation_.save(), StepState::of(system_)});
}

/// Until watch_steps({}).
void RecordedRun::watch(std::vector<AcceptedStep>& steps) {
    system_.watch_steps([this, &steps](const StepTrial& trial) {
        const auto copy = [](std::span<const double> x) {
            return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
        };
        steps.push_back({StepState::of(system_), trial.h, copy(trial.a), copy(trial.s)});
        steps.back().before.t = trial.t0;
        if (const VelocityProjection* const its = system_.projection_under_way())
            steps.back().projection = {its->multipliers(),
                                       its->velocity_before(),
                                       its->velocity_before_low(),
                                       its->start_factor(),
                                       its->end_factor()};
    });
}

void RecordedRun::run(const std::function<void()>& after_step) {
    std::size_t bytes = 0;
    watch(steps_);
    try {
        while (!simulation_.done()) {
            simulation_.step();
            times_.push_back(simulation_.time());
            after_step();
            if (num_steps() == 1) first_ = steps_.front();
            if (are_kept_) {
                for (std::size_t i = ends_.empty() ? 0 : ends_.back(); i < steps_.size(); ++i)
                    bytes += size_of(steps_[i]);
                ends_.push_back(steps_.size());
                if (bytes > most_bytes_) {
                    are_kept_ = false;
                    system_.watch_steps({});
                    steps_ = {};
                }
            }
            if (num_steps() % spacing_ == 0 && !simulation_.done()) keep(num_steps());
        }
    } catch (...) {
        system_.watch_steps({});
        throw;
    }
    system_.watch_steps({});
    checkpoints_.push_back({num_steps(), {}, StepState::of(system_)});
}

void RecordedRun::visit_backwards(const std::function<void(long step)>& at_end,
                                  const std::function<void(const Segment&)>& visit) {
    if (are_kept_) return visit_kept(at_end, visit);
    Segment segment;
    for (std::size_t k = checkpoints_.size() - 1; k-- > 0;) {
        const Checkpoint& end = checkpoints_[k + 1];
        segment.first = checkpoints_[k].step;
        segment.last = end.step;
        recompute(segment, checkpoints_[k].saved, at_end);
        if (!segment.end.is_same(end.state))
            throw Error(ErrorKind::numerical,
                        fmt::format("steps up to t = {:.9g} s, computed again from a saved state, "
                                    "have other bits than they had",
                                    end.state.t));
        visit(segment);
    }
}

void RecordedRun::recompute(Segment& segment,
                            const std::vector<std::byte>& from,
                            const std::function<void(long step)>& at_end) {
    segment.steps.clear();
    segment.ends.clear();
    simulation_.restore(from);
    if (segment.first == 0) at_end(0);
    watch(segment.steps);
    try {
        for (long step = segment.first + 1; step <= segment.last; ++step) {
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
}

void RecordedRun::visit_kept(const std::function<void(long step)>& at_end,
                             const std::function<void(const Segment&)>& visit) {
    Segment segment;
    StepState last = checkpoints_.back().state;
    for (std::size_t k = checkpoints_.size() - 1; k-- > 0;) {
        segment.first = checkpoints_[k].step;
        segment.last = checkpoints_[k + 1].step;
        const auto ends =
            std::span(ends_).subspan(static_cast<std::size_t>(segment.first),
                                     static_cast<std::size_t>(segment.last - segment.first));
        const std::size_t begin =
            segment.first > 0 ? ends_[static_cast<std::size_t>(segment.first - 1)] : 0;
        segment.ends.clear();
        for (const std::size_t of : ends) segment.ends.push_back(of - begin);
        segment.steps.assign(
            std::make_move_iterator(steps_.begin() + static_cast<std::ptrdiff_t>(begin)),
            std::make_move_iterator(steps_.end()));
        steps_.resize(begin);
        segment.end = std::exchange(last, segment.steps.front().start());
        const auto show = [&](long step, const StepState& state) {
            state.put(system_);
            system_.follow_joints();
            at_end(step);
        };
        if (segment.first == 0) show(0, segment.steps.front().start());
        for (std::size_t i = 0; i < segment.ends.size(); ++i) {
            const std::size_t end = segment.ends[i];
            show(segment.first + static_cast<long>(i) + 1,
                 end < segment.steps.size() ? segment.steps[end].start() : segment.end);
        }
        visit(segment);
    }
}

}  // namespace ancora
