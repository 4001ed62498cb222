// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints, and steps between them.
#include "recorded_run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "compensated_sum.hpp"

namespace ancora {
namespace {

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return std::ranges::equal(view(a), view(b));
}

std::size_t size_of(const StepState& at) {
    Eigen::Index count = 0;
    for (const auto* x : {&at.q, &at.q_low, &at.v, &at.v_low, &at.pi, &at.lag}) count += x->size();
    return sizeof at +
           sizeof(double) * (static_cast<std::size_t>(count) + at.plugin.size() + at.modes.size()) +
           sizeof(int) * (at.dropped.size() + at.closed.size());
}

std::size_t size_of(const AcceptedStep& step) {
    Eigen::Index count = step.a.size() + step.s.size();
    if (step.projection) count += step.projection->mu.size() + 2 * step.before.v.size();
    return sizeof step - sizeof step.before + sizeof(double) * static_cast<std::size_t>(count) +
           size_of(step.before);
}

/// Numbers that states have for each event of the part that has modes.
std::size_t size_of_mode(const KernelSystem& system, const StepState& at) {
    std::size_t count = 1;
    system.step_parts().for_each([&count](const StepPart& part) {
        if (part.num_rows() > 0) count = static_cast<std::size_t>(part.num_events());
    });
    return std::max<std::size_t>(at.modes.size() / count, 1);
}

std::vector<int> closed_rows(const RowSet& rows) {
    std::vector<int> out;
    for (const int k : rows.unilateral())
        if (rows.laws[k].kind == RowKind::constraint) out.push_back(k);
    return out;
}

}  // namespace

StepState StepState::of(KernelSystem& system) {
    const MotionState& state = system.state();
    std::vector<double> modes;
    system.step_parts().for_each([&modes](const StepPart& part) {
        part.read_modes(modes);
    });
    return {state.t,
            state.q,
            state.q_low,
            state.v,
            state.v_low,
            state.pi,
            state.lag,
            state.plugin,
            system.parts().rows.dropped(),
            closed_rows(system.parts().rows),
            std::move(modes)};
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
    if (closed_rows(data.parts.rows) != closed) {
        data.parts.rows.close(closed);
        system.step_rows().tangent.forget_start();
        system.step_rows().matrix.forget();
    }
    if (data.parts.rows.dropped() != dropped) data.parts.rows.drop_rows(dropped);
    std::span<const double> rest = modes;
    system.step_parts().for_each([&rest](StepPart& part) {
        part.write_modes(rest);
    });
}

bool StepState::is_same(const StepState& other) const {
    return t == other.t && same_bits(q, other.q) && same_bits(q_low, other.q_low) &&
           same_bits(v, other.v) && same_bits(v_low, other.v_low) && same_bits(pi, other.pi) &&
           same_bits(lag, other.lag) && plugin == other.plugin && dropped == other.dropped &&
           closed == other.closed;
}

void StepState::let_stick(const KernelSystem& system, int event) {
    modes[static_cast<std::size_t>(event) * size_of_mode(system, *this)] = 0.0;
}

std::vector<int> changed_modes(const KernelSystem& system, const StepState& a, const StepState& b) {
    std::vector<int> out;
    const std::size_t each = size_of_mode(system, a);
    for (std::size_t at = 0; at < a.modes.size(); at += each)
        if (a.modes[at] != b.modes[at]) out.push_back(static_cast<int>(at / each));
    return out;
}

StepState AcceptedStep::start() const {
    StepState out = before;
    if (!projection) return out;
    out.v = projection->v;
    out.v_low = projection->v_low;
    return out;
}

StepState AcceptedStep::end() const {
    StepState out = start();
    out.t = before.t + h;
    for (Eigen::Index i = 0; i < out.q.size(); ++i) {
        out.q[i] = before.q[i];
        out.v[i] = before.v[i];
        out.q_low[i] = before.q_low[i];
        out.v_low[i] = before.v_low[i];
        add_compensated(out.q[i], out.q_low[i], h * before.v[i] + 0.5 * h * h * a[i]);
        add_compensated(out.v[i], out.v_low[i], h * a[i]);
    }
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
    checkpoints_.push_back({step, simulation_.save(), StepState::of(system_), {}});
}

/// Until watch_steps({}).
void RecordedRun::watch(std::vector<AcceptedStep>& steps, std::vector<PassedEvent>& events) {
    records_seen_ = system_.impacts().all().size();
    system_.watch_steps([this, &steps, &events](const StepTrial& trial) {
        const auto copy = [](std::span<const double> x) {
            return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
        };
        AcceptedStep step{StepState::of(system_), trial.h, copy(trial.a), copy(trial.s)};
        step.before.t = trial.t0;
        if (const VelocityProjection* const its = system_.projection_under_way())
            step.projection = {its->multipliers(),
                               its->velocity_before(),
                               its->velocity_before_low(),
                               its->start_factor(),
                               its->end_factor()};
        if (!steps.empty()) note_event(steps, step.before, events);
        steps.push_back(std::move(step));
        grid_step_ = under_way_;
    });
}

