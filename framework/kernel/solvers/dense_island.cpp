// SPDX-License-Identifier: BSD-3-Clause
// Factors of a dense island, and solutions from them.
#include "dense_island.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dense.hpp"
#include "island_limits.hpp"

namespace ancora {
namespace {

// Rows that are kept through a step are given up only where nothing of them is left.
constexpr double kKeptThreshold = 1e-13;
// M_A with a smaller pivot may be singular, or merely ill-scaled: looked at in scaled coordinates.
// It is singular with an eigenvalue below kUndetermined, and factorised above the second number.
constexpr double kSuspicious = 1e-6;
constexpr double kUsable = 1e-13;
// Refinement ends when a correction is no more than this part of the solution; what it leaves is
// smaller by the factor that each correction gains, 1e-8 or better where the rank is clear.
constexpr double kDenseConverged = 1e-13;
constexpr int kMostDenseRefinements = 6;
constexpr int kMostKeptRefinements = 3;
// Where the factors are poor it takes more, and what then still changes by this part is no
// solution.
constexpr int kMostCorrections = 60;
constexpr double kUnsettledPart = 1e-6;
constexpr double kUnsettledOfFree = 1e-10;

}  // namespace

DenseIsland::DenseIsland(IslandPattern pattern)
    : SolverIsland(std::move(pattern)),
      mass_(n_, pattern_.mass),
      kept_(pattern_),
      qr_(n_, m_),
      second_(m_, std::min(n_, m_)),
      work_n_(Eigen::VectorXd::Zero(n_)),
      work_m_(Eigen::VectorXd::Zero(std::max(n_, m_))),
      w_(Eigen::VectorXd::Zero(std::max(n_, m_))),
      dx_(Eigen::VectorXd::Zero(n_)),
      dlambda_(Eigen::VectorXd::Zero(m_)) {
    column_row_.reserve(m_);
}

SolverStatus DenseIsland::factorise_local(const std::vector<double>& M,
                                          const std::vector<double>& A,
                                          const std::vector<char>& is_dropped) {
    M_ = M;
    A_ = A;
    is_dropped_ = is_dropped;
    const bool leaves_out = std::any_of(is_dropped.begin(), is_dropped.end(), [](char is) {
        return is != 0;
    });
    use_ = leaves_out ? RankUse::keep : RankUse::decide;
    compute_weights();
    lend_weights();
    is_mass_current_ = false;
    return status_ = compute();
}

void DenseIsland::choose_local(const std::vector<double>& M,
                               const std::vector<double>& A,
                               bool wants_least,
                               Choice& out) {
    M_ = M;
    A_ = A;
    std::ranges::fill(is_dropped_, 0);
    use_ = RankUse::choose;
    wants_least_ = wants_least;
    compute_weights();
    lend_weights();
    is_mass_current_ = false;
    Choice* const own = std::exchange(choice_, &out);
    status_ = compute();
    choice_ = own;
}

bool DenseIsland::solve_local(const Eigen::VectorXd& f,
                              const Eigen::VectorXd& r,
                              Eigen::VectorXd& x,
                              Eigen::VectorXd& lambda) {
    f_ = f;
    r_ = r;
    const bool is_solved = do_solve();
    x = x_;
    lambda = lambda_;
    return is_solved;
}

SolverStatus DenseIsland::do_factorise(bool is_mass_new) {
    if (is_mass_new) is_mass_current_ = false;
    // Kept or chosen rows: the Schur complement first, orthogonal factors
    // if that is near a singular one.
    is_by_kept_rows_ = use_ != RankUse::decide && factorise_kept_rows();
    if (!is_by_kept_rows_) return status_ = compute();
    // Rows that are clearly independent are all kept.
    if (use_ == RankUse::choose) choice_->take();
    return status_ = Status::good;
}

bool DenseIsland::factorise_mass() {
    if (is_mass_current_) return true;
    mass_.clear();
    for (std::size_t k = 0; k < M_.size(); ++k)
        mass_.add(pattern_.mass[k].first, pattern_.mass[k].second, M_[k]);
    if (!mass_.factorise(usual_.data(), kVanishedPivot)) return false;
    is_singular_ = mass_.is_singular();
    return is_mass_current_ = true;
}

/// A mass that was singular where rows were chosen is taken to be so still: with rows it is
/// definite either way.
bool DenseIsland::factorise_kept_rows() {
    if ((use_ == RankUse::choose || !is_singular_) && !factorise_mass()) return false;
    ++counts_.factorisations;
    const EnvelopeCholesky* L = is_singular_ ? kept_.augment(M_, A_, is_dropped_, usual_) : &mass_;
    return L != nullptr && kept_.factorise(*L, A_, is_dropped_, length_);
}

void DenseIsland::leave_kept_rows() {
    if (!is_by_kept_rows_) return;
    status_ = compute();
    has_changed_factors_ = true;
}

SolverStatus DenseIsland::compute() {
    is_by_kept_rows_ = false;
    ++counts_.factorisations;
    if (!factorise_mass()) return Status::failed;
    // M_A in place of M, theory (8)
    if (is_singular_) {
        const Status status = augment();
        if (status != Status::good) return status;
    }
    factorise_rows();
    if (!length_.allFinite()) return Status::failed;
    if (use_ == RankUse::choose) take_choice();
    return Status::good;
}

/// (1) and (2)
void DenseIsland::factorise_rows() {
    qr_.resize(n_, m_);
    column_row_.clear();
    const int* start = pattern_.row_start.data();
    const int* column = pattern_.column.data();
    for (int k = 0; k < m_; ++k) {
        if (is_dropped_[k] != 0) continue;
        // L^-1 A_k^T, whose length is sqrt(D_k)
        double* row = qr_.column(static_cast<int>(column_row_.size()));
        std::fill(row, row + n_, 0.0);
        int first = n_;
        for (int e = start[k]; e < start[k + 1]; ++e) {
            row[column[e]] = A_[e];
            first = std::min(first, column[e]);
        }
        // L^-1 first, from the first entry on: what is before it stays zero.
        L().solve_lower(row, first);
        Eigen::Map<Eigen::VectorXd> scaled(row, n_);
        length_[k] = scaled.norm();
        if (length_[k] > 0.0) scaled /= length_[k];
        // Zero rows, as rates in the projection of positions, would look redundant.
        if (use_ != RankUse::keep || length_[k] > 0.0) column_row_.push_back(k);
    }
    const int count = static_cast<int>(column_row_.size());
    qr_.resize(n_, count);
    if (use_ == RankUse::choose && has_far_heavier_rows()) {
        // A row of light parts that is left out would follow from those of heavy ones with large
        // numbers, as would its gap.
        for (int c = 0; c < count; ++c) work_m_[c] = lightness(column_row_[c]);
        qr_.factorise_weighted(kRankThreshold, work_m_.data());
    } else {
        // Kept rows are independent by choice: beside the state of the choice a
        // small pivot is their angle, and only rounding is dropped.
        qr_.factorise(use_ == RankUse::keep ? kKeptThreshold : kRankThreshold);
    }
    const int r = qr_.rank();
    if (r == count) return;
    // [R11 R12]^T, count x r, columns c of R from their diagonal on.
    // R11 is regular: no pivots needed.
    second_.resize(count, r);
    for (int i = 0; i < r; ++i) {
        double* to = second_.column(i);
        std::fill(to, to + i, 0.0);
        for (int j = i; j < count; ++j) to[j] = qr_.column(j)[i];
    }
    second_.factorise(0.0, false);
}

/// The rows with pivots are kept, since they span all rows and are the least alike.
void DenseIsland::take_choice() {
    choice_->take();
    // Behind the rank are those that are combinations of the rows before, to the threshold.
    choice_->count = m_ - qr_.rank();
    if (choice_->count == 0) return;
    for (int j = qr_.rank(); j < m_; ++j) choice_->is_dropped[column_row_[qr_.source(j)]] = 1;
    choice_->length = length_;
    if (wants_least_) choice_->null = null_blocks();
}

/// M_A, literally, unless masses differ so much that this would lose the small ones: then with
/// A^+ A taken in coordinates scaled by the roots of the masses.
SolverStatus DenseIsland::augment() {
    if (unit_.size() == 0) {
        unit_.setOnes(n_);
        augmented_ = EnvelopeCholesky::full(n_);
        row_space_ = PivotedQr(n_, m_);
    }
    // Theory (8): sigma = tr(M) / n gives A^+ A the unit of M.
    double trace = 0.0;
    for (std::size_t k = 0; k < M_.size(); ++k)
        if (pattern_.mass[k].first == pattern_.mass[k].second) trace += M_[k];
    const double sigma = trace > 0.0 ? trace / n_ : 1.0;
    if (!augment_with(unit_, sigma, usual_)) return Status::failed;
    const double literal = augmented_.smallest_pivot();
    if (literal > kSuspicious) return Status::good;
    if (!augment_with(weight_, 1.0, unit_)) return Status::failed;
    if (augmented_.smallest_pivot() < kSuspicious && least_of_augmented(nullptr) < kUndetermined)
        return Status::undetermined;
    if (literal > kUsable && !augment_with(unit_, sigma, usual_)) return Status::failed;
    return Status::good;
}

/// L L^T = M + sigma W P W, where P projects on the range of W^-1 A^T, W the given weights. It is
/// factorised in coordinates scaled by W, so that each pivot is compared with its own round-off.
/// @param usual stands for a pivot that vanishes there
bool DenseIsland::augment_with(const Eigen::VectorXd& weight,
                               double sigma,
                               const Eigen::VectorXd& usual) {
    row_space_.resize(n_, m_);
    const int* start = pattern_.row_start.data();
    const int* column = pattern_.column.data();
    int count = 0;
    for (int k = 0; k < m_; ++k) {
        if (is_dropped_[k] != 0) continue;
        Eigen::Map<Eigen::VectorXd> row(row_space_.column(count++), n_);
        row.setZero();
        for (int e = start[k]; e < start[k + 1]; ++e) row[column[e]] = A_[e] / weight[column[e]];
        const double norm = row.norm();
        if (norm > 0.0) row /= norm;
    }
    row_space_.resize(n_, count);
    row_space_.factorise(use_ == RankUse::keep ? kKeptThreshold : kRankThreshold);

    augmented_.clear();
    for (std::size_t k = 0; k < M_.size(); ++k) {
        const auto [i, j] = pattern_.mass[k];
        augmented_.add(i, j, M_[k] / (weight[i] * weight[j]));
    }
    // A^+ A = sum_c q_c q_c^T over an orthonormal basis q_c of the row space
    for (int c = 0; c < row_space_.rank(); ++c) {
        // an orthonormal vector of the row space
        work_n_.setZero();
        work_n_[c] = 1.0;
        row_space_.apply_Q(work_n_.data());
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j <= i; ++j) augmented_.add(i, j, sigma * work_n_[i] * work_n_[j]);
    }
    if (!augmented_.factorise(usual.data(), kUsable)) return false;
    augmented_.scale(weight.data());
    return true;
}

