// SPDX-License-Identifier: BSD-3-Clause
// The derivative of what ends a mode of friction: the instant at which it sticks, or slips.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// A mode ends where a function g of the step is zero. What slides stops where its velocity is,
/// g(q1, v1, t1). What sticks slips where the margin m to its limit is, which is known as a mean
/// over steps and is extrapolated to the step's end:
///
///   g = m + (m - m_last) h / (h + h_last),        m(dq, q0, s)
class ModeEndDerivative {
public:
    explicit ModeEndDerivative(KernelSystem& system);

    /// Takes the end of a mode by a step.
    /// @throws AdjointObstacle where there is no derivative
    void take(const AcceptedStep& step, int event);
    /// g, of which it is a mean that counts, and the size of what it is the difference of.
    bool is_mean() const { return end_.is_mean; }
    bool is_zero() const;
    /// Of the end of the step; where it is no mean.
    const Costate& gap() const { return gap_; }
    /// Of the step; where it is one.
    StepFunction of_step(double weight) const;
    /// dg / d(m_last), dg / d(h_last) of the step taken last; zero: there is none before.
    double by_last() const;
    double by_last_length() const;
    /// m of a step before, which that one has counted with.
    /// @throws AdjointObstacle where it is another
    StepFunction mean_of(const AcceptedStep& step, int event, double expected, double weight);
    double last() const { return end_.last; }
    /// weight g of the step taken last, as a neighbouring model has it.
    void evaluate(KernelSystem& neighbour, double weight, Eigen::VectorXd& of_rows) const;
    /// weight m of a step.
    void evaluate_mean(KernelSystem& neighbour,
                       const AcceptedStep& step,
                       int event,
                       double weight,
                       Eigen::VectorXd& of_rows) const;

private:
    double largest_stress(const AcceptedStep& step, int event) const;
    void put(int event, double value, Eigen::VectorXd& of_rows) const;
    double evaluate_end(double t) const;
    void differentiate_mean(const AcceptedStep& step, int event, StepFunction& to);

    KernelSystem& system_;
    SystemData data_;
    int n_;
    std::vector<StepPart::Reach> reaches_;  // of each event
    AcceptedStep step_;
    int event_ = -1;
    StepPart::ModeEnd end_;
    double size_ = 0.0;
    Costate gap_;
    StepFunction mean_;
    Eigen::VectorXd q_, v_, none_;
};

}  // namespace ancora
