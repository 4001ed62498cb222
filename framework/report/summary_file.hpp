// SPDX-License-Identifier: BSD-3-Clause
// summary.json as the page takes it: what it reads of it has the kinds it expects.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace ancora {

/// The summary of a run; null if there is none (yet).
/// @throws Error (file) with the name of the file if it is no summary
nlohmann::ordered_json read_summary(const std::filesystem::path& folder);

/// SI unit of a column of history.csv: what the summary says, which may be null, else what the name
/// tells.
std::string unit_of_column(const nlohmann::ordered_json& summary, const std::string& name);

}  // namespace ancora
