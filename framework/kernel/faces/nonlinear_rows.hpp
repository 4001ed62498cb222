// SPDX-License-Identifier: BSD-3-Clause
// Rows with a nonlinear law, in a step.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "dense.hpp"

namespace ancora {

/// The laws of such rows at the trial, and the tangent moduli (slopes) in the factorised matrix.
/// Their residuals are gamma (s* - s) with s* the law's mean stress and gamma the compliance at the
/// largest modulus (theory, section 3.3).
class NonlinearRows {
public:
    NonlinearRows(Assembly& parts, const MotionState& state, const Trial& trial);

    bool empty() const { return !parts_.laws.has_nonlinear(); }
    /// Takes the laws at a trial with the increments `Bdq + tau` and stresses s, and writes the
    /// residuals of their rows, in units of that compliance. [step]
    void follow(const double* s, double h, double* r_rows);
    /// Sum of the moduli of that residual's terms except its increment.
    double terms(int k, double s) const;
    const StressMean& law(int k) const { return trial_law_[k]; }
    /// r_rows -= d residual / d (dpi_1, s) (change, ds) of all these rows. [step]
    void subtract(const double* change, const double* ds, double* r_rows) const;

    /// Throws for a law of several rows whose numbers at the begin of the step are not finite.
    void attribute_nonfinite();
    /// Sets the slopes of the last trial in the matrix. [step]
    void set_tangent_moduli();
    /// Whether the slopes of the last trial differ from those in the matrix by more than a
    /// tolerance.
    bool have_outlived_matrix() const;
    /// Row residuals in the scaling of the matrix: those of nonlinear rows in units of its gamma,
    /// and of rows with a coupled law in the eigenvectors of its tangent moduli.
    std::span<const double> scale_rows(std::span<const double> r_rows);
    /// A Jacobian with those combinations as rows. The result is valid until the next call.
    const Eigen::VectorXd& combined(const Eigen::VectorXd& jacobian);
    /// From multipliers of the matrix' rows to those of the model.
    void unscale_multipliers(std::span<double> s) const;

    /// Writes or reads slopes and what is broken, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);
    /// After a matrix has been read.
    void restore_slopes();

private:
    bool has_outlived_matrix(const ItemLaws::Item& item) const;
    /// Compliance of row k to a force along it within the step.
    double mobility_of(int k) const;
    /// Computes the eigenvectors of the slopes in the matrix, and sets its eigenvalues.
    void combine(const ItemLaws::Item& item);

    Assembly& parts_;
    const MotionState& state_;
    const Trial& trial_;
    std::vector<StressMean> trial_law_;
    Eigen::VectorXd slope_in_matrix_, matrix_rows_;
    // Of rows that have a law together, see ItemLaws::Item::first_slope; increments of all rows
    Eigen::VectorXd increment_, trial_slopes_, slopes_in_matrix_, combination_, combined_;
    std::array<SymmetricEigen, ItemLaw::kMostRows + 1> eigen_;  // by the number of rows
};

}  // namespace ancora
