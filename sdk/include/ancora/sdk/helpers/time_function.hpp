// SPDX-License-Identifier: BSD-3-Clause
// A few numbers that are given over time: constant, by a table, by a file, or by formulas.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/break_points.hpp"
#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/helpers/formula_break_points.hpp"
#include "ancora/sdk/helpers/number_file.hpp"
#include "ancora/sdk/helpers/time_table.hpp"
#include "ancora/sdk/numbers/vector3.hpp"

namespace ancora {

/// What a TimeFunction is to read.
struct TimeFunctionOptions {
    std::vector<std::string> components = {"x", "y", "z"};  ///< their names, for messages
    Interpolation interpolation = Interpolation::linear;
    Outside outside = Outside::refuse;
    bool is_averaged = false;  ///< over steps mean() alone acts
};

/// Components y(t) as a manifest gives them, in one of these shapes of the parameter:
///
///   number, vector   constant
///   matrix, file     a table with rows [t, y_1, ..., y_n], see TimeTable
///   text, texts      formulas of t, one per component, see Formula
///
///   p::vector("force", 3, "N", "...").or_matrix(0, 4).or_texts().or_file()
///
/// A parameter of one text is a formula if its schema allows texts of that shape, a file if it
/// allows files. Configuration, const after construction; the functions of a step allocate nothing.
class TimeFunction {
public:
    /// No components.
    TimeFunction() = default;

    /// [assembly] Reads `key`. Refuses through Arguments::fail, or fail_in_file with line and
    /// column: tables with fewer than two rows, with another number of columns, whose times do not
    /// increase, or with Outside::refuse do not reach from 0 to the end of the run, numbers that
    /// are not finite, another number of formulas or of constants, and what is no formula, with the
    /// place in its text.
    TimeFunction(const Arguments& arguments,
                 const char* key,
                 const TimeFunctionOptions& options = {})
        : key_(key), names_(options.components), outside_(options.outside) {
        switch (arguments.shape(key)) {
            case Shape::matrix:
                read_rows(arguments, options.interpolation);
                break;
            case Shape::file:
                read_file(arguments, options.interpolation);
                break;
            case Shape::text:
                read_formulas(arguments, 1, [&](int) {
                    return arguments.text(key_);
                });
                break;
            case Shape::texts:
                read_formulas(arguments, arguments.num_texts(key), [&](int i) {
                    return arguments.text(key_, i);
                });
                break;
            case Shape::vector:
                constant_.assign(arguments.numbers(key).begin(), arguments.numbers(key).end());
                require_count(arguments, constant_.size(), "numbers");
                break;
            default:
                constant_.assign(1, arguments.number(key));
                require_count(arguments, 1, "numbers");
        }
        if (is_table()) {
            arguments.add_break_points(
                std::make_shared<TableBreakPoints>(table_, outside_, options.is_averaged));
            return;
        }
        for (const Formula& formula : formulas_) add_break_points(arguments, formula);
    }

    int num_components() const { return static_cast<int>(names_.size()); }
    bool is_table() const { return !table_.empty(); }
    /// Times of a table's rows, at which its rates may jump; empty for the rest.
    std::span<const double> times() const { return table_.times(); }

    /// [assembly] Where a spline leaves the rows of its table, see TimeTable.
    TimeTable::Overshoot overshoot() const {
        return is_table() ? table_.overshoot() : TimeTable::Overshoot{};
    }

    /// [step] Value, first and second derivative at an instant; a span that is empty is not wanted,
    /// the others have one entry per component.
    /// @throws std::domain_error where a table has no rows, with Outside::refuse, and where a
    ///         formula has no finite value or, if wanted, derivative
    void evaluate(double t,
                  std::span<double> value,
                  std::span<double> rate = {},
                  std::span<double> second = {}) const {
        if (is_table()) {
            require_rows(t, t);
            table_.evaluate(t, outside_, value, rate, second);
        } else if (!formulas_.empty()) {
            for (std::size_t i = 0; i < formulas_.size(); ++i)
                evaluate_formula(i, t, value, rate, second);
        } else {
            if (!value.empty()) std::ranges::copy(constant_, value.begin());
            std::ranges::fill(rate, 0.0);
            std::ranges::fill(second, 0.0);
        }
    }

