// SPDX-License-Identifier: BSD-3-Clause
// Convergence test of an iteration: converged, failed, or cheaper with a new matrix.
#pragma once

#include <cstddef>
#include <limits>

#include "ancora/sdk/step_equations.hpp"

namespace ancora {

/// Corrections and residuals of the projection below this many tolerances are round-off.
inline constexpr double kFloorCorrections = 1e3;

/// Judges one iteration by its corrections and by residuals relative to their rounding-error bounds
/// (ScaledResidual).
class Convergence {
public:
    /// @param tolerance largest displacement by the last correction [m]
    /// @param closed bound of scaled residuals, see most_of()
    Convergence(double tolerance, int max_iterations, double closed)
        : tolerance_(tolerance), max_iterations_(max_iterations), closed_(closed) {}

    /// Expected largest of so many residuals that are round-off, in the units of ScaledResidual.
    static double most_of(std::size_t num_residuals);

    /// Constraint residual allowed besides round-off [m], for tolerances above the default.
    static double slack(double tolerance);

    /// Whether residuals are to be tested after k corrections: not after a first one that moves
    /// matter, unless it suffices (first_correction_suffices).
    bool is_to_be_judged(int k) const;

    enum class Verdict { go_on, converged, failed };
    /// @param k corrections made so far, > 0
    Verdict judge(int k, const ScaledResidual& defect);

    /// Whether the iterations that an old matrix still needs would cost more than a new
    /// factorisation, given the residual judged last (modified Newton).
    bool wants_fresh_matrix(const SolverCost& cost) const;

    /// Whether the iteration was accepted at a rounding floor with rows far from closed, as where
    /// the Jacobian at the middle of a step is singular and stresses are unbounded.
    bool is_far_from_closed() const { return is_far_from_closed_; }

    /// Takes the displacement of bodies by a correction [m].
    /// @param is_whole the error left by the correction is round-off
    void note(double correction, bool is_whole = false);

private:
    /// Contraction: ratios of the last two corrections and residuals of motion.
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
