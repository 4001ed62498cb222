// SPDX-License-Identifier: BSD-3-Clause
// How far constraints are from being met, and what prescribed motion lags behind its functions.
#pragma once

#include <utility>

#include <Eigen/Core>

#include "assembly.hpp"

namespace ancora {

/// Largest gaps of a state, from q afresh.
struct Violation {
    double position = 0.0;  ///< of the model's constraints
    double velocity = 0.0;
    double strain = 0.0;  ///< of exactly rigid bodies and links
};

/// Measured before a state is accepted, noted with it.
class Violations {
public:
    explicit Violations(Assembly& parts);

    /// [step] @throws FailedCall (plugin) for a row that is not finite there
    /// @param t_of_rates  for what is prescribed: a rounding behind t, where that jumps at t
    void measure(const double* q, const double* v, double t, double t_of_rates);
    void measure(const double* q, const double* v, double t) { measure(q, v, t, t); }
    /// The state measured last is the present one.
    void note();
    /// Exchanges what is shown with what was measured last, to show a state in passing.
    void exchange() { std::swap(now_, next_); }

    const Violation& now() const { return now_; }
    const Violation& worst() const { return worst_; }
    void show(const Violation& shown) { now_ = shown; }
    void forget_worst() { worst_ = {}; }

    /// What is prescribed moves on by h, or by the difference of two rounded times, as its author
    /// has written it, and the roundings of a long run add up. So rows of explicit time are
    /// compared with their functions at the grid's time t, and a share of what is no rounding of
    /// these is closed in the next step.
    void note_lag(double t, MotionState& state) const;

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(now_);
        archive(worst_);
    }

private:
    Assembly& parts_;
    Violation now_, next_, worst_;
    Eigen::VectorXd pi_, A_, pi_t_;  // at the state measured last
};

}  // namespace ancora
