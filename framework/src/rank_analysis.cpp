// SPDX-License-Identifier: BSD-3-Clause
// Dense and sparse rank decisions.
#include "rank_analysis.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <Eigen/SparseCholesky>

#include "row_laws.hpp"

namespace ancora {
namespace {

constexpr int kDenseRows = 400;
// Of the largest mass, in a decision about rank.
constexpr double kLightest = 1e-6;
// Weight of the rows of bodies in the choice of rows that stay.
constexpr double kBodiesFirst = 8.0;
constexpr double kNearlyAsGood = 0.3;
constexpr double kNearLow = 1e-14;
constexpr double kNearHigh = 1e-8;

/// Fills rank, pivots next to the threshold and the warning from the pivots' moduli.
void decide(const Eigen::VectorXd& pivots, RankAnalysis& out) {
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

/// Columns that depend on those before them, by Gram-Schmidt with reorthogonalisation.
std::vector<int> dependent_columns(const Eigen::MatrixXd& columns, double threshold) {
    Eigen::MatrixXd basis(columns.rows(), std::min(columns.rows(), columns.cols()));
    Eigen::Index size = 0;
    std::vector<int> dependent;
    for (Eigen::Index k = 0; k < columns.cols(); ++k) {
        Eigen::VectorXd x = columns.col(k);
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

using SparseFactor = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

/// C^T C + shift, where C has unit columns.
Eigen::SparseMatrix<double> shifted_gram(const Eigen::SparseMatrix<double>& columns,
                                         const Eigen::VectorXd& shift) {
    Eigen::SparseMatrix<double> gram = columns.transpose() * columns;
    for (int k = 0; k < gram.cols(); ++k) gram.coeffRef(k, k) += shift[k];
    return gram;
}

/// Rank of many unit columns. The Gram matrix squares the pivots, so those of its L D L^T only say
/// which columns are clearly independent; the rest are measured one by one against them.
/// @returns the dependent columns
std::vector<int> decide_sparse(const Eigen::SparseMatrix<double>& columns, RankAnalysis& out) {
    constexpr double kShift = 1e-13;      // keeps dependent pivots above rounding
    constexpr double kCandidate = 1e-11;  // pivots of the Gram matrix: 3e-6 of the columns
    constexpr double kRemoved = 1e8;      // a diagonal that takes a column out
    const Eigen::Index count = columns.cols();
    Eigen::VectorXd shift = Eigen::VectorXd::Constant(count, kShift);
    SparseFactor factor(shifted_gram(columns, shift));
    const Eigen::VectorXd pivots = factor.permutationPinv() * factor.vectorD();
    std::vector<int> candidates;
    out.smallest_kept = 1.0;
    for (Eigen::Index k = 0; k < count; ++k) {
        if (pivots[k] > kCandidate) {
            out.smallest_kept = std::min(out.smallest_kept, std::sqrt(pivots[k]));
        } else {
            candidates.push_back(static_cast<int>(k));
            shift[k] = kRemoved;
        }
    }
    if (!candidates.empty()) factor.factorize(shifted_gram(columns, shift));
    std::vector<int> dependent;
    for (const int k : candidates) {
        Eigen::VectorXd rest = columns.col(k);
        for (int pass = 0; pass < 3; ++pass) {
            Eigen::VectorXd share = factor.solve(columns.transpose() * rest);
            for (const int other : candidates) share[other] = 0.0;
            rest -= columns * share;
        }
        const double distance = rest.norm();
        out.is_near_threshold |= distance > kNearLow && distance < kNearHigh;
        if (distance > out.threshold) {
            out.smallest_kept = std::min(out.smallest_kept, distance);
        } else {
            out.largest_dropped = std::max(out.largest_dropped, distance);
            dependent.push_back(k);
        }
    }
    out.rank = static_cast<int>(count) - static_cast<int>(dependent.size());
    return dependent;
}

}  // namespace

ScaledRows::ScaledRows(const RowSet& rows,
                       const Eigen::VectorXd& A,
                       const MassMatrix& matrix,
                       double lightest) {
    for (int k = 0; k < rows.num_rows(); ++k)
        if (RowLaws::is_constraint(rows.laws[static_cast<std::size_t>(k)])) chosen.push_back(k);
    int num_coordinates = 0;
    for (const int i : rows.column) num_coordinates = std::max(num_coordinates, i + 1);
    double mean = 0.0;
    for (int i = 0; i < num_coordinates; ++i) mean += matrix.diagonal(i) / num_coordinates;
    if (!(mean > 0.0)) mean = 1.0;
    for (int i = 0; i < num_coordinates; ++i)
        mass.push_back(matrix.is_massless(i) ? mean : matrix.diagonal(i));
    if (!mass.empty()) {
        const double least = lightest * *std::ranges::max_element(mass);
        for (double& m : mass) m = std::max(m, least);
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        const auto k = static_cast<std::size_t>(chosen[c]);
        double square = 0.0;
        for (int pass = 0; pass < 2; ++pass)
            for (int e = rows.row_start[k]; e < rows.row_start[k + 1]; ++e) {
                const int i = rows.column[static_cast<std::size_t>(e)];
                const double x = A[e] / std::sqrt(mass[static_cast<std::size_t>(i)]);
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

RankAnalysis analyse_rank(const RowSet& rows, const Eigen::VectorXd& A, const MassMatrix& mass) {
    RankAnalysis out;
    const ScaledRows scaled(rows, A, mass, kLightest);
    const Eigen::SparseMatrix<double>& columns = scaled.columns;
    const std::vector<int>& chosen = scaled.chosen;
    out.num_rows = static_cast<int>(chosen.size());
    if (chosen.empty()) return out;

    std::vector<int> dependent;
    if (out.num_rows <= kDenseRows) {
        const Eigen::MatrixXd dense(columns);
        const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(dense);
        decide(qr.matrixQR().diagonal().cwiseAbs(), out);
        // Named are the last rows of each dependent set; if that disagrees with the pivoted
        // decision, the pivots' own choice.
        dependent = dependent_columns(dense, 10.0 * out.threshold);
        if (static_cast<int>(dependent.size()) != out.num_rows - out.rank) {
            dependent.clear();
            for (int c = out.rank; c < out.num_rows; ++c)
                dependent.push_back(qr.colsPermutation().indices()[c]);
        }
    } else {
        dependent = decide_sparse(columns, out);
    }
    std::sort(dependent.begin(), dependent.end());
    for (const int c : dependent) out.redundant.push_back(chosen[static_cast<std::size_t>(c)]);
    return out;
}

std::vector<int> dependent_rows(const RowSet& rows,
                                const Eigen::VectorXd& A,
                                const MassMatrix& mass,
                                const std::vector<int>& instead) {
    const ScaledRows scaled(rows, A, mass, kLightest);
    std::vector<int> dependent;
    if (scaled.chosen.empty()) return dependent;
    RankAnalysis decision;
    if (scaled.chosen.size() <= kDenseRows) {
        // Pivoting prefers what is longer.
        Eigen::MatrixXd dense(scaled.columns);
        for (const RowOwner& owner : rows.owners) {
            if (owner.body < 0) continue;
            for (std::size_t c = 0; c < scaled.chosen.size(); ++c)
                if (scaled.chosen[c] >= owner.first_row &&
                    scaled.chosen[c] < owner.first_row + owner.num_rows)
                    dense.col(static_cast<Eigen::Index>(c)) *= kBodiesFirst;
        }
        const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(dense);
        decide(qr.matrixQR().diagonal().cwiseAbs(), decision);
        for (Eigen::Index c = decision.rank; c < dense.cols(); ++c)
            dependent.push_back(qr.colsPermutation().indices()[c]);
        if (instead.size() == dependent.size() && !instead.empty()) {
            Eigen::MatrixXd kept(dense.rows(), decision.rank);
            Eigen::Index count = 0;
            for (Eigen::Index c = 0; c < dense.cols() && count < decision.rank; ++c)
                if (!std::ranges::binary_search(instead,
                                                scaled.chosen[static_cast<std::size_t>(c)]))
                    kept.col(count++) = dense.col(c);
            RankAnalysis other;
            decide(
                Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(kept).matrixQR().diagonal().cwiseAbs(),
                other);
            if (other.rank == decision.rank &&
                other.smallest_kept >= kNearlyAsGood * decision.smallest_kept)
                return instead;
        }
    } else {
        dependent = decide_sparse(scaled.columns, decision);
    }
    for (int& c : dependent) c = scaled.chosen[static_cast<std::size_t>(c)];
    std::ranges::sort(dependent);
    return dependent;
}

GapClosing close_gaps(const RowSet& rows,
                      const Eigen::VectorXd& A,
                      const MassMatrix& mass,
                      const Eigen::VectorXd& pi) {
    const ScaledRows scaled(rows, A, mass);
    const auto count = static_cast<Eigen::Index>(scaled.chosen.size());
    GapClosing out{Eigen::VectorXd::Zero(mass.size()), Eigen::VectorXd::Zero(rows.num_rows())};
    if (count == 0) return out;
    Eigen::VectorXd rest(count);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto k = static_cast<std::size_t>(c);
        rest[c] = scaled.length[k] > 0.0 ? pi[scaled.chosen[k]] / scaled.length[k] : 0.0;
    }
    // min |C^T x - gap| by refinement on a shifted Gram matrix; what stays is out of reach.
    const SparseFactor factor(shifted_gram(scaled.columns, Eigen::VectorXd::Constant(count, 1e-8)));
    Eigen::VectorXd x = Eigen::VectorXd::Zero(scaled.columns.rows());
    for (int pass = 0; pass < 6; ++pass) {
        const Eigen::VectorXd step = scaled.columns * factor.solve(rest);
        x += step;
        rest -= scaled.columns.transpose() * step;
    }
    for (Eigen::Index i = 0; i < x.size(); ++i)
        out.displacement[i] = x[i] / std::sqrt(scaled.mass[static_cast<std::size_t>(i)]);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto k = static_cast<std::size_t>(c);
        out.left[scaled.chosen[k]] = rest[c] * scaled.length[k];
    }
    return out;
}

}  // namespace ancora
