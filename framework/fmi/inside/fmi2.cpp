// SPDX-License-Identifier: BSD-3-Clause
// FMI 2.0 for co-simulation, on a slave.
#include "fmi2.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
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

constexpr const char* kErrors = "logStatusError";
constexpr const char* kWarnings = "logStatusWarning";

struct Instance {
    std::string name;
    fmi2CallbackFunctions callbacks{};
    bool logs_errors = true, logs_warnings = true;
    std::unique_ptr<Slave> slave;

    void log(fmi2Status status, const std::string& text) const {
        const bool is_error = status >= fmi2Discard;
        if (callbacks.logger == nullptr || !(is_error ? logs_errors : logs_warnings)) return;
        callbacks.logger(callbacks.componentEnvironment,
                         name.c_str(),
                         status,
                         is_error ? kErrors : kWarnings,
                         "%s",
                         text.c_str());
    }
};

/// Calls `f` with the instance; what it throws is logged, and ends in the state "error".
template <class F>
fmi2Status guarded(fmi2Component component, const char* call, F&& f) noexcept {
    auto* const instance = static_cast<Instance*>(component);
    if (instance == nullptr) return fmi2Error;
    std::string message;
    try {
        return f(*instance);
    } catch (const std::exception& error) {
        message = error.what();
    } catch (...) {
        message = "an exception that is none of C++'s own";
    }
    try {
        instance->log(fmi2Error, std::string(call) + ": " + message);
    } catch (...) {
    }
    instance->slave->fail();
    return fmi2Error;
}

[[noreturn]] void refuse_call(const std::string& message) {
    throw ancora::Error(ancora::ErrorKind::usage, message);
}

void require_arrays(const void* a, const void* b, size_t count) {
    if (count > 0 && (a == nullptr || b == nullptr)) refuse_call("an array is NULL");
    // More are no variables of anything.
    if (count > (size_t{1} << 30)) refuse_call("too many variables");
}

/// Percent signs of a URI, decoded.
std::string path_of(std::string_view uri) {
    for (const std::string_view prefix : {"file://localhost/", "file:///", "file:/"})
        if (uri.starts_with(prefix)) {
            uri.remove_prefix(prefix.size() - 1);
            break;
        }
    std::string out;
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    for (size_t i = 0; i < uri.size(); ++i) {
        if (uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 &&
            digit(uri[i + 2]) >= 0) {
            out += static_cast<char>(16 * digit(uri[i + 1]) + digit(uri[i + 2]));
            i += 2;
        } else {
            out += uri[i];
        }
    }
    return out;
}

bool is_any(Phase phase, std::initializer_list<Phase> phases) {
    return std::find(phases.begin(), phases.end(), phase) != phases.end();
}

void require_stepped(const Instance& it) {
    if (!is_any(it.slave->phase(), {Phase::steps, Phase::failed, Phase::terminated}))
        refuse_call(std::string("not allowed in the state \"") +
                    ancora::fmu::name_of(it.slave->phase()) + "\"");
}

}  // namespace

const char* fmi2GetTypesPlatform(void) {
    return "default";
}
const char* fmi2GetVersion(void) {
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component component,
                               fmi2Boolean on,
                               size_t count,
                               const fmi2String categories[]) {
    return guarded(component, "fmi2SetDebugLogging", [&](Instance& it) {
        require_arrays(categories, categories, count);
        bool errors = on != fmi2False, warnings = on != fmi2False;
        if (count > 0) {
            bool named_errors = false, named_warnings = false;
            for (size_t i = 0; i < count; ++i) {
                if (categories[i] == nullptr) refuse_call("a category is NULL");
                const std::string_view name = categories[i];
                if (name != kErrors && name != kWarnings && name != "logAll")
                    refuse_call("there is no category \"" + std::string(name) + "\"");
                named_errors |= name != kWarnings;
                named_warnings |= name != kErrors;
            }
            errors = named_errors ? on != fmi2False : it.logs_errors;
            warnings = named_warnings ? on != fmi2False : it.logs_warnings;
        }
        it.logs_errors = errors;
        it.logs_warnings = warnings;
        return fmi2OK;
    });
}

fmi2Component fmi2Instantiate(fmi2String name,
                              fmi2Type type,
                              fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions* callbacks,
                              fmi2Boolean,
                              fmi2Boolean logging) {
    if (callbacks == nullptr) return nullptr;
    std::unique_ptr<Instance> it;
    std::string message;
    try {
        it = std::make_unique<Instance>();
        it->callbacks = *callbacks;
        it->name = name != nullptr ? name : "";
        // Why there is no instance is always told.
        if (it->name.empty()) refuse_call("the instance has no name");
        if (type != fmi2CoSimulation) refuse_call("this FMU is for co-simulation only");
        if (guid == nullptr || resources == nullptr) refuse_call("an argument is NULL");
        Instance* const raw = it.get();
        it->slave = std::make_unique<Slave>(path_of(resources), [raw](const std::string& text) {
            raw->log(fmi2Warning, text);
        });
        if (it->slave->description().token != guid)
            refuse_call("the GUID is not that of this FMU's description");
        it->logs_warnings = logging != fmi2False;
        return it.release();
    } catch (const std::exception& error) {
        message = error.what();
    } catch (...) {
        message = "an exception that is none of C++'s own";
    }
    if (it) it->log(fmi2Error, "fmi2Instantiate: " + message);
    return nullptr;
}

