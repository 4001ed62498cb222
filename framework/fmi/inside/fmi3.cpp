// SPDX-License-Identifier: BSD-3-Clause
// FMI 3.0 for co-simulation, on a slave. An FMU has every function of fmi3Functions.h (3.0.1,
// section 2.5): those of what it does not offer are there, too, and refuse.
#include <optional>
#include <string>

#include "fmi3Functions.h"
#include "instance.hpp"
#include "snapshot_calls.hpp"

namespace {

using ancora::fmu::Instance;
using ancora::fmu::refuse_call;
using ancora::fmu::Slave;
using Type = ancora::fmu::Variable::Type;

constexpr const char* kNoModelExchange = "this FMU is for co-simulation, not for model exchange";
constexpr const char* kNoEvents = "this FMU has no event mode";
constexpr const char* kNoClocks = "this FMU has no clocks";
constexpr const char* kNoStructure = "this FMU has no structural parameters";
constexpr const char* kNoDependencies = "this FMU does not tell dependencies of elements";

template <class F>
fmi3Status guarded3(fmi3Instance handle, const char* call, const F& f) noexcept {
    return ancora::fmu::guarded<fmi3Status>(handle, call, f);
}
fmi3Status refused3(fmi3Instance handle, const char* call, const char* why) noexcept {
    return ancora::fmu::not_offered<fmi3Status>(handle, call, why);
}

/// All variables are scalars, so that there are as many values as references.
void require_scalars(size_t count, size_t num_values) {
    if (count != num_values)
        refuse_call("all variables are scalars: as many values as references are needed");
}

auto sink_of(fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
    return [environment, logger](int status, const char* category, const std::string& text) {
        if (logger != nullptr)
            logger(environment, static_cast<fmi3Status>(status), category, text.c_str());
    };
}

/// No instance; the reason is logged.
fmi3Instance none(fmi3InstanceEnvironment environment,
                  fmi3LogMessageCallback logger,
                  const char* call,
                  const char* why) noexcept {
    return ancora::fmu::instantiate(sink_of(environment, logger), call, "none", "", "", true, [&] {
        refuse_call(why);
    });
}

}  // namespace

const char* fmi3GetVersion(void) {
    return fmi3Version;
}

fmi3Status fmi3SetDebugLogging(fmi3Instance handle,
                               fmi3Boolean on,
                               size_t count,
                               const fmi3String categories[]) {
    return guarded3(handle, __func__, [&](Instance& it) {
        ancora::fmu::set_logging(it, on, count, categories);
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
    return ancora::fmu::instantiate(sink_of(environment, logger),
                                    __func__,
                                    name,
                                    token,
                                    resources != nullptr ? resources : "",
                                    logging,
                                    [&] {
                                        if (resources == nullptr)
                                            refuse_call("an argument is NULL");
                                        if (num_intermediate > 0)
                                            refuse_call("this FMU has no intermediate updates");
                                    });
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String,
                                          fmi3String,
                                          fmi3String,
                                          fmi3Boolean,
                                          fmi3Boolean,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback logger) {
    return none(environment, logger, __func__, kNoModelExchange);
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
    return none(environment,
                logger,
                __func__,
                "this FMU is for co-simulation, not for scheduled execution");
}
void fmi3FreeInstance(fmi3Instance handle) {
    delete static_cast<Instance*>(handle);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance handle,
                                       fmi3Boolean,
                                       fmi3Float64,
                                       fmi3Float64 start,
                                       fmi3Boolean has_stop,
                                       fmi3Float64 stop) {
    return guarded3(handle, __func__, [&](Instance& it) {
        it.slave->set_up(start, has_stop ? std::optional(stop) : std::nullopt);
        it.slave->enter_initialization();
    });
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance handle) {
    return guarded3(handle, __func__, [](Instance& it) {
        it.slave->leave_initialization();
    });
}
fmi3Status fmi3Terminate(fmi3Instance handle) {
    return guarded3(handle, __func__, [](Instance& it) {
        it.slave->terminate();
    });
}
fmi3Status fmi3Reset(fmi3Instance handle) {
    return guarded3(handle, __func__, [](Instance& it) {
        it.slave->reset();
    });
}

#define ANCORA_FMI3_VALUES(Name, kType)                                    \
    fmi3Status fmi3Get##Name(fmi3Instance handle,                          \
                             const fmi3ValueReference references[],        \
                             size_t count,                                 \
                             fmi3##Name values[],                          \
                             size_t num_values) {                          \
        return guarded3(handle, __func__, [&](Instance& it) {              \
            require_scalars(count, num_values);                            \
            ancora::fmu::get_values<kType>(it, references, count, values); \
        });                                                                \
    }                                                                      \
    fmi3Status fmi3Set##Name(fmi3Instance handle,                          \
                             const fmi3ValueReference references[],        \
                             size_t count,                                 \
                             const fmi3##Name values[],                    \
                             size_t num_values) {                          \
        return guarded3(handle, __func__, [&](Instance& it) {              \
            require_scalars(count, num_values);                            \
            ancora::fmu::set_values<kType>(it, references, count, values); \
        });                                                                \
    }
