/* SPDX-License-Identifier: BSD-3-Clause */
/* A co-simulation FMU 2.0 that integrates its input, x' = gain u, while it is on; beyond 100 it reports an error.
 * `twice` is 2 n of a whole number n. */
#include "fmi2Functions.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double gain, u, x;
    int n, is_off;
    fmi2CallbackFunctions callbacks;
} tiny;
enum { kGain = 1, kInput = 2, kOutput = 3, kWhole = 4, kTwice = 5, kOff = 6 };

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    tiny* it;
    (void)name, (void)resources, (void)visible, (void)logging;
    if (type != fmi2CoSimulation || strcmp(guid, "{tiny}") != 0) {
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "error", "no guid of %s", "mine");
        return NULL;
    }
    it = calloc(1, sizeof *it);
    it->gain = 1.0;
    it->callbacks = *callbacks;
    return it;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
    (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c != NULL ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c != NULL ? fmi2OK : fmi2Error; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* which, size_t count, const fmi2Real* values) {
    tiny* it = c;
    size_t i;
    for (i = 0; i < count; ++i) {
        if (which[i] == kGain) it->gain = values[i];
        if (which[i] == kInput) it->u = values[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* which, size_t count, fmi2Real* values) {
    tiny* it = c;
    size_t i;
    for (i = 0; i < count; ++i) values[i] = which[i] == kOutput ? it->x : which[i] == kGain ? it->gain : it->u;
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference* which, size_t count, const fmi2Integer* values) {
    size_t i;
    for (i = 0; i < count; ++i)
        if (which[i] == kWhole) ((tiny*)c)->n = values[i];
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference* which, size_t count, fmi2Integer* values) {
    size_t i;
    for (i = 0; i < count; ++i) values[i] = ((tiny*)c)->n * (which[i] == kTwice ? 2 : 1);
    return fmi2OK;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference* which, size_t count, const fmi2Boolean* values) {
    (void)which;
    if (count > 0) ((tiny*)c)->is_off = values[count - 1];
    return fmi2OK;
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference* which, size_t count, fmi2Boolean* values) {
    size_t i;
    (void)which;
    for (i = 0; i < count; ++i) values[i] = ((tiny*)c)->is_off;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean no_return) {
    tiny* it = c;
    (void)time, (void)no_return;
    if (!it->is_off) it->x += length * it->gain * it->u;
    if (it->x <= 100.0) return fmi2OK;
    it->callbacks.logger(it->callbacks.componentEnvironment, "tiny", fmi2Error, "error", "x is %g", it->x);
    return fmi2Error;
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
    *state = malloc(sizeof(tiny));
    memcpy(*state, c, sizeof(tiny));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    tiny *it = c, *from = state;
    it->gain = from->gain, it->u = from->u, it->x = from->x, it->n = from->n, it->is_off = from->is_off;
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
    *size = offsetof(tiny, callbacks);
    return fmi2OK;
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* bytes, size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return fmi2OK;
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, size_t size, fmi2FMUstate* state) {
    (void)c;
    *state = calloc(1, sizeof(tiny));
    memcpy(*state, bytes, size);
    return fmi2OK;
}
