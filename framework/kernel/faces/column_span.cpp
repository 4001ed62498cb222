// SPDX-License-Identifier: BSD-3-Clause
// Combinations of columns, searched nearby before they are searched among all.
#include "column_span.hpp"

#include <algorithm>
#include <numeric>

#include "rank.hpp"

namespace ancora {

Eigen::SparseMatrix<double> shifted_gram(const Eigen::SparseMatrix<double>& columns, double shift) {
    // G_kl is the cosine between rows k and l in the metric of M.
    Eigen::SparseMatrix<double> gram = columns.transpose() * columns;
    for (int k = 0; k < gram.cols(); ++k) gram.coeffRef(k, k) += shift;
    return gram;
}

void ColumnBasis::factorise() {
    factor.compute(shifted_gram(columns, kGramShift));
}

Eigen::VectorXd ColumnBasis::share(const Eigen::VectorXd& x) const {
    // y = (C^T C + shift)^-1 C^T x
    return factor.solve(columns.transpose() * x);
}

double ColumnBasis::distance(Eigen::VectorXd x) const {
    constexpr double kNothing = 1e-14;
    constexpr int kMostRounds = 50;
    // min |x - C y| over y, by conjugate gradients on the normal equations (A. Bjorck, Numerical
    // Methods for Least Squares Problems, SIAM, 1996, section 7.4) with the shifted factor of
    // C^T C as preconditioner P.
    // x is carried as the residual itself; y is not needed.
    Eigen::VectorXd gradient = columns.transpose() * x;
    Eigen::VectorXd step = factor.solve(gradient);
    Eigen::VectorXd direction = step;
    double slope = gradient.dot(step);
    double least = x.norm();
    for (int round = 0; round < kMostRounds && slope > 0.0; ++round) {
        const Eigen::VectorXd move = columns * direction;
        const double square = move.squaredNorm();
        if (!(square > 0.0)) break;
        // x -= C direction slope / |C direction|^2: the least |x| along the direction
        x -= (slope / square) * move;
        const double left = x.norm();
        least = std::min(least, left);
        if (least <= kNothing) break;
        gradient = columns.transpose() * x;
        // The rest is orthogonal to the span.
        if (gradient.norm() <= kNothing * left) break;
        // d <- P g + (g^T P g)_new / (g^T P g)_old d
        step = factor.solve(gradient);
        const double next = gradient.dot(step);
        direction = step + (next / slope) * direction;
        slope = next;
    }
    return least;
}

ColumnSpan::ColumnSpan(const Eigen::SparseMatrix<double>& columns, const std::vector<int>& left) {
    // `left` is ascending.
    for (int c = 0; c < columns.cols(); ++c)
        if (!std::ranges::binary_search(left, c)) kept.push_back(c);
    const auto count = static_cast<Eigen::Index>(kept.size());
    basis.columns.resize(columns.rows(), count);
    basis.columns.reserve(columns.nonZeros());
    for (int k = 0; k < count; ++k) {
        basis.columns.startVec(k);
        const int column = kept[k];
        for (Eigen::SparseMatrix<double>::InnerIterator it(columns, column); it; ++it)
            basis.columns.insertBack(it.row(), k) = it.value();
    }
    basis.columns.finalize();
    basis.factorise();
}

ColumnSpan::Combination ColumnSpan::combination(const Eigen::SparseMatrix<double>& columns,
                                                int column) {
    if (first_.empty()) lay_out_rows();
    const double length = columns.col(column).norm();
    std::size_t before = 0;
    // Rings double, so that all searches of a column together cost a few times the last.
    for (int rings = kFirstRings;; rings *= 2) {
        Combination out;
        out.distance = length;
        const Neighbours near = neighbours(columns, column, rings);
        if (near.of.empty()) return out;
        // From a quarter of all columns on the factor of all is cheaper than another one.
        if (4 * near.of.size() > kept.size()) break;
        ColumnBasis local;
        Eigen::VectorXd x;
        restrict_to(near, columns, column, local, x);
        if (local.factor.info() != Eigen::Success) break;
        out.distance = local.distance(x);
        const bool are_all = near.of.size() == before;  // that hang together with it
        before = near.of.size();
        // Not in the span of this neighbourhood: a wider one, unless it cannot grow.
        if (out.distance > kNearLow * length && !are_all) continue;
        out.of = near.of;
        out.share = local.share(x);
        return out;
    }
    Combination out;
    const Eigen::VectorXd x = columns.col(column);
    out.of.resize(kept.size());
    std::iota(out.of.begin(), out.of.end(), 0);
    out.share = basis.share(x);
    out.distance = basis.distance(x);
    return out;
}

void ColumnSpan::lay_out_rows() {
    const Eigen::SparseMatrix<double>& columns = basis.columns;
    // A counting sort of the entries by their row.
    first_.assign(static_cast<std::size_t>(columns.rows()) + 1, 0);
    for (Eigen::Index e = 0; e < columns.nonZeros(); ++e)
        ++first_[static_cast<std::size_t>(columns.innerIndexPtr()[e]) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    touching_.resize(columns.nonZeros());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (int k = 0; k < columns.cols(); ++k)
        for (Eigen::SparseMatrix<double>::InnerIterator it(columns, k); it; ++it)
            touching_[next[it.row()]++] = k;
    place_.assign(columns.rows(), -1);
    is_near_.assign(kept.size(), 0);
}

ColumnSpan::Neighbours ColumnSpan::neighbours(const Eigen::SparseMatrix<double>& columns,
                                              int column,
                                              int rings) {
    Neighbours out;
    const auto reach = [&](int coordinate) {
        int& place = place_[coordinate];
        if (place >= 0) return;
        place = static_cast<int>(out.coordinates.size());
        out.coordinates.push_back(coordinate);
    };
    for (Eigen::SparseMatrix<double>::InnerIterator it(columns, column); it; ++it)
        reach(static_cast<int>(it.row()));
    std::size_t from = 0;
    // A ring adds the columns that touch a coordinate reached so far, and their
    // coordinates; those before `from` have been gone through.
    // Breadth first, over columns and the coordinates between them.
    for (int ring = 0; ring < rings && 4 * out.of.size() <= kept.size(); ++ring) {
        const std::size_t end = out.coordinates.size();
        for (; from < end; ++from) {
            const auto i = static_cast<std::size_t>(out.coordinates[from]);
            for (std::size_t t = first_[i]; t < first_[i + 1]; ++t) {
                const int k = touching_[t];
                char& is_near = is_near_[k];
                if (is_near != 0) continue;
                is_near = 1;
                out.of.push_back(k);
                for (Eigen::SparseMatrix<double>::InnerIterator it(basis.columns, k); it; ++it)
                    reach(static_cast<int>(it.row()));
            }
        }
    }
    // Marks are cleared: the cost of a search is that of the columns reached, not the size of
    // the model.
    for (const int i : out.coordinates) place_[i] = -1;
    for (const int k : out.of) is_near_[k] = 0;
    std::ranges::sort(out.of);
    std::ranges::sort(out.coordinates);
    return out;
}

void ColumnSpan::restrict_to(const Neighbours& near,
                             const Eigen::SparseMatrix<double>& columns,
                             int column,
                             ColumnBasis& local,
                             Eigen::VectorXd& x) {
    // Rows that none of these columns has an entry in are left out: they add nothing to C^T C.
    for (std::size_t i = 0; i < near.coordinates.size(); ++i)
        place_[near.coordinates[i]] = static_cast<int>(i);
    const auto num_rows = static_cast<Eigen::Index>(near.coordinates.size());
    local.columns.resize(num_rows, static_cast<Eigen::Index>(near.of.size()));
    for (std::size_t k = 0; k < near.of.size(); ++k) {
        const auto to = static_cast<Eigen::Index>(k);
        local.columns.startVec(to);
        for (Eigen::SparseMatrix<double>::InnerIterator it(basis.columns, near.of[k]); it; ++it)
            local.columns.insertBack(place_[it.row()], to) = it.value();
    }
    local.columns.finalize();
    x.setZero(num_rows);
    for (Eigen::SparseMatrix<double>::InnerIterator it(columns, column); it; ++it)
        x[place_[it.row()]] = it.value();
    for (const int i : near.coordinates) place_[i] = -1;
    local.factorise();
}

}  // namespace ancora
