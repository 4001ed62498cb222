// SPDX-License-Identifier: BSD-3-Clause
// Who an object of the model is, and what it was made of.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/sdk/arguments.hpp"

namespace ancora {

/// What an object was made of, beside its type: enough to make it once more.
struct ObjectRecord {
    std::string parameters;  ///< "key = value" lines
    std::array<double, 3> gravity{};
    double begin_time = 0.0, end_time = 0.0;
    /// Motions of other bodies at the start that its factory may have asked for.
    std::vector<std::pair<std::string, RigidMotion>> motions;
    /// The same of frames and measures, by the texts that name them.
    std::deque<std::pair<std::string, FrameStart>> frames;
    std::deque<std::pair<std::string, MeasureStart>> measures;
};

/// One object of a model, for messages and cost accounts.
struct ObjectRef {
    std::string name;
    std::string label;  ///< body "box"
    const Plugin* plugin = nullptr;
    const TypeDescriptor* type = nullptr;
    int plugin_index = 0;  ///< in the model's list of plugins in use
    Place place;
    std::shared_ptr<ObjectRecord> record;  ///< may be null
};

/// 'body "box" (type ancf_rigid_body of plugin ancf_rigid_body 0.1.0)'
std::string describe(const ObjectRef& object);

}  // namespace ancora
