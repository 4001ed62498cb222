// SPDX-License-Identifier: BSD-3-Clause
// Whether a force or a law jumps between two steps.
#pragma once

#include <optional>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// Residuals r are zero at each step x = (dq, q0, a, s, pi0), so that between two that follow each
/// other, with times apart,
///
///   r(x1) - r(x0) = (r'(x0) + r'(x1)) / 2 . (x1 - x0) + O(|x1 - x0|^3)                       (1)
///
/// leaves nothing that is larger than what the slopes r' differ by, as where slopes jump, or than
/// half of the terms. A force that jumps on the way, as by a condition on the state, leaves its
/// jump: when it comes depends on parameters, and no derivative of the steps knows that. A smooth
/// force that bends there is, on the way, where its values and slopes at the ends have it,
///
///   p (1 - p) ((1 - p) r'(x0) - p r'(x1)) . (x1 - x0)   at a part p                            (2)
///
/// and one that jumps is off by a quarter of its jump at p = 1/3 or 2/3, or by more.
class JumpCheck {
public:
    explicit JumpCheck(KernelSystem& system) : system_(system) {}

    /// Looks between the step taken last and this one.
    /// @param of  has taken this step
    /// @param next  that is taken next; null where there is none
    /// @throws AdjointObstacle where something jumps
    void take(const StepDerivative& of, const AcceptedStep& step, const AcceptedStep* next);
    /// The step that comes next follows none.
    void reset() { ahead_.reset(); }

private:
    struct Way {
        Eigen::VectorXd dq, q, a, s, pi;
    };
    /// Changes of motion and rows along it, by the slopes at one end.
    struct Change {
        Eigen::VectorXd motion, rows;
    };
    static Way between(const AcceptedStep& from, const AcceptedStep& to);
    static AcceptedStep on_the_way(const AcceptedStep& one, const AcceptedStep& other, double part);
    bool are_alike(const AcceptedStep& one, const AcceptedStep& other) const;
    bool jumps(const StepDerivative::Change& here, const AcceptedStep& step);

    KernelSystem& system_;
    /// On the way to the step that comes next, with the slopes of the one taken last.
    std::optional<StepDerivative::Change> ahead_;
    Way way_;
    AcceptedStep last_;
};

}  // namespace ancora
