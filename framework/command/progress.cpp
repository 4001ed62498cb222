// SPDX-License-Identifier: BSD-3-Clause
// Draws the progress bar.
#include "progress.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace ancora::command {
namespace {

constexpr int kBarWidth = 30;  // characters
constexpr auto kInterval = std::chrono::milliseconds(100);

std::string clock_time(double seconds) {
    const long total = std::lround(seconds);
    const long hours = total / 3600;
    const long minutes = total / 60 % 60;
    return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60)
                     : fmt::format("{}:{:02}", minutes, total % 60);
}

}  // namespace

Progress::Progress(bool wanted) : is_shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (is_drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(const Simulation& simulation) {
    if (!is_shown_) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kInterval;
    is_drawn_ = true;

    const double done = simulation.time() - simulation.begin_time();
    const double total = simulation.end_time() - simulation.begin_time();
    const double elapsed = std::chrono::duration<double>(now - begin_).count();
    const double fraction = done / total;
    const int filled = static_cast<int>(fraction * kBarWidth);
    const std::string line =
        fmt::format("\r[{:#<{}}{:.<{}}] {:3.0f} %  t = {:.4g} s  {} left\033[K",
                    "",
                    filled,
                    "",
                    kBarWidth - filled,
                    100.0 * fraction,
                    simulation.time(),
                    clock_time(done > 0.0 ? elapsed * (total - done) / done : 0.0));
    std::fputs(line.c_str(), stderr);  // fails on a closed terminal, ignored
    std::fflush(stderr);
}

}  // namespace ancora::command
