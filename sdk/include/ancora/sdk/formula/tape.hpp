// SPDX-License-Identifier: BSD-3-Clause
// A formula's operations as a flat list of plain data, and the sweeps over it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ancora/sdk/numbers/taylor.hpp"

namespace ancora::detail {

inline constexpr int kFormulaMaxSize = 256;
inline constexpr int kFormulaMaxVariables = 64;

enum class FormulaOp : std::uint8_t {
    constant,
    time,
    variable,
    offset,  ///< a + number
    scale,   ///< a number
    add,
    subtract,
    multiply,
    divide,
    integer_power,   ///< a^number, number whole and small
    constant_power,  ///< a^number
    power,
    sqrt,
    exp,
    log,
    log10,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    abs,
    sign,
    atan2,
    min,
    max,
    less,        ///< 1 where a < b, else 0
    less_equal,  ///< 1 where a <= b, else 0
    floor,
    select,  ///< b where a is not zero, else c
    table,   ///< of a, straight between rows
};

/// y(x), straight between its rows, constant beyond them.
struct FormulaTable {
    std::vector<double> x, y;  ///< x increases; at least two rows

    /// How many rows are not beyond `at`; 0 of NaN.
    std::size_t rows_up_to(double at) const {
        if (!(at >= x.front())) return 0;
        return static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin());
    }
    /// Between the row before this number of rows, and the next.
    double slope(std::size_t rows) const {
        if (rows == 0 || rows == x.size()) return 0.0;
        return (y[rows] - y[rows - 1]) / (x[rows] - x[rows - 1]);
    }
    template <class T>
    T value(const T& at) const {
        const auto where = static_cast<double>(autodiff::value_of(at));
        if (where != where) return at;
        const std::size_t rows = rows_up_to(where);
        if (rows == 0) return T(y.front());
        if (rows == x.size()) return T(y.back());
        return (at - x[rows - 1]) * slope(rows) + y[rows - 1];
    }
};

/// One operation on the values of earlier ones.
struct FormulaNode {
    FormulaOp op = FormulaOp::constant;
    std::int16_t a = -1;  ///< node of the first operand; number of the variable
    std::int16_t b = -1;
    std::int16_t c = -1;
    double number = 0.0;
    const FormulaTable* table = nullptr;  ///< kept by the formula

    friend bool operator==(const FormulaNode&, const FormulaNode&) = default;
};

constexpr int num_operands(FormulaOp op) {
    switch (op) {
        case FormulaOp::constant:
        case FormulaOp::time:
        case FormulaOp::variable:
            return 0;
        case FormulaOp::add:
        case FormulaOp::subtract:
        case FormulaOp::multiply:
        case FormulaOp::divide:
        case FormulaOp::power:
        case FormulaOp::atan2:
        case FormulaOp::min:
        case FormulaOp::max:
        case FormulaOp::less:
        case FormulaOp::less_equal:
            return 2;
        case FormulaOp::select:
            return 3;
        default:
            return 1;
    }
}

/// Value of `node`, with v the values of the nodes before it and x those of the variables.
template <class T>
inline T formula_value(const FormulaNode& node, const T* v, const T* x, const T& t) {
    using autodiff::integer_power;
    using autodiff::max_is_second;
    using autodiff::min_is_second;
    using std::abs, std::sqrt, std::exp, std::log, std::log10, std::pow;
    using std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh;
    using std::sin, std::cos, std::tan;
    const auto a = [&]() -> const T& {
        return v[node.a];
    };
    const auto b = [&]() -> const T& {
        return v[node.b];
    };
    const auto is_nan = [](const T& of) {
        return autodiff::value_of(of) != autodiff::value_of(of);
    };
    const auto truth = [&](bool is_true) {
        return T(is_nan(a()) || is_nan(b()) ? std::numeric_limits<double>::quiet_NaN()
                 : is_true                  ? 1.0
                                            : 0.0);
    };
    switch (node.op) {
        case FormulaOp::constant:
            return T(node.number);
        case FormulaOp::time:
            return t;
        case FormulaOp::variable:
            return x[node.a];
        case FormulaOp::offset:
            return a() + node.number;
        case FormulaOp::scale:
            return a() * node.number;
        case FormulaOp::add:
            return a() + b();
        case FormulaOp::subtract:
            return a() - b();
        case FormulaOp::multiply:
            return a() * b();
        case FormulaOp::divide:
            return a() / b();
        case FormulaOp::integer_power:
            return integer_power(a(), static_cast<int>(node.number));
        case FormulaOp::constant_power:
            return pow(a(), node.number);
        case FormulaOp::power:
            return pow(a(), b());
        case FormulaOp::sqrt:
            return sqrt(a());
        case FormulaOp::exp:
            return exp(a());
        case FormulaOp::log:
            return log(a());
        case FormulaOp::log10:
            return log10(a());
        case FormulaOp::sin:
            return sin(a());
        case FormulaOp::cos:
            return cos(a());
        case FormulaOp::tan:
            return tan(a());
        case FormulaOp::asin:
            return asin(a());
        case FormulaOp::acos:
            return acos(a());
        case FormulaOp::atan:
            return atan(a());
        case FormulaOp::sinh:
            return sinh(a());
        case FormulaOp::cosh:
            return cosh(a());
        case FormulaOp::tanh:
            return tanh(a());
        case FormulaOp::abs:
            return abs(a());
        case FormulaOp::sign:
            return T(autodiff::sign(a()));
        case FormulaOp::atan2:
            return atan2(a(), b());
        case FormulaOp::min:
            return min_is_second(a(), b()) ? b() : a();
        case FormulaOp::max:
            return max_is_second(a(), b()) ? b() : a();
        case FormulaOp::less:
            return truth(autodiff::value_of(a()) < autodiff::value_of(b()));
        case FormulaOp::less_equal:
            return truth(autodiff::value_of(a()) <= autodiff::value_of(b()));
        case FormulaOp::floor:
            return T(std::floor(autodiff::value_of(a())));
        case FormulaOp::select:
            if (is_nan(a())) return a();
            return autodiff::value_of(a()) != 0.0 ? b() : v[node.c];
        case FormulaOp::table:
            return node.table->value(a());
    }
    return T(0.0);
}

