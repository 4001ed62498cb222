// SPDX-License-Identifier: BSD-3-Clause
// Names of the files that a run leaves in its folder, and of what is made of them there.
#pragma once

#include <array>
#include <string_view>

namespace ancora {

inline constexpr const char* kHistoryFile = "history.csv";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kModelFile = "model.toml";
inline constexpr const char* kCheckpointFile = "checkpoint.bin";
inline constexpr const char* kSceneFile = "scene.json";
inline constexpr const char* kFramesFile = "frames.npy";
inline constexpr const char* kStatesFile = "states.npy";

/// First bytes of the model, so that a manifest that somebody put in its place is left alone.
inline constexpr std::string_view kModelMark = "# Ancora model of these results\n";

/// Tells results from other files: the list of all that Ancora made in the folder.
inline constexpr const char* kListFile = ".ancora-results";

/// Where `ancora report` writes if it is not told.
inline constexpr const char* kReportFile = "report.html";
/// What an open page asks whether it has been written anew, as long as that goes on.
inline constexpr const char* kReportStampFile = "report.html.js";

inline constexpr const char* kParaviewList = "paraview.pvd";
inline constexpr const char* kParaviewFolder = "paraview";
/// Its files are called NAME_NUMBER.vtp.
inline constexpr std::array kParaviewParts = {"bodies", "networks", "marks"};

/// With these a file begins that Ancora made of results; another one is never replaced or removed.
inline constexpr std::string_view kReportMark = "<!doctype html><!-- Ancora report -->";
inline constexpr std::string_view kReportStampMark = "ancoraStamp(";
inline constexpr std::string_view kParaviewListMark =
    "<?xml version=\"1.0\"?><!-- Ancora list of frames -->";
inline constexpr std::string_view kParaviewFrameMark =
    "<?xml version=\"1.0\"?><!-- Ancora frame -->";

}  // namespace ancora
