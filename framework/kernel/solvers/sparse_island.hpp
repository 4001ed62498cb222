// SPDX-License-Identifier: BSD-3-Clause
// Sparse solver of an island: regularised quasi-definite L D L^T and iterative refinement.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "dense_island.hpp"
#include "envelope_cholesky.hpp"
#include "solver_island.hpp"
#include "sparse_ldlt.hpp"

namespace ancora {

/// With rows scaled by D^-1/2, D_k = A_k M^-1 A_k^T, and mu = -D^1/2 lambda
///
///   K = [ M   A^T    ]      K (x, mu) = (f, r)                                           (1)
///       [ A  -delta I ]
///
/// is a saddle-point (KKT) matrix and quasi-definite, so that L D L^T without pivoting exists in
/// any order (Vanderbei, SIAM J. Optim. 5 (1995) 100); x is refined on the system without delta. A
/// refinement contracts by delta / s^2, where s is the least nonzero singular value of B = D^-1/2 A
/// L^-T (it falls like the inverse square of the length of a chain of hinges), so delta is tiny
/// where rows are independent.
///
/// Where rows depend on others it is larger, since round-off, divided by delta, accumulates in the
/// component of mu in the null space of A^T. That component is removed at the end: T = delta (B B^T
/// + delta)^-1, one solve of (1) with (0, -delta mu), is 1 there and at most delta / s^2 elsewhere,
/// so T^j mu converges to it, and mu without it has minimum norm. The same component of r - A x is
/// the inconsistency of r; r is met without it.
///
/// Dropped rows stand in (1) as rows without entries. They are found by their pivots at the state
/// where the choice is made: a row whose pivot is no more than delta and round-off depends on rows
/// eliminated before it, as its distance from their span confirms.
///
/// Rows of a choice that are independent may stand in the elimination order where those before
/// leave nothing of them, which costs refinement all that it gains. Where that shows, they wait for
/// all of their coordinates in another order, which serves the solutions; choices are made in that
/// of the pattern alone, so that they do not depend on it.
///
/// Singular M: for rows k whose coordinates belong to one body, sigma a a^T with a = A_k^T / |A_k|
/// and sigma the body's mean mass is added to M, and sigma a r_k / |A_k| to f, which changes
/// neither x nor lambda. A pivot that vanishes in spite of this gets +delta.
class SparseIsland final : public SolverIsland {
public:
    explicit SparseIsland(IslandPattern pattern);
    ~SparseIsland() override;

    void add_rank(RankAnalysis& out) override;
    void use_workers(Workers* workers) override;
    std::vector<NullBlock> null_blocks() override;
    Eigen::VectorXd null_direction() override { return null_direction_; }
    bool is_clear() const override {
        return is_factorised_ && mode_ == Mode::independent && slowest_gain_ <= kClearGain;
    }
    long num_fallbacks() const override { return num_fallbacks_; }

    /// Whether the island is nothing but a positive definite mass matrix.
    bool is_mass_alone() const { return m_ == 0 && is_factorised_ && !mass_.is_singular(); }
    /// Whether `other` has the same mass matrix, as axes of space have.
    bool has_mass_of(const SparseIsland& other) const;
    /// M x = f for up to kLanes islands of the same mass as this one; see SolverIsland::solve().
    bool solve_side_by_side(std::span<SparseIsland* const> islands,
                            std::span<const double> f,
                            std::span<double> x);

private:
    struct Dependencies;
    /// (1) in an elimination order.
    struct Order {
        std::vector<int> waiting;  // rows behind all of their coordinates
        std::vector<int> new_of_old;
        Eigen::SparseMatrix<double> K;  // upper triangle
        std::vector<int> mass_place, local_place, row_place, diagonal_place;
        SparseLdlt factor;
    };

    // Contraction of refinement where rows are far from dependent.
    static constexpr double kClearGain = 1e-6;

    enum class Mode {
        independent,  ///< small delta
        dependent,    ///< larger delta, multipliers reduced to minimum norm
        motion_only,  ///< small delta, multipliers not reduced
    };

    // sparse_island.cpp
    Status do_factorise(bool is_mass_new) override;
    void build(bool is_augmented);
    bool find_reach(double most_work);
    std::unique_ptr<Order> make_order(const std::vector<int>& waiting) const;
    void build_pattern(Order& order) const;
    void find_places(Order& order) const;
    void take_order(const std::vector<int>& waiting);
    bool factorise_mass();
    void assemble();
    void enter(Mode mode);
    void assemble_rows();
    bool make_choice();
    void let_wait(std::vector<int> waiting);
    bool may_wait(const std::vector<int>& waiting) const;
    double smallest_pivot() const;

    // sparse_solve.cpp
    bool do_solve() override;
    bool solve_without_dependent_rows();
    bool attempt();
    bool refine();
    void correct();
    void solve_once(const Eigen::VectorXd& f,
                    const Eigen::VectorXd& r,
                    Eigen::VectorXd& x,
                    Eigen::VectorXd& lambda);
    bool is_contradictory();
    bool refine_without_contradiction();
    bool reduce_multipliers();
    bool project_on_null(Eigen::VectorXd& mu);
    void solve_refined();
    double scaled_norm(const Eigen::VectorXd& lambda) const;
    bool fall_back();
    DenseIsland& dense();
    DenseIsland& factorised_dense();

    // sparse_dependencies.cpp
    void choose_rows();
    bool keeps_choice();
    std::vector<int> kept_suspects() const;
    void measure(const std::vector<int>& rows,
                 SparseIsland& rest,
                 const std::vector<int>& kept,
                 Dependencies& out) const;
    bool vanishes(const Eigen::VectorXd& combination) const;
    bool has_null_direction();
    Dependencies find_dependencies();
    std::vector<int> suspicious_pivots();
    std::vector<int> suspects(double& least_square);
    std::vector<NullBlock> blocks_of(const std::vector<Eigen::VectorXd>& vectors) const;
    std::unique_ptr<SparseIsland> restricted_to(const std::vector<int>& rows) const;

    Eigen::Map<const Eigen::VectorXd> row(int k) const {
        const auto [begin, end] = entries(k);
        return {A_.data() + begin, end - begin};
    }
    /// sigma / |A_k|^2 of a row within one body
    double augmentation(int k) const;
    double row_pivot(int k) const;

    // mass, with the rows of one body if it is singular
    bool is_augmented_ = false;
    std::vector<int> local_rows_;
    std::vector<std::pair<int, int>> mass_pattern_;
    EnvelopeCholesky mass_;
    std::vector<int> reach_start_, reach_;
    bool has_exact_lengths_ = true;

    // K
    std::vector<std::unique_ptr<Order>> orders_;  // the first is that of the pattern alone
    Order* order_ = nullptr;                      // in use
    Workers* workers_ = nullptr;
    bool is_factorised_ = false;
    bool is_entered_ = false;  // what was assembled last has been factorised
    Mode mode_ = Mode::independent;
    bool was_dependent_ = false;
    double delta_ = 0.0;
    double slowest_gain_ = 1.0;  // estimate of delta / s^2

    Eigen::VectorXd work_, correction_;  // in the elimination order
    std::vector<double> side_by_side_;
    std::vector<long double> extended_work_;
    Eigen::VectorXd row_work_, given_r_, dx_, dlambda_, lambda_before_;
    Eigen::VectorXd null_direction_;
    std::unique_ptr<DenseIsland> dense_;
    bool is_dense_current_ = false;
    long num_fallbacks_ = 0;
};

}  // namespace ancora
