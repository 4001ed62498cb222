// SPDX-License-Identifier: BSD-3-Clause
// Slides and margins at neighbouring ends and steps.
#include "mode_end.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "difference_moves.hpp"

namespace ancora {
namespace {

constexpr double kMoveOfStressThere = 0x1p-10;  // relative to the largest
// Of the size of what it is the difference of, a root, and the margin of the step before.
constexpr double kEndsMode = 1e-8;

double fourth_order(double near, double far, double d) {
    return (8.0 * near - far) / (12.0 * d);
}

/// That whose rows have modes.
StepPart& part_with_modes(const KernelSystem& system) {
    StepPart* out = nullptr;
    system.step_parts().for_each([&out](StepPart& part) {
        if (part.num_rows() > 0) out = &part;
    });
    return *out;
}

/// What ends a mode by a step, as a system has it.
StepPart::ModeEnd mode_end_of(KernelSystem& system, const AcceptedStep& step, int event) {
    step.before.put(system);
    std::vector<double> motion(static_cast<std::size_t>(system.num_coordinates()));
    std::vector<double> rows(static_cast<std::size_t>(system.num_rows()));
    const StepTrial trial{step.before.t, step.h, view(step.a), view(step.s)};
    system.step_equations()->evaluate(trial, motion, rows);
    return part_with_modes(system).mode_end(trial, event);
}

}  // namespace

ModeEndDerivative::ModeEndDerivative(KernelSystem& system)
    : system_(system), data_(system.step_data()), n_(data_.parts.n) {
    reaches_ = part_with_modes(system).reaches();
    none_.setZero(n_);
    gap_.pi.setZero(data_.parts.m);
}

/// Of the stresses that a margin is made of.
double ModeEndDerivative::largest_stress(const AcceptedStep& step, int event) const {
    const StepPart::Reach& reach = reaches_[static_cast<std::size_t>(event)];
    double most = 0.0;
    for (const std::vector<int>* const rows : {&reach.rows, &reach.own})
        for (const int k : *rows) most = std::max(most, std::abs(step.s[k]));
    return most;
}

/// g of a slide at the state that q_ and v_ are.
double ModeEndDerivative::evaluate_end(double t) const {
    data_.state.q = q_;
    data_.state.v = v_;
    data_.state.q_low.setZero();
    data_.state.v_low.setZero();
    data_.trial.dq.setZero();
    const StepTrial trial{t - step_.h, step_.h, view(none_), view(step_.s)};
    return part_with_modes(system_).mode_end(trial, event_).value;
}

void ModeEndDerivative::take(const AcceptedStep& step, int event) {
    step_ = step;
    event_ = event;
    const double t1 = step.before.t + step.h;
    if (reaches_[static_cast<std::size_t>(event)].own.size() > 1)
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: what slides in several directions stops there, or begins to slide", t1)};
    end_ = mode_end_of(system_, step, event);
    gap_.q.setZero(n_);
    gap_.v.setZero(n_);
    gap_.t = 0.0;
    if (end_.is_mean) {
        size_ = largest_stress(step, event);
        mean_ = {};
        differentiate_mean(step, event, mean_);
        return;
    }
    const StepState end = step.end();
    q_ = end.q;
    v_ = end.v;
    size_ = 0.0;
    const auto slope = [&](double& x, double d) {
        const double kept = x;
        const auto at = [&](double by) {
            x = kept + by * d;
            return evaluate_end(t1);
        };
        const double near = at(1.0) - at(-1.0), far = at(2.0) - at(-2.0);
        x = kept;
        return fourth_order(near, far, d);
    };
    for (const int i : reaches_[static_cast<std::size_t>(event)].acted_on) {
        const double q = end.q[i], v = end.v[i];
        gap_.q[i] = slope(q_[i], move_of_place(q, data_.state.extent));
        gap_.v[i] = slope(v_[i], 1.0);  // linear
        size_ += std::abs(gap_.v[i]) * (std::abs(v) + std::abs(step.before.v[i]));
    }
    const auto end_at = [this](double t) {
        return evaluate_end(t);
    };
    gap_.t = slope_by_time(end_at, t1);
}

bool ModeEndDerivative::is_zero() const {
    return std::abs(end_.at_end(step_.h)) <= kEndsMode * size_;
}

void ModeEndDerivative::differentiate_mean(const AcceptedStep& step, int event, StepFunction& to) {
    const auto e = static_cast<std::size_t>(event);
    to.q.setZero(n_);
    to.dq.setZero(n_);
    to.s.setZero(system_.num_rows());
    AcceptedStep moved = step;
    const auto slope = [&](double& x, double d, double unit) {
        const double kept = x;
        const auto at = [&](double by) {
            x = kept + by * d * unit;
            return mode_end_of(system_, moved, event).value;
        };
        const double near = at(1.0) - at(-1.0), far = at(2.0) - at(-2.0);
        x = kept;
        return fourth_order(near, far, d);
    };
    for (const int i : reaches_[e].coordinates) {
        const double d = move_of_place(step.before.q[i], data_.state.extent);
        to.q[i] = slope(moved.before.q[i], d, 1.0);
        to.dq[i] = slope(moved.before.v[i], d, 1.0 / step.h);
    }
    const double d = kMoveOfStressThere * std::max(largest_entry(step.s), 1e-300);
    for (const std::vector<int>* const rows : {&reaches_[e].rows, &reaches_[e].own})
        for (const int k : *rows) to.s[k] = slope(moved.s[k], d, 1.0);
}

StepFunction ModeEndDerivative::of_step(double weight) const {
    const double factor =
        weight * (end_.last_length > 0.0 ? 1.0 + step_.h / (step_.h + end_.last_length) : 1.0);
    return {factor * mean_.dq,
            factor * mean_.q,
            factor * mean_.s,
            [event = event_, weight, last = end_](KernelSystem& system, const StepTrial& trial) {
                StepPart::ModeEnd end = part_with_modes(system).mode_end(trial, event);
                end.last = last.last;
                end.last_length = last.last_length;
                return weight * end.at_end(trial.h);
            }};
}

double ModeEndDerivative::by_last() const {
    return end_.last_length > 0.0 ? -step_.h / (step_.h + end_.last_length) : 0.0;
}

double ModeEndDerivative::by_last_length() const {
    if (!(end_.last_length > 0.0)) return 0.0;
    const double both = step_.h + end_.last_length;
    return -(end_.value - end_.last) * step_.h / (both * both);
}

StepFunction ModeEndDerivative::mean_of(const AcceptedStep& step,
                                        int event,
                                        double expected,
                                        double weight) {
    const double value = mode_end_of(system_, step, event).value;
    if (std::abs(value - expected) > kEndsMode * largest_stress(step, event))
        throw AdjointObstacle{
            fmt::format("t = {:.6g} s: friction begins to slip by what it has been for longer",
                        step.before.t + step.h)};
    StepFunction out;
    differentiate_mean(step, event, out);
    for (Eigen::VectorXd* const x : {&out.dq, &out.q, &out.s}) *x *= weight;
    out.value = [event, weight](KernelSystem& system, const StepTrial& trial) {
        return weight * part_with_modes(system).mode_end(trial, event).value;
    };
    return out;
}

void ModeEndDerivative::evaluate(KernelSystem& neighbour,
                                 double weight,
                                 Eigen::VectorXd& of_rows) const {
    StepPart::ModeEnd end = mode_end_of(neighbour, step_, event_);
    end.last = end_.last;
    end.last_length = end_.last_length;
    put(event_, weight * end.at_end(step_.h), of_rows);
}

void ModeEndDerivative::evaluate_mean(KernelSystem& neighbour,
                                      const AcceptedStep& step,
                                      int event,
                                      double weight,
                                      Eigen::VectorXd& of_rows) const {
    put(event, weight * mode_end_of(neighbour, step, event).value, of_rows);
}

/// A number of the row that an event is about.
void ModeEndDerivative::put(int event, double value, Eigen::VectorXd& of_rows) const {
    of_rows.setZero(system_.num_rows());
    of_rows[reaches_[static_cast<std::size_t>(event)].own.front()] = value;
}

}  // namespace ancora
