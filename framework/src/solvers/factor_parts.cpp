// SPDX-License-Identifier: BSD-3-Clause
// The trunk is cut off from the roots down until no subtree is large.
#include "factor_parts.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace ancora {
namespace {

// Smaller ones are solved before threads have woken up.
constexpr double kFewestEntries = 4e5;
// No subtree is larger than this part of the whole; parts are made of neighbours up to half of it.
constexpr double kLargestSubtree = 1.0 / 12.0;
// With more in the trunk, where one waits for the other, parts are of no use.
constexpr double kLargestTrunk = 0.6;
constexpr int kMostCuts = 4096;

}  // namespace

FactorParts::FactorParts(const Supernodes& supernodes) {
    const int count = supernodes.size();
    const auto at = [](int s) {
        return static_cast<std::size_t>(s);
    };
    // Of each: its subtree's first supernode (they are in postorder) and entries.
    std::vector<int> parent(at(count), -1), first(at(count)), last_child(at(count), -1),
        sibling_before(at(count), -1);
    std::vector<double> entries(at(count), 0.0);
    const auto own_entries = [&](int s) {
        return static_cast<double>(supernodes.width(s)) * supernodes.height(s);
    };
    std::iota(first.begin(), first.end(), 0);
    double all = 0.0;
    for (int s = 0; s < count; ++s) {
        entries[at(s)] += own_entries(s);
        all += own_entries(s);
        if (supernodes.height(s) == supernodes.width(s)) continue;
        const int above = supernodes.of(supernodes.rows(s)[at(supernodes.width(s))]);
        parent[at(s)] = above;
        entries[at(above)] += entries[at(s)];
        first[at(above)] = std::min(first[at(above)], first[at(s)]);
        sibling_before[at(s)] = last_child[at(above)];
        last_child[at(above)] = s;
    }

    std::vector<char> is_trunk(at(count), 0);
    double in_trunk = 0.0;
    if (all >= kFewestEntries) {
        std::priority_queue<std::pair<double, int>> largest;
        for (int s = 0; s < count; ++s)
            if (parent[at(s)] < 0) largest.emplace(entries[at(s)], s);
        for (int cuts = 0;
             cuts < kMostCuts && !largest.empty() && largest.top().first > kLargestSubtree * all;
             ++cuts) {
            const int s = largest.top().second;
            largest.pop();
            is_trunk[at(s)] = 1;
            in_trunk += own_entries(s);
            for (int child = last_child[at(s)]; child >= 0; child = sibling_before[at(child)])
                largest.emplace(entries[at(child)], child);
        }
    }
    if (all < kFewestEntries || in_trunk > kLargestTrunk * all) {
        trunk.resize(at(count));
        std::iota(trunk.begin(), trunk.end(), 0);
        return;
    }

    // From the last to the first: a root of a subtree stands behind the whole of it.
    double open = 0.0;  // entries of the part that is being filled
    for (int s = count - 1; s >= 0;) {
        if (is_trunk[at(s)] != 0) {
            trunk.push_back(s--);
            open = 0.0;
            continue;
        }
        const int begin = first[at(s)];
        if (open > 0.0 && open + entries[at(s)] <= 0.5 * kLargestSubtree * all) {
            parts.back().first = begin;
            open += entries[at(s)];
        } else {
            parts.push_back({begin, s + 1});
            open = entries[at(s)];
        }
        s = begin - 1;
    }
    std::reverse(parts.begin(), parts.end());
    std::reverse(trunk.begin(), trunk.end());
}

}  // namespace ancora
