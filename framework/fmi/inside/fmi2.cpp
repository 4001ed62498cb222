// SPDX-License-Identifier: BSD-3-Clause
// FMI 2.0 for co-simulation, on a slave. Functions of model exchange are there, as the header says,
// and refuse.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "fmi2Functions.h"
#include "instance.hpp"
#include "snapshot_calls.hpp"

namespace {

using ancora::fmu::Instance;
using ancora::fmu::Phase;
using ancora::fmu::refuse_call;
using ancora::fmu::Slave;
using Type = ancora::fmu::Variable::Type;

constexpr const char* kCoSimulationAlone = "this FMU is for co-simulation only";

template <class F>
fmi2Status guarded2(fmi2Component component, const char* call, const F& f) noexcept {
    return ancora::fmu::guarded<fmi2Status>(component, call, f);
}
fmi2Status refused2(fmi2Component component, const char* call, const char* why) noexcept {
    return ancora::fmu::not_offered<fmi2Status>(component, call, why);
}

/// The text as one of printf that takes no arguments, in which '#' begins no reference to a
/// variable (section 2.1.5): importers show it as it is, or format it first.
std::string as_format(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '%' || c == '#') out += c;
        out += c;
    }
    return out;
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

/// Status of the last step: only `kind` has a value.
template <class T>
fmi2Status status_of(fmi2Component component,
                     const char* call,
                     bool has_value,
                     T* value,
                     T (*of)(const Slave&)) noexcept {
    return guarded2(component, call, [&](Instance& it) {
        const Phase phase = it.slave->phase();
        if (phase != Phase::steps && phase != Phase::failed && phase != Phase::terminated)
            refuse_call(std::string("not allowed in the state \"") + ancora::fmu::name_of(phase) +
                        "\"");
        if (!has_value) return fmi2Discard;
        if (value == nullptr) refuse_call("the pointer is NULL");
        *value = of(*it.slave);
        return fmi2OK;
    });
}

}  // namespace

const char* fmi2GetTypesPlatform(void) {
    return fmi2TypesPlatform;
}
const char* fmi2GetVersion(void) {
    return fmi2Version;
}

fmi2Status fmi2SetDebugLogging(fmi2Component component,
                               fmi2Boolean on,
                               size_t count,
                               const fmi2String categories[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::set_logging(it, on != fmi2False, count, categories);
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
    const auto tell = [to = *callbacks, of = std::string(name != nullptr ? name : "")](
                          int status, const char* category, const std::string& text) {
        if (to.logger != nullptr)
            to.logger(to.componentEnvironment,
                      of.c_str(),
                      static_cast<fmi2Status>(status),
                      category,
                      as_format(text).c_str());
    };
    return ancora::fmu::instantiate(tell,
                                    __func__,
                                    name,
                                    guid,
                                    resources != nullptr ? path_of(resources) : "",
                                    logging != fmi2False,
                                    [&] {
                                        if (type != fmi2CoSimulation)
                                            refuse_call(kCoSimulationAlone);
                                        if (resources == nullptr)
                                            refuse_call("an argument is NULL");
                                    });
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
    return guarded2(component, __func__, [&](Instance& it) {
        it.slave->set_up(start, has_stop != fmi2False ? std::optional(stop) : std::nullopt);
    });
}
fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
    return guarded2(component, __func__, [](Instance& it) {
        if (it.slave->phase() == Phase::instantiated && !it.slave->is_set_up())
            refuse_call("fmi2SetupExperiment was not called");
        it.slave->enter_initialization();
    });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
    return guarded2(component, __func__, [](Instance& it) {
        it.slave->leave_initialization();
    });
}
fmi2Status fmi2Terminate(fmi2Component component) {
    return guarded2(component, __func__, [](Instance& it) {
        it.slave->terminate();
    });
}
fmi2Status fmi2Reset(fmi2Component component) {
    return guarded2(component, __func__, [](Instance& it) {
        it.slave->reset();
    });
}

