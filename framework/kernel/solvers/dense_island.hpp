// SPDX-License-Identifier: BSD-3-Clause
// Dense rank-revealing solver: orthogonal factors of constraint rows in mass-weighted coordinates.
#pragma once

#include "envelope_cholesky.hpp"
#include "kept_rows.hpp"
#include "pivoted_qr.hpp"
#include "solver_island.hpp"

namespace ancora {

/// With M = L L^T, D_k = A_k M^-1 A_k^T, scaled rows B = D^-1/2 A L^-T and y = L^T x, theory
/// (6):
///
///   B^T P = Q [R11 R12]                      pivoted, the rank r decided on its pivots       (1)
///   [R11 R12]^T = H [U; 0]                   only if rows are redundant                      (2)
///   w = (R^T)^+ P^T D^-1/2 r,  z = Q^T L^-1 f                                                (3)
///   y = Q [w; z2]                            the constrained part prescribed, the rest free  (4)
///   D^1/2 lambda = P R^+ (w - z1)            the least one of those that give this y         (5)
///
/// (4) is x = M^-1 f + L^-T B^+ (r - A M^-1 f) written out, with B^+ = Q1 (R^T)^+ P^T, so an
/// inconsistent r is met in the least-squares sense of scaled rows.
///
/// Dropped rows have no column in (1) and do not enter A^+ of M_A. Where rows are chosen or kept
/// and are far from dependent, KeptRows is used instead.
///
/// Singular M: M_A = M + sigma A^+ A stands for M in L, D and B, sigma = tr(M)/n (Udwadia,
/// Phohomsiri 2006). sigma A^+ r, which they add to f, lies in the range of A^T and changes nothing
/// in (4); lambda then follows from A^T lambda = M x - f.
class DenseIsland final : public SolverIsland {
public:
    explicit DenseIsland(IslandPattern pattern);

    void add_rank(RankAnalysis& out) override;
    std::vector<NullBlock> null_blocks() override;
    Eigen::VectorXd null_direction() override;
    bool is_clear() const override { return is_by_kept_rows_; }
    void change_choice() override { leave_kept_rows(); }

    /// Of the last factorisation.
    Status status() const { return status_; }
    /// Values for a caller that has them in the island's own order, and rows to drop, if any.
    Status factorise_local(const std::vector<double>& M,
                           const std::vector<double>& A,
                           const std::vector<char>& is_dropped);
    /// The rows to drop at such values; `out` is unmade where that cannot be decided.
    void choose_local(const std::vector<double>& M,
                      const std::vector<double>& A,
                      bool wants_least,
                      Choice& out);
    bool solve_local(const Eigen::VectorXd& f,
                     const Eigen::VectorXd& r,
                     Eigen::VectorXd& x,
                     Eigen::VectorXd& lambda);

private:
    Status do_factorise(bool is_mass_new) override;
    bool do_solve() override;

    bool factorise_mass();
    bool factorise_kept_rows();
    Status compute();
    void leave_kept_rows();
    const EnvelopeCholesky& L() const { return is_singular_ ? augmented_ : mass_; }
    Status augment();
    bool augment_with(const Eigen::VectorXd& weight, double sigma, const Eigen::VectorXd& usual);
    double least_of_augmented(Eigen::VectorXd* x);
    void factorise_rows();
    void take_choice();
    void solve_once(const Eigen::VectorXd& f,
                    const Eigen::VectorXd& r,
                    Eigen::VectorXd& x,
                    Eigen::VectorXd& lambda);

    EnvelopeCholesky mass_;
    bool is_mass_current_ = false;  // mass_ is of M_
    bool is_singular_ = false;
    KeptRows kept_;
    bool is_by_kept_rows_ = false;  // the last factorisation
    Status status_ = Status::failed;
    std::vector<int> column_row_;  // row of each column of B^T
    PivotedQr qr_;                 // (1)
    PivotedQr second_;             // (2)
    Eigen::VectorXd work_n_, work_m_, w_;
    Eigen::VectorXd dx_, dlambda_;
    // for singular M only
    EnvelopeCholesky augmented_;
    PivotedQr row_space_;
    Eigen::VectorXd unit_;
};

}  // namespace ancora
