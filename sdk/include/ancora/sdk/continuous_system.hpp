// SPDX-License-Identifier: BSD-3-Clause
// A model in continuous time: what explicit integrators ask for.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/system.hpp"

namespace ancora {

/// What of a model moves in continuous time, x = (q, v, w): w are the works and impulses of the
/// ledger, integrated as further states, in J, N s and N m s. They begin at zero in every step;
/// what an error in them means says ContinuousSystem::quadrature_scales().
struct ContinuousState {
    std::int32_t num_coordinates = 0;  ///< n; q and v are the first 2 n entries of x
    std::int32_t num_states = 0;       ///< entries of x
    std::int32_t num_own = 0;          ///< of which the last are continuous states of objects
};

/// The continuous face of a model: M q'' = Q + F_L + F_C at (q, v, t), by the Udwadia-Kalaba
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

    /// [step] What an entry of w is to be measured by where an error in it is to mean as much as
    /// one in q and v, per entry of x behind these: the energy in play, the momentum, the angular
    /// momentum. They change whenever a state is accepted.
    virtual std::span<const double> quadrature_scales() const = 0;
    [[deprecated("quadrature_scales")]] std::span<const double> book_scales() const {
        return quadrature_scales();
    }
    /// [step] What projection onto the constraints would move q of a state x at t by, entry by
    /// entry, and zero for the others: the error of a trial along motion that is prescribed, of
    /// which the accelerations at its stages may show nothing.
    /// @returns false, and writes nothing, where nothing is prescribed over time or projected
    virtual bool constraint_error(double t, std::span<const double> x, std::span<double> error) = 0;
    /// [assembly] Whether something is given by a formula of time, so that only values show what it
    /// does: where nothing moves, an estimate of the error says nothing of what comes.
    virtual bool has_formulas_of_time() const = 0;
    /// [step] Records a step in which the estimate of the error sees nothing happen, and which is
    /// as long as a limit that the manifest does not give: what formulas of time do meanwhile may
    /// have been missed.
    virtual void record_limited_step(double t0, double t1) = 0;

protected:
    ~ContinuousSystem() = default;
};

}  // namespace ancora
