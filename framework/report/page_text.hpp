// SPDX-License-Identifier: BSD-3-Clause
// The template of the page, filled in.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace ancora {

inline constexpr int kPageFormat = 1;

/// The page with its data, under a policy that allows its own scripts and style and nothing else;
/// `connect` is what it may talk to besides, "" for nothing.
std::string page_of(const std::string& title,
                    const nlohmann::ordered_json& data,
                    const std::string& connect = {});

}  // namespace ancora
