// SPDX-License-Identifier: BSD-3-Clause
// Numbers of columns over a run.
#include "column_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ancora {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ColumnWatch::ColumnWatch(std::vector<Column> columns,
                         const Simulation& simulation,
                         std::vector<Place> pinned)
    : columns_(std::move(columns)), pinned_(std::move(pinned)), places_(columns_.size()) {
    const std::vector<std::string> names = simulation.column_names();
    std::set<std::string> means;
    for (const int c : simulation.step_mean_columns()) means.insert(names[c]);
    for (const Column& column : columns_) {
        numbers_.push_back(simulation.find_column(column.name));
        in_row_.push_back(
            static_cast<std::size_t>(std::ranges::find(names, column.name) - names.begin()));
        is_mean_.push_back(means.contains(column.name));
        values_.push_back(is_sum(column.take) ? 0.0 : kNotYet);
        follows_ |= column.take != ColumnTake::final;
    }
    row_.resize(names.size());
    now_.resize(columns_.size());
    last_.resize(columns_.size());
    last_time_ = simulation.time();
    if (follows_) take(simulation, true);
}

void ColumnWatch::after_step(const Simulation& simulation) {
    ++step_;
    if (!follows_) return;
    take(simulation, false);
    last_time_ = simulation.time();
}

const std::vector<double>& ColumnWatch::finish(const Simulation& simulation) {
    simulation.values(numbers_, now_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Column& column = columns_[i];
        const bool is_end =
            column.take == ColumnTake::at && std::isnan(values_[i]) &&
            std::abs(column.time - simulation.time()) <= 0.5 * simulation.step_size();
        if (column.take == ColumnTake::final || is_end) values_[i] = now_[i];
        if (column.take == ColumnTake::mean)
            values_[i] /= simulation.time() - simulation.begin_time();
        if (column.take == ColumnTake::largest && !pinned_.empty()) values_[i] *= pinned_[i].sign;
    }
    return values_;
}

void ColumnWatch::take(const Simulation& simulation, bool is_start) {
    simulation.values(numbers_, now_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const ColumnTake what = columns_[i].take;
        if (what == ColumnTake::at) {
            take_at(i, columns_[i].time, simulation, is_start);
        } else if (is_sum(what)) {
            // A mean over the step has its integral; else the trapezoidal rule.
            const double mean = is_mean_[i] ? now_[i] : 0.5 * (now_[i] + last_[i]);
            if (!is_start) values_[i] += (simulation.time() - last_time_) * mean;
        } else if (what != ColumnTake::final && !(is_start && is_mean_[i])) {
            // A mean over the last step has no value before the first.
            take_extreme(i, simulation, is_start);
        }
    }
    last_ = now_;
}

void ColumnWatch::take_extreme(std::size_t i, const Simulation& simulation, bool is_start) {
    const double x = now_[i];
    if (!pinned_.empty()) {
        if (simulation.is_adaptive())
            take_at(i, pinned_[i].time, simulation, is_start);
        else if (pinned_[i].step == step_)
            values_[i] = x;
        return;
    }
    const ColumnTake what = columns_[i].take;
    const double candidate = what == ColumnTake::largest ? std::abs(x) : x;
    const bool is_farther =
        what == ColumnTake::minimum ? candidate < values_[i] : candidate > values_[i];
    if (!std::isnan(values_[i]) && !is_farther) return;
    values_[i] = candidate;
    places_[i] = {step_, simulation.time(), x < 0.0 ? -1.0 : 1.0};
}

/// Of the step end nearest to the time, between two the earlier; inside the last step where the
/// integrator chooses its steps.
void ColumnWatch::take_at(std::size_t i, double time, const Simulation& simulation, bool is_start) {
    const double t = simulation.time();
    const double slack = simulation.is_adaptive() ? 0.0 : 0.5 * simulation.step_size();
    if (!std::isnan(values_[i]) || t + slack < time) return;
    values_[i] = now_[i];
    if (simulation.is_adaptive() && !is_start && t > time && in_row_[i] < row_.size()) {
        simulation.sample_at(std::max(time, last_time_), row_);
        values_[i] = row_[in_row_[i]];
    }
}

}  // namespace ancora
