// SPDX-License-Identifier: BSD-3-Clause
// Formulas over named variables: read from text, evaluated without allocation, with derivatives.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/sdk/formula/error.hpp"
#include "ancora/sdk/formula/parser.hpp"
#include "ancora/sdk/formula/scope.hpp"
#include "ancora/sdk/formula/tape.hpp"
#include "ancora/sdk/numbers/taylor.hpp"

namespace ancora {

/// A formula as a polynomial in some of its variables; the others count as coefficients.
struct FormulaDegree {
    static constexpr int kGeneral = 3;  ///< cubic or higher, or no polynomial

    int lowest = 0;   ///< degree of the lowest term; 0 for a general formula
    int highest = 0;  ///< degree of the highest term, at most kGeneral
    int timed = -1;  ///< highest degree of a term whose coefficient depends on t; -1: no explicit t

    /// Linear with no term that is free of the variables.
    bool is_homogeneous_linear() const { return lowest == 1 && highest == 1; }
};

/// A function f(x, t) of named variables x and of time, read from text:
///
///   equation   = sum "=" sum                          stands for left - right
///   formula    = both { "or" both }                   conditions are 1 where true, else 0
///   both       = one { "and" one }
///   one        = "not" one | sum [ ("<" | "<=" | ">" | ">=") sum ]
///   sum        = product { ("+" | "-") product }
///   product    = signed { ("*" | "/") signed }
///   signed     = ("+" | "-") signed | primary [ "^" signed ]
///   primary    = number | "t" | "pi" | "e" | function "(" formula { "," formula } ")"
///              | variable | "der" "(" variable ")" | "(" formula ")"
///              | "table" "(" "[" row { "," row } "]" "," formula ")"
///   row        = "[" number "," number "]"
///   variable   = name "." word | name "@" place "." word | word
///   place      = digits | name | "[" number "," number "," number "]"
///   name       = word | "'" letter-or-_ { letter | digit | "_" | "-" } "'"
///
/// A power binds from the right and stronger than a sign: -x^2 = -(x^2), 2^3^2 = 2^9, and 2^-x is
/// allowed. "-" is always minus, so that left.x-right.x is a difference; a name that holds "-" is
/// written in quotes, 'my-box'.x. Inside a variable no space may stand, except between brackets.
///
/// Functions: sin cos tan asin acos atan atan2(y, x) sinh cosh tanh exp log (natural) log10 sqrt
/// abs sign floor ceil round; mod(a, b), of the sign of b; min max hypot with two or more
/// arguments; if(condition, this, else that), of which only the one that is taken counts; step(x,
/// from, to), which goes from 0 to 1 with continuous second derivatives. Angles in radians. A table
/// is straight between its rows and constant beyond them. Where a function has no derivative, see
/// taylor.hpp; comparisons and floor have the derivative 0 everywhere, a table that behind a row.
///
/// Configuration, const after parse(); the sweeps work in memory of the caller and allocate
/// nothing. Outside the domain of a function the value is NaN, and so are the derivatives by what
/// it is made of.
class Formula {
public:
    static constexpr int kMaxSize = detail::kFormulaMaxSize;            ///< operations, 256
    static constexpr int kMaxVariables = detail::kFormulaMaxVariables;  ///< 64

    /// [assembly] Reads an expression.
    /// @throws FormulaError if the text is no formula, too long or nested too deep, has a name
    ///         that `scope` does not know, or passes one of the limits
    static Formula parse(std::string_view text, FormulaScope& scope) {
        detail::FormulaParser parser(text, scope);
        std::vector<detail::FormulaNode> tape = parser.expression();
        return Formula(std::move(tape), parser.take_tables());
    }
    /// [assembly] Reads "left = right" as left - right.
    /// @throws FormulaError likewise, also without "=" or with several
    static Formula parse_equation(std::string_view text, FormulaScope& scope) {
        detail::FormulaParser parser(text, scope);
        std::vector<detail::FormulaNode> tape = parser.equation();
        return Formula(std::move(tape), parser.take_tables());
    }

