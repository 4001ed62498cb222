// SPDX-License-Identifier: BSD-3-Clause
// Layout and factorisation.
#include "sparse_ldlt.hpp"

#include <algorithm>

#include "dense_kernels.hpp"
#include "elimination_tree.hpp"

namespace ancora {
namespace {

// Columns of a panel that are eliminated before the others are updated with them.
constexpr int kBlock = 12;

}  // namespace

void SparseLdlt::analyse(const Eigen::SparseMatrix<double>& upper) {
    const auto n = static_cast<std::size_t>(upper.cols());
    supernodes_ = Supernodes(upper, EliminationTree(upper));
    const auto count = static_cast<std::size_t>(supernodes_.size());

    place_.resize(static_cast<std::size_t>(upper.nonZeros()));
    std::size_t e = 0;
    for (int j = 0; j < upper.cols(); ++j)
        for (Eigen::SparseMatrix<double>::InnerIterator it(upper, j); it; ++it, ++e) {
            const int i = static_cast<int>(it.row());
            const int s = supernodes_.of(i);
            const std::span<const int> rows = supernodes_.rows(s);
            const auto row = std::ranges::lower_bound(rows, j) - rows.begin();
            place_[e] = supernodes_.panel(s) +
                        static_cast<long>(i - supernodes_.first_column(s)) * supernodes_.height(s) +
                        row;
        }

    lay_out_pieces();
    values_.assign(static_cast<std::size_t>(supernodes_.num_values()), 0.0);
    single_.clear();
    D_.setZero(upper.cols());
    inverse_D_.setZero(upper.cols());
    next_row_.assign(count, 0);
    next_source_.assign(count, -1);
    first_source_.assign(count, -1);
    local_.assign(n, 0);

    // The largest update, and what all of them cost.
    std::size_t packed = 0;
    std::size_t product = 0;
    factorise_flops_ = solve_flops_ = 0.0;
    for (int s = 0; s < supernodes_.size(); ++s) {
        const int width = supernodes_.width(s);
        const int height = supernodes_.height(s);
        packed = std::max(packed, packed_size(width, std::min(kBlock, width)));
        const std::span<const int> rows = supernodes_.rows(s);
        for (int begin = width; begin < height;) {
            const int end = end_of_update(s, begin);
            packed = std::max(packed, packed_size(end - begin, width));
            product = std::max(
                product,
                static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(height - begin));
            begin = end;
        }
        for (int c = 0; c < width; ++c) {
            const double below = height - c - 1;
            factorise_flops_ += below * below;
            solve_flops_ += 4.0 * below;
        }
    }
    packed_.assign(packed, 0.0);
    product_.assign(product, 0.0);
    gathered_.assign(static_cast<std::size_t>(supernodes_.most_rows()), 0.0);
}

/// The rows of supernode s from `begin` on that are columns of one supernode end here.
int SparseLdlt::end_of_update(int s, int begin) const {
    const std::span<const int> rows = supernodes_.rows(s);
    const int last =
        supernodes_.first_column(supernodes_.of(rows[static_cast<std::size_t>(begin)]) + 1);
    int end = begin + 1;
    while (end < static_cast<int>(rows.size()) && rows[static_cast<std::size_t>(end)] < last) ++end;
    return end;
}

bool SparseLdlt::factorise(const Eigen::SparseMatrix<double>& upper) {
    std::ranges::fill(values_, 0.0);
    const double* K = upper.valuePtr();
    for (std::size_t e = 0; e < place_.size(); ++e)
        values_[static_cast<std::size_t>(place_[e])] += K[e];
    std::ranges::fill(first_source_, -1);
    for (int s = 0; s < supernodes_.size(); ++s) {
        update(s);
        if (!factorise_panel(s)) return false;
        wait_for_target(s, supernodes_.width(s));
    }
    if (in_single_) copy_to_single();
    return true;
}

/// Supernode s updates next the one that its row `begin` belongs to.
void SparseLdlt::wait_for_target(int s, int begin) {
    if (begin >= supernodes_.height(s)) return;
    const auto here = static_cast<std::size_t>(s);
    const auto target = static_cast<std::size_t>(
        supernodes_.of(supernodes_.rows(s)[static_cast<std::size_t>(begin)]));
    next_row_[here] = begin;
    next_source_[here] = first_source_[target];
    first_source_[target] = s;
}

/// Subtracts from a panel what the supernodes before it that reach it make of it.
void SparseLdlt::update(int target) {
    int source = first_source_[static_cast<std::size_t>(target)];
    if (source < 0) return;
    const std::span<const int> rows = supernodes_.rows(target);
    for (std::size_t i = 0; i < rows.size(); ++i)
        local_[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
    while (source >= 0) {
        const int next = next_source_[static_cast<std::size_t>(source)];
        const int begin = next_row_[static_cast<std::size_t>(source)];
        const int end = end_of_update(source, begin);
        update_from(target, source, begin, end);
        wait_for_target(source, end);
        source = next;
    }
}

void SparseLdlt::update_from(int target, int source, int begin, int end) {
    const int width = supernodes_.width(source);
    const int height = supernodes_.height(source);
    const int columns = end - begin;
    const int num_rows = height - begin;
    const double* L = values_.data() + supernodes_.panel(source) + begin;
    pack_scaled(
        L, height, D_.data() + supernodes_.first_column(source), columns, width, packed_.data());

    const int* row = supernodes_.rows(source).data() + begin;
    const int* local = local_.data();
    double* panel = values_.data() + supernodes_.panel(target);
    const std::ptrdiff_t stride = supernodes_.height(target);
    const int first = local[row[0]];
    if (local[row[num_rows - 1]] - first == num_rows - 1) {
        subtract_product(L,
                         height,
                         packed_.data(),
                         num_rows,
                         columns,
                         width,
                         panel + first * stride + first,
                         stride);
        return;
    }
    double* product = product_.data();
    std::fill_n(
        product, static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(columns), 0.0);
    subtract_product(L, height, packed_.data(), num_rows, columns, width, product, num_rows);
    for (int j = 0; j < columns; ++j, product += num_rows) {
        double* to = panel + local[row[j]] * stride;
        for (int i = j; i < num_rows; ++i) to[local[row[i]]] += product[i];
    }
}

bool SparseLdlt::factorise_panel(int s) {
    const int width = supernodes_.width(s);
    const int height = supernodes_.height(s);
    const std::ptrdiff_t stride = height;
    double* panel = values_.data() + supernodes_.panel(s);
    double* D = D_.data() + supernodes_.first_column(s);
    double* inverse_D = inverse_D_.data() + supernodes_.first_column(s);
    for (int first = 0; first < width; first += kBlock) {
        const int columns = std::min(kBlock, width - first);
        const int after = first + columns;
        double* block = panel + first * stride + first;
        if (!factorise_columns(
                block, stride, height - first, columns, D + first, inverse_D + first))
            return false;
        if (after == width) break;
        const double* below = block + columns;
        pack_scaled(below, stride, D + first, width - after, columns, packed_.data());
        subtract_product(below,
                         stride,
                         packed_.data(),
                         height - after,
                         width - after,
                         columns,
                         panel + after * stride + after,
                         stride);
    }
    // Mirrored, so that each of the two solves runs along memory without waiting for a sum.
    for (int c = 0; c < width; ++c)
        for (int i = c + 1; i < width; ++i) panel[i * stride + c] = panel[c * stride + i];
    return true;
}

void SparseLdlt::use_single(bool in_single) {
    in_single_ = in_single;
    if (in_single) single_.resize(values_.size());
}

void SparseLdlt::copy_to_single() {
    std::ranges::transform(values_, single_.begin(), [](double value) {
        return static_cast<float>(value);
    });
}

}  // namespace ancora
