// SPDX-License-Identifier: BSD-3-Clause
// FMI 3.0 for co-simulation, on a slave. An FMU has every function of fmi3Functions.h (3.0.1,
// section 2.5): those of what it does not offer are there, too, and refuse.
#include <string>

#include "fmi3Functions.h"
#include "instance.hpp"

using namespace ancora::fmu;

namespace {

using Type = Variable::Type;

constexpr const char* kNoModelExchange = "this FMU is for co-simulation, not for model exchange";
constexpr const char* kNoEvents = "this FMU has no event mode";
constexpr const char* kNoClocks = "this FMU has no clocks";
constexpr const char* kNoStructure = "this FMU has no structural parameters";
constexpr const char* kNoDependencies = "this FMU does not tell dependencies of elements";

Log log_to(fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
    return {[environment, logger](int status, const char* category, const std::string& text) {
        if (logger != nullptr)
            logger(environment, static_cast<fmi3Status>(status), category, text.c_str());
    }};
}

/// No instance; the reason is logged.
fmi3Instance none(const Log& log, const char* call, const char* why) noexcept {
    return instantiate(log, call, "none", "", "", true, [&] {
        refuse_call(why);
    });
}

}  // namespace

const char* fmi3GetVersion(void) {
    return fmi3Version;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance it, fmi3Boolean on, size_t n, const fmi3String of[]) {
    return guarded(it, __func__, set_logging, on, n, of);
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
    const std::string folder = resources != nullptr ? resources : "";
    return instantiate(log_to(environment, logger), __func__, name, token, folder, logging, [&] {
        require_given(resources != nullptr);
        require_given(num_intermediate == 0, "this FMU has no intermediate updates");
    });
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String,
                                          fmi3String,
                                          fmi3String,
                                          fmi3Boolean,
                                          fmi3Boolean,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback logger) {
    return none(log_to(environment, logger), __func__, kNoModelExchange);
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String,
                                               fmi3String,
                                               fmi3String,
                                               fmi3Boolean,
                                               fmi3Boolean,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback logger,
                                               fmi3ClockUpdateCallback,
                                               fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
    return none(log_to(environment, logger),
                __func__,
                "this FMU is for co-simulation, not for scheduled execution");
}
void fmi3FreeInstance(fmi3Instance it) {
    delete static_cast<Instance*>(it);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance it,
                                       fmi3Boolean,
                                       fmi3Float64,
                                       fmi3Float64 start,
                                       fmi3Boolean has_stop,
                                       fmi3Float64 stop) {
    return guarded(it, __func__, [&](Slave& slave) {
        set_up(slave, start, has_stop, stop);
        slave.enter_initialization();
    });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance it) {
    return guarded(it, __func__, &Slave::leave_initialization);
}
fmi3Status fmi3Terminate(fmi3Instance it) {
    return guarded(it, __func__, &Slave::terminate);
}
fmi3Status fmi3Reset(fmi3Instance it) {
    return guarded(it, __func__, &Slave::reset);
}

