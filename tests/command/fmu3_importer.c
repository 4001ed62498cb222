/* SPDX-License-Identifier: BSD-3-Clause */
/* An importer of co-simulation FMUs 3.0; it knows nothing of Ancora and is not linked with it. The variables are
 * those of fmu_importer.c, and 8 is the time.
 *
 *     fmu3_importer LIBRARY TOKEN RESOURCES SCENARIO
 *     fmu3_importer LIBRARY TOKEN RESOURCES drive START STOP STEP COUNT     STOP may be "none" */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"

#define ALL(X)                                                                                         \
    X(GetVersion) X(SetDebugLogging) X(InstantiateCoSimulation) X(FreeInstance)                        \
    X(EnterInitializationMode) X(ExitInitializationMode) X(EnterEventMode) X(EnterStepMode)            \
    X(Terminate) X(Reset) X(EnterConfigurationMode) X(ExitConfigurationMode) X(GetFloat32)             \
    X(SetFloat32) X(GetFloat64) X(SetFloat64) X(GetInt8) X(SetInt8) X(GetUInt8) X(SetUInt8) X(GetInt16) \
    X(SetInt16) X(GetUInt16) X(SetUInt16) X(GetInt32) X(SetInt32) X(GetUInt32) X(SetUInt32)            \
    X(GetInt64) X(SetInt64) X(GetUInt64) X(SetUInt64) X(GetBoolean) X(SetBoolean) X(GetString)         \
    X(SetString) X(GetBinary) X(SetBinary) X(GetClock) X(SetClock)                                     \
    X(GetNumberOfVariableDependencies) X(GetVariableDependencies) X(GetFMUState) X(SetFMUState)        \
    X(FreeFMUState) X(SerializedFMUStateSize) X(SerializeFMUState) X(DeserializeFMUState)              \
    X(GetDirectionalDerivative) X(GetAdjointDerivative) X(GetOutputDerivatives) X(DoStep)              \
    X(InstantiateModelExchange) X(InstantiateScheduledExecution) X(GetIntervalDecimal)                 \
    X(GetIntervalFraction) X(GetShiftDecimal) X(GetShiftFraction) X(SetIntervalDecimal)                \
    X(SetIntervalFraction) X(SetShiftDecimal) X(SetShiftFraction) X(EvaluateDiscreteStates)            \
    X(UpdateDiscreteStates) X(EnterContinuousTimeMode) X(CompletedIntegratorStep) X(SetTime)           \
    X(SetContinuousStates) X(GetContinuousStateDerivatives) X(GetEventIndicators)                      \
    X(GetContinuousStates) X(GetNominalsOfContinuousStates) X(GetNumberOfEventIndicators)              \
    X(GetNumberOfContinuousStates) X(ActivateModelPartition)
#define F(name) static __typeof__(fmi3##name) *name;
ALL(F)

static int faults = 0, messages = 0;
static char last_message[1024];
static const char *token, *resources;

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            ++faults;                                                              \
            printf("FAULT line %d: %s; %s\n", __LINE__, #condition, last_message); \
        }                                                                          \
    } while (0)

static void logger(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment;
    (void)status;
    (void)category;
    snprintf(last_message, sizeof last_message, "%s", message);
    ++messages;
}
static fmi3Instance instance(const char *of) {
    return InstantiateCoSimulation("x", of, resources, false, true, false, false, NULL, 0, NULL, logger, NULL);
}
static void set(fmi3Instance c, fmi3ValueReference variable, double value) {
    CHECK(SetFloat64(c, &variable, 1, &value, 1) == fmi3OK);
}
static double get(fmi3Instance c, fmi3ValueReference variable) {
    double value = -1.0;
    CHECK(GetFloat64(c, &variable, 1, &value, 1) == fmi3OK);
    return value;
}
static fmi3Status step(fmi3Instance c, double time, double length, double *last) {
    bool event = true, end = true, early = true;
    const fmi3Status status = DoStep(c, time, length, true, &event, &end, &early, last);
    CHECK(status != fmi3OK || (!event && !end && !early));
    return status;
}
static fmi3Instance begun(void) {
    const fmi3Instance c = instance(token);
    CHECK(c != NULL);
    set(c, 0, 5.0);
    CHECK(EnterInitializationMode(c, false, 0.0, 0.0, true, 0.2) == fmi3OK);
    set(c, 2, 12.0);
    CHECK(ExitInitializationMode(c) == fmi3OK);
    return c;
}
static void steps(fmi3Instance c, int from, int to, int print) {
    double last = 0.0;
    for (int i = from; i < to; ++i) {
        set(c, 2, 12.0 - 0.125 * i);
        set(c, 4, 0.25 * i);
        CHECK(step(c, 0.002 * i, 0.002, &last) == fmi3OK);
        CHECK(last == get(c, 8));
        if (print) printf("%a %a\n", get(c, 6), get(c, 7));
    }
}

