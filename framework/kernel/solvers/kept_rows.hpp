// SPDX-License-Identifier: BSD-3-Clause
// Range-space solver for rows that are known to be independent: Cholesky factors alone.
#pragma once

#include <utility>
#include <vector>

#include <Eigen/Core>

#include "envelope_cholesky.hpp"
#include "solver_island.hpp"

namespace ancora {

/// M x = f + A^T lambda, A x = r with rows that have been found independent before:
///
///   L L^T = M + sum_k sigma_k A_k^T A_k,   B = D^-1/2 A L^-T,   S = B B^T                   (1)
///   S D^1/2 lambda = D^-1/2 r - B L^-1 f',   x = L^-T (L^-1 f' + B^T D^1/2 lambda)          (2)
///   f' = f + sum_k sigma_k r_k A_k^T
///
/// sigma is of rows within one body, where M is singular, and else zero; it changes neither x nor
/// lambda. A fraction of the work of orthogonal factors, at the square of their condition number,
/// which iterative refinement compensates: S is refused where that would be slow.
class KeptRows {
public:
    explicit KeptRows(const IslandPattern& pattern);

    /// L of (1), for a singular M.
    /// @returns nullptr if that is singular, too, so that (1) does not serve
    const EnvelopeCholesky* augment(const std::vector<double>& M,
                                    const std::vector<double>& A,
                                    const std::vector<char>& is_dropped,
                                    const Eigen::VectorXd& usual);
    /// Factorises S with the given L, and keeps a pointer to it.
    /// @param length sqrt(D_k) of the rows that are not left out
    /// @returns false if S is too near a singular one
    bool factorise(const EnvelopeCholesky& L,
                   const std::vector<double>& A,
                   const std::vector<char>& is_dropped,
                   Eigen::VectorXd& length);
    /// (2)
    void solve(const Eigen::VectorXd& f,
               const Eigen::VectorXd& r,
               const Eigen::VectorXd& length,
               Eigen::VectorXd& x,
               Eigen::VectorXd& lambda);

private:
    double* row(int k) { return B_.data() + static_cast<std::ptrdiff_t>(k) * n_; }

    const IslandPattern& pattern_;
    int n_, m_;
    const EnvelopeCholesky* L_ = nullptr;
    std::vector<double> B_;   // m x n, of the rows in use
    std::vector<int> first_;  // entry of each row of B that may differ from zero
    std::vector<int> used_;   // rows
    EnvelopeCholesky schur_;
    Eigen::VectorXd work_;
    // for singular M only
    EnvelopeCholesky augmented_;
    std::vector<int> local_rows_;
    const std::vector<double>* A_ = nullptr;
    std::vector<double> sigma_;  // of each local row
    bool is_augmented_ = false;
};

}  // namespace ancora
