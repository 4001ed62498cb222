// SPDX-License-Identifier: BSD-3-Clause
// FMI 3.0 for co-simulation and model exchange, on a slave. An FMU has every function of
// fmi3Functions.h (3.0.1, section 2.5): those of what it does not offer are there, too, and refuse.
#include <cmath>
#include <string>

#include "fmi3Functions.h"
#include "instance.hpp"

using namespace ancora::fmu;

namespace {

using Type = Variable::Type;

constexpr const char* kNoPartitions = "this FMU has no model partitions: its clocks are outputs";
constexpr const char* kOwnTicks = "is an output, which the FMU ticks itself";
constexpr const char* kNoInterval =
    "is triggered, and has no interval or shift: it ticks at events of the FMU";
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
    return instantiate(log, call, "none", "", "", Slave::Use::steps, true, [&] {
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
                                         fmi3Boolean has_events,
                                         fmi3Boolean may_return,
                                         const fmi3ValueReference[],
                                         size_t num_intermediate,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logger,
                                         fmi3IntermediateUpdateCallback) {
    const std::string folder = resources != nullptr ? resources : "";
    const auto use = has_events ? Slave::Use::event_steps : Slave::Use::steps;
    Instance* const it =
        instantiate(log_to(environment, logger), __func__, name, token, folder, use, logging, [&] {
            require_given(resources != nullptr);
            require_given(num_intermediate == 0, "this FMU has no intermediate updates");
        });
    // Where an event ends a step early, event mode handles it.
    if (it != nullptr) it->may_return = has_events && may_return;
    return it;
}
fmi3Instance fmi3InstantiateModelExchange(fmi3String name,
                                          fmi3String token,
                                          fmi3String resources,
                                          fmi3Boolean,
                                          fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback logger) {
    const std::string folder = resources != nullptr ? resources : "";
    return instantiate(log_to(environment, logger),
                       __func__,
                       name,
                       token,
                       folder,
                       Slave::Use::exchange,
                       logging,
                       [&] {
                           require_given(resources != nullptr);
                       });
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
                "this FMU is for co-simulation or model exchange, not for scheduled execution");
}
void fmi3FreeInstance(fmi3Instance it) {
    delete static_cast<Instance*>(it);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance it,
                                       fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance,
                                       fmi3Float64 start,
                                       fmi3Boolean has_stop,
                                       fmi3Float64 stop) {
    return guarded(it, __func__, [&](Slave& slave) {
        set_up(slave, has_tolerance, tolerance, start, has_stop, stop);
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

// Clocks are triggered outputs: what clocks over time and those that an importer ticks have is
// refused.
fmi3Status fmi3GetClock(fmi3Instance it, References of, size_t count, fmi3Clock to[]) {
    return guarded(it, __func__, [&](const Slave& slave) {
        require_arrays(of, to, count, count);
        for (size_t i = 0; i < count; ++i) to[i] = slave.is_ticking(of[i]);
    });
}
#define ANCORA_FMI3_NO_CLOCKS(name, why, ...)                            \
    fmi3Status name(fmi3Instance it, References of, __VA_ARGS__) {       \
        return guarded(it, __func__, [&](const Slave& slave) {           \
            require_given(count == 0 || of != NULL, "an array is NULL"); \
            if (count > 0) slave.refuse_clock(of[0], why);               \
        });                                                              \
    }
ANCORA_FMI3_NO_CLOCKS(fmi3SetClock, kOwnTicks, size_t count, const fmi3Clock[])
ANCORA_FMI3_NO_CLOCKS(
    fmi3GetIntervalDecimal, kNoInterval, size_t count, fmi3Float64[], fmi3IntervalQualifier[])
ANCORA_FMI3_NO_CLOCKS(fmi3GetIntervalFraction,
                      kNoInterval,
                      size_t count,
                      fmi3UInt64[],
                      fmi3UInt64[],
                      fmi3IntervalQualifier[])
ANCORA_FMI3_NO_CLOCKS(fmi3GetShiftDecimal, kNoInterval, size_t count, fmi3Float64[])
ANCORA_FMI3_NO_CLOCKS(fmi3GetShiftFraction, kNoInterval, size_t count, fmi3UInt64[], fmi3UInt64[])
ANCORA_FMI3_NO_CLOCKS(fmi3SetIntervalDecimal, kNoInterval, size_t count, const fmi3Float64[])
ANCORA_FMI3_NO_CLOCKS(
    fmi3SetIntervalFraction, kNoInterval, size_t count, const fmi3UInt64[], const fmi3UInt64[])
ANCORA_FMI3_NO_CLOCKS(fmi3SetShiftDecimal, kNoInterval, size_t count, const fmi3Float64[])
ANCORA_FMI3_NO_CLOCKS(
    fmi3SetShiftFraction, kNoInterval, size_t count, const fmi3UInt64[], const fmi3UInt64[])

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
    return guarded(it, __func__, [&](Instance& slave) {
        require_given(event_needed != nullptr && terminate != nullptr && early_return != nullptr &&
                      last_time != nullptr);
        *event_needed = *terminate = *early_return = false;
        const Slave::Step step = slave.step(time, length, slave.may_return);
        *last_time = slave.time();
        *early_return = step == Slave::Step::early;
        *event_needed = *early_return || step == Slave::Step::event;
        return step == Slave::Step::discarded ? kDiscard : kOk;
    });
}

fmi3Status fmi3EnterEventMode(fmi3Instance it) {
    return guarded(it, __func__, &Slave::enter_events);
}
fmi3Status fmi3EnterStepMode(fmi3Instance it) {
    return guarded(it, __func__, [](Slave& slave) {
        require_given(!slave.is_for_exchange(), "there are no steps in model exchange");
        slave.leave_events();
    });
}
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance it) {
    return guarded(it, __func__, [](Slave& slave) {
        require_given(slave.phase() == Phase::events, "this is not event mode");
    });
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance it,
                                    fmi3Boolean* needs_update,
                                    fmi3Boolean* terminate,
                                    fmi3Boolean* has_new_nominals,
                                    fmi3Boolean* has_new_states,
                                    fmi3Boolean* has_next_event,
                                    fmi3Float64* next_event) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(needs_update != nullptr && terminate != nullptr &&
                      has_new_nominals != nullptr && has_new_states != nullptr &&
                      has_next_event != nullptr && next_event != nullptr);
        const Slave::Update update = slave.update();
        *needs_update = *terminate = *has_new_nominals = false;
        *has_new_states = update.has_changed;
        *has_next_event = std::isfinite(update.next_event);
        *next_event = *has_next_event ? update.next_event : 0.0;
    });
}
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance it,
                                        References unknowns,
                                        size_t num_unknowns,
                                        References knowns,
                                        size_t num_knowns,
                                        const fmi3Float64 seed[],
                                        size_t num_seed,
                                        fmi3Float64 to[],
                                        size_t num_to) {
    return guarded(it, __func__, [&](Instance& slave) {
        require_given(num_seed == num_knowns && num_to == num_unknowns,
                      "all variables are scalars: as many values as references are needed");
        return directional_derivative(slave, unknowns, num_unknowns, knowns, num_knowns, seed, to);
    });
}

