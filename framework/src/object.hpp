// SPDX-License-Identifier: BSD-3-Clause
// Who an object of the model is, and how an error that came out of its plugin is named.
#pragma once

#include <string>

#include "ancora/framework/error.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "fp_environment.hpp"

namespace ancora {

/// One object of a model, for messages and cost accounts.
struct ObjectRef {
    std::string name;
    std::string label;  ///< body "box"
    const Plugin* plugin = nullptr;
    const TypeDescriptor* type = nullptr;
    int plugin_index = 0;  ///< in the model's list of plugins in use
    Place place;
};

/// 'body "box" (type ancf_rigid_body of plugin ancf_rigid_body 0.1.0)'
std::string describe(const ObjectRef& object);

/// To be called inside a catch block: turns whatever a plugin threw in `call` into a plugin error
/// that names plugin, type, object, call and time. Errors of the kernel itself pass unchanged.
[[noreturn]] void rethrow_from_plugin(const ObjectRef& object, const char* call, const double* t);

/// Throws the plugin error for a floating-point environment that `call` changed.
[[noreturn]] void refuse_environment(const ObjectRef& object, const char* call, const double* t);

/// Throws the plugin error for a value that `call` returned and that is not finite; `where` says
/// which entry of it.
[[noreturn]] void refuse_nonfinite(const ObjectRef& object,
                                   const char* call,
                                   const std::string& what,
                                   const double* t,
                                   const std::string& where = "");

/// Calls `function`, a call of `object`'s plugin outside the step loop: what it throws is named
/// after the plugin, and it must leave the floating-point environment alone.
template <class Function>
void call_plugin(const ObjectRef& object, const char* call, Function&& function) {
    const FpEnvironment environment = FpEnvironment::capture();
    try {
        function();
    } catch (...) {
        environment.restore();
        rethrow_from_plugin(object, call, nullptr);
    }
    if (!environment.differs()) return;
    environment.restore();
    refuse_environment(object, call, nullptr);
}

}  // namespace ancora