    /// [step] What acts over a step from t0 to t0 + h: of a table its mean, exactly; of formulas
    /// the value at the midpoint.
    /// @throws std::domain_error as evaluate() does
    void mean(double t0, double h, std::span<double> value) const {
        if (!is_table() || !(h > 0.0)) return evaluate(t0 + 0.5 * h, value);
        require_rows(t0, t0 + h);
        table_.mean(t0, h, outside_, value);
    }

    /// [step] Three components at a time that may carry derivatives, as in a function phi(..., t);
    /// zero if nothing is given. What is constant does not depend on t.
    /// @throws std::domain_error as evaluate() does
    template <class S>
    Vector3<S> vector(const S& t) const {
        std::array<double, 3> y{}, rate{}, second{};
        if constexpr (std::is_same_v<S, double>) {
            if (!names_.empty()) evaluate(t, y);
            return {y[0], y[1], y[2]};
        } else {
            if (names_.empty() || !constant_.empty()) {
                std::ranges::copy(constant_, y.begin());
                return {S(y[0]), S(y[1]), S(y[2])};
            }
            // A number that counts degrees has no derivatives, and no use for a value
            if constexpr (S::kOrder > 0) {
                const bool moves = !is_zero(t - S(t.value));
                const auto wanted = [&](int order, std::array<double, 3>& of) {
                    return moves && S::kOrder >= order ? std::span<double>(of)
                                                       : std::span<double>();
                };
                evaluate(t.value, y, wanted(1, rate), wanted(2, second));
            }
            return {t.chain(y[0], rate[0], second[0]),
                    t.chain(y[1], rate[1], second[1]),
                    t.chain(y[2], rate[2], second[2])};
        }
    }

private:
    /// Rounding of times that a table's ends are allowed, relative to its length.
    static constexpr double kTimeRounding = 1e-9;

    class TableBreakPoints final : public BreakPoints {
    public:
        TableBreakPoints(TimeTable table, Outside outside, bool is_averaged)
            : table_(std::move(table)), outside_(outside), is_averaged_(is_averaged) {}
        double next(double after, double until, double, StepKind steps) const override {
            const double t = table_.next_break(after, steps, outside_, is_averaged_);
            return t <= until ? t : std::numeric_limits<double>::infinity();
        }

    private:
        TimeTable table_;
        Outside outside_;
        bool is_averaged_;
    };

    /// No names but those that every formula knows.
    class TimeAlone final : public FormulaScope {
    public:
        int find(const FormulaName&) override { return -1; }
        std::string expected() const override { return "the time \"t\""; }
    };

    static std::string seconds(double t) {
        char text[40];
        std::snprintf(text, sizeof text, "%.9g s", t);
        return text;
    }
    /// "t, x, y, z"
    std::string columns() const {
        std::string text = "t";
        for (const std::string& name : names_) text += ", " + name;
        return text;
    }

    void require_count(const Arguments& arguments, std::size_t count, const char* what) const {
        if (count == names_.size()) return;
        arguments.fail(key_,
                       "found " + std::to_string(count) + " " + what + ", expected " +
                           std::to_string(names_.size()) + ": those of " + columns().substr(3));
    }

    /// What is wrong with a row's time, empty if nothing.
    static std::string why_not_after(double t, double before) {
        if (t > before) return "";
        return "has t = " + seconds(t) + ", but the row before it t = " + seconds(before) +
               "; times must increase from row to row, and a jump is written as a short ramp";
    }

