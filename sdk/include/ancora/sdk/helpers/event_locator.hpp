// SPDX-License-Identifier: BSD-3-Clause
// Finds the first event inside a step; for integrators.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace ancora {

/// Finds the length at which the first of the event functions of a trial step turns negative. Modes
/// are frozen within a step, so that every trial is smooth in its length. All functions are
/// bracketed together, between a length at which none is negative and one at which some are: of
/// several events in a step only the first is found to the last bit.
///
/// Source of the root finder: T. R. Chandrupatla, Advances in Engineering Software 28 (1997)
/// 145-149.
class EventLocator {
public:
    /// [assembly]
    void resize(int num_events) {
        g_.assign(static_cast<std::size_t>(num_events), 0.0);
        low_.g = high_.g = lower_.g = higher_.g = g_;
    }
    /// Room for the event functions.
    std::span<double> values() { return g_; }
    /// The lowest event function of the last trial if it is negative, else -1.
    int violated() const { return lowest(g_); }

    /// Shortens h to the first event, if there is one, down to zero if it is due at once. The trial
    /// of length h has been made; on return that of the new h is the last one made. [step]
    ///
    /// @param trial trial(length) makes a trial of that length and writes values()
    /// @returns the event, -1 if there is none
    template <class Trial>
    int shorten(double& h, const Trial& trial) {
        if (violated() < 0) return -1;
        const double shortest = kAtOnce * h;
        const double rounding = kRounding * h;
        take(high_, h);
        low_.length = lower_.length = higher_.length = 0.0;
        if (!find_low(trial, shortest)) {
            h = 0.0;
            return lowest(high_.g);
        }
        begin_width_ = std::numeric_limits<double>::infinity();
        stage_ = 0;
        double tried = low_.length;
        while (high_.length - low_.length > std::max(rounding, kBits * high_.length)) {
            const std::size_t event = first_event();
            if (low_.g[event] == 0.0) break;
            const double length = next(event, rounding);
            if (!(length > low_.length && length < high_.length)) break;
            trial(tried = length);
            const bool is_low = violated() < 0;
            replace(is_low, length);
        }
        const int event = static_cast<int>(first_event());
        h = low_.length;
        if (tried != h) trial(h);
        return event;
    }

private:
    // Parts of the step: an event before the first is due at once; the second is not told apart.
    static constexpr double kAtOnce = 0x1p-34;
    static constexpr double kRounding = 0x1p-52;
    static constexpr double kBits = 0x1p-50;  // of a length
    // A function whose bracket spans more begins at zero: it is its part by the length that is
    // looked at.
    static constexpr double kOrders = 4.0;
    static constexpr int kStages = 3;
    static constexpr double kBeside = 0.01;  // of a bracket: a chord that ends there says nothing

    struct Sample {
        double length = 0.0;
        std::vector<double> g;
    };

    static int lowest(const std::vector<double>& g) {
        const auto at = std::min_element(g.begin(), g.end());
        return at != g.end() && *at < 0.0 ? static_cast<int>(at - g.begin()) : -1;
    }
    void take(Sample& sample, double length) const {
        sample.length = length;
        sample.g = g_;
    }

    void replace(bool is_low, double length) {
        std::swap(is_low ? lower_ : higher_, is_low ? low_ : high_);
        take(is_low ? low_ : high_, length);
        is_low_newer_ = is_low;
    }

    /// A function may begin at zero, where its mode began; then a length is sought where it is
    /// positive, by parts that square from one trial to the next.
    template <class Trial>
    bool find_low(const Trial& trial, double shortest) {
        double part = 0.5;
        for (double length = high_.length; length > shortest; part *= part) {
            length = std::max(part * length, shortest);
            trial(length);
            bool is_low = violated() < 0;
            for (std::size_t e = 0; is_low && e < g_.size(); ++e)
                is_low = high_.g[e] >= 0.0 || g_[e] > 0.0;
            if (is_low) {
                take(low_, length);
                is_low_newer_ = !(higher_.length > 0.0);
                return true;
            }
            if (violated() < 0) continue;
            replace(false, length);
        }
        return false;
    }