void fmi2FreeInstance(fmi2Component component) {
    delete static_cast<Instance*>(component);
}

fmi2Status fmi2SetupExperiment(fmi2Component component,
                               fmi2Boolean,
                               fmi2Real,
                               fmi2Real start,
                               fmi2Boolean has_stop,
                               fmi2Real stop) {
    return guarded(component, "fmi2SetupExperiment", [&](Instance& it) {
        it.slave->set_up(start, has_stop != fmi2False ? std::optional(stop) : std::nullopt);
        return fmi2OK;
    });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
    return guarded(component, "fmi2EnterInitializationMode", [&](Instance& it) {
        if (it.slave->phase() == Phase::instantiated && !it.slave->snapshot().is_set_up)
            refuse_call("fmi2SetupExperiment was not called");
        it.slave->enter_initialization();
        return fmi2OK;
    });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
    return guarded(component, "fmi2ExitInitializationMode", [&](Instance& it) {
        it.slave->leave_initialization();
        return fmi2OK;
    });
}
fmi2Status fmi2Terminate(fmi2Component component) {
    return guarded(component, "fmi2Terminate", [&](Instance& it) {
        it.slave->terminate();
        return fmi2OK;
    });
}
fmi2Status fmi2Reset(fmi2Component component) {
    return guarded(component, "fmi2Reset", [&](Instance& it) {
        it.slave->reset();
        return fmi2OK;
    });
}

