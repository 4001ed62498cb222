// SPDX-License-Identifier: BSD-3-Clause
// Layout and factorisation.
#include "sparse_ldlt.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "dense_kernels.hpp"
#include "elimination_tree.hpp"

namespace ancora {
namespace {

// Columns of a panel that are eliminated before the others are updated with them.
constexpr int kBlock = 12;

}  // namespace

void SparseLdlt::analyse(const Eigen::SparseMatrix<double>& upper, long most_double) {
    supernodes_ = Supernodes(upper, EliminationTree(upper));
    lay_out_entries(upper);
    parts_ = FactorParts(supernodes_);
    lay_out_pieces();
    lay_out_updates();
    D_.setZero(upper.cols());
    inverse_D_.setZero(upper.cols());
    scratch_.clear();
    use_single(num_entries() > most_double);
}

/// Column i of the lower triangle, and with it row i of the upper one, is in the panel of i.
void SparseLdlt::lay_out_entries(const Eigen::SparseMatrix<double>& upper) {
    const auto count = static_cast<std::size_t>(supernodes_.size());
    panel_ = 0;
    for (int s = 0; s < supernodes_.size(); ++s)
        panel_ = std::max(panel_,
                          static_cast<std::size_t>(supernodes_.panel(s + 1)) -
                              static_cast<std::size_t>(supernodes_.panel(s)));
    if (panel_ > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a factor has a dense block of more than 2^32 entries");
    // Compressed by panels: entries_[first_entry_[s]] to the next are the entries of A in the
    // columns of s; `place` is column-major in the panel, whose stride is its height.
    first_entry_.assign(count + 1, 0);
    const auto panel_of = [&](const auto& it) {
        return static_cast<std::size_t>(supernodes_.of(static_cast<int>(it.row())));
    };
    using Iterator = Eigen::SparseMatrix<double>::InnerIterator;
    for (int j = 0; j < upper.cols(); ++j)
        for (Iterator it(upper, j); it; ++it) ++first_entry_[panel_of(it) + 1];
    std::partial_sum(first_entry_.begin(), first_entry_.end(), first_entry_.begin());
    std::vector<long> next(first_entry_.begin(), first_entry_.end() - 1);
    entries_.assign(upper.nonZeros(), {});
    int e = 0;
    for (int j = 0; j < upper.cols(); ++j)
        for (Iterator it(upper, j); it; ++it, ++e) {
            const int i = static_cast<int>(it.row());
            const int s = supernodes_.of(i);
            const std::span<const int> rows = supernodes_.rows(s);
            const auto row = std::ranges::lower_bound(rows, j) - rows.begin();
            const long place =
                static_cast<long>(i - supernodes_.first_column(s)) * supernodes_.height(s) + row;
            entries_[next[s]++] = {e, static_cast<std::uint32_t>(place)};
        }
}

void SparseLdlt::use_workers(Workers* workers) {
    workers_ = workers;
}

void SparseLdlt::make_scratch() {
    const bool is_shared = workers_ != nullptr && !parts_.parts.empty();
    // A buffer of each thread. Panels in single precision are computed in
    // one of double precision and rounded once.
    const std::size_t count = is_shared ? static_cast<std::size_t>(workers_->size()) : 1;
    const std::size_t panel = in_single_ ? panel_ : 0;
    if (count == scratch_.size() && panel == scratch_.front().panel.size()) return;
    scratch_.resize(count);
    for (Scratch& scratch : scratch_) {
        scratch.local.resize(D_.size());
        scratch.packed.resize(packed_);
        scratch.product.resize(product_);
        scratch.gathered.resize(supernodes_.most_rows());
        scratch.panel.resize(panel);
    }
}

/// The updates of supernodes by others, in the order of the left-looking elimination: as soon as a
/// supernode has updated one, it waits for the next that it reaches.
void SparseLdlt::lay_out_updates() {
    const auto count = static_cast<std::size_t>(supernodes_.size());
    // Lists of sources that wait for a target: first_source[t], next_source[...].
    // A source s is in one list at most, that of the supernode of its next row next_row[s].
    std::vector<int> next_row(count, 0), next_source(count, -1), first_source(count, -1);
    const auto wait_for_target = [&](int s, int begin) {
        if (begin >= supernodes_.height(s)) return;
        const auto here = static_cast<std::size_t>(s);
        const auto target = static_cast<std::size_t>(supernodes_.of(supernodes_.rows(s)[begin]));
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
        // Column c updates a triangle of some below^2 / 2 entries. A solve reads an
        // entry of L once down and once up. Two operations each.
        for (int c = 0; c < width; ++c) {
            const double below = height - c - 1;
            factorise_flops_ += below * below;
            solve_flops_ += 4.0 * below;
        }
        for (int source = first_source[s]; source >= 0;) {
            const int next = next_source[source];
            const int begin = next_row[source];
            const int end = end_of_update(source, begin);
            // L[t] -= L[s](begin:, :) D[s] L[s](begin:end, :)^T, t the target and s the source
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

    const std::size_t num_separator = parts_.separator.size();
    in_separator_.assign(count, -1);
    for (std::size_t i = 0; i < num_separator; ++i)
        in_separator_[parts_.separator[i]] = static_cast<int>(i);
    is_done_ = std::make_unique<std::atomic<int>[]>(num_separator);
    if (parts_.parts.empty()) return;
    // Threads wait at the end. Those of the parts have the place -1 and come first, then the
    // sources of the separator in its order. The sort is stable and the order of parts that of the
    // tree, so a sum has its terms in the same order for any number of threads: same matrix, same
    // bits.
    for (const int s : parts_.separator)
        std::stable_sort(updates_.begin() + first_update_[s],
                         updates_.begin() + first_update_[static_cast<std::size_t>(s) + 1],
                         [&](const Update& a, const Update& b) {
                             return in_separator_[a.source] < in_separator_[b.source];
                         });
}

/// The rows of supernode s from `begin` on that are columns of one supernode end here.
int SparseLdlt::end_of_update(int s, int begin) const {
    const std::span<const int> rows = supernodes_.rows(s);
    const int last = supernodes_.first_column(supernodes_.of(rows[begin]) + 1);
    int end = begin + 1;
    while (end < static_cast<int>(rows.size()) && rows[end] < last) ++end;
    return end;
}

bool SparseLdlt::factorise(const Eigen::SparseMatrix<double>& upper) {
    make_scratch();
    upper_ = upper.valuePtr();
    is_good_ = true;
    // A supernode of a part is updated from within its subtree alone: parts wait for nothing.
    for_each_of(parts_.parts.size(), [&](int i, int k) {
        const FactorParts::Range& part = parts_.parts[i];
        Scratch& scratch = scratch_[k];
        for (int s = part.first; s < part.end; ++s) {
            if (factorise_supernode(s, scratch, false)) continue;
            is_good_ = false;
            return;
        }
    });
    if (!is_good_) return false;

    // Each thread takes the next supernode of the separator and waits for those that update it.
    next_in_separator_ = 0;
    // Places are given out rising, and a source has a lower place than its target:
    // the supernode that another waits for is done or is being worked on, so that the wait ends.
    const bool is_shared = scratch_.size() > 1;
    if (is_shared) {
        for (std::size_t i = 0; i < parts_.separator.size(); ++i) is_done_[i] = 0;
        workers_->run([&](int k) {
            factorise_separator(k);
        });
    } else if (!factorise_separator(0)) {
        return false;
    }
    return is_good_;
}

bool SparseLdlt::factorise_separator(int k) {
    Scratch& scratch = scratch_[k];
    const auto count = static_cast<int>(parts_.separator.size());
    const bool is_shared = scratch_.size() > 1;
    for (int i; (i = next_in_separator_++) < count;) {
        const int s = parts_.separator[i];
        if (!factorise_supernode(s, scratch, is_shared)) {
            is_good_ = false;
            if (!is_shared) return false;
        }
        if (!is_shared) continue;
        // Also after a failure: others may wait for it.
        is_done_[i].store(1, std::memory_order_release);
        is_done_[i].notify_all();
    }
    return true;
}

bool SparseLdlt::factorise_supernode(int s, Scratch& scratch, bool waits) {
    const long begin = supernodes_.panel(s);
    const long size = supernodes_.panel(s + 1) - begin;
    double* const panel = in_single_ ? scratch.panel.data() : values_.data() + begin;
    // The columns of s in A; fill entries begin with zero.
    std::fill_n(panel, size, 0.0);
    const auto index = static_cast<std::size_t>(s);
    for (long k = first_entry_[index]; k < first_entry_[index + 1]; ++k) {
        const Entry& entry = entries_[k];
        panel[entry.place] = upper_[entry.from];
    }
    update(s, panel, scratch, waits);
    if (!factorise_panel(s, panel, scratch)) return false;
    if (in_single_)
        std::transform(panel, panel + size, single_.data() + begin, [](double value) {
            return static_cast<float>(value);
        });
    return true;
}

/// Subtracts from a panel the updates by the supernodes before it that reach it.
void SparseLdlt::update(int target, double* panel, Scratch& scratch, bool waits) {
    const long begin = first_update_[target];
    const long end = first_update_[static_cast<std::size_t>(target) + 1];
    if (begin == end) return;
    const std::span<const int> rows = supernodes_.rows(target);
    // A source's rows from `begin` on are rows of the target: local[i] is the place of row i there.
    for (std::size_t i = 0; i < rows.size(); ++i) scratch.local[rows[i]] = static_cast<int>(i);
    for (long u = begin; u < end; ++u) {
        const Update& one = updates_[u];
        const int place = in_separator_[one.source];
        if (waits && place >= 0) is_done_[place].wait(0, std::memory_order_acquire);
        if (in_single_)
            update_from(single_.data(), target, panel, one, scratch);
        else
            update_from(values_.data(), target, panel, one, scratch);
    }
}

template <class Scalar>
void SparseLdlt::update_from(
    const Scalar* values, int target, double* panel, const Update& update, Scratch& scratch) {
    const auto [source, begin, end] = update;
    const int width = supernodes_.width(source);
    const int height = supernodes_.height(source);
    const int columns = end - begin;
    const int num_rows = height - begin;
    const Scalar* L = values + supernodes_.panel(source) + begin;
    // C -= A B^T with A = L[s](begin:, :) and B = D[s] L[s](begin:end, :)^T
    // packed, C the lower triangle
    pack_scaled(L,
                height,
                D_.data() + supernodes_.first_column(source),
                columns,
                width,
                scratch.packed.data());

    const int* row = supernodes_.rows(source).data() + begin;
    const int* local = scratch.local.data();
    const std::ptrdiff_t stride = supernodes_.height(target);
    const int first = local[row[0]];
    // Rows that follow each other in the target without a gap are updated in place;
    // others by way of a buffer, whose entries are then added to the rows that they belong to.
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

bool SparseLdlt::factorise_panel(int s, double* panel, Scratch& scratch) {
    const int width = supernodes_.width(s);
    const int height = supernodes_.height(s);
    const std::ptrdiff_t stride = height;
    double* D = D_.data() + supernodes_.first_column(s);
    double* inverse_D = inverse_D_.data() + supernodes_.first_column(s);
    // Right-looking within the panel: a block of columns is eliminated, and what is right of it
    // is updated by one product, C -= L_b D_b L_b^T, which reuses what is in the caches.
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
    // Of both arrays one is empty: an entry takes 8 bytes or 4, not 12.
    in_single_ = in_single;
    // Solves read whole lanes, also behind the last value.
    const auto count = static_cast<std::size_t>(supernodes_.num_values() + kLanes);
    values_ = std::vector<double>(in_single ? 0 : count);
    single_ = std::vector<float>(in_single ? count : 0);
    make_scratch();
}

}  // namespace ancora
