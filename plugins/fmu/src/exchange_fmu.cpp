// SPDX-License-Identifier: BSD-3-Clause
// States, events and completed steps of an FMU for model exchange.
#include "exchange_fmu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ancora::fmu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of an indicator's scale. Above what the place of an event is known by, below what is looked at.
constexpr double kHysteresis = 1e-10;

SampleTimes times_of(const Arguments& arguments) {
    const bool has = arguments.has("period");
    return {has ? arguments.number("period") : kInfinity, arguments.begin_time()};
}

}  // namespace

ExchangeFmu::ExchangeFmu(const Arguments& arguments)
    : Fmu(arguments, Use::exchange, times_of(arguments)), is_sampled_(arguments.has("period")) {
    if (description_.num_states == 0 && description_.num_indicators == 0 && !is_sampled_)
        arguments.warn("file", "is of an FMU without states and event indicators");
    if (description_.needs_completed_steps && !is_sampled_)
        arguments.warn("period",
                       "is not given, and this FMU needs completed steps "
                       "(completedIntegratorStep): it is at events alone; the step of the "
                       "integrator is a good period");
    choose_inputs();
    indicators_.resize(description_.num_indicators);
    if (!description_.has_states) return;
    try {
        slave_->begin(times_.offset, setting(), {Ports(), {}});
        settle({});
        make_room(slave_->state().size());
    } catch (const std::runtime_error& error) {
        arguments.fail("file", error.what());
    }
}

/// Ports all of whose elements may change between events.
void ExchangeFmu::choose_inputs() {
    std::size_t offset = 0;
    for (const Port& port : input_.ports) {
        const auto of = std::ranges::find(description_.variables, port.name, &Variable::name);
        if (of != description_.variables.end() && of->is_continuous) {
            for (std::size_t k = 0; k < port.count; ++k) which_.push_back(offset + k);
            continuous_.ports.push_back(port);
        }
        offset += port.count;
    }
    continuous_.numbers.resize(which_.size());
}

int ExchangeFmu::num_discrete() const {
    return static_cast<int>(first_byte() + room_);
}

void ExchangeFmu::set_inputs(std::span<const double> inputs) const {
    with(inputs);
    for (std::size_t k = 0; k < which_.size(); ++k)
        continuous_.numbers[k] = input_.numbers[which_[k]];
    slave_->set(continuous_.given());
}

/// In continuous-time mode at a state.
void ExchangeFmu::go_to(const SignalPoint& at) const {
    bring_to(at.own.z);
    slave_->set_point(at.t, at.own.x);
    set_inputs(at.own.inputs);
}

void ExchangeFmu::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    std::ranges::fill(y, 0.0);
    if (at.own.z[kBegun] == 0.0) return;
    go_to(at);
    slave_->get(output_.ports, output_.numbers);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = output_.numbers[output_.places[i]];
}

void ExchangeFmu::differentiate(const SignalPoint& at, std::span<double> dx) const {
    std::ranges::fill(dx, 0.0);
    if (at.own.z[kBegun] == 0.0) return;
    go_to(at);
    slave_->derivatives(dx);
}

double ExchangeFmu::next_time(double after, std::span<const double> z) const {
    if (z[kBegun] == 0.0) return times_.offset;
    const bool has_event = z[first_event()] != 0.0 && z[first_event() + 1] > after;
    const double event = has_event ? z[first_event() + 1] : kInfinity;
    return is_sampled_ ? std::min(event, times_.next(after)) : event;
}

void ExchangeFmu::evaluate_crossings(const SignalPoint& at, std::span<double> g) const {
    std::ranges::fill(g, 1.0);
    if (at.own.z[kBegun] == 0.0) return;
    go_to(at);
    slave_->indicators(g);
    const auto signs = at.own.z.subspan(first_sign(), 2 * g.size());
    for (std::size_t k = 0; k < g.size(); ++k)
        g[k] = signs[2 * k] * g[k] + kHysteresis * signs[2 * k + 1];
}

/// Updates the discrete states until they stay, and leaves event mode; notes the next time event.
void ExchangeFmu::settle(std::span<double> z) const {
    const Slave::Update last = Fmu::settle();
    slave_->leave_events();
    if (z.empty()) return;
    const bool has_next = last.has_next && std::isfinite(last.next);
    z[first_event()] = has_next ? 1.0 : 0.0;
    z[first_event() + 1] = has_next ? last.next : 0.0;
}

/// On which side of zero indicators are now. The place of a crossing is on the far side, by the
/// hysteresis; one at zero keeps its side.
void ExchangeFmu::note_signs(std::span<double> z) const {
    slave_->indicators(indicators_);
    for (std::size_t k = 0; k < indicators_.size(); ++k) {
        double& sign = z[first_sign() + 2 * k];
        double& scale = z[first_sign() + 2 * k + 1];
        scale = std::max(scale, std::abs(indicators_[k]));
        if (scale == 0.0) scale = 1.0;
        if (std::abs(indicators_[k]) > 0.5 * kHysteresis * scale || sign == 0.0)
            sign = indicators_[k] > 0.0 ? 1.0 : -1.0;
    }
}

void ExchangeFmu::note_history(const SignalPoint& at, std::span<double> z) const {
    z[kTime] = at.t;
    z[kHistory] = history_after(z[kHistory], at.t, at.own.x);
    for (const double value : at.own.inputs) z[kHistory] = history_after(z[kHistory], value, {});
    if (room_ > 0) keep_state(z);
    history_ = z[kHistory];
}

void ExchangeFmu::act(const SignalPoint& at,
                      int crossing,
                      std::span<double> x,
                      std::span<double> z) const {
    // Several indicators that cross at one instant are one event of the FMU.
    const bool has_acted = history_ != 0.0 && history_ == z[kHistory] && z[kTime] == at.t &&
                           at.own.z[kHistory] != z[kHistory];
    if (has_acted && settled_ == history_) return;
    if (at.own.z[kBegun] == 0.0) {
        slave_->begin(at.t, setting(), with(at.own.inputs));
    } else {
        if (!has_acted) {
            std::ranges::copy(at.own.z, z.begin());
            go_to(at);
        }
        history_ = 0.0;  // of no state, if something fails
        const bool is_due =
            z[first_event()] != 0.0 && z[first_event() + 1] <= at.t + kSameTime * std::abs(at.t);
        const bool asks = description_.needs_completed_steps && slave_->complete_step();
        // Inputs that are discrete change at events alone.
        const bool has_discrete = which_.size() < input_.numbers.size();
        if (crossing == kTimeEvent && !is_due && !asks && !has_discrete) {
            note_history(at, z);
            return;
        }
        slave_->enter_events();
        slave_->set(with(at.own.inputs));
    }
    settle(z);
    slave_->get_states(x);
    z[kBegun] = 1.0;
    note_signs(z);
    note_history(at, z);
    settled_ = history_;
}

}  // namespace ancora::fmu
