// SPDX-License-Identifier: BSD-3-Clause
// What moves in a scene, as the page reads it: tracks of chosen frames.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "results.hpp"

namespace ancora {

/// Times of all rows [s].
std::vector<double> times_of(const History& history);

/// The scene with these frames, whose rows are at the times `t` (of all rows).
nlohmann::ordered_json page_scene(const Frames& frames,
                                  std::span<const double> t,
                                  std::span<const std::size_t> chosen);

}  // namespace ancora