    /// Calls `refuse` with what is wrong, and with the row, if the table does not reach from the
    /// begin of the run to its end.
    template <class Refuse>
    void check_reach(const Arguments& arguments,
                     std::span<const double> numbers,
                     Refuse refuse) const {
        if (outside_ != Outside::refuse) return;
        const std::size_t last_row = numbers.size() / (names_.size() + 1) - 1;
        const double first = numbers.front();
        const double last = numbers[last_row * (names_.size() + 1)];
        const double rounding = kTimeRounding * (last - first);
        const double begin = arguments.begin_time();
        if (first > begin + rounding)
            refuse(std::size_t{0},
                   "the table begins at t = " + seconds(first) +
                       ", and the run at t = " + seconds(begin) +
                       "; add a row for its begin, or say with \"outside\" "
                       "what stands before the first");
        const double end = arguments.end_time();
        if (last < end - rounding)
            refuse(last_row,
                   "the table ends at t = " + seconds(last) +
                       ", and the run at t = " + seconds(end) +
                       "; add rows up to there, shorten the run (\"end\" of [integrator]), or say "
                       "with \"outside\" what stands after the last");
    }

    void read_rows(const Arguments& arguments, Interpolation interpolation) {
        const std::span<const double> numbers = arguments.numbers(key_);
        const auto rows = static_cast<std::size_t>(arguments.rows(key_));
        if (rows < 2)
            arguments.fail(key_,
                           "a table needs at least two rows [" + columns() + "], found " +
                               std::to_string(rows));
        const std::size_t width = numbers.size() / rows;
        if (width != names_.size() + 1)
            arguments.fail(key_,
                           "a row of the table has " + std::to_string(width) +
                               " numbers, expected " + std::to_string(names_.size() + 1) + ": [" +
                               columns() + "]");
        for (std::size_t k = 1; k < rows; ++k)
            if (const std::string why = why_not_after(numbers[k * width], numbers[(k - 1) * width]);
                !why.empty())
                arguments.fail(key_, "row " + std::to_string(k + 1) + " " + why);
        check_reach(arguments, numbers, [&](std::size_t, const std::string& why) {
            arguments.fail(key_, why);
        });
        make_table(numbers, interpolation);
    }

    void read_file(const Arguments& arguments, Interpolation interpolation) {
        const std::size_t width = names_.size() + 1;
        const NumberRows rows = read_numbers(arguments, key_, static_cast<int>(width), columns());
        if (rows.num_rows() < 2)
            arguments.fail_in_file(key_,
                                   0,
                                   0,
                                   "a table needs at least two rows with the columns " + columns() +
                                       ", found " + std::to_string(rows.num_rows()));
        for (std::size_t k = 1; k < rows.lines.size(); ++k)
            if (const std::string why =
                    why_not_after(rows.values[k * width], rows.values[(k - 1) * width]);
                !why.empty())
                arguments.fail_in_file(key_, rows.lines[k], rows.columns[k], "this row " + why);
        check_reach(arguments, rows.values, [&](std::size_t k, const std::string& why) {
            arguments.fail_in_file(key_, rows.lines[k], rows.columns[k], why);
        });
        make_table(rows.values, interpolation);
    }

    void make_table(std::span<const double> numbers, Interpolation interpolation) {
        const std::size_t width = names_.size() + 1;
        std::vector<double> times, values;
        for (std::size_t k = 0; k < numbers.size(); k += width) {
            times.push_back(numbers[k]);
            for (std::size_t i = 1; i < width; ++i) values.push_back(numbers[k + i]);
        }
        table_ = TimeTable(std::move(times), std::move(values), interpolation);
    }

    template <class Text>
    void read_formulas(const Arguments& arguments, int count, Text text_of) {
        require_count(arguments, static_cast<std::size_t>(count), "formulas");
        for (int i = 0; i < count; ++i) {
            const std::string text(text_of(i));
            TimeAlone scope;
            try {
                formulas_.push_back(Formula::parse(text, scope));
                texts_.push_back(text);
            } catch (const FormulaError& error) {
                arguments.fail(key_,
                               "formula of " + names_[static_cast<std::size_t>(i)] + ", " +
                                   error.what() + "\n" + formula_excerpt(text, error.position()));
            }
        }
    }

