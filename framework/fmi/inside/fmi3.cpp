// SPDX-License-Identifier: BSD-3-Clause
// FMI 3.0 for co-simulation, on a slave.
#include "fmi3.h"

#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ancora/framework/error.hpp"
#include "slave.hpp"
#include "snapshot_calls.hpp"

namespace {

using ancora::fmu::free_state;
using ancora::fmu::get_state;
using ancora::fmu::Phase;
using ancora::fmu::read_state;
using ancora::fmu::serialise_state;
using ancora::fmu::set_state;
using ancora::fmu::size_of_state;
using ancora::fmu::Slave;
using ancora::fmu::Variable;

constexpr const char* kErrorCategory = "logStatusError";
constexpr const char* kWarningCategory = "logStatusWarning";

struct Instance3 {
    fmi3InstanceEnvironment environment = nullptr;
    fmi3LogMessageCallback logger = nullptr;
    bool logs_errors = true, logs_warnings = true;
    std::unique_ptr<Slave> slave;

    void log(fmi3Status status, const std::string& text) const {
        const bool is_error = status >= fmi3Discard;
        if (logger == nullptr || !(is_error ? logs_errors : logs_warnings)) return;
        logger(environment, status, is_error ? kErrorCategory : kWarningCategory, text.c_str());
    }
    /// The variable that is the time.
    fmi3ValueReference time() const {
        return static_cast<fmi3ValueReference>(slave->description().variables.size());
    }
};

/// Calls `f` with the instance; what it throws is logged, and ends in the state "error".
template <class F>
fmi3Status guarded3(fmi3Instance handle, const char* call, F&& f) noexcept {
    auto* const instance = static_cast<Instance3*>(handle);
    if (instance == nullptr) return fmi3Error;
    std::string message;
    try {
        return f(*instance);
    } catch (const std::exception& error) {
        message = error.what();
    } catch (...) {
        message = "an exception that is none of C++'s own";
    }
    try {
        instance->log(fmi3Error, std::string(call) + ": " + message);
    } catch (...) {
    }
    instance->slave->fail();
    return fmi3Error;
}

[[noreturn]] void refuse3(const std::string& message) {
    throw ancora::Error(ancora::ErrorKind::usage, message);
}

fmi3Status unsupported(fmi3Instance handle, const char* call, const char* why) {
    return guarded3(handle, call, [&](Instance3&) -> fmi3Status {
        refuse3(why);
    });
}

/// All variables are scalars, so that there are as many values as references.
void require_values(const void* variables, size_t count, const void* values, size_t num_values) {
    if (count != num_values)
        refuse3("all variables are scalars: as many values as references are needed");
    if (count > 0 && (variables == nullptr || values == nullptr)) refuse3("an array is NULL");
    if (count > (size_t{1} << 30)) refuse3("too many variables");
}

void require_running(const Instance3& it) {
    if (it.slave->phase() == Phase::instantiated)
        refuse3("not allowed in the state \"instantiated\"");
}

template <class T>
fmi3Status get(fmi3Instance handle,
               const char* call,
               const fmi3ValueReference variables[],
               size_t count,
               T values[],
               size_t num_values) {
    return guarded3(handle, call, [&](Instance3& it) {
        require_values(variables, count, values, num_values);
        if constexpr (std::is_same_v<T, fmi3String>) {
            for (size_t i = 0; i < count; ++i) values[i] = it.slave->text(variables[i]).c_str();
        } else if constexpr (std::is_same_v<T, fmi3Float64>) {
            std::vector<unsigned> others;
            for (size_t i = 0; i < count; ++i)
                if (variables[i] != it.time()) others.push_back(variables[i]);
            require_running(it);
            std::vector<double> numbers(others.size());
            it.slave->get_numbers(others, Variable::Type::real, numbers);
            size_t next = 0;
            for (size_t i = 0; i < count; ++i)
                values[i] = variables[i] == it.time() ? it.slave->time() : numbers[next++];
        } else if constexpr (std::is_same_v<T, fmi3Boolean>) {
            std::vector<double> numbers(count);
            it.slave->get_numbers({variables, count}, Variable::Type::boolean, numbers);
            for (size_t i = 0; i < count; ++i) values[i] = numbers[i] != 0.0;
        } else {
            if (count > 0) refuse3("there are no variables of this type");
        }
        return fmi3OK;
    });
}

template <class T>
fmi3Status set(fmi3Instance handle,
               const char* call,
               const fmi3ValueReference variables[],
               size_t count,
               const T values[],
               size_t num_values) {
    return guarded3(handle, call, [&](Instance3& it) {
        require_values(variables, count, values, num_values);
        for (size_t i = 0; i < count; ++i) {
            if constexpr (std::is_same_v<T, fmi3String>) {
                if (values[i] == nullptr) refuse3("a text is NULL");
                it.slave->set_text(variables[i], values[i]);
            } else if constexpr (std::is_same_v<T, fmi3Float64>) {
                it.slave->set_number(variables[i], Variable::Type::real, values[i]);
            } else if constexpr (std::is_same_v<T, fmi3Boolean>) {
                it.slave->set_number(variables[i], Variable::Type::boolean, values[i] ? 1.0 : 0.0);
            } else {
                refuse3("there are no variables of this type");
            }
        }
        return fmi3OK;
    });
}

}  // namespace