fmi2Status fmi2GetReal(fmi2Component component,
                       const fmi2ValueReference references[],
                       size_t count,
                       fmi2Real values[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::get_values<Type::real>(it, references, count, values);
    });
}
fmi2Status fmi2GetInteger(fmi2Component component,
                          const fmi2ValueReference[],
                          size_t count,
                          fmi2Integer[]) {
    return guarded2(component, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi2Status fmi2GetBoolean(fmi2Component component,
                          const fmi2ValueReference references[],
                          size_t count,
                          fmi2Boolean values[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::get_values<Type::boolean>(it, references, count, values);
    });
}
fmi2Status fmi2GetString(fmi2Component component,
                         const fmi2ValueReference references[],
                         size_t count,
                         fmi2String values[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::get_values<Type::text>(it, references, count, values);
    });
}
fmi2Status fmi2SetReal(fmi2Component component,
                       const fmi2ValueReference references[],
                       size_t count,
                       const fmi2Real values[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::set_values<Type::real>(it, references, count, values);
    });
}
fmi2Status fmi2SetInteger(fmi2Component component,
                          const fmi2ValueReference[],
                          size_t count,
                          const fmi2Integer[]) {
    return guarded2(component, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi2Status fmi2SetBoolean(fmi2Component component,
                          const fmi2ValueReference references[],
                          size_t count,
                          const fmi2Boolean values[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::set_values<Type::boolean>(it, references, count, values);
    });
}
fmi2Status fmi2SetString(fmi2Component component,
                         const fmi2ValueReference references[],
                         size_t count,
                         const fmi2String values[]) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::set_values<Type::text>(it, references, count, values);
    });
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::get_state(*it.slave, state);
    });
}
fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::set_state(*it.slave, state);
    });
}
fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
    return guarded2(component, __func__, [&](Instance&) {
        ancora::fmu::free_state(state);
    });
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::size_of_state(*it.slave, state, size);
    });
}
fmi2Status fmi2SerializeFMUstate(fmi2Component component,
                                 fmi2FMUstate state,
                                 fmi2Byte bytes[],
                                 size_t size) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::serialise_state(*it.slave, state, bytes, size);
    });
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component component,
                                   const fmi2Byte bytes[],
                                   size_t size,
                                   fmi2FMUstate* state) {
    return guarded2(component, __func__, [&](Instance& it) {
        ancora::fmu::read_state(*it.slave, bytes, size, state);
    });
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real length, fmi2Boolean) {
    return guarded2(component, __func__, [&](Instance& it) {
        return it.slave->step(time, length) == Slave::Step::complete ? fmi2OK : fmi2Discard;
    });
}

// Steps are never pending, so that there is no status of one that is.
fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind, fmi2Status* value) {
    return status_of<fmi2Status>(component, __func__, false, value, nullptr);
}
fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real* value) {
    return status_of<fmi2Real>(
        component, __func__, kind == fmi2LastSuccessfulTime, value, [](const Slave& slave) {
            return slave.time();
        });
}
fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind, fmi2Integer* value) {
    return status_of<fmi2Integer>(component, __func__, false, value, nullptr);
}
fmi2Status fmi2GetBooleanStatus(fmi2Component component,
                                const fmi2StatusKind kind,
                                fmi2Boolean* value) {
    return status_of<fmi2Boolean>(
        component, __func__, kind == fmi2Terminated, value, [](const Slave&) -> fmi2Boolean {
            return fmi2False;
        });
}
fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind, fmi2String* value) {
    return status_of<fmi2String>(component, __func__, false, value, nullptr);
}

// What the description says that this FMU does not have.
fmi2Status fmi2CancelStep(fmi2Component component) {
    return refused2(
        component, __func__, "no step is in progress: steps end before fmi2DoStep returns");
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component component,
                                        const fmi2ValueReference[],
                                        size_t,
                                        const fmi2ValueReference[],
                                        size_t,
                                        const fmi2Real[],
                                        fmi2Real[]) {
    return refused2(component, __func__, "this FMU has no directional derivatives");
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component component,
                                       const fmi2ValueReference[],
                                       size_t,
                                       const fmi2Integer[],
                                       const fmi2Real[]) {
    return refused2(component, __func__, "this FMU does not interpolate inputs");
}
fmi2Status fmi2GetRealOutputDerivatives(
    fmi2Component component, const fmi2ValueReference[], size_t, const fmi2Integer[], fmi2Real[]) {
    return refused2(component, __func__, "this FMU has no derivatives of outputs");
}
fmi2Status fmi2EnterEventMode(fmi2Component component) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo*) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component component,
                                       fmi2Boolean,
                                       fmi2Boolean*,
                                       fmi2Boolean*) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2SetTime(fmi2Component component, fmi2Real) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real[], size_t) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real[], size_t) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real[], size_t) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real[], size_t) {
    return refused2(component, __func__, kCoSimulationAlone);
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real[], size_t) {
    return refused2(component, __func__, kCoSimulationAlone);
}
