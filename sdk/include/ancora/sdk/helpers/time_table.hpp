// SPDX-License-Identifier: BSD-3-Clause
// Numbers that a table gives over time: interpolated, differentiated, averaged.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "ancora/sdk/break_points.hpp"

namespace ancora {

/// What stands between the rows of a table.
enum class Interpolation {
    linear,    ///< straight lines
    spline,    ///< the natural cubic spline, with no curvature at both ends
    rest,      ///< the cubic spline that begins and ends with rate zero
    monotone,  ///< cubic pieces that never leave the range of their two rows, and begin and end
               ///< with rate zero; y'' jumps at the rows
};

/// What a table says where it has no rows.
enum class Outside {
    refuse,  ///< nothing: an error
    hold,    ///< the value of the first or last row
    zero,    ///< zero
};

/// Components y over time, from rows at increasing times t_k. On the piece of length L from row k
/// to row k + 1, with B = (t - t_k) / L and A = 1 - B:
///
///   linear         y = A y_k + B y_k+1                                                   (1)
///   spline, rest   y = (1) + ((A^3 - A) m_k + (B^3 - B) m_k+1) L^2 / 6                   (2)
///   monotone       y = (1) + L A B ((d_k - s) A - (d_k+1 - s) B),  s = (y_k+1 - y_k) / L (3)
///
/// m are the second derivatives, which make y' continuous, with m = 0 ("spline") or y' = 0
/// ("rest") in the first and the last row. d are the rates at the rows: zero in the first, the last
/// and wherever the slope s changes its sign, else the harmonic mean of the two slopes, weighted
/// with the lengths [F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300]. Outside
/// of the rows y goes on with the first or last value, or is zero; whoever refuses that asks
/// begin() and end() first, and what rounding puts outside counts as the end itself.
///
/// Configuration, const after construction; allocates nothing then.
class TimeTable {
public:
    TimeTable() = default;
    /// [assembly]
    /// @param times   two or more, increasing
    /// @param values  num_components for each of them, row by row
    TimeTable(std::vector<double> times, std::vector<double> values, Interpolation interpolation)
        : times_(std::move(times)),
          values_(std::move(values)),
          size_(times_.empty() ? 0 : values_.size() / times_.size()),
          rests_(interpolation == Interpolation::rest || interpolation == Interpolation::monotone) {
        assert(times_.size() >= 2 && values_.size() == size_ * times_.size());
        if (interpolation == Interpolation::linear) return;
        if (interpolation == Interpolation::monotone) {
            rates_.assign(values_.size(), 0.0);
            for (std::size_t i = 0; i < size_; ++i) choose_rates(i);
            return;
        }
        curvatures_.assign(values_.size(), 0.0);
        for (std::size_t i = 0; i < size_; ++i) bend(i);
    }

    bool empty() const { return times_.empty(); }
    int num_components() const { return static_cast<int>(size_); }
    std::span<const double> times() const { return times_; }
    double begin() const { return times_.front(); }
    double end() const { return times_.back(); }

    /// [step] y, y' and y'' at an instant; a span that is empty is not wanted. At a corner of
    /// straight lines y' is that of the piece that begins there.
    void evaluate(double t,
                  Outside outside,
                  std::span<double> y,
                  std::span<double> rate = {},
                  std::span<double> second = {}) const {
        const bool is_outside = outside != Outside::refuse && (t < begin() || t > end());
        const double inside = std::clamp(t, begin(), end());
        const std::size_t k = piece(inside);
        for (std::size_t i = 0; i < size_; ++i) {
            const Cubic at = cubic(k, inside, i);
            if (!y.empty()) y[i] = is_outside && outside == Outside::zero ? 0.0 : at.value;
            if (!rate.empty()) rate[i] = is_outside ? 0.0 : at.rate;
            if (!second.empty()) second[i] = is_outside ? 0.0 : at.second;
        }
    }

