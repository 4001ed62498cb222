// SPDX-License-Identifier: BSD-3-Clause
// Velocities of coordinates without mass, which follow from the others.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "sparse_differences.hpp"

namespace ancora {

struct Costate;

/// Velocities of coordinates without mass follow from the others at the end of each step (theory
/// (35)), and steps do not depend on them: derivatives by them go to positions and the other
/// velocities.
class MasslessDerivative {
public:
    /// @param system  is put to the states that are asked for
    explicit MasslessDerivative(KernelSystem& system);

    void move(const StepState& at, Costate& of);
    /// Rows that see coordinates without mass by rounding alone at a state, as a joint in the plane
    /// of a flat body does: they say nothing of these there, nor beside it.
    std::vector<int> unseen_rows(const StepState& at);
    /// Resets such velocities of a system at its present state.
    static void reset(KernelSystem& system, const std::vector<int>& unseen);

private:
    KernelSystem& system_;
    SystemData data_;
    int n_;
    std::optional<SparseDifferences> differences_;
    Eigen::VectorXd q_, v_;
};

}  // namespace ancora
