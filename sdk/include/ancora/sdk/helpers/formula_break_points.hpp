// SPDX-License-Identifier: BSD-3-Clause
// Where a formula of time is not smooth: found from its operations, not from its values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/break_points.hpp"
#include "ancora/sdk/formula/formula.hpp"

namespace ancora {

/// Break points of a formula: where the operands of abs, sign, min, max and comparisons change
/// sides, where floor jumps, and at the rows of tables.
///
/// Each of these operations changes where its switching function g(t) changes sign: the operand of
/// abs and sign, the difference of both of min, max and comparisons; or where it enters another
/// piece, of floor and of a table. Those whose operands depend on time alone
/// are looked at, in the order of the tape: between the break points of operations inside it a
/// switching function is smooth, so that straight ones, such as 1 - abs(t - 10)/0.01, are never
/// missed. Others are looked at in intervals of `spacing`, in their middle as well.
class FormulaBreakPoints final : public BreakPoints {
public:
    /// [assembly]
    explicit FormulaBreakPoints(Formula formula) : formula_(std::move(formula)) {
        const std::span<const detail::FormulaNode> tape = formula_.tape();
        is_of_time_.assign(tape.size(), 0);
        std::vector<char> has_time(tape.size(), 0);
        for (std::size_t i = 0; i < tape.size(); ++i) {
            const detail::FormulaNode& node = tape[i];
            const int operands = detail::num_operands(node.op);
            const auto of_time = [&](std::int16_t operand) {
                return is_of_time_[static_cast<std::size_t>(operand)] != 0;
            };
            const bool is_of_time =
                node.op != detail::FormulaOp::variable && (operands < 1 || of_time(node.a)) &&
                (operands < 2 || of_time(node.b)) && (operands < 3 || of_time(node.c));
            is_of_time_[i] = is_of_time ? 1 : 0;
            if (switches(node.op) && is_of_time) switches_.push_back(i);
            const auto moves = [&](std::int16_t operand) {
                return has_time[static_cast<std::size_t>(operand)] != 0;
            };
            const bool by_operands = (operands > 0 && moves(node.a)) ||
                                     (operands > 1 && moves(node.b)) ||
                                     (operands > 2 && moves(node.c));
            has_time[i] = node.op == detail::FormulaOp::time || by_operands ? 1 : 0;
            depends_on_time_ |= has_time[i] != 0;
            is_sampled_ |= by_operands && !keeps_polynomials(node, operands > 1 && moves(node.b));
        }
    }

    /// Whether it is to be looked at.
    bool depends_on_time() const { return depends_on_time_; }
    bool is_sampled() const override { return is_sampled_; }

    double next(double after, double until, double spacing, StepKind) const override {
        constexpr double kNone = std::numeric_limits<double>::infinity();
        if (switches_.empty() || !(spacing > 0.0)) return kNone;
        // One that lies at `after` but for rounding has been passed.
        after += std::max(kPassed * spacing, kRounding * std::abs(after));
        // Intervals lie on a raster of their own, so that what is found does not depend on `after`.
        for (double k = std::floor(after / spacing);; k += 1.0) {
            const double begin = k * spacing;
            if (begin > until) return kNone;
            const double found = first_in(begin, (k + 1.0) * spacing, after);
            if (found <= until) return found;
            if (found < kNone) return kNone;
        }
    }

private:
    static constexpr std::size_t kMost = 32;  ///< break points in one interval
    static constexpr double kBeside = 1e-9;   ///< of an interval: as good as at its end
    static constexpr double kPassed = 1e-12;
    static constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

    static bool switches(detail::FormulaOp op) {
        using enum detail::FormulaOp;
        return op == abs || op == sign || op == min || op == max || op == less ||
               op == less_equal || op == floor || op == table;
    }
    /// A number that changes where the operation does so in many places.
    static bool has_pieces(detail::FormulaOp op) {
        return op == detail::FormulaOp::floor || op == detail::FormulaOp::table;
    }

