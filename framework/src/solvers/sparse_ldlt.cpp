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
    supernodes_ = Supernodes(upper, EliminationTree(upper));
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

    parts_ = FactorParts(supernodes_);
    lay_out_pieces();
    lay_out_updates();
    values_.assign(static_cast<std::size_t>(supernodes_.num_values()), 0.0);
    single_.clear();
    D_.setZero(upper.cols());
    inverse_D_.setZero(upper.cols());
    scratch_.clear();
    make_scratch();
}

void SparseLdlt::use_workers(Workers* workers) {
    workers_ = workers;
}

void SparseLdlt::make_scratch() {
    const bool is_shared = workers_ != nullptr && !parts_.parts.empty();
    const std::size_t count = is_shared ? static_cast<std::size_t>(workers_->size()) : 1;
    if (count == scratch_.size()) return;
    scratch_.resize(count);
    for (Scratch& scratch : scratch_) {
        scratch.local.resize(static_cast<std::size_t>(D_.size()));
        scratch.packed.resize(packed_);
        scratch.product.resize(product_);
        scratch.gathered.resize(static_cast<std::size_t>(supernodes_.most_rows()));
    }
}

/// Who updates whom, in the order of the left-looking elimination: as soon as a supernode has
/// updated one, it waits for the next that it reaches.
void SparseLdlt::lay_out_updates() {
    const auto count = static_cast<std::size_t>(supernodes_.size());
    std::vector<int> next_row(count, 0), next_source(count, -1), first_source(count, -1);
    const auto wait_for_target = [&](int s, int begin) {
        if (begin >= supernodes_.height(s)) return;
        const auto here = static_cast<std::size_t>(s);
        const auto target = static_cast<std::size_t>(
            supernodes_.of(supernodes_.rows(s)[static_cast<std::size_t>(begin)]));
        next_row[here] = begin;
        next_source[here] = first_source[target];
        first_source[target] = s;
    };
    packed_ = product_ = 0;
    factorise_flops_ = solve_flops_ = 0.0;
    updates_.clear();
    first_update_.assign(1, 0);
    for (int s = 0; s < supernodes_.size(); ++s) {
        const int width = supernodes_.width(s);
        const int height = supernodes_.height(s);
        packed_ = std::max(packed_, packed_size(width, std::min(kBlock, width)));
        for (int c = 0; c < width; ++c) {
            const double below = height - c - 1;
            factorise_flops_ += below * below;
            solve_flops_ += 4.0 * below;
        }
        for (int source = first_source[static_cast<std::size_t>(s)]; source >= 0;) {
            const int next = next_source[static_cast<std::size_t>(source)];
            const int begin = next_row[static_cast<std::size_t>(source)];
            const int end = end_of_update(source, begin);
            updates_.push_back({source, begin, end});
            packed_ = std::max(packed_, packed_size(end - begin, supernodes_.width(source)));
            product_ = std::max(product_,
                                static_cast<std::size_t>(end - begin) *
                                    static_cast<std::size_t>(supernodes_.height(source) - begin));
            wait_for_target(source, end);
            source = next;
        }
        first_update_.push_back(static_cast<long>(updates_.size()));
        wait_for_target(s, width);
    }

    const std::size_t num_trunk = parts_.trunk.size();
    in_trunk_.assign(count, -1);
    for (std::size_t i = 0; i < num_trunk; ++i)
        in_trunk_[static_cast<std::size_t>(parts_.trunk[i])] = static_cast<int>(i);
    is_done_ = std::make_unique<std::atomic<int>[]>(num_trunk);
    if (parts_.parts.empty()) return;
    // Who waits does so at the end.
    for (const int s : parts_.trunk)
        std::stable_sort(updates_.begin() + first_update_[static_cast<std::size_t>(s)],
                         updates_.begin() + first_update_[static_cast<std::size_t>(s) + 1],
                         [&](const Update& a, const Update& b) {
                             return in_trunk_[static_cast<std::size_t>(a.source)] <
                                    in_trunk_[static_cast<std::size_t>(b.source)];
                         });
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
    make_scratch();
    std::ranges::fill(values_, 0.0);
    const double* K = upper.valuePtr();
    for (std::size_t e = 0; e < place_.size(); ++e)
        values_[static_cast<std::size_t>(place_[e])] += K[e];

    is_good_ = true;
    for_each_part([&](int i, int k) {
        const FactorParts::Range& part = parts_.parts[static_cast<std::size_t>(i)];
        Scratch& scratch = scratch_[static_cast<std::size_t>(k)];
        for (int s = part.first; s < part.end; ++s) {
            update(s, scratch, false);
            if (factorise_panel(s, scratch)) continue;
            is_good_ = false;
            return;
        }
    });
    if (!is_good_) return false;

    // Each takes the next of the trunk and waits for those that update it.
    next_in_trunk_ = 0;
    const bool is_shared = scratch_.size() > 1;
    if (is_shared) {
        for (std::size_t i = 0; i < parts_.trunk.size(); ++i) is_done_[i] = 0;
        workers_->run([&](int k) {
            factorise_trunk(k);
        });
    } else if (!factorise_trunk(0)) {
        return false;
    }
    if (!is_good_) return false;
    if (in_single_) copy_to_single();
    return true;
}

