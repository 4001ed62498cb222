// SPDX-License-Identifier: BSD-3-Clause
// Decides which rows get a frame.
#include "frame_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "ancora/framework/scene.hpp"
#include "result_files.hpp"

namespace ancora {
namespace {

// Without `output.frames` a run has about this many frames at most, and bytes of them.
constexpr double kMostFrames = 1000.0;
constexpr double kMostFrameBytes = 1e8;

constexpr std::size_t kOwnValues = 2;  // of a frame, before those of the scene

}  // namespace

FrameRecorder::FrameRecorder(const Simulation& simulation,
                             const OutputSettings& output,
                             double num_rows)
    : simulation_(simulation), has_states_(output.states) {
    const bool has_frames = output.frames != 0.0;
    const auto size =
        has_frames ? static_cast<std::size_t>(simulation.scene().num_values) : std::size_t{0};
    if (output.frames) {
        every_ = *output.frames;
        stride_ = has_frames ? 1.0 : 0.0;
    } else {
        const double bytes = static_cast<double>(sizeof(double) * (kOwnValues + size));
        const double most = std::clamp(kMostFrameBytes / bytes, 2.0, kMostFrames);
        stride_ = std::max(1.0, std::ceil(num_rows / most));
    }
    if (stride_ > 0.0) frame_.resize(size);
    if (has_states_) state_.resize(1 + 2 * simulation.q().size());
    values_.resize(kOwnValues + size);
}

std::vector<std::string> FrameRecorder::files() const {
    std::vector<std::string> out;
    if (stride_ > 0.0 || has_states_) out.emplace_back(kSceneFile);
    if (stride_ > 0.0) out.emplace_back(kFramesFile);
    if (has_states_) out.emplace_back(kStatesFile);
    return out;
}

void FrameRecorder::start(const ResultsFolder& folder) {
    progress_ = {};
    progress_.steps = simulation_.steps_done();
    progress_.work = simulation_.work_done();
    if (stride_ > 0.0 || has_states_) {
        FileWriter scene(folder.at(kSceneFile));
        scene.append(scene_text(simulation_.scene()));
        scene.close();
    }
    if (stride_ > 0.0) frames_.emplace(folder.at(kFramesFile), values_.size());
    if (has_states_) states_.emplace(folder.at(kStatesFile), state_.size());
}

void FrameRecorder::resume(const ResultsFolder& folder, const Progress& from) {
    progress_ = from;
    if (stride_ > 0.0) frames_.emplace(folder.at(kFramesFile), values_.size(), from.frames);
    if (has_states_) states_.emplace(folder.at(kStatesFile), state_.size(), from.states);
}

bool FrameRecorder::can_have(const Progress& progress, std::span<const double> times) const {
    const std::size_t rows = times.size();
    if (progress.rows != rows || progress.states != (has_states_ ? rows : 0)) return false;
    if (stride_ <= 0.0 || rows == 0) return progress.frames == 0 && progress.frames_passed == 0.0;
    std::uint64_t frames = 0;
    std::size_t last = 0;  // row with a frame
    double passed = 0.0;
    for (std::size_t k = 0; k < rows; ++k) {
        const double until = every_ > 0.0 ? frames_until(times[k]) : 0.0;
        if (k == 0 ||
            (every_ > 0.0 ? until > passed : std::fmod(static_cast<double>(k), stride_) == 0.0)) {
            ++frames;
            last = k;
        }
        passed = until;
    }
    if (progress.frames_passed != passed) return false;
    // A run that was to be shorter had more of those that are counted by rows.
    const bool has_more = every_ <= 0.0 && progress.frames > frames && progress.frames <= rows;
    if (progress.frames != frames && !has_more) return false;
    // The first frame is taken when there is a step.
    const double from_begin = times[last] - simulation_.begin_time();
    const double steps = std::min(std::max(1.0, std::round(from_begin / simulation_.step_size())),
                                  static_cast<double>(simulation_.steps_done()));
    if (!has_more && !simulation_.is_adaptive() && static_cast<double>(progress.steps) != steps)
        return false;
    return progress.steps != simulation_.steps_done() || progress.work == simulation_.work_done();
}

/// Multiples of the time between frames.
double FrameRecorder::frames_until(double t) const {
    return std::floor((t - simulation_.begin_time()) / every_ * (1.0 + 1e-12) + 1e-9);
}

std::span<double> FrameRecorder::frame_of_row(double t, bool is_last) {
    is_due_ = stride_ > 0.0;
    if (!is_due_) return {};
    if (every_ > 0.0) {
        const double passed = frames_until(t);
        is_due_ = progress_.rows == 0 || passed > progress_.frames_passed || is_last;
        progress_.frames_passed = passed;
    } else {
        is_due_ = std::fmod(static_cast<double>(progress_.rows), stride_) == 0.0 || is_last;
    }
    return is_due_ ? std::span(frame_) : std::span<double>();
}

void FrameRecorder::write() {
    if (is_due_) {
        const std::int64_t steps = simulation_.steps_done() - progress_.steps;
        const std::int64_t work = simulation_.work_done() - progress_.work;
        progress_.steps += steps;
        progress_.work += work;
        values_[0] = static_cast<double>(progress_.rows);
        values_[1] = steps > 0 ? static_cast<double>(work) / static_cast<double>(steps) : 0.0;
        std::ranges::copy(frame_, values_.begin() + kOwnValues);
        frames_->write_row(values_.data());
        ++progress_.frames;
    }
    if (states_) {
        states_->write_row(state_.data());
        ++progress_.states;
    }
    ++progress_.rows;
}

void FrameRecorder::flush() {
    if (frames_) frames_->flush();
    if (states_) states_->flush();
}

void FrameRecorder::sync() {
    if (frames_) frames_->sync();
    if (states_) states_->sync();
}

void FrameRecorder::close() {
    if (frames_) frames_->close();
    if (states_) states_->close();
}

}  // namespace ancora