    /// Number of operations; a sweep needs that many numbers of memory, the gradient twice.
    std::size_t size() const { return tape_.size(); }
    /// One more than the highest number of a variable that counts.
    std::size_t num_variables() const { return num_variables_; }
    /// Its operations, each on the values of earlier ones.
    std::span<const detail::FormulaNode> tape() const { return tape_; }
    /// True if f depends on variable i. One that folding has removed (x^0) does not count.
    bool depends_on(int i) const {
        return std::ranges::any_of(tape_, [&](const detail::FormulaNode& node) {
            return node.op == detail::FormulaOp::variable && node.a == i;
        });
    }

    /// [assembly] Degree in the variables i with chosen(i).
    template <class Chosen>
    FormulaDegree degree(Chosen chosen) const;
    /// [assembly] Degree in all variables.
    FormulaDegree degree() const {
        return degree([](int) {
            return true;
        });
    }

    /// [step] f for T = double, Dual<N>, Taylor2.
    /// @param x     num_variables() values
    /// @param work  size() numbers, overwritten
    template <class T>
    T evaluate(std::span<const T> x, const T& t, std::span<T> work) const {
        assert(x.size() >= num_variables_ && work.size() >= size());
        for (std::size_t i = 0; i < tape_.size(); ++i)
            work[i] = detail::formula_value(tape_[i], work.data(), x.data(), t);
        return work[tape_.size() - 1];
    }

    /// [step] f and all its first derivatives, by one reverse sweep.
    /// @param work  2 size() numbers, overwritten
    /// @param by_x  out, df/dx, num_variables() entries
    /// @param by_t  out, df/dt at constant x
    template <class T>
    T gradient(
        std::span<const T> x, const T& t, std::span<T> work, std::span<T> by_x, T& by_t) const;

    /// [step] f along x'' = 0 through x with the rate v: value, first and second derivative in
    /// time. Constraints have the bias b = -second.
    /// @param x, v  num_variables() values and rates
    Taylor2 along(std::span<const double> x, std::span<const double> v, double t) const {
        std::array<Taylor2, kMaxVariables> path;
        std::array<Taylor2, kMaxSize> work;
        for (std::size_t i = 0; i < num_variables_; ++i) path[i] = Taylor2(x[i], v[i], 0.0);
        return evaluate<Taylor2>(path, Taylor2(t, 1.0, 0.0), work);
    }

    /// [step] Second derivatives in the variables, n x n with n = num_variables(), symmetric, by
    /// one forward-over-reverse sweep per variable.
    void hessian(std::span<const double> x, double t, std::span<double> H) const;

private:
    using Tables = std::vector<std::shared_ptr<const detail::FormulaTable>>;
    Formula(std::vector<detail::FormulaNode> tape, Tables tables);

