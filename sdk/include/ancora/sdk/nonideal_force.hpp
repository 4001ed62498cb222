// SPDX-License-Identifier: BSD-3-Clause
// The NonidealForce interface: forces on attachments that are not the gradient of a potential.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/rows.hpp"

namespace ancora {

/// Under which heading of the energy ledger a force's work is booked.
enum class WorkKind : std::int32_t {
    external,  ///< applied loads: work.external, and their impulse counts as external
    nonideal,  ///< drag, friction, motors between bodies: work.nonideal
};

/// Results of a force: one entry per local scalar, f conjugate to u (three per attachment).
struct ForceValues {
    std::span<double> f;
};

/// A force C of the Udwadia-Kalaba equation: how much work the constraints and the surroundings
/// really do. It acts on attachments, u = (r_1, ..., r_k) as for a constraint.
///
/// Friction that couples to reactions of constraints (a contact law) is a facet that a later SDK
/// version adds.
class NonidealForce {
public:
    virtual ~NonidealForce() = default;

    /// [assembly] Names of the parameters that hold the attachments, in the order of u.
    virtual std::span<const char* const> attachments() const = 0;

    virtual WorkKind work() const = 0;

    /// [assembly] True if the force acts against the inertial frame (a medium, a fixed field) even
    /// without a ground attachment: its impulse then counts as external.
    virtual bool tied_to_inertial_frame() const { return false; }

    /// [step] Continuous face: the force at an instant.
    virtual void evaluate(const RowPoint& at,
                          std::span<const double> state,
                          const ForceValues& out) const = 0;

    /// [step] Discrete face: the mean force over the step, whose work is f . du. The default takes
    /// the continuous force at the midpoint with the mean velocity.
    virtual void evaluate_step(const RowStep& step,
                               std::span<const double> mean_velocity,
                               const ForceValues& out) const {
        evaluate({step.mid, mean_velocity, step.t0 + 0.5 * step.h}, step.state0, out);
    }

    virtual int num_state() const { return 0; }
    virtual void start_state(std::span<double> state) const { static_cast<void>(state); }
};

}  // namespace ancora
