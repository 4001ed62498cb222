// SPDX-License-Identifier: BSD-3-Clause
// The guard around any call of a plugin: what it throws, returns or leaves behind becomes a
// message.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "ancora/sdk/integrator.hpp"
#include "call_table.hpp"
#include "fp_environment.hpp"
#include "object_ref.hpp"
#include "plugin_call.hpp"
#include "present_call.hpp"

namespace ancora {

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

/// Throws the error of a call that will not come back, and why. With `inputs`, a FailedCall.
[[noreturn]] void refuse_ended(const ObjectRef& object,
                               const char* call,
                               const double* t,
                               const char* what,
                               const PluginCall* inputs);

/// Throws the FailedCall with a message of one's own, which is put behind the object's name.
[[noreturn]] void refuse_call(const ObjectRef& object,
                              const PluginCall& call,
                              const std::string& what);

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
                 const Capture& capture = {},
                 const double* t = nullptr) {
    const FpEnvironment environment = FpEnvironment::capture();
    try {
        const CallScope scope(object, call, t, capture);
        function();
    } catch (...) {
        environment.restore();
        rethrow_captured(object, call, t, capture);
    }
    if (!environment.differs()) return;
    environment.restore();
    refuse_environment(object, call, t);
}

// --- what the table of calls gives

/// Writes a call of the table into its record.
class CallRecorder {
public:
    explicit CallRecorder(PluginCall& to) : to_(to) {}
    void setting(const char* key, int value) { to_.set(key, value); }
    void place(std::string_view locator, const auto&, const auto&) {
        to_.locators.emplace_back(locator);
    }
    void in(const char* key, std::span<const double> x, std::size_t) { to_.in(key, x); }
    void in(const char* key, double x) { to_.in(key, x); }
    void in_or_none(const char* key, std::span<const double> x, std::size_t) { to_.in(key, x); }
    void remark(const char* key, double x) { to_.in(key, x); }
    void out(const calls::Output&, const auto&...) {}
    void choice(const calls::Output& output, std::span<const double> x, std::size_t) {
        to_.want(output.name, !x.empty());
    }
    void made(const calls::Output&, std::size_t, const auto&) {}
    void moved(const calls::Output&, const auto&, const auto&) {}
    void room(const auto&, std::size_t) {}

private:
    PluginCall& to_;
};

template <class Call>
PluginCall record_of(const Call& call) {
    PluginCall record(Call::kName);
    Call::fields(call, {}, CallRecorder(record));
    return record;
}

/// Looks for the first output of a call that is not finite; states are not looked at.
class BadOutput {
public:
    void setting(const char*, int) {}
    void place(std::string_view, const auto&, const auto&) {}
    void in(const char*, const auto&...) {}
    void in_or_none(const char*, const auto&, std::size_t) {}
    void remark(const char*, double) {}
    void out(const calls::Output& output, std::span<const double> x, std::size_t) {
        look(output, x);
    }
    template <std::size_t N>
    void out(const calls::Output& output, const std::array<double, N>& x) {
        look(output, x);
    }
    void out(const calls::Output& output, const double& x) { look(output, {&x, 1}); }
    void choice(const calls::Output& output, std::span<const double> x, std::size_t) {
        look(output, x);
    }
    void made(const calls::Output&, std::size_t, const auto&) {}
    void moved(const calls::Output&, const auto&, const auto&) {}
    void room(const auto&, std::size_t) {}

    bool is_found() const { return is_found_; }
    const char* what() const { return output_.what; }
    /// "row 2, column 0"
    std::string where() const;

private:
    /// Without a branch for each, since as good as always nothing is found: 0 x is no number where
    /// x is none or infinite, and so is the sum.
    static bool are_finite(std::span<const double> x) {
        double even = 0.0;
        double odd = 0.0;
        std::size_t i = 0;
        for (; i + 1 < x.size(); i += 2) {
            even += 0.0 * x[i];
            odd += 0.0 * x[i + 1];
        }
        if (i < x.size()) even += 0.0 * x[i];
        return even + odd == 0.0;
    }
    void look(const calls::Output& output, std::span<const double> x) {
        if (is_found_ || are_finite(x)) return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (std::isfinite(x[i])) continue;
            if (output.entries == calls::Entries::pairs && i % output.columns > i / output.columns)
                continue;
            is_found_ = true;
            output_ = output;
            index_ = i;
            return;
        }
    }

    bool is_found_ = false;
    calls::Output output_{};
    std::size_t index_ = 0;
};

struct NoPrefix {
    std::string operator()() const { return {}; }
};
/// For records of what stands in the call itself.
struct CallItself {};

/// Refuses the first output of `call` that is not finite.
///
/// @param shape    of the call, for places in matrices
/// @param prefix   returns what stands before the place
/// @param capture  returns the PluginCall for the record, where the inputs are not in `call`
template <class Call, class Prefix = NoPrefix, class Capture = CallItself>
void require_finite(const ObjectRef& object,
                    const Call& call,
                    const typename Call::Shape& shape,
                    const double* t,
                    const Prefix& prefix = {},
                    const Capture& capture = {}) {
    BadOutput bad;
    Call::fields(call, shape, bad);
    if (!bad.is_found()) return;
    PluginCall inputs;
    if constexpr (std::is_same_v<Capture, CallItself>)
        inputs = record_of(call);
    else
        inputs = capture();
    refuse_nonfinite(object, Call::kName, bad.what(), t, prefix() + bad.where(), &inputs);
}

// --- states

/// Copies the state that an object starts with; refuses what is not finite.
void copy_start_state(const ObjectRef& object,
                      std::span<const double> start,
                      std::span<double> state);

// --- facets

/// What an object offers besides.
template <class Object>
auto facets_of(const ObjectRef& object, const Object& of) {
    decltype(facets_of(of)) out;
    call_plugin(object, "facets", [&] {
        out = facets_of(of);
    });
    return out;
}

// --- factories

/// Name of the call that makes an object.
inline constexpr const char* kFactory = "its factory";

/// Makes an object; never null.
template <class Interface>
std::unique_ptr<Interface> create_object(const ObjectRef& object, const Arguments& arguments) {
    std::unique_ptr<Interface> made;
    const auto make = [&] {
        const auto& own = object.plugin->make;
        made.reset(static_cast<Interface*>(own ? own(arguments) : object.type->create(arguments)));
    };
    if constexpr (std::is_same_v<Interface, Integrator>)
        call_plugin(object, kFactory, make);
    else
        call_plugin(object, kFactory, make, [] {
            return PluginCall(kFactory);
        });
    if (made == nullptr)
        throw Error(ErrorKind::plugin,
                    describe(object) + ": " + kFactory + " returned nothing",
                    object.place);
    return made;
}

}  // namespace ancora