static void run(void) {
    const fmi3Instance c = begun();
    steps(c, 0, 100, 1);
    CHECK(Terminate(c) == fmi3OK);
    FreeInstance(c);
}

static void state(void) {
    fmi3FMUState saved = NULL, read = NULL;
    size_t size = 0;
    fmi3Byte *bytes;
    const fmi3Instance a = begun(), b = instance(token);
    steps(a, 0, 40, 0);
    CHECK(GetFMUState(a, &saved) == fmi3OK);
    CHECK(SerializedFMUStateSize(a, saved, &size) == fmi3OK);
    bytes = malloc(size);
    CHECK(SerializeFMUState(a, saved, bytes, size) == fmi3OK);
    steps(a, 40, 100, 0);
    CHECK(DeserializeFMUState(b, bytes, size, &read) == fmi3OK);
    CHECK(SetFMUState(b, read) == fmi3OK);
    steps(b, 40, 100, 0);
    CHECK(get(a, 6) == get(b, 6) && get(a, 7) == get(b, 7));
    bytes[size / 2] ^= 1;
    CHECK(FreeFMUState(b, &read) == fmi3OK && read == NULL);
    CHECK(DeserializeFMUState(b, bytes, size, &read) == fmi3Error && read == NULL);
    CHECK(FreeFMUState(a, &saved) == fmi3OK);
    free(bytes);
    FreeInstance(a);
    FreeInstance(b);
}

