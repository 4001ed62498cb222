// SPDX-License-Identifier: BSD-3-Clause
// FMI 2.0 for co-simulation and model exchange, on a slave.
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "fmi2Functions.h"
#include "instance.hpp"

using namespace ancora::fmu;

namespace {

using Type = Variable::Type;

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

/// Status of the last step: only `kind` has a value, the time reached or that nothing has ended.
template <class T>
Status status_of(const Slave& slave, bool has_value, T* value) {
    const Phase phase = slave.phase();
    if (phase != Phase::steps && phase != Phase::failed && phase != Phase::terminated)
        refuse_call(std::string("not allowed in the state \"") + name_of(phase) + "\"");
    if (!has_value) return kDiscard;
    require_given(value != nullptr, "the pointer is NULL");
    if constexpr (std::is_same_v<T, fmi2Real>)
        *value = slave.time();
    else
        *value = T{};
    return kOk;
}

}  // namespace

const char* fmi2GetTypesPlatform(void) {
    return fmi2TypesPlatform;
}
const char* fmi2GetVersion(void) {
    return fmi2Version;
}

fmi2Status fmi2SetDebugLogging(fmi2Component it, fmi2Boolean on, size_t n, const fmi2String of[]) {
    return guarded(it, __func__, set_logging, on, n, of);
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
    const std::string folder = resources != nullptr ? path_of(resources) : "";
    const auto use = type == fmi2ModelExchange ? Slave::Use::exchange : Slave::Use::steps;
    return instantiate({tell}, __func__, name, guid, folder, use, logging != fmi2False, [&] {
        require_given(resources != nullptr);
    });
}
void fmi2FreeInstance(fmi2Component it) {
    delete static_cast<Instance*>(it);
}

fmi2Status fmi2SetupExperiment(fmi2Component it,
                               fmi2Boolean has_tolerance,
                               fmi2Real tolerance,
                               fmi2Real start,
                               fmi2Boolean has_stop,
                               fmi2Real stop) {
    return guarded(it, __func__, set_up, has_tolerance, tolerance, start, has_stop, stop);
}
fmi2Status fmi2EnterInitializationMode(fmi2Component it) {
    return guarded(it, __func__, [](Slave& slave) {
        if (slave.phase() == Phase::instantiated && !slave.is_set_up())
            refuse_call("fmi2SetupExperiment was not called");
        slave.enter_initialization();
    });
}
fmi2Status fmi2ExitInitializationMode(fmi2Component it) {
    return guarded(it, __func__, &Slave::leave_initialization);
}
fmi2Status fmi2Terminate(fmi2Component it) {
    return guarded(it, __func__, &Slave::terminate);
}
fmi2Status fmi2Reset(fmi2Component it) {
    return guarded(it, __func__, &Slave::reset);
}

fmi2Status fmi2GetReal(fmi2Component it, References of, size_t count, fmi2Real to[]) {
    return guarded(it, __func__, get_values<Type::real, fmi2Real>, of, count, to, count);
}
fmi2Status fmi2GetBoolean(fmi2Component it, References of, size_t count, fmi2Boolean to[]) {
    return guarded(it, __func__, get_values<Type::boolean, fmi2Boolean>, of, count, to, count);
}
fmi2Status fmi2GetString(fmi2Component it, References of, size_t count, fmi2String to[]) {
    return guarded(it, __func__, get_values<Type::text, fmi2String>, of, count, to, count);
}
fmi2Status fmi2GetInteger(fmi2Component it, References, size_t count, fmi2Integer[]) {
    return guarded(it, __func__, require_no_values, count);
}
fmi2Status fmi2SetReal(fmi2Component it, References of, size_t count, const fmi2Real from[]) {
    return guarded(it, __func__, set_values<Type::real, fmi2Real>, of, count, from, count);
}
fmi2Status fmi2SetBoolean(fmi2Component it, References of, size_t count, const fmi2Boolean from[]) {
    return guarded(it, __func__, set_values<Type::boolean, fmi2Boolean>, of, count, from, count);
}
fmi2Status fmi2SetString(fmi2Component it, References of, size_t count, const fmi2String from[]) {
    return guarded(it, __func__, set_values<Type::text, fmi2String>, of, count, from, count);
}
fmi2Status fmi2SetInteger(fmi2Component it, References, size_t count, const fmi2Integer[]) {
    return guarded(it, __func__, require_no_values, count);
}

