// SPDX-License-Identifier: BSD-3-Clause
// What differs between the models of two runs, by the manifests that lie with their results.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace ancora {

/// [{"key": "body.box.density", "first": "2700", "second": "1000"}, ...] in the order of the first
/// manifest, values as TOML and "" where a manifest has none; what was set on the command line
/// comes first, with the key "--set". Null if one of the folders holds no manifest.
/// @throws Error (file, manifest) if one cannot be read
nlohmann::ordered_json model_differences(const std::filesystem::path& first,
                                         const std::filesystem::path& second);

}  // namespace ancora
