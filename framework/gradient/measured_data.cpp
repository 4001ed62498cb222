// SPDX-License-Identifier: BSD-3-Clause
// Measured data, and a run's columns at their times.
#include "measured_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "model_parameter.hpp"
#include "table_file.hpp"
#include "wording.hpp"

namespace ancora {

DataWatch::DataWatch(const MeasuredData& data, const Simulation& simulation)
    : data_(data), is_adaptive_(simulation.is_adaptive()) {
    const std::vector<std::string> names = simulation.column_names();
    std::set<std::string> means;
    for (const int c : simulation.step_mean_columns()) means.insert(names[c]);
    for (const std::string& column : data.columns) {
        numbers_.push_back(simulation.find_column(column));
        in_row_.push_back(
            static_cast<std::size_t>(std::ranges::find(names, column) - names.begin()));
        is_mean_.push_back(means.contains(column) ? 1 : 0);
        is_place_.push_back(is_of_places(unit_of({column, column}, simulation)) ? 1 : 0);
    }
    const double slack = 1e-9 * (simulation.end_time() - simulation.begin_time());
    if (data.t.front() < simulation.begin_time() - slack ||
        data.t.back() > simulation.end_time() + slack)
        throw Error(ErrorKind::usage,
                    fmt::format("the data are from {} s to {} s, the run is from {} s to {} s; "
                                "set integrator.begin and integrator.end",
                                data.t.front(),
                                data.t.back(),
                                simulation.begin_time(),
                                simulation.end_time()));
    row_.resize(names.size());
    now_.resize(numbers_.size());
    values_.assign(data.t.size() * numbers_.size(), std::numeric_limits<double>::quiet_NaN());
    if (!is_adaptive_)
        kept_.reserve(numbers_.size() * (static_cast<std::size_t>(simulation.num_steps()) + 1));
    keep(simulation);
}

void DataWatch::after_step(const Simulation& simulation) {
    keep(simulation);
}

void DataWatch::keep(const Simulation& simulation) {
    const double t = simulation.time();
    if (!is_adaptive_) {
        simulation.values(numbers_, now_);
        times_.push_back(t);
        kept_.insert(kept_.end(), now_.begin(), now_.end());
        return;
    }
    const double slack = 1e-9 * (simulation.end_time() - simulation.begin_time());
    for (; next_ < data_.t.size() && data_.t[next_] <= t + slack; ++next_) {
        const double at = std::min(data_.t[next_], t);
        if (simulation.steps_done() > 0 && at < t)
            simulation.sample_at(at, row_);
        else
            simulation.sample(row_);
        for (std::size_t c = 0; c < in_row_.size(); ++c)
            values_[next_ * in_row_.size() + c] = row_[in_row_[c]];
    }
}

std::vector<double> DataWatch::finish(const Simulation& simulation) {
    if (is_adaptive_) return values_;
    for (const ImpactEvent& event : simulation.impacts())
        if (jumps_.empty() || event.t > jumps_.back()) jumps_.push_back(event.t);
    for (std::size_t k = 0; k < data_.t.size(); ++k)
        for (std::size_t c = 0; c < numbers_.size(); ++c)
            values_[k * numbers_.size() + c] =
                is_mean_[c] != 0 ? of_rows(c, data_.t[k]) : on_its_side(c, data_.t[k]);
    return values_;
}

/// A mean over a step as history.csv has it: in the row of its end, that of the first step in the
/// row of the start too.
double DataWatch::of_rows(std::size_t column, double t) const {
    const std::size_t first = times_.size() > 1 ? 1 : 0;
    return through_nearest(column, std::max(t, times_[first]), first, times_.size());
}

/// Of the step ends that no impact parts from t.
double DataWatch::on_its_side(std::size_t column, double t) const {
    const auto behind = std::ranges::upper_bound(jumps_, t);
    std::size_t first = 0, end = times_.size();
    const auto place_of = [this](double x) {
        return static_cast<std::size_t>(std::ranges::lower_bound(times_, x) - times_.begin());
    };
    // A row at the time of an impact is behind it.
    if (behind != jumps_.begin()) first = place_of(*(behind - 1));
    if (behind != jumps_.end()) end = place_of(*behind);
    // Two impacts in a step: nothing is known between them.
    if (first >= end || is_place_[column] != 0) return through_nearest(column, t, 0, times_.size());
    return through_nearest(column, t, first, end);
}

/// The cubic through the four nearest step ends of those from `first` on, or through all where
/// there are fewer.
double DataWatch::through_nearest(std::size_t column,
                                  double t,
                                  std::size_t first,
                                  std::size_t end) const {
    const std::size_t count = std::min<std::size_t>(4, end - first);
    const auto above =
        static_cast<std::size_t>(std::ranges::lower_bound(times_, t) - times_.begin());
    const std::size_t begin = std::clamp(above >= 2 ? above - 2 : 0, first, end - count);
    double sum = 0.0;
    for (std::size_t i = begin; i < begin + count; ++i) {
        double weight = 1.0;
        for (std::size_t j = begin; j < begin + count; ++j)
            if (j != i) weight *= (t - times_[j]) / (times_[i] - times_[j]);
        sum += weight * kept_[i * numbers_.size() + column];
    }
    return sum;
}

MeasuredData read_measured(const std::filesystem::path& file,
                           std::span<const std::string> columns) {
    Table value;
    value.set("file", std::filesystem::absolute(file).string());
    if (!columns.empty()) {
        Array names;
        for (const std::string& column : columns) names.emplace_back(column);
        value.set("columns", std::move(names));
    }
    const TableFile table = read_table_file("measured data", value, {}, {}, 0);
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::file, fmt::format("{}: {}", in_quotes(file.string()), why));
    };
    if (table.names.empty())
        refuse("the file has no heading that names its columns, t and columns of history.csv");
    MeasuredData out;
    out.columns.assign(table.names.begin() + 1, table.names.end());
    if (out.columns.empty()) refuse("it has no column beside the time");
    const std::size_t width = table.names.size();
    for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row) {
        const double t = table.numbers[row * width];
        if (!out.t.empty() && !(t > out.t.back()))
            refuse(fmt::format("times do not ascend: {} s follows {} s", t, out.t.back()));
        out.t.push_back(t);
        for (std::size_t c = 1; c < width; ++c)
            out.values.push_back(table.numbers[row * width + c]);
    }
    return out;
}

}  // namespace ancora
