// SPDX-License-Identifier: BSD-3-Clause
// Decides which steps get a row, and looks after the folder of results.
#include "ancora/framework/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "history_writer.hpp"
#include "summary.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHistoryFile = "history.csv";
constexpr const char* kSummaryFile = "summary.json";

// Without `output.every` a run has at most this many rows beside the first.
constexpr long kDefaultRows = 1000;

Error folder_error(const char* what, const fs::path& path, const std::error_code& error) {
    return {ErrorKind::file, fmt::format("{} \"{}\": {}", what, path.string(), error.message())};
}

/// Makes the folder ready for new results, or says why it is not.
void prepare(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw folder_error("cannot make the output folder", folder, error);

    const bool is_empty = fs::is_empty(folder, error);
    if (error) throw folder_error("cannot read the output folder", folder, error);
    if (!is_empty && !fs::exists(folder / kHistoryFile, error) &&
        !fs::exists(folder / kSummaryFile, error))
        throw Error(ErrorKind::file,
                    fmt::format("the output folder \"{}\" holds files but no earlier results, so "
                                "it is left alone; choose another folder or empty it",
                                folder.string()));

    for (const char* name : {kHistoryFile, kSummaryFile, kFailedCallFile}) {
        fs::remove(folder / name, error);
        if (error) throw folder_error("cannot replace", folder / name, error);
    }
}

}  // namespace

struct Recorder::Impl {
    Impl(fs::path results, const Simulation& observed)
        : folder(std::move(results)), simulation(observed) {}

    fs::path folder;
    const Simulation& simulation;
    RunRecord record;
    double every = 0.0;  // [s]; 0: a row for every step

    std::optional<HistoryWriter> history;
    std::vector<int> step_mean_columns;
    std::vector<double> first_row;
    std::vector<double> row;
    bool first_row_is_pending = false;
    long first_step = 0;
    long last_row_step = 0;       // number of steps done when the latest row was taken
    double outputs_passed = 0.0;  // number of multiples of `every` that have a row
    std::chrono::steady_clock::time_point begin;
    bool is_finished = true;
    std::string summary;

    /// The multiples of `every` that are nearer to the present step end, or one before it, than to
    /// the next; a tie goes to the earlier step.
    double count_outputs() const {
        const double h = simulation.step_size();
        const double n = static_cast<double>(simulation.steps_done());
        const double next = std::min((n + 1.0) * h, simulation.end_time());
        return std::floor((0.5 * (n * h + next) + 1e-9 * h) / every);
    }

    /// Rows of an integrator that chooses its steps: at the multiples of `every` themselves.
    void write_rows_inside() {
        for (double next = (outputs_passed + 1.0) * every;
             next < simulation.time() && next < simulation.end_time();
             next = (outputs_passed + 1.0) * every) {
            simulation.sample_at(next, row);
            history->write_row(row);
            outputs_passed += 1.0;
        }
    }

    bool is_due() {
        if (simulation.done() || every <= 0.0) return true;
        const double passed = count_outputs();
        return std::exchange(outputs_passed, passed) < passed;
    }

    void write_first_row() {
        // Reactions are means over a step, so the start shows those of the first step.
        simulation.sample(row);
        const bool has_step = simulation.steps_done() > first_step;
        for (const int column : step_mean_columns) first_row[column] = has_step ? row[column] : 0.0;
        first_row_is_pending = false;
        history->write_row(first_row);
    }

    void write_row() {
        last_row_step = simulation.steps_done();
        simulation.sample(row);
        history->write_row(row);
    }

    void write_last_rows() {
        if (first_row_is_pending) write_first_row();
        if (last_row_step != simulation.steps_done()) write_row();
        history->close();
    }

    void write_summary(const std::string& exit_reason) {
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        record.wall_seconds = wall.count();
        record.exit_reason = exit_reason;
        summary = summary_text(simulation, record);
        FileWriter file(folder / kSummaryFile);
        file.append(summary);
        file.close();
    }
};

Recorder::Recorder(fs::path folder, const Simulation& simulation, const Manifest& manifest)
    : impl_(std::make_unique<Impl>(std::move(folder), simulation)) {
    impl_->record.manifest = manifest.file;
    impl_->record.integrator = manifest.integrator;
    if (manifest.output.every)
        impl_->every = *manifest.output.every;
    else if (simulation.num_steps() > kDefaultRows || simulation.is_adaptive())
        impl_->every = simulation.end_time() / kDefaultRows;
}

Recorder::~Recorder() = default;

void Recorder::start() {
    Impl& self = *impl_;
    std::vector<std::string> columns = self.simulation.column_names();
    self.row.resize(columns.size());
    self.first_row.resize(columns.size());
    self.step_mean_columns = self.simulation.step_mean_columns();
    self.simulation.sample(self.first_row);

    prepare(self.folder);
    self.history.emplace(self.folder / kHistoryFile, std::move(columns));
    self.first_row_is_pending = true;
    self.first_step = self.last_row_step = self.simulation.steps_done();
    if (self.simulation.is_adaptive())
        self.outputs_passed = std::floor(self.simulation.time() / self.every);
    else if (self.every > 0.0)
        self.outputs_passed = self.count_outputs();
    self.begin = std::chrono::steady_clock::now();
    self.is_finished = false;
}

void Recorder::record() {
    Impl& self = *impl_;
    if (self.is_finished) return;
    if (self.first_row_is_pending) self.write_first_row();
    if (self.simulation.is_adaptive()) {
        self.write_rows_inside();
        if (self.simulation.done()) self.write_row();
    } else if (self.is_due()) {
        self.write_row();
    }
    self.history->flush_if_old();
}

void Recorder::finish(const std::string& exit_reason) {
    Impl& self = *impl_;
    if (std::exchange(self.is_finished, true)) return;
    try {
        self.write_last_rows();
    } catch (const Error& error) {
        self.write_summary(error.message());
        throw;
    }
    self.write_summary(exit_reason);
}

const fs::path& Recorder::folder() const {
    return impl_->folder;
}

const std::string& Recorder::summary() const {
    return impl_->summary;
}

}  // namespace ancora
