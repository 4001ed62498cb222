/* SPDX-License-Identifier: BSD-3-Clause */
/* An importer of co-simulation FMUs 2.0, written against the standard's state machine; it knows nothing of
 * Ancora and is not linked with it.
 *
 *     fmu_importer LIBRARY GUID RESOURCES SCENARIO
 *     fmu_importer LIBRARY GUID RESOURCES drive START STOP STEP COUNT     STOP may be "none"
 *
 * Variables, by the description: 0 parameter mass, 1 parameter step, 2 input voltage, 3 to 5 input force,
 * 6, 7 outputs. Prints what the scenario asks for; ends with the number of faults. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

#define F(name) static __typeof__(fmi2##name) *name;
#define ALL(X)                                                                                     \
    X(GetTypesPlatform) X(GetVersion) X(SetDebugLogging) X(Instantiate) X(FreeInstance)            \
    X(SetupExperiment) X(EnterInitializationMode) X(ExitInitializationMode) X(Terminate) X(Reset)  \
    X(GetReal) X(GetInteger) X(GetBoolean) X(GetString) X(SetReal) X(SetInteger) X(SetBoolean)     \
    X(SetString) X(GetFMUstate) X(SetFMUstate) X(FreeFMUstate) X(SerializedFMUstateSize)           \
    X(SerializeFMUstate) X(DeSerializeFMUstate) X(GetDirectionalDerivative)                        \
    X(SetRealInputDerivatives) X(GetRealOutputDerivatives) X(DoStep) X(CancelStep) X(GetStatus)    \
    X(GetRealStatus) X(GetIntegerStatus) X(GetBooleanStatus) X(GetStringStatus)                    \
    X(EnterEventMode) X(NewDiscreteStates) X(EnterContinuousTimeMode) X(CompletedIntegratorStep)   \
    X(SetTime) X(SetContinuousStates) X(GetDerivatives) X(GetEventIndicators)                      \
    X(GetContinuousStates) X(GetNominalsOfContinuousStates)
ALL(F)

static int faults = 0;
static char last_message[1024], last_format[1024];
static int messages = 0;

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            ++faults;                                                             \
            printf("FAULT line %d: %s; %s\n", __LINE__, #condition, last_message); \
        }                                                                         \
    } while (0)

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...) {
    va_list arguments;
    (void)environment;
    (void)name;
    (void)status;
    (void)category;
    snprintf(last_format, sizeof last_format, "%s", message);
    va_start(arguments, message);
    vsnprintf(last_message, sizeof last_message, message, arguments);
    va_end(arguments);
    ++messages;
}

static fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
static const char *guid, *resources;

static fmi2Component instance(const char *name) {
    return Instantiate(name, fmi2CoSimulation, guid, resources, &callbacks, fmi2False, fmi2True);
}
static void set(fmi2Component c, fmi2ValueReference variable, double value) {
    CHECK(SetReal(c, &variable, 1, &value) == fmi2OK);
}
static double get(fmi2Component c, fmi2ValueReference variable) {
    double value = -1.0;
    CHECK(GetReal(c, &variable, 1, &value) == fmi2OK);
    return value;
}
static fmi2Component begun(const char *name) {
    const fmi2Component c = instance(name);
    CHECK(c != NULL);
    CHECK(SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2True, 0.2) == fmi2OK);
    set(c, 0, 5.0);
    CHECK(EnterInitializationMode(c) == fmi2OK);
    set(c, 2, 12.0);
    CHECK(get(c, 6) == 0.0);
    CHECK(get(c, 2) == 12.0);
    CHECK(ExitInitializationMode(c) == fmi2OK);
    return c;
}
/* Communication steps of 2 ms, two of the model's. */
static void steps(fmi2Component c, int from, int to, int print) {
    for (int i = from; i < to; ++i) {
        set(c, 2, 12.0 - 0.125 * i);
        set(c, 4, 0.25 * i);
        CHECK(DoStep(c, 0.002 * i, 0.002, fmi2True) == fmi2OK);
        if (print) printf("%a %a\n", get(c, 6), get(c, 7));
    }
}

