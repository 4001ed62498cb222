// SPDX-License-Identifier: BSD-3-Clause
// Selection of independent constraint rows for a step, and the stresses of the dropped ones.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "column_span.hpp"
#include "mass_matrix.hpp"
#include "row_laws.hpp"
#include "row_set.hpp"

namespace ancora {

struct ScaledRows;

/// Redundant rows are dependent *on* the constraints' manifold and, in closed loops, independent
/// beside it: at a midpoint their smallest singular value is of the order of the constraint
/// residual, not zero, and a multiplier divided by it is meaningless. Where round-off makes the
/// rows inconsistent, no motion brings their residuals to zero. So a full-rank set of rows is
/// selected once, at an accepted state, and kept for the steps that follow; the redundant rows are
/// dropped. The kept ones define the same manifold, so that the dropped ones are met with them
/// (theory, section 6).
class ConstraintSelection {
public:
    ConstraintSelection(RowSet& rows, const RowLaws& laws, const MassMatrix& mass)
        : rows_(rows), laws_(laws), mass_(mass) {}

    bool all() const { return rows_.dropped().empty(); }
    const std::vector<int>& dropped() const { return rows_.dropped(); }

    enum class Conditions { as_before, others };
    /// Chooses at a state. A selection in use is kept where that is as good as another; not where
    /// other rows are conditions than before, which may depend on each other.
    /// @param A values of the Jacobian there, in the row set's pattern
    /// @param pi of all rows there; those of dropped rows are carried here from then on, and are
    ///        zero in `pi` afterwards
    /// @returns whether other rows are dropped than before
    bool choose(const Eigen::VectorXd& A,
                Eigen::VectorXd& pi,
                Conditions conditions = Conditions::as_before);

    /// Drops no row; carried pi are the caller's.
    void forget();

    /// Dropped row that is violated in the step last evaluated, or -1: it is independent of the
    /// others there.
    /// @param extent of the model [m]
    int violated_dropped_row(double extent) const;
    double dropped_row_residual(int row) const;
    /// To be called when a step is accepted.
    void accept();

    /// Prepares share() for the rows of the step last evaluated.
    void prepare_minimum_norm();
    /// The same, once for a step of length h from t0.
    void prepare_sharing_of(double t0, double h) {
        if (all() || (shares_from_ == t0 && shares_over_ == h)) return;
        prepare_minimum_norm();
        shares_from_ = t0;
        shares_over_ = h;
    }
    /// Replaces stresses that are zero in dropped rows by the minimum-norm ones, of least sum_k D_k
    /// s_k^2 with D_k = B_k M^-1 B_k^T, with the same forces. [step]
    void share(double* s);
    /// The same of a copy, which is valid until the next call; `s` itself where no row is dropped.
    /// [step]
    const double* shared(const double* s) {
        if (all()) return s;
        shared_ = Eigen::Map<const Eigen::VectorXd>(s, rows_.num_rows());
        share(shared_.data());
        return shared_.data();
    }

    /// Writes or reads the choice, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    RowSet& rows_;
    const RowLaws& laws_;
    const MassMatrix& mass_;
    /// Of rows connected by coordinates. Each dropped row is a combination of the kept ones: N =
    /// [C; -1] are the states of self-stress, the null space of B^T. For few rows N is stored; for
    /// many C is a solve with the rows' Gram matrix.
    struct Sharing {
        std::vector<int> kept, left;  // rows
        Eigen::VectorXd kept_length, left_length;
        Eigen::MatrixXd N;
        Eigen::LLT<Eigen::MatrixXd> normal;
        Eigen::VectorXd scaled, part;
        Eigen::SparseMatrix<double> kept_columns, left_columns;
        std::unique_ptr<SparseFactor> gram;
        bool is_dense = true;
    };
    static void prepare(Sharing& to,
                        const ScaledRows& all,
                        const std::vector<int>& kept,
                        const std::vector<int>& left);
    static void share_sparse(Sharing& in);

    std::vector<double> gap_;    // residual of each dropped row
    double shares_from_ = -1.0;  // the step that sharing was prepared for
    double shares_over_ = -1.0;
    Eigen::VectorXd shared_;
    std::vector<Sharing> sharings_;
    Eigen::VectorXd whole_;
};

}  // namespace ancora