    /// [step] Mean over the time from t0 to t0 + h, exactly, whatever rows lie between; h > 0.
    void mean(double t0, double h, Outside outside, std::span<double> y) const {
        const double t1 = t0 + h;
        const double before =
            outside == Outside::zero ? 0.0 : std::max(0.0, std::min(t1, begin()) - t0);
        const double after =
            outside == Outside::zero ? 0.0 : std::max(0.0, t1 - std::max(t0, end()));
        const std::size_t last = values_.size() - size_;
        for (std::size_t i = 0; i < size_; ++i)
            y[i] = before * values_[i] + after * values_[last + i];
        // Simpson's rule is exact for cubics, so piece by piece.
        double a = std::max(t0, begin());
        const double b_last = std::min(t1, end());
        for (std::size_t k = piece(a); a < b_last; ++k) {
            const double b = k + 2 < times_.size() ? std::min(b_last, times_[k + 1]) : b_last;
            for (std::size_t i = 0; i < size_; ++i)
                y[i] += ((b - a) / 6.0) *
                        (cubic(k, a, i).value + 4.0 * cubic(k, 0.5 * (a + b), i).value +
                         cubic(k, b, i).value);
            a = b;
        }
        for (std::size_t i = 0; i < size_; ++i) y[i] /= h;
    }

    /// The first row behind `after` at which y is not smooth enough for such steps, or infinity.
    /// @param is_averaged  steps take the mean of straight lines, exactly
    double next_break(double after, StepKind steps, Outside outside, bool is_averaged) const {
        const bool is_straight = rates_.empty() && curvatures_.empty();
        // Of splines y''' jumps, of monotone pieces y'', of straight lines y'.
        const StepKind inner = is_straight && !is_averaged ? StepKind::mean
                               : curvatures_.empty()       ? StepKind::stages
                                                           : StepKind::controlled;
        for (std::size_t k = row_behind(after); k < times_.size(); ++k) {
            const bool is_end = k == 0 || k + 1 == times_.size();
            if (is_end && outside == Outside::refuse) continue;
            const StepKind from = is_end && is_averaged ? StepKind::stages
                                  : is_end              ? StepKind::mean
                                                        : inner;
            if (steps < from || (is_straight && !is_end && is_straight_at(k))) continue;
            return times_[k];
        }
        return std::numeric_limits<double>::infinity();
    }

    /// How far a spline leaves its rows where these go one way, or nowhere: between the rows k and
    /// k + 1 beyond both, although the rows before and behind continue no turn.
    struct Overshoot {
        double by = 0.0;  ///< zero: nowhere by more than rounding
        double t = 0.0;   ///< of the farthest place, of whatever component
        int component = 0;
        std::size_t row = 0;  ///< k
    };
    /// [assembly]
    Overshoot overshoot() const {
        Overshoot out;
        if (curvatures_.empty()) return out;
        for (std::size_t i = 0; i < size_; ++i) {
            double low = values_[i], high = low;
            for (std::size_t k = 1; k < times_.size(); ++k) {
                low = std::min(low, values_[k * size_ + i]);
                high = std::max(high, values_[k * size_ + i]);
            }
            const double rounding = kRoundingOfSpline * std::max({high - low, high, -low});
            for (std::size_t k = 0; k + 1 < times_.size(); ++k) {
                if (!goes_one_way(k, i)) continue;
                const auto [t, by] = farthest(k, i);
                if (by > rounding && by > out.by) out = {by, t, static_cast<int>(i), k};
            }
        }
        return out;
    }

private:
    /// Of the largest value, what elimination leaves of a straight line.
    static constexpr double kRoundingOfSpline = 1e-12;

