// SPDX-License-Identifier: BSD-3-Clause
// Steps, and pieces of steps.
#include "stepping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "state_archive.hpp"

namespace ancora {
namespace {

// end / step within this of a whole number is that number of steps.
constexpr double kWholeSteps = 1e-9;

// Relative to a time: what is left between one that is k step behind the begin, one that is a sum,
// and the near side of a break point, see VelocityImpulse::before().
constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

long count_steps(const IntegratorSettings& settings) {
    const double ratio = (settings.end - settings.begin) / settings.step;
    const double whole = std::round(ratio);
    const double of_begin =
        settings.begin == 0.0 ? 0.0 : kRounding * std::abs(settings.begin) / settings.step;
    if (whole > 0.0 && std::abs(ratio - whole) <= kWholeSteps * ratio + of_begin)
        return static_cast<long>(whole);
    return static_cast<long>(std::ceil(ratio));
}

}  // namespace

Stepping::Stepping(Model& model, KernelSystem& system, const IntegratorSettings& settings)
    : model_(model),
      system_(system),
      settings_(settings),
      breaks_(model, settings),
      num_steps_(model.traits.is_adaptive ? 0 : count_steps(settings)) {}

bool Stepping::done() const {
    return model_.traits.is_adaptive ? system_.time() >= settings_.end : steps_done_ >= num_steps_;
}

void Stepping::step() {
    if (model_.traits.is_adaptive)
        step_freely();
    else
        step_on_grid(Until::behind_end);
}

bool Stepping::step_to_event(bool may_pause) {
    struct Pausing {
        KernelSystem& system;
        ~Pausing() { system.pause_at_events(false); }
    };
    pass_due();
    const Pausing pausing{system_};
    system_.pause_at_events(may_pause);
    return step_on_grid(may_pause ? Until::event : Until::end);
}

bool Stepping::is_due(double t) {
    return is_at(system_.parts().signals.next_time(), t) ||
           std::isfinite(breaks_.next(system_.time(), t + time_rounding()));
}

void Stepping::pass_due() {
    const bool is_on_grid = std::abs(system_.time() - grid_time(steps_done_)) <= time_rounding();
    pass_events_at(system_.time());
    if (is_on_grid) take_grid_time();
}

void Stepping::step_freely() {
    const double t0 = system_.time();
    system_.begin_grid_step(steps_done_, false);
    const double next = std::min(system_.parts().signals.next_time(), settings_.end);
    const double at = breaks_.next(t0, VelocityImpulse::before(next));
    // Instants up to a break point are on this side of it.
    const double target = at < next ? VelocityImpulse::before(at) : next;
    integrate(t0, target - t0);
    if (!(system_.time() > t0))
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: step returned without a step at t = {:.9g} s",
                                describe(model_.integrator_object),
                                t0),
                    model_.integrator_object.place);
    // The end is met exactly, and so are times at which signals act.
    const bool is_there =
        target - system_.time() <=
        std::max(kWholeSteps * (system_.time() - t0), kRounding * std::abs(settings_.begin));
    if (is_there && at < next) {
        system_.end_grid_step(VelocityImpulse::behind(at));
        system_.discontinuities().pass_break_point(at);
    } else {
        system_.end_grid_step(is_there ? next : system_.time());
    }
    system_.discontinuities().act();
    ++steps_done_;
}

void Stepping::reach(double t) {
    system_.begin_grid_step(steps_done_, false);
    // A step that is rounding of times has residuals that are rounding over its square.
    const double rounding =
        kRounding * std::max({std::abs(settings_.begin), std::abs(t), settings_.step});
    while (t - system_.time() > rounding) {
        const double t0 = system_.time();
        integrate(t0, t - t0);
        if (t - system_.time() <= kWholeSteps * (system_.time() - t0)) break;
        if (!(system_.time() > t0)) break;
    }
    system_.end_grid_step(t);
}

double Stepping::next_event() {
    const double next = system_.parts().signals.next_time();
    const double at = breaks_.next(system_.time(), std::min(next, settings_.end));
    return std::min(next, VelocityImpulse::before(at));
}

