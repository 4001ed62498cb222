// SPDX-License-Identifier: BSD-3-Clause
// Nonnegative least squares in its normal equations.
#include "complementarity.hpp"

#include <algorithm>
#include <vector>

#include <Eigen/Cholesky>

namespace ancora {
namespace {

// w_k is below zero where it is so by more than this part of the terms that it is the sum of.
constexpr double kRounding = 1e-13;
constexpr Eigen::Index kRoundsPerRow = 10;

/// z of the rows in use, W_uu z = -q_u.
Eigen::VectorXd solve_equations(const Eigen::MatrixXd& W,
                                const Eigen::VectorXd& q,
                                const std::vector<Eigen::Index>& used) {
    const auto count = static_cast<Eigen::Index>(used.size());
    Eigen::MatrixXd of(count, count);
    Eigen::VectorXd right(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        right[i] = -q[used[static_cast<std::size_t>(i)]];
        for (Eigen::Index j = 0; j < count; ++j)
            of(i, j) = W(used[static_cast<std::size_t>(i)], used[static_cast<std::size_t>(j)]);
    }
    const Eigen::LDLT<Eigen::MatrixXd> factors(of);
    Eigen::VectorXd z = factors.solve(right);
    z += factors.solve(right - of * z);
    return z;
}

}  // namespace

bool solve_complementarity(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
    const Eigen::Index m = q.size();
    r.setZero(m);
    std::vector<Eigen::Index> used;
    std::vector<char> is_used(static_cast<std::size_t>(m), 0);
    for (Eigen::Index round = 0; round <= kRoundsPerRow * m; ++round) {
        // The row that is farthest below zero, by its own terms.
        Eigen::Index enters = -1;
        double lowest = -kRounding;
        for (Eigen::Index k = 0; k < m; ++k) {
            if (is_used[static_cast<std::size_t>(k)] != 0 || !(W(k, k) > 0.0)) continue;
            double w = q[k];
            double size = std::abs(q[k]);
            for (Eigen::Index j = 0; j < m; ++j) {
                w += W(k, j) * r[j];
                size += std::abs(W(k, j) * r[j]);
            }
            if (!(w < lowest * size)) continue;
            lowest = w / size;
            enters = k;
        }
        if (enters < 0) return true;
        used.push_back(enters);
        is_used[static_cast<std::size_t>(enters)] = 1;
        while (!used.empty()) {
            const Eigen::VectorXd z = solve_equations(W, q, used);
            // From r towards z as far as no entry turns negative; the first that would leaves.
            double part = 1.0;
            std::size_t leaves = used.size();
            for (std::size_t i = 0; i < used.size(); ++i) {
                const double from = r[used[i]], to = z[static_cast<Eigen::Index>(i)];
                const double way = from > 0.0 ? from / (from - to) : 0.0;
                if (to >= 0.0 || way >= part) continue;
                part = way;
                leaves = i;
            }
            for (std::size_t i = 0; i < used.size(); ++i) {
                const double from = r[used[i]], to = z[static_cast<Eigen::Index>(i)];
                r[used[i]] = std::max(from + part * (to - from), 0.0);
            }
            if (leaves == used.size()) break;
            r[used[leaves]] = 0.0;
            is_used[static_cast<std::size_t>(used[leaves])] = 0;
            used.erase(used.begin() + static_cast<std::ptrdiff_t>(leaves));
        }
    }
    return false;
}

}  // namespace ancora
