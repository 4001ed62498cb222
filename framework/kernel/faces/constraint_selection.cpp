// SPDX-License-Identifier: BSD-3-Clause
// Selection of rows, test of the dropped ones, and minimum-norm stresses.
#include "constraint_selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "dense.hpp"
#include "rank_analysis.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// Tolerance of a dropped row's residual, relative to the model's size, and to its residual when it
// was dropped. A row that is independent of the others is violated by far more in a step.
constexpr double kOpen = 1e-9;
constexpr double kTimesAtStart = 10.0;
// Number of rows up to which N is stored.
constexpr std::size_t kMostDense = 400;
constexpr double kShared = 1e-13;
constexpr int kMostGradientRounds = 200;
constexpr int kCorrections = 3;

}  // namespace

bool ConstraintSelection::choose(const Eigen::VectorXd& A,
                                 Eigen::VectorXd& pi,
                                 Conditions conditions) {
    const std::vector<int> before = rows_.dropped();
    const bool is_kept = conditions == Conditions::as_before;
    std::vector<int> chosen =
        dependent_rows(rows_, A, mass_, is_kept ? before : std::vector<int>{});
    if (chosen == before) return false;
    // A row that is kept again gets its carried residual back, one that is dropped stores it here:
    // pi is never recomputed from q (theory (12)).
    for (std::size_t i = 0; i < before.size(); ++i)
        if (laws_.carries(before[i])) pi[before[i]] = gap_[i];
    gap_.clear();
    for (const int k : chosen) {
        gap_.push_back(pi[k]);
        pi[k] = 0.0;
    }
    rows_.drop_rows(chosen);
    shares_from_ = -1.0;
    return true;
}

void ConstraintSelection::forget() {
    rows_.drop_rows({});
    gap_.clear();
}

int ConstraintSelection::violated_dropped_row(double extent) const {
    int worst_row = -1;
    double worst = 0.0;
    for (std::size_t i = 0; i < gap_.size(); ++i) {
        // pi_1 = pi_0 + B dq + tau (theory (12))
        const double gap = std::abs(gap_[i] + rows_.dropped_increment()[i]);
        const double allowed = kOpen * extent + kTimesAtStart * std::abs(gap_[i]);
        if (gap <= allowed || gap <= worst) continue;
        worst = gap;
        worst_row = dropped()[i];
    }
    return worst_row;
}

double ConstraintSelection::dropped_row_residual(int row) const {
    const auto found = std::ranges::find(dropped(), row);
    if (found == dropped().end()) return 0.0;
    const auto i = static_cast<std::size_t>(found - dropped().begin());
    return gap_[i] + rows_.dropped_increment()[i];
}

void ConstraintSelection::accept() {
    for (std::size_t i = 0; i < gap_.size(); ++i)
        // pi_0 := pi_1 of carried residuals; velocity rows carry none.
        if (laws_.carries(dropped()[i])) gap_[i] += rows_.dropped_increment()[i];
}

void ConstraintSelection::prepare_minimum_norm() {
    // Unit columns D_k^-1/2 M^-1/2 B_k^T of all constraint rows, dropped ones included
    rows_.whole_jacobian(whole_);
    const ScaledRows all(rows_, whole_, mass_);
    // Rows that are not connected by coordinates are independent of each other.
    DisjointSets sets(static_cast<std::size_t>(all.columns.rows()));
    const auto first_of = [&all](Eigen::Index c) {
        return static_cast<int>(Eigen::SparseMatrix<double>::InnerIterator(all.columns, c).row());
    };
    const auto acts = [&all](std::size_t c) {
        return all.length[static_cast<Eigen::Index>(c)] != 0.0;  // else it bears nothing
    };
    for (std::size_t c = 0; c < all.chosen.size(); ++c) {
        if (!acts(c)) continue;
        const auto column = static_cast<Eigen::Index>(c);
        for (Eigen::SparseMatrix<double>::InnerIterator it(all.columns, column); it; ++it)
            sets.join(first_of(column), static_cast<int>(it.row()));
    }
    std::vector<int> sharing_of(static_cast<std::size_t>(all.columns.rows()), -1);  // of a root
    sharings_.clear();
    for (std::size_t c = 0; c < all.chosen.size(); ++c) {
        if (!acts(c) || !std::ranges::binary_search(dropped(), all.chosen[c])) continue;
        int& sharing = sharing_of[sets.root(first_of(static_cast<Eigen::Index>(c)))];
        if (sharing >= 0) continue;
        sharing = static_cast<int>(sharings_.size());
        sharings_.emplace_back();
    }
    std::vector<std::array<std::vector<int>, 2>> columns(sharings_.size());  // kept, left
    for (std::size_t c = 0; c < all.chosen.size(); ++c) {
        if (!acts(c)) continue;
        const int sharing = sharing_of[sets.root(first_of(static_cast<Eigen::Index>(c)))];
        if (sharing < 0) continue;
        const bool is_out = std::ranges::binary_search(dropped(), all.chosen[c]);
        columns[sharing][is_out ? 1 : 0].push_back(static_cast<int>(c));
    }
    for (std::size_t i = 0; i < sharings_.size(); ++i)
        prepare(sharings_[i], all, columns[i][0], columns[i][1]);
}

