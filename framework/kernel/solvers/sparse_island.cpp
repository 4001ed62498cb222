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
// Rows that wait may make the factor so much larger, at most; and how often others are found that
// then have to.
constexpr double kMostFill = 1.0;
constexpr int kMostRounds = 2;
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
    orders_.clear();
    orders_.push_back(make_order({}));
    order_ = orders_.front().get();
}

std::unique_ptr<SparseIsland::Order> SparseIsland::make_order(
    const std::vector<int>& waiting) const {
    auto order = std::make_unique<Order>();
    order->waiting = waiting;
    order->new_of_old = elimination_order(pattern_, mass_pattern_, waiting);
    build_pattern(*order);
    // A postorder costs no fill, and gives supernodes their neighbouring columns.
    if (EliminationTree(order->K).put_in_postorder(order->new_of_old)) build_pattern(*order);
    find_places(*order);
    order->factor.use_workers(workers_);
    order->factor.analyse(order->K);
    return order;
}

/// Uses the order in which these rows wait, made if there is none; nothing is assembled in it yet.
/// [assembly]
void SparseIsland::take_order(const std::vector<int>& waiting) {
    const auto found = std::ranges::find(
        orders_, waiting, [](const std::unique_ptr<Order>& order) -> const std::vector<int>& {
            return order->waiting;
        });
    if (found != orders_.end()) {
        order_ = found->get();
        return;
    }
    // Of each set of rows the last one; the order of the pattern stays the first.
    if (orders_.size() > std::size_t{kNumRowSets}) orders_.erase(orders_.begin() + 1);
    orders_.push_back(make_order(waiting));
    order_ = orders_.back().get();
}

void SparseIsland::use_workers(Workers* workers) {
    workers_ = workers;
    for (const std::unique_ptr<Order>& order : orders_) order->factor.use_workers(workers);
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

void SparseIsland::build_pattern(Order& order) const {
    // The upper triangle of [M A^T; A -delta] under the permutation.
    order.K = symmetric_pattern(n_ + m_, [&](const auto& add_permuted) {
        const auto add = [&](int i, int j) {
            add_permuted(order.new_of_old[i], order.new_of_old[j]);
        };
        for (int i = 0; i < n_ + m_; ++i) add(i, i);
        for (const auto& [i, j] : mass_pattern_) add(i, j);
        for (int k = 0; k < m_; ++k)
            for (const int i : columns(k)) add(n_ + k, i);
    });
}

/// Where the entries of M and A stand in K.
void SparseIsland::find_places(Order& order) const {
    // Rows within a column are sorted.
    const int* const inner = order.K.innerIndexPtr();
    const auto place = [&](int i, int j) {
        const int a = order.new_of_old[i];
        const int b = order.new_of_old[j];
        const int column = std::max(a, b);
        const int* begin = inner + order.K.outerIndexPtr()[column];
        const int* end = inner + order.K.outerIndexPtr()[column + 1];
        return static_cast<int>(std::lower_bound(begin, end, std::min(a, b)) - inner);
    };
    for (int i = 0; i < n_ + m_; ++i) order.diagonal_place.push_back(place(i, i));
    for (const auto& [i, j] : pattern_.mass) order.mass_place.push_back(place(i, j));
    for (std::size_t k = pattern_.mass.size(); k < mass_pattern_.size(); ++k)
        order.local_place.push_back(place(mass_pattern_[k].first, mass_pattern_[k].second));
    for (int k = 0; k < m_; ++k)
        for (const int i : columns(k)) order.row_place.push_back(place(n_ + k, i));
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
    is_entered_ = false;
    double* K = order_->K.valuePtr();
    std::fill(K, K + order_->K.nonZeros(), 0.0);
    for (std::size_t k = 0; k < order_->mass_place.size(); ++k) K[order_->mass_place[k]] += M_[k];
    std::size_t next = 0;
    for (const int k : local_rows_) {
        const auto a = row(k);
        const double sigma = augmentation(k);
        for (int i = 0; i < a.size(); ++i)
            for (int j = 0; j <= i; ++j) K[order_->local_place[next++]] += sigma * a[i] * a[j];
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
            K[order_->diagonal_place[i]] += kMassRegularisation * usual_[i];
    }

    assemble_rows();
}

/// The rows of K, scaled, and their lengths.
void SparseIsland::assemble_rows() {
    double* K = order_->K.valuePtr();
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
        for (int e = begin; e < end; ++e) K[order_->row_place[e]] = scale * A_[e];
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
    if (use_ == RankUse::keep)
        take_order(choice_->waiting);
    else
        order_ = orders_.front().get();
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
    std::vector<int> waiting;
    if (choice_->is_made) {
        dropped = choice_->is_dropped;
        waiting = kept_suspects();
    }
    const bool stands = is_entered_ && mode_ == Mode::independent && dropped == is_dropped_ &&
                        waiting == order_->waiting;
    if (!stands) {
        is_dropped_ = dropped;
        if (is_augmented_ && !factorise_mass()) return false;
        take_order(waiting);
        assemble();
        enter(Mode::independent);
    }
    let_wait(std::move(waiting));
    choice_->waiting = order_->waiting;
    return true;
}

/// Where rows of the choice still have pivots that are next to nothing these wait, too.
void SparseIsland::let_wait(std::vector<int> waiting) {
    for (int round = 0; round < kMostRounds && choice_->is_made && is_factorised_; ++round) {
        const std::size_t count = waiting.size();
        for (int k = 0; k < m_; ++k)
            if (is_used(k) && row_pivot(k) < kDependentPivot * delta_ &&
                !std::binary_search(waiting.begin(), waiting.begin() + count, k))
                waiting.push_back(k);
        if (waiting.size() == count || !may_wait(waiting)) return;
        std::ranges::sort(waiting);
        take_order(waiting);
        assemble();
        enter(Mode::independent);
    }
}

/// Each row that waits may fill a column of the factor.
bool SparseIsland::may_wait(const std::vector<int>& waiting) const {
    return static_cast<double>(waiting.size()) * (n_ + m_) <=
           kMostFill * static_cast<double>(orders_.front()->factor.num_entries());
}

/// Factorises the assembled K with the mode's delta.
void SparseIsland::enter(Mode mode) {
    mode_ = mode;
    delta_ = mode == Mode::dependent ? kCoarse : mass_.is_singular() ? kFineSingular : kFine;
    double* K = order_->K.valuePtr();
    // -delta beside 1: scaled rows have A_s M^-1 A_s^T with a unit diagonal,
    // so delta is relative to the Schur complement of the row, theory (7).
    for (int k = 0; k < m_; ++k) K[order_->diagonal_place[n_ + k]] = is_used(k) ? -delta_ : -1.0;
    is_factorised_ = order_->factor.factorise(order_->K);
    ++counts_.factorisations;
    is_entered_ = true;
    if (!is_factorised_) return;
    // Refinement gains delta / s^2; pivot / kPivotOverSquare is an estimate of s^2 from below.
    slowest_gain_ = std::min(1.0, kPivotOverSquare * delta_ / smallest_pivot());
}

/// Modulus of the pivot of scaled row k; 0 for a row without entries.
double SparseIsland::row_pivot(int k) const {
    if (!is_used(k)) return 0.0;
    return std::abs(order_->factor.pivots()[order_->new_of_old[n_ + k]]);
}

/// Of rows with entries.
double SparseIsland::smallest_pivot() const {
    double smallest = 1.0;
    for (int k = 0; k < m_; ++k)
        if (is_used(k)) smallest = std::min(smallest, row_pivot(k));
    return smallest;
}

}  // namespace ancora