bool DenseIsland::do_solve() {
    solve_once(f_, r_, x_, lambda_);
    if (refinement_ == Refinement::none && is_by_kept_rows_) return x_.allFinite();
    const double free = force_norm(f_);
    bool is_settled = true;
    // Iterative refinement: (x, lambda) += solution for the residuals of f and r, theory (4) being
    // linear
    for (int step = 0; step < kMostDenseRefinements || (!is_settled && step < kMostCorrections);
         ++step) {
        compute_residual();
        solve_once(residual_f_, residual_r_, dx_, dlambda_);
        x_ += dx_;
        lambda_ += dlambda_;
        const double correction = mass_norm(dx_);
        if (correction <= kDenseConverged * mass_norm(x_) || correction <= kRounding * free) {
            is_settled = true;
            break;
        }
        // Not settled at the last correction: what still changes by that part is no solution.
        is_settled =
            correction <= std::max(kUnsettledPart * mass_norm(x_), kUnsettledOfFree * free);
        if (is_by_kept_rows_ && (!is_settled || step == kMostKeptRefinements)) {
            leave_kept_rows();
            return do_solve();
        }
    }
    if (use_ == RankUse::keep) make_least();
    return is_settled && x_.allFinite();
}

void DenseIsland::solve_once(const Eigen::VectorXd& f,
                             const Eigen::VectorXd& r,
                             Eigen::VectorXd& x,
                             Eigen::VectorXd& lambda) {
    ++counts_.solves;
    if (is_by_kept_rows_) return kept_.solve(f, r, length_, x, lambda);
    const int rank = qr_.rank();
    const int count = static_cast<int>(column_row_.size());
    // z = Q^T L^-1 f
    x = f;
    L().solve_lower(x.data());
    qr_.apply_Qt(x.data());
    // w = (R^T)^+ P^T D^-1/2 r
    for (int j = 0; j < count; ++j) {
        const int k = column_row_[qr_.source(j)];
        work_m_[j] = length_[k] > 0.0 ? r[k] / length_[k] : 0.0;
    }
    // (R^T)^+ = [U^-1 0] H^T by (2)
    if (rank < count) {
        second_.apply_Qt(work_m_.data());
        second_.solve_R(work_m_.data());
    } else {
        qr_.solve_Rt(work_m_.data());
    }
    // x = L^-T Q [w; z2]
    for (int i = 0; i < rank; ++i) {
        w_[i] = work_m_[i] - x[i];
        x[i] = work_m_[i];
    }
    qr_.apply_Q(x.data());
    L().solve_upper(x.data());
    if (is_singular_) {
        // L^-1 (M x - f) in place of w - z1
        multiply_mass(x, work_n_);
        // A_s^T D^1/2 lambda = M x - f, so the part of L^-1 (M x - f) in the range of B^T is Q1 w.
        work_n_ -= f;
        L().solve_lower(work_n_.data());
        qr_.apply_Qt(work_n_.data());
        w_.head(rank) = work_n_.head(rank);
    }
    // lambda = D^-1/2 P R^+ w
    w_.tail(w_.size() - rank).setZero();
    // R^+ = H [U^-T; 0] by (2)
    if (rank < count) {
        second_.solve_Rt(w_.data());
        second_.apply_Q(w_.data());
    } else {
        qr_.solve_R(w_.data());
    }
    if (count < m_) lambda.setZero();
    for (int j = 0; j < count; ++j) {
        const int k = column_row_[qr_.source(j)];
        lambda[k] = length_[k] > 0.0 ? w_[j] / length_[k] : 0.0;
    }
}