const char* fmi3GetVersion(void) {
    return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance handle,
                               fmi3Boolean on,
                               size_t count,
                               const fmi3String categories[]) {
    return guarded3(handle, "fmi3SetDebugLogging", [&](Instance3& it) {
        if (count > 0 && categories == nullptr) refuse3("an array is NULL");
        for (size_t i = 0; i < count; ++i) {
            const std::string_view name = categories[i] != nullptr ? categories[i] : "";
            if (name == kErrorCategory)
                it.logs_errors = on;
            else if (name == kWarningCategory)
                it.logs_warnings = on;
            else
                refuse3("there is no category \"" + std::string(name) + "\"");
        }
        if (count == 0) it.logs_errors = it.logs_warnings = on;
        return fmi3OK;
    });
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name,
                                         fmi3String token,
                                         fmi3String resources,
                                         fmi3Boolean,
                                         fmi3Boolean logging,
                                         fmi3Boolean,
                                         fmi3Boolean,
                                         const fmi3ValueReference[],
                                         size_t num_intermediate,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logger,
                                         fmi3IntermediateUpdateCallback) {
    std::unique_ptr<Instance3> it;
    std::string message;
    try {
        it = std::make_unique<Instance3>();
        it->environment = environment;
        it->logger = logger;
        if (name == nullptr || *name == '\0') refuse3("the instance has no name");
        if (token == nullptr || resources == nullptr) refuse3("an argument is NULL");
        if (num_intermediate > 0) refuse3("this FMU has no intermediate updates");
        Instance3* const raw = it.get();
        it->slave = std::make_unique<Slave>(resources, [raw](const std::string& text) {
            raw->log(fmi3Warning, text);
        });
        if (it->slave->description().token != token)
            refuse3("the instantiation token is not that of this FMU's description");
        it->logs_warnings = logging;
        return it.release();
    } catch (const std::exception& error) {
        message = error.what();
    } catch (...) {
        message = "an exception that is none of C++'s own";
    }
    if (it) it->log(fmi3Error, "fmi3InstantiateCoSimulation: " + message);
    return nullptr;
}

void fmi3FreeInstance(fmi3Instance handle) {
    delete static_cast<Instance3*>(handle);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance handle,
                                       fmi3Boolean,
                                       fmi3Float64,
                                       fmi3Float64 start,
                                       fmi3Boolean has_stop,
                                       fmi3Float64 stop) {
    return guarded3(handle, "fmi3EnterInitializationMode", [&](Instance3& it) {
        it.slave->set_up(start, has_stop ? std::optional(stop) : std::nullopt);
        it.slave->enter_initialization();
        return fmi3OK;
    });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance handle) {
    return guarded3(handle, "fmi3ExitInitializationMode", [](Instance3& it) {
        it.slave->leave_initialization();
        return fmi3OK;
    });
}
fmi3Status fmi3Terminate(fmi3Instance handle) {
    return guarded3(handle, "fmi3Terminate", [](Instance3& it) {
        it.slave->terminate();
        return fmi3OK;
    });
}
fmi3Status fmi3Reset(fmi3Instance handle) {
    return guarded3(handle, "fmi3Reset", [](Instance3& it) {
        it.slave->reset();
        return fmi3OK;
    });
}

