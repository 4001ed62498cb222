// SPDX-License-Identifier: BSD-3-Clause
// Which of some numbered things hang together.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace ancora {

/// Sets of the numbers 0 to n - 1, each of one at first, that are joined pair by pair. A set is
/// named by one of its members.
class DisjointSets {
public:
    explicit DisjointSets(int n) : parent_(static_cast<std::size_t>(n)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    int find(int i) {
        while (at(i) != i) {
            at(i) = at(at(i));
            i = at(i);
        }
        return i;
    }
    /// The set of i joins that of j, whose name it takes.
    void join(int i, int j) { at(find(i)) = find(j); }

private:
    int& at(int i) { return parent_[static_cast<std::size_t>(i)]; }

    std::vector<int> parent_;
};

}  // namespace ancora
