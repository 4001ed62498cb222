// SPDX-License-Identifier: BSD-3-Clause
// Compares the change of constraints over time with their stated rate, and halves where it
// differs.
#include "jump_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora {
namespace {

constexpr int kParts = 4;  // of a step
// A jump of prescribed motion at round-off, relative to the model's size.
constexpr double kJump = 1e-9;
// Allowed difference of a quarter from w times its mean rate, relative to w times its largest rate.
constexpr double kUnlike = 1e-3;
// Intervals end at this many units in the last place of t.
constexpr double kUnits = 4.0;
// A jump keeps more than this of its size over the second half of the halvings (half of it where
// the function has a value between, as sign(0)); what is continuous there falls by 2^-n, even
// |t|^(1/2) by 2^(-n/2).
constexpr double kKept = 0.4;
constexpr int kFewest = 8;  // halvings that can tell the two apart
constexpr int kMost = 100;

}  // namespace

JumpSearch::JumpSearch(RowSet& rows, const RowLaws& laws) : rows_(rows), laws_(laws) {
    // Room for the largest of the blocks with explicit time and rows pi = 0.
    int most_rows = 0, most_values = 0;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        // Velocity rows carry no pi that could jump.
        if (!part.block->depends_on_time || !part.holds_constraint) continue;
        blocks_.push_back(static_cast<int>(b));
        most_rows = std::max(most_rows, part.num_rows);
        most_values = std::max(most_values, part.num_values);
    }
    for (Side* side : {&begin_, &before_, &after_, &middle_}) {
        side->pi.setZero(most_rows);
        side->rate.setZero(most_rows);
    }
    A_.setZero(most_values);
}

void JumpSearch::evaluate(const BlockPart& part, const double* q, double t, Side& side) {
    side.t = t;
    rows_.evaluate_course(part, q, t, side.pi.data(), A_.data(), side.rate.data());
}

void JumpSearch::check(const double* q, double t0, double h, double extent) {
    // The model's size is taken for the scale of pi, whatever its unit.
    const double tolerance = kJump * extent;
    for (const int b : blocks_) {
        const BlockPart& part = rows_.blocks[b];
        evaluate(part, q, t0, before_);
        // begin_ is the start of the step, before_ that of the quarter.
        begin_.t = t0;
        begin_.pi.head(part.num_rows) = before_.pi.head(part.num_rows);
        begin_.rate.head(part.num_rows) = before_.rate.head(part.num_rows);
        for (int quarter = 1; quarter <= kParts; ++quarter) {
            evaluate(part, q, t0 + h * quarter / kParts, after_);
            // Rates are those of the plugin, pi_t at fixed u.
            const double t_before = before_.t, t_after = after_.t;
            const double w = t_after - t_before;
            for (int row = 0; row < part.num_rows; ++row) {
                if (laws_[part.first_row + row].kind != RowKind::constraint) continue;
                // dpi = w (r0 + r1) / 2 by the trapezoidal rule, whose error
                // is of order w^3 where pi is smooth
                const double r0 = before_.rate[row], r1 = after_.rate[row];
                const double miss = (after_.pi[row] - before_.pi[row]) - 0.5 * w * (r0 + r1);
                const double usual = kUnlike * w * std::max(std::abs(r0), std::abs(r1));
                if (!(std::abs(miss) > usual + tolerance)) continue;
                follow(part, q, row, t_before, t_after, tolerance);
                evaluate(part, q, t_after, after_);
                note(part.first_row + row, before_, after_, row, tolerance, h);
            }
            // The end of a quarter is the start of the next.
            std::swap(before_.t, after_.t);
            before_.pi.swap(after_.pi);
            before_.rate.swap(after_.rate);
        }
        // Over the step as a whole: a ramp that is shorter than it and longer than a quarter.
        for (int row = 0; row < part.num_rows; ++row)
            if (laws_[part.first_row + row].kind == RowKind::constraint)
                note(part.first_row + row, begin_, before_, row, tolerance, h);
    }
}