#define ANCORA_FMI3_DEFINE(Name, Type)                                                   \
    fmi3Status fmi3Get##Name(fmi3Instance handle,                                        \
                             const fmi3ValueReference variables[],                       \
                             size_t count,                                               \
                             Type values[],                                              \
                             size_t num_values) {                                        \
        return get<Type>(handle, "fmi3Get" #Name, variables, count, values, num_values); \
    }                                                                                    \
    fmi3Status fmi3Set##Name(fmi3Instance handle,                                        \
                             const fmi3ValueReference variables[],                       \
                             size_t count,                                               \
                             const Type values[],                                        \
                             size_t num_values) {                                        \
        return set<Type>(handle, "fmi3Set" #Name, variables, count, values, num_values); \
    }
ANCORA_FMI3_TYPES(ANCORA_FMI3_DEFINE)

fmi3Status fmi3GetFMUState(fmi3Instance handle, fmi3FMUState* state) {
    return guarded3(handle, "fmi3GetFMUState", [&](Instance3& it) {
        get_state(*it.slave, state);
        return fmi3OK;
    });
}
fmi3Status fmi3SetFMUState(fmi3Instance handle, fmi3FMUState state) {
    return guarded3(handle, "fmi3SetFMUState", [&](Instance3& it) {
        set_state(*it.slave, state);
        return fmi3OK;
    });
}
fmi3Status fmi3FreeFMUState(fmi3Instance handle, fmi3FMUState* state) {
    return guarded3(handle, "fmi3FreeFMUState", [&](Instance3&) {
        free_state(state);
        return fmi3OK;
    });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance handle, fmi3FMUState state, size_t* size) {
    return guarded3(handle, "fmi3SerializedFMUStateSize", [&](Instance3& it) {
        size_of_state(*it.slave, state, size);
        return fmi3OK;
    });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance handle,
                                 fmi3FMUState state,
                                 fmi3Byte bytes[],
                                 size_t size) {
    return guarded3(handle, "fmi3SerializeFMUState", [&](Instance3& it) {
        serialise_state(*it.slave, state, bytes, size);
        return fmi3OK;
    });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance handle,
                                   const fmi3Byte bytes[],
                                   size_t size,
                                   fmi3FMUState* state) {
    return guarded3(handle, "fmi3DeserializeFMUState", [&](Instance3& it) {
        read_state(*it.slave, bytes, size, state);
        return fmi3OK;
    });
}

fmi3Status fmi3DoStep(fmi3Instance handle,
                      fmi3Float64 time,
                      fmi3Float64 length,
                      fmi3Boolean,
                      fmi3Boolean* event_needed,
                      fmi3Boolean* terminate,
                      fmi3Boolean* early_return,
                      fmi3Float64* last_time) {
    return guarded3(handle, "fmi3DoStep", [&](Instance3& it) {
        if (event_needed == nullptr || terminate == nullptr || early_return == nullptr ||
            last_time == nullptr)
            refuse3("an argument is NULL");
        *event_needed = *terminate = *early_return = false;
        const bool is_complete = it.slave->step(time, length) == Slave::Step::complete;
        *last_time = it.slave->time();
        return is_complete ? fmi3OK : fmi3Discard;
    });
}

// What the description says that this FMU does not have.
fmi3Status fmi3EnterEventMode(fmi3Instance handle) {
    return unsupported(handle, "fmi3EnterEventMode", "this FMU has no event mode");
}
fmi3Status fmi3EnterStepMode(fmi3Instance handle) {
    return unsupported(handle, "fmi3EnterStepMode", "this FMU has no event mode");
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance handle) {
    return unsupported(
        handle, "fmi3EnterConfigurationMode", "this FMU has no structural parameters");
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance handle) {
    return unsupported(
        handle, "fmi3ExitConfigurationMode", "this FMU has no structural parameters");
}
fmi3Status fmi3GetBinary(
    fmi3Instance handle, const fmi3ValueReference[], size_t, size_t[], fmi3Binary[], size_t) {
    return unsupported(handle, "fmi3GetBinary", "there are no variables of this type");
}
fmi3Status fmi3SetBinary(fmi3Instance handle,
                         const fmi3ValueReference[],
                         size_t,
                         const size_t[],
                         const fmi3Binary[],
                         size_t) {
    return unsupported(handle, "fmi3SetBinary", "there are no variables of this type");
}
fmi3Status fmi3GetClock(fmi3Instance handle, const fmi3ValueReference[], size_t, fmi3Clock[]) {
    return unsupported(handle, "fmi3GetClock", "this FMU has no clocks");
}
fmi3Status fmi3SetClock(fmi3Instance handle,
                        const fmi3ValueReference[],
                        size_t,
                        const fmi3Clock[]) {
    return unsupported(handle, "fmi3SetClock", "this FMU has no clocks");
}
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance handle, fmi3ValueReference, size_t*) {
    return unsupported(
        handle, "fmi3GetNumberOfVariableDependencies", "this FMU does not tell dependencies");
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance handle,
                                       fmi3ValueReference,
                                       size_t[],
                                       fmi3ValueReference[],
                                       size_t[],
                                       fmi3DependencyKind[],
                                       size_t) {
    return unsupported(
        handle, "fmi3GetVariableDependencies", "this FMU does not tell dependencies");
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance handle,
                                        const fmi3ValueReference[],
                                        size_t,
                                        const fmi3ValueReference[],
                                        size_t,
                                        const fmi3Float64[],
                                        size_t,
                                        fmi3Float64[],
                                        size_t) {
    return unsupported(
        handle, "fmi3GetDirectionalDerivative", "this FMU has no directional derivatives");
}
fmi3Status fmi3GetAdjointDerivative(fmi3Instance handle,
                                    const fmi3ValueReference[],
                                    size_t,
                                    const fmi3ValueReference[],
                                    size_t,
                                    const fmi3Float64[],
                                    size_t,
                                    fmi3Float64[],
                                    size_t) {
    return unsupported(handle, "fmi3GetAdjointDerivative", "this FMU has no adjoint derivatives");
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance handle,
                                    const fmi3ValueReference[],
                                    size_t,
                                    const int32_t[],
                                    fmi3Float64[],
                                    size_t) {
    return unsupported(
        handle, "fmi3GetOutputDerivatives", "this FMU has no derivatives of outputs");
}
