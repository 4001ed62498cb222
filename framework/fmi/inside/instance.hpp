// SPDX-License-Identifier: BSD-3-Clause
// What both versions of FMI do alike: instances with a logger, calls that fail with a message,
// values by their references, states.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"
#include "slave.hpp"

namespace ancora::fmu {

/// The statuses, whose numbers are the same in both versions.
enum Status : int { kOk, kWarning, kDiscard, kError };

constexpr const char* kErrors = "logStatusError";
constexpr const char* kWarnings = "logStatusWarning";

[[noreturn]] inline void refuse_call(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

inline void require_given(bool is_given, const char* problem = "an argument is NULL") {
    if (!is_given) refuse_call(problem);
}

struct Log {
    /// Hands a message to the importer, in the way of its version.
    std::function<void(int status, const char* category, const std::string& text)> sink;
    bool logs_errors = true, logs_warnings = true;

    void log(int status, const std::string& text) const {
        const bool is_error = status >= kDiscard;
        if (sink && (is_error ? logs_errors : logs_warnings))
            sink(status, is_error ? kErrors : kWarnings, text);
    }
};

/// What a handle of the importer points to.
struct Instance : Log, Slave {
    Instance(Log to, const std::string& resources, Use use)
        : Log(std::move(to)), Slave(resources, use, [this](const std::string& text) {
              log(kWarning, text);
          }) {}
    bool may_return = false;  // of co-simulation: a step ends early at an event
};

/// Logs the exception that is being handled as a failure of the call.
inline void log_failure(const Log& to, const char* call) noexcept {
    try {
        std::string problem = "an exception that is none of C++'s own";
        try {
            throw;
        } catch (const std::exception& error) {
            problem = error.what();
        } catch (...) {
            // the text stands above
        }
        to.log(kError, std::string(call) + ": " + problem);
    } catch (...) {
        // nobody is left to tell
    }
}

/// How a call ends, as the type that a version has for it.
struct Outcome {
    Status status;
    template <class Enum>
    operator Enum() const {
        return static_cast<Enum>(status);
    }
};

/// Calls `f` with the instance and the arguments; what it throws is logged, and ends in the state
/// "error".
template <class F, class... Arguments>
Outcome guarded(void* handle, const char* call, const F& f, Arguments... arguments) noexcept {
    auto* const it = static_cast<Instance*>(handle);
    if (it == nullptr) return {kError};
    try {
        if constexpr (std::is_void_v<std::invoke_result_t<const F&, Instance&, Arguments...>>) {
            std::invoke(f, *it, arguments...);
            return {kOk};
        } else {
            return {std::invoke(f, *it, arguments...)};
        }
    } catch (...) {
        log_failure(*it, call);
        it->fail();
        return {kError};
    }
}

template <class Result, class... Arguments>
Result returned_by(Result (*)(Arguments...));

/// Defines a function that the standard wants to be there and the description says is not offered,
/// by its name, the reason and the types of its arguments behind the handle.
#define ANCORA_FMI_REFUSED(name, why, ...)                                      \
    decltype(returned_by(name)) name(void* handle __VA_OPT__(, ) __VA_ARGS__) { \
        return guarded(handle, __func__, [](Slave&) {                           \
            refuse_call(why);                                                   \
        });                                                                     \
    }

/// An instance, or null with the reason in the log.
/// @param check  throws what stands against it
template <class Check>
Instance* instantiate(Log log,
                      const char* call,
                      const char* name,
                      const char* token,
                      const std::string& resources,
                      Slave::Use use,
                      bool logs_warnings,
                      const Check& check) noexcept {
    try {
        // Why there is no instance is always told.
        if (name == nullptr || *name == '\0') refuse_call("the instance has no name");
        check();
        require_given(token != nullptr);
        auto it = std::make_unique<Instance>(log, resources, use);
        if (it->description().token != token)
            refuse_call("the GUID, or instantiation token, is not that of this FMU's description");
        it->logs_warnings = logs_warnings;
        return it.release();
    } catch (...) {
        log_failure(log, call);
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

/// The run begins at a time, and ends at one if that is known.
inline void set_up(
    Slave& slave, bool has_tolerance, double tolerance, double start, bool has_stop, double stop) {
    slave.set_up(
        start, has_stop ? std::optional(stop) : std::nullopt, has_tolerance ? tolerance : 0.0);
}

/// Where the state of the importer's integrator has no accelerations, it may try another one.
template <class F>
Status discarding(Instance& it, const char* call, const F& f) {
    try {
        f();
        return kOk;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        it.log(kDiscard, std::string(call) + ": " + error.what());
        return kDiscard;
    }
}

// --- model exchange

inline void set_states(Slave& slave, const double* x, std::size_t count) {
    require_given(count == 0 || x != nullptr, "an array is NULL");
    slave.set_states({x, count});
}
inline void get_states(const Slave& slave, double* x, std::size_t count) {
    require_given(count == 0 || x != nullptr, "an array is NULL");
    slave.get_states({x, count});
}
inline void get_nominals(const Slave& slave, double* x, std::size_t count) {
    require_given(count == 0 || x != nullptr, "an array is NULL");
    slave.get_states({x, count});  // checks the call
    for (std::size_t k = 0; k < count; ++k) x[k] = 1.0;
}
inline Status get_derivatives(Instance& it, double* dx, std::size_t count) {
    require_given(count == 0 || dx != nullptr, "an array is NULL");
    return discarding(it, "the derivatives", [&] {
        it.derivatives({dx, count});
    });
}
inline Status get_indicators(Instance& it, double* g, std::size_t count) {
    require_given(count == 0 || g != nullptr, "an array is NULL");
    return discarding(it, "the event indicators", [&] {
        it.indicators({g, count});
    });
}
inline Status directional_derivative(Instance& it,
                                     const unsigned* unknowns,
                                     std::size_t num_unknowns,
                                     const unsigned* knowns,
                                     std::size_t num_knowns,
                                     const double* seed,
                                     double* to) {
    require_given((num_unknowns == 0 || (unknowns != nullptr && to != nullptr)) &&
                      (num_knowns == 0 || (knowns != nullptr && seed != nullptr)),
                  "an array is NULL");
    return discarding(it, "a directional derivative", [&] {
        it.directional_derivative(
            {unknowns, num_unknowns}, {knowns, num_knowns}, {seed, num_knowns}, {to, num_unknowns});
    });
}

// --- values

using References = const unsigned*;

/// All variables are scalars, so that there are as many values as references.
inline void require_arrays(References references,
                           const void* values,
                           std::size_t count,
                           std::size_t num_values) {
    if (count != num_values)
        refuse_call("all variables are scalars: as many values as references are needed");
    if (count > 0 && (references == nullptr || values == nullptr)) refuse_call("an array is NULL");
    // More are no variables of anything.
    if (count > (std::size_t{1} << 30)) refuse_call("too many variables");
}

/// Values of a type that no variable has: there may be none.
inline void require_no_values(const Slave&, std::size_t count) {
    if (count > 0) refuse_call("there are no variables of this type");
}

template <Variable::Type type, class T>
void get_values(
    Slave& slave, References references, std::size_t count, T* values, std::size_t num_values) {
    require_arrays(references, values, count, num_values);
    if constexpr (type == Variable::Type::text) {
        for (std::size_t i = 0; i < count; ++i) values[i] = slave.text(references[i]).c_str();
    } else if constexpr (type == Variable::Type::real) {
        slave.get_numbers({references, count}, type, {values, count});
    } else {
        std::vector<double> numbers(count);
        slave.get_numbers({references, count}, type, numbers);
        for (std::size_t i = 0; i < count; ++i) values[i] = numbers[i] != 0.0 ? T{1} : T{0};
    }
}

template <Variable::Type type, class T>
void set_values(Slave& slave,
                References references,
                std::size_t count,
                const T* values,
                std::size_t num_values) {
    require_arrays(references, values, count, num_values);
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (type == Variable::Type::text) {
            require_given(values[i] != nullptr, "a text is NULL");
            slave.set_text(references[i], values[i]);
        } else if constexpr (type == Variable::Type::real) {
            slave.set_number(references[i], type, values[i]);
        } else {
            slave.set_number(references[i], type, values[i] ? 1.0 : 0.0);
        }
    }
}

// --- states, whose handles are pointers to snapshots

/// A snapshot that is there is used again.
inline void put_snapshot(Snapshot made, void** state) {
    if (*state != nullptr)
        *static_cast<Snapshot*>(*state) = std::move(made);
    else
        *state = std::make_unique<Snapshot>(std::move(made)).release();
}

inline void get_state(const Slave& slave, void** state) {
    require_given(state != nullptr, "the pointer is NULL");
    put_snapshot(slave.snapshot(), state);
}

inline void set_state(Slave& slave, const void* state) {
    require_given(state != nullptr, "the state is NULL");
    slave.restore(*static_cast<const Snapshot*>(state));
}

inline void free_state(const Slave&, void** state) {
    if (state == nullptr) return;
    delete static_cast<Snapshot*>(*state);
    *state = nullptr;
}

inline void size_of_state(const Slave& slave, const void* state, std::size_t* size) {
    require_given(state != nullptr && size != nullptr);
    *size = static_cast<const Snapshot*>(state)->bytes(slave.description().token).size();
}

inline void serialise_state(const Slave& slave, const void* state, void* bytes, std::size_t size) {
    require_given(state != nullptr && bytes != nullptr);
    const auto all = static_cast<const Snapshot*>(state)->bytes(slave.description().token);
    require_given(size >= all.size(), "the buffer is too small");
    std::memcpy(bytes, all.data(), all.size());
}

inline void read_state(const Slave& slave, const void* bytes, std::size_t size, void** state) {
    require_given(state != nullptr && bytes != nullptr);
    const auto& description = slave.description();
    put_snapshot(Snapshot::from({static_cast<const std::byte*>(bytes), size},
                                description.token,
                                description.variables.size()),
                 state);
}

}  // namespace ancora::fmu