/// Remembers a row that grows between two instants by more than its rates there allow.
void JumpSearch::note(
    int row, const Side& from, const Side& to, int local, double tolerance, double h) {
    // Where the rate lies between those of the ends dpi differs from w (r0 + r1) / 2
    // by no more than w |r1 - r0| / 2 <= w max |r|: a corner is no ramp.
    const double w = to.t - from.t;
    const double r0 = from.rate[local], r1 = to.rate[local];
    const double grown = to.pi[local] - from.pi[local];
    const double most = w * std::max(std::abs(r0), std::abs(r1));
    const bool is_ramp = std::abs(grown - 0.5 * w * (r0 + r1)) > (1.0 + kUnlike) * most + tolerance;
    if (is_ramp && unresolved_.row < 0) unresolved_ = {to.t, h, std::abs(grown), row};
}

/// Halves the interval towards the larger difference of one row.
void JumpSearch::follow(const BlockPart& part,
                        const double* q,
                        int row,
                        double t_before,
                        double t_after,
                        double tolerance) {
    // Spacing of numbers near t, to within a factor of two.
    const double unit =
        std::numeric_limits<double>::epsilon() * std::max(std::abs(t_before), std::abs(t_after));
    evaluate(part, q, t_before, middle_);
    double pi_before = middle_.pi[row];
    evaluate(part, q, t_after, middle_);
    double pi_after = middle_.pi[row];
    // difference[k] is |dpi| over the interval after k halvings.
    std::array<double, kMost + 1> difference;
    int halvings = 0;
    difference[0] = std::abs(pi_after - pi_before);
    // Bisection towards the larger half of the difference, which a jump
    // keeps and |t|^p, p > 0, does not.
    while (halvings < kMost && t_after - t_before > kUnits * unit) {
        const double t = 0.5 * (t_before + t_after);
        evaluate(part, q, t, middle_);
        const double pi = middle_.pi[row];
        const bool is_before = std::abs(pi - pi_before) >= std::abs(pi_after - pi);
        (is_before ? t_after : t_before) = t;
        (is_before ? pi_after : pi_before) = pi;
        difference[++halvings] = std::abs(pi_after - pi_before);
    }
    // In the first half of the halvings the interval contains more than the jump:
    // slope and other jumps. In the second half a jump keeps its size.
    const double left = difference[halvings];
    const double jump = difference[halvings / 2];
    // A jump is left if it exceeds rounding of pi and has kept its size while
    // the interval has shrunk by 2^(-halvings / 2).
    if (halvings < kFewest || !(left > tolerance) || !(left > kKept * jump)) return;
    refuse(part.first_row + row, t_after, jump);
}

void JumpSearch::check_sides(const double* q, double before, double behind, double extent) {
    for (const int b : blocks_) {
        const BlockPart& part = rows_.blocks[b];
        evaluate(part, q, before, before_);
        evaluate(part, q, behind, after_);
        for (int row = 0; row < part.num_rows; ++row) {
            const int k = part.first_row + row;
            if (laws_[k].kind != RowKind::constraint) continue;
            // |dpi| <= w max |r| of anything that does not jump, to first order
            const double most = std::max(std::abs(before_.rate[row]), std::abs(after_.rate[row]));
            const double size = std::abs(after_.pi[row] - before_.pi[row]);
            if (size > (behind - before) * most + kJump * extent) refuse(k, behind, size);
        }
    }
}

void JumpSearch::refuse(int row, double t, double size) const {
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: what {} prescribes jumps by {:.6g}, which no body can "
                            "follow; write a smooth step instead that takes several time "
                            "steps, such as tanh(t/T) with T of some steps",
                            t,
                            rows_.row_name(row),
                            size),
                rows_.place_of_row(row));
}

}  // namespace ancora
