// SPDX-License-Identifier: BSD-3-Clause
// Solves with the factors of a constrained system, refined to rounding.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <Eigen/Core>

#include "constrained_solver.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// M x = f + A^T lambda, A x = r by iterative refinement: corrections, each the solve of what is
/// left, until they no longer halve.
struct RefinedSolve {
    static constexpr int kMostTurns = 6;

    Eigen::VectorXd x, lambda;

    /// @param residual writes f + A^T lambda - M x and r - A x, given x and lambda
    /// @returns false if there is no solution
    template <class Residual>
    bool solve(ConstrainedSolver& solver,
               Eigen::Index num_coordinates,
               Eigen::Index num_rows,
               const Residual& residual) {
        x.setZero(num_coordinates);
        lambda.setZero(num_rows);
        dx_.setZero(num_coordinates);
        dlambda_.setZero(num_rows);
        double last = std::numeric_limits<double>::infinity();
        for (int turn = 0; turn < kMostTurns; ++turn) {
            residual(left_f_, left_r_);
            if (!solver.solve(view(left_f_),
                              view(left_r_),
                              {dx_.data(), static_cast<std::size_t>(num_coordinates)},
                              {dlambda_.data(), static_cast<std::size_t>(num_rows)}))
                return false;
            const double change = largest_entry(dx_);
            if (!std::isfinite(change)) return false;
            if (!(change < 0.5 * last)) break;
            x += dx_;
            lambda += dlambda_;
            last = change;
        }
        return true;
    }

private:
    Eigen::VectorXd dx_, dlambda_, left_f_, left_r_;
};

}  // namespace ancora
