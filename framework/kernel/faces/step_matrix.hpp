// SPDX-License-Identifier: BSD-3-Clause
// The matrix of a step's iteration: assembled in a fixed pattern, factorised, solved with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "ancora/sdk/step_equations.hpp"
#include "compressed_rows.hpp"
#include "force_tangents.hpp"
#include "mass_matrix.hpp"
#include "row_layout.hpp"
#include "rows_by_column.hpp"
#include "sparse_ldlt.hpp"

namespace ancora {

/// The matrix in the increments of dq and s (theory (30))
///
///   K = [ 2 M / h^2 + G(s)/2 + T    B^T ]
///       [ B                        -gamma ]                                             (1)
///
/// a saddle-point (KKT) matrix, symmetric and quasi-definite with the positive part of G, so that
/// L D L^T without pivoting exists in any order (Vanderbei, SIAM J. Optim. 5 (1995) 100). Rows with
/// little or no gamma are regularised by -delta_k = -eps S_k, relative to their own Schur
/// complement S_k; coordinates without mass by +delta likewise. The iteration on the true residual
/// removes the effect of this perturbation by a factor eps each time.
///
/// Rows with gamma > 0 may be condensed, s_k = (B_k dq - r_k) / gamma_k, which adds B_k^T B_k /
/// gamma_k to the leading block. That is done where it takes fewer operations, and never for rows
/// so stiff relative to the mass that the difference would lose digits.
///
/// Where there are more unilateral rows than coordinates, those that are open, s = 0, have neither
/// unknowns nor entries in K: pairs of bodies that are far apart couple nothing. The first
/// factorisation in which one is closed takes it in, and leaves out those that have not been closed
/// since the one before that did so.
class StepMatrix {
public:
    /// Which of the rows that may be condensed are condensed.
    enum class Condense { never, if_cheaper, all };
    /// The values that it is assembled from besides M: the rows' Jacobian and geometric stiffness
    /// in their layout, and gamma of each row.
    struct Values {
        const Eigen::VectorXd& B;
        const Eigen::VectorXd& K;
        const Eigen::VectorXd& gamma;
    };

    /// @param mass lower triangle, one entry per pair; must outlive the matrix
    /// @param rows must outlive the matrix
    /// @param is_redundant constraint rows depend on each other: a larger eps keeps round-off in
    ///        the null space of B^T small
    /// @param tangents T, of forces; must outlive the matrix
    StepMatrix(int num_coordinates,
               const std::vector<MassEntry>& mass,
               const RowLayout& rows,
               const std::vector<int>& first_of_body,
               bool is_redundant,
               Condense condense = Condense::if_cheaper,
               const ForceTangents& tangents = kNoTangents);
    ~StepMatrix();

    /// Whose threads work, if more than the caller's.
    void use_workers(Workers* workers);
    /// The number of threads has changed.
    void follow_workers();

    /// Values of the entries of M from here on, in their order; the next factorisation has them.
    void follow_mass(std::span<const double> values);

    /// Chooses layout and condensed rows with these values, in place of the first factorisation, so
    /// that no step allocates.
    void plan(const Values& values, double h);

    /// @param B_end the Jacobian at the end of the step, for the consistent tangent alone
    bool factorise(const Values& values, const Eigen::VectorXd& B_end, double h, Tangent tangent);

    /// K (ddq, ds) = (r_motion, r_rows)
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds);

    /// Large factors are kept in single precision at first, which iterative refinement corrects;
    /// this factorises anew where refinement does not converge. @returns as factorise() does
    bool use_double();
    bool is_single() const { return factor_.is_single(); }
    bool is_factorised() const { return is_factorised_; }
    /// Whether the factors have as many positive pivots as coordinates and as many negative ones as
    /// rows: K is then quasi-definite, by Sylvester's law of inertia as the regularisation has it.
    bool is_quasi_definite() const;

    /// Writes or reads the matrix that is factorised, see state_archive.hpp; a matrix that was read
    /// is factorised anew, to the same bits.
    template <class Archive>
    void transfer(Archive& archive);

