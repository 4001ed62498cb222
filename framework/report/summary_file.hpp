// SPDX-License-Identifier: BSD-3-Clause
// summary.json as the page takes it: what it reads of it has the kinds it expects.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace ancora {

/// The summary of a run; null if there is none (yet).
/// @throws Error (file) with the name of the file if it is no summary
nlohmann::ordered_json read_summary(const std::filesystem::path& folder);

}  // namespace ancora