void Stepping::pass_events_at(double t) {
    const double until = t + time_rounding();
    while (true) {
        const double next = system_.parts().signals.next_time();
        const double at = breaks_.next(system_.time(), until);
        if (at <= until && at < next) {
            system_.set_time(VelocityImpulse::behind(at));
            system_.discontinuities().pass_break_point(at);
        } else if (next <= until) {
            system_.set_time(std::max(next, system_.time()));
            system_.discontinuities().act();
        } else {
            return;
        }
    }
}

bool Stepping::step_on_grid(Until until) {
    // Grid times are k step, not sums of steps; a step that failed on its way goes on from
    // there.
    const bool is_last = steps_done_ + 1 == num_steps_;
    const double begin_time = grid_time(steps_done_);
    const double end_time = is_last ? settings_.end : grid_time(steps_done_ + 1);
    const double rounding = time_rounding();
    if (asks_instants()) begin_behind_break(rounding);
    const double t0 = system_.time();
    const double rest = end_time - t0;
    const bool goes_on = t0 - begin_time > rounding;
    const bool is_whole = std::abs(rest - settings_.step) <= rounding ||
                          (is_last && std::abs(rest - settings_.step) <= end_rounding());
    system_.begin_grid_step(steps_done_, goes_on);
    const Cut cut = integrate_to_actions(end_time, rounding, until == Until::event);
    if (cut == Cut::paused) return true;
    const double at_end = breaks_.next(end_time - rounding, end_time + rounding);
    const bool ends_before = asks_instants() && at_end <= end_time + rounding;
    const double target =
        ends_before ? VelocityImpulse::before(std::min(at_end, end_time)) : end_time;
    integrate(
        system_.time(),
        is_whole && cut == Cut::none && !ends_before ? settings_.step : target - system_.time());
    // the last step of a run may be whole but for rounding of its end
    const double allowed = is_last ? end_rounding() : rounding;
    if (const double missing = end_time - system_.time(); std::abs(missing) > allowed) {
        if (system_.is_paused()) return true;
        throw Error(ErrorKind::plugin,
                    fmt::format("{}: step from t = {:.9g} s returned at t = {:.9g} s instead of "
                                "{:.9g} s; it must accept steps that lead exactly there",
                                describe(model_.integrator_object),
                                t0,
                                system_.time(),
                                end_time),
                    model_.integrator_object.place);
    }
    if (at_end <= end_time + rounding) system_.discontinuities().pass_break_point(at_end);
    system_.end_grid_step(end_time);
    const bool acts = system_.parts().signals.next_time() <= end_time + rounding;
    if (acts && until == Until::behind_end) {
        // at its own time, which is the grid's but for rounding
        system_.set_time(std::max(end_time, system_.parts().signals.next_time()));
        system_.discontinuities().act();
        system_.set_time(end_time);
    } else if (!acts) {
        system_.discontinuities().pass_due_crossings();
    }
    ++steps_done_;
    return acts || system_.is_paused() || at_end <= end_time + rounding;
}

Stepping::Cut Stepping::integrate_to_actions(double end_time, double rounding, bool may_pause) {
    Cut cut = Cut::none;
    const auto pauses_at = [&](double t) {
        if (t > system_.time()) integrate(system_.time(), t - system_.time());
        return may_pause;
    };
    for (;;) {
        const double next = system_.parts().signals.next_time();
        const double at = breaks_.next(system_.time() + rounding, end_time - rounding);
        if (!(std::min(next, at) < end_time - rounding)) return cut;
        cut = Cut::cut;
        if (at < next - rounding) {
            if (pauses_at(VelocityImpulse::before(at))) return Cut::paused;
            system_.set_time(VelocityImpulse::behind(at));
            system_.discontinuities().pass_break_point(at);
            continue;
        }
        if (pauses_at(next > system_.time() + rounding ? next : system_.time())) return Cut::paused;
        system_.set_time(std::max(next, system_.time()));
        system_.discontinuities().act();
    }
}

/// What an integrator asks for at the begin of a step is on the far side of a break point there.
void Stepping::begin_behind_break(double rounding) {
    const double t = system_.time();
    const double at = breaks_.next(t - rounding, t + rounding);
    if (t > settings_.begin && at <= t + rounding)
        system_.set_time(std::max(t, VelocityImpulse::behind(at)));
}