void DenseIsland::add_rank(RankAnalysis& out) {
    leave_kept_rows();
    const int rank = qr_.rank();
    out.num_rows += m_;
    out.rank += rank;
    // Pivot k relative to the first: the last one of the loop is the first that was dropped.
    for (int k = 0; k <= rank; ++k) {
        const double pivot = qr_.relative_pivot(k);
        if (k < rank)
            out.smallest_kept =
                out.smallest_kept > 0.0 ? std::min(out.smallest_kept, pivot) : pivot;
        else
            out.largest_dropped = std::max(out.largest_dropped, pivot);
        out.is_near_threshold |= pivot > kNearLow && pivot < kNearHigh;
    }
}

std::vector<NullBlock> DenseIsland::null_blocks() {
    leave_kept_rows();
    const int rank = qr_.rank();
    if (rank == m_) return {};
    NullBlock block;
    block.rows.resize(m_);
    std::iota(block.rows.begin(), block.rows.end(), 0);
    block.basis.resize(m_, m_ - rank);
    Eigen::VectorXd column(m_);
    // R H e_c = 0 for c behind the rank by (2), so A_s^T (P H e_c) = 0:
    // null vectors over scaled rows.
    for (int c = 0; c < m_ - rank; ++c) {
        column.setZero();
        column[rank + c] = 1.0;
        second_.apply_Q(column.data());
        for (int j = 0; j < m_; ++j) block.basis(qr_.source(j), c) = column[j];
    }
    return {block};
}

