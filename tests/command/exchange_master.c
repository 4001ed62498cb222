/* SPDX-License-Identifier: BSD-3-Clause */
/* A master of model exchange FMUs 2.0 and 3.0, written against the standards; it knows nothing of Ancora and
 * is not linked with it.
 *
 *     exchange_master VERSION LIBRARY GUID RESOURCES NUM_STATES NUM_EVENTS run STOP STEP ROWS TOLERANCE VARIABLE...
 *     exchange_master VERSION LIBRARY GUID RESOURCES NUM_STATES NUM_EVENTS state STOP STEP VARIABLE
 *     exchange_master VERSION LIBRARY GUID RESOURCES NUM_STATES NUM_EVENTS order
 *     exchange_master VERSION LIBRARY GUID RESOURCES NUM_STATES NUM_EVENTS derivative STOP STEP INPUT OUTPUT NUM_VARIABLES
 *     exchange_master 3 LIBRARY GUID RESOURCES 0 0 early STOP STEP VARIABLE        co-simulation
 *
 * It integrates by the fifth order of Dormand and Prince with a fixed step, locates events by bisection, and
 * prints variables at ROWS equal times. Ends with the number of faults. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"
#include "fmi3Functions.h"

static int faults = 0, version = 2, events = 0;
static char last_message[2048];

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            ++faults;                                                              \
            printf("FAULT line %d: %s; %s\n", __LINE__, #condition, last_message); \
        }                                                                          \
    } while (0)
#define MUST(condition)             \
    do {                            \
        CHECK(condition);           \
        if (faults > 0) exit(faults); \
    } while (0)

static void *library;
static const char *guid, *resources;

/* A function of the version at hand, as one of the other where the arguments agree. */
static void *find(const char *name2, const char *name3) {
    char name[128];
    snprintf(name, sizeof name, "fmi%d%s", version, version == 2 ? name2 : name3);
    void *const found = dlsym(library, name);
    if (found == NULL) {
        printf("FAULT: no %s\n", name);
        exit(1);
    }
    return found;
}
#define CALL2(name, ...) (*(fmi2##name##TYPE **)(void *[]){find(#name, #name)})(__VA_ARGS__)
#define CALL3(name, ...) (*(fmi3##name##TYPE **)(void *[]){find(#name, #name)})(__VA_ARGS__)

static void log_by_2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                 fmi2String message, ...) {
    va_list arguments;
    (void)environment, (void)name, (void)status, (void)category;
    va_start(arguments, message);
    vsnprintf(last_message, sizeof last_message, message, arguments);
    va_end(arguments);
}
static void log_by_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment, (void)status, (void)category;
    snprintf(last_message, sizeof last_message, "%s", message);
}
static fmi2CallbackFunctions callbacks = {log_by_2, calloc, free, NULL, NULL};

/* --- one instance */

#define MOST 4096
static void *it;
static size_t n, num_events;
static double t, next_event, x[MOST], z[MOST];
static double tolerance = 0.0;

static void *instance(void) {
    return version == 2 ? CALL2(Instantiate, "it", fmi2ModelExchange, guid, resources, &callbacks, fmi2False, fmi2True)
                        : CALL3(InstantiateModelExchange, "it", guid, resources, false, true, NULL, log_by_3);
}
static int set_time(double at) { return version == 2 ? CALL2(SetTime, it, at) : CALL3(SetTime, it, at); }
static int set_states(const double *from) {
    return version == 2 ? CALL2(SetContinuousStates, it, from, n) : CALL3(SetContinuousStates, it, from, n);
}
static int get_states(double *to) {
    return version == 2 ? CALL2(GetContinuousStates, it, to, n) : CALL3(GetContinuousStates, it, to, n);
}
static int get_derivatives(double *to) {
    return version == 2 ? CALL2(GetDerivatives, it, to, n) : CALL3(GetContinuousStateDerivatives, it, to, n);
}
static int get_indicators(double *to) {
    return version == 2 ? CALL2(GetEventIndicators, it, to, num_events) : CALL3(GetEventIndicators, it, to, num_events);
}
static double get(unsigned variable) {
    double value = -1.0;
    CHECK((version == 2 ? (int)CALL2(GetReal, it, &variable, 1, &value)
                        : (int)CALL3(GetFloat64, it, &variable, 1, &value, 1)) == 0);
    return value;
}
static void set(unsigned variable, double value) {
    CHECK((version == 2 ? (int)CALL2(SetReal, it, &variable, 1, &value)
                        : (int)CALL3(SetFloat64, it, &variable, 1, &value, 1)) == 0);
}

