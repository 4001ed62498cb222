// SPDX-License-Identifier: BSD-3-Clause
// Violations of constraints, and the lag of prescribed motion behind its functions.
#pragma once

#include <utility>

#include <Eigen/Core>

#include "assembly.hpp"

namespace ancora {

/// Largest constraint residuals of a state, evaluated from q.
struct Violation {
    double position = 0.0;  ///< of the model's constraints
    double velocity = 0.0;
    double strain = 0.0;  ///< of exactly rigid bodies and links
};

/// Residuals, measured before a state is accepted and recorded with it.
class Violations {
public:
    explicit Violations(Assembly& parts);

    /// [step] @throws FailedCall (plugin) for a row that is not finite there
    /// @param t_of_rates  for prescribed rates: just after t, where they jump at t
    void measure(const double* q, const double* v, double t, double t_of_rates);
    void measure(const double* q, const double* v, double t) { measure(q, v, t, t); }
    /// The state measured last is the present one.
    void note();
    /// Exchanges the reported residuals with those measured last, to report a state temporarily.
    void exchange() { std::swap(now_, next_); }

    const Violation& now() const { return now_; }
    const Violation& worst() const { return worst_; }
    void show(const Violation& shown) { now_ = shown; }
    void forget_worst() { worst_ = {}; }

    /// A prescribed motion advances by h, or by the difference of two rounded times, as its author
    /// has written it, so that round-off accumulates over a long run. So rows of explicit time are
    /// compared with their functions at the grid's time t, and a share of the difference beyond the
    /// round-off of these is corrected in the next step.
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
