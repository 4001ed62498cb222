// SPDX-License-Identifier: BSD-3-Clause
// Values, residuals and norms of an island.
#include "solver_island.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ancora {
namespace {

// A diagonal below this part of the body's largest is no mass.
constexpr double kMassless = 1e-14;
// Nodes without mass are weighed anew where they are connected to masses this much lighter than the
// typical one.
constexpr double kFarLighter = 1e-6;

}  // namespace

std::vector<int> IslandPattern::rows_within_bodies() const {
    // The number of bodies that begin at i or before it.
    const auto body = [this](int i) {
        return std::ranges::upper_bound(first_of_body, i) - first_of_body.begin();
    };
    std::vector<int> out;
    for (int k = 0; k < num_rows(); ++k) {
        const int begin = row_start[k];
        const int end = row_start[static_cast<std::size_t>(k) + 1];
        const int first = column[begin];
        if (std::all_of(column.begin() + begin, column.begin() + end, [&](int i) {
                return body(i) == body(first);
            }))
            out.push_back(k);
    }
    return out;
}

SolverIsland::SolverIsland(IslandPattern pattern)
    : n_(pattern.num_coordinates()), m_(pattern.num_rows()), pattern_(std::move(pattern)) {
    M_.assign(pattern_.mass.size(), 0.0);
    A_.assign(pattern_.column.size(), 0.0);
    for (Eigen::VectorXd* v : {&usual_, &weight_, &f_, &x_, &residual_f_}) v->setZero(n_);
    for (Eigen::VectorXd* v : {&length_, &r_, &lambda_, &residual_r_}) v->setZero(m_);
    lay_out_columns();
    is_dropped_.assign(m_, 0);
    for (Choice& choice : choices_) {
        choice.is_dropped.assign(m_, 0);
        choice.length.setZero(m_);
    }
}

SolverStatus SolverIsland::factorise(
    std::span<const double> M, std::span<const double> A, bool is_mass_new, RankUse use, int set) {
    if (is_mass_new) {
        for (std::size_t k = 0; k < M_.size(); ++k) M_[k] = M[pattern_.mass_from[k]];
        compute_weights();
    }
    for (std::size_t k = 0; k < A_.size(); ++k) A_[k] = A[pattern_.entry_from[k]];
    lend_weights();
    choice_ = &choices_[set];
    // Without a choice there is none to keep.
    use_ = use == RankUse::keep && !choice_->is_made ? RankUse::decide : use;
    if (use_ == RankUse::keep)
        is_dropped_ = choice_->is_dropped;
    else
        std::fill(is_dropped_.begin(), is_dropped_.end(), 0);
    if (use_ == RankUse::choose) choice_->is_made = false;
    has_changed_factors_ = false;
    return do_factorise(is_mass_new);
}

void SolverIsland::Choice::take() {
    forget();
    is_made = true;
}

void SolverIsland::Choice::forget() {
    is_made = false;
    count = 0;
    std::ranges::fill(is_dropped, 0);
    null.clear();
    suspects.clear();
    waiting.clear();
}

double SolverIsland::lightness(int k) const {
    // sqrt(A_k M^-1 A_k^T) / |A_k|: m^-1/2 for a row that moves one mass m
    const auto [begin, end] = entries(k);
    const double length = Eigen::Map<const Eigen::VectorXd>(A_.data() + begin, end - begin).norm();
    return length > 0.0 ? length_[k] / length : 0.0;
}

bool SolverIsland::has_far_heavier_rows() const {
    constexpr double kFar = 1e3;
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (int k = 0; k < m_; ++k) {
        const double weight = lightness(k);
        if (weight > 0.0) least = std::min(least, weight);
        most = std::max(most, weight);
    }
    return most > kFar * least;
}

void SolverIsland::make_least() {
    // lambda := D^-1/2 (I - N N^T) D^1/2 lambda, theory (36) with an orthonormal N:
    // A^T D^-1/2 N = 0, so the force A^T lambda does not change.
    for (const NullBlock& block : choice_->null) {
        share_.setZero(block.basis.cols());
        for (Eigen::Index i = 0; i < block.basis.rows(); ++i) {
            const int k = block.rows[i];
            share_ += choice_->length[k] * lambda_[k] * block.basis.row(i).transpose();
        }
        for (Eigen::Index i = 0; i < block.basis.rows(); ++i) {
            const int k = block.rows[i];
            if (choice_->length[k] > 0.0)
                lambda_[k] -= block.basis.row(i).dot(share_) / choice_->length[k];
        }
    }
}

