// SPDX-License-Identifier: BSD-3-Clause
// Which columns may be changed together.
#include "coloured_differences.hpp"

#include <algorithm>
#include <set>

namespace ancora {

ColouredDifferences::ColouredDifferences(int num_coordinates,
                                         const std::vector<std::vector<int>>& objects) {
    const auto n = static_cast<std::size_t>(num_coordinates);
    // (i, j) may differ from zero where an object acts on i and depends on j:
    // rows[j] are the rows of column j.
    std::vector<std::set<int>> rows(n);  // that see a column; the pattern is symmetric
    for (const std::vector<int>& object : objects)
        for (const int i : object) rows[i].insert(object.begin(), object.end());

    int num_colours = 0;
    std::vector<int> colour(n, -1), taken_by;
    // Greedy colouring, column by column: j gets the first colour that no column has which shares
    // a row with it. In one evaluation each F_i then answers to one changed column at most.
    for (std::size_t j = 0; j < n; ++j) {
        if (rows[j].empty()) continue;
        // Colours of the columns that some row of this one sees too.
        for (const int i : rows[j])
            for (const int other : rows[i])
                if (const int c = colour[other]; c >= 0) taken_by[c] = static_cast<int>(j);
        const auto free = std::ranges::find_if(taken_by, [j](int by) {
            return by != static_cast<int>(j);
        });
        // A colour that none of these columns has, or a new one.
        colour[j] = static_cast<int>(free - taken_by.begin());
        if (free != taken_by.end()) continue;
        taken_by.push_back(-1);
        ++num_colours;
    }
    // Columns by colours and entries by columns, as differentiate() goes along them.
    first_column_.push_back(0);
    for (int c = 0; c < num_colours; ++c) {
        for (std::size_t j = 0; j < n; ++j) {
            if (colour[j] != c) continue;
            const int first = static_cast<int>(entries_.size());
            // Entries of a column by rising rows.
            for (const int i : rows[j]) entries_.push_back({i, static_cast<int>(j)});
            columns_.push_back({static_cast<int>(j), first, static_cast<int>(entries_.size())});
        }
        first_column_.push_back(static_cast<int>(columns_.size()));
    }
}

}  // namespace ancora
