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
namespace {

/// Impacts, contacts that close, let go, stick or slip, elements that break.
long num_changes(const Simulation& simulation) {
    return static_cast<long>(simulation.events().size() + simulation.impacts().size() +
                             simulation.breaks().size());
}

}  // namespace

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
    const double count = std::round(length / h);
    if (!std::isfinite(length) || count < 1.0 || std::abs(length - count * h) > slack)
        refuse(fmt::format(
            "a communication step of {} s is no whole number of steps of the model, {} s; "
            "step otherwise, or export with --param integrator.step and set that",
            length,
            h));
    const double last = done + count;
    if (last > static_cast<double>(simulation.num_steps())) {
        if (now_.stop)
            refuse(fmt::format("a step to {} s goes beyond the stop time", time + length));
        if (!extend(last)) {
            now_.phase = Phase::failed;
            return Step::discarded;
        }
    }
    apply_inputs();
    try {
        const long before = may_return ? num_changes(simulation) : 0;
        while (static_cast<double>(simulation.steps_done()) < last) {
            simulation.step();
            if (may_return && num_changes(simulation) != before) return Step::event;
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        now_.phase = Phase::failed;
        warn_(error.what());
        return Step::discarded;
    }
    return Step::complete;
}

// --- event mode

void Slave::enter_events() {
    require({use_ == Use::exchange ? Phase::continuous : Phase::steps},
            "the entry into event mode");
    if (use_ == Use::steps) refuse("this instance was made without event mode");
    now_.phase = Phase::events;
}

Slave::Update Slave::update() {
    require({Phase::events}, "an update of discrete states");
    simulation();
    apply_inputs();
    Update out;
    if (!continuous_) {
        out.next_event = std::numeric_limits<double>::infinity();
        return out;
    }
    const std::vector<double> before = x_;
    continuous_->pass_events(t_, x_);
    out.has_changed = x_ != before;
    out.next_event = continuous_->next_time_event();
    return out;
}

void Slave::leave_events() {
    require({Phase::events}, "the end of event mode");
    now_.phase = use_ == Use::exchange ? Phase::continuous : Phase::steps;
}

}  // namespace ancora::fmu
