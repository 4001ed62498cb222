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
    std::vector<int> reached(n, -1);
    for (int k = 0; k < static_cast<int>(n); ++k) {
        reached[k] = k;
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper, k); it; ++it) {
            for (auto i = static_cast<std::size_t>(it.row());
                 static_cast<int>(i) < k && reached[i] != k;
                 i = static_cast<std::size_t>(parent[i])) {
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
    const std::vector<int> later = postorder();
    if (std::ranges::is_sorted(later)) return false;
    for (int& place : places)
        if (place >= 0) place = later[place];
    return true;
}

}  // namespace ancora
