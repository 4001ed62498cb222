// SPDX-License-Identifier: BSD-3-Clause
// Which constraint rows a step asks for where they depend on each other, and what the others do.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/SparseCholesky>

#include "mass_matrix.hpp"
#include "row_laws.hpp"
#include "row_set.hpp"

namespace ancora {

struct ScaledRows;

/// Redundant rows are dependent *on* the constraints' manifold and, in closed loops, independent
/// beside it: at a midpoint their smallest singular value is as small as the gap, not zero, and a
/// multiplier divided by it means nothing. And where rounded coordinates contradict each other no
/// motion closes their gaps. So rows are chosen once, at an accepted state, and kept for the steps
/// that follow; the others are left out, and closed by those that stay, since these define the same
/// manifold (theory, section 6).
class ConstraintSelection {
public:
    ConstraintSelection(RowSet& rows, const RowLaws& laws, const MassMatrix& mass)
        : rows_(rows), laws_(laws), mass_(mass) {}

    bool all() const { return rows_.dropped().empty(); }
    const std::vector<int>& dropped() const { return rows_.dropped(); }

    /// Chooses at a state.
    /// @param A values of the Jacobian there, in the row set's pattern
    /// @param pi of all rows there; those that are left out are carried here from then on, and are
    ///        zero in `pi` afterwards
    /// @returns whether other rows are left out than before
    bool choose(const Eigen::VectorXd& A, Eigen::VectorXd& pi);

    /// Leaves no row out; carried pi are the caller's.
    void forget();

    /// Row left out that opens in the step last evaluated, or -1: it does not depend on the others
    /// there.
    /// @param extent of the model [m]
    int violated_dropped_row(double extent) const;
    double dropped_row_residual(int row) const;
    /// To be called when a step is accepted.
    void accept();

    /// Looks at the rows of the step last evaluated for share().
    void prepare_minimum_norm();
    /// The same, once for a step of length h from t0.
    void prepare_sharing_of(double t0, double h) {
        if (all() || (shares_from_ == t0 && shares_over_ == h)) return;
        prepare_minimum_norm();
        shares_from_ = t0;
        shares_over_ = h;
    }
    /// Turns stresses that are zero in the rows left out into those of least norm, sum_k D_k s_k^2
    /// with D_k = B_k M^-1 B_k^T, that make the same forces. [step]
    void share(double* s);
    /// The same of a copy, which is valid until the next call; `s` itself where no row is left out.
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
    using Gram = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;
    /// Of rows that hang together by coordinates. Each row left out is a combination of those that
    /// stay: N = [C; -1] are the stresses that make no force. Few rows have N as it is; of many C
    /// is a solve with the rows' Gram matrix.
    struct Sharing {
        std::vector<int> kept, left;  // rows
        Eigen::VectorXd kept_length, left_length;
        Eigen::MatrixXd N;
        Eigen::LLT<Eigen::MatrixXd> normal;
        Eigen::VectorXd scaled, part;
        Eigen::SparseMatrix<double> kept_columns, left_columns;
        std::unique_ptr<Gram> gram;
        bool is_dense = true;
    };
    static void prepare(Sharing& to,
                        const ScaledRows& all,
                        const std::vector<int>& kept,
                        const std::vector<int>& left);
    static void share_sparse(Sharing& in);

    std::vector<double> gap_;    // of each row left out
    double shares_from_ = -1.0;  // the step that sharing was prepared for
    double shares_over_ = -1.0;
    Eigen::VectorXd shared_;
    std::vector<Sharing> sharings_;
    Eigen::VectorXd whole_;
};

}  // namespace ancora
