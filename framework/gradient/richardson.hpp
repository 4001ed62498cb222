// SPDX-License-Identifier: BSD-3-Clause
// Differences at shrinking distances, extrapolated to none.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ancora {

/// Differences at distances h, h/4, h/16, ..., whose errors are a series in h^p, h^2p, ...:
///
///   T_k0 = difference k,   T_kj = T_k,j-1 + (T_k,j-1 - T_k-1,j-1) / (4^pj - 1)           (1)
///
/// The value is the T_kj that differs least from its neighbours in the table (C. J. F. Ridders,
/// Adv. Eng. Softw. 4 (1982) 75).
class Richardson {
public:
    /// @param power  p: 2 of central differences, 1 of those to one side
    explicit Richardson(int power) : ratio_(std::pow(4.0, power)) {}

    /// @param noise  of the difference, by rounding
    void add(double difference, double noise) {
        std::vector<double> row{difference};
        double factor = 1.0;
        double least = kInfinite;
        for (std::size_t j = 1; j <= row_.size(); ++j) {
            factor *= ratio_;
            row.push_back(row[j - 1] + (row[j - 1] - row_[j - 1]) / (factor - 1.0));
            const double error =
                std::max({std::abs(row[j] - row[j - 1]), std::abs(row[j] - row_[j - 1]), noise});
            least = std::min(least, error);
            if (error <= error_) {
                error_ = error;
                value_ = row[j];
                noise_ = noise;
            }
        }
        if (row_.empty()) {
            value_ = difference;
            noise_ = noise;
        }
        // Rounding has the upper hand.
        grows_ = row_.size() >= 2 && least > error_;
        row_ = std::move(row);
        differences_.push_back(difference);
        last_noise_ = noise;
    }
    /// A distance without a difference: those before are not used any more.
    void restart() {
        row_.clear();
        differences_.clear();
        error_ = kInfinite;
        grows_ = false;
    }

    std::size_t count() const { return differences_.size(); }
    double value() const { return value_; }
    double error() const { return error_; }
    double noise() const { return noise_; }
    /// Of the last difference.
    double last_noise() const { return last_noise_; }
    bool has_begun_to_grow() const { return grows_; }
    const std::vector<double>& differences() const { return differences_; }

private:
    static constexpr double kInfinite = std::numeric_limits<double>::infinity();
    double ratio_;
    double value_ = 0.0, error_ = kInfinite, noise_ = 0.0, last_noise_ = 0.0;
    bool grows_ = false;
    std::vector<double> row_, differences_;
};

}  // namespace ancora
