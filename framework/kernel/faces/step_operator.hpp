// SPDX-License-Identifier: BSD-3-Clause
// Solution operators of the matrix of a step, in layers.
#pragma once

#include <span>

namespace ancora {

/// The inverse of a step's matrix, or of a part of it. Operators are layers: each solves with the
/// one below and adds the effect of its own rows, or of a low-rank update.
class StepOperator {
public:
    /// [step] K (ddq, ds) = (r_motion, r_rows), with the rows of the layers below and its own.
    virtual void solve(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds) = 0;

    StepOperator() = default;
    StepOperator(const StepOperator&) = delete;
    StepOperator& operator=(const StepOperator&) = delete;

protected:
    ~StepOperator() = default;
};

}  // namespace ancora