Eigen::VectorXd DenseIsland::null_direction() {
    Eigen::VectorXd x(n_);
    augment_with(weight_, 1.0, unit_);
    least_of_augmented(&x);
    return x.normalized();
}

/// Least eigenvalue of W^-1 M W^-1 + P, and W^-1 times its vector, with row_space_ as left by
/// augment_with(weight_, 1.0). Allocates.
/// x . (W^-1 M W^-1 + P) x is zero where neither mass nor a row acts.
double DenseIsland::least_of_augmented(Eigen::VectorXd* x) {
    Eigen::MatrixXd scaled = Eigen::MatrixXd::Zero(n_, n_);
    for (std::size_t k = 0; k < M_.size(); ++k) {
        const auto [i, j] = pattern_.mass[k];
        const double value = M_[k] / (weight_[i] * weight_[j]);
        scaled(i, j) += value;
        if (i != j) scaled(j, i) += value;
    }
    for (int c = 0; c < row_space_.rank(); ++c) {
        work_n_.setZero();
        work_n_[c] = 1.0;
        row_space_.apply_Q(work_n_.data());
        scaled += work_n_ * work_n_.transpose();
    }
    const SymmetricEigen eigen(scaled);
    if (x != nullptr) *x = eigen.vectors().col(0).cwiseQuotient(weight_);
    return eigen.values()[0];
}

}  // namespace ancora
