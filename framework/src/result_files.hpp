// SPDX-License-Identifier: BSD-3-Clause
// Names of the files that a run leaves in its folder, and of what is made of them there.
#pragma once

#include <array>

namespace ancora {

inline constexpr const char* kHistoryFile = "history.csv";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kCheckpointFile = "checkpoint.bin";
inline constexpr const char* kSceneFile = "scene.json";
inline constexpr const char* kFramesFile = "frames.npy";
inline constexpr const char* kStatesFile = "states.npy";

/// Where `ancora report` writes if it is not told.
inline constexpr const char* kReportFile = "report.html";

inline constexpr const char* kParaviewList = "paraview.pvd";
inline constexpr const char* kParaviewFolder = "paraview";
/// Its files are called NAME_NUMBER.vtp.
inline constexpr std::array kParaviewParts = {"bodies", "networks", "marks"};

}  // namespace ancora
