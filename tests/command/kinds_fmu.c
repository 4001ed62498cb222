/* SPDX-License-Identifier: BSD-3-Clause */
/* A co-simulation FMU 3.0 with clocks of all kinds, and steps that end early. Its own event is every 0.07 s from 0.05
 * on: there it returns from a step, its output clock ticks, and it adds up its input x of then. A `changing` clock
 * ticks 0.01, 0.02, 0.03, ... s apart unless parameters say otherwise; a `countdown` clock 0.004 s behind each of its
 * own events; one that is triggered from outside counts. Calls in a mode that the standard does not have them in are
 * refused. */
#include "fmi3Functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { kTime, kX, kSum, kLast, kChanging, kCountdown, kTriggered, kOutput, kTicks, kDowns, kPulses, kDownTime,
       kFirst, kGrowth };
typedef enum { kNew, kStarting, kEvents, kSteps } mode;

typedef struct {
    mode mode;
    int num_own, is_own, ticks, downs, pulses, changing, countdown, triggered, has_countdown, updates;
    double time, x, sum, last, down_time, first, growth;
} kinds;

static fmi3InstanceEnvironment environment;
static fmi3LogMessageCallback log_message;

static fmi3Status failed(const char* why) {
    log_message(environment, fmi3Error, "error", why);
    return fmi3Error;
}
static double own_time(int k) { return 0.05 + 0.07 * k; }

const char* fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early,
                                         const fmi3ValueReference which[], size_t count,
                                         fmi3InstanceEnvironment of, fmi3LogMessageCallback logger,
                                         fmi3IntermediateUpdateCallback update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)which, (void)count, (void)update;
    environment = of;
    log_message = logger;
    if (!events || !early) {
        failed("it wants event mode and early returns");
        return NULL;
    }
    kinds* it = calloc(1, sizeof(kinds));
    it->first = it->growth = 0.01;
    return it;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
static fmi3Status go(kinds* it, mode from, mode to, const char* why) {
    if (it->mode != from) return failed(why);
    it->mode = to;
    it->updates = 0;
    return fmi3OK;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((kinds*)c)->time = start;
    return go(c, kNew, kStarting, "initialisation twice");
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return go(c, kStarting, kEvents, "not initialising"); }
fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    kinds* it = c;
    it->is_own = fabs(it->time - own_time(it->num_own)) < 1e-9;
    return go(it, kSteps, kEvents, "no steps before events");
}
fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    if (((kinds*)c)->updates == 0) return failed("events without an update");
    return go(c, kEvents, kSteps, "no events before steps");
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean no_return, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* last) {
    kinds* it = c;
    const double own = own_time(it->num_own), end = time + length;
    (void)no_return;
    if (it->mode != kSteps) return failed("a step outside of step mode");
    if (!(length > 1e-12)) return failed("a step of no length");
    if (fabs(time - it->time) > 1e-9) return failed("a step from another time");
    if (it->time > own + 1e-9) return failed("its event was not passed");
    *terminate = false;
    *event = own <= end + 1e-9;
    *early = own < end - 1e-9;
    it->time = *last = *early ? own : end;
    return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference which[], size_t count, const fmi3Clock values[]) {
    kinds* it = c;
    if (it->mode != kEvents) return failed("a tick outside of event mode");
    for (size_t i = 0; i < count; ++i)
        if (which[i] == kChanging)
            it->changing = values[i];
        else if (which[i] == kCountdown)
            it->countdown = values[i];
        else if (which[i] == kTriggered)
            it->triggered = values[i];
        else
            return failed("no such clock");
    return fmi3OK;
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference which[], size_t count, fmi3Clock values[]) {
    const kinds* it = c;
    if (it->mode != kEvents) return failed("a clock outside of event mode");
    for (size_t i = 0; i < count; ++i) {
        if (which[i] != kOutput) return failed("no output clock");
        values[i] = it->is_own;
    }
    return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference which[], size_t count,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    kinds* it = c;
    if (it->mode != kStarting && it->mode != kEvents) return failed("an interval in another mode");
    for (size_t i = 0; i < count; ++i) {
        if (which[i] == kChanging) {
            intervals[i] = it->first + it->growth * it->ticks;
            qualifiers[i] = fmi3IntervalChanged;
        } else {
            intervals[i] = 0.004;
            qualifiers[i] = it->has_countdown ? fmi3IntervalChanged : fmi3IntervalNotYetKnown;
            it->has_countdown = 0;
        }
    }
    return fmi3OK;
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate, fmi3Boolean* nominals,
                                    fmi3Boolean* states, fmi3Boolean* has_next, fmi3Float64* next) {
    kinds* it = c;
    if (it->mode != kEvents) return failed("an update outside of event mode");
    *again = *terminate = *nominals = *states = false;
    *has_next = true; /* never is a time, too */
    *next = INFINITY;
    if (it->changing) {
        ++it->ticks;
        it->last = it->time;
    }
    if (it->countdown) {
        ++it->downs;
        it->down_time = it->time;
    }
    if (it->triggered) ++it->pulses;
    if (it->is_own) {
        it->sum += it->x;
        ++it->num_own;
        it->has_countdown = 1;
    }
    it->is_own = it->changing = it->countdown = it->triggered = 0;
    ++it->updates;
    return fmi3OK;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference which[], size_t count, const fmi3Float64 values[],
                          size_t num_values) {
    kinds* it = c;
    if (num_values < count) return failed("too few values");
    for (size_t i = 0; i < count; ++i) {
        if (which[i] == kFirst && it->mode == kNew)
            it->first = values[i];
        else if (which[i] == kGrowth && it->mode == kNew)
            it->growth = values[i];
        else if (which[i] == kX)
            it->x = values[i];
        else
            return failed("no such input");
    }
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference which[], size_t count, fmi3Float64 values[],
                          size_t num_values) {
    const kinds* it = c;
    if (num_values < count) return failed("too few values");
    for (size_t i = 0; i < count; ++i) {
        if (which[i] == kSum && !it->is_own) return failed("the sum without a tick of its clock");
        values[i] = which[i] == kTime       ? it->time
                    : which[i] == kSum      ? it->sum + it->x
                    : which[i] == kLast     ? it->last
                    : which[i] == kTicks    ? it->ticks
                    : which[i] == kDowns    ? it->downs
                    : which[i] == kPulses   ? it->pulses
                    : which[i] == kDownTime ? it->down_time
                                            : it->x;
    }
    return fmi3OK;
}
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
    if (*state == NULL) *state = malloc(sizeof(kinds));
    memcpy(*state, c, sizeof(kinds));
    return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
    memcpy(c, state, sizeof(kinds));
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
    *size = sizeof(kinds);
    return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
    (void)c;
    if (*state == NULL) *state = malloc(sizeof(kinds));
    memcpy(*state, bytes, size);
    return fmi3OK;
}