    std::vector<detail::FormulaNode> tape_;
    Tables tables_;  ///< that operations point to
    std::size_t num_variables_ = 0;
};

inline Formula::Formula(std::vector<detail::FormulaNode> tape, Tables tables)
    : tape_(std::move(tape)), tables_(std::move(tables)) {
    for (const detail::FormulaNode& node : tape_)
        if (node.op == detail::FormulaOp::variable)
            num_variables_ = std::max(num_variables_, static_cast<std::size_t>(node.a) + 1);
    if (size() > kMaxSize)
        throw FormulaError(1,
                           "the formula has " + std::to_string(size()) +
                               " operations, expected at most " + std::to_string(kMaxSize));
}

template <class T>
T Formula::gradient(
    std::span<const T> x, const T& t, std::span<T> work, std::span<T> by_x, T& by_t) const {
    using detail::FormulaOp;
    const std::size_t n = size();
    assert(work.size() >= 2 * n && by_x.size() >= num_variables_);
    T* const v = work.data();
    T* const adjoint = v + n;
    const T value = evaluate<T>(x, t, work.first(n));

    std::fill_n(adjoint, n, T(0.0));
    std::fill_n(by_x.data(), num_variables_, T(0.0));
    by_t = T(0.0);
    // What has no value shall have no derivatives either.
    adjoint[n - 1] = 1.0 + 0.0 * value;
    for (std::size_t i = n; i-- > 0;) {
        const detail::FormulaNode& node = tape_[i];
        if (node.op == FormulaOp::variable)
            by_x[static_cast<std::size_t>(node.a)] = adjoint[i];
        else if (node.op == FormulaOp::time)
            by_t = adjoint[i];
        else if (!autodiff::is_zero(adjoint[i]))
            detail::formula_pull(node, v[i], adjoint[i], v, adjoint);
    }
    return value;
}

inline void Formula::hessian(std::span<const double> x, double t, std::span<double> H) const {
    const std::size_t n = num_variables_;
    std::array<Dual<1>, kMaxVariables> point;
    std::array<Dual<1>, kMaxVariables> slope;
    std::array<Dual<1>, 2 * kMaxSize> work;
    Dual<1> by_t;
    for (std::size_t i = 0; i < n; ++i) point[i] = x[i];
    for (std::size_t j = 0; j < n; ++j) {
        point[j].d[0] = 1.0;
        gradient<Dual<1>>(point, t, work, slope, by_t);
        point[j].d[0] = 0.0;
        for (std::size_t i = j; i < n; ++i) H[i * n + j] = H[j * n + i] = slope[i].d[0];
    }
}

template <class Chosen>
FormulaDegree Formula::degree(Chosen chosen) const {
    using detail::FormulaOp;
    static constexpr int kGeneral = FormulaDegree::kGeneral;
    // Terms of a product, of which only those with time count for `timed`.
    const auto times = [](const FormulaDegree& a, const FormulaDegree& b) {
        const int timed = std::max(a.timed < 0 ? -1 : a.timed + b.highest,
                                   b.timed < 0 ? -1 : a.highest + b.timed);
        return FormulaDegree{std::min(a.lowest + b.lowest, kGeneral),
                             std::min(a.highest + b.highest, kGeneral),
                             std::min(timed, kGeneral)};
    };
    // Any other function: constant in the variables, or general.
    const auto function = [](const FormulaDegree& a, const FormulaDegree& b) {
        const bool has_time = a.timed >= 0 || b.timed >= 0;
        const bool is_constant = a.highest == 0 && b.highest == 0;
        return FormulaDegree{0,
                             is_constant ? 0 : kGeneral,
                             !has_time     ? -1
                             : is_constant ? 0
                                           : kGeneral};
    };

    std::vector<FormulaDegree> of(tape_.size());
    for (std::size_t i = 0; i < tape_.size(); ++i) {
        const detail::FormulaNode& node = tape_[i];
        const auto operand = [&](std::int16_t k) {
            return of[static_cast<std::size_t>(k)];
        };
        switch (node.op) {
            case FormulaOp::constant:
                break;
            case FormulaOp::time:
                of[i].timed = 0;
                break;
            case FormulaOp::variable:
                if (chosen(static_cast<int>(node.a))) of[i] = {1, 1, -1};
                break;
            case FormulaOp::scale:
                of[i] = operand(node.a);
                break;
            case FormulaOp::offset:
                of[i] = operand(node.a);
                of[i].lowest = 0;
                break;
            case FormulaOp::add:
            case FormulaOp::subtract: {
                const FormulaDegree a = operand(node.a);
                const FormulaDegree b = operand(node.b);
                of[i] = {std::min(a.lowest, b.lowest),
                         std::max(a.highest, b.highest),
                         std::max(a.timed, b.timed)};
                break;
            }
            case FormulaOp::multiply:
                of[i] = times(operand(node.a), operand(node.b));
                break;
            case FormulaOp::divide: {
                const FormulaDegree a = operand(node.a);
                const FormulaDegree b = operand(node.b);
                of[i] = b.highest == 0 ? times(a, b) : function(a, b);
                break;
            }
            case FormulaOp::integer_power: {
                const FormulaDegree a = operand(node.a);
                of[i] = a;
                if (node.number < 0.0)
                    of[i] = function(a, {});
                else
                    for (double n = 1.0; n < node.number; n += 1.0) of[i] = times(of[i], a);
                break;
            }
            default: {
                const int count = detail::num_operands(node.op);
                of[i] = function(operand(node.a), count > 1 ? operand(node.b) : FormulaDegree{});
                if (count > 2) of[i] = function(of[i], operand(node.c));
            }
        }
    }
    return of.back();
}

}  // namespace ancora
