// SPDX-License-Identifier: BSD-3-Clause
// `ancora video`: the motion of a run as a file to show.
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/video.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "table.hpp"

namespace ancora::command {

int video(const Options& options) {
    const std::filesystem::path folder = options.operands[0], file = options.operands[1];
    VideoOptions video_options;
    video_options.from = options.from;
    video_options.to = options.to;
    video_options.speed = options.speed;
    video_options.rate = options.rate;
    video_options.width = options.width;
    video_options.height = options.height;
    video_options.is_dark = options.dark;
    video_options.colour = options.colour;
    video_options.view = options.eye;
    video_options.without = options.without;

    const InterruptGuard guard;
    const bool is_told = !options.quiet && ::isatty(STDERR_FILENO) == 1;
    std::size_t told = 0;
    video_options.progress = [&](std::size_t done, std::size_t all) {
        if (is_told && done != told)
            std::fputs(fmt::format("\r{} of {} pictures", told = done, all).c_str(), stderr);
        return !InterruptGuard::is_asked_for();
    };
    const VideoSummary summary = write_video(folder, file, video_options);
    if (is_told && told > 0) std::fputs("\r\x1b[K", stderr);
    if (!summary.is_complete) return kInterrupted;
    if (options.quiet) return 0;
    if (summary.pictures == 1) {
        write_out(fmt::format("picture in {}\n", file.string()));
        return 0;
    }
    write_out(fmt::format("{} pictures, {:.4g} s at {} per second, {} s of the run each: {}\n",
                          summary.pictures,
                          static_cast<double>(summary.pictures) / summary.rate,
                          summary.rate,
                          summary.speed,
                          file.string()));
    if (summary.repeated > 0)
        write_out(
            fmt::format("{} of them show a frame once more: the run has no frame as near to "
                        "their time; see `every` and `frames` in [output]\n",
                        summary.repeated));
    return 0;
}

}  // namespace ancora::command