#define ANCORA_FMI3_VALUES(Name, kType)                                                           \
    fmi3Status fmi3Get##Name(                                                                     \
        fmi3Instance it, References of, size_t count, fmi3##Name to[], size_t num_values) {       \
        return guarded(it, __func__, get_values<kType, fmi3##Name>, of, count, to, num_values);   \
    }                                                                                             \
    fmi3Status fmi3Set##Name(fmi3Instance it,                                                     \
                             References of,                                                       \
                             size_t count,                                                        \
                             const fmi3##Name from[],                                             \
                             size_t num_values) {                                                 \
        return guarded(it, __func__, set_values<kType, fmi3##Name>, of, count, from, num_values); \
    }
ANCORA_FMI3_VALUES(Float64, Type::real)
ANCORA_FMI3_VALUES(Boolean, Type::boolean)
ANCORA_FMI3_VALUES(String, Type::text)

// Types that no variable has, by the numbers of what is asked for and of what is given.
#define ANCORA_FMI3_NO_VALUES(name, sizes, ...)                 \
    fmi3Status name(fmi3Instance it, References, __VA_ARGS__) { \
        return guarded(it, __func__, require_no_values, sizes); \
    }
#define ANCORA_FMI3_NO_NUMBERS(Name)                                              \
    ANCORA_FMI3_NO_VALUES(fmi3Get##Name, n + m, size_t n, fmi3##Name[], size_t m) \
    ANCORA_FMI3_NO_VALUES(fmi3Set##Name, n + m, size_t n, const fmi3##Name[], size_t m)
ANCORA_FMI3_NO_NUMBERS(Float32)
ANCORA_FMI3_NO_NUMBERS(Int8)
ANCORA_FMI3_NO_NUMBERS(UInt8)
ANCORA_FMI3_NO_NUMBERS(Int16)
ANCORA_FMI3_NO_NUMBERS(UInt16)
ANCORA_FMI3_NO_NUMBERS(Int32)
ANCORA_FMI3_NO_NUMBERS(UInt32)
ANCORA_FMI3_NO_NUMBERS(Int64)
ANCORA_FMI3_NO_NUMBERS(UInt64)
ANCORA_FMI3_NO_VALUES(fmi3GetBinary, n + m, size_t n, size_t[], fmi3Binary[], size_t m)
ANCORA_FMI3_NO_VALUES(fmi3SetBinary, n + m, size_t n, const size_t[], const fmi3Binary[], size_t m)
ANCORA_FMI3_NO_VALUES(fmi3GetClock, n, size_t n, fmi3Clock[])
ANCORA_FMI3_NO_VALUES(fmi3SetClock, n, size_t n, const fmi3Clock[])
ANCORA_FMI3_NO_VALUES(fmi3GetIntervalDecimal, n, size_t n, fmi3Float64[], fmi3IntervalQualifier[])
ANCORA_FMI3_NO_VALUES(
    fmi3GetIntervalFraction, n, size_t n, fmi3UInt64[], fmi3UInt64[], fmi3IntervalQualifier[])
ANCORA_FMI3_NO_VALUES(fmi3GetShiftDecimal, n, size_t n, fmi3Float64[])
ANCORA_FMI3_NO_VALUES(fmi3GetShiftFraction, n, size_t n, fmi3UInt64[], fmi3UInt64[])
ANCORA_FMI3_NO_VALUES(fmi3SetIntervalDecimal, n, size_t n, const fmi3Float64[])
ANCORA_FMI3_NO_VALUES(fmi3SetIntervalFraction, n, size_t n, const fmi3UInt64[], const fmi3UInt64[])
ANCORA_FMI3_NO_VALUES(fmi3SetShiftDecimal, n, size_t n, const fmi3Float64[])
ANCORA_FMI3_NO_VALUES(fmi3SetShiftFraction, n, size_t n, const fmi3UInt64[], const fmi3UInt64[])

fmi3Status fmi3GetFMUState(fmi3Instance it, fmi3FMUState* state) {
    return guarded(it, __func__, get_state, state);
}
fmi3Status fmi3SetFMUState(fmi3Instance it, fmi3FMUState state) {
    return guarded(it, __func__, set_state, state);
}
fmi3Status fmi3FreeFMUState(fmi3Instance it, fmi3FMUState* state) {
    return guarded(it, __func__, free_state, state);
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance it, fmi3FMUState state, size_t* size) {
    return guarded(it, __func__, size_of_state, state, size);
}
fmi3Status fmi3SerializeFMUState(fmi3Instance it, fmi3FMUState state, fmi3Byte to[], size_t size) {
    return guarded(it, __func__, serialise_state, state, to, size);
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance it,
                                   const fmi3Byte from[],
                                   size_t size,
                                   fmi3FMUState* state) {
    return guarded(it, __func__, read_state, from, size, state);
}

fmi3Status fmi3DoStep(fmi3Instance it,
                      fmi3Float64 time,
                      fmi3Float64 length,
                      fmi3Boolean,
                      fmi3Boolean* event_needed,
                      fmi3Boolean* terminate,
                      fmi3Boolean* early_return,
                      fmi3Float64* last_time) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(event_needed != nullptr && terminate != nullptr && early_return != nullptr &&
                      last_time != nullptr);
        *event_needed = *terminate = *early_return = false;
        const bool is_complete = slave.step(time, length) == Slave::Step::complete;
        *last_time = slave.time();
        return is_complete ? kOk : kDiscard;
    });
}

