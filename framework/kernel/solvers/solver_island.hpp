// SPDX-License-Identifier: BSD-3-Clause
// A connected part (island) of a constrained system: base of its dense and its sparse solver.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "rank.hpp"
#include "workers.hpp"

namespace ancora {

/// The result of a factorisation.
enum class SolverStatus {
    good,
    undetermined,  ///< (M; A) has no full column rank: x is not unique
    failed,        ///< M is not positive semidefinite, or a value is not finite
};

/// How a factorisation takes the rank of the rows (theory, section 6). In a closed loop rows
/// depend on each other on the constraints and not beside them, where a rank decided afresh would
/// be one too large and its forces meaningless.
enum class RankUse {
    decide,  ///< at this state, for this state
    choose,  ///< at this state, which lies on the constraints, to be kept
    keep,    ///< as last chosen: the rows that were redundant there are dropped
};

/// How far a solution is refined.
enum class Refinement {
    full,  ///< to the last digits
    none,  ///< if six digits or more are right without, for corrections that are tested anyway
};

/// Sets of rows whose choices are kept apart, since a row may depend on others that a projection
/// does not concern.
inline constexpr int kNumRowSets = 3;

/// Pattern of an island in its own numbering, and where its values stand in the system's.
struct IslandPattern {
    std::vector<int> coordinates;            ///< of the system, ascending
    std::vector<int> rows;                   ///< of the system, ascending
    std::vector<std::pair<int, int>> mass;   ///< lower triangle
    std::vector<int> row_start, column;      ///< CSR of A
    std::vector<int> mass_from, entry_from;  ///< of each value, its place in the system's
    std::vector<int> first_of_body;

    int num_coordinates() const { return static_cast<int>(coordinates.size()); }
    int num_rows() const { return static_cast<int>(rows.size()); }
    /// Rows that reach coordinates of one body alone.
    std::vector<int> rows_within_bodies() const;
};

/// Dependencies among rows of an island.
struct NullBlock {
    std::vector<int> rows;  ///< of the island, ascending
    Eigen::MatrixXd basis;  ///< orthonormal columns n: sum_k n_k A_k / sqrt(D_k) = 0 over `rows`
};

/// M x = f + A^T lambda, A x = r for one island.
///
/// Rows are scaled by their lengths sqrt(D_k), D_k = A_k M^-1 A_k^T, coordinates weighed by the
/// roots w_i of their masses. Solutions are refined with residuals in extended precision (long
/// double), so that they are accurate to the last digits wherever the factorisation has any
/// accuracy.
class SolverIsland {
public:
    using Status = SolverStatus;

    explicit SolverIsland(IslandPattern pattern);
    virtual ~SolverIsland() = default;
    SolverIsland(const SolverIsland&) = delete;
    SolverIsland& operator=(const SolverIsland&) = delete;

    /// Extracts the island's values from the system's and factorises.
    /// @param set which choice of rows is meant
    Status factorise(std::span<const double> M,
                     std::span<const double> A,
                     bool is_mass_new,
                     RankUse use,
                     int set);
    /// Threads for large factors, if more than the caller's.
    virtual void use_workers(Workers*) {}
    void forget_choices() {
        for (Choice& choice : choices_) choice.forget();
    }
    /// Of the choice last made for a set.
    int num_dropped(int set) const { return choices_[set].count; }
    /// Whether multipliers of a kept choice are to be the least ones, too.
    void want_least(bool is_wanted) { wants_least_ = is_wanted; }

    /// Solves with the system's vectors; writes the island's entries only.
    /// @returns false if it did not converge
    bool solve(std::span<const double> f,
               std::span<const double> r,
               std::span<double> x,
               std::span<double> lambda,
               Refinement refinement);

    /// Whether the rows that the last factorisation used are independent beyond doubt, as far as it
    /// has seen.
    virtual bool is_clear() const = 0;

    /// Adds this island's rank, pivots and warning to those in `out`.
    virtual void add_rank(RankAnalysis& out) = 0;
    /// All dependencies among the rows, as many columns as rows are redundant.
    virtual std::vector<NullBlock> null_blocks() = 0;
    /// After Status::undetermined: a direction with M x = 0, A x = 0.
    virtual Eigen::VectorXd null_direction() = 0;

