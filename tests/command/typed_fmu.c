/* SPDX-License-Identifier: BSD-3-Clause */
/* A co-simulation FMU 3.0 with a variable of every type that is a number, and arrays whose size is a
 * parameter. What is put into an input comes out of the output beside it; y = A u; sum is that of u. */
#include "fmi3Functions.h"

#include <stdlib.h>
#include <string.h>

enum { kTime = 0, kSize = 1, kMatrix = 2, kVector = 3, kProduct = 4, kSum = 5, kSteps = 6, kInput = 10, kOutput = 30 };
enum { kMost = 5 };

typedef struct {
    int is_configuring;
    uint64_t n;
    double time, a[kMost * kMost], u[kMost];
    int32_t steps;
    /* by type, in the order of the functions below */
    unsigned char held[12][8];
} typed;

static fmi3InstanceEnvironment environment;
static fmi3LogMessageCallback log_message;

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
    typed* it = calloc(1, sizeof *it);
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)events, (void)early;
    (void)which, (void)count, (void)update;
    environment = of;
    log_message = logger;
    it->n = 3;
    it->steps = 100;
    for (int i = 0; i < 3; ++i) it->a[4 * i] = 1.0, it->u[i] = i + 1.0;
    return it;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
    ((typed*)c)->is_configuring = 1;
    return fmi3OK;
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
    ((typed*)c)->is_configuring = 0;
    return fmi3OK;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean has_stop, fmi3Float64 stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((typed*)c)->time = start;
    return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return c != NULL ? fmi3OK : fmi3Error; }
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean no_return, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* last) {
    typed* it = c;
    (void)no_return;
    *event = *early = false;
    it->time = *last = time + length;
    *terminate = ++it->steps >= 1000;
    return fmi3OK;
}

/* Scalars: one value for each reference. */
#define SCALARS(Name, place, extra_set, extra_get)                                                               \
    fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference which[], size_t count,                      \
                             const fmi3##Name values[], size_t num_values) {                                      \
        typed* it = c;                                                                                            \
        for (size_t i = 0, at = 0; i < count; ++i) {                                                              \
            if (which[i] == kInput + place) {                                                                     \
                memcpy(it->held[place], &values[at++], sizeof *values);                                           \
                continue;                                                                                         \
            }                                                                                                     \
            extra_set return failed("fmi3Set" #Name " of another variable");                                      \
        }                                                                                                         \
        return num_values >= count ? fmi3OK : failed("too few values");                                           \
    }                                                                                                             \
    fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference which[], size_t count, fmi3##Name values[], \
                             size_t num_values) {                                                                 \
        typed* it = c;                                                                                            \
        for (size_t i = 0, at = 0; i < count; ++i) {                                                              \
            if (which[i] == kInput + place || which[i] == kOutput + place) {                                      \
                memcpy(&values[at++], it->held[place], sizeof *values);                                           \
                continue;                                                                                         \
            }                                                                                                     \
            extra_get return failed("fmi3Get" #Name " of another variable");                                      \
        }                                                                                                         \
        return num_values >= count ? fmi3OK : failed("too few values");                                           \
    }
static double sum_of(const typed* it) {
    double sum = 0.0;
    for (size_t k = 0; k < it->n; ++k) sum += it->u[k];
    return sum;
}
#define SET_ARRAYS                                                                                             \
    if (which[i] == kMatrix || which[i] == kVector) {                                                          \
        const size_t size = which[i] == kMatrix ? it->n * it->n : it->n;                                       \
        if (at + size > num_values) return failed("an array is short");                                        \
        memcpy(which[i] == kMatrix ? it->a : it->u, values + at, size * sizeof *values);                       \
        at += size;                                                                                            \
        continue;                                                                                              \
    }
#define GET_ARRAYS                                                                                             \
    if (which[i] == kTime) {                                                                                   \
        values[at++] = it->time;                                                                               \
        continue;                                                                                              \
    }                                                                                                          \
    if (which[i] == kMatrix || which[i] == kVector) {                                                          \
        const size_t size = which[i] == kMatrix ? it->n * it->n : it->n;                                       \
        memcpy(values + at, which[i] == kMatrix ? it->a : it->u, size * sizeof *values);                       \
        at += size;                                                                                            \
        continue;                                                                                              \
    }                                                                                                          \
    if (which[i] == kProduct) {                                                                                \
        for (size_t r = 0; r < it->n; ++r) {                                                                   \
            double y = 0.0;                                                                                    \
            for (size_t k = 0; k < it->n; ++k) y += it->a[r * it->n + k] * it->u[k];                           \
            values[at++] = y;                                                                                  \
        }                                                                                                      \
        continue;                                                                                              \
    }
#define SET_SIZE                                                             \
    if (which[i] == kSize) {                                                 \
        if (!it->is_configuring) return failed("n outside of its mode");     \
        if (values[at] > kMost) return failed("n is too large");             \
        it->n = values[at++];                                                \
        memset(it->a, 0, sizeof it->a);                                      \
        memset(it->u, 0, sizeof it->u);                                      \
        continue;                                                            \
    }
#define GET_SIZE                  \
    if (which[i] == kSize) {      \
        values[at++] = it->n;     \
        continue;                 \
    }
#define SET_STEPS                   \
    if (which[i] == kSteps) {       \
        it->steps = values[at++];   \
        continue;                   \
    }
#define GET_STEPS                   \
    if (which[i] == kSteps) {       \
        values[at++] = it->steps;   \
        continue;                   \
    }
#define GET_SUM                                 \
    if (which[i] == kSum) {                     \
        values[at++] = (float)sum_of(it);       \
        continue;                               \
    }
SCALARS(Float64, 0, SET_ARRAYS, GET_ARRAYS)
SCALARS(Float32, 1, , GET_SUM)
SCALARS(Int8, 2, , )
SCALARS(UInt8, 3, , )
SCALARS(Int16, 4, , )
SCALARS(UInt16, 5, , )
SCALARS(Int32, 6, SET_STEPS, GET_STEPS)
SCALARS(UInt32, 7, , )
SCALARS(Int64, 8, , )
SCALARS(UInt64, 9, SET_SIZE, GET_SIZE)
SCALARS(Boolean, 10, , )

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) {
    if (*state == NULL) *state = malloc(sizeof(typed));
    memcpy(*state, c, sizeof(typed));
    return fmi3OK;
}
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
    memcpy(c, state, sizeof(typed));
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
    *size = sizeof(typed);
    return fmi3OK;
}
fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    (void)c;
    memcpy(bytes, state, size);
    return fmi3OK;
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
    (void)c;
    *state = malloc(sizeof(typed));
    memcpy(*state, bytes, size);
    return fmi3OK;
}
