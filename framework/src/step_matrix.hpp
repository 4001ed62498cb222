// SPDX-License-Identifier: BSD-3-Clause
// The matrix of a step's iteration: assembled in a fixed pattern, factorised, solved with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "ancora/sdk/system.hpp"
#include "supernodes.hpp"

namespace ancora {

class RowSet;

/// Symmetric mass matrix in compressed lower form, i >= j.
struct MassEntry {
    int i;
    int j;
    double value;
};

/// The matrix in the increments of dq and s (theory, section 3.1, item 4)
///
///   K = [ 2 M / h^2 + G(s)/2    B^T ]
///       [ B                    -gamma ]                                                 (1)
///
/// symmetric and quasi-definite with the positive part of G, so that L D L^T without pivoting
/// exists in any order. Rows with little or no gamma carry -delta_k = -eps S_k, relative to their
/// own Schur complement S_k; coordinates without mass carry +delta likewise. The iteration on the
/// true residual removes what that perturbs, by a factor eps each time.
class StepMatrix {
public:
    /// @param mass lower triangle, one entry per pair
    /// @param is_redundant constraint rows depend on each other: a larger eps keeps rounding in
    ///        their indeterminate part small
    StepMatrix(int num_coordinates,
               const std::vector<MassEntry>& mass,
               const RowSet& rows,
               const std::vector<int>& first_of_body,
               bool is_redundant);
    ~StepMatrix();

    /// Assembles from the rows' present B and K and factorises.
    bool factorise(const RowSet& rows,
                   const Eigen::VectorXd& B_end,
                   const Eigen::VectorXd& gamma,
                   double h,
                   Tangent tangent);

    /// K (ddq, ds) = (r_motion, r_rows)
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds);

    /// Large factors are kept in single precision at first, since refinement makes up for it; this
    /// is for a matrix where it does not.
    void use_double();
    bool is_single() const { return in_single_; }

    /// Writes or reads the matrix that is factorised, see state_archive.hpp; a matrix that was read
    /// is factorised anew, to the same bits.
    template <class Archive>
    void transfer(Archive& archive);

    /// Floating-point operations of a factorisation and of a solve.
    double factorise_flops() const { return factorise_flops_; }
    double solve_flops() const { return solve_flops_; }
    /// Entries of the factor L.
    long num_factor_entries() const;

private:
    class Factor;
    struct Exact;

    void order(const std::vector<MassEntry>& mass,
               const RowSet& rows,
               const std::vector<int>& first_of_body);
    void build_pattern(const std::vector<MassEntry>& mass, const RowSet& rows);
    void assemble(const RowSet& rows, const Eigen::VectorXd& gamma, double h);
    bool factorise_exact(const RowSet& rows, const Eigen::VectorXd& B_end);
    bool factorise_assembled();

    int n_;
    int m_;
    double eps_;
    std::vector<int> new_of_old_;
    std::vector<char> is_massless_;
    Eigen::SparseMatrix<double> K_;  // upper triangle in the elimination order
    std::vector<int> mass_place_, tangent_place_, jacobian_place_, diagonal_place_;
    std::vector<double> mass_value_;
    Eigen::VectorXd support_;  // of each coordinate: what its diagonal is measured by
    std::vector<std::pair<int, int>> massless_runs_;  // coordinates of bodies with massless ones
    std::unique_ptr<Factor> factor_;
    Supernodes supernodes_;
    bool has_supernodes_ = false;
    bool in_single_ = false;
    std::unique_ptr<Exact> exact_;
    bool use_exact_ = false;
    bool is_factorised_ = false;
    Eigen::VectorXd work_;
    double mean_diagonal_ = 0.0;
    double factorise_flops_ = 0.0;
    double solve_flops_ = 0.0;
};

}  // namespace ancora