bool SparseLdlt::factorise_trunk(int k) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(k)];
    const auto count = static_cast<int>(parts_.trunk.size());
    const bool is_shared = scratch_.size() > 1;
    for (int i; (i = next_in_trunk_++) < count;) {
        const int s = parts_.trunk[static_cast<std::size_t>(i)];
        update(s, scratch, is_shared);
        if (!factorise_panel(s, scratch)) {
            is_good_ = false;
            if (!is_shared) return false;
        }
        if (!is_shared) continue;
        is_done_[static_cast<std::size_t>(i)].store(1, std::memory_order_release);
        is_done_[static_cast<std::size_t>(i)].notify_all();
    }
    return true;
}

/// Subtracts from a panel what the supernodes before it that reach it make of it.
void SparseLdlt::update(int target, Scratch& scratch, bool waits) {
    const long begin = first_update_[static_cast<std::size_t>(target)];
    const long end = first_update_[static_cast<std::size_t>(target) + 1];
    if (begin == end) return;
    const std::span<const int> rows = supernodes_.rows(target);
    for (std::size_t i = 0; i < rows.size(); ++i)
        scratch.local[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
    for (long u = begin; u < end; ++u) {
        const Update& one = updates_[static_cast<std::size_t>(u)];
        const int place = in_trunk_[static_cast<std::size_t>(one.source)];
        if (waits && place >= 0)
            is_done_[static_cast<std::size_t>(place)].wait(0, std::memory_order_acquire);
        update_from(target, one, scratch);
    }
}

void SparseLdlt::update_from(int target, const Update& update, Scratch& scratch) {
    const auto [source, begin, end] = update;
    const int width = supernodes_.width(source);
    const int height = supernodes_.height(source);
    const int columns = end - begin;
    const int num_rows = height - begin;
    const double* L = values_.data() + supernodes_.panel(source) + begin;
    pack_scaled(L,
                height,
                D_.data() + supernodes_.first_column(source),
                columns,
                width,
                scratch.packed.data());

    const int* row = supernodes_.rows(source).data() + begin;
    const int* local = scratch.local.data();
    double* panel = values_.data() + supernodes_.panel(target);
    const std::ptrdiff_t stride = supernodes_.height(target);
    const int first = local[row[0]];
    if (local[row[num_rows - 1]] - first == num_rows - 1) {
        subtract_product(L,
                         height,
                         scratch.packed.data(),
                         num_rows,
                         columns,
                         width,
                         panel + first * stride + first,
                         stride);
        return;
    }
    double* product = scratch.product.data();
    std::fill_n(
        product, static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(columns), 0.0);
    subtract_product(L, height, scratch.packed.data(), num_rows, columns, width, product, num_rows);
    for (int j = 0; j < columns; ++j, product += num_rows) {
        double* to = panel + local[row[j]] * stride;
        for (int i = j; i < num_rows; ++i) to[local[row[i]]] += product[i];
    }
}

bool SparseLdlt::factorise_panel(int s, Scratch& scratch) {
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
        pack_scaled(below, stride, D + first, width - after, columns, scratch.packed.data());
        subtract_product(below,
                         stride,
                         scratch.packed.data(),
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
