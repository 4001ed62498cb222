// SPDX-License-Identifier: BSD-3-Clause
// Signals that ask a run to end.
#pragma once

#include <csignal>
#include <iterator>

namespace ancora::command {

/// While it lives, the first signal of these only sets the flag: Ctrl-C, a polite end, a terminal
/// that is closed, processor time that is used up. A second Ctrl-C or polite end ends the program,
/// with what was computed if it is a plugin that does not come back.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    /// Whether such a signal has come.
    static bool is_asked_for();

private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGALRM};
    struct sigaction previous_[std::size(kSignals)] = {};
};

}  // namespace ancora::command
