// SPDX-License-Identifier: BSD-3-Clause
// The predictor of a step's iteration: extrapolation of the steps before.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace ancora {

/// Extrapolates vectors from equal steps. Mean accelerations and stresses of constrained motion
/// alternate a little from step to step, since only the mean velocity obeys the constraints, and
/// that alternation changes slowly. A formula with m sums and p differences is exact for an
/// alternation times a polynomial of degree m - 1 plus a polynomial of degree p - 1: with E x_k =
/// x_(k-1), x_(k+1) is the solution of
///
///   (1 + E)^m (1 - E)^p x_(k+1) = 0                                                      (1)
///
/// and needs m + p values.
class Predictor {
public:
    struct Formula {
        int sums, differences;
        constexpr int order() const { return sums + differences; }
    };
    static constexpr int kMostOrder = 9;
    /// Values that are kept besides the last one.
    static constexpr int kKept = kMostOrder - 1;
    /// By order; the first is x_(k+1) = x_k.
    static constexpr std::array<Formula, 16> kExtrapolations{{{0, 1},
                                                              {1, 2},
                                                              {1, 3},
                                                              {1, 4},
                                                              {2, 3},
                                                              {1, 5},
                                                              {2, 4},
                                                              {1, 6},
                                                              {2, 5},
                                                              {3, 4},
                                                              {1, 7},
                                                              {2, 6},
                                                              {3, 5},
                                                              {1, 8},
                                                              {2, 7},
                                                              {3, 6}}};
    static constexpr int kConstant = 0;

    /// @param table kKept vectors one after the other, kept by the caller
    /// @param newest which of them is x_(k-1), below kKept; those before it follow, round
    Predictor(std::span<double> table, int newest);

    /// (1), by one of kExtrapolations, of the entries from `begin` to `end`.
    /// @param last x_k
    void extrapolate(int formula,
                     std::span<const double> last,
                     std::span<double> next,
                     std::size_t begin,
                     std::size_t end) const;

    /// Sums of squares of the prediction error of each formula. Formulas that need values from
    /// before the first are not judged.
    using Errors = std::array<double, kExtrapolations.size()>;
    Errors errors(std::span<const double> last, std::span<const double> next) const;

    /// Takes entries of x_k to the values kept, in place of the oldest, as next_newest().
    void keep(std::span<const double> last, std::size_t begin, std::size_t end) const;
    int next_newest() const { return (newest_ + kKept - 1) % kKept; }

private:
    /// x_(k-1-j)
    double* column(int j) const {
        return table_ + static_cast<std::size_t>((newest_ + j) % kKept) * n_;
    }
    template <int kOrder>
    void extrapolate_by(const double* weights,
                        std::span<const double> last,
                        std::span<double> next,
                        std::size_t begin,
                        std::size_t end) const;

    std::size_t n_;
    double* table_;
    int newest_;
};

}  // namespace ancora
