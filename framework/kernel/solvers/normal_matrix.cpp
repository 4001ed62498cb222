// SPDX-License-Identifier: BSD-3-Clause
// Pattern, sums, and inverse iteration.
#include "normal_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elimination_order.hpp"
#include "elimination_tree.hpp"
#include "symmetric_pattern.hpp"

namespace ancora {
namespace {

constexpr double kRounded = 1e-15;     // of the largest eigenvalue
constexpr double kSteadyValue = 1e-2;  // change of the least one in an iteration
constexpr int kMostIterations = 60;

}  // namespace

NormalMatrix::NormalMatrix(int size, const std::vector<std::vector<int>>& rows)
    : place_(static_cast<std::size_t>(size)) {
    std::iota(place_.begin(), place_.end(), 0);
    const auto pattern = [&] {
        return symmetric_pattern(size, [&](const auto& add) {
            for (int i = 0; i < size; ++i) add(place_[i], place_[i]);
            for (const std::vector<int>& row : rows)
                for (const int i : row)
                    for (const int j : row) add(place_[i], place_[j]);
        });
    };
    N_ = pattern();
    EliminationGroups::Graph graph(size, size);
    std::vector<Eigen::Triplet<char>> edges;
    for (int c = 0; c < size; ++c)
        for (Eigen::SparseMatrix<double>::InnerIterator e(N_, c); e; ++e) {
            edges.emplace_back(static_cast<int>(e.row()), c, char{1});
            if (e.row() != c) edges.emplace_back(c, static_cast<int>(e.row()), char{1});
        }
    graph.setFromTriplets(edges.begin(), edges.end());
    const std::vector<int> sequence = by_minimum_degree(graph);
    for (int k = 0; k < size; ++k) place_[sequence[k]] = k;
    N_ = pattern();
    if (EliminationTree(N_).put_in_postorder(place_)) N_ = pattern();
    factor_.analyse(N_);
    first_entry_.push_back(0);
    for (const std::vector<int>& row : rows) {
        for (std::size_t a = 0; a < row.size(); ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                const auto [i, j] = std::minmax(place_[row[a]], place_[row[b]]);
                const int* const begin = N_.innerIndexPtr() + N_.outerIndexPtr()[j];
                const int* const end = N_.innerIndexPtr() + N_.outerIndexPtr()[j + 1];
                entry_.push_back(
                    static_cast<int>(std::lower_bound(begin, end, i) - N_.innerIndexPtr()));
            }
        first_entry_.push_back(entry_.size());
    }
    work_.setZero(size);
}

void NormalMatrix::clear() {
    std::fill_n(N_.valuePtr(), N_.nonZeros(), 0.0);
}

void NormalMatrix::add(int row, double weight, std::span<const double> a) {
    const int* at = entry_.data() + first_entry_[row];
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) N_.valuePtr()[*at++] += weight * a[i] * a[j];
}

bool NormalMatrix::factorise() {
    return factor_.factorise(N_);
}

void NormalMatrix::solve(double* x) {
    for (int i = 0; i < size(); ++i) work_[place_[i]] = x[i];
    factor_.solve(work_.data());
    for (int i = 0; i < size(); ++i) x[i] = work_[place_[i]];
}

Eigen::MatrixXd NormalMatrix::dense() const {
    Eigen::MatrixXd out(size(), size());
    for (int i = 0; i < size(); ++i)
        for (int j = 0; j < size(); ++j)
            out(i, j) = N_.coeff(std::min(place_[i], place_[j]), std::max(place_[i], place_[j]));
    return out;
}

double NormalMatrix::largest() const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(size());
    for (int c = 0; c < size(); ++c)
        for (Eigen::SparseMatrix<double>::InnerIterator e(N_, c); e; ++e) {
            sum[e.row()] += std::abs(e.value());
            if (e.row() != c) sum[c] += std::abs(e.value());
        }
    return size() > 0 ? sum.maxCoeff() : 0.0;
}

/// x^T N x, in the elimination order.
double NormalMatrix::value_of(const Eigen::VectorXd& x) const {
    return x.dot(N_.selfadjointView<Eigen::Upper>() * x);
}

NormalMatrix::Least NormalMatrix::least() {
    Least out;
    out.direction.setZero(size());
    const double most = largest();
    if (!(most > 0.0)) {
        if (size() > 0) out.direction[0] = 1.0;
        return out;
    }
    // (N + s I)^-1 x again and again, s next to the rounding of N
    Eigen::SparseMatrix<double> shifted = N_;
    for (int c = 0; c < size(); ++c) shifted.coeffRef(c, c) += kRounded * most;
    if (!factor_.factorise(shifted)) return out;
    // A start that is no symmetric shape of a model.
    Eigen::VectorXd x(size());
    for (int i = 0; i < size(); ++i) x[i] = std::cos(1.0 + 0.7 * i * i);
    x.normalize();
    out.value = value_of(x);
    for (int k = 0; k < kMostIterations; ++k) {
        factor_.solve(x.data());
        x.normalize();
        const double before = out.value;
        out.value = value_of(x);
        if (k > 2 && std::abs(out.value - before) <= kSteadyValue * std::abs(out.value)) break;
        if (out.value <= kRounded * most) break;
    }
    for (int i = 0; i < size(); ++i) out.direction[i] = x[place_[i]];
    return out;
}

}  // namespace ancora
