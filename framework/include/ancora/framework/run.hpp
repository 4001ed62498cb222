// SPDX-License-Identifier: BSD-3-Clause
// Runs a simulation to its end: the loop of the `ancora` command, for every program.
#pragma once

#include <exception>
#include <functional>

#include "ancora/framework/export.hpp"
#include "ancora/framework/recorder.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

struct RunOptions {
    /// Goes on from the checkpoint in the recorder's folder, if there is one; see
    /// Recorder::resume.
    bool resume = false;
    /// Asked before each step; true ends the run early.
    std::function<bool()> stop;
    /// Called after each step, when its row, if due, is written.
    std::function<void(Simulation&)> after_step;
};

struct RunResult {
    bool interrupted = false;   ///< options.stop ended the run
    bool resumed = false;       ///< it went on from a checkpoint
    double wall_seconds = 0.0;  ///< from the first step to the last
};

/// Steps `simulation` to its end and records it, if `recorder` is not null. Installs no signal
/// handler and prints nothing.
///
/// @throws what Simulation::step(), the recorder and the callbacks throw; what was computed is kept
///         and the summary has the message as its exit reason. The inputs of a call that failed are
///         beside it in failed_call.toml, see FailedCall
ANCORA_FRAMEWORK_EXPORT RunResult run(Simulation& simulation,
                                      Recorder* recorder,
                                      const RunOptions& options = {});

/// Keeps what was computed before a failure that run() did not see come, and the record of a failed
/// call; throws that failure, with what became of the record.
[[noreturn]] ANCORA_FRAMEWORK_EXPORT void end_failed_run(Recorder* recorder,
                                                         const std::exception_ptr& failure);

}  // namespace ancora
