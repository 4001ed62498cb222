// SPDX-License-Identifier: BSD-3-Clause
// Runs a case and writes its row.
#include "case_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/printable.hpp"
#include "ancora/framework/run.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();

/// The first cells of a row: which case, and its values.
std::string begin_of_row(const Study& study, std::size_t index) {
    std::string row = fmt::format("{}", index);
    for (const std::string& value : study.values(index)) row.append(1, ',').append(csv_cell(value));
    return row;
}

const char* name_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
            return "usage";
        case ErrorKind::manifest:
            return "model";
        case ErrorKind::plugin:
            return "plugin";
        case ErrorKind::numerical:
            return "numerical";
        case ErrorKind::file:
            return "file";
        default:
            return "internal";
    }
}

/// Follows the columns of a run that the study asks for.
class Watch {
public:
    Watch(const Study& study, const Simulation& simulation) : study_(study) {
        const std::vector<std::string> names = simulation.column_names();
        std::set<std::string> means;
        for (const int c : simulation.step_mean_columns()) means.insert(names[c]);
        for (const StudyColumn& measure : study.measures) {
            columns_.push_back(simulation.find_column(measure.column));
            in_row_.push_back(std::ranges::find(names, measure.column) - names.begin());
            is_mean_.push_back(means.contains(measure.column));
            follows_ |= measure.take != StudyColumn::Take::final;
        }
        row_.resize(names.size());
        values_.assign(columns_.size(), kNotYet);
        now_.resize(columns_.size());
        last_time_ = simulation.time();
        if (follows_) take(simulation, true);
    }

    void after_step(const Simulation& simulation) {
        if (!follows_) return;
        take(simulation, false);
        last_time_ = simulation.time();
    }

    const std::vector<double>& finish(const Simulation& simulation) {
        simulation.values(columns_, now_);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const StudyColumn& measure = study_.measures[i];
            const bool is_end =
                measure.take == StudyColumn::Take::at && std::isnan(values_[i]) &&
                std::abs(measure.time - simulation.time()) <= 0.5 * simulation.step_size();
            if (measure.take == StudyColumn::Take::final || is_end) values_[i] = now_[i];
        }
        return values_;
    }

private:
    void take(const Simulation& simulation, bool is_start) {
        simulation.values(columns_, now_);
        const double t = simulation.time();
        const double slack = simulation.is_adaptive() ? 0.0 : 0.5 * simulation.step_size();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const StudyColumn& measure = study_.measures[i];
            // A mean over the last step has no value before the first.
            if (is_start && is_mean_[i]) continue;
            double& value = values_[i];
            const double x = now_[i];
            switch (measure.take) {
                case StudyColumn::Take::minimum:
                    value = std::isnan(value) ? x : std::min(value, x);
                    break;
                case StudyColumn::Take::maximum:
                    value = std::isnan(value) ? x : std::max(value, x);
                    break;
                case StudyColumn::Take::largest:
                    value = std::isnan(value) ? std::abs(x) : std::max(value, std::abs(x));
                    break;
                case StudyColumn::Take::at:
                    // The step end nearest to the time; between two, the earlier.
                    if (!std::isnan(value) || t + slack < measure.time) break;
                    value = x;
                    if (simulation.is_adaptive() && !is_start && t > measure.time &&
                        static_cast<std::size_t>(in_row_[i]) < row_.size()) {
                        simulation.sample_at(std::max(measure.time, last_time_), row_);
                        value = row_[in_row_[i]];
                    }
                    break;
                case StudyColumn::Take::final:
                    break;
            }
        }
    }

    const Study& study_;
    std::vector<int> columns_;
    std::vector<std::ptrdiff_t> in_row_;
    std::vector<bool> is_mean_;
    bool follows_ = false;
    std::vector<double> row_, values_, now_;
    double last_time_ = 0.0;
};

}  // namespace

std::string csv_cell(std::string_view text) {
    std::string clean = printable(text);
    for (char& c : clean)
        if (c == '\n' || c == '\r') c = ' ';
    if (clean.find_first_of(",\"") == std::string::npos) return clean;
    std::string out = "\"";
    for (const char c : clean) {
        if (c == '"') out += '"';
        out += c;
    }
    return out.append(1, '"');
}

std::string failed_row(const Study& study,
                       std::size_t index,
                       int status,
                       std::string_view exit,
                       std::string_view message) {
    std::string row = begin_of_row(study, index) + fmt::format(",{},{},,", status, exit);
    row.append(study.measures.size(), ',');
    return row.append(1, ',').append(csv_cell(message));
}

std::string run_folder_of(std::size_t index) {
    return fmt::format("{:06}", index);
}

std::string run_case(const Study& study,
                     std::size_t index,
                     PluginRegistry& registry,
                     const std::filesystem::path& runs_folder,
                     const std::function<bool()>& stop) {
    std::optional<Simulation> simulation;
    std::optional<Watch> watch;
    std::unique_ptr<Recorder> recorder;
    int status = 0;
    std::string exit = "completed", message;
    const auto failed = [&](int with, const char* as, std::string_view text) {
        status = with;
        exit = as;
        message = text;
    };
    try {
        Manifest manifest = Manifest::parse(study.model_text, study.model, study.overrides(index));
        const bool is_recorded = !runs_folder.empty();
        // All columns may be asked for; which are recorded changes no motion.
        if (!is_recorded) manifest.output.columns.reset();
        simulation.emplace(manifest, registry);
        watch.emplace(study, *simulation);
        if (is_recorded) {
            recorder = std::make_unique<Recorder>(
                runs_folder / run_folder_of(index), *simulation, manifest);
            recorder->start();
        }
        try {
            while (!simulation->done()) {
                if (stop && stop()) {
                    if (recorder) recorder->finish("interrupted");
                    return {};
                }
                simulation->step();
                if (recorder) recorder->record();
                watch->after_step(*simulation);
            }
        } catch (...) {
            end_failed_run(recorder.get(), std::current_exception());
        }
        if (recorder) recorder->finish("completed");
    } catch (const Error& error) {
        failed(static_cast<int>(error.kind()), name_of(error.kind()), error.what());
    } catch (const std::bad_alloc&) {
        failed(static_cast<int>(ErrorKind::numerical), "memory", "there is not enough memory");
    } catch (const std::exception& error) {
        failed(static_cast<int>(ErrorKind::internal), "internal", error.what());
    }
    if (!simulation || !watch) return failed_row(study, index, status, exit, message);

    // What was computed up to a failure counts, too.
    std::string row =
        begin_of_row(study, index) +
        fmt::format(",{},{},{},{}", status, exit, simulation->time(), simulation->steps_done());
    std::vector<double> values(study.measures.size(), kNotYet);
    try {
        values = watch->finish(*simulation);
    } catch (const std::exception&) {  // the state has no such values; the first failure says more
    }
    for (const double x : values) row += std::isfinite(x) ? fmt::format(",{}", x) : ",";
    return row.append(1, ',').append(csv_cell(message));
}

}  // namespace ancora