/// One step of the reverse sweep: what the adjoint `bar` of `node` adds to those of its operands.
/// `v` holds the values of all nodes, `out` that of this one.
template <class T>
inline void formula_pull(const FormulaNode& node, const T& out, const T& bar, const T* v, T* adj) {
    using autodiff::integer_power;
    using autodiff::max_is_second;
    using autodiff::min_is_second;
    using std::sin, std::cos, std::sinh, std::cosh;
    using std::sqrt, std::log, std::pow;
    const auto a = [&]() -> const T& {
        return v[node.a];
    };
    const auto b = [&]() -> const T& {
        return v[node.b];
    };
    const auto to_a = [&]() -> T& {
        return adj[node.a];
    };
    const auto to_b = [&]() -> T& {
        return adj[node.b];
    };
    switch (node.op) {
        case FormulaOp::constant:
        case FormulaOp::time:
        case FormulaOp::variable:
        case FormulaOp::sign:
        case FormulaOp::less:
        case FormulaOp::less_equal:
        case FormulaOp::floor:
            return;
        case FormulaOp::offset:
            to_a() += bar;
            return;
        case FormulaOp::scale:
            to_a() += bar * node.number;
            return;
        case FormulaOp::add:
            to_a() += bar;
            to_b() += bar;
            return;
        case FormulaOp::subtract:
            to_a() += bar;
            to_b() -= bar;
            return;
        case FormulaOp::multiply:
            to_a() += bar * b();
            to_b() += bar * a();
            return;
        case FormulaOp::divide: {
            const T slope = bar / b();
            to_a() += slope;
            to_b() -= slope * out;
            return;
        }
        case FormulaOp::integer_power:
            to_a() += bar * (integer_power(a(), static_cast<int>(node.number) - 1) * node.number);
            return;
        case FormulaOp::constant_power:
            to_a() += bar * (pow(a(), node.number - 1.0) * node.number);
            return;
        case FormulaOp::power:
            to_a() += bar * (pow(a(), b() - 1.0) * b());
            // At zero the limit for a positive exponent, which is zero.
            if (autodiff::value_of(a()) != 0.0) to_b() += bar * (out * log(a()));
            return;
        case FormulaOp::sqrt:
            to_a() += bar * 0.5 / out;
            return;
        case FormulaOp::exp:
            to_a() += bar * out;
            return;
        case FormulaOp::log:
            to_a() += bar / a();
            return;
        case FormulaOp::log10:
            to_a() += bar / (a() * 2.302585092994045684);
            return;
        case FormulaOp::sin:
            to_a() += bar * cos(a());
            return;
        case FormulaOp::cos:
            to_a() -= bar * sin(a());
            return;
        case FormulaOp::tan:
            to_a() += bar * (1.0 + out * out);
            return;
        case FormulaOp::asin:
            to_a() += bar / sqrt((1.0 - a()) * (1.0 + a()));
            return;
        case FormulaOp::acos:
            to_a() -= bar / sqrt((1.0 - a()) * (1.0 + a()));
            return;
        case FormulaOp::atan:
            to_a() += bar / (1.0 + a() * a());
            return;
        case FormulaOp::sinh:
            to_a() += bar * cosh(a());
            return;
        case FormulaOp::cosh:
            to_a() += bar * sinh(a());
            return;
        case FormulaOp::tanh: {
            const T c = cosh(a());  // 1 - out^2 would cancel
            to_a() += bar / (c * c);
            return;
        }
        case FormulaOp::abs:
            to_a() += bar * autodiff::sign(a());
            return;
        case FormulaOp::atan2: {
            const T slope = bar / (a() * a() + b() * b());
            to_a() += slope * b();
            to_b() -= slope * a();
            return;
        }
        case FormulaOp::min:
            (min_is_second(a(), b()) ? to_b() : to_a()) += bar;
            return;
        case FormulaOp::max:
            (max_is_second(a(), b()) ? to_b() : to_a()) += bar;
            return;
        case FormulaOp::select:
            (autodiff::value_of(a()) != 0.0 ? to_b() : adj[node.c]) += bar;
            return;
        case FormulaOp::table:
            to_a() += bar * node.table->slope(node.table->rows_up_to(
                                static_cast<double>(autodiff::value_of(a()))));
            return;
    }
}

}  // namespace ancora::detail
