// SPDX-License-Identifier: BSD-3-Clause
// The predictor: extrapolation of equal steps.
#include "prediction.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ancora {
namespace {

constexpr std::size_t kBlock = 64;  // entries that stay in the fastest memory
constexpr std::size_t kSums = 4;    // side by side
constexpr int kMostSums =
    std::ranges::max(Predictor::kExtrapolations, {}, &Predictor::Formula::sums).sums;
static_assert(std::ranges::max(Predictor::kExtrapolations, {}, &Predictor::Formula::order)
                  .order() == Predictor::kMostOrder);
// errors() goes through those of equal sums by rising differences.
static_assert(std::ranges::is_sorted(Predictor::kExtrapolations, {}, &Predictor::Formula::order));

/// Of x_k, x_(k-1), ... in x_(k+1).
using Weights = std::array<double, Predictor::kMostOrder>;

constexpr Weights weights_of(Predictor::Formula formula) {
    // (1 + E)^m (1 - E)^p = sum_j c_j E^j by repeated multiplication, c_0 = 1. By (1)
    //   x_(k+1) = -sum_j c_(j+1) E^j x_k,
    // so that the weights are -c_(j+1), integers and hence exact.
    std::array<double, Predictor::kMostOrder + 1> product{1.0};
    for (int factor = 0; factor < formula.order(); ++factor) {
        const double of_E = factor < formula.sums ? 1.0 : -1.0;
        for (std::size_t j = static_cast<std::size_t>(factor) + 1; j > 0; --j)
            product[j] += of_E * product[j - 1];
    }
    Weights out{};
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = -product[j + 1];
    return out;
}

constexpr auto kWeights = [] {
    std::array<Weights, Predictor::kExtrapolations.size()> out{};
    for (std::size_t f = 0; f < out.size(); ++f) out[f] = weights_of(Predictor::kExtrapolations[f]);
    return out;
}();

double sum_of_squares(const double* x, std::size_t n) {
    // Four partial sums: independent additions, and a rounding-error bound of some n / 4 units.
    double sums[kSums] = {};
    for (std::size_t i = 0; i + kSums <= n; i += kSums)
        for (std::size_t j = 0; j < kSums; ++j) sums[j] += x[i + j] * x[i + j];
    for (std::size_t i = n - n % kSums; i < n; ++i) sums[0] += x[i] * x[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

Predictor::Predictor(std::span<double> table, int newest)
    : n_(table.size() / kKept), table_(table.data()), newest_(newest) {}

/// One pass over memory, whatever the order.
template <int kOrder>
void Predictor::extrapolate_by(const double* weights,
                               std::span<const double> last,
                               std::span<double> next,
                               std::size_t begin,
                               std::size_t end) const {
    const double* x[kOrder];
    x[0] = last.data();
    for (int j = 1; j < kOrder; ++j) x[j] = column(j - 1);
    for (std::size_t i = begin; i < end; ++i) {
        double sum = weights[0] * x[0][i];
        for (int j = 1; j < kOrder; ++j) sum += weights[j] * x[j][i];
        next[i] = sum;
    }
}

void Predictor::extrapolate(int formula,
                            std::span<const double> last,
                            std::span<double> next,
                            std::size_t begin,
                            std::size_t end) const {
    if (formula == kConstant) {
        std::copy(last.data() + begin, last.data() + end, next.data() + begin);
        return;
    }
    const auto f = static_cast<std::size_t>(formula);
    const auto by = [&]<int... kLess>(int order, std::integer_sequence<int, kLess...>) {
        ((order == kLess + 1 &&
          (extrapolate_by<kLess + 1>(kWeights[f].data(), last, next, begin, end), true)) ||
         ...);
    };
    by(kExtrapolations[f].order(), std::make_integer_sequence<int, kMostOrder>());
}

Predictor::Errors Predictor::errors(std::span<const double> last,
                                    std::span<const double> next) const {
    Errors out{};
    double sums[kMostOrder + 1][kBlock];  // of x_(k+1) and those before
    double differences[kMostOrder + 1][kBlock];
    // The residual of (1) at the true x_(k+1) is the prediction error of a formula: (1 + E)^m (1 -
    // E)^p x_(k+1). The sums (1 + E)^m x of each m come from those of m - 1, the differences of
    // each p from those of p - 1.
    for (std::size_t first = 0; first < n_; first += kBlock) {
        const std::size_t count = std::min(kBlock, n_ - first);
        std::copy_n(next.data() + first, count, sums[0]);
        std::copy_n(last.data() + first, count, sums[1]);
        for (int j = 0; j < kKept; ++j) std::copy_n(column(j) + first, count, sums[j + 2]);
        for (int m = 0; m <= kMostSums; ++m) {
            const int values = kMostOrder + 1 - m;
            // sums <- (1 + E) sums, one value less
            for (int j = 0; m > 0 && j < values; ++j)
                for (std::size_t i = 0; i < count; ++i) sums[j][i] += sums[j + 1][i];
            for (int j = 0; j < values; ++j) std::copy_n(sums[j], count, differences[j]);
            int p = 0;
            for (std::size_t f = 0; f < kExtrapolations.size(); ++f) {
                if (kExtrapolations[f].sums != m) continue;
                // differences <- (1 - E) differences
                for (; p < kExtrapolations[f].differences; ++p)
                    for (int j = 0; j + 1 < values - p; ++j)
                        for (std::size_t i = 0; i < count; ++i)
                            differences[j][i] -= differences[j + 1][i];
                out[f] += sum_of_squares(differences[0], count);
            }
        }
    }
    return out;
}

void Predictor::keep(std::span<const double> last, std::size_t begin, std::size_t end) const {
    std::copy(last.data() + begin, last.data() + end, column(kKept - 1) + begin);
}

}  // namespace ancora