static void run(void) {
    const fmi2Component c = begun("run");
    double time = 0.0;
    fmi2Boolean ended = fmi2True;
    fmi2Status status = fmi2OK;
    steps(c, 0, 100, 1);
    CHECK(GetRealStatus(c, fmi2LastSuccessfulTime, &time) == fmi2OK);
    CHECK(fabs(time - 0.2) < 1e-12);
    CHECK(GetBooleanStatus(c, fmi2Terminated, &ended) == fmi2OK && ended == fmi2False);
    CHECK(GetStatus(c, fmi2DoStepStatus, &status) == fmi2Discard);
    CHECK(Terminate(c) == fmi2OK);
    CHECK(get(c, 6) > 0.0); /* outputs may be read behind the end */
    FreeInstance(c);
}

static void state(void) {
    fmi2FMUstate saved = NULL, read = NULL;
    size_t size = 0;
    double first[2], second[2], third[2], fourth[2];
    char *bytes;
    const fmi2Component a = begun("a");
    steps(a, 0, 40, 0);
    CHECK(GetFMUstate(a, &saved) == fmi2OK);
    steps(a, 40, 100, 0);
    first[0] = get(a, 6), first[1] = get(a, 7);
    CHECK(SetFMUstate(a, saved) == fmi2OK);
    steps(a, 40, 100, 0);
    second[0] = get(a, 6), second[1] = get(a, 7);
    CHECK(memcmp(first, second, sizeof first) == 0);

    CHECK(SerializedFMUstateSize(a, saved, &size) == fmi2OK);
    bytes = malloc(size);
    CHECK(SerializeFMUstate(a, saved, bytes, size) == fmi2OK);
    CHECK(FreeFMUstate(a, &saved) == fmi2OK && saved == NULL);

    /* in an instance that has not begun: parameters, phase and all come with the state */
    const fmi2Component b = instance("b");
    CHECK(DeSerializeFMUstate(b, bytes, size, &read) == fmi2OK);
    CHECK(SetFMUstate(b, read) == fmi2OK);
    CHECK(get(b, 0) == 5.0);
    steps(b, 40, 100, 0);
    third[0] = get(b, 6), third[1] = get(b, 7);
    CHECK(memcmp(first, third, sizeof first) == 0);
    /* and back to where it was */
    CHECK(SetFMUstate(b, read) == fmi2OK);
    steps(b, 40, 100, 0);
    fourth[0] = get(b, 6), fourth[1] = get(b, 7);
    CHECK(memcmp(first, fourth, sizeof first) == 0);
    CHECK(FreeFMUstate(b, &read) == fmi2OK);

    /* before the beginning, too */
    CHECK(Reset(b) == fmi2OK);
    CHECK(GetFMUstate(b, &saved) == fmi2OK);
    CHECK(SetupExperiment(b, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
    CHECK(EnterInitializationMode(b) == fmi2OK);
    CHECK(SetFMUstate(b, saved) == fmi2OK);
    CHECK(SetupExperiment(b, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
    CHECK(FreeFMUstate(b, &saved) == fmi2OK);

    /* bytes that are cut or damaged are refused, wherever that is */
    srand(3);
    for (int i = 0; i < 300; ++i) {
        const size_t at = (size_t)rand() % size;
        const char before = bytes[at];
        const size_t cut = i % 3 == 0 ? (size_t)rand() % size : size;
        bytes[at] = (char)(bytes[at] ^ (1 << rand() % 8));
        read = NULL;
        CHECK(DeSerializeFMUstate(b, bytes, cut, &read) == fmi2Error && read == NULL);
        CHECK(Reset(b) == fmi2OK);
        bytes[at] = before;
    }
    CHECK(DeSerializeFMUstate(b, bytes, 0, &read) == fmi2Error);
    free(bytes);
    FreeInstance(a);
    FreeInstance(b);
}

static void two(void) {
    const fmi2Component a = begun("a"), b = begun("b");
    for (int i = 0; i < 100; ++i) {
        steps(a, i, i + 1, 0);
        steps(b, i, i + 1, 0);
    }
    CHECK(get(a, 6) == get(b, 6));
    /* the same instance again, from its start */
    CHECK(Reset(a) == fmi2OK);
    CHECK(SetupExperiment(a, fmi2False, 0.0, 0.0, fmi2True, 0.2) == fmi2OK);
    set(a, 0, 5.0);
    CHECK(EnterInitializationMode(a) == fmi2OK);
    CHECK(ExitInitializationMode(a) == fmi2OK);
    steps(a, 0, 100, 0);
    CHECK(get(a, 6) == get(b, 6));
    FreeInstance(a);
    FreeInstance(b);
}

/* What the standard forbids in a state is an error with a message, after which only a reset helps. */
enum { INSTANTIATED, INITIALIZATION, STEPS, TERMINATED };
static fmi2Component in_state(int phase) {
    const fmi2Component c = instance("order");
    if (phase >= INITIALIZATION) {
        CHECK(SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
        CHECK(EnterInitializationMode(c) == fmi2OK);
    }
    if (phase >= STEPS) CHECK(ExitInitializationMode(c) == fmi2OK);
    if (phase >= TERMINATED) CHECK(Terminate(c) == fmi2OK);
    return c;
}
static fmi2Status call(int which, fmi2Component c) {
    const fmi2ValueReference input = 2, parameter = 0, output = 6, nothing = 1000000, step = 1, clock = 8;
    double value = 1.0;
    const double not_finite = NAN;
    int number = 0;
    fmi2String text = NULL;
    switch (which) {
    case 0: return SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0);
    case 1: return EnterInitializationMode(c);
    case 2: return ExitInitializationMode(c);
    case 3: return DoStep(c, 0.0, 0.001, fmi2True);
    case 4: return Terminate(c);
    case 5: return GetReal(c, &output, 1, &value);
    case 6: return SetReal(c, &input, 1, &value);
    case 7: return SetReal(c, &parameter, 1, &value);
    case 8: return CancelStep(c);
    case 9: return GetRealStatus(c, fmi2LastSuccessfulTime, &value);
    /* from here on wrong in every state */
    case 10: return SetReal(c, &output, 1, &value);
    case 11: return SetReal(c, &nothing, 1, &value);
    case 12: return GetReal(c, &nothing, 1, &value);
    case 13: return SetReal(c, &input, 1, &not_finite);
    case 14: return GetInteger(c, &input, 1, &number);
    case 15: return GetBoolean(c, &input, 1, &number);
    case 16: return GetString(c, &input, 1, &text);
    case 17: return SetReal(c, NULL, 1, &value);
    case 18: return SetReal(c, &input, (size_t)-1, &value);
    case 19: return DoStep(c, 0.0, 0.0005, fmi2True);
    case 20: return DoStep(c, 0.5, 0.001, fmi2True);
    case 21: return DoStep(c, 0.0, -0.001, fmi2True);
    case 22: return DoStep(c, 0.0, NAN, fmi2True);
    case 23: return GetDirectionalDerivative(c, &output, 1, &input, 1, &value, &value);
    case 24: return SetRealInputDerivatives(c, &input, 1, &number, &value);
    case 25: return SetFMUstate(c, NULL);
    case 26: return GetFMUstate(c, NULL);
    /* those of model exchange */
    case 27: return EnterEventMode(c);
    case 28: return NewDiscreteStates(c, NULL);
    case 29: return EnterContinuousTimeMode(c);
    case 30: return CompletedIntegratorStep(c, fmi2True, &number, &number);
    case 31: return SetTime(c, 1.0);
    case 32: return SetContinuousStates(c, &value, 1);
    case 33: return GetDerivatives(c, &value, 1);
    case 34: return GetEventIndicators(c, &value, 1);
    case 35: return GetContinuousStates(c, &value, 1);
    case 36: return GetNominalsOfContinuousStates(c, &value, 1);
    case 37: return SetInteger(c, &input, 1, &number);
    case 38: return SetReal(c, &clock, 1, &value);
    default: return SetupExperiment(c, fmi2False, 0.0, (double)step, fmi2True, 0.5);
    }
}
static void order(void) {
    /* what is allowed: by the table of section 4.2.4 of the standard */
    static const int allowed[10][4] = {
        /* SetupExperiment */ {1, 0, 0, 0}, /* EnterInitialization; after SetupExperiment alone */ {0, 0, 0, 0},
        /* ExitInitialization */ {0, 1, 0, 0}, /* DoStep */ {0, 0, 1, 0}, /* Terminate */ {0, 0, 1, 0},
        /* GetReal */ {0, 1, 1, 1}, /* SetReal, input */ {1, 1, 1, 0}, /* SetReal, fixed */ {1, 1, 0, 0},
        /* CancelStep */ {0, 0, 0, 0}, /* GetRealStatus */ {0, 0, 1, 1}};
    for (int which = 0; which < 40; ++which)
        for (int phase = INSTANTIATED; phase <= TERMINATED; ++phase) {
            const fmi2Component c = in_state(phase);
            const int is_allowed = which < 10 && allowed[which][phase];
            const int before = messages;
            const fmi2Status status = call(which, c);
            if ((status == fmi2OK) != is_allowed || (status != fmi2OK && status != fmi2Error)) {
                ++faults;
                printf("FAULT: call %d in state %d gives %d; %s\n", which, phase, (int)status, last_message);
            }
            if (!is_allowed) {
                CHECK(messages > before);
                CHECK(DoStep(c, 0.0, 0.001, fmi2True) == fmi2Error);
                CHECK(Reset(c) == fmi2OK);
                CHECK(SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
                CHECK(EnterInitializationMode(c) == fmi2OK);
                CHECK(ExitInitializationMode(c) == fmi2OK);
                CHECK(DoStep(c, 0.0, 0.001, fmi2True) == fmi2OK);
            }
            FreeInstance(c);
        }

    /* none of what there is none of may be asked for */
    const fmi2Component empty = in_state(STEPS);
    CHECK(GetInteger(empty, NULL, 0, NULL) == fmi2OK && SetInteger(empty, NULL, 0, NULL) == fmi2OK);
    CHECK(GetBoolean(empty, NULL, 0, NULL) == fmi2OK && SetBoolean(empty, NULL, 0, NULL) == fmi2OK);
    CHECK(GetString(empty, NULL, 0, NULL) == fmi2OK && SetString(empty, NULL, 0, NULL) == fmi2OK);
    FreeInstance(empty);

    /* instances that cannot be */
    CHECK(Instantiate("x", fmi2ModelExchange, guid, resources, &callbacks, fmi2False, fmi2True) == NULL);
    CHECK(Instantiate("x", fmi2CoSimulation, "{another}", resources, &callbacks, fmi2False, fmi2True) == NULL);
    CHECK(strstr(last_message, "GUID") != NULL);
    CHECK(Instantiate("", fmi2CoSimulation, guid, resources, &callbacks, fmi2False, fmi2True) == NULL);
    CHECK(Instantiate("x", fmi2CoSimulation, guid, "file:///nowhere", &callbacks, fmi2False, fmi2True) == NULL);
    CHECK(Instantiate("x", fmi2CoSimulation, guid, NULL, &callbacks, fmi2False, fmi2True) == NULL);
    CHECK(Instantiate("x", fmi2CoSimulation, guid, resources, NULL, fmi2False, fmi2True) == NULL);
    FreeInstance(NULL);
    CHECK(DoStep(NULL, 0.0, 0.001, fmi2True) == fmi2Error);

    /* a parameter that the model refuses is told when the initialization begins, and a reset mends it */
    const fmi2Component c = instance("bad");
    set(c, 0, -1.0);
    CHECK(SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
    CHECK(EnterInitializationMode(c) == fmi2Error);
    CHECK(strstr(last_message, "mass") != NULL);
    CHECK(Reset(c) == fmi2OK);
    CHECK(SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2True, 0.01) == fmi2OK);
    /* half the step: twice as many fit */
    set(c, 1, 0.0005);
    CHECK(EnterInitializationMode(c) == fmi2OK);
    CHECK(ExitInitializationMode(c) == fmi2OK);
    CHECK(DoStep(c, 0.0, 0.0005, fmi2True) == fmi2OK);
    CHECK(DoStep(c, 0.0005, 0.0095, fmi2True) == fmi2OK);
    /* beyond the stop time */
    CHECK(DoStep(c, 0.01, 0.001, fmi2True) == fmi2Error);
    FreeInstance(c);

    /* logging by categories */
    const fmi2Component l = instance("log");
    const fmi2String errors = "logStatusError", unknown = "100%s#";
    CHECK(SetDebugLogging(l, fmi2False, 1, &errors) == fmi2OK);
    const int before = messages;
    CHECK(DoStep(l, 0.0, 0.001, fmi2True) == fmi2Error);
    CHECK(messages == before);
    CHECK(SetDebugLogging(l, fmi2True, 0, NULL) == fmi2OK);
    CHECK(SetDebugLogging(l, fmi2True, 1, &unknown) == fmi2Error);
    CHECK(messages == before + 1);
    /* the message is the format itself: importers that do not format show it, too */
    CHECK(strstr(last_message, "100%s##") != NULL);
    CHECK(strstr(last_format, "no category") != NULL && strstr(last_format, "100%%s##") != NULL);
    FreeInstance(l);
}

/* A master that adds: the time that it has differs from that of the steps by the rounding of all sums. */
static void drive(double start, int has_stop, double stop, double step, long count) {
    const fmi2ValueReference first = 0;
    double time = start, now = 0.0, value = 0.0;
    long i = 0;
    fmi2Status status = fmi2OK;
    const fmi2Component c = instance("drive");
    CHECK(c != NULL);
    CHECK(SetupExperiment(c, fmi2False, 0.0, start, has_stop, stop) == fmi2OK);
    if (EnterInitializationMode(c) != fmi2OK || ExitInitializationMode(c) != fmi2OK) {
        printf("begin %s\n", last_message);
        FreeInstance(c);
        return;
    }
    last_message[0] = 0;
    for (; i < count && status == fmi2OK; ++i, time += step) status = DoStep(c, time, step, fmi2True);
    if (status != fmi2OK) --i;
    if (status != fmi2Error) {
        CHECK(GetRealStatus(c, fmi2LastSuccessfulTime, &now) == fmi2OK);
        CHECK(GetReal(c, &first, 1, &value) == fmi2OK);
    }
    printf("%d %ld %a %a\n%s\n", (int)status, i, now, value, last_message);
    FreeInstance(c);
}

/* Gravity and velocity by components, a parameter each. */
static void vectors(void) {
    const double values[6] = {0.5, 1.0, -1.625, 3.0, -2.0, 1.0};
    const fmi2Component c = instance("vectors");
    CHECK(SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2True, 1.0) == fmi2OK);
    for (fmi2ValueReference i = 0; i < 6; ++i) set(c, i, values[i]);
    CHECK(EnterInitializationMode(c) == fmi2OK);
    CHECK(ExitInitializationMode(c) == fmi2OK);
    CHECK(DoStep(c, 0.0, 1.0, fmi2True) == fmi2OK);
    for (fmi2ValueReference i = 7; i < 10; ++i) printf("%a\n", get(c, i));
    FreeInstance(c);
}

static void libraries(void) {
    char line[4096];
    FILE *const maps = fopen("/proc/self/maps", "r");
    const fmi2Component c = begun("c");
    FreeInstance(c);
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        const char *const path = strchr(line, '/');
        if (path != NULL && strstr(path, ".so") != NULL) fputs(path, stdout);
    }
    if (maps != NULL) fclose(maps);
}

int main(int argc, char **argv) {
    if (argc != 5 && argc != 9) return 99;
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        return 98;
    }
    guid = argv[2];
    resources = argv[3];
#define LOOK_UP(name)                                     \
    *(void **)(&name) = dlsym(library, "fmi2" #name);     \
    if (name == NULL) {                                   \
        puts("FAULT: fmi2" #name " is missing");          \
        return 97;                                        \
    }
    ALL(LOOK_UP)
    CHECK(strcmp(GetTypesPlatform(), "default") == 0);
    CHECK(strcmp(GetVersion(), "2.0") == 0);
    if (strcmp(argv[4], "run") == 0) run();
    if (strcmp(argv[4], "state") == 0) state();
    if (strcmp(argv[4], "two") == 0) two();
    if (strcmp(argv[4], "order") == 0) order();
    if (strcmp(argv[4], "libraries") == 0) libraries();
    if (strcmp(argv[4], "vectors") == 0) vectors();
    if (argc == 9)
        drive(atof(argv[5]), strcmp(argv[6], "none") != 0, atof(argv[6]), atof(argv[7]), atol(argv[8]));
    return faults > 90 ? 90 : faults;
}
