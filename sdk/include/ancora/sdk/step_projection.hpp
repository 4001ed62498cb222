// SPDX-License-Identifier: BSD-3-Clause
// Velocity projection: velocities that obey the constraints at both ends of a step; undoing steps.
#pragma once

#include <span>

#include "ancora/sdk/system.hpp"

namespace ancora {

/// The symmetric, energy-neutral projection of velocities around a step of the discrete
/// formulation:
///
///   v0+ = v0 + a M^-1 A0^T mu,   (q1, v1-) = step from (q0, v0+),   v1 = v1- - b M^-1 A1^T mu
///   A1 v1 + phi_t = 0,   a^2 e0 = b^2 e1,   e_k = mu^T A_k M^-1 A_k^T mu                  (1)
///
/// with the same mu at both ends, so that (1) is its own adjoint, and the kinetic energy put in is
/// the one taken out. A, phi_t are of the m conditions that velocities meet: constraints, rigid
/// bodies, velocity constraints. Impulses and the work on moving supports are recorded.
class StepProjection {
public:
    virtual int num_conditions() const = 0;  ///< m
    /// [assembly] @throws the kernel's manifest error, with the object's place, where a model has
    /// objects that projected steps do not support
    /// @param goes_back whether steps go backwards in time as well
    virtual void require(bool goes_back) const = 0;

    /// [step] Begins a step at the accepted state, with mu = 0; System::solve_step() finds mu with
    /// it. The independent rows are selected here and kept for the step.
    virtual void begin() = 0;
    /// [step] Abandons the step that begin() began; the state is the accepted one.
    virtual void abandon() = 0;

    /// [step] Saves the accepted state with all that a run depends on, the ledger included.
    virtual void save() = 0;
    /// [step] Returns to it.
    virtual void restore() = 0;
    /// [step] Event functions at the accepted state, of a course that began with save() and of
    /// which only its ends count: the steps that it is composed of may go beyond an event.
    virtual void evaluate_events(std::span<double> g) = 0;

    /// [step] Records the length of a step of order above 2, for a warning about rows that are too
    /// stiff for it.
    virtual void note_length(double h) = 0;

protected:
    ~StepProjection() = default;
};

}  // namespace ancora
