// SPDX-License-Identifier: BSD-3-Clause
// Writes scene.json with frames.npy, and states.npy: what belongs to a row besides its numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "npy_writer.hpp"
#include "results_folder.hpp"

namespace ancora {

/// Frames belong to rows of history.csv. A frame of frames.npy holds, in double precision, since
/// what is small may be far from the origin,
///
///   the number of its row, from 0; Newton iterations (or evaluations of accelerations) per step
///   since the frame before; the values of the scene
///
/// and a row of states.npy, one for each row of history.csv, t, q and v.
class FrameRecorder {
public:
    /// How far it has come; belongs into a checkpoint.
    struct Progress {
        std::uint64_t rows = 0, frames = 0, states = 0;
        double frames_passed = 0.0;        ///< multiples of `output.frames` that have a frame
        std::int64_t steps = 0, work = 0;  ///< of the simulation at the last frame
    };

    /// @param num_rows rows to be expected
    FrameRecorder(const Simulation& simulation, const OutputSettings& output, double num_rows);

    bool has_frames() const { return stride_ > 0.0; }

    /// Names of the files that start() makes.
    std::vector<std::string> files() const;
    void start(const ResultsFolder& folder);
    void resume(const ResultsFolder& folder, const Progress& from);
    /// Whether that can be how far it has come with rows at these times [s]. The work until the
    /// last frame, and its step where rows lie inside steps, follow from nothing else.
    bool can_have(const Progress& progress, std::span<const double> times) const;

    /// Where the samples of the next row are to be written: empty if it gets no frame.
    std::span<double> frame_of_row(double t, bool is_last);
    std::span<double> state_of_row() { return state_; }
    /// Writes them.
    void write();

    void flush();
    /// Brings everything to the disk.
    void sync();
    void close();
    const Progress& progress() const { return progress_; }

private:
    double frames_until(double t) const;

    const Simulation& simulation_;
    double every_ = 0.0;   // [s]; 0: by stride
    double stride_ = 0.0;  // rows from frame to frame; 0: no frames
    bool has_states_ = false;
    bool is_due_ = false;
    Progress progress_;
    std::vector<double> frame_, state_;
    std::vector<double> values_;
    std::optional<NpyWriter> frames_, states_;
};

}  // namespace ancora
