// SPDX-License-Identifier: BSD-3-Clause
// Rows with a law that is no line, in a step.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"

namespace ancora {

/// The laws of such rows at the trial, and the slopes of them that the matrix in use knows. Their
/// residuals are gamma (s* - s) with gamma that of a taut row, s* the law's stress (theory, section
/// 3.3).
class NonlinearRows {
public:
    NonlinearRows(Assembly& parts, const MotionState& state, const Trial& trial);

    bool empty() const { return !parts_.laws.has_nonlinear(); }
    /// Residual of row k at a trial, in units of a taut row's. [step]
    double follow(int k, double increment, double s, double h);
    /// What that residual is made of beside its increment.
    double terms(int k, double s) const;
    const StressMean& law(int k) const { return trial_law_[static_cast<std::size_t>(k)]; }

    /// Gives the matrix the slopes of the last trial. [step]
    void give_slopes_to_matrix();
    /// Whether the slopes of the last trial differ from those in the matrix by what matters.
    bool have_outlived_matrix() const;
    /// The residuals of rows as the matrix has them: those of such rows in units of its gamma.
    std::span<const double> in_units_of_matrix(std::span<const double> r_rows);

    /// Writes or reads slopes and what is broken, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);
    /// After a matrix has been read.
    void restore_slopes();

private:
    Assembly& parts_;
    const MotionState& state_;
    const Trial& trial_;
    std::vector<StressMean> trial_law_;
    Eigen::VectorXd slope_in_matrix_, matrix_rows_;
};

}  // namespace ancora
