// SPDX-License-Identifier: BSD-3-Clause
// Nonnegative least squares in its normal equations.
#include "complementarity.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <Eigen/Cholesky>

namespace ancora {
namespace {

// w_k is below zero where it is so by more than this part of the terms that it is the sum of; a row
// depends on others where less than this is left of W_kk.
constexpr double kRounding = 1e-13;
// What others hold to this is held where none of them would let go.
constexpr double kJammed = 1e-10;
constexpr Eigen::Index kRoundsPerRow = 10;
// Both r_k and w_k are zero within this part of their terms.
constexpr double kBoth = 1e-11;
constexpr double kProximal = 1e-6;  // c, relative to W
constexpr int kPasses = 4;

/// The minimum over the rows in use, and the way to it.
class ActiveSet {
public:
    ActiveSet(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r)
        : W_(W), q_(q), r_(r), is_used_(static_cast<std::size_t>(q.size()), 0) {
        is_jammed_ = is_used_;
    }

    /// The row that is farthest below zero, by its own terms; -1 if there is none.
    Eigen::Index farthest() const {
        Eigen::Index out = -1;
        double lowest = -kRounding;
        for (Eigen::Index k = 0; k < q_.size(); ++k) {
            const auto at = static_cast<std::size_t>(k);
            if (is_used_[at] != 0 || is_jammed_[at] != 0 || !(W_(k, k) > 0.0)) continue;
            double w = q_[k];
            double size = std::abs(q_[k]);
            for (const Eigen::Index j : used_) {
                w += W_(k, j) * r_[j];
                size += std::abs(W_(k, j) * r_[j]);
            }
            if (!(w < lowest * size)) continue;
            lowest = w / size;
            out = k;
        }
        return out;
    }

    /// Row k enters. What it takes over lies along d, which leaves the w of rows in use as they
    /// are; where it depends on them, it goes on until one of them has nothing left.
    void enter(Eigen::Index k) {
        const Eigen::LDLT<Eigen::MatrixXd> factors(matrix());
        Eigen::VectorXd of_k(size());
        double w = q_[k];
        for (Eigen::Index i = 0; i < size(); ++i) {
            of_k[i] = W_(row(i), k);
            w += W_(row(i), k) * r_[row(i)];
        }
        Eigen::VectorXd d = size() > 0 ? factors.solve(-of_k).eval() : of_k;
        if (size() > 0) d += factors.solve(-of_k - matrix() * d);
        const double left = W_(k, k) + of_k.dot(d);
        double way =
            left > kRounding * W_(k, k) ? -w / left : std::numeric_limits<double>::infinity();
        Eigen::Index leaves = -1;
        for (Eigen::Index i = 0; i < size(); ++i) {
            if (!(d[i] < 0.0) || r_[row(i)] >= -d[i] * way) continue;
            way = r_[row(i)] / -d[i];
            leaves = i;
        }
        if (leaves < 0 && left <= kJammed * W_(k, k)) {
            is_jammed_[static_cast<std::size_t>(k)] = 1;
            return;
        }
        for (Eigen::Index i = 0; i < size(); ++i)
            r_[row(i)] = std::max(r_[row(i)] + way * d[i], 0.0);
        r_[k] = way;
        if (leaves >= 0) leave(leaves);
        used_.push_back(k);
        is_used_[static_cast<std::size_t>(k)] = 1;
    }