/// What has come between the last step and one that begins with a state.
void RecordedRun::note_event(const std::vector<AcceptedStep>& steps,
                             const StepState& behind,
                             std::vector<PassedEvent>& events) {
    const std::vector<ImpactRecords::Event>& records = system_.impacts().all();
    const bool is_impact = records.size() > records_seen_;
    if (!is_impact && changed_modes(system_, steps.back().before, behind).empty()) return;
    PassedEvent event{grid_step_, steps.size(), -1, is_impact, steps.back().end(), behind};
    for (std::size_t i = records_seen_; i < records.size(); ++i) {
        const int row = records[i].row;
        event.row = i == records_seen_ || event.row == row ? row : -1;
    }
    records_seen_ = records.size();
    has_events_ = true;
    events.push_back(std::move(event));
}

void RecordedRun::run(const std::function<void()>& after_step) {
    std::size_t bytes = 0, num_events = 0;
    watch(steps_, events_);
    try {
        while (!simulation_.done()) {
            under_way_ = num_steps() + 1;
            std::vector<AcceptedStep> last;
            std::vector<PassedEvent> unused;
            const bool is_watched = !are_kept_ && under_way_ % spacing_ == 0;
            if (is_watched) watch(last, unused);
            simulation_.step();
            if (is_watched) system_.watch_steps({});
            times_.push_back(simulation_.time());
            after_step();
            if (num_steps() == 1) first_ = steps_.front();
            if (are_kept_) {
                for (std::size_t i = ends_.empty() ? 0 : ends_.back(); i < steps_.size(); ++i)
                    bytes += size_of(steps_[i]);
                for (; num_events < events_.size(); ++num_events)
                    bytes += 2 * size_of(events_[num_events].before);
                ends_.push_back(steps_.size());
                if (bytes > most_bytes_) {
                    are_kept_ = false;
                    system_.watch_steps({});
                    for (Checkpoint& at : checkpoints_)
                        if (at.step > 0)
                            at.last = steps_[ends_[static_cast<std::size_t>(at.step) - 1] - 1];
                    steps_ = {};
                    events_ = {};
                }
            }
            if (num_steps() % spacing_ != 0 || simulation_.done()) continue;
            keep(num_steps());
            if (!last.empty()) checkpoints_.back().last = std::move(last.back());
        }
    } catch (...) {
        system_.watch_steps({});
        throw;
    }
    system_.watch_steps({});
    checkpoints_.push_back({num_steps(), {}, StepState::of(system_), {}});
}

void RecordedRun::visit_backwards(const std::function<void(long step)>& at_end,
                                  const std::function<void(const Segment&)>& visit) {
    for (std::size_t k = checkpoints_.size() - 1; k-- > 0;) visit_segment(k, at_end, visit);
}

void RecordedRun::visit_forwards(const std::function<void(long step)>& at_end,
                                 const std::function<void(const Segment&)>& visit) {
    for (std::size_t k = 0; k + 1 < checkpoints_.size(); ++k) visit_segment(k, at_end, visit);
}

/// From checkpoint k to the next.
void RecordedRun::visit_segment(std::size_t k,
                                const std::function<void(long step)>& at_end,
                                const std::function<void(const Segment&)>& visit) {
    Segment segment;
    segment.first = checkpoints_[k].step;
    segment.last = checkpoints_[k + 1].step;
    segment.begin = checkpoints_[k].state;
    if (are_kept_) {
        segment.end = checkpoints_[k + 1].state;
        take_kept(segment, at_end);
    } else {
        segment.former = std::move(checkpoints_[k].last);
        recompute(segment, checkpoints_[k].saved, at_end);
        if (!segment.end.is_same(checkpoints_[k + 1].state))
            throw Error(ErrorKind::numerical,
                        fmt::format("steps up to t = {:.9g} s, computed again from a saved state, "
                                    "have other bits than they had",
                                    segment.end.t));
    }
    visit(segment);
}

void RecordedRun::recompute(Segment& segment,
                            const std::vector<std::byte>& from,
                            const std::function<void(long step)>& at_end) {
    segment.steps.clear();
    segment.ends.clear();
    segment.events.clear();
    simulation_.restore(from);
    if (segment.first == 0) at_end(0);
    watch(segment.steps, segment.events);
    try {
        for (long step = segment.first + 1; step <= segment.last; ++step) {
            under_way_ = step;
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

void RecordedRun::take_kept(Segment& segment, const std::function<void(long step)>& at_end) {
    const auto first = static_cast<std::size_t>(segment.first);
    const auto last = static_cast<std::size_t>(segment.last);
    const std::size_t begin = first > 0 ? ends_[first - 1] : 0;
    for (std::size_t step = first; step < last; ++step) segment.ends.push_back(ends_[step] - begin);
    const std::size_t end_of_all = ends_[last - 1];
    // On the way forth the step before has been moved from.
    if (begin > 0 && steps_[begin - 1].a.size() > 0) segment.former = steps_[begin - 1];
    if (end_of_all < steps_.size() && steps_[end_of_all].a.size() > 0)
        segment.following = steps_[end_of_all];
    const auto from = steps_.begin() + static_cast<std::ptrdiff_t>(begin);
    segment.steps.assign(
        std::make_move_iterator(from),
        std::make_move_iterator(from + static_cast<std::ptrdiff_t>(segment.ends.back())));
    for (const PassedEvent& event : events_)
        if (event.grid_step > segment.first && event.grid_step <= segment.last) {
            segment.events.push_back(event);
            segment.events.back().steps -= begin;
        }
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
}

}  // namespace ancora
