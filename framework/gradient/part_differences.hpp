// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of what parts of a system add to a step's equations: dry friction within its modes.
#pragma once

#include <optional>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "object_differences.hpp"
#include "recorded_run.hpp"
#include "sparse_differences.hpp"

namespace ancora {

/// While it lives, laws of parts are linear, those at the trial evaluated last.
class HeldLaws {
public:
    explicit HeldLaws(KernelSystem& system);
    HeldLaws(const HeldLaws&) = delete;
    HeldLaws& operator=(const HeldLaws&) = delete;
    ~HeldLaws() { hold(false); }

private:
    void hold(bool on) const;

    KernelSystem& system_;
};

/// A part adds forces to r_motion and rows r_part with stresses of its own, which follow those of
/// the model's rows. In the modes that it is in both are smooth functions of (dq, q0, s). Its laws
/// are taken for linear, as they are at the step, which is what makes differences know them to the
/// last digits: |x| of a friction's slide bends within a slide that no difference could be as small
/// as.
class PartDifferences {
public:
    explicit PartDifferences(KernelSystem& system);
    /// Rows of parts.
    int num_rows() const { return count_; }

    /// Takes them at a step that has been evaluated, which the system then is to evaluate again.
    /// @throws AdjointObstacle where there are none
    void take(const AcceptedStep& step, const Eigen::VectorXd& q, const Eigen::VectorXd& dq);

    Triplets motion_dq, motion_q;  ///< r_motion
    Triplets motion_s;             ///< by stresses of own rows, counted from the first
    Triplets rows_dq, rows_q;      ///< r_part, counted from the first
    Triplets rows_s;               ///< by stresses of all rows

private:
    void evaluate(const AcceptedStep& step, Eigen::VectorXd& out);

    KernelSystem& system_;
    SystemData data_;
    int n_, m_, count_;
    std::optional<SparseDifferences> of_places_, of_stresses_;
    Eigen::VectorXd q_, dq_, s_, r_rows_;
};

}  // namespace ancora
