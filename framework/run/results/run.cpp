// SPDX-License-Identifier: BSD-3-Clause
// The loop of a run: step, record, report.
#include "ancora/framework/run.hpp"

#include <chrono>
#include <exception>

#include "ancora/framework/failed_call.hpp"

namespace ancora {
namespace {

/// Keeps what was computed before a failure; that failure is what gets reported, not one in here.
void keep(Recorder* recorder, const std::string& reason) noexcept {
    if (recorder == nullptr) return;
    try {
        recorder->finish(reason);
    } catch (...) {
    }
}

}  // namespace

void end_failed_run(Recorder* recorder, const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const FailedCall& failed) {
        if (recorder == nullptr) throw;
        std::filesystem::path file;
        try {
            file = recorder->place_of_failed_call();
        } catch (const Error&) {  // a full disk: it cannot be written then, and says so
            file = recorder->folder() / kFailedCallFile;
        }
        keep(recorder, failed.message());
        throw failed.written_to(file);
    } catch (const Error& error) {
        keep(recorder, error.message());
        throw;
    } catch (const std::exception& error) {
        keep(recorder, error.what());
        throw;
    } catch (...) {
        keep(recorder, "unknown exception");
        throw;
    }
}

RunResult run(Simulation& simulation, Recorder* recorder, const RunOptions& options) {
    using Clock = std::chrono::steady_clock;
    RunResult result;
    if (recorder != nullptr) {
        result.resumed = options.resume && recorder->resume(simulation);
        if (!result.resumed) recorder->start();
    }

    const auto begin = Clock::now();
    try {
        while (!simulation.done()) {
            result.interrupted = options.stop && options.stop();
            if (result.interrupted) break;
            simulation.step();
            if (recorder != nullptr) recorder->record();
            if (options.after_step) options.after_step(simulation);
        }
    } catch (...) {
        end_failed_run(recorder, std::current_exception());
    }
    result.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();

    if (recorder != nullptr) recorder->finish(result.interrupted ? "interrupted" : "completed");
    return result;
}

}  // namespace ancora
