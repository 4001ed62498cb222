// SPDX-License-Identifier: BSD-3-Clause
// The equations of one step and their matrix, which System::solve_step() iterates on.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "ancora/sdk/system.hpp"

namespace ancora {

/// Residuals of a trial, each divided by the rounding-error bound of its sum; up to about 1 is as
/// good as doubles allow.
struct ScaledResidual {
    double motion = 0.0;  ///< largest |r_motion| of a node or director
    double rows = 0.0;    ///< largest |r_rows| of a row
    /// The same in units of the round-off of positions, of rows beyond kFarFromClosed. Terms of a
    /// short step are smaller than positions: where rows are inconsistent by such a rounding, no
    /// motion removes it. Infinite where unknown.
    double positions = std::numeric_limits<double>::infinity();
    static constexpr double kFarFromClosed = 1e3;
};
using StepDefect [[deprecated("ScaledResidual")]] = ScaledResidual;

/// Which matrix an iteration uses.
enum class Tangent : std::int32_t {
    definite,    ///< symmetric, with the positive part of the geometric stiffness
    symmetric,   ///< symmetric, with the full geometric stiffness
    consistent,  ///< the derivative of the residual; unsymmetric and slower
};

/// Work in floating-point operations, weighted to the speed of a solve, for deciding on reuse of a
/// factorisation (modified Newton); the same in every run, unlike a clock.
struct SolverCost {
    double factorise = 0.0;  ///< of a factorisation
    double iterate = 0.0;    ///< of one evaluation with a solve and one refinement
    double solved = 0.0;     ///< of all solves so far
};

/// With the mean acceleration a of a step t0 -> t0 + h and one stress s per row,
///
///   r_motion = M a + sum_k B_k^T s_k - F = 0                                             (1)
///   r_rows   = B dq + tau + rho - gamma s = 0                                            (2)
///
/// (theory (29)), dq = h v0 + (h^2 / 2) a. For integrators that iterate on their own; most leave
/// that to System::solve_step().
class StepEquations {
public:
    /// False if constraint rows are redundant; then only an iteration that starts from zero
    /// stresses in those rows converges to the stresses of minimum norm.
    virtual bool stresses_are_unique() const = 0;
    /// Sets the entries of s that belong to constraint rows to zero.
    virtual void clear_constraint_stress(std::span<double> s) const = 0;

    /// [step] Evaluates (1) and (2). Every entry of the outputs is written.
    /// @throws the kernel's plugin error if a plugin throws or returns a value that is not finite
    virtual void evaluate(const StepTrial& trial,
                          std::span<double> r_motion,
                          std::span<double> r_rows) = 0;
    /// [step] Measures the residuals of the last evaluated trial. `slack` [m] is a displacement
    /// allowed besides the rounding-error bound; 0 asks for all that doubles allow.
    virtual ScaledResidual defect(const StepTrial& trial, double slack) = 0;

    /// [step] Assembles and factorises the matrix of the last evaluated trial. The factorisation
    /// may allocate inside its library.
    /// @returns false if the matrix has no factorisation of this kind
    virtual bool factorise(const StepTrial& trial, Tangent tangent) = 0;
    /// True if the factorisation in use was made for a step of this length.
    virtual bool is_factorised_for(double h) const = 0;
    /// [step] Solves for the corrections of dq and s: K (ddq, ds) = (r_motion, r_rows), to be
    /// subtracted from the trial.
    virtual void solve(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds) = 0;
    /// Whether the error left by the last solve is known to be within the round-off of the step's
    /// motion. Then residuals at round-off need no further correction to confirm convergence.
    virtual bool converged_to_roundoff() const { return false; }
    [[deprecated("converged_to_roundoff")]] bool is_solved_to_rounding() const {
        return converged_to_roundoff();
    }
    virtual SolverCost cost() const = 0;

    /// [step] Largest displacement of matter that a change of q means [m].
    virtual double displacement(std::span<const double> dq) const = 0;
    /// See System::nears_singular_position().
    virtual bool nears_singular_position(const StepTrial& trial) = 0;
    /// Counts one iteration of the step in progress, for the run's statistics.
    virtual void count_iteration() = 0;

protected:
    ~StepEquations() = default;
};

}  // namespace ancora
