/* SPDX-License-Identifier: BSD-3-Clause */
/* A model-exchange FMU 2.0: a ball that bounces where its height is below zero and falls, as an importer finds it in
 * event mode; a kick upwards at t = 1 s, a time event; a lamp that goes on at each bounce and off 0.05 s later, a time
 * event that a crossing calls for; weight that a truth value takes away, read at events alone; and a count of completed
 * steps. A call out of its mode is an error. */
#include "fmi2Functions.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double t, h, v, e, steps, until, lit, late;
    int mode, is_off, is_weightless, has_kicked, has_updated;
} ball;
enum { kHeight = 1, kVelocity = 2, kRestitution = 5, kSteps = 6, kOff = 7, kLit = 8, kLate = 9 };
enum { kBefore, kEvent, kContinuous };
static const double kGravity = 9.81;

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    ball* it;
    (void)name, (void)resources, (void)callbacks, (void)visible, (void)logging;
    if (type != fmi2ModelExchange || strcmp(guid, "{ball}") != 0) return NULL;
    it = calloc(1, sizeof *it);
    it->h = 1.0;
    it->e = 0.5;
    return it;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((ball*)c)->t = start;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c != NULL ? fmi2OK : fmi2Error; }
static fmi2Status go(fmi2Component c, int from, int to) {
    ball* it = c;
    if (it->mode != from) return fmi2Error;
    it->mode = to;
    it->has_updated = 0;
    return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return go(c, kBefore, kEvent); }
fmi2Status fmi2EnterEventMode(fmi2Component c) { return go(c, kContinuous, kEvent); }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    return ((ball*)c)->has_updated ? go(c, kEvent, kContinuous) : fmi2Error;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
    ball* it = c;
    memset(info, 0, sizeof *info);
    if (it->mode != kEvent) return fmi2Error;
    if (!it->has_updated) {
        /* once more, as an FMU with an iteration of its own */
        it->has_updated = 1;
        info->newDiscreteStatesNeeded = fmi2True;
        return fmi2OK;
    }
    it->is_weightless = it->is_off;
    if (it->h < 0.0 && it->v < 0.0) {
        it->v = -it->e * it->v;
        it->until = it->t + 0.05;
        info->valuesOfContinuousStatesChanged = fmi2True;
    }
    if (it->until > 0.0 && it->t >= it->until) {
        it->lit += 1.0;
        if (it->t - it->until > it->late) it->late = it->t - it->until;
        it->until = 0.0;
    }
    if (!it->has_kicked && it->t >= 1.0) {
        it->has_kicked = 1;
        it->v += 2.0;
        info->valuesOfContinuousStatesChanged = fmi2True;
    }
    info->nextEventTimeDefined = !it->has_kicked || it->until > 0.0;
    info->nextEventTime = !it->has_kicked && !(it->until > 0.0 && it->until < 1.0) ? 1.0 : it->until;
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_return, fmi2Boolean* enter, fmi2Boolean* end) {
    (void)no_return;
    *enter = *end = fmi2False;
    ((ball*)c)->steps += 1.0;
    return ((ball*)c)->mode == kContinuous ? fmi2OK : fmi2Error;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
    ((ball*)c)->t = t;
    return ((ball*)c)->mode != kBefore ? fmi2OK : fmi2Error;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t count) {
    ball* it = c;
    if (it->mode != kContinuous || count != 2) return fmi2Error;
    it->h = x[0], it->v = x[1];
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t count) {
    if (count != 2) return fmi2Error;
    x[0] = ((ball*)c)->h, x[1] = ((ball*)c)->v;
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[], size_t count) {
    if (count != 2) return fmi2Error;
    dx[0] = ((ball*)c)->v, dx[1] = ((ball*)c)->is_weightless ? 0.0 : -kGravity;
    return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t count) {
    if (count != 1) return fmi2Error;
    z[0] = ((ball*)c)->h;
    return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* which, size_t count, const fmi2Real* values) {
    size_t i;
    for (i = 0; i < count; ++i) {
        if (which[i] != kRestitution) return fmi2Error;
        ((ball*)c)->e = values[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* which, size_t count, fmi2Real* values) {
    ball* it = c;
    size_t i;
    for (i = 0; i < count; ++i)
        switch (which[i]) {
            case kHeight: values[i] = it->h; break;
            case kSteps: values[i] = it->steps; break;
            case kLit: values[i] = it->lit; break;
            case kLate: values[i] = it->late; break;
            default: values[i] = it->v;
        }
    return fmi2OK;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference* which, size_t count, const fmi2Boolean* values) {
    (void)which;
    if (count > 0) ((ball*)c)->is_off = values[count - 1];
    return ((ball*)c)->mode != kContinuous ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference* which, size_t count, fmi2Boolean* values) {
    size_t i;
    (void)which;
    for (i = 0; i < count; ++i) values[i] = ((ball*)c)->is_off;
    return fmi2OK;
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
    *state = malloc(sizeof(ball));
    memcpy(*state, c, sizeof(ball));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(c, state, sizeof(ball));
    return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
    (void)c, (void)state;
    *size = sizeof(ball);
    return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* bytes, size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, size_t size, fmi2FMUstate* state) {
    (void)c;
    *state = calloc(1, sizeof(ball));
    memcpy(*state, bytes, size);
    return fmi2OK;
}
