// SPDX-License-Identifier: BSD-3-Clause
// Which supernodes of a factor can be worked on side by side.
#pragma once

#include <vector>

#include "supernodes.hpp"

namespace ancora {

/// Subtrees of the elimination tree that do not touch each other, and the trunk above them. They
/// follow from the pattern alone, not from the number of threads, so that sums over parts have the
/// same roundings with any.
struct FactorParts {
    FactorParts() = default;
    explicit FactorParts(const Supernodes& supernodes);

    struct Range {
        int first = 0;  // supernode
        int end = 0;
    };
    std::vector<Range> parts;    // none where the factor is too small, or hardly branches
    std::vector<int> separator;  // supernodes, rising; all of them where there are no parts
    /// Subtrees of a large trunk that do not touch each other either; places in `trunk`, rising.
    std::vector<Range> subtrees;
};

}  // namespace ancora