enum { INSTANTIATED, INITIALIZATION, STEPS, TERMINATED };
static fmi3Status call(int which, fmi3Instance c) {
    const fmi3ValueReference input = 2, parameter = 0, output = 6, time = 8;
    double value = 1.0, last = 0.0, two[2] = {1.0, 1.0};
    float single = 0.0f;
    int32_t whole = 0;
    bool truth = false;
    size_t size = 0;
    fmi3Binary binary = NULL;
    fmi3UInt64 large = 1;
    fmi3IntervalQualifier interval = fmi3IntervalUnchanged;
    switch (which) {
    case 0: return EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0);
    case 1: return ExitInitializationMode(c);
    case 2: return step(c, 0.0, 0.001, &last);
    case 3: return Terminate(c);
    case 4: return GetFloat64(c, &output, 1, &value, 1);
    case 5: return SetFloat64(c, &input, 1, &value, 1);
    case 6: return SetFloat64(c, &parameter, 1, &value, 1);
    case 7: return GetFloat64(c, &time, 1, &value, 1);
    /* wrong in every state */
    case 8: return SetFloat64(c, &output, 1, &value, 1);
    case 9: return SetFloat64(c, &time, 1, &value, 1);
    case 10: return SetFloat64(c, &input, 1, two, 2);
    case 11: return GetFloat32(c, &input, 1, &single, 1);
    case 12: return SetInt32(c, &input, 1, &whole, 1);
    case 13: return GetBoolean(c, &input, 1, &truth, 1);
    case 14: return GetClock(c, &input, 1, &truth);
    case 15: return EnterEventMode(c);
    case 16: return EnterStepMode(c);
    case 17: return EnterConfigurationMode(c);
    case 18: return DoStep(c, 0.0, 0.001, true, NULL, NULL, NULL, NULL);
    case 19: return ExitConfigurationMode(c);
    case 20: return GetBinary(c, &input, 1, &size, &binary, 1);
    case 21: return SetBinary(c, &input, 1, &size, &binary, 1);
    case 22: return SetClock(c, &input, 1, &truth);
    /* of interfaces and modes that are not offered */
    case 23: return GetIntervalDecimal(c, &input, 1, &value, &interval);
    case 24: return GetIntervalFraction(c, &input, 1, &large, &large, &interval);
    case 25: return GetShiftDecimal(c, &input, 1, &value);
    case 26: return GetShiftFraction(c, &input, 1, &large, &large);
    case 27: return SetIntervalDecimal(c, &input, 1, &value);
    case 28: return SetIntervalFraction(c, &input, 1, &large, &large);
    case 29: return SetShiftDecimal(c, &input, 1, &value);
    case 30: return SetShiftFraction(c, &input, 1, &large, &large);
    case 31: return EvaluateDiscreteStates(c);
    case 32: return UpdateDiscreteStates(c, &truth, &truth, &truth, &truth, &truth, &value);
    case 33: return EnterContinuousTimeMode(c);
    case 34: return CompletedIntegratorStep(c, true, &truth, &truth);
    case 35: return SetTime(c, 1.0);
    case 36: return SetContinuousStates(c, &value, 1);
    case 37: return GetContinuousStateDerivatives(c, &value, 1);
    case 38: return GetEventIndicators(c, &value, 1);
    case 39: return GetContinuousStates(c, &value, 1);
    case 40: return GetNominalsOfContinuousStates(c, &value, 1);
    case 41: return GetNumberOfEventIndicators(c, &size);
    case 42: return GetNumberOfContinuousStates(c, &size);
    case 43: return ActivateModelPartition(c, input, 0.0);
    case 44: return GetNumberOfVariableDependencies(c, output, &size);
    case 45: return GetVariableDependencies(c, output, &size, NULL, NULL, NULL, 1);
    case 46: return GetDirectionalDerivative(c, &output, 1, &input, 1, &value, 1, &value, 1);
    case 47: return GetAdjointDerivative(c, &output, 1, &input, 1, &value, 1, &value, 1);
    case 48: return GetOutputDerivatives(c, &output, 1, &whole, &value, 1);
    default: return step(c, 0.0, 0.0003, &last);
    }
}
static void order(void) {
    static const int allowed[8][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 1, 0},
                                      {0, 1, 1, 1}, {1, 1, 1, 0}, {1, 1, 0, 0}, {0, 1, 1, 1}};
    double last = 0.0;
    for (int which = 0; which < 50; ++which)
        for (int phase = INSTANTIATED; phase <= TERMINATED; ++phase) {
            const fmi3Instance c = instance(token);
            const int is_allowed = which < 8 && allowed[which][phase];
            if (phase >= INITIALIZATION) CHECK(EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0) == fmi3OK);
            if (phase >= STEPS) CHECK(ExitInitializationMode(c) == fmi3OK);
            if (phase >= TERMINATED) CHECK(Terminate(c) == fmi3OK);
            const int so_far = messages;
            const fmi3Status status = call(which, c);
            if ((status == fmi3OK) != is_allowed || (status != fmi3OK && status != fmi3Error)) {
                ++faults;
                printf("FAULT: call %d in state %d gives %d; %s\n", which, phase, (int)status, last_message);
            }
            if (!is_allowed) {
                CHECK(messages > so_far);
                CHECK(step(c, 0.0, 0.001, &last) == fmi3Error);
                CHECK(Reset(c) == fmi3OK);
                CHECK(EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0) == fmi3OK);
            }
            FreeInstance(c);
        }
    /* none of what there is none of may be asked for */
    const fmi3Instance empty = begun();
    CHECK(GetFloat32(empty, NULL, 0, NULL, 0) == fmi3OK && SetFloat32(empty, NULL, 0, NULL, 0) == fmi3OK);
    CHECK(GetInt32(empty, NULL, 0, NULL, 0) == fmi3OK && SetInt32(empty, NULL, 0, NULL, 0) == fmi3OK);
    CHECK(GetBinary(empty, NULL, 0, NULL, NULL, 0) == fmi3OK && SetBinary(empty, NULL, 0, NULL, NULL, 0) == fmi3OK);
    CHECK(GetIntervalDecimal(empty, NULL, 0, NULL, NULL) == fmi3OK);
    CHECK(GetShiftFraction(empty, NULL, 0, NULL, NULL) == fmi3OK && SetShiftDecimal(empty, NULL, 0, NULL) == fmi3OK);
    CHECK(GetClock(empty, NULL, 0, NULL) == fmi3OK && SetClock(empty, NULL, 0, NULL) == fmi3OK);
    FreeInstance(empty);

    int before = messages;
    CHECK(InstantiateModelExchange("x", token, resources, false, true, NULL, logger) == NULL);
    CHECK(messages == before + 1 && strstr(last_message, "co-simulation") != NULL);
    before = messages;
    CHECK(InstantiateScheduledExecution("x", token, resources, false, true, NULL, logger, NULL, NULL, NULL) == NULL);
    CHECK(messages == before + 1 && strstr(last_message, "co-simulation") != NULL);

    CHECK(instance("{another}") == NULL);
    CHECK(strstr(last_message, "token") != NULL);
    CHECK(InstantiateCoSimulation(NULL, token, resources, false, true, false, false, NULL, 0, NULL, logger, NULL) == NULL);
    CHECK(InstantiateCoSimulation("x", token, NULL, false, true, false, false, NULL, 0, NULL, NULL, NULL) == NULL);
    FreeInstance(NULL);
    CHECK(Reset(NULL) == fmi3Error);
}