// What the description says that this FMU does not have.
ANCORA_FMI_REFUSED(fmi3EnterEventMode, kNoEvents)
ANCORA_FMI_REFUSED(fmi3EnterStepMode, kNoEvents)
ANCORA_FMI_REFUSED(fmi3EvaluateDiscreteStates, kNoEvents)
ANCORA_FMI_REFUSED(fmi3UpdateDiscreteStates,
                   kNoEvents,
                   fmi3Boolean*,
                   fmi3Boolean*,
                   fmi3Boolean*,
                   fmi3Boolean*,
                   fmi3Boolean*,
                   fmi3Float64*)
ANCORA_FMI_REFUSED(fmi3EnterConfigurationMode, kNoStructure)
ANCORA_FMI_REFUSED(fmi3ExitConfigurationMode, kNoStructure)
ANCORA_FMI_REFUSED(fmi3GetNumberOfVariableDependencies,
                   kNoDependencies,
                   fmi3ValueReference,
                   size_t*)
ANCORA_FMI_REFUSED(fmi3GetVariableDependencies,
                   kNoDependencies,
                   fmi3ValueReference,
                   size_t[],
                   fmi3ValueReference[],
                   size_t[],
                   fmi3DependencyKind[],
                   size_t)
ANCORA_FMI_REFUSED(fmi3GetDirectionalDerivative,
                   "this FMU has no directional derivatives",
                   References,
                   size_t,
                   References,
                   size_t,
                   const fmi3Float64[],
                   size_t,
                   fmi3Float64[],
                   size_t)
ANCORA_FMI_REFUSED(fmi3GetAdjointDerivative,
                   "this FMU has no adjoint derivatives",
                   References,
                   size_t,
                   References,
                   size_t,
                   const fmi3Float64[],
                   size_t,
                   fmi3Float64[],
                   size_t)
ANCORA_FMI_REFUSED(fmi3GetOutputDerivatives,
                   "this FMU has no derivatives of outputs",
                   References,
                   size_t,
                   const fmi3Int32[],
                   fmi3Float64[],
                   size_t)
ANCORA_FMI_REFUSED(fmi3ActivateModelPartition, kNoClocks, fmi3ValueReference, fmi3Float64)
ANCORA_FMI_REFUSED(fmi3EnterContinuousTimeMode, kNoModelExchange)
ANCORA_FMI_REFUSED(
    fmi3CompletedIntegratorStep, kNoModelExchange, fmi3Boolean, fmi3Boolean*, fmi3Boolean*)
ANCORA_FMI_REFUSED(fmi3SetTime, kNoModelExchange, fmi3Float64)
ANCORA_FMI_REFUSED(fmi3SetContinuousStates, kNoModelExchange, const fmi3Float64[], size_t)
ANCORA_FMI_REFUSED(fmi3GetContinuousStateDerivatives, kNoModelExchange, fmi3Float64[], size_t)
ANCORA_FMI_REFUSED(fmi3GetEventIndicators, kNoModelExchange, fmi3Float64[], size_t)
ANCORA_FMI_REFUSED(fmi3GetContinuousStates, kNoModelExchange, fmi3Float64[], size_t)
ANCORA_FMI_REFUSED(fmi3GetNominalsOfContinuousStates, kNoModelExchange, fmi3Float64[], size_t)
ANCORA_FMI_REFUSED(fmi3GetNumberOfEventIndicators, kNoModelExchange, size_t*)
ANCORA_FMI_REFUSED(fmi3GetNumberOfContinuousStates, kNoModelExchange, size_t*)
