// SPDX-License-Identifier: BSD-3-Clause
// A call of a plugin as a value: what went in, and how to make it once more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/framework/failed_call.hpp"
#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/nonideal_force.hpp"

namespace ancora {

/// Name and inputs of a call. Made on the way of a failure only: it copies.
struct PluginCall {
    explicit PluginCall(std::string called = {}) : name(std::move(called)) {}

    /// For chaining.
    PluginCall& set(const char* key, std::int64_t value) {
        settings.emplace_back(key, value);
        return *this;
    }
    PluginCall& in(const char* key, double x) { return in(key, std::span<const double>(&x, 1)); }
    PluginCall& in(const char* key, std::span<const double> x) {
        inputs.push_back({key, 1, {x.begin(), x.end()}});
        return *this;
    }
    /// Adds the name of an output that is asked for.
    PluginCall& want(const char* output, bool is_wanted) {
        if (is_wanted) wanted.emplace_back(output);
        return *this;
    }

    /// An input, or a setting; nothing, or 0, if there is none.
    std::span<const double> input(std::string_view key) const;
    double number(std::string_view key) const;
    std::int64_t setting(std::string_view key) const;
    bool wants(std::string_view output) const;

    std::string name;
    std::vector<std::pair<std::string, std::int64_t>> settings;  ///< block, id, ...
    std::vector<CallValues> inputs;
    std::vector<std::string> wanted;
    std::vector<std::string> locators;  ///< of evaluate_attachment: see locator_text()
};

PluginCall capture_of(int block, bool of_tangents, const RowPoint& at, const RowValues& out);
PluginCall capture_of(int block, bool of_tangents, const RowStep& step);
PluginCall capture_of(const RowStep& step, std::span<const double> mean_velocity);
PluginCall capture_of(const RowPoint& at, std::span<const double> state);

/// An attachment's place in its body as text and back.
std::string locator_text(const Locator& where);
/// `name` keeps the name that the locator points to.
Locator locator_of(std::string_view text, std::string& name);

/// What a plugin's factory made; one is set.
struct PluginObject {
    const Body* body = nullptr;
    const Constraint* constraint = nullptr;
    const NonidealForce* force = nullptr;
};

/// Makes the call; outputs begin with zeros. Throws what the plugin throws.
std::vector<CallValues> make_call(const PluginObject& object, const PluginCall& call);

/// "A is nan at row 0, column 2" for each entry that is not finite.
std::vector<std::string> bad_entries(const std::vector<CallValues>& outputs);

/// What an object was made of, beside its type: enough to make it once more.
struct ObjectRecord {
    std::string parameters;  ///< "key = value" lines
    std::array<double, 3> gravity{};
    double end_time = 0.0;
    /// Motions of other bodies at the start that its factory may have asked for.
    std::vector<std::pair<std::string, RigidMotion>> motions;
};

struct ObjectRef;

/// The text of the file.
std::string failed_call_text(const ObjectRef& object,
                             const PluginCall& call,
                             const std::string& message);

}  // namespace ancora
