// SPDX-License-Identifier: BSD-3-Clause
// Reads tables and formulas over time, interpolates and averages them.
#include "time_function.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "ancora/sdk/formula_error.hpp"

namespace ancora::point_load {
namespace {

/// Rounding of times that a table's ends are allowed, relative to its length.
constexpr double kTimeRounding = 1e-9;

std::string seconds(double t) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g s", t);
    return text;
}

/// No names but those that every formula knows.
class TimeAlone final : public FormulaScope {
public:
    int find(const FormulaName&) override { return -1; }
    std::string expected() const override { return "the time \"t\""; }
};

}  // namespace

TimeFunction::TimeFunction(const Arguments& arguments,
                           const char* key,
                           bool is_spline,
                           Outside outside)
    : key_(key), outside_(outside) {
    switch (arguments.shape(key)) {
        case Shape::matrix:
            read_table(arguments, is_spline);
            break;
        case Shape::texts:
            read_formulas(arguments);
            break;
        default:
            constant_ = Vec3(arguments.numbers(key).data());
    }
}

void TimeFunction::read_table(const Arguments& arguments, bool is_spline) {
    const std::span<const double> numbers = arguments.numbers(key_);
    const int rows = arguments.rows(key_);
    if (rows < 2)
        arguments.fail(
            key_, "a table needs at least two rows [t, x, y, z], found " + std::to_string(rows));
    for (int k = 0; k < rows; ++k) {
        const double* row = numbers.data() + 4 * k;
        if (k > 0 && !(row[0] > times_.back()))
            arguments.fail(key_,
                           "row " + std::to_string(k + 1) + " has t = " + seconds(row[0]) +
                               ", but the row before it t = " + seconds(times_.back()) +
                               "; times must increase from row to row, and a jump is written as a "
                               "short ramp");
        times_.push_back(row[0]);
        values_.emplace_back(row + 1);
    }
    if (is_spline) make_spline();
}

void TimeFunction::read_formulas(const Arguments& arguments) {
    const int count = arguments.num_texts(key_);
    if (count != 3)
        arguments.fail(
            key_,
            "found " + std::to_string(count) + " formulas, expected three: those of x, y and z");
    for (int i = 0; i < 3; ++i) {
        const std::string text(arguments.text(key_, i));
        TimeAlone scope;
        try {
            formulas_.push_back(Formula::parse(text, scope));
        } catch (const FormulaError& error) {
            arguments.fail(key_,
                           std::string("formula of ") + "xyz"[i] + ", " + error.what() + "\n" +
                               formula_excerpt(text, error.position()));
        }
    }
}

/// Continuous slopes at the inner rows:
///   L_k-1 m_k-1 + 2 (L_k-1 + L_k) m_k + L_k m_k+1 = 6 (slope_k - slope_k-1),
/// diagonally dominant, by elimination down and up.
void TimeFunction::make_spline() {
    const std::size_t n = times_.size();
    curvatures_.assign(n, Vec3::Zero());
    std::vector<double> upper(n, 0.0);
    const auto length = [&](std::size_t k) {
        return times_[k + 1] - times_[k];
    };
    for (std::size_t k = 1; k + 1 < n; ++k) {
        const Vec3 slope_before = (values_[k] - values_[k - 1]) / length(k - 1);
        const Vec3 slope_after = (values_[k + 1] - values_[k]) / length(k);
        const double pivot = 2.0 * (length(k - 1) + length(k)) - length(k - 1) * upper[k - 1];
        upper[k] = length(k) / pivot;
        curvatures_[k] =
            (6.0 * (slope_after - slope_before) - length(k - 1) * curvatures_[k - 1]) / pivot;
    }
    for (std::size_t k = n - 2; k > 0; --k) curvatures_[k] -= upper[k] * curvatures_[k + 1];
}

void TimeFunction::require_rows(double t0, double t1) const {
    if (outside_ != Outside::refuse) return;
    const double rounding = kTimeRounding * (times_.back() - times_.front());
    const bool is_early = t0 < times_.front() - rounding;
    if (!is_early && !(t1 > times_.back() + rounding)) return;
    throw std::domain_error("the table of " + key_ +
                            (is_early ? " begins at t = " : " ends at t = ") +
                            seconds(is_early ? times_.front() : times_.back()) +
                            ", and the motion needs it at t = " + seconds(is_early ? t0 : t1) +
                            "; add rows, or set outside to \"hold\" or \"zero\"");
}

/// The piece that t is in, the first or the last one outside of all.
std::size_t TimeFunction::piece(double t) const {
    const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
    return static_cast<std::size_t>(after - times_.begin()) - 1;
}

Vec3 TimeFunction::value(std::size_t k, double t) const {
    const double length = times_[k + 1] - times_[k];
    const double B = (t - times_[k]) / length;
    const double A = (times_[k + 1] - t) / length;
    Vec3 y = A * values_[k] + B * values_[k + 1];
    if (!curvatures_.empty())
        y += (length * length / 6.0) *
             ((A * A * A - A) * curvatures_[k] + (B * B * B - B) * curvatures_[k + 1]);
    return y;
}

Vec3 TimeFunction::at(double t) const {
    if (!formulas_.empty()) {
        std::array<double, Formula::kMaxSize> work;
        Vec3 y;
        for (int i = 0; i < 3; ++i)
            y[i] = formulas_[static_cast<std::size_t>(i)].evaluate<double>({}, t, work);
        return y;
    }
    if (!is_table()) return constant_;
    require_rows(t, t);
    const bool is_outside = t < times_.front() || t > times_.back();
    if (is_outside && outside_ == Outside::zero) return Vec3::Zero();
    const double inside = std::clamp(t, times_.front(), times_.back());
    return value(piece(inside), inside);
}

Vec3 TimeFunction::mean(double t0, double h) const {
    if (!is_table() || !(h > 0.0)) return at(t0 + 0.5 * h);
    const double t1 = t0 + h;
    require_rows(t0, t1);
    Vec3 sum = Vec3::Zero();
    if (outside_ != Outside::zero) {
        sum += std::max(0.0, std::min(t1, times_.front()) - t0) * values_.front();
        sum += std::max(0.0, t1 - std::max(t0, times_.back())) * values_.back();
    }
    // Simpson's rule is exact for cubics, so piece by piece.
    double a = std::max(t0, times_.front());
    const double end = std::min(t1, times_.back());
    for (std::size_t k = piece(a); a < end; ++k) {
        const double b = k + 2 < times_.size() ? std::min(end, times_[k + 1]) : end;
        sum += ((b - a) / 6.0) * (value(k, a) + 4.0 * value(k, 0.5 * (a + b)) + value(k, b));
        a = b;
    }
    return sum / h;
}

}  // namespace ancora::point_load