static void update_discrete(void) {
    int again = 1;
    while (again) {
        if (version == 2) {
            fmi2EventInfo info;
            memset(&info, 0x5a, sizeof info);
            MUST(CALL2(NewDiscreteStates, it, &info) == fmi2OK);
            CHECK(!info.terminateSimulation);
            again = info.newDiscreteStatesNeeded;
            next_event = info.nextEventTimeDefined ? info.nextEventTime : INFINITY;
            if (info.valuesOfContinuousStatesChanged) MUST(get_states(x) == 0);
        } else {
            bool need = true, end = true, nominals = true, values = true, has_next = true;
            MUST(CALL3(UpdateDiscreteStates, it, &need, &end, &nominals, &values, &has_next, &next_event) == fmi3OK);
            CHECK(!end);
            again = need;
            if (!has_next) next_event = INFINITY;
            if (values) MUST(get_states(x) == 0);
        }
    }
    CHECK(next_event > t || isinf(next_event));
    MUST((version == 2 ? (int)CALL2(EnterContinuousTimeMode, it) : (int)CALL3(EnterContinuousTimeMode, it)) == 0);
    MUST(get_indicators(z) == 0);
}

static void begin(double stop) {
    it = instance();
    MUST(it != NULL);
    if (version == 2) {
        MUST(CALL2(SetupExperiment, it, tolerance > 0.0, tolerance, 0.0, fmi2True, stop) == fmi2OK);
        MUST(CALL2(EnterInitializationMode, it) == fmi2OK);
        MUST(CALL2(ExitInitializationMode, it) == fmi2OK);
    } else {
        MUST(CALL3(EnterInitializationMode, it, tolerance > 0.0, tolerance, 0.0, true, stop) == fmi3OK);
        size_t states = 0, indicators = 0;
        CHECK(CALL3(GetNumberOfContinuousStates, it, &states) == fmi3OK && states == n);
        CHECK(CALL3(GetNumberOfEventIndicators, it, &indicators) == fmi3OK && indicators == num_events);
        MUST(CALL3(ExitInitializationMode, it) == fmi3OK);
    }
    t = 0.0;
    MUST(get_states(x) == 0);
    update_discrete();
}

/* --- its motion */