void ConstraintSelection::prepare(Sharing& to,
                                  const ScaledRows& all,
                                  const std::vector<int>& kept,
                                  const std::vector<int>& left) {
    const auto num_kept = static_cast<Eigen::Index>(kept.size());
    const auto num_left = static_cast<Eigen::Index>(left.size());
    for (const int c : kept) to.kept.push_back(all.chosen[c]);
    for (const int c : left) to.left.push_back(all.chosen[c]);
    to.kept_length.resize(num_kept);
    to.left_length.resize(num_left);
    for (Eigen::Index i = 0; i < num_kept; ++i) to.kept_length[i] = all.length[kept[i]];
    for (Eigen::Index i = 0; i < num_left; ++i) to.left_length[i] = all.length[left[i]];
    // Restricted to the coordinates at which these columns have entries.
    std::vector<int> coordinates;
    for (const std::vector<int>* of : {&kept, &left})
        for (const int c : *of)
            for (Eigen::SparseMatrix<double>::InnerIterator it(all.columns, c); it; ++it)
                coordinates.push_back(static_cast<int>(it.row()));
    std::ranges::sort(coordinates);
    coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
    const auto take = [&](const std::vector<int>& columns) {
        Eigen::SparseMatrix<double> out(static_cast<Eigen::Index>(coordinates.size()),
                                        static_cast<Eigen::Index>(columns.size()));
        std::vector<Eigen::Triplet<double>> entries;
        for (std::size_t c = 0; c < columns.size(); ++c)
            for (Eigen::SparseMatrix<double>::InnerIterator it(all.columns, columns[c]); it; ++it)
                entries.emplace_back(static_cast<int>(std::ranges::lower_bound(
                                                          coordinates, static_cast<int>(it.row())) -
                                                      coordinates.begin()),
                                     static_cast<int>(c),
                                     it.value());
        out.setFromTriplets(entries.begin(), entries.end());
        return out;
    };
    to.kept_columns = take(kept);
    to.left_columns = take(left);
    to.scaled.setZero(num_kept + num_left);
    to.is_dense = kept.size() <= kMostDense;
    if (num_kept == 0) return;
    if (to.is_dense) {
        // N = [C; -1], where the dropped column l is K C_l of the kept columns K:
        // K C = L by least squares. N spans the states of self-stress.
        to.N.resize(num_kept + num_left, num_left);
        to.N.topRows(num_kept) =
            least_squares(Eigen::MatrixXd(to.kept_columns), Eigen::MatrixXd(to.left_columns));
        to.N.bottomRows(num_left) = -Eigen::MatrixXd::Identity(num_left, num_left);
        // N^T N = 1 + C^T C, well conditioned as long as C has no large entries
        to.normal.compute(to.N.transpose() * to.N);
        return;
    }
    // C of many rows is dense and never formed: C y = G^-1 K^T L y
    // with a sparse factor of G = K^T K.
    to.gram = std::make_unique<SparseFactor>();
    to.gram->compute(shifted_gram(to.kept_columns, kGramShift));
}

