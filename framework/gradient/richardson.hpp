// SPDX-License-Identifier: BSD-3-Clause
// Differences at shrinking distances, extrapolated to none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace ancora {

/// Differences at distances h, h/4, h/16, ..., whose errors are a series in h^p, h^2p, ...:
///
///   T_k0 = difference k,   T_kj = T_k,j-1 + (T_k,j-1 - T_k-1,j-1) / (4^pj - 1)           (1)
///
/// The value is the T_kj that differs least from its neighbours in the table (C. J. F. Ridders,
/// Adv. Eng. Softw. 4 (1982) 75), unless nearer ones agree on another: over distances at which a
/// function has corners its differences agree by chance.
class Richardson {
public:
    /// @param power  p: 2 of central differences, 1 of those to one side
    /// @param most_growth  levels with growing errors, one after the other, that count as noise
    explicit Richardson(int power, int most_growth = 1)
        : ratio_(std::pow(4.0, power)), most_growth_(most_growth) {}

    /// @param noise  of the difference, by rounding
    void add(double difference, double noise) {
        std::vector<double> row{difference};
        double factor = 1.0;
        Estimate best{difference, kInfinite, noise};
        for (std::size_t j = 1; j <= row_.size(); ++j) {
            factor *= ratio_;
            row.push_back(row[j - 1] + (row[j - 1] - row_[j - 1]) / (factor - 1.0));
            const double error =
                std::max({std::abs(row[j] - row[j - 1]), std::abs(row[j] - row_[j - 1]), noise});
            if (error <= best.error) best = {row[j], error, noise};
        }
        estimates_.push_back(best);
        chosen_ = chosen();
        const bool is_worse = row_.size() >= 2 && best.error > error();
        growth_ = is_worse ? growth_ + 1 : 0;
        // Rounding has the upper hand, or noise has.
        grows_ = is_worse && (best.error <= kOverRounding * noise || growth_ >= most_growth_);
        row_ = std::move(row);
        differences_.push_back(difference);
        last_noise_ = noise;
    }
    /// A distance without a difference: those before are not used any more.
    void restart() {
        row_.clear();
        differences_.clear();
        estimates_.clear();
        grows_ = false;
        growth_ = 0;
    }

    std::size_t count() const { return differences_.size(); }
    double value() const { return estimates_.empty() ? 0.0 : estimates_[chosen_].value; }
    double error() const { return estimates_.empty() ? kInfinite : estimates_[chosen_].error; }
    double noise() const { return estimates_.empty() ? 0.0 : estimates_[chosen_].noise; }
    /// Of the last difference.
    double last_noise() const { return last_noise_; }
    bool has_begun_to_grow() const { return grows_; }
    const std::vector<double>& differences() const { return differences_; }

private:
    static constexpr double kInfinite = std::numeric_limits<double>::infinity();
    // Errors up to this times the rounding of the results are rounding.
    static constexpr double kOverRounding = 8.0;
    // Estimates differ by more than this times their errors: one of them agrees by chance.
    static constexpr double kApart = 3.0;

    /// What one level has best.
    struct Estimate {
        double value, error, noise;
    };

    std::size_t least_from(std::size_t first) const {
        std::size_t out = first;
        for (std::size_t k = first; k < estimates_.size(); ++k)
            if (estimates_[k].error <= estimates_[out].error) out = k;
        return out;
    }
    std::size_t chosen() const {
        std::size_t out = least_from(0);
        for (std::size_t k = out + 1; k < estimates_.size(); ++k) {
            const Estimate &a = estimates_[out], &b = estimates_[k];
            if (!(std::abs(a.value - b.value) > kApart * (a.error + b.error))) continue;
            out = least_from(out + 1);
            k = out;
        }
        return out;
    }

    double ratio_;
    int most_growth_;
    double last_noise_ = 0.0;
    bool grows_ = false;
    int growth_ = 0;
    std::size_t chosen_ = 0;
    std::vector<double> row_, differences_;
    std::vector<Estimate> estimates_;
};

}  // namespace ancora
