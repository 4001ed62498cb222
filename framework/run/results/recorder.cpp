// SPDX-License-Identifier: BSD-3-Clause
// Decides which steps get a row, and looks after the folder of results.
#include "ancora/framework/recorder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "ancora/framework/manifest_text.hpp"
#include "checkpoint.hpp"
#include "escaped.hpp"
#include "file_writer.hpp"
#include "frame_recorder.hpp"
#include "history_writer.hpp"
#include "result_files.hpp"
#include "results_folder.hpp"
#include "sha256.hpp"
#include "summary.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

namespace fs = std::filesystem;

// Writing checkpoints takes at most this part of a run's time.
constexpr double kCheckpointShare = 0.02;

// end / step within this of a whole number is that number of steps, as in Simulation.
constexpr double kWholeSteps = 1e-9;

// Without `output.every` a run has at most this many rows beside the first.
constexpr long kDefaultRows = 1000;

// First bytes of every summary.
constexpr std::string_view kSummaryMark = "{\n  \"ancora\": ";

/// The manifest as it is run, to be run again from a folder.
std::string model_text(const Manifest& manifest, const ExpandedForFolder& where) {
    std::string text(kModelMark);
    text +=
        "# The manifest with all that it includes, computed and generated. It runs again as\n"
        "#   ancora run model.toml\n"
        "# The next run into this folder replaces it: what you change, change in a copy.\n";
    for (const std::string& change : manifest.overrides)
        text += fmt::format("# Applied: --set {}\n", escaped(change));
    return text + '\n' + expanded_text(manifest, where);
}

}  // namespace

struct Recorder::Impl {
    Impl(fs::path path, const Simulation& observed)
        : folder(std::move(path)), simulation(observed) {}

    fs::path folder;
    ResultsFolder results;  // locked from start() or resume() to finish()
    const Simulation& simulation;
    RunRecord record;
    double every = 0.0;  // [s]; 0: a row for every step

    std::optional<HistoryWriter> history;
    std::optional<FrameRecorder> frames;
    std::vector<int> step_mean_columns;
    std::vector<int> step_mean_values;
    std::vector<double> first_row;
    std::vector<double> first_frame;  // empty if there are none
    std::vector<double> row;
    bool first_row_is_pending = false;
    long first_step = 0;
    long last_row_step = 0;       // number of steps done when the latest row was taken
    double outputs_passed = 0.0;  // number of multiples of `every` that have a row
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin;
    bool is_finished = true;

    Identity identity;
    std::optional<Checkpoint> at_end;  // from which a longer run goes on
    double checkpoint_every = 0.0;     // [s] of wall time; 0: none
    Clock::time_point last_checkpoint;
    double checkpoint_seconds = 0.0;  // that the last one took
    double earlier_seconds = 0.0;     // of wall time, before the run was resumed
    std::string model;
    std::string summary;

    double run_length() const { return simulation.end_time() - simulation.begin_time(); }
    double elapsed() const { return simulation.time() - simulation.begin_time(); }

    /// The multiples of `every`, from the begin of the run on, that are nearer to the present step
    /// end, or one before it, than to the next; a tie goes to the earlier step.
    double count_outputs() const { return count_outputs(simulation.steps_done()); }
    double count_outputs(long steps) const {
        const double h = simulation.step_size();
        const double n = static_cast<double>(steps);
        const double next = std::min((n + 1.0) * h, run_length());
        return std::floor((0.5 * (n * h + next) + 1e-9 * h) / every);
    }

    /// The fewest and the most multiples of `every` that have a row when a step has been recorded.
    std::array<double, 2> bounds_of_outputs() const {
        if (every <= 0.0) return {0.0, 0.0};
        if (!simulation.is_adaptive()) return {count_outputs(), count_outputs()};
        const double passed = elapsed() / every;
        const double rounding = 1e-9 * (1.0 + passed);
        return {std::max(0.0, passed - 1.0 - rounding), passed + rounding};
    }

