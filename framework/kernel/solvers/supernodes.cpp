// SPDX-License-Identifier: BSD-3-Clause
// Detection of supernodes, and their rows.
#include "supernodes.hpp"

#include <algorithm>

namespace ancora {
namespace {

// Wider ones are cut, so that what a panel is updated with stays in the caches.
constexpr int kMostColumns = 48;
// Columns are put together if the zeros among their values are at most this part, by the number of
// columns (measured on nets and chains).
struct Relaxation {
    int columns;
    double zeros;
};
constexpr Relaxation kRelaxations[] = {{4, 0.4}, {12, 0.2}, {kMostColumns, 0.05}};

double most_zeros(int columns) {
    for (const Relaxation& relaxation : kRelaxations)
        if (columns <= relaxation.columns) return relaxation.zeros;
    return 0.0;
}

}  // namespace

Supernodes::Supernodes(const Eigen::SparseMatrix<double>& upper, const EliminationTree& tree) {
    find(tree);
    join(tree);
    of_.resize(tree.parent.size());
    for (int s = 0; s < size(); ++s)
        std::fill(of_.begin() + first_column(s), of_.begin() + first_column(s + 1), s);
    find_rows(upper, tree);
}

/// Columns of equal structure.
/// The rows of a child's column below its diagonal are rows of the parent's
/// column, so that equal counts mean equal rows.
void Supernodes::find(const EliminationTree& tree) {
    const auto n = tree.parent.size();
    for (std::size_t j = 1; j < n; ++j) {
        const bool is_next = tree.parent[j - 1] == static_cast<int>(j) &&
                             tree.count[j - 1] == tree.count[j] + 1 &&
                             static_cast<int>(j) - first_column_.back() < kMostColumns;
        if (!is_next) first_column_.push_back(static_cast<int>(j));
    }
    if (n > 0) first_column_.push_back(static_cast<int>(n));
}

/// Puts a supernode together with the one that follows it if that is its parent and few zeros come
/// in; from the last to the first.
void Supernodes::join(const EliminationTree& tree) {
    std::vector<int> kept = {first_column_.back()};  // falling
    double zeros_above = 0.0;                        // in the supernode that was looked at last
    for (int s = size() - 1; s >= 0; --s) {
        const int first = first_column(s);
        const int middle = first_column(s + 1);
        const int end = kept.size() > 1 && kept.back() == middle ? kept[kept.size() - 2] : middle;
        bool is_joined = false;
        if (end > middle && tree.parent[static_cast<std::size_t>(middle) - 1] == middle &&
            end - first <= kMostColumns) {
            // The joined panel has the rows of the parent and `width` more on top:
            // it is a trapezoid of `columns` columns, the first with `height` entries
            // and each one with one less than the one before. A column of the child had
            // height - here entries less than that, which are now zeros.
            const double width = middle - first;
            const double columns = end - first;
            // Entries of the first column of each, with the diagonal.
            const double here = 1.0 + tree.count[first];
            const double there = 1.0 + tree.count[middle];
            const double height = there + width;
            const double zeros = zeros_above + width * (height - here);
            // sum over c < columns of (height - c)
            const double all = columns * height - 0.5 * columns * (columns - 1.0);
            is_joined = zeros <= most_zeros(end - first) * all;
            if (is_joined) {
                kept.back() = first;
                zeros_above = zeros;
            }
        }
        if (is_joined) continue;
        kept.push_back(first);
        zeros_above = 0.0;
    }
    std::ranges::reverse(kept);
    first_column_ = std::move(kept);
}

/// The rows of a supernode are those of its entries and of its children.
void Supernodes::find_rows(const Eigen::SparseMatrix<double>& upper, const EliminationTree& tree) {
    // Symbolic factorisation along the tree (Liu 1990): struct(s) is the union of the rows of A
    // in the columns of s and of struct(c) without the columns of c over the children c. A child's
    // rows are needed by its parent alone, so the work is of the order of the lists of rows.
    const auto count = static_cast<std::size_t>(size());
    // Columns of `upper` with entries in the rows of each supernode, rising, and with repetitions.
    // Those of s are column[start[s]] to column[start[s + 1] - 1]. Entry (i, j) of
    // `upper` is (j, i) of the lower triangle, a row j in the supernode of i.
    std::vector<long> start(count + 1, 0);
    const auto for_each = [&](const auto& what) {
        for (int j = 0; j < upper.cols(); ++j) {
            int last = -1;
            for (Eigen::SparseMatrix<double>::InnerIterator it(upper, j); it; ++it) {
                const int s = of(static_cast<int>(it.row()));
                if (s == last || s == of(j)) continue;
                last = s;
                what(static_cast<std::size_t>(s), j);
            }
        }
    };
    for_each([&](std::size_t s, int) {
        ++start[s + 1];
    });
    for (std::size_t s = 0; s < count; ++s) start[s + 1] += start[s];
    std::vector<int> column(static_cast<std::size_t>(start.back()));
    std::vector<long> at(start.begin(), start.end() - 1);
    for_each([&](std::size_t s, int j) {
        column[at[s]++] = j;
    });

    std::vector<int> first_child(count, -1);
    std::vector<int> next_sibling(count, -1);
    std::vector<int> marked(tree.parent.size(), -1);
    panel_.assign(1, 0);
    std::vector<int> below;
    for (int s = 0; s < size(); ++s) {
        const auto here = static_cast<std::size_t>(s);
        const int end = first_column(s + 1);
        below.clear();
        const auto add = [&](int row) {
            int& mark = marked[row];
            if (row < end || mark == s) return;
            mark = s;
            below.push_back(row);
        };
        for (long k = start[here]; k < start[here + 1]; ++k) add(column[k]);
        for (int child = first_child[here]; child >= 0; child = next_sibling[child])
            for (const int row : rows(child).subspan(width(child))) add(row);
        std::ranges::sort(below);
        for (int j = first_column(s); j < end; ++j) rows_.push_back(j);
        rows_.insert(rows_.end(), below.begin(), below.end());
        first_row_.push_back(static_cast<long>(rows_.size()));
        panel_.push_back(panel_.back() + static_cast<long>(width(s)) * height(s));
        most_rows_ = std::max(most_rows_, height(s));
        if (below.empty()) continue;
        // The supernode of the first row below is the parent: the next that this one updates.
        const auto parent = static_cast<std::size_t>(of(below.front()));
        next_sibling[here] = first_child[parent];
        first_child[parent] = s;
    }
}

}  // namespace ancora
