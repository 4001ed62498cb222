// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix by rows whose pattern never changes: several sets of values share one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ancora {

/// Entries of a row, as numbers to loop over: std::views::iota, which clang 14 cannot read in GCC
/// 12's library.
class EntryRange {
public:
    class Iterator {
    public:
        explicit Iterator(int entry) : entry_(entry) {}
        int operator*() const { return entry_; }
        Iterator& operator++() {
            ++entry_;
            return *this;
        }
        bool operator==(const Iterator& other) const = default;

    private:
        int entry_;
    };

    EntryRange(int begin, int end) : begin_(begin), end_(end) {}
    Iterator begin() const { return Iterator(begin_); }
    Iterator end() const { return Iterator(end_); }

private:
    int begin_, end_;
};

/// The pattern, and products with values that lie in it.
struct CompressedRows {
    std::vector<int> row_start;  ///< first entry of each row, and one past the last
    std::vector<int> column;     ///< of each entry

    int row_begin(int k) const { return row_start[k]; }
    int row_end(int k) const { return row_start[static_cast<std::size_t>(k) + 1]; }
    int column_of(int entry) const { return column[entry]; }
    /// Entries of row k, as numbers.
    EntryRange entries(int k) const { return {row_begin(k), row_end(k)}; }
    /// Columns of row k.
    std::span<const int> columns(int k) const {
        return std::span(column).subspan(row_begin(k), row_end(k) - row_begin(k));
    }
    /// Calls visit(entry, column) along row k. Rows on one vector or between two have three or six
    /// entries; those are written out, since short loops cost more than what they do. [step]
    template <class Visit>
    [[gnu::always_inline]] void for_entries(int k, const Visit& visit) const {
        constexpr int kOnVector = 3;
        constexpr int kBetweenVectors = 6;
        const int* const at = column.data();
        const int begin = row_begin(k);
        const int end = row_end(k);
        const int count = end - begin;
        if (count == kBetweenVectors || count == kOnVector) {
            visit(begin, at[begin]);
            visit(begin + 1, at[begin + 1]);
            visit(begin + 2, at[begin + 2]);
            if (count == kOnVector) return;
            visit(begin + 3, at[begin + 3]);
            visit(begin + 4, at[begin + 4]);
            visit(begin + 5, at[begin + 5]);
            return;
        }
        for (int e = begin; e < end; ++e) visit(e, at[e]);
    }
    /// Row k times x. [step]
    /// Of row k the part in columns [first, end), times x.
    double multiply(const double* values, int k, int first, int end, const double* x) const {
        double sum = 0.0;
        for (const int e : entries(k))
            if (column_of(e) >= first && column_of(e) < end) sum += values[e] * x[column_of(e)];
        return sum;
    }
    double multiply(const double* values, int k, const double* x) const {
        return multiply_onto(0.0, values, k, x);
    }
    /// The same onto a sum that has begun.
    double multiply_onto(double sum, const double* values, int k, const double* x) const {
        for_entries(k, [&](int e, int i) {
            sum += values[e] * x[i];
        });
        return sum;
    }
    /// y += c times row k. [step]
    void add_transposed(const double* values, int k, double c, double* y) const {
        for_entries(k, [&](int e, int i) {
            y[i] += values[e] * c;
        });
    }
};

}  // namespace ancora
