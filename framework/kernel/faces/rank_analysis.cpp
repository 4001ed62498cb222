// SPDX-License-Identifier: BSD-3-Clause
// Rank and redundant rows of a row set, in the metric of its masses.
#include "rank_analysis.hpp"

#include <algorithm>
#include <cmath>

#include "column_rank.hpp"
#include "column_span.hpp"
#include "dense.hpp"
#include "row_laws.hpp"

namespace ancora {
namespace {

constexpr int kDenseRows = 400;
// Lower bound of masses relative to the largest one, in a decision about rank.
constexpr double kLightest = 1e-6;
// Weight of the rows of bodies in the selection of kept rows.
constexpr double kBodiesFirst = 8.0;
// Bound of the coefficients of a dropped row of a selection in use.
constexpr double kLargestOfOld = 2.0 * kLargestCoefficient;

}  // namespace

ScaledRows::ScaledRows(const RowSet& rows,
                       const Eigen::VectorXd& A,
                       const MassMatrix& matrix,
                       double lightest) {
    for (int k = 0; k < rows.num_rows(); ++k)
        if (RowLaws::is_constraint(rows.laws[k])) chosen.push_back(k);
    int num_coordinates = 0;
    for (const int i : rows.column) num_coordinates = std::max(num_coordinates, i + 1);
    // Massless coordinates count with the mean mass.
    double mean = 0.0;
    for (int i = 0; i < num_coordinates; ++i) mean += matrix.diagonal(i) / num_coordinates;
    if (!(mean > 0.0)) mean = 1.0;
    for (int i = 0; i < num_coordinates; ++i)
        mass.push_back(matrix.is_massless(i) ? mean : matrix.diagonal(i));
    if (!mass.empty()) {
        const double least = lightest * *std::ranges::max_element(mass);
        for (double& m : mass) m = std::max(m, least);
    }
    std::size_t most = 0;
    for (const int k : chosen)
        most += static_cast<std::size_t>(rows.row_end(k) - rows.row_begin(k));
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(most);
    // c_k = M^-1/2 A_k^T / |M^-1/2 A_k^T|, by two passes: length, then entries.
    // |.|^2 = D_k of theory (5) with diag(M).
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        const int k = chosen[c];
        double square = 0.0;
        for (int pass = 0; pass < 2; ++pass)
            for (const int e : rows.entries(k)) {
                const int i = rows.column_of(e);
                const double x = A[e] / std::sqrt(mass[i]);
                if (pass == 0)
                    square += x * x;
                else if (square > 0.0 && x != 0.0)
                    entries.emplace_back(i, static_cast<int>(c), x / std::sqrt(square));
            }
        length.push_back(std::sqrt(square));
    }
    columns.resize(num_coordinates, static_cast<int>(chosen.size()));
    columns.setFromTriplets(entries.begin(), entries.end());
    columns.makeCompressed();
}

Eigen::MatrixXd self_stresses(const RowSet& rows,
                              const Eigen::VectorXd& A,
                              const MassMatrix& mass,
                              const std::vector<int>& dependent,
                              int count) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rows.num_rows(), count);
    const ScaledRows scaled(rows, A, mass, kLightest);
    std::vector<int> left;
    for (std::size_t c = 0; c < scaled.chosen.size(); ++c)
        if (std::ranges::binary_search(dependent, scaled.chosen[c]))
            left.push_back(static_cast<int>(c));
    const ColumnSpan span(scaled.columns, left);
    if (span.basis.factor.info() != Eigen::Success) return out;
    // From unit columns to rows: a stress y_k / sqrt(D_k).
    const auto set = [&](int column, int which, double stress) {
        const auto c = static_cast<std::size_t>(column);
        if (scaled.length[c] > 0.0) out(scaled.chosen[c], which) = stress / scaled.length[c];
    };
    // States of self-stress: any x on the dropped rows and y with K y = L x on the others, so that
    // the force K y - L x is zero.
    for (int k = 0; k < count; ++k) {
        Eigen::VectorXd x = Eigen::VectorXd::Zero(scaled.columns.rows());
        for (std::size_t i = 0; i < left.size(); ++i) {
            // Pseudo-random numbers
            const double stress = 1.5 + std::sin(static_cast<double>(i + 1) * (0.7 + k));
            x += stress * scaled.columns.col(left[i]);
            set(left[i], k, -stress);
        }
        Eigen::VectorXd share = span.basis.share(x);
        // Refinement on the unshifted columns.
        for (int pass = 0; pass < 2; ++pass)
            share += span.basis.share(x - span.basis.columns * share);
        for (std::size_t i = 0; i < span.kept.size(); ++i)
            set(span.kept[i], k, share[static_cast<Eigen::Index>(i)]);
    }
    return out;
}

RankAnalysis analyse_rank(const RowSet& rows, const Eigen::VectorXd& A, const MassMatrix& mass) {
    RankAnalysis out;
    const ScaledRows scaled(rows, A, mass, kLightest);
    const Eigen::SparseMatrix<double>& columns = scaled.columns;
    const std::vector<int>& chosen = scaled.chosen;
    out.num_rows = static_cast<int>(chosen.size());
    if (chosen.empty()) return out;

    std::vector<int> dependent;
    if (out.num_rows <= kDenseRows) {
        // The columns in the order of rows for the names, by pivots for the rank.
        const Eigen::MatrixXd dense(columns);
        const RankRevealingQr qr(dense);
        decide_by_pivots(qr.pivots(), out);
        if (out.rank == out.num_rows) return out;
        // Named are the last rows of each dependent set; if that disagrees with the pivoted
        // decision, the pivots' own choice.
        dependent = dependent_columns(dense, 10.0 * out.threshold);
        if (static_cast<int>(dependent.size()) != out.num_rows - out.rank) {
            dependent.clear();
            const std::span<const int> last = qr.order().subspan(out.rank);
            dependent.assign(last.begin(), last.end());
        }
    } else {
        dependent = decide_by_distances(columns, columns, out);
    }
    std::sort(dependent.begin(), dependent.end());
    for (const int c : dependent) out.redundant.push_back(chosen[c]);
    return out;
}