    /// Refuses counts that do not fit the rows of history.csv, of which these are the times [s].
    void require_rows(const Checkpoint& from,
                      std::span<const double> times,
                      const fs::path& file) const {
        const auto require = [&](bool holds, const char* what) {
            if (!holds) refuse_damaged(file, what);
        };
        require(frames->can_have(from.frames, times), "its number of rows or frames");
        const double from_begin = simulation.begin_time();
        const double last = times.empty() ? 0.0 : times.back() - from_begin;
        const double rounding =
            4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from_begin), last);
        // A step that is over has its row where each has one; that of the end is yet to come.
        const long undecided = from.is_before_row ? 1 : 0;
        bool fits = times.empty() || times.back() <= simulation.time();
        if (every <= 0.0) {
            fits = fits && from.last_row_step == std::max(0L, simulation.steps_done() - undecided);
        } else if (simulation.is_adaptive()) {
            fits = fits &&
                   (times.empty() || times.front() > from_begin || from.last_row_step == 0) &&
                   from.outputs_passed == std::floor(from.outputs_passed) &&
                   (times.size() <= 1 ||
                    std::abs(last - from.outputs_passed * every) <= kWholeSteps * last + rounding);
        } else {
            const double at = static_cast<double>(from.last_row_step) * simulation.step_size();
            fits = fits && std::abs(last - at) <= 1e-6 * simulation.step_size() + rounding &&
                   from.outputs_passed == count_outputs(from.last_row_step);
        }
        require(fits, "its last row");
    }

    /// Rows of an integrator that chooses its steps: at the multiples of `every` themselves.
    void write_rows_inside() {
        const auto next_time = [&] {
            return simulation.begin_time() + (outputs_passed + 1.0) * every;
        };
        for (double next = next_time(); next < simulation.time() && next < simulation.end_time();
             next = next_time()) {
            simulation.sample_at(next,
                                 {row, frames->frame_of_row(next, false), frames->state_of_row()});
            history->write_row(row);
            frames->write();
            outputs_passed += 1.0;
        }
    }

    bool is_due() {
        if (simulation.done() || every <= 0.0) return true;
        const double passed = count_outputs();
        return std::exchange(outputs_passed, passed) < passed;
    }

    /// Takes what the start shows.
    void take_first_row() {
        const std::span<double> frame = frames->frame_of_row(simulation.time(), false);
        // What is a mean over a step is put in when there is one.
        simulation.sample({first_row, frame, frames->state_of_row(), false});
        first_frame.assign(frame.begin(), frame.end());
    }

    void write_first_row() {
        // Reactions are means over a step, so the start shows those of the first step.
        const bool has_step = simulation.steps_done() > first_step;
        const std::span<double> frame = frames->frame_of_row(first_row[0], false);
        simulation.sample({row, frame, {}});
        for (const int column : step_mean_columns) first_row[column] = has_step ? row[column] : 0.0;
        for (std::size_t k = 0; !frame.empty() && k < step_mean_values.size(); ++k) {
            const auto value = static_cast<std::size_t>(step_mean_values[k]);
            first_frame[value] = has_step ? frame[value] : 0.0;
        }
        std::ranges::copy(first_frame, frame.begin());
        first_row_is_pending = false;
        history->write_row(first_row);
        frames->write();
    }

    void write_row() {
        last_row_step = simulation.steps_done();
        simulation.sample({row,
                           frames->frame_of_row(simulation.time(), simulation.done()),
                           frames->state_of_row()});
        history->write_row(row);
        frames->write();
    }

    Checkpoint checkpoint_now() const {
        Checkpoint to;
        to.identity = identity;
        to.state = simulation.save();
        to.history_size = history->size();
        to.last_row_step = last_row_step;
        to.outputs_passed = outputs_passed;
        to.frames = frames->progress();
        to.wall_seconds = wall_seconds();
        to.resumed_at = record.resumed_at;
        return to;
    }

    /// A run whose state does not fit into the memory a second time cannot be prolonged.
    void take_end() {
        try {
            at_end = checkpoint_now();
            at_end->is_before_row = true;
        } catch (const std::bad_alloc&) {
            at_end.reset();
        }
    }

    void checkpoint() {
        const Clock::time_point start = Clock::now();
        history->settle();
        frames->sync();
        const Checkpoint to = checkpoint_now();
        results.add(kCheckpointFile);
        write_checkpoint(results.at(kCheckpointFile), to);
        last_checkpoint = Clock::now();
        checkpoint_seconds = std::chrono::duration<double>(last_checkpoint - start).count();
    }

    /// Whether the end is one of the grid's times: a step that was cut short for it would be
    /// another one in a longer run.
    bool ends_on_grid() const {
        const double ratio = run_length() / simulation.step_size();
        return !simulation.is_adaptive() &&
               std::abs(ratio - std::round(ratio)) <= kWholeSteps * ratio;
    }

    void checkpoint_if_due() {
        if (!(checkpoint_every > 0.0) || simulation.done()) return;
        const double since = std::chrono::duration<double>(Clock::now() - last_checkpoint).count();
        if (since >= std::max(checkpoint_every, checkpoint_seconds / kCheckpointShare))
            checkpoint();
    }

    double wall_seconds() const {
        return earlier_seconds + std::chrono::duration<double>(Clock::now() - begin).count();
    }

    void write_last_rows() {
        if (first_row_is_pending) write_first_row();
        if (last_row_step != simulation.steps_done()) write_row();
        history->close();
        frames->close();
    }

    void make_frames(const OutputSettings& output) {
        const double end = run_length();
        const double steps = static_cast<double>(simulation.num_steps());
        frames.emplace(
            simulation,
            output,
            every > 0.0 ? (steps > 0.0 ? std::min(end / every, steps) : end / every) : steps);
    }

    void write_model() {
        replace_file(results.at(kModelFile), model, kModelMark, "a model of results");
    }

    void write_summary(const std::string& exit_reason) {
        record.wall_seconds = wall_seconds();
        record.exit_reason = exit_reason;
        summary = summary_text(simulation, record);
        // As a whole: half a summary would be no JSON.
        replace_file(results.at(kSummaryFile), summary, kSummaryMark, "a summary");
    }
};

