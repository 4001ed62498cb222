// SPDX-License-Identifier: BSD-3-Clause
// The motion of a run as a video or as numbered pictures.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"

namespace ancora {

struct VideoOptions {
    std::optional<double> from, to;  ///< times of the run [s]; without: its first and last frame
    /// Seconds of the run per second of the video; without: real time if that takes 4 to 40
    /// seconds, else what takes about 12.
    std::optional<double> speed;
    /// Pictures per second; without: a rate near 30 at which each picture falls on a frame.
    std::optional<double> rate;
    int width = 1280, height = 720;  ///< [px]; even for a video
    bool is_dark = false;
    /// Name of the numbers that colour bodies, as in the list of the report, or "none"; without:
    /// the first of that list.
    std::optional<std::string> colour;
    /// What is not drawn: grid, joints, points of attachment, forces as arrows.
    std::vector<std::string> without;
    /// Azimuth of the eye about the vertical, for z upward from x towards y, and elevation above
    /// the horizontal plane [rad]; without: obliquely from above.
    std::optional<std::array<double, 2>> view;
    /// Is asked from time to time; false ends the work without a file.
    std::function<bool(std::size_t done, std::size_t all)> progress;
};

struct VideoSummary {
    std::size_t pictures = 0;
    std::size_t repeated = 0;  ///< that show the frame of the one before
    double speed = 1.0;        ///< seconds of the run per second of the video
    double rate = 30.0;        ///< pictures per second
    bool is_complete = true;   ///< false: `progress` has ended it, and there is no file
};

/// Draws the frames of a run with the page of `ancora report` in a Chromium without a window, whose
/// program must be installed. `file` ends in .mp4 (H.264), .webm (VP9) or .png; of several pictures
/// those are FILE_0001.png and so on, and pictures of an earlier, longer series go.
///
/// Each picture shows a frame that the run has written, the nearest to its time, as it is: nothing
/// between frames is made up, and the time in the picture is that of the frame's row. An earlier
/// video or picture of a run is replaced, another file or a link is not.
/// @throws Error (usage) for options that do not fit, (file) if the folder holds no results or no
///         frames, no Chromium is there or it fails, or the file cannot be written
ANCORA_FRAMEWORK_EXPORT VideoSummary write_video(const std::filesystem::path& folder,
                                                 const std::filesystem::path& file,
                                                 const VideoOptions& options = {});

}  // namespace ancora