void Stepping::continue_from(const Stepping& before) {
    if (before.system_.time() > settings_.end)
        throw Error(ErrorKind::usage,
                    fmt::format("the run would end at {:.9g} s, but stands at {:.9g} s",
                                settings_.end,
                                before.system_.time()));
    if (before.settings_.begin != settings_.begin)
        throw Error(ErrorKind::usage,
                    fmt::format("the run would begin at {:.9g} s, but has begun at {:.9g} s",
                                settings_.begin,
                                before.settings_.begin));
    if (!model_.traits.is_adaptive &&
        before.system_.time() < grid_time(before.steps_done_) - time_rounding() -
                                    kWholeSteps * grid_length(before.steps_done_))
        throw Error(ErrorKind::usage,
                    fmt::format("the run ended at {:.9g} s, which is no multiple of its step of "
                                "{:.9g} s, and cannot go on from there",
                                before.system_.time(),
                                settings_.step));
    steps_done_ = before.steps_done_;
    seconds_ = before.seconds_;
    system_.continue_from(before.system_);
}

long Stepping::steps_to(double& t) const {
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::usage, fmt::format("set_state: t = {:.17g} s {}", t, why));
    };
    const double rounding =
        kRounding * std::max(std::abs(settings_.begin), std::abs(t)) + kWholeSteps * settings_.step;
    if (!(t >= settings_.begin - rounding && t <= settings_.end + end_rounding()))
        refuse(fmt::format(
            "is outside the run, from {:.9g} s to {:.9g} s", settings_.begin, settings_.end));
    if (model_.traits.is_adaptive) return steps_done_;
    if (std::abs(t - settings_.end) <= std::max(rounding, end_rounding())) {
        t = settings_.end;
        return num_steps_;
    }
    const double ratio = (t - settings_.begin) / settings_.step;
    const long steps = std::lround(ratio), before = static_cast<long>(std::floor(ratio));
    if (std::abs(t - grid_time(steps)) > rounding + kWholeSteps * grid_length(steps))
        refuse(fmt::format("is no end of a step: steps of {:.9g} s end at {:.9g} s and {:.9g} s",
                           settings_.step,
                           grid_time(before),
                           grid_time(before + 1)));
    t = grid_time(steps);
    return steps;
}

void Stepping::integrate(double t0, double h) {
    const double taken = model_.integrator.step(system_.parts().meter, system_, t0, h);
    if (system_.parts().meter.is_sampling()) system_.parts().meter.spent.step += taken;
    seconds_ += taken;
}

void Stepping::take_grid_time() {
    const double on_grid = grid_time(steps_done_);
    if (model_.traits.is_adaptive || steps_done_ >= num_steps_) return;
    const double rounding = settings_.begin == 0.0
                                ? kWholeSteps * on_grid
                                : kWholeSteps * grid_length(steps_done_) + time_rounding();
    if (std::abs(system_.time() - on_grid) <= rounding) system_.set_time(on_grid);
}

bool Stepping::fits_grid() const {
    if (model_.traits.is_adaptive) return system_.time() >= settings_.begin;
    const double h = settings_.step;
    const double done = std::min(grid_time(steps_done_), settings_.end);
    return system_.time() >= done - time_rounding() && system_.time() <= done + h;
}

double Stepping::grid_length(long steps) const {
    return static_cast<double>(steps) * settings_.step;
}

double Stepping::grid_time(long steps) const {
    return settings_.begin + grid_length(steps);
}

double Stepping::time_rounding() const {
    // Of times far from zero few digits are left for a step.
    const double farthest = std::max(std::abs(settings_.begin), std::abs(system_.time()));
    return std::max(kWholeSteps * settings_.step, kRounding * farthest);
}

double Stepping::end_rounding() const {
    return std::max(kWholeSteps * (settings_.end - settings_.begin), time_rounding());
}

template <class Archive>
void Stepping::transfer(Archive& archive) {
    archive(steps_done_);
    archive(seconds_);
    archive.require(steps_done_ >= 0 && (model_.traits.is_adaptive || steps_done_ <= num_steps_),
                    "steps beyond the end of this run");
    archive.require(std::isfinite(seconds_), "its time of computing");
    system_.transfer(archive);
    if constexpr (Archive::kReads) take_grid_time();
    archive.require(fits_grid(), "its time");
}
template void Stepping::transfer(ArchiveWriter&);
template void Stepping::transfer(ArchiveReader&);

}  // namespace ancora
