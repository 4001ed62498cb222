// SPDX-License-Identifier: BSD-3-Clause
// The top separator is cut off from the roots down until no subtree is large.
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
constexpr double kLargestTopSubtree = 1.0 / 4.0;
// With more in the separator, where supernodes wait for each other, parts do not pay.
constexpr double kLargestSeparator = 0.6;
constexpr int kMostCuts = 4096;

std::size_t at(int s) {
    return static_cast<std::size_t>(s);
}

/// Trees in postorder, with a weight of each node.
class Forest {
public:
    /// Weights of subtrees, children before parents. Subtree s is the
    /// range of nodes first_[s] to s.
    /// @param parent of each node, or -1
    Forest(const std::vector<int>& parent, const std::vector<double>& own)
        : own_(own),
          weight_(own),
          first_(parent.size()),
          last_child_(parent.size(), -1),
          sibling_before_(parent.size(), -1) {
        std::iota(first_.begin(), first_.end(), 0);
        for (int s = 0; s < size(); ++s) {
            all_ += own_[at(s)];
            const int above = parent[at(s)];
            if (above < 0) {
                roots_.push_back(s);
                continue;
            }
            weight_[at(above)] += weight_[at(s)];
            first_[at(above)] = std::min(first_[at(above)], first_[at(s)]);
            sibling_before_[at(s)] = last_child_[at(above)];
            last_child_[at(above)] = s;
        }
    }

    int size() const { return static_cast<int>(own_.size()); }
    double all() const { return all_; }

    /// The supernodes cut off, from the roots down, so that no remaining subtree is heavier.
    struct Cut {
        std::vector<char> is_cut;
        double weight = 0.0;
    };
    Cut cut(double heaviest) const {
        // To open a subtree is to cut its root off, which leaves its children as roots.
        Cut out{std::vector<char>(own_.size(), 0), 0.0};
        std::priority_queue<std::pair<double, int>> left;
        for (const int s : roots_) left.emplace(weight_[at(s)], s);
        // The heaviest first, and of equal weights the higher number:
        // the cut is a function of the tree.
        for (int cuts = 0; cuts < kMostCuts && !left.empty() && left.top().first > heaviest;
             ++cuts) {
            const int s = left.top().second;
            left.pop();
            out.is_cut[at(s)] = 1;
            out.weight += own_[at(s)];
            for (int child = last_child_[at(s)]; child >= 0; child = sibling_before_[at(child)])
                left.emplace(weight_[at(child)], child);
        }
        return out;
    }
    /// The subtrees that are left, neighbours together as long as they are not heavier.
    std::vector<FactorParts::Range> what_is_left(const Cut& cut, double heaviest) const {
        std::vector<FactorParts::Range> out;
        double open = 0.0;  // weight of the range that is being filled
        // From the last to the first: a root of a subtree stands behind the whole of it.
        for (int s = size() - 1; s >= 0;) {
            if (cut.is_cut[at(s)] != 0) {
                --s;
                open = 0.0;
                continue;
            }
            const int begin = first_[at(s)];
            // Neighbouring subtrees in one range have no entries with each other:
            // a range is a forest.
            if (open > 0.0 && open + weight_[at(s)] <= heaviest) {
                out.back().first = begin;
                open += weight_[at(s)];
            } else {
                out.push_back({begin, s + 1});
                open = weight_[at(s)];
            }
            s = begin - 1;
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

private:
    std::vector<double> own_, weight_;  // the second of subtrees
    std::vector<int> first_, last_child_, sibling_before_, roots_;
    double all_ = 0.0;
};

}  // namespace

FactorParts::FactorParts(const Supernodes& supernodes) {
    const int count = supernodes.size();
    std::vector<int> parent(at(count), -1);
    std::vector<double> own(at(count));
    for (int s = 0; s < count; ++s) {
        // Entries of a panel: the memory traffic of a solve, and the measure of work for threads.
        own[at(s)] = static_cast<double>(supernodes.width(s)) * supernodes.height(s);
        if (supernodes.height(s) > supernodes.width(s))
            parent[at(s)] = supernodes.of(supernodes.rows(s)[at(supernodes.width(s))]);
    }
    // Two levels: many subtrees below, and above them the separators that join them,
    // which have subtrees again. The top is done by one thread, which bounds the gain of more
    // threads.
    const Forest tree(parent, own);
    const Forest::Cut cut = tree.cut(kLargestSubtree * tree.all());
    if (tree.all() < kFewestEntries || cut.weight > kLargestSeparator * tree.all()) {
        separator.resize(at(count));
        std::iota(separator.begin(), separator.end(), 0);
        return;
    }
    parts = tree.what_is_left(cut, 0.5 * kLargestSubtree * tree.all());

    std::vector<int> in_separator(at(count), -1);
    std::vector<double> own_of_separator;
    for (int s = 0; s < count; ++s) {
        if (cut.is_cut[at(s)] == 0) continue;
        in_separator[at(s)] = static_cast<int>(separator.size());
        separator.push_back(s);
        own_of_separator.push_back(own[at(s)]);
    }
    // Cuts go from the roots down, so the parent of a supernode that is cut off is cut off too.
    std::vector<int> parent_in_separator;
    for (const int s : separator)
        parent_in_separator.push_back(parent[at(s)] < 0 ? -1 : in_separator[at(parent[at(s)])]);
    const Forest upper(parent_in_separator, own_of_separator);
    if (upper.all() < kFewestEntries) return;
    const double heaviest = kLargestTopSubtree * upper.all();
    subtrees = upper.what_is_left(upper.cut(heaviest), heaviest);
}

}  // namespace ancora
