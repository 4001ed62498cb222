// SPDX-License-Identifier: BSD-3-Clause
// Decisions by pivots, by distances and by inverse iteration.
#include "column_rank.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "column_span.hpp"

namespace ancora {
namespace {

/// Pivots of a Gram matrix above this are of independent columns. The pivot of a dependency that
/// involves all columns is their number times the shift.
double least_pivot(Eigen::Index num_columns) {
    constexpr double kCandidate = 1e-11;
    return std::max(kCandidate, 10.0 * kGramShift * static_cast<double>(num_columns));
}

/// A column of a dependency that no pivot shows: the last column of a dependency has a pivot of
/// kGramShift only if its coefficient is large, which depends on the order. Inverse iteration finds
/// the combination itself.
/// @returns its place among `span.kept`, or -1
int hidden_dependency(const ColumnSpan& span, double threshold) {
    constexpr int kIterations = 20;
    constexpr int kFirst = 3;
    constexpr double kFarFromNothing = 1e-3;
    if (span.kept.empty() || span.basis.factor.info() != Eigen::Success) return -1;
    Eigen::VectorXd x(static_cast<Eigen::Index>(span.kept.size()));
    // A start without the symmetry of a model; x := (C^T C + shift)^-1 x
    // turns to the least singular vector.
    for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = k % 2 == 0 ? 1.0 : -0.7;
    for (int i = 0; i < kIterations; ++i) {
        x = span.basis.factor.solve(x);
        x.normalize();
        // |C x|, |x| = 1, is no less than the least singular value.
        const double length = (span.basis.columns * x).norm();
        if (!(length > threshold)) {
            Eigen::Index largest = 0;
            x.cwiseAbs().maxCoeff(&largest);
            return static_cast<int>(largest);
        }
        if (i >= kFirst && length > kFarFromNothing) break;
    }
    return -1;
}

}  // namespace

void decide_by_pivots(const Eigen::VectorXd& pivots, RankAnalysis& out) {
    // The rank is the number of pivots above the threshold times the largest (theory, section 2.2).
    const double largest = pivots.size() > 0 ? pivots.maxCoeff() : 0.0;
    out.rank = 0;
    out.smallest_kept = 1.0;
    for (const double pivot : pivots) {
        const double relative = largest > 0.0 ? pivot / largest : 0.0;
        if (relative > out.threshold) {
            ++out.rank;
            out.smallest_kept = std::min(out.smallest_kept, relative);
        } else {
            out.largest_dropped = std::max(out.largest_dropped, relative);
        }
        out.is_near_threshold |= relative > kNearLow && relative < kNearHigh;
    }
    if (out.rank == 0) out.smallest_kept = 0.0;
}

std::vector<int> dependent_columns(const Eigen::MatrixXd& columns, double threshold) {
    Eigen::MatrixXd basis(columns.rows(), std::min(columns.rows(), columns.cols()));
    Eigen::Index size = 0;
    std::vector<int> dependent;
    for (Eigen::Index k = 0; k < columns.cols(); ++k) {
        Eigen::VectorXd x = columns.col(k);
        // Twice is enough: cancellation leaves parts along the basis in the first pass,
        // which the second removes (Parlett, The Symmetric Eigenvalue Problem, SIAM, 1998).
        for (int pass = 0; pass < 2; ++pass)
            x -= basis.leftCols(size) * (basis.leftCols(size).transpose() * x);
        const double norm = x.norm();
        if (norm > threshold && size < basis.cols())
            basis.col(size++) = x / norm;
        else
            dependent.push_back(static_cast<int>(k));
    }
    return dependent;
}

bool strengthen(const Eigen::SparseMatrix<double>& columns,
                double most,
                std::vector<int>& dependent) {
    constexpr double kTouched = 1e-6;  // part of the largest coefficient
    constexpr int kMostRounds = 50;
    struct Exchange {
        double coefficient;
        int kept;
        std::size_t left;
    };
    bool has_changed = false;
    for (int round = 0; round < kMostRounds; ++round) {
        ColumnSpan span(columns, dependent);
        if (span.basis.factor.info() != Eigen::Success) return has_changed;
        const std::vector<int>& kept = span.kept;
        // An exchange must not change the columns of another's combination.
        std::vector<char> is_touched(kept.size(), 0);
        std::vector<Exchange> exchanges;
        // If l = sum c_k k over the kept columns, the volume with l in place of k is |c_k| times
        // the present one: exchanges with |c_k| > most > 1 end (Gu and Eisenstat 1996).
        for (std::size_t left = 0; left < dependent.size(); ++left) {
            const ColumnSpan::Combination one = span.combination(columns, dependent[left]);
            if (one.of.empty()) continue;
            const auto of = [&one](Eigen::Index k) {
                return static_cast<std::size_t>(one.of[k]);
            };
            Eigen::Index largest = 0;
            const double coefficient = one.share.cwiseAbs().maxCoeff(&largest);
            if (!(coefficient > most) || is_touched[of(largest)] != 0) continue;
            for (Eigen::Index k = 0; k < one.share.size(); ++k)
                if (std::abs(one.share[k]) > kTouched * coefficient) is_touched[of(k)] = 1;
            exchanges.push_back({coefficient, kept[of(largest)], left});
        }
        // Every coefficient is `most` at most.
        if (exchanges.empty()) return has_changed;
        has_changed = true;
        for (const Exchange& exchange : exchanges) dependent[exchange.left] = exchange.kept;
        std::ranges::sort(dependent);
    }
    return has_changed;
}

bool are_dependent(const Eigen::SparseMatrix<double>& columns,
                   const Eigen::SparseMatrix<double>& weighed,
                   const std::vector<int>& dependent,
                   double threshold,
                   double most) {
    ColumnSpan span(weighed, dependent);
    // Pivots of L D L^T are squared distances from the span of the columns before.
    if (span.basis.factor.info() != Eigen::Success ||
        !(span.basis.factor.vectorD().minCoeff() > least_pivot(columns.cols())))
        return false;
    return std::ranges::all_of(dependent, [&](int c) {
        // distance / length is that of the unit column.
        const double length = weighed.col(c).norm() / columns.col(c).norm();
        const ColumnSpan::Combination one = span.combination(weighed, c);
        return (one.of.empty() || one.share.cwiseAbs().maxCoeff() <= most) &&
               one.distance <= threshold * length;
    });
}

std::vector<int> decide_by_distances(const Eigen::SparseMatrix<double>& columns,
                                     const Eigen::SparseMatrix<double>& weighed,
                                     RankAnalysis& out) {
    const double candidate = least_pivot(columns.cols());
    constexpr int kMostRounds = 20;
    std::vector<int> dependent;
    auto span = std::make_unique<ColumnSpan>(columns, dependent);
    const auto take_out_dependent = [&] {
        std::ranges::sort(dependent);
        span.reset();  // makes room
        span = std::make_unique<ColumnSpan>(columns, dependent);
    };
    // Clearly independent are columns with pivots above rounding of a Gram matrix;
    // its pivots are squares. Exchanges change the pivots, so that they are looked at again.
    for (int round = 0; round < kMostRounds; ++round) {
        // Pivots are in the order of elimination; Pinv puts them into that of the columns.
        const Eigen::VectorXd pivots =
            span->basis.factor.permutationPinv() * span->basis.factor.vectorD();
        const std::size_t before = dependent.size();
        out.smallest_kept = 1.0;
        for (Eigen::Index k = 0; k < pivots.size(); ++k)
            if (pivots[k] > candidate)
                out.smallest_kept = std::min(out.smallest_kept, std::sqrt(pivots[k]));
            else
                dependent.push_back(span->kept[k]);
        if (dependent.size() == before) break;
        std::ranges::sort(dependent);
        strengthen(weighed, kLargestCoefficient, dependent);
        take_out_dependent();
    }
    // Dependencies that no pivot shows, one at a time.
    for (;;) {
        const int hidden = hidden_dependency(*span, out.threshold);
        if (hidden < 0) break;
        dependent.push_back(span->kept[hidden]);
        take_out_dependent();
    }
    // Weakly independent columns join the span one by one, the farthest first.
    while (!dependent.empty()) {
        double farthest = 0.0;
        std::size_t which = 0;
        out.largest_dropped = 0.0;
        for (std::size_t i = 0; i < dependent.size(); ++i) {
            const double distance = span->combination(columns, dependent[i]).distance;
            out.is_near_threshold |= distance > kNearLow && distance < kNearHigh;
            if (distance <= farthest) continue;
            farthest = distance;
            which = i;
        }
        if (!(farthest > out.threshold)) {
            out.largest_dropped = farthest;
            break;
        }
        out.smallest_kept = std::min(out.smallest_kept, farthest);
        dependent.erase(dependent.begin() + static_cast<std::ptrdiff_t>(which));
        take_out_dependent();
    }
    out.rank = static_cast<int>(columns.cols() - static_cast<Eigen::Index>(dependent.size()));
    return dependent;
}

}  // namespace ancora
