// SPDX-License-Identifier: BSD-3-Clause
// Steps of drift and kick, and the check that a system allows them.
#include "symplectic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "ancora/sdk/system.hpp"

namespace ancora::explicit_integrators {
namespace {

// What velocities may change of an acceleration, or of a rate of the accounting, relative to the
// largest one: rounding leaves 1e-15.
constexpr double kIndependent = 1e-11;
// What the history says of the system.
constexpr double kFits = 1.0;
constexpr double kFitsWithPowers = 2.0;

}  // namespace

IntegratorTraits Symplectic::traits() const {
    IntegratorTraits traits;
    traits.face = Face::continuous;
    return traits;
}

void Symplectic::prepare(const System& system, const StepSettings&) {
    const ContinuousState sizes = system.continuous()->size();
    n_ = static_cast<std::size_t>(sizes.num_coordinates);
    num_own_ = sizes.num_own;
    const auto size = static_cast<std::size_t>(sizes.num_states);
    for (State* x : {&x_, &dx_, &other_}) x->assign(size, 0.0);
    place_.assign(n_ + 1, 0.0);
    kick_.assign(size - n_, 0.0);
    stepper_.emplace();  // sizes its own buffers once
}

double Symplectic::judge_fit(System& system, double t0) {
    const auto refuse = [&](const std::string& why) {
        system.refuse(t0, "integrator \"" + name_ + "\" takes systems " + why);
    };
    if (system.num_events() > 0)
        refuse("without friction and without elements that break; take rk4 or dopri5");
    system.continuous()->read_state(x_);
    const State start = x_;
    double speed = 0.0;
    for (std::size_t i = n_; i < 2 * n_; ++i) speed = std::max(speed, std::abs(x_[i]));
    if (!(speed > 0.0)) speed = 1.0;
    const auto set_velocities = [&](double scale, double frequency) {
        // velocities without a pattern, to which something might be indifferent
        for (std::size_t i = 0; i < n_; ++i)
            x_[n_ + i] = scale * speed * std::cos(frequency * static_cast<double>(i + 1));
    };
    set_velocities(0.0, 1.0);
    system.continuous()->derivative(t0, x_, dx_);
    State twice(x_.size());
    const std::size_t own = x_.size() - static_cast<std::size_t>(num_own_);
    // first entry of a range that has a difference; `end` if none has
    const auto differing = [&](std::size_t begin, std::size_t end, const auto& difference) {
        double largest = 0.0;
        for (std::size_t i = begin; i < end; ++i)
            largest = std::max({largest, std::abs(dx_[i]), std::abs(other_[i])});
        while (begin < end && std::abs(difference(begin)) <= kIndependent * largest) ++begin;
        return begin;
    };
    const auto change = [&](std::size_t i) {
        return other_[i] - dx_[i];
    };
    double fit = kFits;
    for (const double frequency : {1.0, 2.7}) {
        set_velocities(1.0, frequency);
        system.continuous()->derivative(t0, x_, other_);
        if (const std::size_t i = differing(n_, 2 * n_, change); i < 2 * n_)
            refuse("whose accelerations do not depend on velocities, but that of coordinate " +
                   std::to_string(i - n_) +
                   " (counted from 0) does: no constraints other than linear ones, no viscosity, "
                   "no mass that depends on the state; take rk4 or dopri5");
        if (differing(own, x_.size(), change) < x_.size())
            refuse(
                "without states of their own, as of controllers, that follow velocities; take "
                "rk4 or dopri5");
        if (differing(2 * n_, own, change) == own) continue;
        // The power of a force that velocities do not change is linear in them.
        fit = kFitsWithPowers;
        set_velocities(2.0, frequency);
        system.continuous()->derivative(t0, x_, twice);
        const auto curvature = [&](std::size_t i) {
            return twice[i] - dx_[i] - 2.0 * change(i);
        };
        if (differing(2 * n_, own, curvature) < own)
            refuse(
                "without a power that grows with the square of velocities, as of a mass that "
                "changes with time; take rk4 or dopri5");
    }
    x_ = start;
    return fit;
}

void Symplectic::begin(System& system, double t0) {
    double& fit = system.history()[0];
    if (fit == 0.0) fit = judge_fit(system, t0);
    has_powers_ = fit == kFitsWithPowers;
    system.continuous()->read_state(x_);
}

/// The mean rates (a, f) of a kick of length h from (v, w) = `kick`, at x_'s positions: where rates
/// change while it lasts, by the midpoint rule or by Kutta's of fourth order.
void Symplectic::kick_rates(System& system, double t, double h, const State& kick, int order) {
    ContinuousSystem& model = *system.continuous();
    const auto first = static_cast<std::ptrdiff_t>(n_);
    const auto go = [&](double length, const State& rate) {
        for (std::size_t i = n_; i < x_.size(); ++i) x_[i] = kick[i - n_] + length * rate[i];
    };
    std::copy(kick.begin(), kick.end(), x_.begin() + first);
    model.derivative(t, x_, dx_);
    if (!has_powers_ && num_own_ == 0) return;
    go(0.5 * h, dx_);
    model.derivative(t, x_, other_);
    if (num_own_ == 0) {
        // a is constant in a kick, so a power is linear in time, and its mean that of the middle.
        std::copy(other_.begin() + 2 * first, other_.end(), dx_.begin() + 2 * first);
        return;
    }
    if (order < 3) {
        std::swap(dx_, other_);
        return;
    }
    go(0.5 * h, other_);
    const auto add = [&](double weight, const State& rate) {
        for (std::size_t i = n_; i < dx_.size(); ++i) dx_[i] += weight * rate[i];
    };
    add(2.0, other_);
    model.derivative(t, x_, other_);
    add(2.0, other_);
    go(h, other_);
    model.derivative(t, x_, other_);
    add(1.0, other_);
    for (std::size_t i = n_; i < dx_.size(); ++i) dx_[i] /= 6.0;
}

void Verlet::step(System& system, double t0, double h) {
    begin(system, t0);
    const auto drift = [&] {
        for (std::size_t i = 0; i < n_; ++i) x_[i] += 0.5 * h * x_[n_ + i];
    };
    drift();
    const auto first = static_cast<std::ptrdiff_t>(n_);
    std::copy(x_.begin() + first, x_.end(), kick_.begin());
    kick_rates(system, t0 + 0.5 * h, h, kick_, 2);
    for (std::size_t i = n_; i < x_.size(); ++i) x_[i] = kick_[i - n_] + h * dx_[i];
    drift();
    system.continuous()->accept_state(t0, t0 + h, x_);
}

void Symplectic::step(System& system, double t0, double h) {
    begin(system, t0);
    const auto n = static_cast<std::ptrdiff_t>(n_);
    std::copy(x_.begin(), x_.begin() + n, place_.begin());
    place_[n_] = t0;
    std::copy(x_.begin() + n, x_.end(), kick_.begin());

    const auto drift = [&](const State& kick, State& rate) {
        std::copy(kick.begin(), kick.begin() + n, rate.begin());
        rate[n_] = 1.0;
    };
    std::size_t stage = 0;
    const auto force = [&](const State& place, State& rate) {
        // (v, w) of now are in kick_
        const double length = stepper_->coef_b()[stage++] * h;
        std::copy(place.begin(), place.begin() + n, x_.begin());
        kick_rates(system, place[n_], length, kick_, 4);
        std::copy(dx_.begin() + n, dx_.end(), rate.begin());
    };
    stepper_->do_step(
        std::make_pair(drift, force), std::make_pair(std::ref(place_), std::ref(kick_)), t0, h);

    std::copy(place_.begin(), place_.begin() + n, x_.begin());
    std::copy(kick_.begin(), kick_.end(), x_.begin() + n);
    system.continuous()->accept_state(t0, t0 + h, x_);
}

}  // namespace ancora::explicit_integrators
