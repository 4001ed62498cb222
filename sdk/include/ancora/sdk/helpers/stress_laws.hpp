// SPDX-License-Identifier: BSD-3-Clause
// Laws of elastic rows: slack under compression, breaking, and any given by its potential.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "ancora/sdk/rows.hpp"
#include "ancora/sdk/stress_law.hpp"

namespace ancora {

namespace detail {

struct GaussPoint {
    double node, weight;
};
/// Gauss' rule of five points on [0, 1].
inline constexpr std::array<GaussPoint, 5> kGaussPoints = {{
    {0.04691007703066800, 0.11846344252809454},
    {0.23076534494715845, 0.23931433524968324},
    {0.5, 0.28444444444444444},
    {0.76923465505284155, 0.23931433524968324},
    {0.95308992296933200, 0.11846344252809454},
}};
/// By less the work of a mean stress may miss a difference of energies, in their sizes.
inline constexpr double kRoundingsOfMean = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace detail

/// The line s = pi / c + s0 + eta pi' as a law, with p = pi + c s0 and W = p^2 / (2 c).
class LineLaw : public StressLaw {
public:
    double energy(const RowLaw& row, double pi) const override {
        const double p = shifted(row, pi);
        return 0.5 * p * p / row.compliance;
    }
    double stress(const RowLaw& row, double pi, double rate) const override {
        return shifted(row, pi) / row.compliance + row.viscosity * rate;
    }
    StressMean mean(const RowLaw& row, double pi0, double dpi, double h) const override {
        const double p0 = shifted(row, pi0);
        const double p1 = p0 + dpi;
        const double half = 0.5 / row.compliance;
        const double damping = row.viscosity / h;
        StressMean out;
        out.elastic = half * (p0 + p1);
        out.slope = half + damping;
        out.stress = out.elastic + damping * dpi;
        return out;
    }

protected:
    static double shifted(const RowLaw& row, double pi) {
        return pi + row.compliance * row.prestress;
    }
};

/// Slack, s = 0, where p = pi + c s0 < 0: W = <p>^2 / (2 c) with <p> = max(p, 0), viscosity acts on
/// the taut part alone, and s is never negative (theory, section 3.3).
class SlackLaw final : public LineLaw {
public:
    double energy(const RowLaw& row, double pi) const override {
        const double p = std::max(shifted(row, pi), 0.0);
        return 0.5 * p * p / row.compliance;
    }
    double stress(const RowLaw& row, double pi, double rate) const override {
        const double p = std::max(shifted(row, pi), 0.0);
        const double s = p / row.compliance + row.viscosity * rate;
        return p > 0.0 ? std::max(s, 0.0) : 0.0;
    }
    StressMean mean(const RowLaw& row, double pi0, double dpi, double h) const override {
        const double p0 = shifted(row, pi0);
        const double p1 = p0 + dpi;
        const double half = 0.5 / row.compliance;
        const double damping = row.viscosity / h;
        if (p0 > 0.0 && p1 > 0.0) {
            const StressMean out = LineLaw::mean(row, pi0, dpi, h);
            return out.stress <= 0.0 ? StressMean{0.0, out.elastic, 0.0} : out;
        }
        if (!(p0 > 0.0) && !(p1 > 0.0)) return {};
        // Taut at one end: for the part r of the increment, so that
        //   W_d = <p>^2 / (2 c |dpi|) = <p> r / (2 c)
        if (p1 > 0.0) {
            const double r = p1 / dpi;
            const double elastic = half * p1 * r;
            return {elastic + damping * p1, elastic, half * r * (2.0 - r) + damping};
        }
        const double r = p0 / -dpi;
        const double elastic = half * p0 * r;
        const double stress = elastic - damping * p0;
        return stress > 0.0 ? StressMean{stress, elastic, half * r * r}
                            : StressMean{0.0, elastic, 0.0};
    }
};

inline const LineLaw kLineLaw;
inline const SlackLaw kSlackLaw;

/// Another law up to a limit of pi, at which the row breaks.
class BreakingLaw final : public StressLaw {
public:
    /// @param law must outlive this one
    explicit BreakingLaw(double limit, const StressLaw& law = kLineLaw)
        : limit_(limit), law_(&law) {}

