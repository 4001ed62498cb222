// SPDX-License-Identifier: BSD-3-Clause
// The page of a report for a run that goes on: what it is made of before there is a result.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// The page without a run. It connects to the WebSocket "live" beside its own address, which must
/// be one of `connect`, sources of a content policy; what goes over it is in report/page/README.md.
ANCORA_FRAMEWORK_EXPORT std::string live_page(const std::string& title, const std::string& connect);

/// JSON text of what the page draws frames by: {"columns": [{"name", "unit"}], "width": values of a
/// frame, "scene": that of a report, where a track is {"first", "width"} in a frame}.
ANCORA_FRAMEWORK_EXPORT std::string live_model(const Simulation& simulation);

/// One number of [parameters].
struct NumberParameter {
    std::string name;
    double value = 0.0;
    std::string unit;  ///< empty: none, or not known
};
/// Those that are single numbers, in the order of the file.
ANCORA_FRAMEWORK_EXPORT std::vector<NumberParameter> number_parameters(const Manifest& manifest);

}  // namespace ancora
