// SPDX-License-Identifier: BSD-3-Clause
// How many steps a factorisation is reused for (modified Newton).
#pragma once

#include <cmath>

#include "ancora/sdk/step_equations.hpp"

namespace ancora {

/// Keeps a matrix from step to step as long as the additional iterations cost less than a new
/// factorisation, counted in operations so that decisions are reproducible.
class FactorReuse {
public:
    /// Whether the next trial is to begin with a new matrix.
    bool is_due() const { return is_due_; }
    /// The present matrix was made before the stresses of a first step were known.
    bool is_from_start() const { return steps_ == 0; }

    /// A step of length h begins. Where the matrix of the last step of the same length has been
    /// lost, the known costs are discarded.
    void begin(double h, bool has_matrix) {
        if (h == h_ && !has_matrix) forget();
    }
    void note_factorised() { is_due_ = false; }
    /// The factorisation of a retry is not reused.
    void give_up() { is_due_ = true; }
    /// Within an iteration a new matrix has taken the place of an old one.
    void note_replaced() { wasted_ = 0.0; }
    /// A trial has converged. @param solved operations of its solves
    void note_converged(bool began_fresh, double solved) {
        was_fresh_ = began_fresh;
        last_cost_ = solved;
    }
    /// After a step of length h was accepted.
    void weigh(double h, const SolverCost& cost);
    /// Discards the known costs, after a discontinuity of the motion.
    void forget() { *this = {}; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive) {
        archive(is_due_);
        archive(steps_);
        archive(known_);
        archive(refactorise_countdown_);
        archive.require(steps_ >= 0 && known_ >= 0 && refactorise_countdown_ >= kNoticed,
                        "a count");
        for (double* number : {&h_, &cost_when_fresh_, &wasted_}) {
            archive(*number);
            archive.require(std::isfinite(*number), "a number of operations");
        }
    }

private:
    static constexpr int kNoticed = -1;

    bool is_due_ = true;
    int steps_ = 0;                  // accepted in a row with the same length
    int known_ = 0;                  // steps from which costs are known, up to a few
    int refactorise_countdown_ = 0;  // steps to come that have a matrix of their own; kNoticed
    double h_ = 0.0;                 // length of the last step
    double cost_when_fresh_ = 0.0;   // operations of a step whose matrix was new
    double wasted_ = 0.0;            // those of later ones beyond that
    bool was_fresh_ = false;         // of the trial that converged last
    double last_cost_ = 0.0;
};

}  // namespace ancora
