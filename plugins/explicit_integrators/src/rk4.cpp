// SPDX-License-Identifier: BSD-3-Clause
// Fixed steps, split at events.
#include "rk4.hpp"

#include "ancora/sdk/helpers/step_pieces.hpp"
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
    for (StepPieces pieces(system, events_, t0, h); pieces.more();) {
        const double t = pieces.t();
        system.read_state(x0_);
        derivative(x0_, dx0_, t);
        pieces.advance(
            system.smooth_length(pieces.rest()),
            [&](double length) {
                stepper_.do_step(derivative, x0_, dx0_, t, x1_, length);
                system.evaluate_events(t + length, x1_, events_.values());
            },
            [&](double t1, double) {
                system.accept_state(t, t1, x1_);
            });
    }
}

}  // namespace ancora::explicit_integrators