    void evaluate_formula(std::size_t i,
                          double t,
                          std::span<double> value,
                          std::span<double> rate,
                          std::span<double> second) const {
        const Formula& f = formulas_[i];
        if (rate.empty() && second.empty()) {
            if (value.empty()) return;
            std::array<double, Formula::kMaxSize> work;
            value[i] = f.evaluate<double>({}, t, work);
            if (!std::isfinite(value[i])) refuse_formula(i, t, "has no finite value");
            return;
        }
        const Taylor2 at = f.along({}, {}, t);
        if (!std::isfinite(at.value)) refuse_formula(i, t, "has no finite value");
        if (!std::isfinite(at.first) || (!second.empty() && !std::isfinite(at.second)))
            refuse_formula(i, t, "has no finite rate of change");
        if (!value.empty()) value[i] = at.value;
        if (!rate.empty()) rate[i] = at.first;
        if (!second.empty()) second[i] = at.second;
    }

    [[noreturn]] void refuse_formula(std::size_t i, double t, const char* what) const {
        throw std::domain_error(key_ + ": the formula of " + names_[i] + ", \"" + texts_[i] +
                                "\", " + what + " at t = " + seconds(t));
    }

    void require_rows(double t0, double t1) const {
        if (outside_ != Outside::refuse) return;
        const double rounding = kTimeRounding * (table_.end() - table_.begin());
        const bool is_early = t0 < table_.begin() - rounding;
        if (!is_early && !(t1 > table_.end() + rounding)) return;
        throw std::domain_error("the table of " + key_ +
                                (is_early ? " begins at t = " : " ends at t = ") +
                                seconds(is_early ? table_.begin() : table_.end()) +
                                ", and the motion needs it at t = " + seconds(is_early ? t0 : t1) +
                                "; add rows, or say with `outside` "
                                "what is there");
    }

    std::string key_;
    std::vector<std::string> names_;
    Outside outside_ = Outside::refuse;
    std::vector<double> constant_;
    TimeTable table_;
    std::vector<Formula> formulas_;
    std::vector<std::string> texts_;  ///< of the formulas, for messages
};

/// [assembly] A motion that something must follow, as parameter `key` gives it, with the parameters
/// "interpolation" (spline, rest, monotone) and "outside" (refuse, hold) beside it. Refuses these
/// where they are about no table, and a motion that would be stopped with a jump of its velocity.
/// Warns of a spline that goes beyond rows which rise alone or fall alone.
inline TimeFunction read_motion(const Arguments& arguments,
                                const char* key,
                                std::vector<std::string> components) {
    TimeFunctionOptions options;
    options.components = std::move(components);
    const std::string_view interpolation = arguments.text("interpolation");
    options.interpolation = interpolation == "rest"       ? Interpolation::rest
                            : interpolation == "monotone" ? Interpolation::monotone
                                                          : Interpolation::spline;
    options.outside = arguments.text("outside") == "hold" ? Outside::hold : Outside::refuse;
    TimeFunction motion(arguments, key, options);
    for (const char* option : {"interpolation", "outside"})
        if (arguments.given(option) && !motion.is_table())
            arguments.fail(option, std::string("is about a table, and ") + key + " is none");
    if (options.outside == Outside::hold && options.interpolation == Interpolation::spline)
        arguments.fail("outside",
                       "\"hold\" would stop a motion that does not end at rest with a jump of its "
                       "velocity; set interpolation to \"rest\" or \"monotone\"");
    if (const TimeTable::Overshoot over = motion.overshoot(); over.by > 0.0) {
        const auto number = [](double x) {
            char text[40];
            std::snprintf(text, sizeof text, "%.3g", x);
            return std::string(text);
        };
        arguments.warn(key,
                       "the spline through the table goes " + number(over.by) +
                           " beyond its rows " + std::to_string(over.row + 1) + " and " +
                           std::to_string(over.row + 2) + ", at t = " + number(over.t) +
                           " s, where they go one way; interpolation = \"monotone\" stays between "
                           "rows, and more rows make a spline follow them closer");
    }
    return motion;
}

}  // namespace ancora
