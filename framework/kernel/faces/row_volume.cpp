// SPDX-License-Identifier: BSD-3-Clause
// Gram matrix and its factorisation.
#include "row_volume.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "row_laws.hpp"

namespace ancora {
namespace {

constexpr double kRounding = 1e-14;  // pivots of unit rows that are nothing

}  // namespace

void RowVolume::lay_out(const RowSet& rows,
                        const Eigen::VectorXd& A,
                        const MassMatrix& mass,
                        const std::vector<int>& dropped) {
    const auto n = static_cast<std::size_t>(mass.size());
    // 1 / m_i, with the mean mass for coordinates without
    double mean = 0.0;
    for (int i = 0; i < mass.size(); ++i) mean += mass.diagonal(i) / mass.size();
    const auto weight = [&](int i) {
        return 1.0 / (mass.is_massless(i) ? (mean > 0.0 ? mean : 1.0) : mass.diagonal(i));
    };
    std::vector<int> chosen;
    for (int k = 0; k < rows.num_rows(); ++k) {
        if (!RowLaws::is_constraint(rows.laws[k]) || std::ranges::binary_search(dropped, k))
            continue;
        bool is_zero = true;
        for (const int e : rows.entries(k)) is_zero = is_zero && A[e] == 0.0;
        if (!is_zero) chosen.push_back(k);
    }
    const int count = static_cast<int>(chosen.size());
    // Entries by coordinates, then products by pairs of rows.
    std::vector<std::vector<std::pair<int, int>>> of_coordinate(n);
    for (int c = 0; c < count; ++c)
        for (const int e : rows.entries(chosen[c]))
            of_coordinate[rows.column_of(e)].emplace_back(c, e);
    // G_kl = sum over i of A_ki A_li / m_i: the products that each entry, l <= k, is a sum of.
    std::vector<std::map<int, std::vector<Product>>> pairs(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < n; ++i)
        for (const auto& [k, a] : of_coordinate[i])
            for (const auto& [l, b] : of_coordinate[i])
                if (l <= k) pairs[k][l].push_back({a, b, weight(static_cast<int>(i))});
    Eigen::SparseMatrix<double> shape(count, count);
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < count; ++k)
        for (const auto& [l, products] : pairs[k]) {
            entries.emplace_back(k, l, 1.0);
            if (l != k) entries.emplace_back(l, k, 1.0);
        }
    shape.setFromTriplets(entries.begin(), entries.end());
    // Approximate minimum degree (Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886).
    Eigen::AMDOrdering<int>::PermutationType order;
    Eigen::AMDOrdering<int>()(shape, order);  // old from new
    std::vector<int> new_of(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) new_of[order.indices()[k]] = k;

    // Upper triangle of the permuted matrix: column high, row low, rows rising.
    std::vector<std::map<int, std::vector<Product>*>> columns(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k)
        for (auto& [l, products] : pairs[k]) {
            const auto [low, high] = std::minmax({new_of[k], new_of[l]});
            columns[high][low] = &products;
        }
    first_.assign(1, 0);
    first_product_.assign(1, 0);
    row_.clear();
    products_.clear();
    for (const auto& column : columns) {
        for (const auto& [i, products] : column) {
            row_.push_back(i);
            products_.insert(products_.end(), products->begin(), products->end());
            first_product_.push_back(static_cast<int>(products_.size()));
        }
        first_.push_back(static_cast<int>(row_.size()));
    }
    value_.assign(row_.size(), 0.0);
    length_.assign(columns.size(), 0.0);
    find_pattern(count);
}

/// The elimination tree and the lengths of the columns of L.
void RowVolume::find_pattern(int size) {
    const auto n = static_cast<std::size_t>(size);
    parent_.assign(n, -1);
    count_.assign(n, 0);
    flag_.assign(n, -1);
    pattern_.assign(n, 0);
    D_.assign(n, 0.0);
    work_.assign(n, 0.0);
    // Row k of L by paths up the tree (Liu, SIAM J. Matrix Anal. Appl. 11 (1990) 134).
    for (std::size_t k = 0; k < n; ++k) {
        const int now = static_cast<int>(k);
        flag_[k] = now;
        for (int p = first_[k]; p < first_[k + 1]; ++p)
            for (auto i = static_cast<std::size_t>(row_[p]); flag_[i] != now;
                 i = static_cast<std::size_t>(parent_[i])) {
                if (parent_[i] < 0) parent_[i] = now;
                ++count_[i];
                flag_[i] = now;
            }
    }
    start_.assign(n + 1, 0);
    for (std::size_t k = 0; k < n; ++k) start_[k + 1] = start_[k] + count_[k];
    index_.assign(start_[n], 0);
    L_.assign(start_[n], 0.0);
}

double RowVolume::logarithm(const Eigen::VectorXd& A) {
    const std::size_t n = length_.size();
    // G from the values of A; the pattern stays.
    for (std::size_t g = 0; g < value_.size(); ++g) {
        double sum = 0.0;
        for (auto p = static_cast<std::size_t>(first_product_[g]);
             p < static_cast<std::size_t>(first_product_[g + 1]);
             ++p)
            sum += A[products_[p].a] * A[products_[p].b] * products_[p].weight;
        value_[g] = sum;
    }
    // Lengths sqrt(G_kk), G_kk the last entry of column k.
    for (std::size_t k = 0; k < n; ++k) length_[k] = std::sqrt(value_[first_[k + 1] - 1]);
    std::ranges::fill(flag_, -1);
    std::ranges::fill(count_, 0);
    std::ranges::fill(work_, 0.0);
    double out = 0.0;
    // Up-looking: row k of L solves L y = g_k with the rows before it, l_ki = y_i / d_i,
    // d_k = g_kk - sum over i of l_ki y_i (Davis 2005).
    for (std::size_t k = 0; k < n; ++k) {
        const int now = static_cast<int>(k);
        std::size_t top = n;
        flag_[k] = now;
        for (int p = first_[k]; p < first_[k + 1]; ++p) {
            auto i = static_cast<std::size_t>(row_[p]);
            // g_ki = G_ki / sqrt(G_kk G_ii), rows of unit length
            work_[i] += value_[p] / (length_[k] * length_[i]);
            std::size_t length = 0;
            for (; flag_[i] != now; i = static_cast<std::size_t>(parent_[i])) {
                pattern_[length++] = static_cast<int>(i);
                flag_[i] = now;
            }
            // Paths found later come first: a column comes before those that it changes.
            while (length > 0) pattern_[--top] = pattern_[--length];
        }
        D_[k] = std::exchange(work_[k], 0.0);
        for (; top < n; ++top) {
            const auto i = static_cast<std::size_t>(pattern_[top]);
            const double y = std::exchange(work_[i], 0.0);
            const int end = start_[i] + count_[i];
            for (auto p = static_cast<std::size_t>(start_[i]); p < static_cast<std::size_t>(end);
                 ++p)
                work_[index_[p]] -= L_[p] * y;
            const double l = y / D_[i];
            D_[k] -= l * y;
            index_[end] = now;
            L_[end] = l;
            ++count_[i];
        }
        // d_k is the squared distance of unit row k from the span of those before it.
        if (!(D_[k] > kRounding)) return -std::numeric_limits<double>::infinity();
        // log V = sum of log d_k / 2, V = sqrt(det C C^T) (theory, section 9)
        out += 0.5 * std::log(D_[k]);
    }
    return out;
}

}  // namespace ancora
