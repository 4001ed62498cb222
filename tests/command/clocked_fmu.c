/* SPDX-License-Identifier: BSD-3-Clause */
/* A co-simulation FMU 3.0 with two input clocks: at ticks of the first a PI controller takes r and m
 * and gives u, the second counts. It refuses calls in a mode that the standard does not have them in. */
#include "fmi3Functions.h"

#include <stdlib.h>
#include <string.h>

enum { kTime = 0, kKp = 1, kKi = 2, kReference = 3, kMeasured = 4, kOutput = 5, kCount = 6, kFast = 7, kSlow = 8, kTotal = 9 };
typedef enum { kNew, kStarting, kEvents, kSteps } mode;

typedef struct {
    mode mode;
    int fast, slow, updates;
    double time, kp, ki, r, m, sum, u, count, total;
} clocked;

static fmi3InstanceEnvironment environment;
static fmi3LogMessageCallback log_message;
static double own_interval = 0.02;

static fmi3Status failed(const char* why) {
    log_message(environment, fmi3Error, "error", why);
    return fmi3Error;
}
const char* fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference which[], size_t count,
                                         fmi3InstanceEnvironment of, fmi3LogMessageCallback logger,
                                         fmi3IntermediateUpdateCallback update) {
    clocked* it = calloc(1, sizeof *it);
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)early;
    (void)which, (void)count, (void)update;
    environment = of;
    log_message = logger;
    it->kp = 1.0;
    if (events) return it;
    log_message(environment, fmi3Error, "error", "it wants event mode");
    free(it);
    return NULL;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
static fmi3Status go(fmi3Instance c, mode from, mode to, const char* why) {
    clocked* it = c;
    if (it->mode != from) return failed(why);
    it->mode = to;
    return fmi3OK;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((clocked*)c)->time = start;
    return go(c, kNew, kStarting, "initialisation twice");
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return go(c, kStarting, kEvents, "not initialising"); }
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return go(c, kSteps, kEvents, "no steps before events"); }
fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    if (((clocked*)c)->updates == 0) return failed("events without an update");
    return go(c, kEvents, kSteps, "no events before steps");
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean no_return, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* last) {
    clocked* it = c;
    (void)no_return;
    if (it->mode != kSteps) return failed("a step outside of step mode");
    if (!(length > 1e-12)) return failed("a step of no length");
    *event = *early = *terminate = false;
    it->time = *last = time + length;
    it->updates = 0;
    return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference which[], size_t count, const fmi3Clock values[]) {
    clocked* it = c;
    if (it->mode != kEvents) return failed("a tick outside of event mode");
    for (size_t i = 0; i < count; ++i)
        if (which[i] == kFast)
            it->fast = values[i];
        else if (which[i] == kSlow)
            it->slow = values[i];
        else
            return failed("no such clock");
    return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference which[], size_t count,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    (void)c;
    for (size_t i = 0; i < count; ++i) {
        intervals[i] = which[i] == kFast ? own_interval : 0.0;
        qualifiers[i] = which[i] == kFast ? fmi3IntervalChanged : fmi3IntervalNotYetKnown;
    }
    return fmi3OK;
}
/* What a tick makes of its inputs, until the update. */
static double output_of(const clocked* it) {
    return it->kp * (it->r - it->m) + it->ki * (it->sum + (it->r - it->m) * own_interval);
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* has_next, fmi3Float64* next) {
    clocked* it = c;
    if (it->mode != kEvents) return failed("an update outside of event mode");
    *terminate = *nominals = *states = *has_next = false;
    *next = 0.0;
    *again = it->fast || it->slow; /* once more, after which nothing changes */
    if (it->fast) {
        it->u = output_of(it);
        it->sum += (it->r - it->m) * own_interval;
        it->total += 1.0;
    }
    if (it->slow) it->count += 1.0;
    it->fast = it->slow = 0;
    ++it->updates;
    return fmi3OK;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference which[], size_t count, const fmi3Float64 values[],
                          size_t num_values) {
    clocked* it = c;
    if (num_values < count) return failed("too few values");
    for (size_t i = 0; i < count; ++i) {
        const int is_input = which[i] == kReference || which[i] == kMeasured;
        if (is_input && !(it->mode == kEvents && it->fast)) return failed("an input without a tick of its clock");
        if (!is_input && it->mode != kNew) return failed("a parameter after the start");
        if (which[i] == kReference)
            it->r = values[i];
        else if (which[i] == kMeasured)
            it->m = values[i];
        else if (which[i] == kKp)
            it->kp = values[i];
        else if (which[i] == kKi)
            it->ki = values[i];
        else
            return failed("no such variable is set");
    }
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference which[], size_t count, fmi3Float64 values[],
                          size_t num_values) {
    const clocked* it = c;
    if (num_values < count) return failed("too few values");
    for (size_t i = 0; i < count; ++i) {
        if (which[i] == kOutput && !it->fast) return failed("u without a tick of its clock");
        if (which[i] == kCount && !it->slow) return failed("n without a tick of its clock");
        values[i] = which[i] == kTime    ? it->time
                    : which[i] == kOutput ? output_of(it)
                    : which[i] == kCount  ? it->count + 1.0
                                          : it->total;
    }
    return fmi3OK;
}
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
    if (*state == NULL) *state = malloc(sizeof(clocked));
    memcpy(*state, c, sizeof(clocked));
    return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
    memcpy(c, state, sizeof(clocked));
    return fmi3OK;
}
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size) {
    (void)c, (void)state;
    *size = sizeof(clocked);
    return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
    (void)c;
    if (*state == NULL) *state = malloc(sizeof(clocked));
    memcpy(*state, bytes, size);
    return fmi3OK;
}
