// SPDX-License-Identifier: BSD-3-Clause
// The correction of a step's iteration.
#pragma once

#include <cmath>
#include <span>

#include <Eigen/Core>

#include "ancora/sdk/step_equations.hpp"
#include "assembly.hpp"
#include "contacts.hpp"
#include "defect.hpp"
#include "factored_step.hpp"
#include "nonlinear_rows.hpp"
#include "reaction_feedback.hpp"
#include "row_choice.hpp"
#include "slip_law.hpp"
#include "step_friction.hpp"
#include "step_tangent.hpp"

namespace ancora {

/// One operator made of small ones, from the outside in: refinement towards the exact
/// tangent (here), an update of low rank by forces that depend on reactions (ReactionFeedback),
/// another by friction (StepFriction), and the matrix as factorised or turned along (FactoredStep).
class StepSolver {
public:
    StepSolver(Assembly& parts,
               const MotionState& state,
               Trial& trial,
               const Contacts& contacts,
               NonlinearRows& nonlinear,
               StepTangent& tangent,
               FactoredStep& matrix,
               ContactResponses& responses,
               StepFriction& friction,
               ReactionFeedback& feedback,
               RowChoice& choice,
               DefectMeasure& defect);

    /// See System::factorise().
    bool factorise(const StepTrial& trial, Tangent tangent);
    /// See System::solve(). [step]
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds);
    /// See System::is_solved_to_rounding().
    bool is_solved_to_rounding() const { return is_solved_to_rounding_; }
    SolverCost cost() const;
    /// What is known is of another motion.
    void forget() {
        known_ = {};
        now_ = {};
        in_vain_ = steps_in_vain_ = 0;
    }

    /// Writes or reads the count and what is known of the matrix, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(factorisations);
        archive.require(factorisations >= 0, "a count");
        archive(known_.contraction);
        archive(known_.solves_refined);
        archive(known_.solves_unrefined);
        archive(known_.steps);
        archive(known_.spared_in_vain);
        archive(known_.unrefined_in_vain);
        archive.require(known_.steps >= 0 && known_.steps < kLookAgain, "a count");
        archive.require(known_.spared_in_vain >= 0 && known_.spared_in_vain <= kLookAgain,
                        "a count");
        archive.require(known_.unrefined_in_vain >= 0 && known_.unrefined_in_vain <= kLookAgain,
                        "a count");
        archive.require(known_.contraction >= 0.0, "a contraction");
        archive(known_.of_motion);
        archive.require(known_.of_motion >= 0.0, "a contraction");
        archive(now_.t);
        archive(now_.h);
        archive(now_.solves);
        archive.require(now_.solves >= 0 && now_.solves <= kManySolves, "a count");
        archive(now_.was_first_refined);
        archive(now_.was_refined_further);
        archive(now_.unrefined);
        archive(now_.was_second_spared);
        archive(now_.was_first_whole);
        for (int* count : {&in_vain_, &steps_in_vain_}) {
            archive(*count);
            archive.require(*count >= 0 && *count <= kLookAgain, "a count");
        }
        archive(solved_);
        archive.require(std::isfinite(solved_) && solved_ >= 0.0, "a number of operations");
    }

    long factorisations = 0;
    double factorise_seconds = 0.0;

private:
    /// Steps after which it is tried again whether a refinement spares an iteration.
    static constexpr int kLookAgain = 64;
    static constexpr int kManySolves = 1 << 20;  // more than any step takes

    double evaluation_flops() const;
    double solve_work() const;
    void begin_solve(double first);
    double rounding_of_step() const;
    bool is_first_whole(double first, std::span<const double> r_motion);
    bool spares_second(double left) const;
    bool needs_refinement(double first) const;
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
    const Contacts& contacts_;
    NonlinearRows& nonlinear_;
    StepTangent& tangent_;
    FactoredStep& matrix_;
    ContactResponses& responses_;
    StepFriction& friction_;
    ReactionFeedback& feedback_;
    RowChoice& choice_;
    DefectMeasure& defect_;
    Eigen::VectorXd left_motion_, left_rows_, more_dq_, more_s_;

    /// What is known of the matrix, from steps that it served.
    struct Known {
        double contraction = 1.0;   // what a solve leaves of what it corrects
        double of_motion = 1.0;     // the same of residuals of motion
        int solves_refined = 0;     // of the last step whose first solve was refined; 0: none
        int solves_unrefined = 0;   // of the last whose first was not
        int steps = 0;              // since these were looked at
        int spared_in_vain = 0;     // in a row whose second solve was not, and that took a third
        int unrefined_in_vain = 0;  // in a row whose first was taken for whole, and was not
    };
    /// The trial that is being solved.
    struct Now {
        double t = 0.0;
        double h = 0.0;
        int solves = 0;
        bool was_first_refined = false;
        bool was_refined_further = false;
        bool was_second_spared = false;
        bool was_first_whole = false;  // without a refinement
        double unrefined = -1.0;       // last correction, if it was not refined
    };
    Known known_;
    Now now_;
    // That is of the motion's curvature, which a new matrix does not change.
    int in_vain_ = 0;        // steps in a row that were refined further, and corrected again
    int steps_in_vain_ = 0;  // since it was last tried again
    double solved_ = 0.0;    // operations of all solves
    double moved_ = 0.0;     // by the trial, before the correction [m]
    double rounding_ = 0.0;  // of the step, see rounding_of_step()
    bool is_solved_to_rounding_ = false;
};

}  // namespace ancora
