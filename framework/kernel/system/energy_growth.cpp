// SPDX-License-Identifier: BSD-3-Clause
// Detection of unbounded growth of the kinetic energy, and its cause.
#include "energy_growth.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ancora {
namespace {

constexpr double kMark = 100.0;  // ten times the speed
// So many in a row: a thousand times the speeds that are in play.
constexpr int kMarks = 3;
// Of what grows like t^p each mark takes 100^(1/p) times as long as all before it together: more
// than this for p below 11, and one where the growth is exponential.
constexpr double kLonger = 1.5;
// An energy that does not close by this part of itself has not come by works.
constexpr double kOpen = 0.1;

}  // namespace

/// mark: the energy that the next hundredfold counts from; count = -1 until T exceeds it.
void EnergyGrowth::Marks::begin(double in_play, double t) {
    *this = {};
    from = mark = in_play;
    from_t = mark_t = now_t = t;
    count = -1;
}

void EnergyGrowth::Marks::note(double kinetic, double t) {
    const double step = t - now_t;
    now_t = t;
    most = std::max(most, kinetic);
    if (count >= kMarks || !(kinetic > (count < 0 ? mark : kMark * mark))) return;
    // T = 100 mark is reached after `took`; the growth keeps its pace if the next hundredfold takes
    // no more than kLonger times that, but for a step.
    const double took = t - mark_t;
    // Two hundredfolds within one step are no growth but a push.
    const bool has_jumped = kinetic > (count < 0 ? kMark : kMark * kMark) * mark;
    if (count < 0 && !has_jumped) {  // it begins to be more than was in play
        count = 0;
        from_t = mark_t = t;
        return;
    }
    if (has_jumped || (count > 0 && took > kLonger * last_took + step)) {
        // A push, or growth that becomes slower: another one may begin here
        count = 0;
        from = mark = kinetic;
        from_t = mark_t = t;
        return;
    }
    ++count;
    last_took = took;
    mark *= kMark;
    mark_t = t;
}

/// T has grown 100^3 fold, each hundredfold at the pace of the one before or faster.
bool EnergyGrowth::Marks::has_run_away() const {
    return count >= kMarks;
}

EnergyGrowth::EnergyGrowth(const Assembly& parts) : parts_(parts) {
    works_.setZero(static_cast<Eigen::Index>(parts.model.forces.size()));
}

void EnergyGrowth::begin(double in_play, double t) {
    marks_.begin(in_play, t);
    in_play_ = in_play;
    works_.setZero();
}

/// W_f += f . du of a step, or h times the power at its end, a rectangle rule that is good enough
/// for the size of a work.
void EnergyGrowth::add_works(double factor) {
    for (int f = 0; f < static_cast<int>(works_.size()); ++f)
        works_[f] += factor * parts_.forces.work(f);
}

std::string EnergyGrowth::cause(const Ledger& ledger,
                                const EffortWorks& efforts,
                                bool has_failed) const {
    const Balances& now = ledger.now();
    // T > 100^3 of what was in play, or the marks have counted as many hundredfolds in a row.
    const bool is_large = now.kinetic > std::pow(kMark, kMarks) * in_play_;
    if (!marks_.has_run_away() && !(has_failed && is_large)) return {};
    // The balance is open: the energy came from the integration, not from forces.
    if (std::abs(now.energy) > kOpen * marks_.most) return {};
    std::string by;
    double work = 0.0;
    for (int f = 0; f < static_cast<int>(works_.size()); ++f)
        if (works_[f] > work) {
            work = works_[f];
            by = parts_.model.forces[f].object.label;
        }
    if (const auto [label, most] = efforts.largest_of_constraints(); most > work) {
        work = most;
        by = label;
    }
    if (by.empty()) {
        by = "stored energy, of which no single object is known";
    } else {
        by += fmt::format(" ({:.3g} J in all)", work);
    }
    return fmt::format(
        "the energy of motion grew from {:.3g} J{} to {:.3g} J, most by the work of {}; shorter "
        "steps do not mend that: look at the sign of what grows with the motion that it causes (a "
        "formula, a gain, a slope), and at where it ends",
        marks_.has_run_away() ? marks_.from : in_play_,
        marks_.has_run_away() && marks_.from_t > 0.0
            ? fmt::format(" at t = {:.6g} s", marks_.from_t)
            : " in play at the start",
        std::max(marks_.most, now.kinetic),
        by);
}

}  // namespace ancora
