// SPDX-License-Identifier: BSD-3-Clause
// When an iteration has converged, has failed, or would do better with a new matrix.
#pragma once

#include <cstddef>
#include <limits>

#include "ancora/sdk/step_equations.hpp"

namespace ancora {

/// Corrections and misses below this many tolerances are noise.
inline constexpr double kFloorCorrections = 1e3;

/// Judges one iteration by its corrections and by residuals in units of what rounding leaves of
/// their own terms (ScaledResidual).
class Convergence {
public:
    /// @param tolerance what corrections may still move bodies by [m]
    /// @param closed what residuals may be, see most_of()
    Convergence(double tolerance, int max_iterations, double closed)
        : tolerance_(tolerance), max_iterations_(max_iterations), closed_(closed) {}

    /// What rounding makes of the largest of so many residuals, in the units of ScaledResidual.
    static double most_of(std::size_t num_residuals);

    /// What gaps may be besides rounding [m]: a tolerance above the usual one loosens all of it.
    static double slack(double tolerance);

    /// Whether residuals are to be looked at after k corrections. A first one that moves matter
    /// leaves nothing to be looked at, unless it is whole.
    bool is_to_be_judged(int k) const;

    enum class Verdict { go_on, converged, failed };
    /// @param k corrections made so far, > 0
    Verdict judge(int k, const ScaledResidual& defect);

    /// Whether the iterations that a stale matrix still needs would cost more than a new one, at
    /// the defect judged last.
    bool wants_fresh_matrix(const SolverCost& cost) const;

    /// Whether what has converged was accepted at a rounding floor far from closed rows, as where
    /// the Jacobian at the middle of a step is singular and stresses have no bound.
    bool is_far_from_closed() const { return is_far_from_closed_; }

    /// A correction moves bodies by as much [m].
    /// @param is_whole what it leaves of itself is rounding
    void note(double correction, bool is_whole = false);

private:
    /// Ratios of the last two corrections and residuals of motion.
    struct Rates {
        double correction = 0.0;
        double defect = 0.0;
        double worst = 0.0;  // of the larger of both residuals
    };

    bool goes_round(const ScaledResidual& defect);

    static constexpr double kUnknown = std::numeric_limits<double>::infinity();

    double tolerance_;
    int max_iterations_;
    double closed_;
    double correction_ = kUnknown;
    double last_correction_ = kUnknown;
    double first_correction_ = kUnknown;
    ScaledResidual last_{kUnknown, kUnknown};
    double least_ = kUnknown;  // of the larger residuals
    int not_halved_ = 0;       // iterations since
    double worst_ = kUnknown;  // of the residuals judged last
    Rates rates_;
    bool is_whole_ = false;
    bool was_level_ = false;
    bool is_far_from_closed_ = false;
};

}  // namespace ancora
