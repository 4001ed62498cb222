// SPDX-License-Identifier: BSD-3-Clause
// Accelerations, constraint forces and projections: M x = f + A^T lambda with A x = r.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/udwadia_kalaba.hpp"
#include "rank.hpp"
#include "solver_island.hpp"

namespace ancora {

class SparseIsland;

/// Where the entries of M and A may differ from zero. The order of their values is this order.
struct SystemPattern {
    int num_coordinates = 0;                ///< n
    std::vector<std::pair<int, int>> mass;  ///< lower triangle (i, j), i >= j, one per pair
    std::vector<int> row_start;             ///< m + 1 entries: A in compressed rows
    std::vector<int> column;                ///< no column twice in a row
    std::vector<int> first_of_body;         ///< first coordinate of each body, ascending

    int num_rows() const { return row_start.empty() ? 0 : static_cast<int>(row_start.size()) - 1; }
};

/// The linear algebra of Udwadia and Kalaba's equation (theory (4)), for many right-hand
/// sides at one state:
///
///   M x = f + A^T lambda,   A x = r                                                      (1)
///   x = M^-1 f + L^-T B^+ (r - A M^-1 f),   M = L L^T, B = A L^-T                        (2)
///
///   M       mass matrix, symmetric, positive semidefinite, n x n
///   A       constraint Jacobian, m x n, of any rank
///   f       generalized force, n
///   r       right-hand side of the rows, m
///   lambda  multipliers, m
///
/// With D_k = A_k M^-1 A_k^T, lambda is the solution of least sum_k D_k lambda_k^2, and an
/// inconsistent r is met in the sense of least sum_k (A_k x - r_k)^2 / D_k, so that rescaling a row
/// changes neither. A singular M stands for M + sigma A^+ A, sigma = tr(M)/n, f then for
/// f + sigma A^+ r (Udwadia, Phohomsiri 2006), which leaves x unchanged; D_k is taken with that.
///
/// F_L = A^T lambda of solve(Q, b); F_C = C + A^T lambda of solve(C, 0); the projection of a
/// position error phi is solve(0, -phi).
///
/// On the sparse path D_k is exact where masses couple the coordinates of a body, and taken with
/// M's diagonal where they couple widely; where M is singular, with the rows of single bodies in
/// place of A^+ A. Only multipliers of dependent rows are affected.
///
/// The system decomposes into islands (coordinates that rows or masses connect); each is solved on
/// its own (sigma and the rank threshold are the island's).
class ConstrainedSolver {
public:
    explicit ConstrainedSolver(SystemPattern pattern, SolverPath path = SolverPath::automatic);
    ~ConstrainedSolver();

    int num_coordinates() const { return n_; }
    int num_rows() const { return m_; }
    int num_islands() const { return num_islands_; }
    int island_of(int coordinate) const { return island_of_[coordinate]; }
    /// Islands that take the sparse path.
    int num_sparse_islands() const { return num_sparse_; }

    /// Factorises at a state. From the second call on the dense path does not allocate, and the
    /// sparse one within Eigen only, unless the rank or the vanishing masses have changed.
    ///
    /// @param M values in the pattern's order
    /// @param A values in the pattern's order
    /// @param is_mass_new false if M has not changed since the last call
    /// @param use  whether the rank of the rows is decided here
    /// @param set below kNumRowSets: the choice of rows that is made or kept
    SolverStatus factorise(std::span<const double> M,
                           std::span<const double> A,
                           bool is_mass_new = true,
                           RankUse use = RankUse::decide,
                           int set = 0);
    /// Threads for large factors, or nullptr for that of the caller alone. [assembly]
    void use_workers(Workers* workers);
    /// RankUse::keep decides until the next choice is made.
    void forget_choices();
    /// Rows that the choice last made for a set drops.
    int num_dropped(int set) const;
    /// Whether with kept rows multipliers are to be the least of those that give the same forces,
    /// as they always are where the rank is decided; takes time on the sparse path.
    void want_least(bool is_wanted);

