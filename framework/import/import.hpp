// SPDX-License-Identifier: BSD-3-Clause
// Robot descriptions of others, URDF, MJCF and SDF, as manifests.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ancora {

struct ImportOptions {
    /// The manifest to be written: meshes are named from its folder.
    std::filesystem::path manifest;
    /// Leave out what has no counterpart, instead of refusing it.
    bool is_lenient = false;
};

/// What became of a description.
struct ImportedModel {
    std::string text;  ///< the manifest
    /// Files beside the manifest, and what is in them: triangles that stand in the description.
    std::vector<std::pair<std::string, std::string>> files;
    int num_bodies = 0;
    int num_joints = 0;
    /// What is in the description and not in the model: first what has no part in its motion or is
    /// kept as a comment, then what was left out for want of a counterpart, each with its place.
    std::vector<std::string> notes, left_out;
};

/// Reads a description; which format it is says its first element.
/// @throws Error (file) if a file cannot be read, (manifest) with all mistakes, each with its line:
///         what is damaged, and what has no counterpart unless that is to be left out
ImportedModel import_model(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace ancora
