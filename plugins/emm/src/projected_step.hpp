// SPDX-License-Identifier: BSD-3-Clause
// One step with projected velocities, which obey the constraints at both ends.
#pragma once

#include <span>
#include <vector>

#include "ancora/sdk/step_projection.hpp"
#include "ancora/sdk/system.hpp"

namespace ancora {

/// The step of emm.hpp together with the multipliers mu of the projection around it, see
/// StepProjection (1). The predictor extrapolates the steps before, which need not be of equal
/// length or direction.
class ProjectedStep {
public:
    void prepare(const System& system, double tolerance, int max_iterations, int num_conditions);
    /// Number of doubles of history that it needs, from `first` on in the integrator's.
    int num_history() const;
    void keep_history_from(int first) { first_ = first; }

    /// Solves and accepts a step of length h, which may be negative.
    /// @returns false if the iteration does not converge; the system stays at its state
    bool advance(System& system, double t0, double h);
    /// The last trial, for the message of a refusal.
    StepTrial trial(double t0, double h) const { return {t0, h, a_, s_}; }

private:
    static constexpr int kPast = 4;  ///< steps that are extrapolated from
    enum Word : int { kKnown, kMiddle, kWords = kMiddle + kPast };

    bool solve(System& system, double t0, double h);
    void predict(System& system, double t0, double h);
    void remember(System& system, double t0, double h);
    double* past(System& system, int k) const;

    StepOptions options_;
    int first_ = 0;
    std::vector<double> a_, s_, mu_;
};

}  // namespace ancora
