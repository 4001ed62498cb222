// SPDX-License-Identifier: BSD-3-Clause
// Where an iteration starts: values of the steps before, extrapolated.
#pragma once

#include <array>
#include <span>

namespace ancora {

/// Extrapolates vectors from equal steps. Mean accelerations and stresses of constrained motion
/// alternate a little from step to step, since only the mean velocity obeys the constraints; sums
/// of two successive ones do not. The formula of degree p therefore extrapolates those sums, u_k =
/// x_k + x_(k-1), by a polynomial,
///
///   x_(k+1) = u_k + D u_k + ... + D^p u_k - x_k,    D u_k = u_k - u_(k-1)                (1)
///
/// and is exact for an alternation plus a polynomial of degree p.
class Differences {
public:
    static constexpr int kMostDegree = 5;
    static constexpr int kColumns = kMostDegree + 1;
    /// The formula x_(k+1) = x_k, which needs no differences.
    static constexpr int kConstant = 0;

    /// @param table kColumns vectors one after the other: u and its differences, kept by the caller
    explicit Differences(std::span<double> table);

    /// (1), or the constant formula.
    /// @param last x_k
    void extrapolate(int degree, std::span<const double> last, std::span<double> next) const;

    /// Sums of squares of what formulas have missed, from kConstant to kMostDegree.
    using Misses = std::array<double, kMostDegree + 1>;

    /// Moves on by one step.
    /// @param misses what each formula would have missed of it is added; null: nobody asks
    void add(std::span<const double> last, std::span<const double> next, Misses* misses);

private:
    std::size_t n_;
    double* column_[kColumns];
};

}  // namespace ancora
