// SPDX-License-Identifier: BSD-3-Clause
// Modes as results that can be looked at: frames of a period each.
#pragma once

#include <filesystem>
#include <string>

#include "ancora/framework/export.hpp"
#include "ancora/framework/linear_model.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

struct ModeFramesOptions {
    int num_frames = 60;        ///< of a period
    double seconds = 4.0;       ///< that the period takes where it is played [s]
    double largest_part = 0.1;  ///< largest displacement of matter, of the size of the model;
                                ///< less where a body would turn by more than 0.3 rad
    std::string model;          ///< name that the results have; empty: the simulation's
};

/// Writes one period of a mode about the simulation's present state into a folder of results, which
/// reports, plots and ParaView's frames are made of as of those of a run. history.csv has the
/// places of bodies and the measures of joints, displaced. The period is stretched to
/// options.seconds, and damping is left out; a mode that does not swing dies away instead, or, if
/// it is unstable, grows. In a steady spin the frames are those of the corotating frame.
///
/// Displacements are those of the linear motion: bodies turn by small angles, and joints open in
/// second order of the displacement.
/// @throws Error (file), as Recorder::start()
ANCORA_FRAMEWORK_EXPORT void write_mode_frames(const Simulation& simulation,
                                               const Mode& mode,
                                               const std::filesystem::path& folder,
                                               const ModeFramesOptions& options = {});

/// Removes what write_mode_frames() has written there, and the folder if nothing else is in it.
/// @returns false, with nothing removed, if there are no results of a mode
/// @throws Error (file)
ANCORA_FRAMEWORK_EXPORT bool remove_mode_frames(const std::filesystem::path& folder);

}  // namespace ancora
