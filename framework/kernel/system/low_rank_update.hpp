// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on reactions, in the solve of a step: a low-rank update (Woodbury).
#pragma once

#include <span>

#include <Eigen/Core>
#include <Eigen/LU>

#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "step_operator.hpp"

namespace ancora {

/// With R = E s the reactions that forces depend on and U = dF/dR, the matrix of an iteration is K
/// - [0 U E; 0 0], a low-rank update of K, solved by the Woodbury identity:
///
///   x = x0 + W y,   (I - E W) y = E x0,   x0 = K^-1 r,   W = K^-1 [U; 0]                  (1)
///
/// with E applied to the stresses in x, K^-1 the solve with the rows of parts (theory (42)).
class LowRankUpdate final : public StepOperator {
public:
    LowRankUpdate(Assembly& parts,
                  ConstraintSelection& independent,
                  StepOperator& inner,
                  int num_rows)
        : parts_(parts), independent_(independent), inner_(inner), num_rows_(num_rows) {}

    bool empty() const { return !parts_.forces.depends_on_reactions(); }
    /// Takes U and W at the last trial. [step]
    void prepare();
    /// (1), or x0 if there is no such force. [step]
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override;
    /// r_motion += U E y: the term of the consistent tangent that StepTangent lacks. [step]
    void add_tangent(const double* y, double* r_motion);

private:
    Assembly& parts_;
    ConstraintSelection& independent_;
    StepOperator& inner_;
    int num_rows_;                  // of the model and of parts
    Eigen::MatrixXd by_reactions_;  // U
    Eigen::MatrixXd x_, s_;         // W
    Eigen::MatrixXd answer_;        // I - E W
    Eigen::PartialPivLU<Eigen::MatrixXd> solver_;
    Eigen::VectorXd zero_, reactions_, y_;
};

}  // namespace ancora
