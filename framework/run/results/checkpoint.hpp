// SPDX-License-Identifier: BSD-3-Clause
// The file from which an interrupted run goes on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "file_writer.hpp"
#include "frame_recorder.hpp"
#include "model_identity.hpp"

namespace ancora {

/// A run at the end of a step. That of a run which has reached its end stands before the last row,
/// which a longer run need not have.
struct Checkpoint {
    Identity identity;               ///< what was run: model, kernel, plugins, output
    std::vector<std::byte> state;    ///< Simulation::save()
    std::uint64_t history_size = 0;  ///< bytes of history.csv that were written by then
    std::int64_t last_row_step = 0;  ///< steps done when its last row was taken
    bool is_before_row = false;      ///< the row of the present step is yet to be decided on
    double outputs_passed = 0.0;     ///< multiples of `output.every` that have a row
    FrameRecorder::Progress frames;
    double wall_seconds = 0.0;       ///< that the run has taken so far
    std::vector<double> resumed_at;  ///< times at which it was resumed before [s]
};

/// The identity of a model that is run now.
/// @param every  time between rows [s]; 0: a row for every step
Identity identity_of(const Manifest& manifest, const Simulation& simulation, double every);

/// Writes the file as a whole or leaves the one that is there.
/// @throws Error (file)
void write_checkpoint(const FileAt& file, const Checkpoint& checkpoint);

/// Nothing if there is no such file.
/// @throws Error (file) if it is damaged or of another version
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& file);

/// Whether it is of this run, or of one that this one prolongs, but perhaps for the time between
/// rows.
bool is_meant_to_go_on(const Checkpoint& checkpoint, const Identity& here);

/// A later end is no difference: the run is prolonged.
/// @throws Error (plugin) if kernel or plugins differ, (manifest) if the model does; with what
///         differs
void require_same_run(const Checkpoint& checkpoint,
                      const Identity& here,
                      const std::filesystem::path& file);

[[noreturn]] void refuse_damaged(const std::filesystem::path& file, const char* what);

/// Counts against the state, which the simulation has taken.
/// @param outputs_passed  the fewest and the most that there can be by now
/// @throws Error (file) if one cannot be
void require_sound(const Checkpoint& checkpoint,
                   const Simulation& simulation,
                   const std::array<double, 2>& outputs_passed,
                   const std::filesystem::path& file);

}  // namespace ancora
