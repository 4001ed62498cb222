// SPDX-License-Identifier: BSD-3-Clause
// L D L^T of a sparse matrix in the order that it has, by supernodes.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "lanes.hpp"
#include "supernodes.hpp"

namespace ancora {

/// Left-looking, with dense panels (Ng and Peyton, SIAM J. Sci. Comput. 14 (1993) 1034): each
/// supernode is updated by those below it in the tree that reach it, in an order that the pattern
/// alone determines, so that the same matrix has the same factors to the last bit. There is no
/// pivoting: the matrix has to be quasi-definite, or nearly so.
///
/// A solve runs along contiguous memory and reads 8 bytes an entry, or 4 if the values are also
/// kept in single precision: a large solve spends its time on that. Single precision serves where
/// residuals are computed exactly and corrections repeated.
class SparseLdlt {
public:
    SparseLdlt() = default;
    SparseLdlt(const SparseLdlt&) = delete;
    SparseLdlt& operator=(const SparseLdlt&) = delete;

    /// Lays out the factors of matrices of this pattern.
    /// @param upper upper triangle, in an order whose elimination tree is in postorder, see
    ///        EliminationTree::postorder(); every diagonal entry is there
    void analyse(const Eigen::SparseMatrix<double>& upper);
    /// Allocates nothing.
    /// @returns false if a pivot is zero or not finite
    bool factorise(const Eigen::SparseMatrix<double>& upper);
    /// x := (L D L^T)^-1 x; allocates nothing.
    void solve(double* x);

    /// The same of kLanes right-hand sides that stand side by side, x[kLanes i + k].
    void solve_side_by_side(double* x) const;

    /// Whether solves use single precision from the next factorisation on.
    void use_single(bool in_single);
    /// Solves with the factors in double precision from now on.
    void use_double() { in_single_ = false; }
    bool is_single() const { return in_single_; }

    const Eigen::VectorXd& pivots() const { return D_; }
    /// Entries of L below its diagonal, with the zeros among them.
    long num_entries() const { return supernodes_.num_values(); }
    /// Floating-point operations of a factorisation and of a solve.
    double factorise_flops() const { return factorise_flops_; }
    double solve_flops() const { return solve_flops_; }

private:
    // sparse_ldlt.cpp
    int end_of_update(int s, int begin) const;
    void wait_for_target(int s, int begin);
    void update(int target);
    void update_from(int target, int source, int begin, int end);
    bool factorise_panel(int s);
    void copy_to_single();

    // sparse_ldlt_solve.cpp
    void lay_out_pieces();
    template <class Scalar>
    void solve_down(const Scalar* values, double* x) const;
    template <class Scalar>
    void solve_up(const Scalar* values, double* x);
    void solve_with(const float* values, double* x);
    void solve_with(const double* values, double* x);

    /// Some columns of a supernode, as many as a solve takes at once.
    struct Piece {
        int first = 0;  // column
        int width = 0;
        int num_rows = 0;  // below the piece
        int stride = 0;    // from column to column
        const int* rows = nullptr;
        long triangle = 0;  // value on the first diagonal; above the diagonal stands the mirror
    };

    Supernodes supernodes_;
    std::vector<long> place_;  // of each entry of the upper triangle, among the values
    std::vector<Piece> pieces_;
    std::vector<double> values_;
    std::vector<float> single_;
    Eigen::VectorXd D_, inverse_D_;
    bool in_single_ = false;
    double factorise_flops_ = 0.0;
    double solve_flops_ = 0.0;

    // Of each supernode, while others are updated: the row that it updates next, and the supernode
    // that updates the same one after it.
    std::vector<int> next_row_, next_source_, first_source_;
    std::vector<int> local_;      // of each row, its place in the panel being updated
    std::vector<double> packed_;  // D L^T of the columns that update
    std::vector<double> product_;
    std::vector<double> gathered_;
};

}  // namespace ancora
