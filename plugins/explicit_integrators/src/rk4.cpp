// SPDX-License-Identifier: BSD-3-Clause
// Fixed steps, split at events.
#include "rk4.hpp"

#include <algorithm>

#include "common.hpp"

namespace ancora::explicit_integrators {

Rk4::Rk4(const Arguments& arguments) : traits_(read_traits(arguments)) {}

void Rk4::prepare(const System& system, const StepSettings&) {
    const auto size = static_cast<std::size_t>(system.continuous().num_states);
    for (State* x : {&x0_, &dx0_, &x1_}) x->assign(size, 0.0);
    stepper_.adjust_size(x0_);
    events_.resize(system.num_events());
}

void Rk4::step(System& system, double t0, double h) {
    const auto derivative = [&system](const State& x, State& dx, double t) {
        system.derivative(t, x, dx);
    };
    const double end = t0 + h;
    double t = t0;
    double rest = h;
    for (int pieces = 0; rest > 0.0; ++pieces) {
        if (pieces == kMostPieces) refuse_chatter(system, t);
        system.read_state(x0_);
        derivative(x0_, dx0_, t);
        const double wanted = system.smooth_length(rest);
        double length = wanted;
        const auto trial = [&](double part) {
            stepper_.do_step(derivative, x0_, dx0_, t, x1_, part);
            system.evaluate_events(t + part, x1_, events_.values());
        };
        trial(length);
        const int event = events_.shorten(length, trial);
        const bool is_last = event < 0 && wanted == rest;
        const double t1 = is_last ? end : t + length;
        if (t1 > t) system.accept_state(t, t1, x1_);
        if (event >= 0) system.pass_event(event);
        rest = is_last ? 0.0 : end - t1;
        t = t1;
    }
}

}  // namespace ancora::explicit_integrators