void SolverIsland::compute_weights() {
    Eigen::VectorXd& diagonal = weight_;
    // w_i^2 = M_ii, or m_b, the mean mass of the body, where M_ii is nothing beside its largest
    diagonal.setZero();
    for (std::size_t k = 0; k < M_.size(); ++k)
        if (pattern_.mass[k].first == pattern_.mass[k].second)
            diagonal[pattern_.mass[k].first] += M_[k];
    // The typical mass: the mean of the body's masses, else of the island's, else 1. Masses of one
    // body say nothing about those of another, which may be smaller by any factor.
    const auto mean = [&](int begin, int end) {
        const double largest = std::max(0.0, diagonal.segment(begin, end - begin).maxCoeff());
        double sum = 0.0;
        int count = 0;
        for (int i = begin; i < end; ++i) {
            if (!(diagonal[i] > kMassless * largest)) {
                diagonal[i] = 0.0;
                continue;
            }
            sum += diagonal[i];
            ++count;
        }
        return count > 0 ? sum / count : 0.0;
    };
    usual_.setZero();
    is_massless_body_.assign(n_, 0);
    has_massless_bodies_ = false;
    double sum = 0.0;
    int count = 0;
    for (std::size_t b = 0; b < pattern_.first_of_body.size(); ++b) {
        const int begin = pattern_.first_of_body[b];
        const int end = b + 1 < pattern_.first_of_body.size() ? pattern_.first_of_body[b + 1] : n_;
        usual_.segment(begin, end - begin).setConstant(mean(begin, end));
        if (!(usual_[begin] > 0.0)) {
            std::fill(is_massless_body_.begin() + begin, is_massless_body_.begin() + end, 1);
            has_massless_bodies_ = true;
        }
        for (int i = begin; i < end; ++i) {
            sum += diagonal[i];
            count += diagonal[i] > 0.0 ? 1 : 0;
        }
    }
    mean_ = count > 0 ? sum / count : 1.0;
    for (int i = 0; i < n_; ++i) {
        if (!(usual_[i] > 0.0)) usual_[i] = mean_;
        weight_[i] = std::sqrt(diagonal[i] > 0.0 ? diagonal[i] : usual_[i]);
    }
}

/// A body without any mass, as the node of a link, moves with the bodies that its rows connect it
/// to, and is weighed by the largest mass that one of the rows acts on there, if that is far from
/// the typical mass of the island: rows between light bodies would then hardly see such a node.
void SolverIsland::lend_weights() {
    if (!has_massless_bodies_) return;
    for (int i = 0; i < n_; ++i)
        if (is_massless_body_[i] != 0) {
            usual_[i] = mean_;
            weight_[i] = std::sqrt(mean_);
        }
    lent_.setZero(n_);
    for (int k = 0; k < m_; ++k) {
        const auto [begin, end] = entries(k);
        // a . M^-1 a of the part of row k that has mass: 1 over the mass that it sees
        double mobility = 0.0;  // by the means of bodies: diagonals may vanish where M is full
        for (int e = begin; e < end; ++e) {
            const int i = pattern_.column[e];
            const double a = A_[e];
            if (is_massless_body_[i] == 0) mobility += a * a / usual_[i];
        }
        if (!(mobility > 0.0)) continue;
        for (int e = begin; e < end; ++e) {
            const int i = pattern_.column[e];
            const double a = A_[e];
            // a_i^2 / m_i = mobility: the node is then as movable along
            // the row as what it is tied to.
            if (is_massless_body_[i] != 0) lent_[i] = std::max(lent_[i], a * a / mobility);
        }
    }
    for (int i = 0; i < n_; ++i) {
        if (!(lent_[i] > 0.0) || !(lent_[i] < kFarLighter * mean_)) continue;
        usual_[i] = lent_[i];
        weight_[i] = std::sqrt(usual_[i]);
    }
}

