// SPDX-License-Identifier: BSD-3-Clause
// Looks ahead for break points.
#include "break_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ancora {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Looks in a step of fixed length, and in a run whose steps choose their length; there no farther
// apart than so many first steps.
constexpr double kLooksInStep = 4.0;
constexpr double kLooksInRun = 16384.0;
constexpr double kFirstSteps = 100.0;
// Looked at in one go, in looks.
constexpr double kAhead = 64.0;
constexpr double kBehind = 8.0;
constexpr std::size_t kMost = 1024;

}  // namespace

BreakSchedule::BreakSchedule(const Model& model, const IntegratorSettings& settings)
    : model_(model),
      steps_(model.traits.is_adaptive              ? StepKind::controlled
             : model.traits.face == Face::discrete ? StepKind::mean
                                                   : StepKind::stages),
      spacing_(model.traits.is_adaptive ? std::min((settings.end - settings.begin) / kLooksInRun,
                                                   kFirstSteps * settings.step)
                                        : settings.step / kLooksInStep),
      known_from_(kInfinity),
      known_to_(-kInfinity) {
    for (const Model::ObjectBreakPoints& of : model.break_points)
        call_plugin(of.object, "BreakPoints::is_sampled", [&] {
            is_sampled_ |= of.points->is_sampled();
        });
}

double BreakSchedule::next(double after, double until) {
    if (model_.break_points.empty() || !(until > after)) return kInfinity;
    if (!(after >= known_from_ && until <= known_to_)) look(after, until);
    const auto found = std::upper_bound(known_.begin(), known_.end(), after);
    return found != known_.end() && *found <= until ? *found : kInfinity;
}

void BreakSchedule::look(double after, double until) {
    known_.clear();
    known_from_ = after - kBehind * spacing_;
    known_to_ = std::max(until, after + kAhead * spacing_);
    for (double t = find(known_from_, known_to_); t < kInfinity; t = find(t, known_to_)) {
        known_.push_back(t);
        if (known_.size() < kMost || t <= until) continue;
        known_to_ = t;
        break;
    }
}

double BreakSchedule::find(double after, double until) const {
    double first = kInfinity;
    for (const Model::ObjectBreakPoints& of : model_.break_points) {
        double here = kInfinity;
        call_plugin(of.object, "BreakPoints::next", [&] {
            here = of.points->next(after, std::min(until, first), spacing_, steps_);
        });
        if (!(here > after))
            throw Error(ErrorKind::plugin,
                        fmt::format("{}: BreakPoints::next({:.17g}) returns {:.17g}, which does "
                                    "not lie behind it",
                                    of.object.label,
                                    after,
                                    here),
                        of.object.place);
        first = std::min(first, here);
    }
    return first;
}

}  // namespace ancora