Recorder::Recorder(fs::path folder,
                   const Simulation& simulation,
                   const Manifest& manifest,
                   const RecorderOptions& options)
    : impl_(std::make_unique<Impl>(std::move(folder), simulation)) {
    const TrapsOff traps_off;
    impl_->record.full_paths = options.full_paths;
    impl_->record.manifest = manifest.file;
    impl_->record.integrator = manifest.integrator;
    if (manifest.output.every)
        impl_->every = *manifest.output.every;
    else if (simulation.num_steps() > kDefaultRows ||
             (simulation.is_adaptive() && !simulation.samples_by_steps()))
        impl_->every = impl_->run_length() / kDefaultRows;
    if (impl_->every == simulation.step_size() && !simulation.is_adaptive()) impl_->every = 0.0;
    impl_->identity = identity_of(manifest, simulation, impl_->every);
    std::string identity;
    for (const auto& [key, value] : impl_->identity) identity += key + '=' + value + '\n';
    impl_->record.run_sha256 = sha256_of_text(identity);
    impl_->checkpoint_every = manifest.output.checkpoint;
    impl_->make_frames(manifest.output);
    impl_->model =
        model_text(manifest, {impl_->folder, simulation.used_plugins(), options.plugin_dirs});
}

Recorder::~Recorder() = default;

void Recorder::start() {
    const TrapsOff traps_off;
    Impl& self = *impl_;
    std::vector<std::string> columns = self.simulation.column_names();
    self.row.resize(columns.size());
    self.first_row.resize(columns.size());
    self.step_mean_columns = self.simulation.step_mean_columns();
    if (self.frames->has_frames()) self.step_mean_values = self.simulation.step_mean_values();
    self.take_first_row();

    std::vector<std::string> files = {kHistoryFile, kSummaryFile, kModelFile};
    std::ranges::copy(self.frames->files(), std::back_inserter(files));
    if (self.checkpoint_every > 0.0) files.emplace_back(kCheckpointFile);
    ResultsFolder results = ResultsFolder::for_run(self.folder);
    results.begin(files);
    self.results = std::move(results);
    self.write_model();
    self.history.emplace(self.results.at(kHistoryFile), std::move(columns));
    self.frames->start(self.results);
    self.first_row_is_pending = true;
    self.first_step = self.last_row_step = self.simulation.steps_done();
    if (self.simulation.is_adaptive() && self.every > 0.0)
        self.outputs_passed = std::floor(self.elapsed() / self.every);
    else if (self.every > 0.0)
        self.outputs_passed = self.count_outputs();
    self.begin = self.last_checkpoint = Impl::Clock::now();
    self.is_finished = false;
}

