// SPDX-License-Identifier: BSD-3-Clause
// The derivative of velocities that friction's modes bring to their conditions between two steps.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "sparse_differences.hpp"
#include "sparse_lu.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// Where a mode ends, or is about to, velocities are brought to the conditions A of the model, and
/// what sticks behind it to rest, T v + drift = 0; with J of both
///
///   M (y - v) = J^T l,        J y + j_t = 0                                             (1)
///
/// With the derivative L by y,
///
///   M x + J^T n = L,          J x = 0,         L_v <- M x                               (2)
///
/// and positions, time and parameters gain the derivatives of
///
///   l . J x - n . (J y + j_t) - x . M (y - v)                                           (3)
class VelocityCorrection {
public:
    /// @param system  is put to the states of corrections, and of no other use
    explicit VelocityCorrection(KernelSystem& system);

    /// Takes one that leads from a state to that behind it, with the modes that this has.
    /// @param h  length of a step beside it
    /// @param stopped  an event of a part that has come to rest there, whatever it does behind; -1:
    ///        none
    /// @throws AdjointObstacle where it is not (1)
    void take(const StepState& before, const StepState& behind, double h, int stopped);
    /// L becomes that before the correction taken last.
    void pull_back(Costate& of);
    /// The terms of a parameter for the costate pulled back last, as a neighbouring model has them:
    /// one of each coordinate and each row.
    void evaluate(KernelSystem& neighbour,
                  Eigen::VectorXd& of_coordinates,
                  Eigen::VectorXd& of_rows) const;

private:
    void evaluate_rates(KernelSystem& system,
                        const Eigen::VectorXd& q,
                        double t,
                        const Eigen::VectorXd& v,
                        Eigen::VectorXd& rates) const;
    bool meets(const Eigen::VectorXd& v, const Eigen::VectorXd& v1, double h, bool with_modes);
    bool solve(const Eigen::VectorXd& f, const Eigen::VectorXd& r);
    void evaluate_terms(KernelSystem& system,
                        const Eigen::VectorXd& q,
                        double t,
                        Eigen::VectorXd& out) const;

    KernelSystem& system_;
    SystemData data_;
    int n_, m_, all_;
    std::vector<int> blocks_;  // of rows with rates
    std::optional<SparseDifferences> entries_, of_places_;
    FilledMatrix KKT_, M_;
    SparseLu lu_;
    StepState at_;
    std::vector<char> holds_;  // of each row, those of parts behind the model's
    Eigen::VectorXd y_, change_, l_, x_, n_of_, solution_;
};

}  // namespace ancora
