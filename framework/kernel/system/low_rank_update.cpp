// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on reactions, in the solve of a step.
#include "low_rank_update.hpp"

namespace ancora {

void LowRankUpdate::prepare() {
    const int d = parts_.forces.num_reactions();
    const auto n = static_cast<std::size_t>(parts_.n);
    if (by_reactions_.cols() != d) {
        by_reactions_.setZero(parts_.n, d);
        x_.setZero(parts_.n, d);
        s_.setZero(num_rows_, d);
        answer_.setZero(d, d);
        zero_.setZero(num_rows_);
        reactions_.setZero(d);
        y_.setZero(d);
    }
    // U = dF/dR: n x d, d numbers R of reactions that forces depend on.
    parts_.forces.differentiate_by_reactions(by_reactions_);
    // W = K^-1 [U; 0], one solve for each column, and I - E W; E reads reactions of least norm.
    for (int j = 0; j < d; ++j) {
        inner_.solve({by_reactions_.col(j).data(), n},
                     view(zero_),
                     {x_.col(j).data(), n},
                     {s_.col(j).data(), static_cast<std::size_t>(num_rows_)});
        parts_.forces.read_reactions(
            parts_.rows, independent_.shared(s_.col(j).data()), true, reactions_.data());
        answer_.col(j) = -reactions_;
        answer_(j, j) += 1.0;
    }
    solver_.compute(answer_);
}

void LowRankUpdate::solve(std::span<const double> r_motion,
                          std::span<const double> r_rows,
                          std::span<double> ddq,
                          std::span<double> ds) {
    // x_0 = K^-1 r; (I - E W) y = E x_0; x = x_0 + W y: Woodbury's identity for K - [U; 0] E, d
    // small.
    inner_.solve(r_motion, r_rows, ddq, ds);
    if (empty()) return;
    parts_.forces.read_reactions(
        parts_.rows, independent_.shared(ds.data()), true, reactions_.data());
    y_ = solver_.solve(reactions_);
    if (!y_.allFinite()) return;  // singular: the iteration fails and reports it
    for (Eigen::Index j = 0; j < y_.size(); ++j) {
        for (int i = 0; i < parts_.n; ++i) ddq[i] += x_(i, j) * y_[j];
        for (int k = 0; k < num_rows_; ++k) ds[k] += s_(k, j) * y_[j];
    }
}

/// r_motion += U E y. As r_motion has -F, its derivative by s is B^T - U E, and -(-U E y) is added.
void LowRankUpdate::add_tangent(const double* y, double* r_motion) {
    parts_.forces.read_reactions(parts_.rows, independent_.shared(y), true, reactions_.data());
    for (Eigen::Index j = 0; j < reactions_.size(); ++j)
        for (int i = 0; i < parts_.n; ++i) r_motion[i] += by_reactions_(i, j) * reactions_[j];
}

}  // namespace ancora
