// SPDX-License-Identifier: BSD-3-Clause
// Rest lengths over time: geometry of the rows at instants and over steps.
#include "rest_lengths.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "text.hpp"

namespace ancora::truss {

bool is_over_time(const Arguments& arguments) {
    if (!arguments.given("rest_length")) return false;
    const Shape shape = arguments.shape("rest_length");
    return shape == Shape::matrix || shape == Shape::file ||
           (shape == Shape::text && arguments.text("rest_length") != "spin");
}

void RestLengths::add(TimeFunction length, double share, std::vector<std::int32_t> elements) {
    parts_.push_back({std::move(length), share, std::move(elements)});
}

void RestLengths::put_start(std::span<double> L) const {
    for (const Part& part : parts_) {
        const double start = length_of(part, 0.0, nullptr, nullptr);
        for (const std::int32_t e : part.elements) L[e] = start;
    }
}

void RestLengths::finish(std::span<const double> L, const std::vector<bool>& is_rigid) {
    if (parts_.empty()) return;
    part_of_.assign(L.size(), -1);
    for (std::size_t p = 0; p < parts_.size(); ++p)
        for (const std::int32_t e : parts_[p].elements) part_of_[e] = static_cast<std::int32_t>(p);
    L_0_.assign(L.begin(), L.end());
    is_rigid_ = is_rigid;
}

double RestLengths::length_of(const Part& part, double t, double* rate, double* second) const {
    double L = 0.0;
    part.length.evaluate(
        t, {&L, 1}, {rate, rate == nullptr ? 0u : 1u}, {second, second == nullptr ? 0u : 1u});
    if (!(L > 0.0))
        throw std::domain_error("rest_length is " + text(L) + " m at t = " + text(t) +
                                " s, and must stay > 0");
    if (rate != nullptr) *rate *= part.share;
    if (second != nullptr) *second *= part.share;
    return part.share * L;
}

RestLengths::At RestLengths::at(std::size_t element, double t, bool rates) const {
    At out;
    double rate = 0.0, second = 0.0;
    const double L_0 = L_0_[element];
    if (changes(element))
        out.L = length_of(
            parts_[part_of_[element]], t, rates ? &rate : nullptr, rates ? &second : nullptr);
    else
        out.L = L_0;
    const double L = out.L;
    if (is_rigid_[element]) {
        const double inv = 1.0 / (L_0 * L_0);
        out.g = 0.5 * inv;
        out.k = 0.5 * L * L * inv;
        out.k_t = L * rate * inv;
        out.k_tt = (rate * rate + L * second) * inv;
        return out;
    }
    const double by_L = rate / L, by_L_L = second / L;
    out.g = 0.5 / (L * std::sqrt(L * L_0));
    out.g_t = -1.5 * out.g * by_L;
    out.g_tt = out.g * (3.75 * by_L * by_L - 1.5 * by_L_L);
    out.k = 0.5 * std::sqrt(L / L_0);
    out.k_t = 0.5 * out.k * by_L;
    out.k_tt = 0.5 * out.k * (by_L_L - 0.5 * by_L * by_L);
    return out;
}

RestLengths::Over RestLengths::over(std::size_t element, double t0, double h) const {
    const At begin = at(element, t0, false);
    const At end = at(element, t0 + h, false);
    const double L_0 = L_0_[element];
    Over out;
    out.g = 0.5 * (begin.g + end.g);
    out.dg = end.g - begin.g;
    out.product = begin.L * end.L;
    // dg L_0 L_1 - (k_1 - k_0), without its cancellation
    out.rest = is_rigid_[element]
                   ? -0.5 * (end.L - begin.L) * (end.L + begin.L) / (L_0 * L_0)
                   : -0.5 * (end.L - begin.L) * (std::sqrt(begin.L) + std::sqrt(end.L)) /
                         std::sqrt(L_0 * out.product);
    return out;
}

double RestLengths::g_of(std::size_t element, double length, double s, double compliance) const {
    const double L_0 = L_0_[element];
    if (is_rigid_[element]) return 0.5 / (L_0 * L_0);
    if (!changes(element)) return 0.5 / (L_0 * L_0);
    // (1) for L, pi = c s: with L = length / sqrt(1 + 2 eps), eps = pi sqrt(L_0 / L)
    const double pi = compliance * s;
    double L = length;
    for (int k = 0; k < 30; ++k) {
        const double stretch = 1.0 + 2.0 * pi * std::sqrt(L_0 / L);
        const double next = length / std::sqrt(stretch > 0.01 ? stretch : 0.01);
        const bool is_there = std::abs(next - L) <= 1e-14 * L;
        L = next;
        if (is_there) break;
    }
    return 0.5 / (L * std::sqrt(L * L_0));
}

}  // namespace ancora::truss