    /// Floating-point operations of a factorisation and of a solve.
    double factorise_flops() const { return factor_.factorise_flops(); }
    double solve_flops() const {
        return factor_.solve_flops() + 4.0 * static_cast<double>(condensed_.column.size());
    }
    /// Entries of the factor L.
    long num_factor_entries() const { return factor_.num_entries(); }
    /// Rows that are condensed; decided by plan() or the first factorisation.
    int num_condensed() const { return static_cast<int>(condensed_rows_.size()); }

private:
    struct Exact;

    /// Of each unknown its place in the order of elimination, -1 for condensed and absent rows.
    using Order = std::vector<int>;
    /// An order whose elimination tree is in postorder, the pattern in it, and the operations of a
    /// solve with what each group of columns costs beside its entries.
    struct Layout {
        Order order;
        Eigen::SparseMatrix<double> pattern;
        double work = 0.0;
    };
    Layout lay_out_mixed() const;
    Layout lay_out(Order order) const;
    void decide(const Values& values);
    void set_absent(auto is_absent);
    bool take_closed_in();
    void prepare(Layout layout);
    Eigen::SparseMatrix<double> pattern(const Order& order) const;
    double mass_value(std::size_t k) const {
        return followed_mass_.empty() ? mass_[k].value : followed_mass_[k];
    }
    void support(const Values& values, double h);
    void inherit_scale(const Values& values);
    double schur(const Eigen::VectorXd& B, int row) const;
    double schur(const Eigen::VectorXd& B, int row, const Eigen::VectorXd& support) const;
    void assemble(const Values& values, double h, double eps);
    bool factorise_exact(const Eigen::VectorXd& B_end);
    void split(int count, const auto& range) const;
    void begin_with(std::span<const double> r_motion, std::span<const double> r_rows, double* x);
    bool factorise_assembled();

    int n_;
    int m_;
    const RowLayout& rows_;
    double eps_;
    Condense condense_;
    std::span<const MassEntry> mass_;
    std::vector<double> followed_mass_;  // their values, if they vary
    const ForceTangents& forces_;
    std::vector<int> force_place_;
    std::vector<int> first_of_body_;
    bool is_decided_ = false;
    Order new_of_old_;
    std::vector<char> is_absent_;          // of each row: unilateral, and without an unknown
    std::vector<char> was_closed_;         // of unilateral rows, since the order was chosen
    std::vector<char> is_absent_tangent_;  // of each entry of geometric stiffness: of such an item
    std::vector<int> condensed_rows_;
    CompressedRows condensed_;         // their entries; columns by the order of elimination
    RowsByColumn condensed_columns_;   // of coordinates, where threads sum by them; else empty
    Eigen::VectorXd condensed_r_;      // r / gamma
    std::vector<int> condensed_from_;  // of each of them, its place in the rows' Jacobian
    std::vector<int> pair_place_;      // of the products of a condensed row's entries, i >= j
    Eigen::VectorXd condensed_B_, condensed_stiffness_;  // as factorised; stiffness: 1 / gamma
    Eigen::VectorXd exact_B_;  // those entries at the end of the step, for the consistent tangent
    std::vector<char> is_massless_;
    Eigen::SparseMatrix<double> K_;  // upper triangle in the elimination order
    std::vector<int> mass_place_, tangent_place_, jacobian_place_, diagonal_place_;
    Eigen::VectorXd support_;                         // diagonal scale of each coordinate
    Eigen::VectorXd lent_support_;                    // the same, or inherited through rows
    std::vector<std::pair<int, int>> massless_runs_;  // coordinates of bodies with massless ones
    Workers* workers_ = nullptr;
    SparseLdlt factor_;
    std::unique_ptr<Exact> exact_;
    bool use_exact_ = false;
    bool is_factorised_ = false;
    Eigen::VectorXd work_;
    double mean_diagonal_ = 0.0;
    bool masses_differ_ = false;
    std::vector<char> is_lent_;  // coordinates with an inherited scale
};

}  // namespace ancora