    /// Whether an operation makes pieces of polynomials in t from such: between break points these
    /// hide nothing.
    static bool keeps_polynomials(const detail::FormulaNode& node, bool divides_by_time) {
        using detail::FormulaOp;
        switch (node.op) {
            case FormulaOp::offset:
            case FormulaOp::scale:
            case FormulaOp::add:
            case FormulaOp::subtract:
            case FormulaOp::multiply:
            case FormulaOp::abs:
            case FormulaOp::sign:
            case FormulaOp::min:
            case FormulaOp::max:
            case FormulaOp::less:
            case FormulaOp::less_equal:
            case FormulaOp::floor:
            case FormulaOp::select:
            case FormulaOp::table:
                return true;
            case FormulaOp::divide:
                return !divides_by_time;
            case FormulaOp::integer_power:
                return node.number > 0.0;
            default:
                return false;
        }
    }

    /// The first break point behind `after` in an interval.
    double first_in(double begin, double end, double after) const {
        std::array<double, kMost + 2> points{begin, end};
        std::size_t count = 2;
        for (const std::size_t node : switches_) {
            // Halves of pieces, since a smooth function may change its sign twice.
            const std::size_t pieces = count - 1;
            std::array<double, 2 * kMost> found{};
            std::size_t num_found = 0;
            for (std::size_t i = 0; i < pieces; ++i) {
                const double middle = 0.5 * (points[i] + points[i + 1]);
                // Just before its end, where what is inside it has jumped already
                const double last = std::nextafter(points[i + 1], points[i]);
                for (auto [a, b] : {std::pair(points[i], middle), std::pair(middle, last)})
                    while (num_found < found.size() && side(node, a) != side(node, b)) {
                        found[num_found++] = a = change(node, a, b);
                        if (!has_pieces(formula_.tape()[node].op)) break;
                    }
            }
            for (std::size_t i = 0; i < num_found && count < points.size(); ++i) {
                const auto at = std::lower_bound(points.begin(), points.begin() + count, found[i]);
                if (at != points.begin() + count && *at == found[i]) continue;
                std::copy_backward(at, points.begin() + count, points.begin() + count + 1);
                *at = found[i];
                ++count;
            }
        }
        // The ends are none, unless one was found there: then it is the next interval's too.
        for (std::size_t i = 1; i + 1 < count; ++i)
            if (points[i] > after) return points[i];
        if (end > after && is_change(begin, end)) return end;
        return std::numeric_limits<double>::infinity();
    }

    /// Whether some operation changes sides just behind the end of an interval.
    bool is_change(double begin, double end) const {
        const double before = end - kBeside * (end - begin);
        const double behind = end + kBeside * (end - begin);
        return std::ranges::any_of(switches_, [&](std::size_t node) {
            return side(node, before) != side(node, behind);
        });
    }

    /// Sign of an operation's switching function, or the piece that it is in.
    double side(std::size_t node, double t) const {
        std::array<double, Formula::kMaxSize> work{};
        const std::span<const detail::FormulaNode> tape = formula_.tape();
        for (std::size_t i = 0; i < node; ++i)
            if (is_of_time_[i] != 0)
                work[i] = detail::formula_value<double>(tape[i], work.data(), nullptr, t);
        const detail::FormulaNode& at = tape[node];
        const double a = work[static_cast<std::size_t>(at.a)];
        if (at.op == detail::FormulaOp::floor) return a == a ? std::floor(a) : 0.0;
        if (at.op == detail::FormulaOp::table) return static_cast<double>(at.table->rows_up_to(a));
        const double g =
            detail::num_operands(at.op) < 2 ? a : a - work[static_cast<std::size_t>(at.b)];
        return g > 0.0 ? 1.0 : g < 0.0 ? -1.0 : 0.0;
    }

    /// The first number behind a, up to b, at which the side is not that of a.
    double change(std::size_t node, double a, double b) const {
        const double before = side(node, a);
        while (true) {
            const double middle = a + 0.5 * (b - a);
            if (!(middle > a && middle < b)) return b;
            (side(node, middle) == before ? a : b) = middle;
        }
    }

    Formula formula_;
    std::vector<std::size_t> switches_;
    std::vector<char> is_of_time_;  ///< of each operation: it depends on no variable
    bool depends_on_time_ = false;
    bool is_sampled_ = false;
};

/// [assembly] Steps end where a formula that the object reads by itself is not smooth in time.
inline void add_break_points(const Arguments& arguments, const Formula& formula) {
    auto points = std::make_shared<FormulaBreakPoints>(formula);
    if (points->depends_on_time()) arguments.add_break_points(std::move(points));
}

}  // namespace ancora
