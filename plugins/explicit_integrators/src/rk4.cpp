// SPDX-License-Identifier: BSD-3-Clause
// Fixed steps, split at events.
#include "rk4.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "ancora/sdk/helpers/step_pieces.hpp"
#include "common.hpp"

namespace ancora::explicit_integrators {
namespace {

// Stages that differ by so much more than those of the steps before are asked about.
constexpr double kSuddenly = 3.0;
// The velocity that a step adds to what its first stage foretells is a jump from so much of the
// velocity on, if it is also so many times what is usual.
constexpr double kJump = 0.1;
constexpr double kTimesAsFar = 30.0;

}  // namespace

Rk4::Rk4(const Arguments& arguments) : traits_(read_traits(arguments)) {}

void Rk4::prepare(const System& system, const StepSettings&) {
    const auto size = static_cast<std::size_t>(system.continuous()->size().num_states);
    for (State* x : {&x0_, &dx0_, &x1_}) x->assign(size, 0.0);
    n_ = static_cast<std::size_t>(system.num_coordinates());
    stepper_.adjust_size(x0_);
    events_.resize(system.num_events());
}

void Rk4::step(System& system, double t0, double h) {
    ContinuousSystem& model = *system.continuous();
    const auto derivative = [&model](const State& x, State& dx, double t) {
        model.derivative(t, x, dx);
    };
    const auto stage = [&](const State& x, State& dx, double t) {
        model.derivative(t, x, dx);
        spread_ = std::max(spread_, largest_difference(dx, dx0_));
    };
    for (StepPieces pieces(system, events_, t0, h); pieces.more();) {
        const double t = pieces.t();
        model.read_state(x0_);
        derivative(x0_, dx0_, t);
        pieces.advance(
            system.max_smooth_step(pieces.rest()),
            [&](double length) {
                spread_ = 0.0;
                stepper_.do_step(stage, x0_, dx0_, t, x1_, length);
                model.evaluate_events(t + length, x1_, events_.values());
            },
            [&](double t1, double length) {
                const Passing passing = watch(system, t, length);
                model.accept_state(t, t1, x1_);
                if (passing != Passing::none)
                    system.record_singular_position(t, t1, passing == Passing::smooth);
            });
        // Behind an event other forces act
        if (pieces.rest() > 0.0) std::ranges::fill(system.history(), 0.0);
    }
}

/// The largest difference of two derivatives' accelerations.
double Rk4::largest_difference(const State& dx, const State& other) const {
    double most = 0.0;
    for (std::size_t i = n_; i < 2 * n_; ++i) most = std::max(most, std::abs(dx[i] - other[i]));
    return most;
}

/// Whether the trial made last passes a singular position, as accelerations of its stages suggest:
/// beside one they have no bound.
Rk4::Passing Rk4::watch(System& system, double t0, double h) {
    double& usual_spread = system.history()[kSpread];
    double& usual_miss = system.history()[kMiss];
    const double spread = spread_ / h;
    double miss = 0.0;
    double speed = 0.0;
    for (std::size_t i = n_; i < 2 * n_; ++i) {
        miss = std::max(miss, std::abs(x1_[i] - x0_[i] - h * dx0_[i]));
        speed = std::max(speed, std::abs(x0_[i]));
    }
    const bool is_sudden = usual_spread > 0.0 && spread > kSuddenly * usual_spread;
    const bool jumps = miss > std::max(kJump * speed, kTimesAsFar * usual_miss * h * h);
    usual_spread = std::max(spread, kForgotten * usual_spread);
    usual_miss = std::max(miss / (h * h), kForgotten * usual_miss);
    if (!is_sudden || !system.nears_singular_position({t0, h, std::span(dx0_).subspan(n_, n_), {}}))
        return Passing::none;
    return jumps ? Passing::jump : Passing::smooth;
}

}  // namespace ancora::explicit_integrators
