// SPDX-License-Identifier: BSD-3-Clause
// Supernodes: columns of a sparse factor that share a dense panel.
#pragma once

#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include "elimination_tree.hpp"

namespace ancora {

/// Neighbouring columns of L of equal or nearly equal structure form a supernode: they share a list
/// of rows, their own columns first, and stand as a dense panel, column by column. Where structures
/// differ by little, columns are put together all the same, with zeros: fewer and wider panels are
/// worth more than the operations that this adds (Ashcraft and Grimes, ACM Trans. Math. Softw. 15
/// (1989) 291).
class Supernodes {
public:
    Supernodes() = default;
    /// @param upper in an order that is a postorder of `tree`, its own
    Supernodes(const Eigen::SparseMatrix<double>& upper, const EliminationTree& tree);

    int size() const { return static_cast<int>(first_column_.size()) - 1; }
    int first_column(int s) const { return first_column_[s]; }
    int width(int s) const { return first_column(s + 1) - first_column(s); }
    /// Rows of supernode s, rising; the first of them are its own columns.
    std::span<const int> rows(int s) const {
        const long begin = first_row_[s];
        const long end = first_row_[static_cast<std::size_t>(s) + 1];
        return {rows_.data() + begin, static_cast<std::size_t>(end - begin)};
    }
    int height(int s) const { return static_cast<int>(rows(s).size()); }
    /// Supernode of a column.
    int of(int column) const { return of_[column]; }
    /// Where the panel of supernode s begins among all values; its columns follow at height(s).
    long panel(int s) const { return panel_[s]; }
    long num_values() const { return panel_.empty() ? 0 : panel_.back(); }
    int most_rows() const { return most_rows_; }

private:
    void find(const EliminationTree& tree);
    void join(const EliminationTree& tree);
    void find_rows(const Eigen::SparseMatrix<double>& upper, const EliminationTree& tree);

    std::vector<int> first_column_ = {0};  // of each, and the end
    std::vector<int> of_;
    std::vector<long> first_row_ = {0};
    std::vector<int> rows_;
    std::vector<long> panel_;
    int most_rows_ = 0;
};

}  // namespace ancora
