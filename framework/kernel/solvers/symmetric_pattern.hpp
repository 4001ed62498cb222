// SPDX-License-Identifier: BSD-3-Clause
// The pattern of a symmetric sparse matrix from the list of its entries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <Eigen/SparseCore>

namespace ancora {

/// The upper triangle of a symmetric matrix, compressed: of each column its rows, rising, each
/// once; all values are zero. Lists of triplets would take five times the memory of the result.
///
/// @param size rows, and columns
/// @param for_each_entry for_each_entry(add) calls add(i, j) for every entry, on either side of the
///        diagonal, and repeated as it may be; it is called twice
template <class ForEachEntry>
Eigen::SparseMatrix<double> symmetric_pattern(int size, const ForEachEntry& for_each_entry) {
    std::vector<std::size_t> begin(static_cast<std::size_t>(size) + 1, 0);
    for_each_entry([&](int i, int j) {
        ++begin[static_cast<std::size_t>(std::max(i, j)) + 1];
    });
    for (std::size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
    std::vector<int> row(begin.back());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for_each_entry([&](int i, int j) {
        row[next[std::max(i, j)]++] = std::min(i, j);
    });

    Eigen::SparseMatrix<double> out(size, size);
    std::size_t count = 0;
    for (std::size_t c = 0; c + 1 < begin.size(); ++c) {
        std::sort(row.data() + begin[c], row.data() + begin[c + 1]);
        // What is kept goes to the front, column after column.
        const std::size_t first = count;
        for (std::size_t k = begin[c]; k < begin[c + 1]; ++k)
            if (count == first || row[count - 1] != row[k]) row[count++] = row[k];
        out.outerIndexPtr()[c] = static_cast<int>(first);
    }
    out.outerIndexPtr()[size] = static_cast<int>(count);
    out.resizeNonZeros(static_cast<Eigen::Index>(count));
    std::copy_n(row.data(), count, out.innerIndexPtr());
    std::fill_n(out.valuePtr(), count, 0.0);
    return out;
}

}  // namespace ancora