fmi2Status fmi2GetReal(fmi2Component component,
                       const fmi2ValueReference variables[],
                       size_t count,
                       fmi2Real values[]) {
    return guarded(component, "fmi2GetReal", [&](Instance& it) {
        require_arrays(variables, values, count);
        it.slave->get_numbers({variables, count}, Variable::Type::real, {values, count});
        return fmi2OK;
    });
}
fmi2Status fmi2GetBoolean(fmi2Component component,
                          const fmi2ValueReference variables[],
                          size_t count,
                          fmi2Boolean values[]) {
    return guarded(component, "fmi2GetBoolean", [&](Instance& it) {
        require_arrays(variables, values, count);
        std::vector<double> numbers(count);
        it.slave->get_numbers({variables, count}, Variable::Type::boolean, numbers);
        for (size_t i = 0; i < count; ++i) values[i] = numbers[i] != 0.0 ? fmi2True : fmi2False;
        return fmi2OK;
    });
}
fmi2Status fmi2GetInteger(fmi2Component component,
                          const fmi2ValueReference variables[],
                          size_t count,
                          fmi2Integer values[]) {
    return guarded(component, "fmi2GetInteger", [&](Instance&) {
        require_arrays(variables, values, count);
        if (count > 0) refuse_call("there are no integer variables");
        return fmi2OK;
    });
}
fmi2Status fmi2GetString(fmi2Component component,
                         const fmi2ValueReference variables[],
                         size_t count,
                         fmi2String values[]) {
    return guarded(component, "fmi2GetString", [&](Instance& it) {
        require_arrays(variables, values, count);
        for (size_t i = 0; i < count; ++i) values[i] = it.slave->text(variables[i]).c_str();
        return fmi2OK;
    });
}
fmi2Status fmi2SetReal(fmi2Component component,
                       const fmi2ValueReference variables[],
                       size_t count,
                       const fmi2Real values[]) {
    return guarded(component, "fmi2SetReal", [&](Instance& it) {
        require_arrays(variables, values, count);
        for (size_t i = 0; i < count; ++i)
            it.slave->set_number(variables[i], Variable::Type::real, values[i]);
        return fmi2OK;
    });
}
fmi2Status fmi2SetBoolean(fmi2Component component,
                          const fmi2ValueReference variables[],
                          size_t count,
                          const fmi2Boolean values[]) {
    return guarded(component, "fmi2SetBoolean", [&](Instance& it) {
        require_arrays(variables, values, count);
        for (size_t i = 0; i < count; ++i)
            it.slave->set_number(
                variables[i], Variable::Type::boolean, values[i] != fmi2False ? 1.0 : 0.0);
        return fmi2OK;
    });
}
fmi2Status fmi2SetInteger(fmi2Component component,
                          const fmi2ValueReference variables[],
                          size_t count,
                          const fmi2Integer values[]) {
    return guarded(component, "fmi2SetInteger", [&](Instance&) {
        require_arrays(variables, values, count);
        if (count > 0) refuse_call("there are no integer variables");
        return fmi2OK;
    });
}
fmi2Status fmi2SetString(fmi2Component component,
                         const fmi2ValueReference variables[],
                         size_t count,
                         const fmi2String values[]) {
    return guarded(component, "fmi2SetString", [&](Instance& it) {
        require_arrays(variables, values, count);
        for (size_t i = 0; i < count; ++i) {
            if (values[i] == nullptr) refuse_call("a text is NULL");
            it.slave->set_text(variables[i], values[i]);
        }
        return fmi2OK;
    });
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
    return guarded(component, "fmi2GetFMUstate", [&](Instance& it) {
        get_state(*it.slave, state);
        return fmi2OK;
    });
}
fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
    return guarded(component, "fmi2SetFMUstate", [&](Instance& it) {
        set_state(*it.slave, state);
        return fmi2OK;
    });
}
fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
    return guarded(component, "fmi2FreeFMUstate", [&](Instance&) {
        free_state(state);
        return fmi2OK;
    });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
    return guarded(component, "fmi2SerializedFMUstateSize", [&](Instance& it) {
        size_of_state(*it.slave, state, size);
        return fmi2OK;
    });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component component,
                                 fmi2FMUstate state,
                                 fmi2Byte bytes[],
                                 size_t size) {
    return guarded(component, "fmi2SerializeFMUstate", [&](Instance& it) {
        serialise_state(*it.slave, state, bytes, size);
        return fmi2OK;
    });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component component,
                                   const fmi2Byte bytes[],
                                   size_t size,
                                   fmi2FMUstate* state) {
    return guarded(component, "fmi2DeSerializeFMUstate", [&](Instance& it) {
        read_state(*it.slave, bytes, size, state);
        return fmi2OK;
    });
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component component,
                                        const fmi2ValueReference[],
                                        size_t,
                                        const fmi2ValueReference[],
                                        size_t,
                                        const fmi2Real[],
                                        fmi2Real[]) {
    return guarded(component, "fmi2GetDirectionalDerivative", [](Instance&) -> fmi2Status {
        refuse_call("this FMU has no directional derivatives");
    });
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component component,
                                       const fmi2ValueReference[],
                                       size_t,
                                       const fmi2Integer[],
                                       const fmi2Real[]) {
    return guarded(component, "fmi2SetRealInputDerivatives", [](Instance&) -> fmi2Status {
        refuse_call("this FMU does not interpolate inputs");
    });
}
fmi2Status fmi2GetRealOutputDerivatives(
    fmi2Component component, const fmi2ValueReference[], size_t, const fmi2Integer[], fmi2Real[]) {
    return guarded(component, "fmi2GetRealOutputDerivatives", [](Instance&) -> fmi2Status {
        refuse_call("this FMU has no derivatives of outputs");
    });
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real length, fmi2Boolean) {
    return guarded(component, "fmi2DoStep", [&](Instance& it) {
        return it.slave->step(time, length) == Slave::Step::complete ? fmi2OK : fmi2Discard;
    });
}
fmi2Status fmi2CancelStep(fmi2Component component) {
    return guarded(component, "fmi2CancelStep", [](Instance&) -> fmi2Status {
        refuse_call("no step is in progress: steps end before fmi2DoStep returns");
    });
}

// Steps are never pending, so that there is no status of one that is.
fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind, fmi2Status*) {
    return guarded(component, "fmi2GetStatus", [](Instance& it) {
        require_stepped(it);
        return fmi2Discard;
    });
}
fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value) {
    return guarded(component, "fmi2GetRealStatus", [&](Instance& it) {
        require_stepped(it);
        if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
        if (value == nullptr) refuse_call("the pointer is NULL");
        *value = it.slave->time();
        return fmi2OK;
    });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind, fmi2Integer*) {
    return guarded(component, "fmi2GetIntegerStatus", [](Instance& it) {
        require_stepped(it);
        return fmi2Discard;
    });
}
fmi2Status fmi2GetBooleanStatus(fmi2Component component,
                                const fmi2StatusKind kind,
                                fmi2Boolean* value) {
    return guarded(component, "fmi2GetBooleanStatus", [&](Instance& it) {
        require_stepped(it);
        if (kind != fmi2Terminated) return fmi2Discard;
        if (value == nullptr) refuse_call("the pointer is NULL");
        *value = fmi2False;
        return fmi2OK;
    });
}
fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind, fmi2String*) {
    return guarded(component, "fmi2GetStringStatus", [](Instance& it) {
        require_stepped(it);
        return fmi2Discard;
    });
}
