// SPDX-License-Identifier: BSD-3-Clause
// Runs a case and writes its row.
#include "case_run.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/printable.hpp"
#include "ancora/framework/run.hpp"
#include "ancora/framework/simulation.hpp"
#include "ancora/sdk/formula/error.hpp"
#include "column_watch.hpp"
#include "expression.hpp"

namespace ancora {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();

/// The first cells of a row: which case, and its values.
std::string begin_of_row(const Study& study, std::size_t index) {
    std::string row = fmt::format("{}", index);
    for (const std::string& value : study.values(index)) {
        // Numbers with units are numbers in SI units there.
        const bool is_text = value.size() > 1 && value.front() == '"' && value.back() == '"';
        const std::optional<Quantity> number =
            is_text ? quantity_of(std::string_view(value).substr(1, value.size() - 2))
                    : std::nullopt;
        row.append(1, ',').append(csv_cell(number ? fmt::format("{}", number->value) : value));
    }
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

/// What the study asks for.
std::vector<ColumnWatch::Column> measures_of(const Study& study) {
    std::vector<ColumnWatch::Column> columns;
    for (const StudyColumn& measure : study.measures)
        columns.push_back({measure.column, measure.take, measure.time});
    return columns;
}

}  // namespace

std::optional<Quantity> quantity_of(std::string_view text) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos ||
        text.substr(0, blank).find_first_not_of("0123456789.eE+-") != std::string_view::npos)
        return std::nullopt;
    try {
        // A unit alone stands behind the number: nothing is added to it.
        const Quantity found = evaluate(text, NoSymbols()),
                       none = evaluate(fmt::format("0{}", text.substr(blank)), NoSymbols());
        if (found.knowledge == Knowledge::unit && none.value == 0.0) return found;
    } catch (const FormulaError&) {
    }
    return std::nullopt;
}

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
    std::optional<ColumnWatch> watch;
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
        watch.emplace(measures_of(study), *simulation);
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
