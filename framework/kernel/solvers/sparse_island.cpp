// SPDX-License-Identifier: BSD-3-Clause
// Assembly and factorisation of a sparse island.
#include "sparse_island.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "elimination_order.hpp"
#include "elimination_tree.hpp"
#include "island_limits.hpp"
#include "symmetric_pattern.hpp"

namespace ancora {
namespace {

// A row's own diagonal relative to its Schur complement. Where rows are independent it only keeps
// pivots from being zero, since rows wait for their coordinates; where pivots of M vanish rounding
// is larger, and where rows are dependent delta must stand out of it.
constexpr double kFine = 1e-16;
constexpr double kFineSingular = 1e-14;
constexpr double kCoarse = 1e-11;
// The pivot of a dependent row is delta times the sum of squares of the numbers by which the rows
// before add up to it. Smaller pivots than this, in units of delta, mean that there is one.
constexpr double kDependentPivot = 1e4;
// The smallest pivot of a scaled row exceeds s^2 by some factor.
constexpr double kPivotOverSquare = 100.0;
// +delta where a pivot of M vanishes, relative to the typical mass; smaller ones cost digits in
// long chains.
constexpr double kMassRegularisation = 1e-7;
// Row lengths are taken with M's diagonal alone where its factor would make them dear.
constexpr double kMostLengthWork = 100.0;  // per coordinate, row and entry
const std::vector<std::pair<int, int>> kDiagonal;

}  // namespace

SparseIsland::SparseIsland(IslandPattern pattern) : SolverIsland(std::move(pattern)) {
    work_.setZero(n_ + m_);
    correction_.setZero(n_ + m_);
    extended_work_.assign(n_ + m_, 0.0L);
    for (Eigen::VectorXd* v : {&row_work_, &given_r_, &dlambda_, &lambda_before_}) v->setZero(m_);
    dx_.setZero(n_);
    build(false);
}

SparseIsland::~SparseIsland() = default;

void SparseIsland::build(bool is_augmented) {
    is_augmented_ = is_augmented;
    mass_pattern_ = pattern_.mass;
    local_rows_.clear();
    if (is_augmented) {
        // Their bodies' coordinates then hang together in M.
        local_rows_ = pattern_.rows_within_bodies();
        for (const int k : local_rows_) {
            const std::span<const int> at = columns(k);
            for (std::size_t i = 0; i < at.size(); ++i)
                for (std::size_t j = 0; j <= i; ++j)
                    mass_pattern_.emplace_back(std::max(at[i], at[j]), std::min(at[i], at[j]));
        }
    }
    // D_k needs L of M. Where its envelope is wide diag(M) does instead:
    // lengths scale rows and decide neither x nor A^T lambda.
    const double most_work = kMostLengthWork * (n_ + m_ + static_cast<double>(A_.size()));
    has_exact_lengths_ = EnvelopeCholesky::count_entries(n_, mass_pattern_) < most_work;
    mass_ = EnvelopeCholesky(n_, has_exact_lengths_ ? mass_pattern_ : kDiagonal);
    if (!find_reach(most_work)) {
        has_exact_lengths_ = false;
        mass_ = EnvelopeCholesky(n_, kDiagonal);
        find_reach(most_work);
    }
    new_of_old_ = elimination_order(pattern_, mass_pattern_);
    build_pattern();
    // A postorder costs no fill, and gives supernodes their neighbouring columns.
    if (EliminationTree(K_).put_in_postorder(new_of_old_)) build_pattern();
    find_places();
    factor_.analyse(K_);
}

/// Which entries of L^-1 A_k^T may differ from zero.
/// @returns false if to compute these vectors would be too much work
bool SparseIsland::find_reach(double most_work) {
    reach_start_.assign(1, 0);
    reach_.clear();
    double work = 0.0;
    for (int k = 0; k < m_; ++k) {
        for (const int i : mass_.reach(columns(k))) {
            reach_.push_back(i);
            work += mass_.width(i);
        }
        if (work > most_work) return false;
        reach_start_.push_back(static_cast<int>(reach_.size()));
    }
    return true;
}

/// K's pattern in the present order.
void SparseIsland::build_pattern() {
    // The upper triangle of [M A^T; A -delta] under the permutation.
    K_ = symmetric_pattern(n_ + m_, [this](const auto& add_permuted) {
        const auto add = [&](int i, int j) {
            add_permuted(new_of_old_[i], new_of_old_[j]);
        };
        for (int i = 0; i < n_ + m_; ++i) add(i, i);
        for (const auto& [i, j] : mass_pattern_) add(i, j);
        for (int k = 0; k < m_; ++k)
            for (const int i : columns(k)) add(n_ + k, i);
    });
}

/// Where the entries of M and A stand in K.
void SparseIsland::find_places() {
    // Rows within a column are sorted.
    const auto place = [this](int i, int j) {
        const int a = new_of_old_[i];
        const int b = new_of_old_[j];
        const int column = std::max(a, b);
        const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[column];
        const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[column + 1];
        return static_cast<int>(std::lower_bound(begin, end, std::min(a, b)) - K_.innerIndexPtr());
    };
    for (std::vector<int>* to : {&mass_place_, &local_place_, &row_place_, &diagonal_place_})
        to->clear();
    for (int i = 0; i < n_ + m_; ++i) diagonal_place_.push_back(place(i, i));
    for (const auto& [i, j] : pattern_.mass) mass_place_.push_back(place(i, j));
    for (std::size_t k = pattern_.mass.size(); k < mass_pattern_.size(); ++k)
        local_place_.push_back(place(mass_pattern_[k].first, mass_pattern_[k].second));
    for (int k = 0; k < m_; ++k)
        for (const int i : columns(k)) row_place_.push_back(place(n_ + k, i));
}

double SparseIsland::augmentation(int k) const {
    // sigma / |A_k|^2, sigma the mean mass of the row's body
    if (is_dropped_[k] != 0) return 0.0;
    const double square = row(k).squaredNorm();
    const int first = pattern_.column[entries(k).first];
    return square > 0.0 ? usual_[first] / square : 0.0;
}

/// The mass matrix, with rows of one body if it is augmented, within its envelope.
bool SparseIsland::factorise_mass() {
    // M + sum_k sigma_k A_k^T A_k over rows within bodies
    mass_.clear();
    const auto add = [this](std::pair<int, int> at, double value) {
        if (has_exact_lengths_ || at.first == at.second) mass_.add(at.first, at.second, value);
    };
    for (std::size_t k = 0; k < M_.size(); ++k) add(pattern_.mass[k], M_[k]);
    std::size_t next = M_.size();
    for (const int k : local_rows_) {
        const auto a = row(k);
        const double sigma = augmentation(k);
        for (int i = 0; i < a.size(); ++i)
            for (int j = 0; j <= i; ++j) add(mass_pattern_[next++], sigma * a[i] * a[j]);
    }
    return mass_.factorise(usual_.data(), kVanishedPivot);
}

/// K but for delta, and the rows' lengths.
void SparseIsland::assemble() {
    double* K = K_.valuePtr();
    std::fill(K, K + K_.nonZeros(), 0.0);
    for (std::size_t k = 0; k < mass_place_.size(); ++k) K[mass_place_[k]] += M_[k];
    std::size_t next = 0;
    for (const int k : local_rows_) {
        const auto a = row(k);
        const double sigma = augmentation(k);
        for (int i = 0; i < a.size(); ++i)
            for (int j = 0; j <= i; ++j) K[local_place_[next++]] += sigma * a[i] * a[j];
    }
    // +delta on all coordinates of such a body: the vanished one may have a small part only in the
    // direction without mass.
    // Rows between bodies determine the directions that neither mass nor rows of the body
    // determine. delta keeps its pivot from zero, and refinement takes delta out again.
    int done = 0;
    for (const int vanished : mass_.vanished()) {
        if (vanished < done) continue;
        const auto& first = pattern_.first_of_body;
        const auto next_body = std::upper_bound(first.begin(), first.end(), vanished);
        done = next_body == first.end() ? n_ : *next_body;
        for (int i = *std::prev(next_body); i < done; ++i)
            K[diagonal_place_[i]] += kMassRegularisation * usual_[i];
    }

    assemble_rows();
}

/// The rows of K, scaled, and their lengths.
void SparseIsland::assemble_rows() {
    double* K = K_.valuePtr();
    double* y = work_.data();
    for (int k = 0; k < m_; ++k) {
        // L^-1 A_k^T, whose length is sqrt(D_k)
        const auto [begin, end] = entries(k);
        const int* reached = reach_.data() + reach_start_[k];
        const int count = reach_start_[static_cast<std::size_t>(k) + 1] - reach_start_[k];
        for (int s = 0; s < count; ++s) y[reached[s]] = 0.0;
        for (int e = begin; e < end; ++e) y[pattern_.column[e]] = A_[e];
        mass_.solve_lower(y, reached, count);
        double square = 0.0;
        for (int s = 0; s < count; ++s) square += y[reached[s]] * y[reached[s]];
        length_[k] = std::sqrt(square);
        // A row that is left out has no entries, -1 on the diagonal and
        // no right-hand side: mu_k = 0.
        const double scale = is_used(k) ? 1.0 / length_[k] : 0.0;
        for (int e = begin; e < end; ++e) K[row_place_[e]] = scale * A_[e];
    }
}

SolverStatus SparseIsland::do_factorise(bool is_mass_new) {
    is_dense_current_ = false;
    if (is_mass_new || is_augmented_) {
        if (!factorise_mass()) return Status::failed;
        if (mass_.is_singular() && !is_augmented_) {
            build(true);
            if (!factorise_mass()) return Status::failed;
        }
    }
    // K depends on A; without rows it is M.
    if (m_ > 0 || is_mass_new) {
        assemble();
        if (!length_.allFinite()) return Status::failed;
        if (use_ == RankUse::keep) {
            enter(Mode::independent);
        } else if (use_ == RankUse::choose) {
            if (!make_choice()) return Status::failed;
        } else if (was_dependent_) {
            // Rows that were dependent at the last state mostly are at this one.
            enter(Mode::dependent);
            was_dependent_ = smallest_pivot() < kDependentPivot * delta_;
        } else {
            enter(Mode::independent);
            was_dependent_ = !is_factorised_ || smallest_pivot() < kDependentPivot * delta_;
            if (was_dependent_) enter(Mode::dependent);
        }
    }
    if (!is_factorised_ && n_ + m_ > kMostFallenBack) return Status::failed;
    // Theory, section 2.3: [M; A] has to have full column rank.
    if (mass_.is_singular() && has_null_direction()) return Status::undetermined;
    return Status::good;
}

/// Finds redundant rows and drops them.
/// @returns false if the masses cannot be factorised without them
bool SparseIsland::make_choice() {
    choose_rows();
    // Without a choice all rows are used, as far as they go.
    std::vector<char> dropped(static_cast<std::size_t>(m_), 0);
    if (choice_->is_made) dropped = choice_->is_dropped;
    if (dropped != is_dropped_) {
        is_dropped_ = dropped;
        if (is_augmented_ && !factorise_mass()) return false;
        assemble();
    } else if (mode_ == Mode::independent) {
        return true;
    }
    enter(Mode::independent);
    return true;
}

/// Factorises the assembled K with the mode's delta.
void SparseIsland::enter(Mode mode) {
    mode_ = mode;
    delta_ = mode == Mode::dependent ? kCoarse : mass_.is_singular() ? kFineSingular : kFine;
    double* K = K_.valuePtr();
    // -delta beside 1: scaled rows have A_s M^-1 A_s^T with a unit diagonal,
    // so delta is relative to the Schur complement of the row, theory (7).
    for (int k = 0; k < m_; ++k) K[diagonal_place_[n_ + k]] = is_used(k) ? -delta_ : -1.0;
    is_factorised_ = factor_.factorise(K_);
    if (!is_factorised_) return;
    // Refinement gains delta / s^2; pivot / kPivotOverSquare is an estimate of s^2 from below.
    slowest_gain_ = std::min(1.0, kPivotOverSquare * delta_ / smallest_pivot());
}

/// Modulus of the pivot of scaled row k; 0 for a row without entries.
double SparseIsland::row_pivot(int k) const {
    if (!is_used(k)) return 0.0;
    return std::abs(factor_.pivots()[new_of_old_[n_ + k]]);
}

/// Of rows with entries.
double SparseIsland::smallest_pivot() const {
    double smallest = 1.0;
    for (int k = 0; k < m_; ++k)
        if (is_used(k)) smallest = std::min(smallest, row_pivot(k));
    return smallest;
}

}  // namespace ancora
