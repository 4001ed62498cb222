// SPDX-License-Identifier: BSD-3-Clause
// Writes what a run computes into a folder: history.csv row by row, summary.json at the end.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

struct RecorderOptions {
    /// Paths in summary.json as they are. Else those that name folders of this machine are cut to
    /// their last name, since results are made to be sent.
    bool full_paths = false;
    /// Folders of plugins that the registry was given besides those of the manifest: the model in
    /// the folder names them, so that it runs again.
    std::vector<std::filesystem::path> plugin_dirs;
};

/// The results of one run, in files, and model.toml: the manifest expanded, see expanded_text(),
/// which gives the same history.csv again.
///
///     recorder.start();
///     while (!simulation.done()) {
///         simulation.step();
///         recorder.record();
///     }
///     recorder.finish("completed");
///
/// run() does just that, and keeps what was computed when a step fails. Rows fall on the step ends
/// nearest to the multiples of `output.every`; the first and the last state always have one. The
/// first row is written after the first step, which gives the reactions their values. Rows reach
/// the file at least once per second of wall time. The simulation must outlive its recorder and
/// must not be moved meanwhile.
class ANCORA_FRAMEWORK_EXPORT Recorder {
public:
    Recorder(std::filesystem::path folder,
             const Simulation& simulation,
             const Manifest& manifest,
             const RecorderOptions& options = {});
    /// Keeps the rows so far; without finish() there is no summary.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Makes the folder and history.csv. An existing folder is used if it is empty or holds earlier
    /// results. These are known by a list that a run writes before anything else, and the files
    /// that it names are removed, a report and frames for ParaView among them; other files stay.
    /// Nothing is written or removed through a link, though the folder itself may be one.
    /// @throws Error (file), also if another run is writing into the folder, or if a file that no
    ///         run made stands where one is to be written; nothing is removed then
    void start();

    /// In place of start(): takes up the run whose checkpoint is in the folder. Rows that were
    /// written after the checkpoint are dropped, and will be written again, to the same bytes. The
    /// end of the run may be later than it was: the results are then those of one long run.
    ///
    /// @param simulation  the recorder's own, fresh from its manifest; goes to the checkpoint's
    /// state
    /// @returns false, with nothing done, if the folder has no checkpoint
    /// @throws Error (file) if the checkpoint or history.csv is damaged; (manifest) or (plugin),
    ///         with what differs, if it is of another run
    bool resume(Simulation& simulation);

    /// To be called after each step; writes a row if one is due, and a checkpoint every
    /// `output.checkpoint` seconds of wall time.
    /// @throws Error (file); (numerical) if a value is not finite
    void record();

    /// Writes the row of the present state if it has none yet, and summary.json. Only the first
    /// call after start() does anything. A run that was "interrupted" leaves a checkpoint, and so
    /// does one that is "completed", to be prolonged; unless its last step was cut short for its
    /// end, as an integrator that chooses its steps does.
    ///
    /// @param exit_reason  "completed", "interrupted", or what went wrong
    /// @throws Error (file), also if the folder or a file in it was deleted or exchanged meanwhile;
    /// a
    ///         summary is written even so if that is possible
    void finish(const std::string& exit_reason);

    /// Whether the folder holds this very run, of the same model, settings and plugins, brought to
    /// its end.
    bool has_complete_run() const;

    /// Where the record of a failed call belongs; it is then one of the results.
    /// @throws Error (file)
    std::filesystem::path place_of_failed_call();

    const std::filesystem::path& folder() const;
    /// The text of summary.json; empty before finish().
    const std::string& summary() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ancora