    /// Whether the rows about the piece k rise alone or fall alone. Before the first and behind the
    /// last row slopes go on as they change: samples of a smooth motion may turn in an end piece.
    bool goes_one_way(std::size_t k, std::size_t i) const {
        bool rises = false, falls = false;
        const std::size_t last = std::min(k + 3, times_.size());
        for (std::size_t j = k > 0 ? k : 1; j < last; ++j) {
            const double change = values_[j * size_ + i] - values_[(j - 1) * size_ + i];
            rises |= change > 0.0;
            falls |= change < 0.0;
        }
        const auto slope = [&](std::size_t j) {
            return (values_[(j + 1) * size_ + i] - values_[j * size_ + i]) /
                   (times_[j + 1] - times_[j]);
        };
        const auto turns = [&](std::size_t end, std::size_t inner) {
            const double here = slope(end);
            return here * (2.0 * here - slope(inner)) < 0.0;
        };
        if (times_.size() > 2 && k == 0 && turns(0, 1)) return false;
        if (times_.size() > 2 && k + 2 == times_.size() && turns(k, k - 1)) return false;
        return !(rises && falls);
    }
    /// Where the piece k goes farthest beyond both its rows, and by how much: y' is quadratic.
    std::pair<double, double> farthest(std::size_t k, std::size_t i) const {
        const double L = times_[k + 1] - times_[k];
        const double low = std::min(values_[k * size_ + i], values_[(k + 1) * size_ + i]);
        const double high = std::max(values_[k * size_ + i], values_[(k + 1) * size_ + i]);
        const double m0 = curvatures_[k * size_ + i];
        const double m1 = curvatures_[(k + 1) * size_ + i];
        // y' L = c + b B + a B^2
        const double a = 0.5 * L * L * (m1 - m0);
        const double b = L * L * m0;
        const double c =
            (values_[(k + 1) * size_ + i] - values_[k * size_ + i]) - L * L / 6.0 * (2.0 * m0 + m1);
        std::pair<double, double> out{times_[k], 0.0};
        const double root = b * b - 4.0 * a * c;
        if (!(root >= 0.0)) return out;
        const double q = -0.5 * (b + std::copysign(std::sqrt(root), b));
        for (const double B : {a != 0.0 ? q / a : 2.0, q != 0.0 ? c / q : 2.0}) {
            if (!(B > 0.0 && B < 1.0)) continue;
            const double t = times_[k] + B * L;
            const double y = cubic(k, t, i).value;
            const double by = std::max(y - high, low - y);
            if (by > out.second) out = {t, by};
        }
        return out;
    }

    /// The first row behind a time, that of which it is but for rounding not among them.
    std::size_t row_behind(double t) const {
        constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
        const auto at = std::upper_bound(times_.begin(), times_.end(), t + kRounding * std::abs(t));
        return static_cast<std::size_t>(at - times_.begin());
    }
    /// Whether the lines before and behind an inner row are one but for rounding.
    bool is_straight_at(std::size_t k) const {
        constexpr double kRounding = 1e-12;
        for (std::size_t i = 0; i < size_; ++i) {
            const double before = (values_[k * size_ + i] - values_[(k - 1) * size_ + i]) /
                                  (times_[k] - times_[k - 1]);
            const double behind = (values_[(k + 1) * size_ + i] - values_[k * size_ + i]) /
                                  (times_[k + 1] - times_[k]);
            if (std::abs(behind - before) >
                kRounding * std::max(std::abs(before), std::abs(behind)))
                return false;
        }
        return true;
    }

    struct Cubic {
        double value, rate, second;
    };

    /// The piece that t is in, the first or the last one outside of all.
    std::size_t piece(double t) const {
        const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
        return static_cast<std::size_t>(after - times_.begin()) - 1;
    }

