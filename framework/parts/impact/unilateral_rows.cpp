// SPDX-License-Identifier: BSD-3-Clause
// Gaps at states and between them.
#include "unilateral_rows.hpp"

#include <algorithm>
#include <limits>

namespace ancora {
namespace {

// A gap is below zero by more than rounding of positions, relative to the model's size.
constexpr double kGrazed = 1e-14;
// Of that: below where a gap began.
constexpr double kDeeper = 0.1;
// Positions are not known to less, relative to the model's size.
constexpr double kResolved = std::numeric_limits<double>::epsilon() / 16.0;
// Of the fastest speed so far.
constexpr double kSpeedRounding = 1e-15;

}  // namespace

double GapCourse::least_inside() const {
    // g'(x) = b + 2 c x + 3 d x^2 = 0 with g'' > 0: of its two roots the one where the root of the
    // discriminant has the sign +, x = (-c + D) / (3 d) = -b / (c + D), D^2 = c^2 - 3 b d.
    const double square = c * c - 3.0 * b * d;
    if (!(square > 0.0)) return std::numeric_limits<double>::infinity();
    const double root = std::sqrt(square);
    const double x = c >= 0.0 ? -b / (c + root) : (root - c) / (3.0 * d);
    if (!(x > 0.0 && x < 1.0)) return std::numeric_limits<double>::infinity();
    return at(x);
}

UnilateralRows::UnilateralRows(Assembly& parts) : parts_(parts), rows_(parts.rows.unilateral()) {
    const auto count = static_cast<Eigen::Index>(rows_.size());
    is_closed_.assign(rows_.size(), 0);
    is_implied_ = is_latched_ = is_broken_ = is_absent_ = is_closed_;
    for (const int k : rows_) {
        hold_.push_back(parts.rows.laws[k].prestress);
        const auto owner = std::ranges::find_if(parts.rows.owners, [k](const RowOwner& of) {
            return k < of.first_row + of.num_rows;
        });
        signals_.push_back(owner->signals);
    }
    here_.gap.setZero(count);
    here_.rate.setZero(count);
    here_.grazes.assign(rows_.size(), 0);
    A_.setZero(parts.rows.B.size());
    A_there_ = A_;
    pi_t_.setZero(parts.m);
    pi_t_there_ = pi_t_;
    pi_.assign(static_cast<std::size_t>(parts.m), 0.0);
    std::size_t most = 0;
    for (std::size_t b = 0; b < parts.rows.blocks.size(); ++b) {
        const BlockPart& part = parts.rows.blocks[b];
        if (std::ranges::none_of(rows_, [&part](int k) {
                return k >= part.first_row && k < part.first_row + part.num_rows;
            }))
            continue;
        blocks_.push_back(static_cast<int>(b));
        most = std::max(most, static_cast<std::size_t>(part.num_values));
        most = std::max(most, static_cast<std::size_t>(part.num_rows));
    }
    local_A_.assign(most, 0.0);
    local_pi_t_.assign(most, 0.0);
}

std::vector<char> UnilateralRows::rubbing() const {
    std::vector<char> out(rows_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        out[i] = std::ranges::binary_search(parts_.rows.rubbing(), rows_[i]) ? 1 : 0;
    return out;
}

void UnilateralRows::set_rubbing(const std::vector<char>& rubs) {
    std::vector<int> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (rubs[i] != 0) rows.push_back(rows_[i]);
    parts_.rows.set_rubbing(std::move(rows));
}

void UnilateralRows::close(const std::vector<char>& is_closed) {
    is_closed_ = is_closed;
    num_closed_ = static_cast<int>(std::ranges::count(is_closed_, char{1}));
    std::vector<int> closed;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (is_closed_[i] != 0) closed.push_back(rows_[i]);
    parts_.rows.close(closed);
}

bool UnilateralRows::is_commanded_open(int i) const {
    const int signals = signals_[static_cast<std::size_t>(i)];
    if (signals < 0) return false;
    const std::span<const double> z = parts_.signals.discrete_of_part(signals);
    return !z.empty() && z[0] != 0.0;
}

void UnilateralRows::update_latches() {
    for (int i = 0; i < count(); ++i) {
        if (!is_latch(i) || is_latched(i)) continue;
        char& absent = is_absent_[static_cast<std::size_t>(i)];
        if (is_broken_[static_cast<std::size_t>(i)] != 0 || is_commanded_open(i))
            absent = 1;
        else if (absent != 0 && gap(i) > touching())
            absent = 0;
    }
}

void UnilateralRows::renew_latches() {
    for (std::vector<char>* flags : {&is_latched_, &is_broken_, &is_absent_})
        std::ranges::fill(*flags, char{0});
}

void UnilateralRows::evaluate_gaps(const double* q, double t, Eigen::VectorXd& gaps) {
    gaps.resize(static_cast<Eigen::Index>(rows_.size()));
    for (const int b : blocks_) {
        const BlockPart& part = parts_.rows.blocks[b];
        parts_.rows.evaluate_course(
            part, q, t, pi_.data() + part.first_row, local_A_.data(), local_pi_t_.data());
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const double gap = pi_[static_cast<std::size_t>(rows_[i])];
        if (!std::isfinite(gap)) parts_.rows.refuse_row(rows_[i], t);
        gaps[static_cast<Eigen::Index>(i)] = gap;
    }
}

void UnilateralRows::look(const double* q, const double* v, double t) {
    evaluate_gaps(q, t, here_.gap);
    parts_.rows.evaluate_rates(blocks_, q, v, t, A_.data(), pi_t_.data());
    here_.t = t;
    for (int i = 0; i < parts_.n; ++i) top_speed_ = std::max(top_speed_, std::abs(v[i]));
    for (int i = 0; i < count(); ++i) {
        here_.rate[i] = rate(i, v);
        here_.grazes[static_cast<std::size_t>(i)] =
            here_.gap[i] <= touching() && here_.rate[i] >= -at_rest(i, v) ? 1 : 0;
    }
}

double UnilateralRows::least(int i, double gap, double rate, double t, bool of_course) const {
    const Begin& from = of_course ? course_ : here_;
    const double h = t - from.t;
    const double rounding = grazing();
    double out = gap;
    if (from.grazes[static_cast<std::size_t>(i)] != 0) {
        // What it began below zero by is no event.
        out += std::max(rounding, kDeeper * rounding - from.gap[i]);
    } else {
        const double inside =
            GapCourse::between(from.gap[i], h * from.rate[i], gap, h * rate).least_inside();
        if (inside < -rounding) out = std::min(inside, gap);
    }
    // What closed rows close as well moves by their roundings and its own, else it is not held.
    if (is_implied_[static_cast<std::size_t>(i)] != 0) out += rounding;
    // Below the rounding of positions a search for the root has nothing left to find.
    return out >= 0.0 && out < kResolved * extent_ ? 0.0 : out;
}

void UnilateralRows::evaluate(
    const double* q, const double* v, double t, Eigen::VectorXd& gaps, Eigen::VectorXd& rates) {
    evaluate_gaps(q, t, gaps);
    parts_.rows.evaluate_rates(blocks_, q, v, t, A_there_.data(), pi_t_there_.data());
    rates.resize(gaps.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
        rates[static_cast<Eigen::Index>(i)] =
            parts_.rows.multiply_onto(pi_t_there_[rows_[i]], A_there_.data(), rows_[i], v);
}

double UnilateralRows::grazing() const {
    return kGrazed * extent_;
}

double UnilateralRows::at_rest(int i, const double* v) const {
    double reach = 0.0;
    for (const int e : parts_.rows.entries(rows_[i])) reach += std::abs(A_[e]);
    return kAtRest * rate_terms(i, v) + kSpeedRounding * top_speed_ * reach;
}

double UnilateralRows::rate_terms(int i, const double* v) const {
    double sum = std::abs(pi_t_[rows_[i]]);
    parts_.rows.for_entries(rows_[i], [&](int e, int column) {
        sum += std::abs(A_[e] * v[column]);
    });
    return sum;
}

DisjointSets UnilateralRows::islands(const std::vector<char>& closed) const {
    DisjointSets sets(static_cast<std::size_t>(parts_.n));
    const auto join = [&](int k) {
        for (int e = parts_.rows.row_begin(k) + 1; e < parts_.rows.row_end(k); ++e)
            sets.join(parts_.rows.column_of(e - 1), parts_.rows.column_of(e));
    };
    for (int k = 0; k < parts_.m; ++k)
        if (!parts_.rows.is_unilateral(k)) join(k);
    for (int i = 0; i < count(); ++i)
        if (closed[static_cast<std::size_t>(i)] != 0) join(row(i));
    for (const MassEntry& entry : parts_.mass.entries()) sets.join(entry.i, entry.j);
    for (const BodyPart& part : parts_.model.bodies)
        for (int i = part.first + 1; i < part.first + part.count; ++i) sets.join(i, part.first);
    return sets;
}

int UnilateralRows::island(DisjointSets& of, int i) const {
    const int first = parts_.rows.row_begin(row(i));
    return first == parts_.rows.row_end(row(i)) ? -1 : of.root(parts_.rows.column_of(first));
}

}  // namespace ancora
