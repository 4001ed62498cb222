// SPDX-License-Identifier: BSD-3-Clause
// Parents, counts, and a depth-first order.
#include "elimination_tree.hpp"

#include <algorithm>

namespace ancora {

EliminationTree::EliminationTree(const Eigen::SparseMatrix<double>& upper) {
    const auto n = static_cast<std::size_t>(upper.cols());
    parent.assign(n, -1);
    count.assign(n, 0);
    // Row k of L: from each entry of the column up the tree, as far as no other has been.
    // L_ki differs from zero if i lies on the path in the tree from some j
    // with an entry (j, k), j < k, up to k (Liu 1990; Davis, Direct Methods
    // for Sparse Linear Systems, SIAM, 2006, chapter 4).
    // Each step of the walk finds an entry of L, so the work is of the order of the entries of L.
    std::vector<int> reached(n, -1);
    for (int k = 0; k < static_cast<int>(n); ++k) {
        reached[k] = k;
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper, k); it; ++it) {
            for (auto i = static_cast<std::size_t>(it.row());
                 static_cast<int>(i) < k && reached[i] != k;
                 i = static_cast<std::size_t>(parent[i])) {
                // Rows come in rising order: the first that reaches column i
                // is its first row below the diagonal.
                if (parent[i] < 0) parent[i] = k;
                ++count[i];
                reached[i] = k;
            }
        }
    }
}

std::vector<int> EliminationTree::postorder() const {
    const std::size_t n = parent.size();
    // Children of each column, rising; the last list is that of the roots.
    std::vector<int> first_child(n + 1, -1);
    std::vector<int> next_sibling(n, -1);
    for (std::size_t j = n; j-- > 0;) {
        int& first = first_child[parent[j] < 0 ? n : static_cast<std::size_t>(parent[j])];
        next_sibling[j] = first;
        first = static_cast<int>(j);
    }
    // place[j] is given when all of the subtree of j has its place, so that
    // it is a range that ends with j. The path is a stack and not a recursion:
    // the tree of a chain is as deep as it has columns.
    std::vector<int> place(n, -1);
    std::vector<int> path;
    int next = 0;
    for (int root = first_child[n]; root >= 0; root = next_sibling[root]) {
        path.push_back(root);
        while (!path.empty()) {
            const auto j = static_cast<std::size_t>(path.back());
            const int child = first_child[j];
            if (child >= 0) {
                first_child[j] = next_sibling[child];
                path.push_back(child);
                continue;
            }
            place[j] = next++;
            path.pop_back();
        }
    }
    return place;
}

bool EliminationTree::put_in_postorder(std::vector<int>& places) const {
    // P A P^T with a postorder P has the tree P applied to that of A, and as many entries in L.
    const std::vector<int> later = postorder();
    if (std::ranges::is_sorted(later)) return false;
    for (int& place : places)
        if (place >= 0) place = later[place];
    return true;
}

}  // namespace ancora