    /// To the minimum of the rows in use: as far as no entry turns negative; the first that would
    /// leaves.
    void descend() {
        while (!used_.empty()) {
            const Eigen::VectorXd z = minimum();
            double part = 1.0;
            Eigen::Index leaves = -1;
            for (Eigen::Index i = 0; i < size(); ++i) {
                const double from = r_[row(i)], to = z[i];
                const double way = from > 0.0 ? from / (from - to) : 0.0;
                if (to >= 0.0 || way >= part) continue;
                part = way;
                leaves = i;
            }
            for (Eigen::Index i = 0; i < size(); ++i) {
                const double from = r_[row(i)];
                r_[row(i)] = std::max(from + part * (z[i] - from), 0.0);
            }
            if (leaves < 0) return;
            leave(leaves);
        }
    }

private:
    Eigen::Index size() const { return static_cast<Eigen::Index>(used_.size()); }
    Eigen::Index row(Eigen::Index i) const { return used_[static_cast<std::size_t>(i)]; }
    Eigen::MatrixXd matrix() const {
        Eigen::MatrixXd out(size(), size());
        for (Eigen::Index i = 0; i < size(); ++i)
            for (Eigen::Index j = 0; j < size(); ++j) out(i, j) = W_(row(i), row(j));
        return out;
    }
    /// W_uu z = -q_u
    Eigen::VectorXd minimum() const {
        const Eigen::MatrixXd of = matrix();
        Eigen::VectorXd right(size());
        for (Eigen::Index i = 0; i < size(); ++i) right[i] = -q_[row(i)];
        const Eigen::LDLT<Eigen::MatrixXd> factors(of);
        Eigen::VectorXd z = factors.solve(right);
        z += factors.solve(right - of * z);
        return z;
    }
    void leave(Eigen::Index i) {
        r_[row(i)] = 0.0;
        is_used_[static_cast<std::size_t>(row(i))] = 0;
        used_.erase(used_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    const Eigen::MatrixXd& W_;
    const Eigen::VectorXd& q_;
    Eigen::VectorXd& r_;
    std::vector<Eigen::Index> used_;
    std::vector<char> is_used_, is_jammed_;
};

bool solve_by_active_sets(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
    const Eigen::Index m = q.size();
    r.setZero(m);
    ActiveSet set(W, q, r);
    for (Eigen::Index round = 0; round <= kRoundsPerRow * m; ++round) {
        const Eigen::Index k = set.farthest();
        if (k < 0) return true;
        set.enter(k);
        set.descend();
    }
    return false;
}

/// Of all solutions that of least norm, where rows depend on each other: the limit of
///
///   0 <= r_k+1  _|_  W r_k+1 + q + c (r_k+1 - r_k) >= 0,   r_0 = 0
///
/// over the rows whose w is zero, which is the same in all solutions (proximal points: R. T.
/// Rockafellar, SIAM J. Control Optim. 14, 1976).
void take_least_norm(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
    std::vector<Eigen::Index> rows;
    bool any_idle = false;
    for (Eigen::Index k = 0; k < q.size(); ++k) {
        if (!(W(k, k) > 0.0)) continue;
        const double w = q[k] + W.row(k).dot(r);
        const double size = std::abs(q[k]) + W.row(k).cwiseAbs().dot(r);
        if (!(std::abs(w) <= kBoth * size)) continue;
        rows.push_back(k);
        any_idle = any_idle || !(r[k] > 0.0);
    }
    if (!any_idle || r.isZero(0.0)) return;
    Eigen::MatrixXd of = W(rows, rows);
    // Its own right side, of which the rest is rounding.
    const Eigen::VectorXd right = -(of * r(rows));
    const double c = kProximal * of.diagonal().maxCoeff();
    of.diagonal().array() += c;
    Eigen::VectorXd least = Eigen::VectorXd::Zero(right.size()), next;
    for (int pass = 0; pass < kPasses; ++pass) {
        if (!solve_by_active_sets(of, right - c * least, next)) return;
        least = next;
    }
    const double left = (W(rows, rows) * least + right).lpNorm<Eigen::Infinity>();
    if (!(left <= kBoth * right.lpNorm<Eigen::Infinity>())) return;
    for (std::size_t k = 0; k < rows.size(); ++k) r[rows[k]] = least[static_cast<Eigen::Index>(k)];
}

}  // namespace

bool solve_complementarity(const Eigen::MatrixXd& W,
                           const Eigen::VectorXd& q,
                           Eigen::VectorXd& r,
                           OfSeveral solution) {
    if (!solve_by_active_sets(W, q, r)) return false;
    if (solution == OfSeveral::least_norm) take_least_norm(W, q, r);
    return true;
}

}  // namespace ancora
