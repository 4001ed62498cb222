// SPDX-License-Identifier: BSD-3-Clause
// What an old factorisation has cost beyond a fresh one.
#include "factor_reuse.hpp"

#include <algorithm>

namespace ancora {
namespace {

constexpr int kFewSteps = 8;            // from a start, until the extrapolation is at its best
constexpr int kKnownWell = 6;           // steps after which the motion can be predicted
constexpr double kFewIterations = 2.0;  // one that moves and one that shows what is left
constexpr int kEager = 20;              // steps for which each has a matrix of its own

}  // namespace

void FactorReuse::weigh(double h, const SolverCost& cost) {
    known_ = std::min(known_ + 1, kKnownWell);
    steps_ = h == h_ ? steps_ + 1 : 1;
    h_ = h;
    const double few = kFewIterations * cost.iterate;
    if (was_fresh_) {
        // A factorisation from before the stresses were known may not be the best there is; nor one
        // that was judged by steps that could not be predicted.
        const double best = known_ < kKnownWell ? cost.iterate : few;
        cost_when_fresh_ = steps_ > kFewSteps ? last_cost_ : std::min(last_cost_, best);
        wasted_ = 0.0;
        if (eager_ > 0) --eager_;
        if (eager_ > 0) is_due_ = true;
        return;
    }
    // One that served well so far and now costs more than a factorisation at once warns; after two
    // in a row none is used again for some time.
    const bool served_well = wasted_ == 0.0;
    const bool is_used_up = last_cost_ - std::max(cost_when_fresh_, few) > cost.factorise;
    wasted_ += std::max(0.0, last_cost_ - cost_when_fresh_);
    if (wasted_ > 0.5 * cost.factorise) is_due_ = true;
    if (served_well && !is_used_up)
        eager_ = 0;
    else if (served_well)
        eager_ = eager_ < 0 ? kEager : kWarned;
}

}  // namespace ancora