    /// Work done so far.
    struct Counts {
        long factorisations = 0;
        long solves = 0;  ///< with factors, corrections included
    };
    const Counts& counts() const { return counts_; }
    /// Number of solves that fell back to the other solver.
    virtual long num_fallbacks() const { return 0; }

    /// Whether a solve has gone over to other factors than those of the last factorise(), where
    /// these did not serve; of chosen rows the choice is then another, too.
    bool has_changed_factors() const { return has_changed_factors_; }
    /// Goes over to the choice that such a solve leads to.
    virtual void change_choice() {}

    const IslandPattern& pattern() const { return pattern_; }
    /// sqrt(D_k) of each row.
    const Eigen::VectorXd& row_lengths() const { return length_; }
    /// Roots of the masses, of a typical mass where there is none.
    const Eigen::VectorXd& weights() const { return weight_; }
    const std::vector<double>& entry_values() const { return A_; }

protected:
    /// Redundant rows, which a step drops since at its start they depend on the others.
    struct Choice {
        bool is_made = false;
        int count = 0;                 // of rows left out
        std::vector<char> is_dropped;  // of all rows
        Eigen::VectorXd length;        // of rows, when chosen
        std::vector<NullBlock> null;   // dependencies, when chosen; if wanted
        std::vector<int> suspects;     // rows that were examined
        std::vector<int> waiting;      // kept rows that looked dependent where they were eliminated

        void take();
        /// Keeps its memory.
        void forget();
    };

    virtual Status do_factorise(bool is_mass_new) = 0;
    /// From f_ and r_ to x_ and lambda_.
    virtual bool do_solve() = 0;

    /// Whether row k counts in the present factorisation.
    bool is_used(int k) const { return length_[k] > 0.0 && is_dropped_[k] == 0; }
    /// Inverse root of the mass that row k moves: sqrt(D_k) / |A_k|.
    double lightness(int k) const;
    /// Whether some rows move far heavier masses than others, so that the choice of kept rows
    /// matters.
    bool has_far_heavier_rows() const;
    /// Removes from lambda_ its component in the null space of A^T at the state of the present
    /// choice.
    void make_least();
    /// usual_ and weight_ from M_
    void compute_weights();
    /// The same of bodies without mass, from A_
    void lend_weights();
    /// y = M x
    void multiply_mass(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
    /// residual_f_ = f + A^T lambda - M x, residual_r_ = r - A x
    void compute_residual();
    /// First entry of row k and one past its last.
    std::pair<int, int> entries(int k) const {
        const int* start = pattern_.row_start.data() + k;
        return {start[0], start[1]};
    }
    /// Columns of row k.
    std::span<const int> columns(int k) const {
        const auto [begin, end] = entries(k);
        return {pattern_.column.data() + begin, static_cast<std::size_t>(end - begin)};
    }
    /// Root of sum_i (w_i x_i)^2.
    double mass_norm(const Eigen::VectorXd& x) const;
    /// The same of the free acceleration, M by its diagonal.
    double force_norm(const Eigen::VectorXd& f) const;

    int n_;
    int m_;
    IslandPattern pattern_;
    std::vector<double> M_, A_;
    Eigen::VectorXd usual_;   // mass of a massless coordinate, for scaling only
    Eigen::VectorXd weight_;  // roots of the diagonal, or of usual_
    Eigen::VectorXd length_;
    Eigen::VectorXd f_, r_, x_, lambda_, residual_f_, residual_r_;
    RankUse use_ = RankUse::decide;
    std::array<Choice, kNumRowSets> choices_;
    Choice* choice_ = choices_.data();  // in use
    std::vector<char> is_dropped_;      // of rows, in the present factorisation
    bool wants_least_ = false;
    Counts counts_;
    Refinement refinement_ = Refinement::full;
    bool has_changed_factors_ = false;

private:
    std::vector<char> is_massless_body_;  // of a coordinate: of a body without any mass
    bool has_massless_bodies_ = false;
    double mean_ = 1.0;  // of the island's masses
    Eigen::VectorXd lent_;
    Eigen::VectorXd share_;

    /// A factor of a sum: its place among values, and of what it multiplies.
    struct Factor {
        int value;
        int of;
    };
    /// M and A^T by coordinates: of coordinate i the factors from mass_begin_[i] and row_begin_[i].
    std::vector<int> mass_begin_, row_begin_;
    std::vector<Factor> mass_factors_, row_factors_;
    void lay_out_columns();
};

}  // namespace ancora
