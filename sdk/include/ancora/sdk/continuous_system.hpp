// SPDX-License-Identifier: BSD-3-Clause
// A model in continuous time, for explicit integrators.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/system.hpp"

namespace ancora {

/// The state in continuous time, x = (q, v, w): w are the works and impulses of the ledger,
/// integrated as quadratures, in J, N s and N m s. They begin at zero in every step;
/// ContinuousSystem::quadrature_scales() has their scales in an error norm.
struct ContinuousState {
    std::int32_t num_coordinates = 0;  ///< n; q and v are the first 2 n entries of x
    std::int32_t num_states = 0;       ///< entries of x
    std::int32_t num_own = 0;          ///< of which the last are continuous states of objects
};

/// The continuous formulation of a model: M q'' = Q + F_L + F_C at (q, v, t), by the Udwadia-Kalaba
/// equation.
class ContinuousSystem {
public:
    virtual ContinuousState size() const = 0;

    /// [step] The accepted state as x, num_states entries.
    virtual void read_state(std::span<double> x) const = 0;
    /// [step] x' at (t, x).
    /// @throws the kernel's numerical error where the acceleration is not unique or constraints are
    ///         inconsistent; its plugin error as System::solve_step() does
    virtual void derivative(double t, std::span<const double> x, std::span<double> dx) = 0;
    /// [step] System::evaluate_events() at (t, x).
    virtual void evaluate_events(double t, std::span<const double> x, std::span<double> g) = 0;
    /// [step] Makes x the state at t1, projects it onto the constraints as the integrator's traits
    /// say, and records the step t0 -> t1 in the ledger.
    virtual void accept_state(double t0, double t1, std::span<const double> x) = 0;

    // For integrators that control their error.

    /// [step] Scales of the entries of w in an error norm in which q and v have weight 1, per entry
    /// of x behind these: energy, momentum, angular momentum of the motion. They change whenever a
    /// state is accepted.
    virtual std::span<const double> quadrature_scales() const = 0;
    [[deprecated("quadrature_scales")]] std::span<const double> book_scales() const {
        return quadrature_scales();
    }
    /// [step] The change of q of a state x at t by projection onto the constraints, entry by entry,
    /// and zero for the others: the error of a trial along prescribed motion, which the
    /// accelerations at its stages may not show.
    /// @returns false, and writes nothing, where nothing is prescribed over time or projected
    virtual bool constraint_error(double t, std::span<const double> x, std::span<double> error) = 0;
    /// [assembly] Whether the model has formulas of time, whose future values are unknown: where
    /// nothing moves, an error estimate cannot foresee them.
    virtual bool has_formulas_of_time() const = 0;
    /// [step] Records a step with zero error estimate whose length is limited by a default and not
    /// by the manifest: changes of formulas of time within it may have been missed.
    virtual void record_limited_step(double t0, double t1) = 0;

protected:
    ~ContinuousSystem() = default;
};

}  // namespace ancora
