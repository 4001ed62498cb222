// SPDX-License-Identifier: BSD-3-Clause
// Makes a formula's operations: constants folded, equal operations shared, unused ones dropped.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "ancora/sdk/formula/error.hpp"
#include "ancora/sdk/formula/tape.hpp"

namespace ancora::detail {

/// Nodes are named by their number. `position` is where in the text an operation stands.
class FormulaBuilder {
public:
    int constant(double x) { return add({.op = FormulaOp::constant, .number = x}); }
    int time() { return add({.op = FormulaOp::time}); }
    int variable(int index) {
        return add({.op = FormulaOp::variable, .a = static_cast<std::int16_t>(index)});
    }

    int unary(FormulaOp op, int a, std::size_t position) {
        return fold({.op = op, .a = static_cast<std::int16_t>(a)}, position);
    }

    int binary(FormulaOp op, int a, int b, std::size_t position) {
        if (!(is_constant(a) && is_constant(b))) {
            // One constant operand costs less as part of the operation.
            if (op == FormulaOp::add && is_constant(a)) return offset(b, number(a));
            if (op == FormulaOp::add && is_constant(b)) return offset(a, number(b));
            if (op == FormulaOp::subtract && is_constant(b)) return offset(a, -number(b));
            if (op == FormulaOp::multiply && is_constant(a)) return scale(b, number(a));
            if (op == FormulaOp::multiply && is_constant(b)) return scale(a, number(b));
        }
        return fold(
            {.op = op, .a = static_cast<std::int16_t>(a), .b = static_cast<std::int16_t>(b)},
            position);
    }

    /// b where a is not zero, else c.
    int select(int a, int b, int c) {
        if (is_constant(a)) return number(a) != 0.0 ? b : c;
        return add({.op = FormulaOp::select,
                    .a = static_cast<std::int16_t>(a),
                    .b = static_cast<std::int16_t>(b),
                    .c = static_cast<std::int16_t>(c)});
    }

    int table(FormulaTable rows, int a, std::size_t position) {
        tables_.push_back(std::make_shared<const FormulaTable>(std::move(rows)));
        return fold({.op = FormulaOp::table,
                     .a = static_cast<std::int16_t>(a),
                     .table = tables_.back().get()},
                    position);
    }

    int negate(int a) { return is_constant(a) ? constant(-number(a)) : scale(a, -1.0); }

    int power(int a, int b, std::size_t position) {
        if (is_constant(a) && is_constant(b))
            return finite(std::pow(number(a), number(b)), position);
        if (is_constant(a) && number(a) == std::numbers::e)
            return unary(FormulaOp::exp, b, position);
        if (!is_constant(b)) return binary(FormulaOp::power, a, b, position);
        const double n = number(b);
        if (n == 0.0) return constant(1.0);
        if (n == 1.0) return a;
        if (n == 2.0) return binary(FormulaOp::multiply, a, a, position);
        if (n == -1.0) return binary(FormulaOp::divide, constant(1.0), a, position);
        if (n == 0.5) return unary(FormulaOp::sqrt, a, position);
        // Beyond this the products' rounding errors pass those of std::pow.
        constexpr double kLargest = 16.0;
        const bool is_small = std::abs(n) <= kLargest && n == std::floor(n);
        return add({.op = is_small ? FormulaOp::integer_power : FormulaOp::constant_power,
                    .a = static_cast<std::int16_t>(a),
                    .number = n});
    }

    /// Whether constants may have no value: what is read now does not count.
    void allow_undefined(bool is_allowed) { allows_undefined_ = is_allowed; }

    int size() const { return static_cast<int>(nodes_.size()); }
    bool is_constant(int node) const { return nodes_[index(node)].op == FormulaOp::constant; }
    double number(int node) const { return nodes_[index(node)].number; }
    /// What operations read besides numbers.
    std::vector<std::shared_ptr<const FormulaTable>> take_tables() { return std::move(tables_); }

    /// The operations that `root` needs; it is the last.
    std::vector<FormulaNode> finish(int root) const {
        std::vector<std::int16_t> to(nodes_.size(), -1);
        std::vector<bool> is_needed(nodes_.size());
        is_needed[index(root)] = true;
        for (std::size_t i = index(root) + 1; i-- > 0;) {
            const FormulaNode& node = nodes_[i];
            if (!is_needed[i]) continue;
            if (num_operands(node.op) > 0) is_needed[index(node.a)] = true;
            if (num_operands(node.op) > 1) is_needed[index(node.b)] = true;
            if (num_operands(node.op) > 2) is_needed[index(node.c)] = true;
        }
        std::vector<FormulaNode> out;
        for (std::size_t i = 0; i <= index(root); ++i) {
            if (!is_needed[i]) continue;
            FormulaNode node = nodes_[i];
            if (num_operands(node.op) > 0) node.a = to[index(node.a)];
            if (num_operands(node.op) > 1) node.b = to[index(node.b)];
            if (num_operands(node.op) > 2) node.c = to[index(node.c)];
            to[i] = static_cast<std::int16_t>(out.size());
            out.push_back(node);
        }
        return out;
    }

private:
    static std::size_t index(int node) { return static_cast<std::size_t>(node); }

    int offset(int a, double x) {
        if (x == 0.0) return a;
        return add({.op = FormulaOp::offset, .a = static_cast<std::int16_t>(a), .number = x});
    }
    int scale(int a, double x) {
        if (x == 1.0) return a;
        return add({.op = FormulaOp::scale, .a = static_cast<std::int16_t>(a), .number = x});
    }

    /// Computes an operation on constants at once.
    int fold(FormulaNode node, std::size_t position) {
        const bool is_known =
            is_constant(node.a) && (num_operands(node.op) < 2 || is_constant(node.b));
        if (!is_known) return add(node);
        const double operands[2] = {number(node.a), node.b < 0 ? 0.0 : number(node.b)};
        node.a = 0;
        node.b = 1;
        return finite(formula_value<double>(node, operands, nullptr, 0.0), position);
    }

    int finite(double x, std::size_t position) {
        if (!std::isfinite(x) && !allows_undefined_)
            throw FormulaError(position,
                               "the value of this constant part is " +
                                   std::string(std::isnan(x) ? "undefined" : "infinite"));
        return constant(x);
    }

    int add(const FormulaNode& node) {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i] == node) return static_cast<int>(i);
        nodes_.push_back(node);
        return static_cast<int>(nodes_.size()) - 1;
    }

    bool allows_undefined_ = false;
    std::vector<FormulaNode> nodes_;
    std::vector<std::shared_ptr<const FormulaTable>> tables_;
};

}  // namespace ancora::detail
