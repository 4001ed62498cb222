// SPDX-License-Identifier: BSD-3-Clause
// The call of a plugin that a thread is in, for what ends a call without coming back from it.
#pragma once

#include <type_traits>

#include "object_ref.hpp"
#include "plugin_call.hpp"

namespace ancora {

/// For calls whose inputs are not recorded.
struct NoCapture {};

/// What is known of a call while it lasts; lives in the frame of who calls.
struct PresentCall {
    const ObjectRef* object = nullptr;
    const char* name = "";
    const double* t = nullptr;                            ///< null: outside of time
    PluginCall (*record)(const void* capture) = nullptr;  ///< null: inputs are not recorded
    const void* capture = nullptr;
    const PresentCall* outer =
        nullptr;  ///< the integrator's, round those of the plugins it leads to
};

// Set and read twenty times a step: without the detour of other thread-local variables in a
// library.
extern constinit thread_local const PresentCall* present_call
    __attribute__((tls_model("initial-exec")));

/// Makes a call the present one while it lives.
class CallScope {
public:
    template <class Capture = NoCapture>
    CallScope(const ObjectRef& object,
              const char* name,
              const double* t,
              const Capture& capture = {})
        : call_{&object, name, t, nullptr, nullptr, present_call} {
        if constexpr (!std::is_same_v<Capture, NoCapture>) {
            call_.capture = &capture;
            call_.record = [](const void* of) -> PluginCall {
                return (*static_cast<const Capture*>(of))();
            };
        }
        present_call = &call_;
    }
    ~CallScope() { present_call = call_.outer; }
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

private:
    PresentCall call_;
};

}  // namespace ancora