    const StressLaw& unbroken() const { return *law_; }
    double energy(const RowLaw& row, double pi) const override { return law_->energy(row, pi); }
    double stress(const RowLaw& row, double pi, double rate) const override {
        return law_->stress(row, pi, rate);
    }
    StressMean mean(const RowLaw& row, double pi0, double dpi, double h) const override {
        return law_->mean(row, pi0, dpi, h);
    }
    double limit() const override { return limit_; }

private:
    double limit_;
    const StressLaw* law_;
};

/// A law given by its potential W, with linear viscosity beside it:
///
///     class Hardening final : public PotentialLaw {       // N = k x + k3 x^3
///         Potential potential(double x) const override {
///             return {x * x * (0.5 * k + 0.25 * k3 * x * x), x * (k + k3 * x * x), k + 3.0 * k3 *
///             x * x};
///         }
///     };
///
/// The row's compliance is 1 / W'' where it is stiffest, or near it: it sets the unit in which the
/// step looks at the row's residual. Prestress belongs into W.
class PotentialLaw : public StressLaw {
public:
    struct Potential {
        double energy = 0.0;     ///< W [J]
        double stress = 0.0;     ///< W'
        double stiffness = 0.0;  ///< W''
    };
    /// [step] W and its derivatives; W' must be continuous.
    virtual Potential potential(double pi) const = 0;