/* A master that adds: the time that it has differs from that of the steps by the rounding of all sums. */
static void drive(double start, bool has_stop, double stop, double length, long count) {
    double time = start, now = 0.0, value = 0.0;
    const fmi3ValueReference first = 0;
    long i = 0;
    fmi3Status status = fmi3OK;
    const fmi3Instance c = instance(token);
    CHECK(c != NULL);
    if (EnterInitializationMode(c, false, 0.0, start, has_stop, stop) != fmi3OK ||
        ExitInitializationMode(c) != fmi3OK) {
        printf("begin %s\n", last_message);
        FreeInstance(c);
        return;
    }
    last_message[0] = 0;
    for (; i < count && status == fmi3OK; ++i, time += length) status = step(c, time, length, &now);
    if (status != fmi3OK) --i;
    if (status != fmi3Error) CHECK(GetFloat64(c, &first, 1, &value, 1) == fmi3OK);
    printf("%d %ld %a %a\n%s\n", (int)status, i, now, value, last_message);
    FreeInstance(c);
}

/* Gravity and velocity by components, a parameter each. */
static void vectors(void) {
    const double values[6] = {0.5, 1.0, -1.625, 3.0, -2.0, 1.0};
    double last = 0.0;
    const fmi3Instance c = instance(token);
    for (fmi3ValueReference i = 0; i < 6; ++i) set(c, i, values[i]);
    CHECK(EnterInitializationMode(c, false, 0.0, 0.0, true, 1.0) == fmi3OK);
    CHECK(ExitInitializationMode(c) == fmi3OK);
    CHECK(step(c, 0.0, 1.0, &last) == fmi3OK);
    for (fmi3ValueReference i = 7; i < 10; ++i) printf("%a\n", get(c, i));
    FreeInstance(c);
}

int main(int argc, char **argv) {
    if (argc != 5 && argc != 9) return 99;
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        return 98;
    }
    token = argv[2];
    resources = argv[3];
#define LOOK_UP(name)                                 \
    *(void **)(&name) = dlsym(library, "fmi3" #name); \
    if (name == NULL) {                               \
        puts("FAULT: fmi3" #name " is missing");      \
        return 97;                                    \
    }
    ALL(LOOK_UP)
    CHECK(strcmp(GetVersion(), "3.0") == 0);
    if (strcmp(argv[4], "run") == 0) run();
    if (strcmp(argv[4], "state") == 0) state();
    if (strcmp(argv[4], "order") == 0) order();
    if (strcmp(argv[4], "vectors") == 0) vectors();
    if (argc == 9)
        drive(atof(argv[5]), strcmp(argv[6], "none") != 0, atof(argv[6]), atof(argv[7]), atol(argv[8]));
    return faults > 90 ? 90 : faults;
}
