// SPDX-License-Identifier: BSD-3-Clause
// Guesses which name was meant.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "ancora/framework/nearest_name.hpp"

namespace ancora {
namespace {

constexpr std::size_t kMostSlips = 3;

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Number of letters left out, put in, changed, or swapped with their neighbour between a and b
// (optimal string alignment); upper and lower case count as equal.
std::size_t count_slips(std::string_view a, std::string_view b) {
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

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> names) {
    std::string nearest;
    std::size_t fewest = kMostSlips + 1;
    for (const std::string& candidate : names) {
        // one slip in three letters still looks like the same word
        const std::size_t longer = std::max(name.size(), candidate.size());
        const std::size_t shorter = std::min(name.size(), candidate.size());
        const std::size_t allowed = std::min(longer / 3, kMostSlips);
        if (longer - shorter > allowed) continue;
        const std::size_t slips = count_slips(name, candidate);
        if (slips <= allowed && slips < fewest) {
            fewest = slips;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace ancora
