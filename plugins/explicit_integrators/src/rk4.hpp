// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `rk4`.
#pragma once

#include <cstddef>
#include <vector>

#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/event_locator.hpp"
#include "ancora/sdk/integrator.hpp"

namespace ancora::explicit_integrators {

/// The classical Runge-Kutta method of fourth order with a fixed step, on x = (q, v, w):
///
///   x1 = x0 + h (k1 + 2 k2 + 2 k3 + k4) / 6                                              (1)
///
/// Works and impulses w of the ledger are integrated with the same stages. After each step the
/// state is projected onto the constraints, unless that is switched off.
///
/// In a singular position, where rows become dependent and other motions begin, stages see
/// accelerations without bound. Where those of a step differ far more than usual such a position is
/// looked for, and recorded if there is one.
///
/// Source: W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901).
class Rk4 final : public Integrator {
public:
    explicit Rk4(const Arguments& arguments);

    IntegratorTraits traits() const override { return traits_; }
    void prepare(const System& system, const StepSettings& settings) override;
    int num_history(const System&) const override { return kHistory; }
    void step(System& system, double t0, double h) override;

private:
    using State = std::vector<double>;
    /// How far accelerations of stages differed of late, by the length of a step, and how far
    /// velocities were from what the first stage foretold, by its square.
    enum History : int { kSpread, kMiss, kHistory };
    enum class Passing { none, smooth, jump };

    double largest_difference(const State& dx, const State& other) const;
    Passing watch(System& system, double t0, double h);

    IntegratorTraits traits_;
    boost::numeric::odeint::runge_kutta4<State> stepper_;
    EventLocator events_;
    State x0_, dx0_, x1_;
    std::size_t n_ = 0;
    double spread_ = 0.0;
};

}  // namespace ancora::explicit_integrators
