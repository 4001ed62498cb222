// SPDX-License-Identifier: BSD-3-Clause
// Unilateral rows as data: gaps, rates, and the least gap within a step.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "assembly.hpp"

namespace ancora {

/// A gap over a step, from what it is and how it changes at both ends:
///
///   g(x) = g0 + b x + c x^2 + d x^3,   0 <= x <= 1                                       (1)
///
/// Exact for rows of degree 2 on a straight way, and for those of degree 1 in free fall. The chord
/// of a step would do as well but for what slides along a convex body: it cuts that off.
struct GapCourse {
    double g0, b, c, d;

    static GapCourse between(double g0, double slope0, double g1, double slope1) {
        const double rise = g1 - g0;
        return {g0, slope0, 3.0 * rise - 2.0 * slope0 - slope1, slope0 + slope1 - 2.0 * rise};
    }
    double at(double x) const { return g0 + x * (b + x * (c + x * d)); }
    /// The least minimum inside; +inf if there is none. Its ends are no candidates.
    double least_inside() const;
};

/// The unilateral rows of a model, in the order of RowSet::unilateral().
class UnilateralRows {
public:
    explicit UnilateralRows(Assembly& parts);

    int count() const { return static_cast<int>(rows_.size()); }
    int row(int i) const { return rows_[i]; }
    bool is_closed(int i) const { return is_closed_[i] != 0; }
    bool any_closed() const { return num_closed_ > 0; }
    double restitution(int i) const { return parts_.rows.laws[rows_[i]].restitution; }
    ImpactLaw impact_law(int i) const { return parts_.rows.laws[rows_[i]].impact; }
    const std::vector<char>& closed() const { return is_closed_; }
    /// Touches, and has no motion beside the closed rows: these close it as well.
    bool is_implied(int i) const { return is_implied_[i] != 0; }
    void set_implied(const std::vector<char>& is_implied) { is_implied_ = is_implied; }
    const std::vector<char>& implied() const { return is_implied_; }

    // --- latches: rows that hold, once closed, with both signs of their reaction

    /// The force up to which it holds; zero of a row that is no latch.
    double hold(int i) const { return hold_[static_cast<std::size_t>(i)]; }
    bool is_latch(int i) const { return hold(i) > 0.0; }
    /// Has caught, and is a condition of the model.
    bool is_latched(int i) const { return is_latched_[static_cast<std::size_t>(i)] != 0; }
    const std::vector<char>& latched() const { return is_latched_; }
    void set_latched(const std::vector<char>& is_latched) { is_latched_ = is_latched; }
    /// Is not there: broken, opened by its command, or passed, so that it would catch from the
    /// other side.
    bool is_absent(int i) const { return is_absent_[static_cast<std::size_t>(i)] != 0; }
    /// Whether the first discrete state of its constraint, the command, is not zero.
    bool is_commanded_open(int i) const;
    void break_latch(int i) { is_broken_[static_cast<std::size_t>(i)] = 1; }
    /// At the state looked at: those that were absent are there again once their gap has opened.
    void update_latches();
    /// All are whole and open.
    void renew_latches();
    std::vector<char>& broken() { return is_broken_; }
    std::vector<char>& absent() { return is_absent_; }

    /// Rows of the model are constraints where this says that, and nothing elsewhere.
    void close(const std::vector<char>& is_closed);

    /// Those that rub over a step that goes over all events.
    std::vector<char> rubbing() const;
    void set_rubbing(const std::vector<char>& rubs);

    /// [step] Gaps, Jacobian and explicit rates at a state, from where steps begin.
    void look(const double* q, const double* v, double t);
    /// What of gaps and rates is rounding: rows within these touch, and rest.
    static constexpr double kTouching = 1e-12;  // of the model's size
    static constexpr double kLeft = 1e-9;       // of that size: closed rows drift by less
    static constexpr double kAtRest = 1e-11;    // of the terms of the rate
    double touching() const { return kTouching * extent_; }
    double at_rest(int i, const double* v) const;
    /// What is below zero by less is rounding of positions.
    double grazing() const;
    /// The fastest that a coordinate has been: what moves by a rounding of that is at rest.
    double& top_speed() { return top_speed_; }
    void set_extent(double extent) { extent_ = extent; }
    double gap(int i) const { return here_.gap[i]; }
    double rate_at_begin(int i) const { return here_.rate[i]; }
    /// C_i v + d gap / dt, at the state looked at.
    double rate(int i, const double* v) const {
        return parts_.rows.multiply_onto(pi_t_[rows_[i]], A_.data(), rows_[i], v);
    }
    double explicit_rate(int i) const { return pi_t_[rows_[i]]; }
    /// Its Jacobian is zero there: nothing can press, and steps only may not go beyond it.
    bool acts_on_nothing(int i) const {
        for (const int e : parts_.rows.entries(rows_[i]))
            if (A_[e] != 0.0) return false;
        return true;
    }
    /// The sum of the sizes of its terms.
    double rate_terms(int i, const double* v) const;

    /// [step] A course begins at the state looked at.
    void begin_course() { course_ = here_; }
    double begin_of_course() const { return course_.t; }
    /// Gap i from the state looked at, or from where the course began, to a state at t: its least
    /// value inside, if that is below zero by more than rounding, else that at the end. Of a row
    /// that touches and does not approach from the start the end alone counts, with the tolerance
    /// of rounding.
    double least(int i, double gap, double rate, double t, bool of_course) const;
    /// Of a closed row what it presses by; but where its gap opens nevertheless, since what touched
    /// has left the place where it can, the rest of it below zero.
    double stays_in_touch(int i, double gap, double pressure) const {
        const double left = kLeft * extent_;
        return is_latched(i) || !(gap > left) ? pressure : left - gap;
    }
    /// At the state looked at, which is the last before stays_in_touch() is below zero.
    bool has_left(int i) const { return is_closed(i) && gap(i) > 0.5 * kLeft * extent_; }

    /// Coordinates that conditions, these rows, masses and bodies join.
    DisjointSets islands(const std::vector<char>& closed) const;
    /// Of row i; -1 of a row without entries.
    int island(DisjointSets& of, int i) const;

    /// [step] Gaps and rates at another state; those looked at stay.
    void evaluate(
        const double* q, const double* v, double t, Eigen::VectorXd& gaps, Eigen::VectorXd& rates);

private:
    void evaluate_gaps(const double* q, double t, Eigen::VectorXd& gaps);

    Assembly& parts_;
    std::vector<int> rows_, blocks_;
    std::vector<char> is_closed_, is_implied_;
    std::vector<double> hold_;
    std::vector<char> is_latched_, is_broken_, is_absent_;
    std::vector<int> signals_;  // of the constraint of each row, -1 without
    int num_closed_ = 0;
    Eigen::VectorXd A_, pi_t_;  // of all rows, at the state looked at
    Eigen::VectorXd A_there_, pi_t_there_;
    /// Where a step begins.
    struct Begin {
        double t = 0.0;
        Eigen::VectorXd gap, rate;
        std::vector<char> grazes;  // touch and do not approach
    };
    Begin here_, course_;
    double extent_ = 1.0;
    double top_speed_ = 0.0;
    std::vector<double> pi_, local_A_, local_pi_t_;
};

}  // namespace ancora
