// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers as the report's page reads them: quantised where they are only looked at,
// deflated, in base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace ancora {

/// Numbers that belong to frames: `count` records of `width` each, record by record.
struct Track {
    std::size_t count = 0;
    std::size_t width = 0;
    std::vector<double> values;
};

// Each returns {"shape", "type", "delta", "planes", "scale", "offset", "data"}: the elements'
// differences along the first axis (if "delta"), their bytes plane by plane, deflated (zlib), in
// base64; value = offset + scale * element, with the last axis counted modulo the lists' length.

/// Exactly.
nlohmann::ordered_json page_array(std::span<const double> values);
/// In single precision, of this shape.
nlohmann::ordered_json page_array(std::span<const float> values,
                                  std::size_t rows,
                                  std::size_t columns);
nlohmann::ordered_json page_array(std::span<const std::int32_t> values,
                                  std::size_t rows,
                                  std::size_t columns);
/// To 2^-16 of the range of each component, where that is above `coarsest` to 2^-32, and exactly
/// where this is too; component k counts modulo `period`.
nlohmann::ordered_json page_track(const Track& track,
                                  std::size_t period,
                                  double coarsest = std::numeric_limits<double>::infinity());
/// To 2^-8 of the range of all of them.
nlohmann::ordered_json page_colours(const Track& track);

std::string base64(std::string_view bytes);

}  // namespace ancora
