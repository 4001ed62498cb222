// SPDX-License-Identifier: BSD-3-Clause
// Sets of numbers that are joined until they are the connected parts of something.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace ancora {

/// The numbers 0 to size - 1, each in a set of its own at first.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t size) : parent_(size) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    /// The smallest number of the set that holds i.
    int root(int i) {
        int* const parent = parent_.data();
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    }

    /// The smaller root leads, so that sets are numbered alike in every run.
    void join(int i, int j) {
        const int a = root(i);
        const int b = root(j);
        parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }

private:
    std::vector<int> parent_;
};

}  // namespace ancora