void ConstraintSelection::share(double* s) {
    for (Sharing& in : sharings_) {
        const auto num_kept = static_cast<Eigen::Index>(in.kept.size());
        const auto num_left = static_cast<Eigen::Index>(in.left.size());
        if (num_kept == 0) continue;
        // scaled = D^1/2 s: theory (5) asks for the least |scaled|
        for (Eigen::Index i = 0; i < num_kept; ++i)
            in.scaled[i] = s[in.kept[i]] * in.kept_length[i];
        for (Eigen::Index i = 0; i < num_left; ++i)
            in.scaled[num_kept + i] = s[in.left[i]] * in.left_length[i];
        if (in.is_dense) {
            // scaled -= N (N^T N)^-1 N^T scaled (theory (36))
            in.part.noalias() = in.N.transpose() * in.scaled;
            in.normal.solveInPlace(in.part);
            in.scaled.noalias() -= in.N * in.part;
        } else {
            share_sparse(in);
        }
        // s = D^-1/2 scaled: the same forces, since those of N are zero
        for (Eigen::Index i = 0; i < num_kept; ++i)
            s[in.kept[i]] = in.scaled[i] / in.kept_length[i];
        for (Eigen::Index i = 0; i < num_left; ++i)
            s[in.left[i]] = in.scaled[num_kept + i] / in.left_length[i];
    }
}

/// Conjugate gradients on (1 + C^T C) y = N^T s, C = G^-1 K^T L with the kept columns K, the
/// dropped ones L, and G = K^T K.
void ConstraintSelection::share_sparse(Sharing& in) {
    Eigen::VectorXd& scaled = in.scaled;
    const auto num_kept = static_cast<Eigen::Index>(in.kept.size());
    const auto num_left = static_cast<Eigen::Index>(in.left.size());
    // G squares the condition number of K and is shifted: each solve is refined by the residual of
    // the columns themselves (corrected seminormal equations). Source: A. Bjorck, Linear Algebra
    // Appl. 88/89 (1987) 31.
    const auto combine = [&](const Eigen::VectorXd& y) -> Eigen::VectorXd {
        const Eigen::VectorXd wanted = in.left_columns * y;
        Eigen::VectorXd c = in.gram->solve(in.kept_columns.transpose() * wanted);
        for (int pass = 0; pass < kCorrections; ++pass)
            c += in.gram->solve(in.kept_columns.transpose() * (wanted - in.kept_columns * c));
        return c;
    };
    // C^T z = L^T K G^-1 z
    const auto combine_transposed = [&](const Eigen::VectorXd& z) -> Eigen::VectorXd {
        Eigen::VectorXd w = in.gram->solve(z);
        for (int pass = 0; pass < kCorrections; ++pass)
            w += in.gram->solve(z - in.kept_columns.transpose() * (in.kept_columns * w));
        return in.left_columns.transpose() * (in.kept_columns * w);
    };
    Eigen::VectorXd y = Eigen::VectorXd::Zero(num_left);
    // N^T s = C^T s_kept - s_left, s scaled
    Eigen::VectorXd r = combine_transposed(scaled.head(num_kept)) - scaled.tail(num_left);
    Eigen::VectorXd p = r;
    double square = r.squaredNorm();
    const double enough = kShared * kShared * scaled.squaredNorm();
    // The eigenvalues of 1 + C^T C are at least 1: the number of iterations grows with the norm of
    // C alone.
    for (int round = 0; round < kMostGradientRounds && square > enough; ++round) {
        const Eigen::VectorXd Ap = p + combine_transposed(combine(p));
        const double step = square / p.dot(Ap);
        y += step * p;
        r -= step * Ap;
        const double next = r.squaredNorm();
        p = r + (next / square) * p;
        square = next;
    }
    // s -= N y
    scaled.head(num_kept) -= combine(y);
    scaled.tail(num_left) += y;
}

template <class Archive>
void ConstraintSelection::transfer(Archive& archive) {
    std::vector<int> rows = dropped();
    std::vector<double> gap = gap_;
    archive(rows);
    archive(gap);
    if constexpr (Archive::kReads) {
        bool fits = rows.size() == gap.size() && std::ranges::is_sorted(rows) &&
                    std::ranges::adjacent_find(rows) == rows.end();
        archive.require_finite(gap, "a gap");
        for (const int k : rows)
            fits = fits && k >= 0 && k < rows_.num_rows() && laws_.is_constraint(k);
        if (!fits) ArchiveReader::refuse();
        rows_.drop_rows(rows);
        gap_ = gap;
    }
}
template void ConstraintSelection::transfer(ArchiveWriter&);
template void ConstraintSelection::transfer(ArchiveReader&);

}  // namespace ancora