static const double kC[6] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0};
static const double kA[6][5] = {{0},
                                {0.2},
                                {3.0 / 40.0, 9.0 / 40.0},
                                {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
                                {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
                                {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}};
static const double kB[6] = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0};

/* To t + h; the instance is then there. */
static void trial(double h, double *to) {
    static double k[6][MOST];
    for (int s = 0; s < 6; ++s) {
        for (size_t i = 0; i < n; ++i) {
            to[i] = x[i];
            for (int j = 0; j < s; ++j) to[i] += h * kA[s][j] * k[j][i];
        }
        MUST(set_time(t + kC[s] * h) == 0);
        MUST(set_states(to) == 0);
        MUST(get_derivatives(k[s]) == 0);
    }
    for (size_t i = 0; i < n; ++i) {
        to[i] = x[i];
        for (int s = 0; s < 6; ++s) to[i] += h * kB[s] * k[s][i];
    }
    MUST(set_time(t + h) == 0);
    MUST(set_states(to) == 0);
}
static int crosses(const double *there) {
    for (size_t k = 0; k < num_events; ++k)
        if ((z[k] > 0.0) != (there[k] > 0.0)) return 1;
    return 0;
}

/* One step of at most h; no longer than to the next event. */
static void step(double h) {
    static double there[MOST], to[MOST];
    int at_time_event = 0;
    if (t + h >= next_event) {
        h = next_event - t;
        at_time_event = 1;
    }
    trial(h, to);
    MUST(get_indicators(there) == 0);
    const int is_state_event = crosses(there);
    if (is_state_event) {
        double low = 0.0, high = h;
        while (high - low > 1e-13 * (1.0 + t)) {
            const double middle = 0.5 * (low + high);
            trial(middle, to);
            MUST(get_indicators(there) == 0);
            *(crosses(there) ? &high : &low) = middle;
        }
        h = high;
        trial(h, to);
        at_time_event = 0;
    }
    t += h;
    memcpy(x, to, n * sizeof *x);
    int enter = 0;
    if (version == 2) {
        fmi2Boolean asked = fmi2False, end = fmi2True;
        MUST(CALL2(CompletedIntegratorStep, it, fmi2True, &asked, &end) == fmi2OK && !end);
        enter = asked;
    } else {
        bool asked = false, end = true;
        MUST(CALL3(CompletedIntegratorStep, it, true, &asked, &end) == fmi3OK && !end);
        enter = asked;
    }
    if (!enter && !is_state_event && !at_time_event) {
        MUST(get_indicators(z) == 0);
        return;
    }
    ++events;
    MUST((version == 2 ? (int)CALL2(EnterEventMode, it) : (int)CALL3(EnterEventMode, it)) == 0);
    update_discrete();
}
static void go(double to, double h) {
    while (to - t > 1e-12 * (1.0 + fabs(to))) {
        const double rest = to - t;
        step(rest < 1.5 * h ? rest : h);
    }
}

static void finish(void) {
    CHECK((version == 2 ? (int)CALL2(Terminate, it) : (int)CALL3(Terminate, it)) == 0);
    if (version == 2)
        CALL2(FreeInstance, it);
    else
        CALL3(FreeInstance, it);
}

static void run(int count, char **of) {
    const double stop = atof(of[0]), h = atof(of[1]);
    const long rows = atol(of[2]);
    tolerance = atof(of[3]);
    begin(stop);
    for (long row = 0; row <= rows; ++row) {
        go(stop * (double)row / (double)rows, h);
        printf("%.17g", t);
        for (int k = 4; k < count; ++k) printf(" %.17g", get((unsigned)atoi(of[k])));
        printf("\n");
    }
    printf("events %d\n", events);
    finish();
}

/* A state that is kept leads on to the same bits, as bytes in another instance, too. */
static void state(char **of) {
    const double stop = atof(of[0]), h = atof(of[1]);
    const unsigned variable = (unsigned)atoi(of[2]);
    double at, next, first, before[MOST], signs[MOST];
    size_t size = 0;
    begin(stop);
    go(0.4 * stop, h);
    at = t, next = next_event;
    memcpy(before, x, sizeof x);
    memcpy(signs, z, sizeof z);
    void *kept = NULL;
    MUST((version == 2 ? (int)CALL2(GetFMUstate, it, &kept) : (int)CALL3(GetFMUState, it, &kept)) == 0);
    go(stop, h);
    first = get(variable);
    for (int other = 0; other < 2; ++other) {
        if (other) {
            MUST((version == 2 ? (int)CALL2(SerializedFMUstateSize, it, kept, &size)
                               : (int)CALL3(SerializedFMUStateSize, it, kept, &size)) == 0);
            char *const bytes = malloc(size);
            MUST((version == 2 ? (int)CALL2(SerializeFMUstate, it, kept, bytes, size)
                               : (int)CALL3(SerializeFMUState, it, kept, (fmi3Byte *)bytes, size)) == 0);
            finish();
            begin(stop);
            kept = NULL;
            MUST((version == 2 ? (int)CALL2(DeSerializeFMUstate, it, bytes, size, &kept)
                               : (int)CALL3(DeserializeFMUState, it, (fmi3Byte *)bytes, size, &kept)) == 0);
            bytes[size / 2] ^= 1;
            void *damaged = NULL;
            void *const whole = it;
            it = instance();
            CHECK((version == 2 ? (int)CALL2(DeSerializeFMUstate, it, bytes, size, &damaged)
                                : (int)CALL3(DeserializeFMUState, it, (fmi3Byte *)bytes, size, &damaged)) == 3);
            if (version == 2)
                CALL2(FreeInstance, it);
            else
                CALL3(FreeInstance, it);
            it = whole;
            free(bytes);
        }
        MUST((version == 2 ? (int)CALL2(SetFMUstate, it, kept) : (int)CALL3(SetFMUState, it, kept)) == 0);
        t = at, next_event = next;
        memcpy(z, signs, sizeof z);
        MUST(get_states(x) == 0);
        CHECK(memcmp(x, before, n * sizeof *x) == 0);
        go(stop, h);
        CHECK(get(variable) == first);
    }
    CHECK((version == 2 ? (int)CALL2(FreeFMUstate, it, &kept) : (int)CALL3(FreeFMUState, it, &kept)) == 0);
    finish();
}

/* What the standard forbids where it forbids it. */
static void order(void) {
    for (int wrong = 0; wrong < 6; ++wrong) {
        double value[MOST] = {0};
        begin(1.0);
        *last_message = '\0';
        int status = 0;
        switch (wrong) {
            case 0: /* in continuous time */
                status = version == 2 ? (int)CALL2(NewDiscreteStates, it, (fmi2EventInfo *)value)
                                      : (int)CALL3(EnterStepMode, it);
                break;
            case 1:
                --n;
                status = set_states(value);
                ++n;
                break;
            case 2:
                value[0] = NAN;
                status = set_states(value);
                break;
            case 3:
                status = set_time(INFINITY);
                break;
            case 4: /* no co-simulation */
                if (version == 2)
                    status = CALL2(DoStep, it, 0.0, 0.1, fmi2True);
                else {
                    bool a, b, c;
                    status = CALL3(DoStep, it, 0.0, 0.1, true, &a, &b, &c, value);
                }
                break;
            default:
                status = version == 2 ? (int)CALL2(EnterContinuousTimeMode, it) : (int)CALL3(EnterContinuousTimeMode, it);
        }
        CHECK(status == 3 && *last_message != '\0');
        if (version == 2)
            CALL2(FreeInstance, it);
        else
            CALL3(FreeInstance, it);
    }
}

/* Directional derivatives of the states' derivatives and of an output against one-sided differences. */
static void derivative(char **of) {
    const double stop = atof(of[0]), h = atof(of[1]);
    const unsigned input = (unsigned)atoi(of[2]), output = (unsigned)atoi(of[3]), first = (unsigned)atoi(of[4]) + 1;
    begin(stop);
    set(input, 0.3);
    go(0.5 * stop, h);
    MUST(set_states(x) == 0);
    unsigned unknowns[MOST], knowns[MOST];
    double seed[MOST], to[MOST], here[MOST], there[MOST];
    unsigned random = 12345;
    for (size_t k = 0; k < n; ++k) unknowns[k] = first + (unsigned)(n + k), knowns[k] = first + (unsigned)k;
    unknowns[n] = output, knowns[n] = input;
    for (int member = 0; member < 4; ++member) {
        for (size_t k = 0; k <= n; ++k) {
            random = 1664525u * random + 1013904223u;
            seed[k] = member == 3 ? (k == n) : (double)(random >> 8) / (double)(1 << 23) - 1.0;
        }
        MUST((version == 2 ? (int)CALL2(GetDirectionalDerivative, it, unknowns, n + 1, knowns, n + 1, seed, to)
                           : (int)CALL3(GetDirectionalDerivative, it, unknowns, n + 1, knowns, n + 1, seed, n + 1, to,
                                        n + 1)) == 0);
        MUST(get_derivatives(here) == 0);
        here[n] = get(output);
        const double e = 1e-7;
        double moved[MOST], size = 1.0;
        for (size_t k = 0; k < n; ++k) moved[k] = x[k] + e * seed[k];
        MUST(set_states(moved) == 0);
        set(input, 0.3 + e * seed[n]);
        MUST(get_derivatives(there) == 0);
        there[n] = get(output);
        set(input, 0.3);
        MUST(set_states(x) == 0);
        for (size_t k = 0; k <= n; ++k) size = fmax(size, fabs(to[k]));
        for (size_t k = 0; k <= n; ++k) {
            if (!(fabs((there[k] - here[k]) / e - to[k]) < 2e-5 * size))
                printf("%zu: %g instead of %g\n", k, to[k], (there[k] - here[k]) / e);
            CHECK(fabs((there[k] - here[k]) / e - to[k]) < 2e-5 * size);
        }
        CHECK(size > 1e-3);
    }
    finish();
}

/* Co-simulation by FMI 3.0 whose steps end early at impacts. */
static void early(char **of) {
    const double stop = atof(of[0]), h = atof(of[1]);
    const unsigned variable = (unsigned)atoi(of[2]);
    it = CALL3(InstantiateCoSimulation, "it", guid, resources, false, true, true, true, NULL, 0, NULL, log_by_3, NULL);
    MUST(it != NULL);
    MUST(CALL3(EnterInitializationMode, it, false, 0.0, 0.0, true, stop) == fmi3OK);
    MUST(CALL3(ExitInitializationMode, it) == fmi3OK);
    bool need = true, end = true, nominals = true, values = true, has_next = true;
    double last = 0.0;
    for (t = 0.0;;) {
        MUST(CALL3(UpdateDiscreteStates, it, &need, &end, &nominals, &values, &has_next, &next_event) == fmi3OK);
        CHECK(!need && !end && !values && !has_next);
        MUST(CALL3(EnterStepMode, it) == fmi3OK);
        /* Communication points many of the model's steps apart. */
        bool needs_event = false, early_return = true;
        while (!needs_event && stop - t > 1e-9) {
            const double to = fmin(64 * h * (floor(t / (64 * h) + 1e-9) + 1.0), stop);
            MUST(CALL3(DoStep, it, t, to - t, true, &needs_event, &end, &early_return, &last) == fmi3OK);
            CHECK(!end && early_return == (needs_event && last < to - 1e-9) && last >= t && last <= to + 1e-9);
            CHECK(needs_event || fabs(last - to) < 1e-9);
            t = last;
        }
        if (!needs_event) break;
        printf("%.17g %.17g\n", t, get(variable));
        MUST(CALL3(EnterEventMode, it) == fmi3OK);
    }
    printf("end %.17g\n", get(variable));
    finish();
}

int main(int argc, char **argv) {
    if (argc < 8) return 100;
    version = atoi(argv[1]);
    library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 101;
    }
    guid = argv[3], resources = argv[4];
    n = (size_t)atol(argv[5]), num_events = (size_t)atol(argv[6]);
    if (n + 1 > MOST || num_events > MOST) return 102;
    const char *const scenario = argv[7];
    char **const rest = argv + 8;
    if (strcmp(scenario, "run") == 0 && argc >= 12)
        run(argc - 8, rest);
    else if (strcmp(scenario, "state") == 0 && argc == 11)
        state(rest);
    else if (strcmp(scenario, "order") == 0)
        order();
    else if (strcmp(scenario, "derivative") == 0 && argc == 13)
        derivative(rest);
    else if (strcmp(scenario, "early") == 0 && argc == 11 && version == 3)
        early(rest);
    else
        return 103;
    return faults;
}
