// SPDX-License-Identifier: BSD-3-Clause
// Subtrees of supernodes of a factor that can be factorised in parallel.
#pragma once

#include <vector>

#include "supernodes.hpp"

namespace ancora {

/// Disjoint subtrees of the elimination tree, and the top separator above them. They follow from
/// the pattern alone, not from the number of threads, so that sums over parts have the same
/// roundings with any.
struct FactorParts {
    FactorParts() = default;
    explicit FactorParts(const Supernodes& supernodes);

    struct Range {
        int first = 0;  // supernode
        int end = 0;
    };
    std::vector<Range> parts;    // none where the factor is too small, or hardly branches
    std::vector<int> separator;  // supernodes, rising; all of them where there are no parts
    /// Disjoint subtrees of a large separator; places in `separator`, rising.
    std::vector<Range> subtrees;
};

}  // namespace ancora