std::vector<int> dependent_rows(const RowSet& rows,
                                const Eigen::VectorXd& A,
                                const MassMatrix& mass,
                                const std::vector<int>& instead) {
    const ScaledRows scaled(rows, A, mass, kLightest);
    const std::vector<int>& chosen = scaled.chosen;
    std::vector<int> dependent;
    if (chosen.empty()) return dependent;
    RankAnalysis decision;
    // Longer columns are preferred.
    Eigen::SparseMatrix<double> weighed = scaled.columns;
    for (const RowOwner& owner : rows.owners)
        if (owner.body >= 0)
            for (auto row = std::ranges::lower_bound(chosen, owner.first_row);
                 row != chosen.end() && *row < owner.first_row + owner.num_rows;
                 ++row)
                weighed.col(row - chosen.begin()) *= kBodiesFirst;
    // A selection in use is kept while its coefficients are within the bound; this is tested often.
    // One with rows that have ceased to be conditions is not.
    for (std::size_t c = 0; c < chosen.size(); ++c)
        if (std::ranges::binary_search(instead, chosen[c]))
            dependent.push_back(static_cast<int>(c));
    if (!instead.empty() && dependent.size() == instead.size() &&
        dependent.size() < chosen.size() &&
        are_dependent(scaled.columns, weighed, dependent, decision.threshold, kLargestOfOld))
        return instead;
    dependent.clear();
    if (chosen.size() <= kDenseRows) {
        // Pivoted by longer columns first: rows of bodies are preferred by kBodiesFirst.
        const RankRevealingQr qr{Eigen::MatrixXd(weighed)};
        decide_by_pivots(qr.pivots(), decision);
        const std::span<const int> last = qr.order().subspan(decision.rank);
        dependent.assign(last.begin(), last.end());
    } else {
        dependent = decide_by_distances(scaled.columns, weighed, decision);
        strengthen(weighed, kLargestCoefficient, dependent);
    }
    for (int& c : dependent) c = chosen[c];
    std::ranges::sort(dependent);
    return dependent;
}

std::vector<double> independence(const RowSet& rows,
                                 const Eigen::VectorXd& A,
                                 const MassMatrix& mass,
                                 const std::vector<int>& dropped) {
    const ScaledRows scaled(rows, A, mass, kLightest);
    std::vector<int> left;
    for (std::size_t c = 0; c < scaled.chosen.size(); ++c)
        if (std::ranges::binary_search(dropped, scaled.chosen[c]))
            left.push_back(static_cast<int>(c));
    std::vector<double> pivots;
    const std::size_t rank = scaled.chosen.size() - left.size();
    if (rank == 0) return pivots;
    if (scaled.chosen.size() <= kDenseRows) {
        // Of all rows, since others than those in use may be independent there.
        const Eigen::VectorXd all = RankRevealingQr(Eigen::MatrixXd(scaled.columns)).pivots();
        for (const double pivot : all.head(std::min(static_cast<Eigen::Index>(rank), all.size())))
            pivots.push_back(pivot);
    } else {
        const ColumnSpan span(scaled.columns, left);
        // D of L D L^T of the Gram matrix: squares of the pivots of QR.
        for (const double pivot : span.basis.factor.vectorD())
            pivots.push_back(std::sqrt(std::abs(pivot)));
    }
    std::ranges::sort(pivots);
    return pivots;
}

GapClosing close_gaps(const RowSet& rows,
                      const Eigen::VectorXd& A,
                      const MassMatrix& mass,
                      const Eigen::VectorXd& pi) {
    const ScaledRows scaled(rows, A, mass);
    const auto count = static_cast<Eigen::Index>(scaled.chosen.size());
    GapClosing out{Eigen::VectorXd::Zero(mass.size()), Eigen::VectorXd::Zero(rows.num_rows())};
    if (count == 0) return out;
    // rest = D^-1/2 pi
    Eigen::VectorXd rest(count);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto k = static_cast<std::size_t>(c);
        rest[c] = scaled.length[k] > 0.0 ? pi[scaled.chosen[k]] / scaled.length[k] : 0.0;
    }
    // min |C^T x - gap| by refinement on a shifted Gram matrix; the residual left is out of the
    // range.
    const SparseFactor factor(shifted_gram(scaled.columns, 1e-8));
    Eigen::VectorXd x = Eigen::VectorXd::Zero(scaled.columns.rows());
    // x += C (C^T C + shift)^-1 rest: along a singular value s a pass leaves
    // shift / (s^2 + shift) of rest, and all of what is outside the range of C^T.
    for (int pass = 0; pass < 6; ++pass) {
        const Eigen::VectorXd step = scaled.columns * factor.solve(rest);
        x += step;
        rest -= scaled.columns.transpose() * step;
    }
    // dq = M^-1/2 x, the least in the norm of M, since x is in the range of C
    for (Eigen::Index i = 0; i < x.size(); ++i)
        out.displacement[i] = x[i] / std::sqrt(scaled.mass[i]);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto k = static_cast<std::size_t>(c);
        out.left[scaled.chosen[k]] = rest[c] * scaled.length[k];
    }
    return out;
}

}  // namespace ancora
