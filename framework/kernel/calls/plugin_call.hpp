// SPDX-License-Identifier: BSD-3-Clause
// A call of a plugin as a value: what went in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/framework/failed_call.hpp"
#include "ancora/sdk/attachment.hpp"

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

/// An attachment's place in its body as text and back.
std::string locator_text(const Locator& where);
/// `text` must outlive it.
Locator locator_of(std::string_view text);
/// The attachment that a record names.
/// @throws Error (file) if it names none
Locator locator_of(const PluginCall& record);

/// "A is nan at row 0, column 2" for each entry that is not finite.
std::vector<std::string> bad_entries(const std::vector<CallValues>& outputs);

struct ObjectRef;

/// The text of its file.
std::string failed_call_text(const ObjectRef& object,
                             const PluginCall& call,
                             const std::string& message);

}  // namespace ancora
