// SPDX-License-Identifier: BSD-3-Clause
// Model exchange: the importer integrates.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "refusal.hpp"
#include "slave.hpp"

namespace ancora::fmu {
namespace {

// Constraints may be violated by so much of the model's size before states are projected, where the
// importer names no tolerance.
constexpr double kDriftTolerance = 1e-6;

}  // namespace

void Slave::begin_exchange() {
    continuous_.emplace(*simulation_, description_.exchange.has_works);
    if (static_cast<std::size_t>(continuous_->num_states()) != num_states() ||
        continuous_->num_events() != description_.exchange.num_events)
        refuse(fmt::format(
            "with these parameters the model has {} states and {} event indicators, and "
            "the description {} and {}",
            continuous_->num_states(),
            continuous_->num_events(),
            num_states(),
            description_.exchange.num_events));
    x_.assign(num_states(), 0.0);
    continuous_->read_state(x_);
    t_ = now_.start;
}

void Slave::require_exchange(const char* call) const {
    if (use_ != Use::exchange) refuse(fmt::format("{} is of model exchange", call));
}

std::size_t Slave::num_indicators() const {
    return static_cast<std::size_t>(description_.exchange.num_events);
}

void Slave::set_time(double t) {
    require_exchange("a new time");
    require({Phase::events, Phase::continuous}, "a new time");
    if (!std::isfinite(t)) refuse("the time is not finite");
    t_ = t;
}

void Slave::get_states(std::span<double> x) const {
    require_exchange("the continuous states");
    if (!continuous_) refuse("there are no states before the initialization");
    if (x.size() != x_.size()) refuse(fmt::format("there are {} states", x_.size()));
    std::ranges::copy(x_, x.begin());
}

void Slave::set_states(std::span<const double> x) {
    require_exchange("new states");
    require({Phase::continuous}, "new states");
    if (x.size() != x_.size()) refuse(fmt::format("there are {} states", x_.size()));
    for (const double value : x)
        if (!std::isfinite(value)) refuse("a state is not finite");
    std::ranges::copy(x, x_.begin());
}

void Slave::derivatives(std::span<double> dx) {
    require_exchange("the derivatives");
    require({Phase::initialization, Phase::events, Phase::continuous}, "the derivatives");
    if (dx.size() != x_.size()) refuse(fmt::format("there are {} states", x_.size()));
    simulation();
    evaluate();
    continuous_->derivative(t_, x_, dx);
}

void Slave::indicators(std::span<double> g) {
    require_exchange("the event indicators");
    require({Phase::initialization, Phase::events, Phase::continuous}, "the event indicators");
    if (g.size() != num_indicators())
        refuse(fmt::format("there are {} event indicators", num_indicators()));
    simulation();
    evaluate();
    continuous_->event_functions(t_, x_, g);
}

bool Slave::complete_step() {
    require_exchange("a completed integrator step");
    require({Phase::continuous}, "a completed integrator step");
    apply_inputs();
    return continuous_->complete_step(
        t_, x_, now_.tolerance > 0.0 ? now_.tolerance : kDriftTolerance);
}

}  // namespace ancora::fmu
