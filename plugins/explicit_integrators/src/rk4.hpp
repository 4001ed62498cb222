// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `rk4`.
#pragma once

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
/// Source: W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901).
class Rk4 final : public Integrator {
public:
    explicit Rk4(const Arguments& arguments);

    IntegratorTraits traits() const override { return traits_; }
    void prepare(const System& system, const StepSettings& settings) override;
    void step(System& system, double t0, double h) override;

private:
    using State = std::vector<double>;

    IntegratorTraits traits_;
    boost::numeric::odeint::runge_kutta4<State> stepper_;
    EventLocator events_;
    State x0_, dx0_, x1_;
};

}  // namespace ancora::explicit_integrators
