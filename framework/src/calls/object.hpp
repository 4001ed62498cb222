// SPDX-License-Identifier: BSD-3-Clause
// Who an object of the model is, and how an error that came out of its plugin is named.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "ancora/framework/error.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "fp_environment.hpp"
#include "plugin_call.hpp"

namespace ancora {

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

/// To be called inside a catch block: turns whatever a plugin threw in `call` into a plugin error
/// that names plugin, type, object, call and time. Errors of the kernel itself pass unchanged. With
/// `inputs`, a FailedCall.
[[noreturn]] void rethrow_from_plugin(const ObjectRef& object,
                                      const char* call,
                                      const double* t,
                                      const PluginCall* inputs = nullptr);

/// Throws the plugin error for a floating-point environment that `call` changed.
[[noreturn]] void refuse_environment(const ObjectRef& object, const char* call, const double* t);

/// Throws the plugin error for a value that `call` returned and that is not finite; `where` says
/// which entry of it. With `inputs`, a FailedCall.
[[noreturn]] void refuse_nonfinite(const ObjectRef& object,
                                   const char* call,
                                   const std::string& what,
                                   const double* t,
                                   const std::string& where = "",
                                   const PluginCall* inputs = nullptr);

/// For calls whose inputs are not recorded.
struct NoCapture {};

/// rethrow_from_plugin() with what `capture` returns, a PluginCall.
template <class Capture>
[[noreturn]] void rethrow_captured(const ObjectRef& object,
                                   const char* call,
                                   const double* t,
                                   const Capture& capture) {
    if constexpr (std::is_same_v<Capture, NoCapture>) {
        rethrow_from_plugin(object, call, t);
    } else {
        const PluginCall inputs = capture();
        rethrow_from_plugin(object, call, t, &inputs);
    }
}

/// Calls `function`, a call of `object`'s plugin outside the step loop: what it throws is named
/// after the plugin, and it must leave the floating-point environment alone. `capture` returns the
/// PluginCall for the record of a failure.
template <class Function, class Capture = NoCapture>
void call_plugin(const ObjectRef& object,
                 const char* call,
                 Function&& function,
                 const Capture& capture = {}) {
    const FpEnvironment environment = FpEnvironment::capture();
    try {
        function();
    } catch (...) {
        environment.restore();
        rethrow_captured(object, call, nullptr, capture);
    }
    if (!environment.differs()) return;
    environment.restore();
    refuse_environment(object, call, nullptr);
}

/// Lets a plugin's object write its state at the start; refuses what is not finite.
template <class Source>
void start_state_of(const Source& source, const ObjectRef& object, std::span<double> state) {
    const auto capture = [] {
        return PluginCall("start_state");
    };
    call_plugin(
        object,
        "start_state",
        [&] {
            source.start_state(state);
        },
        capture);
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (std::isfinite(state[i])) continue;
        const PluginCall inputs = capture();
        refuse_nonfinite(
            object, "start_state", "a state", nullptr, "entry " + std::to_string(i), &inputs);
    }
}

}  // namespace ancora
