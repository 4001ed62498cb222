// SPDX-License-Identifier: BSD-3-Clause
// Cost of an old factorisation beyond that of a new one.
#include "factor_reuse.hpp"

#include <algorithm>

namespace ancora {
namespace {

constexpr int kFewSteps = 8;            // from a start, until the extrapolation is at its best
constexpr int kKnownWell = 6;           // steps after which the motion can be predicted
constexpr double kFewIterations = 2.0;  // one that moves and one that shows what is left
constexpr int kRefactoriseSteps = 20;   // steps for which each has a matrix of its own

}  // namespace

void FactorReuse::weigh(double h, const SolverCost& cost) {
    known_ = std::min(known_ + 1, kKnownWell);
    steps_ = h == h_ ? steps_ + 1 : 1;
    h_ = h;
    // Costs are numbers of operations, c_i of an iteration and c_f of a factorisation: the same on
    // every machine, so that a run repeats every bit.
    const double few = kFewIterations * cost.iterate;
    if (was_fresh_) {
        // Renewed: a factorisation from before the stresses were known, or one judged by steps
        // without a predictor.
        const double best = known_ < kKnownWell ? cost.iterate : few;
        cost_when_fresh_ = steps_ > kFewSteps ? last_cost_ : std::min(last_cost_, best);
        wasted_ = 0.0;
        if (refactorise_countdown_ > 0) --refactorise_countdown_;
        if (refactorise_countdown_ > 0) is_due_ = true;
        return;
    }
    // A good one whose use suddenly costs more than a factorisation is a warning; after two in a
    // row matrices are not reused for some steps.
    const bool served_well = wasted_ == 0.0;
    // cost - max(cost_fresh, 2 c_i) > c_f: this step alone would have paid for a factorisation.
    const bool is_used_up = last_cost_ - std::max(cost_when_fresh_, few) > cost.factorise;
    // sum over steps of (cost - cost_fresh): renewed at c_f / 2. A cost that grows linearly with
    // age wastes a sum that grows quadratically, and the mean cost per step is least where the sum
    // has reached c_f; half of that is allowed.
    wasted_ += std::max(0.0, last_cost_ - cost_when_fresh_);
    if (wasted_ > 0.5 * cost.factorise) is_due_ = true;
    if (served_well && !is_used_up)
        refactorise_countdown_ = 0;
    else if (served_well)
        refactorise_countdown_ = refactorise_countdown_ < 0 ? kRefactoriseSteps : kNoticed;
}

}  // namespace ancora
