// SPDX-License-Identifier: BSD-3-Clause
// Calls of laws that several rows have together.
#include "item_laws.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ancora/sdk/helpers/stress_laws.hpp"
#include "guard.hpp"

namespace ancora {
namespace {

constexpr const char* kCall = "ItemLaw::potential";
constexpr const char* kMeanCalls = "ItemLaw::potential or discontinuities";

std::span<const double> rows_of(const ItemLaws::Item& item, const double* x) {
    // The numbers of the item's rows in an array of all rows.
    return {x + item.first_row, static_cast<std::size_t>(item.num_rows)};
}

}  // namespace

ItemLaws::ItemLaws(const RowLayout& rows) : rows_(rows) {
    for (const BlockPart& part : rows.blocks) {
        const RowBlock& block = *part.block;
        if (block.item_laws.empty()) continue;
        const ObjectRef* const object = rows.owners[part.owner].object;
        for (int i = 0; i < block.num_items; ++i) {
            // D of an item is num_rows x num_rows, symmetric, at first_slope
            // in a buffer of all items.
            const int n = block.rows_per_item;
            items_.push_back(
                {part.first_row + i * n, n, num_slopes_, i, &block.law_of_item(i), object});
            num_slopes_ += static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        }
    }
}

const ItemLaws::Item& ItemLaws::item_of(int k) const {
    // Items rise by their first rows: the last that begins at k or before.
    return *std::prev(std::ranges::upper_bound(items_, k, {}, &Item::first_row));
}

template <class Function>
void ItemLaws::guarded(const Item& item, const char* call, Function&& function) const {
    // An exception of the plugin gets the names of object and call, and the time.
    try {
        const CallScope scope(*item.object, call, t_);
        function();
    } catch (...) {
        rethrow_from_plugin(*item.object, call, t_);
    }
}

double ItemLaws::energy(const Item& item, const double* pi) const {
    double out = 0.0;
    guarded(item, kCall, [&] {
        // W(pi); neither W' nor W'' is asked for.
        out = item.law->potential(item.index, rows_of(item, pi), {}, {});
    });
    if (!std::isfinite(out)) refuse_nonfinite(*item.object, kCall, "the energy", t_);
    return out;
}

void ItemLaws::stress(const Item& item, const double* pi, double* s) const {
    const std::span<double> out(s + item.first_row, static_cast<std::size_t>(item.num_rows));
    guarded(item, kCall, [&] {
        // W'(pi), one stress per row
        item.law->potential(item.index, rows_of(item, pi), out, {});
    });
    for (const double x : out)
        if (!std::isfinite(x)) refuse_nonfinite(*item.object, kCall, "a stress", t_);
}

void ItemLaws::stiffness(const Item& item, const double* pi, std::span<double> D) const {
    guarded(item, kCall, [&] {
        // W''(pi), n x n
        item.law->potential(item.index, rows_of(item, pi), {}, D);
    });
    for (const double x : D)
        if (!std::isfinite(x)) refuse_nonfinite(*item.object, kCall, "a stiffness", t_);
}

void ItemLaws::mean(const Item& item,
                    const double* pi0,
                    const double* dpi,
                    double h,
                    StressMean* out,
                    std::span<double> D) const {
    const std::span<StressMean> mean(out + item.first_row, static_cast<std::size_t>(item.num_rows));
    // pi, dpi and laws of the item's rows are contiguous in the arrays of all rows.
    const std::span<const RowLaw> laws =
        std::span(rows_.laws).subspan(item.first_row, item.num_rows);
    const std::span<const double> increment = rows_of(item, dpi);
    guarded(item, kMeanCalls, [&] {
        mean_over_step(*item.law, item.index, laws, rows_of(item, pi0), increment, mean, D);
    });
    // s* = mean of W' + eta dpi / h, D = d s* / d pi_1 with eta / h on its diagonal (theory, 3.4)
    for (std::size_t k = 0; k < mean.size(); ++k) {
        const double damping = laws[k].viscosity / h;
        mean[k].stress = mean[k].elastic + damping * increment[k];
        D[k * mean.size() + k] += damping;
        mean[k].slope = D[k * mean.size() + k];
    }
}

}  // namespace ancora