    /// Solves (1); allocates nothing, unless refinement of a sparse island does not converge and
    /// the island goes to the dense path. An empty f or r is zero, an empty lambda is not wanted.
    ///
    /// @returns false if it did not and the island is too large for that: x is then invalid
    bool solve(std::span<const double> f,
               std::span<const double> r,
               std::span<double> x,
               std::span<double> lambda,
               Refinement refinement = Refinement::full);
    /// Whether in some island a solve has gone over to other factors than those of the last
    /// factorise().
    bool has_changed_factors() const;
    /// Marks these islands; `to` has num_islands() entries.
    void mark_changed_factors(std::span<char> to) const;
    /// After factorise(RankUse::choose): goes over to the choices of these islands that such solves
    /// lead to.
    void change_choices(std::span<const char> islands);
    /// Whether the rows that the last factorise() used are independent beyond doubt.
    bool is_clear() const;

    /// Rank of A as the last factorise() found it. For islands of the dense path it is known; for
    /// the others it is computed now. Allocates where there are such, or if rows are asked for.
    ///
    /// @param with_rows also lists the redundant rows, the last ones of each dependent set
    RankAnalysis rank(bool with_rows = false);

    /// Rows whose multiplier is not unique: those that depend on others, and these others.
    std::vector<int> rows_without_unique_multiplier();

    /// A null direction of M and A, in which x is undetermined.
    struct Undetermined {
        Eigen::VectorXd direction;  ///< unit vector, n
        int coordinate = -1;        ///< its largest entry; -1 if every direction is determined
    };
    /// After SolverStatus::undetermined.
    Undetermined undetermined();

    /// The row with the largest relative residual of a solution.
    struct WorstRow {
        int row = -1;
        double relative = 0.0;  ///< |A_k x - r_k| relative to (3)
    };
    /// With f, r as given to solve() and x as found. The terms of row k are measured by
    ///
    ///   |r_k| + max(sum_i |A_ki x_i|, sqrt(D_k) (|x| + 1e-6 |M^-1 f|))                  (3)
    ///
    /// |x|^2 = sum_i M_ii x_i^2 over the row's island. The second of the two is the Cauchy-Schwarz
    /// bound of A_k x, with the free motion that x is computed from: it applies where the row's own
    /// terms are nothing but round-off. Round-off leaves residuals of 1e-10 and less; larger ones
    /// show that the row is inconsistent with others.
    WorstRow worst_row(std::span<const double> f,
                       std::span<const double> r,
                       std::span<const double> x) const;

    /// Factorisations and solves of all islands so far.
    SolverIsland::Counts counts() const;
    /// Number of solves that fell back from the sparse path to the dense one.
    long num_fallbacks() const;

private:
    void find_islands(const SystemPattern& pattern);
    void build_islands(const SystemPattern& pattern, SolverPath path);
    void find_equal_masses();

    int n_;
    int m_;
    int num_islands_ = 0;
    int num_sparse_ = 0;
    std::vector<int> island_of_;
    std::vector<std::unique_ptr<SolverIsland>> islands_;
    std::vector<SparseIsland*> rowless_;  // those of `islands_` that are sparse and without rows
    /// Of those, some of equal mass, solved side by side; the first has the factors.
    std::vector<std::vector<SparseIsland*>> equal_masses_;
    std::vector<char> is_among_equals_;  // of `islands_`
    bool has_masses_ = false;
    // Coordinates that are islands of their own, without rows.
    std::vector<int> free_coordinate_;
    std::vector<int> free_mass_from_;  // -1 where the pattern has no mass
    std::vector<double> free_inverse_mass_;
    std::vector<int> empty_rows_;  // rows without a coordinate
    int undetermined_free_ = -1;
    SolverIsland* undetermined_island_ = nullptr;
};

}  // namespace ancora