bool Recorder::resume(Simulation& simulation) {
    const TrapsOff traps_off;
    Impl& self = *impl_;
    const fs::path file = self.folder / kCheckpointFile;
    ResultsFolder results = ResultsFolder::for_resume(self.folder);
    const std::optional<Checkpoint> from = read_checkpoint(file);
    if (!from) return false;
    // A complete run may be replaced.
    if (from->is_before_row && !is_meant_to_go_on(*from, self.identity)) return false;
    for (const char* name : {kCheckpointFile, kHistoryFile, kSummaryFile, kModelFile})
        results.require_own(name);
    require_replaceable(results.at(kModelFile), kModelMark, "a model of results");
    require_same_run(*from, self.identity, file);
    std::vector<std::string> columns = simulation.column_names();
    self.row.resize(columns.size());
    self.first_row.resize(columns.size());
    simulation.restore(from->state);
    require_sound(*from, simulation, self.bounds_of_outputs(), file);
    self.history.emplace(results.at(kHistoryFile),
                         std::move(columns),
                         from->history_size,
                         [&](std::span<const double> times) {
                             self.require_rows(*from, times, file);
                         });
    self.frames->resume(results, from->frames);
    self.results = std::move(results);
    self.first_row_is_pending = false;
    self.last_row_step = from->last_row_step;
    self.outputs_passed = from->outputs_passed;
    self.earlier_seconds = from->wall_seconds;
    self.record.resumed_at = from->resumed_at;
    self.record.resumed_at.push_back(simulation.time());
    self.results.remove_unfinished();
    for (const char* name : {kSummaryFile, kFailedCallFile}) self.results.remove(name);
    self.results.add(kModelFile);
    self.write_model();
    self.begin = self.last_checkpoint = Impl::Clock::now();
    self.is_finished = false;
    if (from->is_before_row && simulation.done()) self.at_end = *from;
    // The last row of the run that is prolonged, if this one has it too.
    if (from->is_before_row && !simulation.done() && self.is_due()) self.write_row();
    return true;
}

void Recorder::record() {
    const TrapsOff traps_off;
    Impl& self = *impl_;
    if (self.is_finished) return;
    if (self.first_row_is_pending) self.write_first_row();
    if (self.simulation.done() && self.checkpoint_every > 0.0 && self.ends_on_grid()) {
        self.take_end();
    }
    if (self.simulation.is_adaptive() && self.every > 0.0) {
        self.write_rows_inside();
        if (self.simulation.done()) self.write_row();
    } else if (self.is_due()) {
        self.write_row();
    }
    if (self.history->flush_if_old()) self.frames->flush();
    self.checkpoint_if_due();
}

void Recorder::finish(const std::string& exit_reason) {
    const TrapsOff traps_off;
    Impl& self = *impl_;
    if (std::exchange(self.is_finished, true)) return;
    try {
        // Before the last row, which a run that goes on would not have.
        const bool can_go_on = exit_reason == "interrupted" && !self.first_row_is_pending;
        if (can_go_on && self.checkpoint_every > 0.0) self.checkpoint();
        self.write_last_rows();
        self.results.require_in_place();
    } catch (const Error& error) {
        try {
            self.write_summary(error.message());
        } catch (const Error&) {  // the first error is the one to tell
        }
        self.results.unlock();
        throw;
    }
    self.write_summary(exit_reason);
    try {
        if (exit_reason == "completed" && self.at_end) {
            self.results.add(kCheckpointFile);
            write_checkpoint(self.results.at(kCheckpointFile), *self.at_end);
        } else if (exit_reason == "completed") {
            self.results.remove(kCheckpointFile);
        }
    } catch (const Error&) {  // it is of a run that is complete, as the summary says
    }
    self.results.unlock();
}

fs::path Recorder::place_of_failed_call() {
    impl_->results.add(kFailedCallFile);
    return impl_->folder / kFailedCallFile;
}

bool Recorder::has_complete_run() const {
    const TrapsOff traps_off;
    std::error_code ignored;
    const fs::path file = impl_->folder / kSummaryFile;
    return fs::exists(file, ignored) &&
           is_complete(read_text_file(file, "the summary"), impl_->record.run_sha256);
}

const fs::path& Recorder::folder() const {
    return impl_->folder;
}

const std::string& Recorder::summary() const {
    return impl_->summary;
}

}  // namespace ancora
