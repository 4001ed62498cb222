// SPDX-License-Identifier: BSD-3-Clause
// Nonnegative least squares in its normal equations.
#include "complementarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ancora/sdk/numbers/disjoint_sets.hpp"

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
        L_.resize(q.size(), q.size());
    }

    /// The row that is farthest below zero, by its own terms; -1 if there is none.
    Eigen::Index farthest() const {
        Eigen::VectorXd w = q_, sizes = q_.cwiseAbs();
        for (const Eigen::Index j : used_) {
            w += W_.col(j) * r_[j];
            sizes += (W_.col(j) * r_[j]).cwiseAbs();
        }
        Eigen::Index out = -1;
        double lowest = -kRounding;
        for (Eigen::Index k = 0; k < q_.size(); ++k) {
            const auto at = static_cast<std::size_t>(k);
            if (is_used_[at] != 0 || is_jammed_[at] != 0 || !(W_(k, k) > 0.0)) continue;
            if (!(w[k] < lowest * sizes[k])) continue;
            lowest = w[k] / sizes[k];
            out = k;
        }
        return out;
    }

    /// Row k enters. What it takes over lies along d, which leaves the w of rows in use as they
    /// are; where it depends on them, it goes on until one of them has nothing left.
    void enter(Eigen::Index k) {
        Eigen::VectorXd of_k(size());
        double w = q_[k];
        for (Eigen::Index i = 0; i < size(); ++i) {
            of_k[i] = W_(row(i), k);
            w += W_(row(i), k) * r_[row(i)];
        }
        const Eigen::VectorXd d = solve(-of_k);
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
        append(k);
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
    /// W_uu z = -q_u
    Eigen::VectorXd minimum() const {
        Eigen::VectorXd right(size());
        for (Eigen::Index i = 0; i < size(); ++i) right[i] = -q_[row(i)];
        return solve(right);
    }
    /// W_uu x = b, with one refinement.
    Eigen::VectorXd solve(const Eigen::VectorXd& b) const {
        Eigen::VectorXd x = solve_once(b);
        Eigen::VectorXd left = b;
        for (Eigen::Index j = 0; j < size(); ++j)
            for (Eigen::Index i = 0; i < size(); ++i) left[i] -= W_(row(i), row(j)) * x[j];
        return x + solve_once(left);
    }
    Eigen::VectorXd solve_once(const Eigen::VectorXd& b) const {
        const auto L = L_.topLeftCorner(size(), size()).triangularView<Eigen::Lower>();
        Eigen::VectorXd x = L.solve(b);
        L.transpose().solveInPlace(x);
        return x;
    }
    /// W_uu = L L^T goes on with row k.
    void append(Eigen::Index k) {
        const Eigen::Index last = size();
        Eigen::VectorXd l(last);
        for (Eigen::Index i = 0; i < last; ++i) l[i] = W_(row(i), k);
        L_.topLeftCorner(last, last).triangularView<Eigen::Lower>().solveInPlace(l);
        L_.row(last).head(last) = l.transpose();
        // What is left of a row that depends on others is rounding.
        const double left = std::max(W_(k, k) - l.squaredNorm(), kRounding * W_(k, k));
        L_(last, last) = std::sqrt(left);
        used_.push_back(k);
    }
    void leave(Eigen::Index i) {
        r_[row(i)] = 0.0;
        is_used_[static_cast<std::size_t>(row(i))] = 0;
        const std::vector<Eigen::Index> behind(used_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                               used_.end());
        used_.resize(static_cast<std::size_t>(i));
        for (const Eigen::Index k : behind) append(k);
    }

    const Eigen::MatrixXd& W_;
    const Eigen::VectorXd& q_;
    Eigen::VectorXd& r_;
    Eigen::MatrixXd L_;  // Cholesky factor of the rows in use
    std::vector<Eigen::Index> used_;
    std::vector<char> is_used_, is_jammed_;
};

bool solve_as_one(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
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

/// Rows that W joins, directly or over others, in order: contacts of bodies that hang together.
std::vector<std::vector<Eigen::Index>> groups_of(const Eigen::MatrixXd& W) {
    const Eigen::Index m = W.rows();
    DisjointSets sets(static_cast<std::size_t>(m));
    for (Eigen::Index j = 0; j < m; ++j)
        for (Eigen::Index i = 0; i < j; ++i)
            if (W(i, j) != 0.0) sets.join(static_cast<int>(i), static_cast<int>(j));
    std::vector<int> group_of(static_cast<std::size_t>(m), -1);
    std::vector<std::vector<Eigen::Index>> out;
    for (Eigen::Index i = 0; i < m; ++i) {
        int& group = group_of[static_cast<std::size_t>(sets.root(static_cast<int>(i)))];
        if (group < 0) {
            group = static_cast<int>(out.size());
            out.emplace_back();
        }
        out[static_cast<std::size_t>(group)].push_back(i);
    }
    return out;
}

/// Each group by itself: the cost grows with the third power of its size.
bool solve_by_active_sets(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
    const std::vector<std::vector<Eigen::Index>> groups = groups_of(W);
    if (groups.size() == 1) return solve_as_one(W, q, r);
    r.setZero(q.size());
    bool is_solved = true;
    Eigen::VectorXd part;
    for (const std::vector<Eigen::Index>& group : groups) {
        is_solved = solve_as_one(W(group, group), q(group), part) && is_solved;
        r(group) = part;
    }
    return is_solved;
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