bool SolverIsland::solve(std::span<const double> f,
                         std::span<const double> r,
                         std::span<double> x,
                         std::span<double> lambda,
                         Refinement refinement) {
    refinement_ = refinement;
    const int* coordinate = pattern_.coordinates.data();
    const int* row = pattern_.rows.data();
    for (int i = 0; i < n_; ++i) f_[i] = f.empty() ? 0.0 : f.data()[coordinate[i]];
    for (int k = 0; k < m_; ++k) r_[k] = r.empty() ? 0.0 : r.data()[row[k]];
    // A force on other islands alone moves nothing here.
    const bool is_idle = (f_.array() == 0.0).all() && (r_.array() == 0.0).all();
    if (is_idle) {
        x_.setZero();
        lambda_.setZero();
    }
    const bool is_solved = is_idle || do_solve();
    for (int i = 0; i < n_; ++i) x.data()[coordinate[i]] = x_[i];
    for (int k = 0; k < m_ && !lambda.empty(); ++k) lambda.data()[row[k]] = lambda_[k];
    return is_solved;
}

void SolverIsland::multiply_mass(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    y.setZero();
    // M is given by its lower triangle: an entry off the diagonal counts for both.
    for (std::size_t k = 0; k < M_.size(); ++k) {
        const auto [i, j] = pattern_.mass[k];
        y[i] += M_[k] * x[j];
        if (i != j) y[j] += M_[k] * x[i];
    }
}

void SolverIsland::lay_out_columns() {
    // M (both triangles) and A^T by coordinates. The residual of a coordinate is then one sum.
    const auto compress = [this](const auto& for_each, std::vector<int>& begin, auto& to) {
        begin.assign(static_cast<std::size_t>(n_) + 1, 0);
        for_each([&](int i, Factor) {
            ++begin[static_cast<std::size_t>(i) + 1];
        });
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        to.resize(begin.back());
        std::vector<int> next(begin.begin(), begin.end() - 1);
        for_each([&](int i, Factor factor) {
            to[next[i]++] = factor;
        });
    };
    compress(
        [this](const auto& add) {
            for (std::size_t k = 0; k < pattern_.mass.size(); ++k) {
                const auto [i, j] = pattern_.mass[k];
                add(i, Factor{static_cast<int>(k), j});
                if (i != j) add(j, Factor{static_cast<int>(k), i});
            }
        },
        mass_begin_,
        mass_factors_);
    compress(
        [this](const auto& add) {
            for (int k = 0; k < m_; ++k)
                for (int e = entries(k).first; e < entries(k).second; ++e)
                    add(pattern_.column[e], Factor{e, k});
        },
        row_begin_,
        row_factors_);
}

/// Sums stay in registers: to store extended numbers takes longer than to add them.
/// Iterative refinement with residuals of higher precision
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM, 2002, chapter 12):
/// the error shrinks by a factor each time, down to the rounding of x itself,
/// for any condition number, as long as refinement contracts at all.
void SolverIsland::compute_residual() {
    const double* const x = x_.data();
    const double* const lambda = lambda_.data();
    for (int i = 0; i < n_; ++i) {
        // f + A^T lambda - M x
        long double rest = f_[i];
        const auto at = static_cast<std::size_t>(i);
        for (int k = mass_begin_[at]; k < mass_begin_[at + 1]; ++k) {
            const Factor factor = mass_factors_[k];
            rest -= static_cast<long double>(M_[factor.value]) * x[factor.of];
        }
        for (int k = row_begin_[at]; k < row_begin_[at + 1]; ++k) {
            const Factor factor = row_factors_[k];
            rest += static_cast<long double>(A_[factor.value]) * lambda[factor.of];
        }
        residual_f_[i] = static_cast<double>(rest);
    }
    for (int k = 0; k < m_; ++k) {
        // r - A x
        long double gap = r_[k];
        const auto [begin, end] = entries(k);
        for (int e = begin; e < end; ++e)
            gap -= static_cast<long double>(A_[e]) * x[pattern_.column[e]];
        residual_r_[k] = static_cast<double>(gap);
    }
}

double SolverIsland::mass_norm(const Eigen::VectorXd& x) const {
    // |x|_W, the norm of M by its diagonal
    return std::sqrt((weight_.array() * x.array()).square().sum());
}

double SolverIsland::force_norm(const Eigen::VectorXd& f) const {
    // |W^-1 f| = |M^-1 f|_W
    return std::sqrt((f.array() / weight_.array()).square().sum());
}

}  // namespace ancora
