// SPDX-License-Identifier: BSD-3-Clause
// The Integrator interface: advances the state of a system by one step.
#pragma once

#include "ancora/sdk/system.hpp"

namespace ancora {

/// Advances a system in time. Keys `step`, `end` and `tolerance` are the kernel's; an integrator's
/// own keys stand in `[integrator.TYPE]`.
class Integrator {
public:
    virtual ~Integrator() = default;

    /// [assembly] Sizes the buffers for `system`.
    /// @param tolerance the manifest's `tolerance`, in the integrator's own meaning; 0: not given
    virtual void prepare(const System& system, double tolerance) = 0;

    /// [assembly] Number of doubles of history that the kernel keeps for it (System::history), zero
    /// at the start. What a step needs to know of the steps before stands there and nowhere else,
    /// so that a checkpoint has it.
    virtual int num_history(const System& system) const {
        static_cast<void>(system);
        return 0;
    }

    /// [step] Advances `system` from t0 to t0 + h, by one accepted step or several shorter ones.
    virtual void step(System& system, double t0, double h) = 0;
};

}  // namespace ancora
