// SPDX-License-Identifier: BSD-3-Clause
// The correction of a step's iteration: modified Newton with iterative refinement.
#pragma once

#include <cmath>
#include <span>

#include <Eigen/Core>

#include "ancora/sdk/step_equations.hpp"
#include "assembly.hpp"
#include "factored_step.hpp"
#include "low_rank_update.hpp"
#include "nonlinear_rows.hpp"
#include "residual_scaling.hpp"
#include "selection_update.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"
#include "step_tangent.hpp"

namespace ancora {

/// An operator in layers, from the outside in: iterative refinement with the consistent tangent
/// (here), a low-rank update by forces that depend on reactions (LowRankUpdate), updates by the
/// rows of parts (StepPart), and the matrix as factorised or corotated (FactoredStep).
class StepSolver {
public:
    StepSolver(const SystemData& of,
               StepRows& rows,
               StepParts& extra,
               LowRankUpdate& feedback,
               ResidualScaling& defect);

    /// See StepEquations::factorise().
    bool factorise(const StepTrial& trial, Tangent tangent);
    /// See StepEquations::solve(). [step]
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds);
    /// See StepEquations::converged_to_roundoff().
    bool converged_to_roundoff() const { return is_solved_to_rounding_; }
    SolverCost cost() const;
    /// Discards the known contraction, after a discontinuity of the motion.
    void forget() {
        known_ = {};
        was_unrefined_ = false;
    }

    /// Writes or reads the count and the known contraction, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(factorisations);
        archive.require(factorisations >= 0, "a count");
        for (double* contraction : {&known_.contraction, &known_.of_motion}) {
            archive(*contraction);
            archive.require(*contraction >= 0.0, "a contraction");
        }
        archive(t_);
        archive(h_);
        archive(was_unrefined_);
        archive(solved_);
        archive.require(std::isfinite(solved_) && solved_ >= 0.0, "a number of operations");
    }

    long factorisations = 0;
    double factorise_seconds = 0.0;

private:
    double evaluation_flops() const;
    double solve_work() const;
    bool leaves_rounding(double first, std::span<const double> r_motion);
    void solve_refined(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds);
    void refine(std::span<const double> r_motion,
                std::span<const double> r_rows,
                double first,
                std::span<double> ddq,
                std::span<double> ds);
    static void note_contraction(double before, double after, double rounding, double& known);
    void leave_residual(std::span<const double> r_motion,
                        std::span<const double> r_rows,
                        std::span<const double> ddq,
                        std::span<const double> ds);

    Assembly& parts_;
    const MotionState& state_;
    Trial& trial_;
    StepRows& rows_;
    StepParts& extra_;
    LowRankUpdate& feedback_;
    ResidualScaling& defect_;
    Eigen::VectorXd left_motion_, left_rows_, more_dq_, more_s_;

    /// Contraction of a solve: the residual after it relative to the one before, measured by the
    /// last refinement.
    struct Known {
        double contraction = 1.0;
        double of_motion = 1.0;  // the same of residuals of motion
    };
    Known known_;
    double t_ = 0.0, h_ = 0.0;    // of the trial that was solved last
    bool was_unrefined_ = false;  // taken as converged to round-off without a refinement
    double solved_ = 0.0;         // operations of all solves
    double moved_ = 0.0;          // by the trial, before the correction [m]
    bool is_solved_to_rounding_ = false;
};

}  // namespace ancora