// Model exchange.
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance it) {
    return guarded(it, __func__, [](Slave& slave) {
        require_given(slave.is_for_exchange(), "continuous time is of model exchange");
        slave.leave_events();
    });
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance it,
                                       fmi3Boolean,
                                       fmi3Boolean* enter_events,
                                       fmi3Boolean* terminate) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(enter_events != nullptr && terminate != nullptr);
        *terminate = false;
        *enter_events = slave.complete_step();
    });
}
fmi3Status fmi3SetTime(fmi3Instance it, fmi3Float64 t) {
    return guarded(it, __func__, &Slave::set_time, t);
}
fmi3Status fmi3SetContinuousStates(fmi3Instance it, const fmi3Float64 x[], size_t count) {
    return guarded(it, __func__, set_states, x, count);
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance it, fmi3Float64 dx[], size_t count) {
    return guarded(it, __func__, get_derivatives, dx, count);
}
fmi3Status fmi3GetEventIndicators(fmi3Instance it, fmi3Float64 g[], size_t count) {
    return guarded(it, __func__, get_indicators, g, count);
}
fmi3Status fmi3GetContinuousStates(fmi3Instance it, fmi3Float64 x[], size_t count) {
    return guarded(it, __func__, get_states, x, count);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance it, fmi3Float64 x[], size_t count) {
    return guarded(it, __func__, get_nominals, x, count);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance it, size_t* count) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(count != nullptr && slave.is_for_exchange(), "there are none here");
        *count = slave.num_indicators();
    });
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance it, size_t* count) {
    return guarded(it, __func__, [&](Slave& slave) {
        require_given(count != nullptr && slave.is_for_exchange(), "there are none here");
        *count = slave.num_states();
    });
}

// What the description says that this FMU does not have.
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
ANCORA_FMI_REFUSED(fmi3ActivateModelPartition, kNoPartitions, fmi3ValueReference, fmi3Float64)