    /// Of the functions that are negative at the upper length the one that was so first, by the
    /// chord.
    std::size_t first_event() const {
        auto first = static_cast<std::size_t>(lowest(high_.g));
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t e = 0; e < g_.size(); ++e) {
            if (!(high_.g[e] < 0.0)) continue;
            const double part = low_.g[e] / (low_.g[e] - high_.g[e]);
            if (!(part < least)) continue;
            least = part;
            first = e;
        }
        return first;
    }

    /// Where the root is sought next: where it is predicted; where the bracket has not been halved
    /// by that, beyond the next prediction by as much as that is away, so that the root comes
    /// between; else in the middle.
    double next(std::size_t event, double rounding) {
        const double low = low_.length, width = high_.length - low;
        stage_ = width <= 0.5 * begin_width_ ? 0 : stage_ + 1;
        if (stage_ == 0 || stage_ == kStages) {
            begin_width_ = width;
            stage_ = 0;
        }
        const bool spans_orders = high_.length > kOrders * low;
        const double middle = spans_orders ? (std::sqrt(low * high_.length) - low) / width : 0.5;
        double x = stage_ == 2 ? middle : predict(event, spans_orders);
        if (stage_ == 1) x = is_low_newer_ ? 2.0 * x : 1.0 - 2.0 * (1.0 - x);
        if (!(x > 0.0 && x < 1.0)) x = middle;
        const double least = 0.5 * std::max(rounding, kBits * high_.length) / width;
        return low + width * std::clamp(x, least, 1.0 - least);
    }

    /// The root as a part of the bracket, by inverse quadratic interpolation with the length tried
    /// before where three lengths say where it is, else along one side. NaN where nothing says it.
    double predict(std::size_t event, bool spans_orders) const {
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        const double low = low_.length, width = high_.length - low;
        const auto value = [&](const Sample& sample) {
            return spans_orders ? sample.g[event] / sample.length : sample.g[event];
        };
        const double f_low = value(low_), f_high = value(high_);
        const Sample& last = is_low_newer_ ? lower_ : higher_;
        if (last.length > 0.0) {
            // Its part of the bracket, below 0 or above 1, from the end that is nearer to it.
            const double c = (last.length - low) / width, f_last = value(last);
            const double xi = is_low_newer_ ? 1.0 / (1.0 - c) : 1.0 / c;
            const double f_near = is_low_newer_ ? f_low : f_high;
            const double f_far = is_low_newer_ ? f_high : f_low;
            const double phi = (f_near - f_far) / (f_last - f_far);
            if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
                return f_low / (f_high - f_low) * f_last / (f_high - f_last) +
                       c * f_low / (f_last - f_low) * f_high / (f_last - f_high);
        }
        for (const bool is_below : {false, true}) {
            const Sample& far = is_below ? lower_ : higher_;
            const double near = is_below ? 0.0 : 1.0, f_near = is_below ? f_low : f_high;
            if (!(far.length > 0.0)) continue;
            const double c = (far.length - low) / width;
            const double x = near - f_near * (c - near) / (value(far) - f_near);
            if (x > 0.0 && x < 1.0) return x;
        }
        if (lower_.length > 0.0 || higher_.length > 0.0) return kNone;
        const double chord = f_low / (f_low - f_high);
        return chord > kBeside && chord < 1.0 - kBeside ? chord : kNone;
    }

    std::vector<double> g_;
    // At low_ none is negative, at high_ some are; those before them lie further out, of length 0
    // without.
    Sample low_, high_, lower_, higher_;
    bool is_low_newer_ = true;
    int stage_ = 0;
    double begin_width_ = 0.0;
};

}  // namespace ancora