ANCORA_FMI3_VALUES(Float64, Type::real)
ANCORA_FMI3_VALUES(Boolean, Type::boolean)
ANCORA_FMI3_VALUES(String, Type::text)

// Types that no variable has.
#define ANCORA_FMI3_NO_VALUES(Name)                             \
    fmi3Status fmi3Get##Name(fmi3Instance handle,               \
                             const fmi3ValueReference[],        \
                             size_t count,                      \
                             fmi3##Name[],                      \
                             size_t num_values) {               \
        return guarded3(handle, __func__, [&](Instance&) {      \
            ancora::fmu::require_no_values(count + num_values); \
        });                                                     \
    }                                                           \
    fmi3Status fmi3Set##Name(fmi3Instance handle,               \
                             const fmi3ValueReference[],        \
                             size_t count,                      \
                             const fmi3##Name[],                \
                             size_t num_values) {               \
        return guarded3(handle, __func__, [&](Instance&) {      \
            ancora::fmu::require_no_values(count + num_values); \
        });                                                     \
    }
ANCORA_FMI3_NO_VALUES(Float32)
ANCORA_FMI3_NO_VALUES(Int8)
ANCORA_FMI3_NO_VALUES(UInt8)
ANCORA_FMI3_NO_VALUES(Int16)
ANCORA_FMI3_NO_VALUES(UInt16)
ANCORA_FMI3_NO_VALUES(Int32)
ANCORA_FMI3_NO_VALUES(UInt32)
ANCORA_FMI3_NO_VALUES(Int64)
ANCORA_FMI3_NO_VALUES(UInt64)
fmi3Status fmi3GetBinary(fmi3Instance handle,
                         const fmi3ValueReference[],
                         size_t count,
                         size_t[],
                         fmi3Binary[],
                         size_t num_values) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count + num_values);
    });
}
fmi3Status fmi3SetBinary(fmi3Instance handle,
                         const fmi3ValueReference[],
                         size_t count,
                         const size_t[],
                         const fmi3Binary[],
                         size_t num_values) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count + num_values);
    });
}
fmi3Status fmi3GetClock(fmi3Instance handle,
                        const fmi3ValueReference[],
                        size_t count,
                        fmi3Clock[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3SetClock(fmi3Instance handle,
                        const fmi3ValueReference[],
                        size_t count,
                        const fmi3Clock[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}

fmi3Status fmi3GetFMUState(fmi3Instance handle, fmi3FMUState* state) {
    return guarded3(handle, __func__, [&](Instance& it) {
        ancora::fmu::get_state(*it.slave, state);
    });
}
fmi3Status fmi3SetFMUState(fmi3Instance handle, fmi3FMUState state) {
    return guarded3(handle, __func__, [&](Instance& it) {
        ancora::fmu::set_state(*it.slave, state);
    });
}
fmi3Status fmi3FreeFMUState(fmi3Instance handle, fmi3FMUState* state) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::free_state(state);
    });
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance handle, fmi3FMUState state, size_t* size) {
    return guarded3(handle, __func__, [&](Instance& it) {
        ancora::fmu::size_of_state(*it.slave, state, size);
    });
}
fmi3Status fmi3SerializeFMUState(fmi3Instance handle,
                                 fmi3FMUState state,
                                 fmi3Byte bytes[],
                                 size_t size) {
    return guarded3(handle, __func__, [&](Instance& it) {
        ancora::fmu::serialise_state(*it.slave, state, bytes, size);
    });
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance handle,
                                   const fmi3Byte bytes[],
                                   size_t size,
                                   fmi3FMUState* state) {
    return guarded3(handle, __func__, [&](Instance& it) {
        ancora::fmu::read_state(*it.slave, bytes, size, state);
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
    return guarded3(handle, __func__, [&](Instance& it) {
        if (event_needed == nullptr || terminate == nullptr || early_return == nullptr ||
            last_time == nullptr)
            refuse_call("an argument is NULL");
        *event_needed = *terminate = *early_return = false;
        const bool is_complete = it.slave->step(time, length) == Slave::Step::complete;
        *last_time = it.slave->time();
        return is_complete ? fmi3OK : fmi3Discard;
    });
}

// What the description says that this FMU does not have.

fmi3Status fmi3EnterEventMode(fmi3Instance handle) {
    return refused3(handle, __func__, kNoEvents);
}
fmi3Status fmi3EnterStepMode(fmi3Instance handle) {
    return refused3(handle, __func__, kNoEvents);
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance handle) {
    return refused3(handle, __func__, kNoEvents);
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance handle,
                                    fmi3Boolean*,
                                    fmi3Boolean*,
                                    fmi3Boolean*,
                                    fmi3Boolean*,
                                    fmi3Boolean*,
                                    fmi3Float64*) {
    return refused3(handle, __func__, kNoEvents);
}
fmi3Status fmi3EnterConfigurationMode(fmi3Instance handle) {
    return refused3(handle, __func__, kNoStructure);
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance handle) {
    return refused3(handle, __func__, kNoStructure);
}
fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance handle, fmi3ValueReference, size_t*) {
    return refused3(handle, __func__, kNoDependencies);
}
fmi3Status fmi3GetVariableDependencies(fmi3Instance handle,
                                       fmi3ValueReference,
                                       size_t[],
                                       fmi3ValueReference[],
                                       size_t[],
                                       fmi3DependencyKind[],
                                       size_t) {
    return refused3(handle, __func__, kNoDependencies);
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
    return refused3(handle, __func__, "this FMU has no directional derivatives");
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
    return refused3(handle, __func__, "this FMU has no adjoint derivatives");
}
fmi3Status fmi3GetOutputDerivatives(fmi3Instance handle,
                                    const fmi3ValueReference[],
                                    size_t,
                                    const fmi3Int32[],
                                    fmi3Float64[],
                                    size_t) {
    return refused3(handle, __func__, "this FMU has no derivatives of outputs");
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance handle,
                                  const fmi3ValueReference[],
                                  size_t count,
                                  fmi3Float64[],
                                  fmi3IntervalQualifier[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance handle,
                                   const fmi3ValueReference[],
                                   size_t count,
                                   fmi3UInt64[],
                                   fmi3UInt64[],
                                   fmi3IntervalQualifier[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance handle,
                               const fmi3ValueReference[],
                               size_t count,
                               fmi3Float64[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3GetShiftFraction(
    fmi3Instance handle, const fmi3ValueReference[], size_t count, fmi3UInt64[], fmi3UInt64[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance handle,
                                  const fmi3ValueReference[],
                                  size_t count,
                                  const fmi3Float64[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance handle,
                                   const fmi3ValueReference[],
                                   size_t count,
                                   const fmi3UInt64[],
                                   const fmi3UInt64[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance handle,
                               const fmi3ValueReference[],
                               size_t count,
                               const fmi3Float64[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3SetShiftFraction(fmi3Instance handle,
                                const fmi3ValueReference[],
                                size_t count,
                                const fmi3UInt64[],
                                const fmi3UInt64[]) {
    return guarded3(handle, __func__, [&](Instance&) {
        ancora::fmu::require_no_values(count);
    });
}
fmi3Status fmi3ActivateModelPartition(fmi3Instance handle, fmi3ValueReference, fmi3Float64) {
    return refused3(handle, __func__, kNoClocks);
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance handle) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance handle,
                                       fmi3Boolean,
                                       fmi3Boolean*,
                                       fmi3Boolean*) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3SetTime(fmi3Instance handle, fmi3Float64) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3SetContinuousStates(fmi3Instance handle, const fmi3Float64[], size_t) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance handle, fmi3Float64[], size_t) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance handle, fmi3Float64[], size_t) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3GetContinuousStates(fmi3Instance handle, fmi3Float64[], size_t) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance handle, fmi3Float64[], size_t) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance handle, size_t*) {
    return refused3(handle, __func__, kNoModelExchange);
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance handle, size_t*) {
    return refused3(handle, __func__, kNoModelExchange);
}
