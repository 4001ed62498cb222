// SPDX-License-Identifier: BSD-3-Clause
// A progress bar with the time left, on standard error.
#pragma once

#include <chrono>

#include "ancora/framework/simulation.hpp"

namespace ancora::command {

/// Draws at most ten times per second and clears its line at the end; does nothing in a pipe.
class Progress {
public:
    explicit Progress(bool wanted);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    bool is_shown() const { return is_shown_; }
    void update(const Simulation& simulation);

private:
    using Clock = std::chrono::steady_clock;

    bool is_shown_;
    bool is_drawn_ = false;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point next_ = begin_;
};

}  // namespace ancora::command
