// SPDX-License-Identifier: BSD-3-Clause
// Supernodal L D L^T of a sparse matrix in its given order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "factor_parts.hpp"
#include "lanes.hpp"
#include "supernodes.hpp"
#include "workers.hpp"

namespace ancora {

/// Left-looking, with dense panels (Ng and Peyton, SIAM J. Sci. Comput. 14 (1993) 1034): each
/// supernode is updated by those below it in the tree that reach it, in an order that the pattern
/// alone determines, so that the same matrix has the same factors to the last bit. There is no
/// pivoting: the matrix has to be quasi-definite, or nearly so.
///
/// A solve runs along contiguous memory and reads 8 bytes an entry, or 4 if the values are kept in
/// single precision: a large solve spends its time on that, and a large model its memory. Sums and
/// pivots are in double precision all the same: an entry of L is rounded once, as it is stored.
/// Single precision suffices with iterative refinement by residuals in higher precision.
///
/// Large factors are processed in parts, subtrees and a top separator, also by one thread, so that
/// the bits are the same for any number of threads.
class SparseLdlt {
public:
    static constexpr long kAlways = std::numeric_limits<long>::max();

    SparseLdlt() = default;
    SparseLdlt(const SparseLdlt&) = delete;
    SparseLdlt& operator=(const SparseLdlt&) = delete;

    /// The threads, or nullptr for that of the caller alone. They outlive their use here.
    void use_workers(Workers* workers);

    /// Lays out the factors of matrices of this pattern.
    /// @param upper upper triangle, in an order whose elimination tree is in postorder, see
    ///        EliminationTree::postorder(); every diagonal entry is there
    /// @param most_double L with more entries is kept in single precision
    void analyse(const Eigen::SparseMatrix<double>& upper, long most_double = kAlways);
    /// Allocates nothing.
    /// @returns false if a pivot is zero or not finite
    bool factorise(const Eigen::SparseMatrix<double>& upper);
    /// x := (L D L^T)^-1 x; allocates nothing.
    void solve(double* x);

    /// The same for kLanes interleaved right-hand sides, x[kLanes i + k]; not in single precision.
    void solve_side_by_side(double* x) const;

    /// In which precision L is kept; what was factorised is lost.
    void use_single(bool in_single);
    bool is_single() const { return in_single_; }

    const Eigen::VectorXd& pivots() const { return D_; }
    /// Entries of L below its diagonal, with the zeros among them.
    long num_entries() const { return supernodes_.num_values(); }
    /// Floating-point operations of a factorisation and of a solve.
    double factorise_flops() const { return factorise_flops_; }
    double solve_flops() const { return solve_flops_; }

private:
    /// Workspace of a thread.
    struct Scratch {
        std::vector<int> local;      // of each row, its place in the panel being updated
        std::vector<double> packed;  // D L^T of the columns that update
        std::vector<double> product;
        std::vector<double> gathered;
        std::vector<double> panel;  // the one under way, where values are kept in single precision
    };
    /// Of the upper triangle: what belongs to a panel, and where in it.
    struct Entry {
        int from = 0;
        std::uint32_t place = 0;
    };
    /// Rows `begin` to `end` of a supernode are columns of the one that is updated.
    struct Update {
        int source = 0;
        int begin = 0;
        int end = 0;
    };

    /// Some columns of a supernode, as many as a solve takes at once.
    struct Piece {
        int first = 0;  // column
        int width = 0;
        int num_rows = 0;  // below the piece
        int stride = 0;    // from column to column
        const int* rows = nullptr;
        const int* down = nullptr;  // where a solve downwards puts what it takes from each row
        long triangle = 0;  // value on the first diagonal; above the diagonal stands the mirror
    };

    /// Parts, or subtrees of the separator, which are solved in parallel before and after the
    /// columns above them.
    struct Stage {
        std::vector<int> first_piece;  // of each, and the end
        // Columns above that each takes something from, one after the other, and where they begin.
        std::vector<int> reached;
        std::vector<std::size_t> first_reached;
        std::size_t workspace = 0;  // place in work_ of what is taken from the first of them
        std::size_t size() const { return first_piece.empty() ? 0 : first_piece.size() - 1; }
    };

    // sparse_ldlt.cpp
    void lay_out_entries(const Eigen::SparseMatrix<double>& upper);
    void lay_out_updates();
    /// For as many threads as there are.
    void make_scratch();
    /// Calls piece(part, thread) for each.
    void for_each_of(std::size_t num_parts, const auto& piece) {
        const auto count = static_cast<int>(num_parts);
        if (workers_ != nullptr)
            workers_->for_each(count, piece);
        else
            for (int i = 0; i < count; ++i) piece(i, 0);
    }
    bool factorise_separator(int k);
    int end_of_update(int s, int begin) const;
    bool factorise_supernode(int s, Scratch& scratch, bool waits);
    void update(int target, double* panel, Scratch& scratch, bool waits);
    template <class Scalar>
    void update_from(
        const Scalar* values, int target, double* panel, const Update& update, Scratch& scratch);
    bool factorise_panel(int s, double* panel, Scratch& scratch);

    // sparse_ldlt_solve.cpp
    void lay_out_pieces();
    template <class Scalar>
    void solve_down(const Scalar* values, int begin, int end, double* x) const;
    template <class Scalar>
    void solve_up(const Scalar* values, int begin, int end, double* x, double* gathered) const;
    void down(const float* values, int begin, int end, double* x) const;
    void down(const double* values, int begin, int end, double* x) const;
    void up(const float* values, int begin, int end, double* x, double* gathered) const;
    void up(const double* values, int begin, int end, double* x, double* gathered) const;
    template <class Scalar>
    void solve_with(const Scalar* values, double* x);
    template <class Scalar>
    void stage_down(const Stage& stage, const Scalar* values);
    template <class Scalar>
    void stage_up(const Stage& stage, const Scalar* values);
    void lay_out_stage(Stage& stage,
                       const std::vector<std::vector<int>>& groups,
                       const std::vector<int>& above);
    void add_pieces(int s);

    Supernodes supernodes_;
    FactorParts parts_;
    std::vector<Entry> entries_;  // of the upper triangle, panel by panel
    std::vector<long> first_entry_;
    const double* upper_ = nullptr;  // values of the matrix that is being factorised
    std::vector<Piece> pieces_;      // of the parts, of the separator's subtrees, and of the top
    std::array<Stage, 2> stages_;
    int first_above_ = 0;         // of the pieces
    std::vector<int> down_rows_;  // rows of parts and subtrees in work_
    // Of each supernode the updates that it takes, in their order.
    std::vector<Update> updates_;
    std::vector<long> first_update_;
    std::vector<double> values_;  // one of the two is empty; kLanes of room behind the last
    std::vector<float> single_;
    Eigen::VectorXd D_, inverse_D_;
    bool in_single_ = false;
    double factorise_flops_ = 0.0;
    double solve_flops_ = 0.0;

    Workers* workers_ = nullptr;
    std::vector<Scratch> scratch_;  // of each thread
    std::size_t packed_ = 0, product_ = 0, panel_ = 0;
    std::unique_ptr<std::atomic<int>[]> is_done_;  // of each supernode of the separator
    std::vector<int> in_separator_;                // of each supernode, its place there, or -1
    std::atomic<int> next_in_separator_{0};
    std::atomic<bool> is_good_{true};
    // x, and for each part and subtree its entries from the columns above it
    std::vector<double> work_;
};

}  // namespace ancora
