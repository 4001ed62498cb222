// SPDX-License-Identifier: BSD-3-Clause
// The multipliers of a velocity projection around a step, solved for together with the step.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "ancora/sdk/system.hpp"

namespace ancora {

/// The ends of a step with a projection around it, see StepProjection (1).
class ProjectedEnds {
public:
    /// [step] Sets the step's initial velocity to v0+ of this mu.
    /// @param change n entries, the difference of v0+ from the one before
    virtual void start_from(std::span<const double> mu, std::span<double> change) = 0;
    /// [step] Evaluates the end of the step for trial.a: the correction of mu by a simplified
    /// Newton step.
    /// @returns the residual of A1 v1 + phi_t = 0 as a change of velocity, in units of round-off
    virtual double look_at_end(const StepTrial& trial, std::span<double> correction) = 0;
    /// [step] See System::displacement().
    virtual double displacement(std::span<const double> dq) const = 0;

protected:
    ~ProjectedEnds() = default;
};

/// Corrects mu by a simplified Newton method with Anderson acceleration, whenever the step's own
/// iteration has converged.
///
/// Source of the acceleration: D. G. Anderson, J. ACM 12 (1965) 547.
class ProjectionMultipliers {
public:
    /// [assembly]
    void resize(int num_coordinates, int num_multipliers);
    /// A trial begins with these mu. [step]
    void begin(ProjectedEnds& ends, std::span<const double> mu);
    /// Whether velocities at the end of a trial that has converged obey the constraints. [step]
    bool are_found(ProjectedEnds& ends, const StepTrial& trial);

    struct Turn {
        int k = 0;                ///< of the step's iteration
        double correction = 0.0;  ///< displacement of matter by it [m]
        double tolerance = 0.0;   ///< of that [m]
    };
    /// After a correction of the step: corrects mu where it is due. `a` is changed with the start
    /// of the step, so that its end is unchanged. [step]
    /// @returns false where values are no numbers
    bool follow(ProjectedEnds& ends,
                const StepTrial& trial,
                const Turn& turn,
                std::span<double> a,
                std::span<double> mu);

private:
    static constexpr int kWindow = 5;  ///< of Anderson's method
    static constexpr double kUnknown = std::numeric_limits<double>::infinity();

    void correct(std::span<double> mu);

    std::vector<double> dv_, correction_;
    // Anderson's method: the last corrections and values, and differences of both.
    std::vector<double> last_correction_, last_mu_;
    std::vector<std::vector<double>> dcorrection_, dmu_;
    int num_differences_ = 0;
    double last_size_ = kUnknown;
    /// Change of v0+ by the last correction of mu, relative to the residual before it.
    double kick_per_miss_ = 0.0;
    double least_miss_ = kUnknown;
    int since_least_ = 0;  // corrections of mu
    /// Contraction of the step's iteration, from two corrections without one of mu between.
    double contraction_ = 1.0;
    double last_moved_ = 0.0;
    bool was_kicked_ = false;
};

}  // namespace ancora
