// SPDX-License-Identifier: BSD-3-Clause
// One step with velocities that obey the constraints at both ends.
#pragma once

#include <span>
#include <vector>

#include "ancora/sdk/step_projection.hpp"
#include "ancora/sdk/system.hpp"

namespace ancora {

/// Solves the step of emm.hpp together with the multipliers mu of the projection around it, see
/// StepProjection (1). Each turn corrects a and s by Newton's method, then mu by a simplified one
/// that Anderson's method makes up for; the start of the iteration is extrapolated from the steps
/// before, which need not be of equal length or go the same way.
///
/// Source of the acceleration: D. G. Anderson, J. ACM 12 (1965) 547.
class ProjectedStep {
public:
    void prepare(const System& system, double tolerance, int max_iterations, int num_conditions);
    /// Doubles of history that it wants, from `first` on in the integrator's.
    int num_history() const;
    void keep_history_from(int first) { first_ = first; }

    /// Solves and accepts a step of length h, which may be negative.
    /// @returns false if it has no solution; the system stays at its state
    bool advance(System& system, double t0, double h);
    /// The trial that was tried last, for who refuses it.
    StepTrial trial(double t0, double h) const { return {t0, h, a_, s_}; }

private:
    static constexpr int kPast = 4;    ///< steps that are extrapolated from
    static constexpr int kWindow = 5;  ///< of Anderson's method
    enum Word : int { kKnown, kMiddle, kWords = kMiddle + kPast };

    bool iterate(System& system, double t0, double h, Tangent tangent, bool is_always_fresh);
    void predict(System& system, double t0, double h);
    void remember(System& system, double t0, double h);
    void correct_mu();
    void take_mu(StepProjection& projection, double h);
    double* past(System& system, int k) const;

    double tolerance_ = 0.0;
    double closed_ = 1.0;  // what residuals may be
    int max_iterations_ = 0;
    int first_ = 0;
    std::vector<double> a_, s_, mu_, ddq_, ds_, r_motion_, r_rows_, dv_, correction_;
    // Anderson's method: the last corrections and values, and differences of both.
    std::vector<double> last_correction_, last_mu_;
    std::vector<std::vector<double>> dcorrection_, dmu_;
    int num_differences_ = 0;
    double last_size_ = 0.0;
    double kick_per_miss_ =
        0.0;  ///< change of v0+ by the last correction of mu, per what asked for it
};

}  // namespace ancora
