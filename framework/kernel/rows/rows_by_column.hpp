// SPDX-License-Identifier: BSD-3-Clause
// Compressed rows read column by column, for threads: each sums what belongs to its own columns.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "compressed_rows.hpp"

namespace ancora {

/// Of each column its entries in the order of rows, so that a sum over them has the same terms in
/// the same order as one that goes row by row, and the same bits.
class RowsByColumn {
public:
    RowsByColumn() = default;
    RowsByColumn(const CompressedRows& rows, int num_columns)
        : RowsByColumn(rows, num_columns, [](int i) {
              return i;
          }) {}
    /// @param renumber what a column of the rows is called here
    template <class Renumber>
    RowsByColumn(const CompressedRows& rows, int num_columns, const Renumber& renumber) {
        start_.assign(static_cast<std::size_t>(num_columns) + 1, 0);
        for (const int i : rows.column) ++start_[static_cast<std::size_t>(renumber(i)) + 1];
        std::partial_sum(start_.begin(), start_.end(), start_.begin());
        std::vector<int> next(start_.begin(), start_.end() - 1);
        entries_.resize(rows.column.size());
        for (int k = 0; k + 1 < static_cast<int>(rows.row_start.size()); ++k)
            for (const int e : rows.entries(k)) {
                int& place = next[renumber(rows.column_of(e))];
                entries_[place++] = {e, k};
            }
    }

    bool empty() const { return start_.empty(); }

    /// y + sum over rows k of values(k, i) x_k. [step]
    double multiply_onto(double y, const double* values, int i, const double* x) const {
        for_entries(i, [&](int e, int k) {
            y += values[e] * x[k];
        });
        return y;
    }
    /// Calls visit(entry, row) down column i. [step]
    template <class Visit>
    [[gnu::always_inline]] void for_entries(int i, const Visit& visit) const {
        const int end = start_[static_cast<std::size_t>(i) + 1];
        for (int at = start_[i]; at < end; ++at) {
            const Entry& entry = entries_[at];
            visit(entry.entry, entry.row);
        }
    }

private:
    struct Entry {
        int entry;
        int row;
    };
    std::vector<int> start_;
    std::vector<Entry> entries_;
};

}  // namespace ancora