fmi2Status fmi2GetFMUstate(fmi2Component it, fmi2FMUstate* state) {
    return guarded(it, __func__, get_state, state);
}
fmi2Status fmi2SetFMUstate(fmi2Component it, fmi2FMUstate state) {
    return guarded(it, __func__, set_state, state);
}
fmi2Status fmi2FreeFMUstate(fmi2Component it, fmi2FMUstate* state) {
    return guarded(it, __func__, free_state, state);
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component it, fmi2FMUstate state, size_t* size) {
    return guarded(it, __func__, size_of_state, state, size);
}
fmi2Status fmi2SerializeFMUstate(fmi2Component it, fmi2FMUstate state, fmi2Byte to[], size_t size) {
    return guarded(it, __func__, serialise_state, state, to, size);
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component it,
                                   const fmi2Byte from[],
                                   size_t size,
                                   fmi2FMUstate* state) {
    return guarded(it, __func__, read_state, from, size, state);
}

fmi2Status fmi2DoStep(fmi2Component it, fmi2Real time, fmi2Real length, fmi2Boolean) {
    return guarded(it, __func__, [&](Slave& slave) {
        return slave.step(time, length) == Slave::Step::complete ? kOk : kDiscard;
    });
}

// Steps are never pending, so that there is no status of one that is.
fmi2Status fmi2GetStatus(fmi2Component it, const fmi2StatusKind, fmi2Status* to) {
    return guarded(it, __func__, status_of<fmi2Status>, false, to);
}
fmi2Status fmi2GetRealStatus(fmi2Component it, const fmi2StatusKind kind, fmi2Real* to) {
    return guarded(it, __func__, status_of<fmi2Real>, kind == fmi2LastSuccessfulTime, to);
}
fmi2Status fmi2GetIntegerStatus(fmi2Component it, const fmi2StatusKind, fmi2Integer* to) {
    return guarded(it, __func__, status_of<fmi2Integer>, false, to);
}
fmi2Status fmi2GetBooleanStatus(fmi2Component it, const fmi2StatusKind kind, fmi2Boolean* to) {
    return guarded(it, __func__, status_of<fmi2Boolean>, kind == fmi2Terminated, to);
}
fmi2Status fmi2GetStringStatus(fmi2Component it, const fmi2StatusKind, fmi2String* to) {
    return guarded(it, __func__, status_of<fmi2String>, false, to);
}

// What the description says that this FMU does not have.
ANCORA_FMI_REFUSED(fmi2CancelStep, "no step is in progress: steps end before fmi2DoStep returns")
ANCORA_FMI_REFUSED(fmi2SetRealInputDerivatives,
                   "this FMU does not interpolate inputs",
                   References,
                   size_t,
                   const fmi2Integer[],
                   const fmi2Real[])
ANCORA_FMI_REFUSED(fmi2GetRealOutputDerivatives,
                   "this FMU has no derivatives of outputs",
                   References,
                   size_t,
                   const fmi2Integer[],
                   fmi2Real[])

fmi2Status fmi2GetDirectionalDerivative(fmi2Component it,
                                        References unknowns,
                                        size_t num_unknowns,
                                        References knowns,
                                        size_t num_knowns,
                                        const fmi2Real seed[],
                                        fmi2Real to[]) {
    return guarded(
        it, __func__, directional_derivative, unknowns, num_unknowns, knowns, num_knowns, seed, to);
}

// Model exchange.
fmi2Status fmi2EnterEventMode(fmi2Component it) {
    return guarded(it, __func__, &Slave::enter_events);
}
fmi2Status fmi2NewDiscreteStates(fmi2Component it, fmi2EventInfo* info) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(info != nullptr);
        const Slave::Update update = slave.update();
        const bool has_next = std::isfinite(update.next_event);
        *info = {fmi2False,
                 fmi2False,
                 fmi2False,
                 update.has_changed ? fmi2True : fmi2False,
                 has_next ? fmi2True : fmi2False,
                 has_next ? update.next_event : 0.0};
    });
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component it) {
    return guarded(it, __func__, &Slave::leave_events);
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component it,
                                       fmi2Boolean,
                                       fmi2Boolean* enter_events,
                                       fmi2Boolean* terminate) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(enter_events != nullptr && terminate != nullptr);
        *terminate = fmi2False;
        *enter_events = slave.complete_step() ? fmi2True : fmi2False;
    });
}
fmi2Status fmi2SetTime(fmi2Component it, fmi2Real t) {
    return guarded(it, __func__, &Slave::set_time, t);
}
fmi2Status fmi2SetContinuousStates(fmi2Component it, const fmi2Real x[], size_t count) {
    return guarded(it, __func__, set_states, x, count);
}
fmi2Status fmi2GetDerivatives(fmi2Component it, fmi2Real dx[], size_t count) {
    return guarded(it, __func__, get_derivatives, dx, count);
}
fmi2Status fmi2GetEventIndicators(fmi2Component it, fmi2Real g[], size_t count) {
    return guarded(it, __func__, get_indicators, g, count);
}
fmi2Status fmi2GetContinuousStates(fmi2Component it, fmi2Real x[], size_t count) {
    return guarded(it, __func__, get_states, x, count);
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component it, fmi2Real x[], size_t count) {
    return guarded(it, __func__, get_nominals, x, count);
}
