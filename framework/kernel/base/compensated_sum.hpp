// SPDX-License-Identifier: BSD-3-Clause
// Sums that keep their rounding errors: a running sum of two words, two-sum, and a pairwise dot
// product.
#pragma once

#include <cstddef>

namespace ancora {

/// Running sum with a second word for what rounding would lose, as Neumaier's (1974); the error of
/// each addition by Knuth's two-sum, which is as exact and needs no branch.
class CompensatedSum {
public:
    CompensatedSum() = default;
    explicit CompensatedSum(double value) : sum_(value) {}

    CompensatedSum& operator+=(double x) {
        const double next = sum_ + x;
        const double back = next - sum_;
        low_ += (sum_ - (next - back)) + (x - back);
        sum_ = next;
        return *this;
    }
    double value() const { return sum_ + low_; }

private:
    double sum_ = 0.0;
    double low_ = 0.0;
};

/// (high, low) += x, exactly but for the last bit of low; high stays the rounded sum.
inline void add_compensated(double& high, double& low, double x) {
    const double y = x + low;
    const double sum = high + y;
    const double back = sum - high;
    low = (high - (sum - back)) + (y - back);
    high = sum;
}

/// x . y with pairwise summation: an error of order log n instead of n, and always the same order.
inline double pairwise_dot(const double* x, const double* y, std::size_t n) {
    if (n <= 64) {
        double even = 0.0;
        double odd = 0.0;
        std::size_t i = 0;
        for (; i + 1 < n; i += 2) {
            even += x[i] * y[i];
            odd += x[i + 1] * y[i + 1];
        }
        if (i < n) even += x[i] * y[i];
        return even + odd;
    }
    const std::size_t half = (n / 2) & ~std::size_t{1};
    return pairwise_dot(x, y, half) + pairwise_dot(x + half, y + half, n - half);
}

}  // namespace ancora
