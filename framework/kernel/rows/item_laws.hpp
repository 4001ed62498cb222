// SPDX-License-Identifier: BSD-3-Clause
// Elastic rows with one law for all rows of an item (coupled laws).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ancora/sdk/stress_law.hpp"
#include "row_layout.hpp"

namespace ancora {

/// Calls the ItemLaws of plugins: W, W' and W'' at a state, and their means over a step
/// (theory, 3.4).
class ItemLaws {
public:
    /// An item whose rows share a coupled law.
    struct Item {
        int first_row;
        int num_rows;
        std::size_t
            first_slope;  ///< of its num_rows x num_rows entries in a buffer of num_slopes()
        int index;        ///< within its block
        const ItemLaw* law;
        const ObjectRef* object;
    };

    explicit ItemLaws(const RowLayout& rows);
    /// The present time, for messages.
    void read_time_from(const double& t) { t_ = &t; }

    bool empty() const { return items_.empty(); }
    std::span<const Item> items() const { return items_; }
    std::size_t num_slopes() const { return num_slopes_; }
    /// Of row k, which has such a law.
    const Item& item_of(int k) const;
    bool holds(int k) const { return rows_.has_law_together(k); }

    /// W. The arrays are of all rows of the model, here and below.
    double energy(const Item& item, const double* pi) const;
    /// W', without the viscous part.
    void stress(const Item& item, const double* pi, double* s) const;
    /// W''
    void stiffness(const Item& item, const double* pi, std::span<double> D) const;
    /// Means over a step of length h from pi0 to pi0 + dpi with the viscous part, row by row;
    /// D = d s* / d pi_1, symmetric.
    void mean(const Item& item,
              const double* pi0,
              const double* dpi,
              double h,
              StressMean* out,
              std::span<double> D) const;

private:
    template <class Function>
    void guarded(const Item& item, const char* call, Function&& function) const;

    const RowLayout& rows_;
    std::vector<Item> items_;
    std::size_t num_slopes_ = 0;
    const double* t_ = nullptr;
};

}  // namespace ancora
