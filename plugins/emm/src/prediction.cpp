// SPDX-License-Identifier: BSD-3-Clause
// Backward differences of sums of two successive values.
#include "prediction.hpp"

#include <algorithm>

namespace ancora {
namespace {

constexpr std::size_t kBlock = 256;  // entries that stay in the fastest memory
constexpr std::size_t kSums = 4;     // side by side

double sum_of_squares(const double* x, std::size_t n) {
    double sums[kSums] = {};
    for (std::size_t i = 0; i + kSums <= n; i += kSums)
        for (std::size_t j = 0; j < kSums; ++j) sums[j] += x[i + j] * x[i + j];
    for (std::size_t i = n - n % kSums; i < n; ++i) sums[0] += x[i] * x[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Differences::Differences(std::span<double> table) : n_(table.size() / kColumns) {
    for (std::size_t k = 0; k < kColumns; ++k) column_[k] = table.data() + k * n_;
}

void Differences::extrapolate(int degree,
                              std::span<const double> last,
                              std::span<double> next) const {
    if (degree == kConstant) {
        std::ranges::copy(last, next.begin());
        return;
    }
    for (std::size_t first = 0; first < n_; first += kBlock) {
        const std::size_t end = std::min(first + kBlock, n_);
        std::copy(column_[degree] + first, column_[degree] + end, next.data() + first);
        for (int k = degree - 1; k >= 0; --k)
            for (std::size_t i = first; i < end; ++i) next[i] += column_[k][i];
        for (std::size_t i = first; i < end; ++i) next[i] -= last[i];
    }
}

/// The formula of degree p has missed what is now the difference p + 1 of u.
void Differences::add(std::span<const double> last, std::span<const double> next, Misses* misses) {
    double difference[kBlock];
    for (std::size_t first = 0; first < n_; first += kBlock) {
        const std::size_t count = std::min(kBlock, n_ - first);
        const double* const x0 = last.data() + first;
        const double* const x1 = next.data() + first;
        for (std::size_t i = 0; i < count; ++i) difference[i] = x1[i] - x0[i];
        const auto note_miss = [&](std::size_t formula) {
            if (misses != nullptr) (*misses)[formula] += sum_of_squares(difference, count);
        };
        note_miss(kConstant);
        for (std::size_t i = 0; i < count; ++i) difference[i] = x1[i] + x0[i];
        for (int k = 0; k < kColumns; ++k) {
            double* const column = column_[k] + first;
            for (std::size_t i = 0; i < count; ++i) {
                const double lower = difference[i] - column[i];
                column[i] = difference[i];
                difference[i] = lower;
            }
            if (k > 0) note_miss(static_cast<std::size_t>(k));
        }
    }
}

}  // namespace ancora
