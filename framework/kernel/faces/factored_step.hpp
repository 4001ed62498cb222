// SPDX-License-Identifier: BSD-3-Clause
// The factorised matrix of a step, kept over several steps (modified Newton).
#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>

#include "ancora/sdk/step_equations.hpp"
#include "assembly.hpp"
#include "co_rotation.hpp"
#include "nonlinear_rows.hpp"
#include "step_matrix.hpp"
#include "step_operator.hpp"
#include "step_tangent.hpp"

namespace ancora {

/// The innermost operator of a step's solve: StepMatrix at the attitude at which it was factorised,
/// or corotated with the motion since (CoRotation).
class FactoredStep final : public StepOperator {
public:
    FactoredStep(Assembly& parts,
                 const Trial& trial,
                 NonlinearRows& nonlinear,
                 StepTangent& tangent);

    /// [assembly] A matrix for rows of which some depend on others, or not.
    void lay_out(bool is_redundant);
    /// [assembly] Chooses its layout for steps of length h, see StepMatrix::plan().
    void plan(double h, const Eigen::VectorXd& A);

    /// The number of threads has changed.
    void follow_workers() {
        if (matrix_) matrix_->follow_workers();
    }

    /// Assembles at the last trial and factorises.
    bool factorise(const StepTrial& trial, Tangent tangent);
    /// Whether there is a factorisation for steps of this length.
    bool is_for(double h) const { return h == step_; }
    void forget() { step_ = 0.0; }

    /// Whether it is of the consistent tangent, and whether it has not been used yet.
    bool is_exact() const { return is_exact_; }
    bool is_fresh() const { return is_fresh_; }
    /// Corotates the factor where a rotation explains the motion; if `may`.
    void corotate(bool may) {
        is_turned_ = may && !is_exact_ && !is_fresh_ && co_rotation_.follow(trial_.mid);
    }
    /// Residuals of rows in their own units, see NonlinearRows. [step]
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override;
    /// Judges one refinement: drops rotations or single precision where it contracts poorly.
    void judge(double first, double second);

    double factorise_flops() const { return matrix_->factorise_flops(); }
    double solve_flops() const { return matrix_->solve_flops(); }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    Assembly& parts_;
    const Trial& trial_;
    NonlinearRows& nonlinear_;
    StepTangent& tangent_;
    std::unique_ptr<StepMatrix> matrix_;
    CoRotation co_rotation_;
    Eigen::VectorXd no_end_;  // of the Jacobian, where the tangent is symmetric
    Eigen::VectorXd end_;     // where it is not
    Eigen::VectorXd turned_motion_, turned_rows_;
    double step_ = 0.0;  // length that it is for; 0: none
    bool is_turned_ = false;
    bool is_exact_ = false;
    bool is_fresh_ = false;
};

}  // namespace ancora