    /// (1), (2) or (3) with derivatives, component i.
    Cubic cubic(std::size_t k, double t, std::size_t i) const {
        const double L = times_[k + 1] - times_[k];
        const double B = (t - times_[k]) / L;
        const double A = (times_[k + 1] - t) / L;
        const double y0 = values_[k * size_ + i];
        const double y1 = values_[(k + 1) * size_ + i];
        Cubic at{A * y0 + B * y1, (y1 - y0) / L, 0.0};
        if (!rates_.empty()) {
            const double p = rates_[k * size_ + i] - at.rate;
            const double r = rates_[(k + 1) * size_ + i] - at.rate;
            const double bow = p * A - r * B;
            at.value += L * A * B * bow;
            at.rate += (A - B) * bow - A * B * (p + r);
            at.second = -2.0 / L * (bow + (A - B) * (p + r));
            if (t == begin() || t == end()) at.rate = 0.0;  // without rounding
            return at;
        }
        if (curvatures_.empty()) return at;
        const double m0 = curvatures_[k * size_ + i];
        const double m1 = curvatures_[(k + 1) * size_ + i];
        at.value += (L * L / 6.0) * ((A * A * A - A) * m0 + (B * B * B - B) * m1);
        at.rate += (L / 6.0) * ((1.0 - 3.0 * A * A) * m0 + (3.0 * B * B - 1.0) * m1);
        at.second = A * m0 + B * m1;
        if (rests_ && (t == begin() || t == end())) at.rate = 0.0;  // without rounding
        return at;
    }

    /// d of (3) at the inner rows.
    void choose_rates(std::size_t i) {
        const auto slope = [&](std::size_t k) {
            return (values_[(k + 1) * size_ + i] - values_[k * size_ + i]) /
                   (times_[k + 1] - times_[k]);
        };
        for (std::size_t k = 1; k + 1 < times_.size(); ++k) {
            const double before = slope(k - 1);
            const double after = slope(k);
            if (!(before * after > 0.0)) continue;
            const double L_before = times_[k] - times_[k - 1];
            const double L_after = times_[k + 1] - times_[k];
            const double w_before = L_before + 2.0 * L_after;
            const double w_after = 2.0 * L_before + L_after;
            rates_[k * size_ + i] = (w_before + w_after) / (w_before / before + w_after / after);
        }
    }

    /// Continuous slopes at the inner rows, with L_k and slope_k those of the piece k:
    ///   L_k-1 m_k-1 + 2 (L_k-1 + L_k) m_k + L_k m_k+1 = 6 (slope_k - slope_k-1),
    /// and at an end either m = 0 or slope 0 beyond it: 2 L_0 m_0 + L_0 m_1 = 6 slope_0.
    /// Diagonally dominant, by elimination down and up.
    void bend(std::size_t i) {
        const std::size_t n = times_.size();
        std::vector<double> upper(n, 0.0);
        const auto length = [&](std::size_t k) {
            return times_[k + 1] - times_[k];
        };
        const auto slope = [&](std::size_t k) {
            return (values_[(k + 1) * size_ + i] - values_[k * size_ + i]) / length(k);
        };
        const auto m = [&](std::size_t k) -> double& {
            return curvatures_[k * size_ + i];
        };
        for (std::size_t k = rests_ ? 0 : 1; k < (rests_ ? n : n - 1); ++k) {
            const double L_before = k > 0 ? length(k - 1) : 0.0;
            const double L_after = k + 1 < n ? length(k) : 0.0;
            const double turn = (k + 1 < n ? slope(k) : 0.0) - (k > 0 ? slope(k - 1) : 0.0);
            double pivot = 2.0 * (L_before + L_after);
            double right = 6.0 * turn;
            if (k > 0) {
                pivot -= L_before * upper[k - 1];
                right -= L_before * m(k - 1);
            }
            upper[k] = L_after / pivot;
            m(k) = right / pivot;
        }
        for (std::size_t k = n - 1; k-- > 0;) m(k) -= upper[k] * m(k + 1);
    }

    std::vector<double> times_;
    std::vector<double> values_;
    std::vector<double> curvatures_;  ///< m of (2)
    std::vector<double> rates_;       ///< d of (3); both empty: linear
    std::size_t size_ = 0;
    bool rests_ = false;
};

}  // namespace ancora
