// SPDX-License-Identifier: BSD-3-Clause
// Composition of projected steps, of order 2 to 8, and control of the step length.
#pragma once

#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/event_locator.hpp"
#include "ancora/sdk/integrator.hpp"
#include "projected_step.hpp"

namespace ancora {

/// A step of length h as steps of lengths gamma_i h, symmetric, with sum gamma_i = 1. Since the
/// projected step is its own adjoint the composition has its full order, in positions and
/// velocities, and it conserves the quantities that each of its steps conserves.
///
/// Under error control each step is taken once whole and once as two halves; the difference, over
/// 2^p - 1, estimates the error of the halves, which are kept.
///
/// Sources of the coefficients: order 4 M. Suzuki, Phys. Lett. A 146 (1990) 319; 6 and 8 W. Kahan,
/// R. Li, Math. Comp. 66 (1997) 1089.
class Composition {
public:
    explicit Composition(const Arguments& arguments);

    /// Whether steps are composed or projected.
    bool is_wanted() const { return order_ > 2 || projects_ || controls_error_; }
    /// Whether step lengths are chosen by error control: no grid is needed then.
    bool chooses_steps() const { return order_ > 2 || controls_error_; }

    void prepare(const System& system, const StepSettings& settings, int max_iterations);
    int num_history() const;
    /// Advances by h, or by a step of its own choice of at most h.
    void step(System& system, double t0, double h, int max_halvings);

private:
    enum Word : int { kNext, kWords };
    void step_over_events(System& system, double t0, double h, int max_halvings);
    bool compose(System& system, double t0, double h);
    bool halved(System& system, double t0, double h, int halvings);
    void controlled(System& system, double t0, double h);
    double& next(System& system) const;
    void refuse(System& system, double t0, double h);

    int order_;
    bool projects_;
    bool controls_error_;
    double step_ = 0.0;
    double tolerance_ = 0.0;
    double failed_t0_ = 0.0, failed_h_ = 0.0;
    ProjectedStep projected_;
    EventLocator events_;
    std::vector<double> q_, v_;
};

}  // namespace ancora
