// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a step's row equations by their increments, strains and stresses.
#pragma once

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "object_differences.hpp"
#include "recorded_run.hpp"

namespace ancora {

/// r_rows of StepDerivative by I, pi0 and s.
class LawDerivative {
public:
    explicit LawDerivative(KernelSystem& system);

    /// Takes them at a step that the system has evaluated last.
    /// @throws AdjointObstacle where a law has a corner
    void take(const AcceptedStep& step);

    Triplets by_increments, by_strains;
    Eigen::VectorXd gamma;  ///< r_rows by s is -gamma

private:
    SystemData data_;
    int m_;
};

}  // namespace ancora