    double energy(const RowLaw&, double pi) const override { return potential(pi).energy; }
    double stress(const RowLaw& row, double pi, double rate) const override {
        return potential(pi).stress + row.viscosity * rate;
    }
    /// W_d by Gauss' formula of five points, the mean of W' over the step: exact for W of degree
    /// 10, and without the cancellation of a difference. Where the difference says otherwise beyond
    /// its own rounding, as across a slope discontinuity of W', it is right.
    StressMean mean(const RowLaw& row, double pi0, double dpi, double h) const override {
        StressMean out;
        for (const auto& [node, weight] : detail::kGaussPoints) {
            const Potential at = potential(pi0 + node * dpi);
            out.elastic += weight * at.stress;
            out.slope += weight * node * at.stiffness;
            out.terms = std::max(out.terms, std::abs(at.stress));
        }
        const Potential begin = potential(pi0);
        const Potential end = potential(pi0 + dpi);
        const double gained = end.energy - begin.energy;
        const double size = std::abs(end.energy) + std::abs(begin.energy);
        if (std::abs(gained - out.elastic * dpi) >
            detail::kRoundingsOfMean * (size + out.terms * std::abs(dpi))) {
            out.elastic = gained / dpi;
            out.slope = (end.stress - out.elastic) / dpi;
            out.terms = std::max(out.terms, size / std::abs(dpi));
        }
        const double damping = row.viscosity / h;
        out.stress = out.elastic + damping * dpi;
        out.slope += damping;
        return out;
    }
};

namespace detail {

/// ItemLaw::discontinuities(), with its results checked. @throws std::domain_error
inline std::size_t discontinuities(const ItemLaw& law,
                                   int item,
                                   std::span<const double> pi0,
                                   std::span<const double> dpi,
                                   std::span<double> theta) {
    const int count = law.discontinuities(item, pi0, dpi, theta);
    if (count < 0 || count > ItemLaw::kMostDiscontinuities)
        throw std::domain_error("ItemLaw::discontinuities returns " + std::to_string(count) +
                                "; it may return 0 to " +
                                std::to_string(ItemLaw::kMostDiscontinuities));
    double last = 0.0;
    for (const double x : theta.first(static_cast<std::size_t>(count))) {
        if (!(x >= last && x <= 1.0))
            throw std::domain_error("ItemLaw::discontinuities gives " + std::to_string(x) +
                                    " after " + std::to_string(last) +
                                    "; its numbers must ascend between 0 and 1");
        last = x;
    }
    return static_cast<std::size_t>(count);
}

}  // namespace detail

/// The mean of an ItemLaw over a step from pi0 to pi0 + dpi, of n rows: `elastic` of `out` with
///
///   sum_k elastic_k dpi_k = W(pi0 + dpi) - W(pi0),                                         (1)
///
/// and D = d elastic / d pi1, n x n, symmetric.
///
/// It is the mean of W' along the straight line, by Gauss' formula of five points between the law's
/// slope discontinuities. Where (1) says otherwise beyond its own rounding, as across an undeclared
/// discontinuity of W'', the mean is moved along dpi / c until it holds (Gonzalez' correction in
/// the space of strains, in units of the rows), and D gets the symmetric part of what that adds.
/// [step]
inline void mean_over_step(const ItemLaw& law,
                           int item,
                           std::span<const RowLaw> rows,
                           std::span<const double> pi0,
                           std::span<const double> dpi,
                           std::span<StressMean> out,
                           std::span<double> D) {
    constexpr auto kMost = static_cast<std::size_t>(ItemLaw::kMostRows);
    const std::size_t n = pi0.size();
    // Not cleared: a law writes n and n x n of them, and to clear all takes as long as a law.
    std::array<double, kMost> at, stress;
    std::array<double, kMost * kMost> stiffness;
    const std::span<const double> pi(at.data(), n);
    const std::span<double> s(stress.data(), n), k(stiffness.data(), n * n);
    std::ranges::fill(out, StressMean{});
    std::ranges::fill(D, 0.0);
    double largest = 0.0;
    std::array<double, ItemLaw::kMostDiscontinuities + 2> ends{};
    const std::size_t num_pieces = detail::discontinuities(
        law, item, pi0, dpi, std::span(ends).subspan(1, ItemLaw::kMostDiscontinuities));
    ends[num_pieces + 1] = 1.0;
    for (std::size_t piece = 0; piece <= num_pieces; ++piece) {
        const double length = ends[piece + 1] - ends[piece];
        for (const auto& [node, weight] : detail::kGaussPoints) {
            const double theta = ends[piece] + node * length;
            for (std::size_t i = 0; i < n; ++i) at[i] = pi0[i] + theta * dpi[i];
            law.potential(item, pi, s, k);
            for (std::size_t i = 0; i < n; ++i) {
                out[i].elastic += weight * length * s[i];
                out[i].terms = std::max(out[i].terms, std::abs(s[i]));
            }
            for (std::size_t i = 0; i < n * n; ++i) D[i] += weight * length * theta * k[i];
        }
    }
    double work = 0.0, terms = 0.0, along = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        work += out[i].elastic * dpi[i];
        terms += out[i].terms * std::abs(dpi[i]);
        along += dpi[i] * dpi[i] / rows[i].compliance;
        largest = std::max(largest, std::abs(dpi[i]));
        at[i] = pi0[i];
    }
    if (largest == 0.0) return;
    const double begin = law.potential(item, pi, {}, {});
    for (std::size_t i = 0; i < n; ++i) at[i] = pi0[i] + dpi[i];
    const double end = law.potential(item, pi, s, {});
    const double size = std::abs(begin) + std::abs(end);
    const double miss = (end - begin) - work;
    if (!(std::abs(miss) > detail::kRoundingsOfMean * (size + terms))) return;
    // elastic + alpha u with alpha = miss / (dpi.u), u = dpi / c
    const double alpha = miss / along;
    std::array<double, kMost> u{}, slope{};
    for (std::size_t i = 0; i < n; ++i) u[i] = dpi[i] / rows[i].compliance;
    for (std::size_t i = 0; i < n; ++i) {
        slope[i] = s[i] - out[i].elastic - 2.0 * alpha * u[i];
        for (std::size_t j = 0; j < n; ++j) slope[i] -= D[i * n + j] * dpi[j];
    }
    for (std::size_t i = 0; i < n; ++i) {
        out[i].elastic += alpha * u[i];
        out[i].terms = std::max(out[i].terms, size * std::abs(u[i]) / along);
        for (std::size_t j = 0; j < n; ++j)
            D[i * n + j] += 0.5 * (u[i] * slope[j] + slope[i] * u[j]) / along;
        D[i * n + i] += alpha / rows[i].compliance;
    }
}

}  // namespace ancora
