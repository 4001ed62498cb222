// SPDX-License-Identifier: BSD-3-Clause
// What both versions of FMI do alike: instances with a logger, calls that fail with a message,
// values by their references.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"
#include "slave.hpp"

namespace ancora::fmu {

/// The statuses, whose numbers are the same in both versions.
enum StatusNumber : int { kOk, kWarning, kDiscard, kError };

constexpr const char* kErrors = "logStatusError";
constexpr const char* kWarnings = "logStatusWarning";

[[noreturn]] inline void refuse_call(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

/// What a handle of the importer points to.
struct Instance {
    /// Hands a message to the importer, in the way of its version.
    std::function<void(int status, const char* category, const std::string& text)> sink;
    bool logs_errors = true, logs_warnings = true;
    std::unique_ptr<Slave> slave;

    void log(int status, const std::string& text) const {
        const bool is_error = status >= kDiscard;
        if (sink && (is_error ? logs_errors : logs_warnings))
            sink(status, is_error ? kErrors : kWarnings, text);
    }
};

/// Text of the exception that is being handled.
inline std::string current_problem() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is none of C++'s own";
    }
}

/// Calls `f` with the instance; what it throws is logged, and ends in the state "error".
template <class Status, class F>
Status guarded(void* handle, const char* call, const F& f) noexcept {
    constexpr auto kFailed = static_cast<Status>(kError);
    auto* const instance = static_cast<Instance*>(handle);
    if (instance == nullptr) return kFailed;
    try {
        if constexpr (std::is_void_v<decltype(f(*instance))>) {
            f(*instance);
            return static_cast<Status>(kOk);
        } else {
            return f(*instance);
        }
    } catch (...) {
        try {
            instance->log(kError, std::string(call) + ": " + current_problem());
        } catch (...) {
            // nobody is left to tell
        }
        instance->slave->fail();
        return kFailed;
    }
}

/// A function that the standard wants to be there and the description says is not offered.
template <class Status>
Status not_offered(void* handle, const char* call, const char* why) noexcept {
    return guarded<Status>(handle, call, [&](Instance&) {
        refuse_call(why);
    });
}

/// An instance, or null with the reason in the log.
/// @param check  throws what stands against it
template <class Check>
Instance* instantiate(decltype(Instance::sink) sink,
                      const char* call,
                      const char* name,
                      const char* token,
                      const std::string& resources,
                      bool logs_warnings,
                      const Check& check) noexcept {
    std::unique_ptr<Instance> it;
    try {
        it = std::make_unique<Instance>();
        it->sink = std::move(sink);
        // Why there is no instance is always told.
        if (name == nullptr || *name == '\0') refuse_call("the instance has no name");
        check();
        if (token == nullptr) refuse_call("an argument is NULL");
        Instance* const raw = it.get();
        it->slave = std::make_unique<Slave>(resources, [raw](const std::string& text) {
            raw->log(kWarning, text);
        });
        if (it->slave->description().token != token)
            refuse_call("the GUID, or instantiation token, is not that of this FMU's description");
        it->logs_warnings = logs_warnings;
        return it.release();
    } catch (...) {
        try {
            if (it) it->log(kError, std::string(call) + ": " + current_problem());
        } catch (...) {
            // nobody is left to tell
        }
        return nullptr;
    }
}

/// Switches categories, or without names all of them. FMI 2.0 also knows "logAll".
inline void set_logging(Instance& it, bool on, std::size_t count, const char* const names[]) {
    if (count > 0 && names == nullptr) refuse_call("an array is NULL");
    bool errors = count == 0, warnings = count == 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (names[i] == nullptr) refuse_call("a category is NULL");
        const std::string_view name = names[i];
        if (name != kErrors && name != kWarnings && name != "logAll")
            refuse_call("there is no category \"" + std::string(name) + "\"");
        errors |= name != kWarnings;
        warnings |= name != kErrors;
    }
    if (errors) it.logs_errors = on;
    if (warnings) it.logs_warnings = on;
}

inline void require_arrays(const void* references, const void* values, std::size_t count) {
    if (count > 0 && (references == nullptr || values == nullptr)) refuse_call("an array is NULL");
    // More are no variables of anything.
    if (count > (std::size_t{1} << 30)) refuse_call("too many variables");
}

/// Values of a type that no variable has: there may be none.
inline void require_no_values(std::size_t count) {
    if (count > 0) refuse_call("there are no variables of this type");
}

template <Variable::Type type, class T>
void get_values(Instance& it, const unsigned references[], std::size_t count, T values[]) {
    require_arrays(references, values, count);
    if constexpr (type == Variable::Type::text) {
        for (std::size_t i = 0; i < count; ++i) values[i] = it.slave->text(references[i]).c_str();
    } else if constexpr (type == Variable::Type::real) {
        it.slave->get_numbers({references, count}, type, {values, count});
    } else {
        std::vector<double> numbers(count);
        it.slave->get_numbers({references, count}, type, numbers);
        for (std::size_t i = 0; i < count; ++i) values[i] = numbers[i] != 0.0 ? T{1} : T{0};
    }
}

template <Variable::Type type, class T>
void set_values(Instance& it, const unsigned references[], std::size_t count, const T values[]) {
    require_arrays(references, values, count);
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (type == Variable::Type::text) {
            if (values[i] == nullptr) refuse_call("a text is NULL");
            it.slave->set_text(references[i], values[i]);
        } else if constexpr (type == Variable::Type::real) {
            it.slave->set_number(references[i], type, values[i]);
        } else {
            it.slave->set_number(references[i], type, values[i] ? 1.0 : 0.0);
        }
    }
}

}  // namespace ancora::fmu
