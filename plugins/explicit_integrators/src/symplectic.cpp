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

// What velocities may change of an acceleration, or of a rate of the books, relative to the largest
// one: rounding leaves 1e-15.
constexpr double kIndependent = 1e-11;

}  // namespace

IntegratorTraits Symplectic::traits() const {
    IntegratorTraits traits;
    traits.face = Face::continuous;
    return traits;
}

void Symplectic::prepare(const System& system, const StepSettings&) {
    const ContinuousState sizes = system.continuous();
    n_ = static_cast<std::size_t>(sizes.num_coordinates);
    const auto size = static_cast<std::size_t>(sizes.num_states);
    for (State* x : {&x_, &dx_, &other_}) x->assign(size, 0.0);
    place_.assign(n_ + 1, 0.0);
    kick_.assign(size - n_, 0.0);
}

void Symplectic::refuse_what_does_not_fit(System& system, double t0) {
    if (system.num_events() > 0)
        system.refuse(t0,
                      "integrator \"" + name_ +
                          "\" takes systems without friction and without "
                          "elements that break; take rk4 or dopri5");
    system.read_state(x_);
    const State start = x_;
    double speed = 0.0;
    for (std::size_t i = n_; i < 2 * n_; ++i) speed = std::max(speed, std::abs(x_[i]));
    if (!(speed > 0.0)) speed = 1.0;
    std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(n_), n_, 0.0);
    system.derivative(t0, x_, dx_);
    // first entry of a range that the two evaluations do not agree in; `end` if they do
    const auto differing = [&](std::size_t begin, std::size_t end) {
        double largest = 0.0;
        for (std::size_t i = begin; i < end; ++i)
            largest = std::max({largest, std::abs(dx_[i]), std::abs(other_[i])});
        while (begin < end && std::abs(other_[begin] - dx_[begin]) <= kIndependent * largest)
            ++begin;
        return begin;
    };
    for (const double frequency : {1.0, 2.7}) {
        // velocities without a pattern, to which something might be indifferent
        for (std::size_t i = 0; i < n_; ++i)
            x_[n_ + i] = speed * std::cos(frequency * static_cast<double>(i + 1));
        system.derivative(t0, x_, other_);
        if (const std::size_t i = differing(n_, 2 * n_); i < 2 * n_)
            system.refuse(t0,
                          "integrator \"" + name_ +
                              "\" takes systems whose accelerations do not "
                              "depend on velocities, but that of coordinate " +
                              std::to_string(i - n_) +
                              " (counted from 0) does: no constraints other than linear ones, no "
                              "viscosity, no mass that depends on the state; take rk4 or dopri5");
        if (differing(2 * n_, dx_.size()) < dx_.size())
            system.refuse(t0,
                          "integrator \"" + name_ +
                              "\" takes systems without applied loads, whose "
                              "work depends on velocities; take rk4 or dopri5");
    }
    x_ = start;
}

void Symplectic::begin(System& system, double t0) {
    if (system.history()[0] == 0.0) {
        refuse_what_does_not_fit(system, t0);
        system.history()[0] = 1.0;
    }
    system.read_state(x_);
}

void Verlet::step(System& system, double t0, double h) {
    begin(system, t0);
    const auto drift = [&] {
        for (std::size_t i = 0; i < n_; ++i) x_[i] += 0.5 * h * x_[n_ + i];
    };
    drift();
    system.derivative(t0 + 0.5 * h, x_, dx_);
    for (std::size_t i = n_; i < x_.size(); ++i) x_[i] += h * dx_[i];
    drift();
    system.accept_state(t0, t0 + h, x_);
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
    const auto force = [&](const State& place, State& rate) {
        // velocities stay those of the beginning: nothing depends on them
        std::copy(place.begin(), place.begin() + n, x_.begin());
        system.derivative(place[n_], x_, dx_);
        std::copy(dx_.begin() + n, dx_.end(), rate.begin());
    };
    stepper_.do_step(
        std::make_pair(drift, force), std::make_pair(std::ref(place_), std::ref(kick_)), t0, h);

    std::copy(place_.begin(), place_.begin() + n, x_.begin());
    std::copy(kick_.begin(), kick_.end(), x_.begin() + n);
    system.accept_state(t0, t0 + h, x_);
}

}  // namespace ancora::explicit_integrators
