// SPDX-License-Identifier: BSD-3-Clause
// Which of some names was meant.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ancora::detail {

/// Letters left out, put in, changed, or swapped with their neighbour between a and b (optimal
/// string alignment); upper and lower case count as equal.
inline std::size_t count_slips(std::string_view a, std::string_view b) {
    const auto lower = [](char c) {
        return std::tolower(static_cast<unsigned char>(c));
    };
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                 lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

/// The name of `known` with the fewest slips, the first of equals; empty if none is near: one slip
/// in three letters, at most three, and `least` even in shorter names, but none in a single letter.
inline std::string nearest_of(std::string_view name,
                              std::span<const std::string> known,
                              std::size_t least = 0) {
    constexpr std::size_t kMost = 3;
    std::string nearest;
    std::size_t fewest = kMost + 1;
    for (const std::string& other : known) {
        const std::size_t longer = std::max(name.size(), other.size());
        const std::size_t shorter = std::min(name.size(), other.size());
        const std::size_t allowed = shorter < 2 ? 0 : std::max(least, std::min(longer / 3, kMost));
        if (longer - shorter > allowed) continue;
        const std::size_t slips = count_slips(name, other);
        if (slips > allowed || slips >= fewest) continue;
        fewest = slips;
        nearest = other;
    }
    return nearest;
}

}  // namespace ancora::detail
