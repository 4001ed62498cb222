// SPDX-License-Identifier: BSD-3-Clause
// Islands, and the choice of path for each.
#include "constrained_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "dense_island.hpp"
#include "lanes.hpp"
#include "sparse_island.hpp"

namespace ancora {
namespace {

// Islands with more unknowns (coordinates and rows) are sparse. Measured: in open chains that pays
// from 20 unknowns on, twofold at 60, with redundant rows from 80 on, with full matrices never.
constexpr int kMostUnknownsDense = 60;
// An entry of a null vector up to this size is rounding: it is a unit vector over scaled rows.
constexpr double kInSupport = 1e-8;
// A free motion's acceleration counts in a row's scale by this part, since x is made of it.
constexpr double kFreeMotion = 1e-6;

/// The last row of each dependent set: columns of the basis are rotated so that, from the last row
/// upwards, all but one of those that are left vanish in a row; the row belongs to that one.
std::vector<int> last_dependent_rows(Eigen::MatrixXd basis) {
    std::vector<int> found;
    Eigen::Index left = basis.cols();
    for (Eigen::Index k = basis.rows() - 1; k >= 0 && left > 0; --k) {
        Eigen::VectorXd entries = basis.row(k).head(left).transpose();
        if (entries.norm() <= kInSupport) continue;
        // reflection that maps the entries to the last of them
        const double length = entries[left - 1] > 0.0 ? -entries.norm() : entries.norm();
        entries[left - 1] -= length;
        // basis := basis (I - 2 u u^T / u . u): still orthonormal,
        // and row k is (0, ..., 0, length). Its last column is the dependency
        // that row k is counted for; it is set aside.
        const Eigen::VectorXd share =
            basis.leftCols(left) * entries * (2.0 / entries.squaredNorm());
        basis.leftCols(left) -= share * entries.transpose();
        --left;
        found.push_back(static_cast<int>(k));
    }
    return found;
}

/// The system's row that stands in row k of a block.
int row_of(const SolverIsland& island, const NullBlock& block, int k) {
    const int row = block.rows[k];
    return island.pattern().rows[row];
}

}  // namespace

ConstrainedSolver::ConstrainedSolver(SystemPattern pattern, SolverPath path)
    : n_(pattern.num_coordinates), m_(pattern.num_rows()) {
    find_islands(pattern);
    build_islands(pattern, path);
}

ConstrainedSolver::~ConstrainedSolver() = default;

void ConstrainedSolver::find_islands(const SystemPattern& pattern) {
    // Components of the graph in which an entry of M joins its two coordinates
    // and a row of A all of its own. Matrices of different components have
    // no entry in common, so (1) falls apart exactly.
    DisjointSets components(static_cast<std::size_t>(n_));
    for (const auto& [i, j] : pattern.mass) components.join(i, j);
    for (int k = 0; k < m_; ++k) {
        const int* start = pattern.row_start.data() + k;
        for (int e = start[0]; e < start[1]; ++e)
            components.join(pattern.column[start[0]], pattern.column[e]);
    }
    // numbered in the order of their first coordinates
    island_of_.assign(n_, -1);
    for (int i = 0; i < n_; ++i) {
        const auto root = static_cast<std::size_t>(components.root(i));
        if (island_of_[root] < 0) island_of_[root] = num_islands_++;
        island_of_[i] = island_of_[root];
    }
}

void ConstrainedSolver::build_islands(const SystemPattern& pattern, SolverPath path) {
    std::vector<IslandPattern> islands(static_cast<std::size_t>(num_islands_));
    const auto island = [&](int coordinate) -> IslandPattern& {
        return islands[island_of(coordinate)];
    };
    // The number of a coordinate within its island. Numbers rise within islands as in the system.
    std::vector<int> local(static_cast<std::size_t>(n_));
    std::size_t body = 0;
    for (int i = 0; i < n_; ++i) {
        IslandPattern& to = island(i);
        while (body < pattern.first_of_body.size() && pattern.first_of_body[body] <= i) ++body;
        // a body's first coordinate in this island
        const int first = body > 0 ? pattern.first_of_body[body - 1] : 0;
        if (to.coordinates.empty() || to.coordinates.back() < first)
            to.first_of_body.push_back(to.num_coordinates());
        local[i] = to.num_coordinates();
        to.coordinates.push_back(i);
    }
    // Place of M_ii in the pattern, for coordinates that are islands of their own.
    std::vector<int> mass_of(static_cast<std::size_t>(n_), -1);  // places on the diagonal
    for (std::size_t k = 0; k < pattern.mass.size(); ++k) {
        const auto [i, j] = pattern.mass[k];
        IslandPattern& to = island(i);
        to.mass.emplace_back(local[i], local[j]);
        to.mass_from.push_back(static_cast<int>(k));
        if (i == j) mass_of[i] = static_cast<int>(k);
    }
    // All coordinates of a row are in one island, that of the first.
    for (int k = 0; k < m_; ++k) {
        const int begin = pattern.row_start[k];
        const int end = pattern.row_start[static_cast<std::size_t>(k) + 1];
        if (begin == end) {
            empty_rows_.push_back(k);
            continue;
        }
        IslandPattern& to = island(pattern.column[begin]);
        if (to.row_start.empty()) to.row_start.push_back(0);
        to.rows.push_back(k);
        for (int e = begin; e < end; ++e) {
            to.column.push_back(local[pattern.column[e]]);
            to.entry_from.push_back(e);
        }
        to.row_start.push_back(static_cast<int>(to.column.size()));
    }
    for (IslandPattern& one : islands) {
        if (one.row_start.empty()) one.row_start.push_back(0);
        // m_i x_i = f_i is all there is.
        if (one.num_coordinates() == 1 && one.num_rows() == 0) {
            const int i = one.coordinates.front();
            free_coordinate_.push_back(i);
            free_mass_from_.push_back(mass_of[i]);
            continue;
        }
        const int unknowns = one.num_coordinates() + one.num_rows();
        const bool is_sparse = path == SolverPath::sparse ||
                               (path == SolverPath::automatic && unknowns > kMostUnknownsDense);
        if (is_sparse) {
            ++num_sparse_;
            auto island_made = std::make_unique<SparseIsland>(std::move(one));
            if (island_made->pattern().num_rows() == 0) rowless_.push_back(island_made.get());
            islands_.push_back(std::move(island_made));
        } else {
            islands_.push_back(std::make_unique<DenseIsland>(std::move(one)));
        }
    }
    free_inverse_mass_.assign(free_coordinate_.size(), 0.0);
    is_among_equals_.assign(islands_.size(), 0);
}

/// Masses are alike along the axes of space as a rule: their factors serve all of them.
void ConstrainedSolver::find_equal_masses() {
    equal_masses_.clear();
    std::ranges::fill(is_among_equals_, char{0});
    if (has_masses_) return;  // those that change are not compared anew each time
    for (SparseIsland* island : rowless_) {
        if (!island->is_mass_alone()) continue;
        const auto fits = [&](const std::vector<SparseIsland*>& group) {
            return group.size() < std::size_t{kLanes} && group.front()->has_mass_of(*island);
        };
        const auto group = std::ranges::find_if(equal_masses_, fits);
        if (group != equal_masses_.end())
            group->push_back(island);
        else
            equal_masses_.push_back({island});
    }
    std::erase_if(equal_masses_, [](const auto& group) {
        return group.size() < 2;
    });
    for (std::size_t k = 0; k < islands_.size(); ++k)
        is_among_equals_[k] = std::ranges::any_of(equal_masses_, [&](const auto& group) {
            return std::ranges::find(group, islands_[k].get()) != group.end();
        });
}

SolverStatus ConstrainedSolver::factorise(
    std::span<const double> M, std::span<const double> A, bool is_mass_new, RankUse use, int set) {
    bool has_failed = false;
    if (is_mass_new) {
        undetermined_free_ = -1;
        // x_i = f_i / m_i; without mass x_i is not determined.
        for (std::size_t k = 0; k < free_coordinate_.size(); ++k) {
            const int from = free_mass_from_[k];
            const double mass = from < 0 ? 0.0 : M[from];
            free_inverse_mass_[k] = 1.0 / mass;
            if (mass == 0.0 && undetermined_free_ < 0) undetermined_free_ = free_coordinate_[k];
            has_failed |= mass < 0.0 || !std::isfinite(mass);
        }
    }
    undetermined_island_ = nullptr;
    for (const std::unique_ptr<SolverIsland>& island : islands_) {
        const SolverStatus status = island->factorise(M, A, is_mass_new, use, set);
        has_failed |= status == SolverStatus::failed;
        if (status == SolverStatus::undetermined && undetermined_island_ == nullptr)
            undetermined_island_ = island.get();
    }
    if (is_mass_new && rowless_.size() > 1) find_equal_masses();
    has_masses_ = true;
    if (has_failed) return SolverStatus::failed;
    const bool is_determined = undetermined_free_ < 0 && undetermined_island_ == nullptr;
    return is_determined ? SolverStatus::good : SolverStatus::undetermined;
}

void ConstrainedSolver::use_workers(Workers* workers) {
    for (const std::unique_ptr<SolverIsland>& island : islands_) island->use_workers(workers);
}

void ConstrainedSolver::forget_choices() {
    for (const std::unique_ptr<SolverIsland>& island : islands_) island->forget_choices();
}

int ConstrainedSolver::num_dropped(int set) const {
    int count = 0;
    for (const std::unique_ptr<SolverIsland>& island : islands_) count += island->num_dropped(set);
    return count;
}

void ConstrainedSolver::want_least(bool is_wanted) {
    for (const std::unique_ptr<SolverIsland>& island : islands_) island->want_least(is_wanted);
}

bool ConstrainedSolver::solve(std::span<const double> f,
                              std::span<const double> r,
                              std::span<double> x,
                              std::span<double> lambda,
                              Refinement refinement) {
    // Each island writes its own entries of x and lambda.
    for (std::size_t k = 0; k < free_coordinate_.size(); ++k) {
        const auto i = static_cast<std::size_t>(free_coordinate_[k]);
        x[i] = f.empty() ? 0.0 : f[i] * free_inverse_mass_[k];
    }
    if (!lambda.empty())
        for (const int k : empty_rows_) lambda[k] = 0.0;
    bool is_solved = true;
    for (std::size_t k = 0; k < islands_.size(); ++k)
        if (f.empty() || is_among_equals_[k] == 0)
            is_solved &= islands_[k]->solve(f, r, x, lambda, refinement);
    for (const auto& group : equal_masses_)
        if (!f.empty()) is_solved &= group.front()->solve_side_by_side(group, f, x);
    return is_solved;
}

bool ConstrainedSolver::has_changed_factors() const {
    return std::ranges::any_of(islands_, [](const auto& island) {
        return island->has_changed_factors();
    });
}

void ConstrainedSolver::mark_changed_factors(std::span<char> to) const {
    for (std::size_t k = 0; k < islands_.size() && k < to.size(); ++k)
        if (islands_[k]->has_changed_factors()) to[k] = 1;
}

void ConstrainedSolver::change_choices(std::span<const char> islands) {
    for (std::size_t k = 0; k < islands_.size() && k < islands.size(); ++k)
        if (islands[k] != 0) islands_[k]->change_choice();
}

bool ConstrainedSolver::is_clear() const {
    return empty_rows_.empty() && std::ranges::all_of(islands_, [](const auto& island) {
               return island->is_clear();
           });
}

RankAnalysis ConstrainedSolver::rank(bool with_rows) {
    // The rank of A is the sum of the ranks of islands. A row without coordinates adds none.
    RankAnalysis out;
    out.num_rows = static_cast<int>(empty_rows_.size());
    for (const std::unique_ptr<SolverIsland>& island : islands_) island->add_rank(out);
    if (!with_rows) return out;
    out.redundant = empty_rows_;
    for (const std::unique_ptr<SolverIsland>& island : islands_)
        for (const NullBlock& block : island->null_blocks())
            for (const int k : last_dependent_rows(block.basis))
                out.redundant.push_back(row_of(*island, block, k));
    std::sort(out.redundant.begin(), out.redundant.end());
    return out;
}

std::vector<int> ConstrainedSolver::rows_without_unique_multiplier() {
    std::vector<int> out = empty_rows_;
    for (const std::unique_ptr<SolverIsland>& island : islands_)
        // lambda is determined but for D^-1/2 N z with any z, N the null basis:
        // lambda_k is if row k of N is zero.
        for (const NullBlock& block : island->null_blocks())
            for (Eigen::Index k = 0; k < block.basis.rows(); ++k)
                if (block.basis.row(k).norm() > kInSupport)
                    out.push_back(row_of(*island, block, static_cast<int>(k)));
    std::sort(out.begin(), out.end());
    return out;
}

ConstrainedSolver::Undetermined ConstrainedSolver::undetermined() {
    Undetermined out;
    out.direction.setZero(n_);
    if (undetermined_free_ >= 0) {
        out.coordinate = undetermined_free_;
        out.direction[undetermined_free_] = 1.0;
    } else if (undetermined_island_ != nullptr) {
        const Eigen::VectorXd direction = undetermined_island_->null_direction();
        for (Eigen::Index i = 0; i < direction.size(); ++i)
            out.direction[undetermined_island_->pattern().coordinates[i]] = direction[i];
        out.direction.cwiseAbs().maxCoeff(&out.coordinate);
    }
    return out;
}

ConstrainedSolver::WorstRow ConstrainedSolver::worst_row(std::span<const double> f,
                                                         std::span<const double> r,
                                                         std::span<const double> x) const {
    WorstRow out;
    const auto take = [&](int row, double gap, double terms) {
        const double relative = gap == 0.0 ? 0.0 : gap / terms;
        if (std::isnan(relative)) out = {row, std::numeric_limits<double>::infinity()};
        if (relative > out.relative) out = {row, relative};
    };
    for (const int k : empty_rows_)
        if (!r.empty()) take(k, std::abs(r[k]), std::abs(r[k]));
    for (const std::unique_ptr<SolverIsland>& island : islands_) {
        const IslandPattern& pattern = island->pattern();
        // |M^-1 f| in the norm of M is |W^-1 f|, W^2 the diagonal of M (or what is usual).
        double free_square = 0.0;
        for (std::size_t i = 0; i < pattern.coordinates.size() && !f.empty(); ++i) {
            const double part =
                f[pattern.coordinates[i]] / island->weights()[static_cast<Eigen::Index>(i)];
            free_square += part * part;
        }
        // |x| in the norm of M, with the same diagonal
        double square = 0.0;
        for (std::size_t i = 0; i < pattern.coordinates.size(); ++i) {
            const double part =
                x[pattern.coordinates[i]] * island->weights()[static_cast<Eigen::Index>(i)];
            square += part * part;
        }
        const double motion = std::sqrt(square) + kFreeMotion * std::sqrt(free_square);
        for (std::size_t k = 0; k < pattern.rows.size(); ++k) {
            // gap = A_k x - r_k, terms = sum_i |A_ki x_i|
            const double wanted = r.empty() ? 0.0 : r[pattern.rows[k]];
            double gap = -wanted;
            double terms = 0.0;
            for (int e = pattern.row_start[k]; e < pattern.row_start[k + 1]; ++e) {
                const int i = pattern.coordinates[pattern.column[e]];
                const double term = island->entry_values()[e] * x[i];
                gap += term;
                terms += std::abs(term);
            }
            // A row whose own terms are all round-off is scaled by its Cauchy-Schwarz bound.
            terms = std::max(terms, motion * island->row_lengths()[static_cast<Eigen::Index>(k)]);
            terms += std::abs(wanted);
            take(pattern.rows[k], std::abs(gap), terms);
        }
    }
    return out;
}

SolverIsland::Counts ConstrainedSolver::counts() const {
    SolverIsland::Counts out;
    for (const std::unique_ptr<SolverIsland>& island : islands_) {
        out.factorisations += island->counts().factorisations;
        out.solves += island->counts().solves;
    }
    return out;
}

long ConstrainedSolver::num_fallbacks() const {
    long count = 0;
    for (const std::unique_ptr<SolverIsland>& island : islands_) count += island->num_fallbacks();
    return count;
}

}  // namespace ancora
