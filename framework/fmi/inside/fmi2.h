/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the interface of FMI 2.0 that a co-simulation FMU has. Written down from the standard (FMI for
 * Model Exchange and Co-Simulation 2.0.4, sections 2.1 and 4.2): names, arguments and values are the standard's,
 * which the Modelica Association publishes with header files of its own under the 2-Clause BSD License. */
#ifndef ANCORA_FMI_FMI2_H
#define ANCORA_FMI_FMI2_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* the platform "default" */
typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
enum { fmi2False = 0, fmi2True = 1 };

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category, fmi2String message, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

#define ANCORA_FMI __attribute__((visibility("default")))

ANCORA_FMI const char *fmi2GetTypesPlatform(void);
ANCORA_FMI const char *fmi2GetVersion(void);
ANCORA_FMI fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean on, size_t count, const fmi2String categories[]);
ANCORA_FMI fmi2Component fmi2Instantiate(fmi2String name, fmi2Type, fmi2String guid, fmi2String resources,
                                         const fmi2CallbackFunctions *, fmi2Boolean visible, fmi2Boolean logging);
ANCORA_FMI void fmi2FreeInstance(fmi2Component);
ANCORA_FMI fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                                          fmi2Boolean has_stop, fmi2Real stop);
ANCORA_FMI fmi2Status fmi2EnterInitializationMode(fmi2Component);
ANCORA_FMI fmi2Status fmi2ExitInitializationMode(fmi2Component);
ANCORA_FMI fmi2Status fmi2Terminate(fmi2Component);
ANCORA_FMI fmi2Status fmi2Reset(fmi2Component);

ANCORA_FMI fmi2Status fmi2GetReal(fmi2Component, const fmi2ValueReference[], size_t, fmi2Real[]);
ANCORA_FMI fmi2Status fmi2GetInteger(fmi2Component, const fmi2ValueReference[], size_t, fmi2Integer[]);
ANCORA_FMI fmi2Status fmi2GetBoolean(fmi2Component, const fmi2ValueReference[], size_t, fmi2Boolean[]);
ANCORA_FMI fmi2Status fmi2GetString(fmi2Component, const fmi2ValueReference[], size_t, fmi2String[]);
ANCORA_FMI fmi2Status fmi2SetReal(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Real[]);
ANCORA_FMI fmi2Status fmi2SetInteger(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[]);
ANCORA_FMI fmi2Status fmi2SetBoolean(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Boolean[]);
ANCORA_FMI fmi2Status fmi2SetString(fmi2Component, const fmi2ValueReference[], size_t, const fmi2String[]);

ANCORA_FMI fmi2Status fmi2GetFMUstate(fmi2Component, fmi2FMUstate *);
ANCORA_FMI fmi2Status fmi2SetFMUstate(fmi2Component, fmi2FMUstate);
ANCORA_FMI fmi2Status fmi2FreeFMUstate(fmi2Component, fmi2FMUstate *);
ANCORA_FMI fmi2Status fmi2SerializedFMUstateSize(fmi2Component, fmi2FMUstate, size_t *);
ANCORA_FMI fmi2Status fmi2SerializeFMUstate(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
ANCORA_FMI fmi2Status fmi2DeSerializeFMUstate(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *);
ANCORA_FMI fmi2Status fmi2GetDirectionalDerivative(fmi2Component, const fmi2ValueReference[], size_t,
                                                   const fmi2ValueReference[], size_t, const fmi2Real[], fmi2Real[]);

ANCORA_FMI fmi2Status fmi2SetRealInputDerivatives(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[],
                                                  const fmi2Real[]);
ANCORA_FMI fmi2Status fmi2GetRealOutputDerivatives(fmi2Component, const fmi2ValueReference[], size_t, const fmi2Integer[],
                                                   fmi2Real[]);
ANCORA_FMI fmi2Status fmi2DoStep(fmi2Component, fmi2Real time, fmi2Real length, fmi2Boolean no_return);
ANCORA_FMI fmi2Status fmi2CancelStep(fmi2Component);
ANCORA_FMI fmi2Status fmi2GetStatus(fmi2Component, const fmi2StatusKind, fmi2Status *);
ANCORA_FMI fmi2Status fmi2GetRealStatus(fmi2Component, const fmi2StatusKind, fmi2Real *);
ANCORA_FMI fmi2Status fmi2GetIntegerStatus(fmi2Component, const fmi2StatusKind, fmi2Integer *);
ANCORA_FMI fmi2Status fmi2GetBooleanStatus(fmi2Component, const fmi2StatusKind, fmi2Boolean *);
ANCORA_FMI fmi2Status fmi2GetStringStatus(fmi2Component, const fmi2StatusKind, fmi2String *);

#ifdef __cplusplus
}
#endif

#endif
