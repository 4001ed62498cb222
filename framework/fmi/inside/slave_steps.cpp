// SPDX-License-Identifier: BSD-3-Clause
// Steps of co-simulation, and event mode.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "refusal.hpp"
#include "slave.hpp"

namespace ancora::fmu {

Slave::Step Slave::step(double time, double length, bool may_return) {
    require({Phase::steps}, "a step");
    Simulation& simulation = *simulation_;
    const double h = simulation.step_size();
    const auto done = static_cast<double>(simulation.steps_done());
    // A sum of steps is rounded once a step. Beyond half a step it would be another step.
    const double rounding = 0.5 * std::numeric_limits<double>::epsilon() * (done + 1.0) *
                            std::max(std::abs(time), std::abs(this->time()));
    const double slack = std::min(kTimeSlack * h + rounding, 0.5 * h);
    if (!std::isfinite(time) || std::abs(time - this->time()) > slack)
        refuse(fmt::format("the step begins at {} s, the instance is at {} s", time, this->time()));
    // Behind an event the first of the steps is what is left of one.
    const double behind = this->time() - (now_.start + done * h);
    const double first = use_ == Use::event_steps && behind > slack ? h - behind : h;
    const double more = std::round((length - first) / h);
    const bool is_whole = more >= 0.0 && std::abs(length - first - more * h) <= slack;
    const double end = time + length;
    const bool is_to_event = !is_whole && use_ == Use::event_steps && length > 0.0 &&
                             std::abs(end - events_->next_sample()) <= slack;
    if (!std::isfinite(length) || !(is_whole || is_to_event)) refuse_length(time, length, first);
    const double last = done + 1.0 + (is_whole ? more : std::ceil((length - first) / h));
    if (last > static_cast<double>(simulation.num_steps())) {
        if (now_.stop) refuse(fmt::format("a step to {} s goes beyond the stop time", end));
        if (!extend(last)) {
            now_.phase = Phase::failed;
            return Step::discarded;
        }
    }
    apply_inputs();
    try {
        if (use_ != Use::event_steps) {
            while (static_cast<double>(simulation.steps_done()) < last) simulation.step();
            return Step::complete;
        }
        const auto is_there = [&] {
            return is_whole ? static_cast<double>(simulation.steps_done()) >= last
                            : simulation.time() >= end - slack;
        };
        while (!is_there()) {
            const bool is_last = static_cast<double>(simulation.steps_done()) + 1.0 >= last;
            const bool has_event = events_->step(may_return || (is_to_event && is_last));
            if (has_event && may_return) return is_there() ? Step::event : Step::early;
        }
        return events_->is_due(this->time()) ? Step::event : Step::complete;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        now_.phase = Phase::failed;
        warn_(error.what());
        return Step::discarded;
    }
}

void Slave::refuse_length(double time, double length, double first) const {
    const double h = simulation_->step_size();
    if (first == h)
        refuse(fmt::format(
            "a communication step of {} s is no whole number of steps of the model, {} s; "
            "step otherwise, or export with --param integrator.step and set that",
            length,
            h));
    refuse(
        fmt::format("a communication step from {} s to {} s does not end where steps of the "
                    "model do: behind the event these end at {} s, and then every {} s",
                    time,
                    time + length,
                    time + first,
                    h));
}

// --- event mode

void Slave::enter_events() {
    require({use_ == Use::exchange ? Phase::continuous : Phase::steps},
            "the entry into event mode");
    if (use_ == Use::steps) refuse("this instance was made without event mode");
    now_.phase = Phase::events;
    begin_events();
}

/// Which samples are due, at the time of the importer.
void Slave::begin_events() {
    before_.reset();
    ticks_.clear();
    for (std::size_t i = 0; i < events_->samplers().size(); ++i)
        ticks_.push_back(events_->is_due(i, time()) ? 1 : 0);
}

void Slave::pass_events() {
    if (continuous_)
        continuous_->pass_events(t_, x_);
    else
        events_->pass();
}

/// What inputs lead to. At an event that is not updated yet samples are taken of them: anew where
/// they have changed since.
void Slave::evaluate() {
    if (now_.phase != Phase::events || std::ranges::count(ticks_, 1) == 0) return apply_inputs();
    if (!before_)
        before_ = keep();
    else if (has_new_inputs_)
        put_back(*before_);
    else
        return;
    has_new_inputs_ = true;
    apply_inputs();
    pass_events();
}

void Slave::require_clock(std::size_t variable) const {
    const std::size_t first = description_.first_clock();
    if (variable < first || variable >= first + description_.clocks.size())
        refuse(fmt::format("there is no clock {}", variable));
}

bool Slave::is_ticking(std::size_t variable) const {
    require({Phase::events}, "the state of a clock");
    require_clock(variable);
    const std::size_t clock = variable - description_.first_clock();
    return clock < ticks_.size() && ticks_[clock] != 0;
}

void Slave::refuse_clock(std::size_t variable, const char* why) const {
    require_clock(variable);
    refuse(fmt::format("the clock \"{}\" {}",
                       description_.clocks[variable - description_.first_clock()].name,
                       why));
}

Slave::Update Slave::update() {
    require({Phase::events}, "an update of discrete states");
    simulation();
    const std::vector<double> states = x_;
    const bool has_sampled = before_.has_value();
    const bool have_changed =
        has_sampled && continuous_ && !std::equal(x_.begin(), x_.end(), before_->outer.begin() + 1);
    evaluate();
    if (!before_) pass_events();
    Update out;
    out.has_changed = continuous_ && (have_changed || x_ != states);
    out.next_event = continuous_ ? continuous_->next_time_event() : events_->next_sample();
    before_.reset();
    ticks_.clear();
    return out;
}

void Slave::leave_events() {
    require({Phase::events}, "the end of event mode");
    evaluate();
    before_.reset();
    ticks_.clear();
    now_.phase = use_ == Use::exchange ? Phase::continuous : Phase::steps;
}

}  // namespace ancora::fmu
