/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the interface of FMI 3.0 that a co-simulation FMU without clocks, events and arrays
 * has. Written down from the standard (FMI 3.0, sections 2.2, 2.3 and 4.2): names, arguments and
 * values are the standard's, which the Modelica Association publishes with header files of its own
 * under the 2-Clause BSD License. */
#ifndef ANCORA_FMI_FMI3_H
#define ANCORA_FMI_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment,
                                       fmi3Status,
                                       fmi3String category,
                                       fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment,
                                               fmi3Float64 time,
                                               fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed,
                                               fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early,
                                               fmi3Boolean* early_return_requested,
                                               fmi3Float64* early_return_time);

#ifndef ANCORA_FMI
#define ANCORA_FMI __attribute__((visibility("default")))
#endif

ANCORA_FMI const char* fmi3GetVersion(void);
ANCORA_FMI fmi3Status fmi3SetDebugLogging(fmi3Instance,
                                          fmi3Boolean on,
                                          size_t count,
                                          const fmi3String categories[]);
ANCORA_FMI fmi3Instance fmi3InstantiateCoSimulation(fmi3String name,
                                                    fmi3String token,
                                                    fmi3String resources,
                                                    fmi3Boolean visible,
                                                    fmi3Boolean logging,
                                                    fmi3Boolean events,
                                                    fmi3Boolean early_return,
                                                    const fmi3ValueReference intermediate[],
                                                    size_t count,
                                                    fmi3InstanceEnvironment,
                                                    fmi3LogMessageCallback,
                                                    fmi3IntermediateUpdateCallback);
ANCORA_FMI void fmi3FreeInstance(fmi3Instance);
ANCORA_FMI fmi3Status fmi3EnterInitializationMode(fmi3Instance,
                                                  fmi3Boolean has_tolerance,
                                                  fmi3Float64 tolerance,
                                                  fmi3Float64 start,
                                                  fmi3Boolean has_stop,
                                                  fmi3Float64 stop);
ANCORA_FMI fmi3Status fmi3ExitInitializationMode(fmi3Instance);
ANCORA_FMI fmi3Status fmi3EnterEventMode(fmi3Instance);
ANCORA_FMI fmi3Status fmi3EnterStepMode(fmi3Instance);
ANCORA_FMI fmi3Status fmi3Terminate(fmi3Instance);
ANCORA_FMI fmi3Status fmi3Reset(fmi3Instance);
ANCORA_FMI fmi3Status fmi3EnterConfigurationMode(fmi3Instance);
ANCORA_FMI fmi3Status fmi3ExitConfigurationMode(fmi3Instance);

/* Types that this FMU has no variables of are read and written by the same functions. */
// clang-format off
#define ANCORA_FMI3_TYPES(X)                                                                 \
    X(Float32, fmi3Float32) X(Float64, fmi3Float64) X(Int8, int8_t) X(UInt8, uint8_t)        \
    X(Int16, int16_t) X(UInt16, uint16_t) X(Int32, int32_t) X(UInt32, uint32_t)              \
    X(Int64, int64_t) X(UInt64, uint64_t) X(Boolean, fmi3Boolean) X(String, fmi3String)
// clang-format on
#define ANCORA_FMI3_DECLARE(Name, Type)                                    \
    ANCORA_FMI fmi3Status fmi3Get##Name(                                   \
        fmi3Instance, const fmi3ValueReference[], size_t, Type[], size_t); \
    ANCORA_FMI fmi3Status fmi3Set##Name(                                   \
        fmi3Instance, const fmi3ValueReference[], size_t, const Type[], size_t);
ANCORA_FMI3_TYPES(ANCORA_FMI3_DECLARE)
ANCORA_FMI fmi3Status fmi3GetBinary(
    fmi3Instance, const fmi3ValueReference[], size_t, size_t sizes[], fmi3Binary[], size_t);
ANCORA_FMI fmi3Status fmi3SetBinary(fmi3Instance,
                                    const fmi3ValueReference[],
                                    size_t,
                                    const size_t sizes[],
                                    const fmi3Binary[],
                                    size_t);
ANCORA_FMI fmi3Status fmi3GetClock(fmi3Instance, const fmi3ValueReference[], size_t, fmi3Clock[]);
ANCORA_FMI fmi3Status fmi3SetClock(fmi3Instance,
                                   const fmi3ValueReference[],
                                   size_t,
                                   const fmi3Clock[]);

ANCORA_FMI fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance,
                                                          fmi3ValueReference,
                                                          size_t*);
ANCORA_FMI fmi3Status fmi3GetVariableDependencies(fmi3Instance,
                                                  fmi3ValueReference,
                                                  size_t[],
                                                  fmi3ValueReference[],
                                                  size_t[],
                                                  fmi3DependencyKind[],
                                                  size_t);
ANCORA_FMI fmi3Status fmi3GetFMUState(fmi3Instance, fmi3FMUState*);
ANCORA_FMI fmi3Status fmi3SetFMUState(fmi3Instance, fmi3FMUState);
ANCORA_FMI fmi3Status fmi3FreeFMUState(fmi3Instance, fmi3FMUState*);
ANCORA_FMI fmi3Status fmi3SerializedFMUStateSize(fmi3Instance, fmi3FMUState, size_t*);
ANCORA_FMI fmi3Status fmi3SerializeFMUState(fmi3Instance, fmi3FMUState, fmi3Byte[], size_t);
ANCORA_FMI fmi3Status fmi3DeserializeFMUState(fmi3Instance,
                                              const fmi3Byte[],
                                              size_t,
                                              fmi3FMUState*);
ANCORA_FMI fmi3Status fmi3GetDirectionalDerivative(fmi3Instance,
                                                   const fmi3ValueReference[],
                                                   size_t,
                                                   const fmi3ValueReference[],
                                                   size_t,
                                                   const fmi3Float64[],
                                                   size_t,
                                                   fmi3Float64[],
                                                   size_t);
ANCORA_FMI fmi3Status fmi3GetAdjointDerivative(fmi3Instance,
                                               const fmi3ValueReference[],
                                               size_t,
                                               const fmi3ValueReference[],
                                               size_t,
                                               const fmi3Float64[],
                                               size_t,
                                               fmi3Float64[],
                                               size_t);
ANCORA_FMI fmi3Status fmi3GetOutputDerivatives(
    fmi3Instance, const fmi3ValueReference[], size_t, const int32_t[], fmi3Float64[], size_t);
ANCORA_FMI fmi3Status fmi3DoStep(fmi3Instance,
                                 fmi3Float64 time,
                                 fmi3Float64 length,
                                 fmi3Boolean no_return,
                                 fmi3Boolean* event_needed,
                                 fmi3Boolean* terminate,
                                 fmi3Boolean* early_return,
                                 fmi3Float64* last_time);

#ifdef __cplusplus
}
#endif

#endif
