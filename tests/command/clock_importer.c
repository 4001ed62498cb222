/* SPDX-License-Identifier: BSD-3-Clause */
/* An importer of FMUs 3.0 with output clocks; it knows nothing of Ancora and is not linked with it.
 *
 *     clock_importer LIBRARY TOKEN RESOURCES SCENARIO
 *
 * The FMU has a PI controller on a clock of period 0.03 from 0 on, another on one of 0.05 from 0.01 on, and steps of
 * 0.02 s; variables: 0 reference, 1 measured of the first, 2, 3 of the second,
 * 4 command, 5 error of the first, 6 command of the second, 7 time.
 * FIRST, SECOND are the clocks, behind six states with their derivatives. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3Functions.h"

#define ALL(X)                                                                                                     \
    X(InstantiateCoSimulation) X(InstantiateModelExchange) X(FreeInstance) X(EnterInitializationMode)              \
    X(ExitInitializationMode) X(EnterEventMode) X(EnterStepMode) X(Terminate) X(Reset) X(GetFloat64) X(SetFloat64) \
    X(GetClock) X(SetClock) X(GetFMUState) X(SetFMUState) X(FreeFMUState) X(DoStep) X(GetIntervalDecimal)          \
    X(GetIntervalFraction) X(GetShiftDecimal) X(GetShiftFraction) X(SetIntervalDecimal) X(SetShiftDecimal)         \
    X(UpdateDiscreteStates) X(EnterContinuousTimeMode) X(CompletedIntegratorStep) X(SetTime)                       \
    X(SetContinuousStates) X(GetContinuousStates) X(GetContinuousStateDerivatives) X(SerializedFMUStateSize)       \
    X(SerializeFMUState) X(DeserializeFMUState)
#define F(name) static __typeof__(fmi3##name) *name;
ALL(F)

enum { REFERENCE, MEASURED, REFERENCE_2, MEASURED_2, COMMAND, ERROR, OTHER, TIME, STATES };
enum { FIRST = STATES + 12, SECOND, NONE };
enum { kMost = 64 };

static int faults = 0;
static char last_message[1024];
static const char *token, *resources;
static double next_event;

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            ++faults;                                                              \
            printf("FAULT line %d: %s; %s\n", __LINE__, #condition, last_message); \
        }                                                                          \
    } while (0)
#define CHECK_NEAR(a, b, bound)                                                                   \
    do {                                                                                          \
        const double left = (a), right = (b);                                                     \
        if (!(fabs(left - right) <= (bound))) {                                                   \
            ++faults;                                                                             \
            printf("FAULT line %d: %s = %.17g, not %.17g\n", __LINE__, #a, left, right);           \
        }                                                                                         \
    } while (0)

static void logger(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    (void)environment, (void)status, (void)category;
    snprintf(last_message, sizeof last_message, "%s", message);
}
static fmi3Instance instance(bool events, bool early) {
    return InstantiateCoSimulation("x", token, resources, false, true, events, early, NULL, 0, NULL, logger, NULL);
}
static void set(fmi3Instance c, fmi3ValueReference variable, double value) {
    CHECK(SetFloat64(c, &variable, 1, &value, 1) == fmi3OK);
}
static double get(fmi3Instance c, fmi3ValueReference variable) {
    double value = NAN;
    CHECK(GetFloat64(c, &variable, 1, &value, 1) == fmi3OK);
    return value;
}
static bool ticks(fmi3Instance c, fmi3ValueReference clock) {
    bool value = false;
    CHECK(GetClock(c, &clock, 1, &value) == fmi3OK);
    return value;
}
static void update(fmi3Instance c) {
    bool need = true, end = true, nominals = true, values = true, has_next = false;
    CHECK(UpdateDiscreteStates(c, &need, &end, &nominals, &values, &has_next, &next_event) == fmi3OK);
    CHECK(!need && !end && !nominals && !values && has_next);
    CHECK(!ticks(c, FIRST) && !ticks(c, SECOND)); /* a clock is inactive behind the update */
}

/* u_k = kp e_k + I_k, I_(k+1) = I_k + ki T e_k, by hand. */
typedef struct {
    double kp, ki, T, integral;
} law;
static const law kFirstLaw = {4.0, 3.0, 0.03, 0.0}, kSecondLaw = {2.0, 1.5, 0.05, 0.0};
static double command_of(const law *of, double e) { return of->kp * e + of->integral; }
static double reference_at(double t) { return sin(7.0 * t) + 0.25; }
static double measured_at(double t) { return 0.5 * cos(3.0 * t) - 0.125 * t; }

static void set_inputs(fmi3Instance c, double t) {
    set(c, REFERENCE, reference_at(t)), set(c, REFERENCE_2, reference_at(t));
    set(c, MEASURED, measured_at(t)), set(c, MEASURED_2, measured_at(t));
}

/* An event at t: which clocks tick, what their controllers say of the inputs of now. */
typedef struct {
    law first, second;
    int num_first, num_second;
    double u, other;
} played;
static void event(fmi3Instance c, played *it, double t) {
    const bool is_first = fabs(t - 0.03 * it->num_first) < 1e-9;
    const bool is_second = fabs(t - 0.01 - 0.05 * it->num_second) < 1e-9;
    CHECK(ticks(c, FIRST) == is_first && ticks(c, FIRST) == is_first && ticks(c, SECOND) == is_second);
    /* Inputs of an iteration that is not the last: samples are taken anew. */
    set(c, REFERENCE, 17.0);
    if (is_first) CHECK_NEAR(get(c, COMMAND), command_of(&it->first, 17.0 - get(c, MEASURED)), 1e-12);
    set_inputs(c, t);
    const double e = reference_at(t) - measured_at(t);
    if (is_first) {
        it->u = command_of(&it->first, e);
        it->first.integral += it->first.ki * it->first.T * e;
        ++it->num_first;
        CHECK_NEAR(get(c, ERROR), e, 1e-12);
    }
    if (is_second) {
        it->other = command_of(&it->second, e);
        it->second.integral += it->second.ki * it->second.T * e;
        ++it->num_second;
    }
    CHECK_NEAR(get(c, COMMAND), it->u, 1e-12);
    CHECK_NEAR(get(c, OTHER), it->other, 1e-12);
    update(c);
    CHECK_NEAR(get(c, COMMAND), it->u, 1e-12);
    const double first = 0.03 * it->num_first, second = 0.01 + 0.05 * it->num_second;
    CHECK_NEAR(next_event, first < second ? first : second, 1e-12);
}

static fmi3Instance begun(bool events, bool early) {
    const fmi3Instance c = instance(events, early);
    CHECK(c != NULL);
    CHECK(EnterInitializationMode(c, false, 0.0, 0.0, true, 1.2) == fmi3OK);
    set_inputs(c, 0.0);
    CHECK_NEAR(get(c, COMMAND), 4.0 * (reference_at(0.0) - measured_at(0.0)), 1e-12);
    CHECK(ExitInitializationMode(c) == fmi3OK);
    return c;
}
static const played kStart = {kFirstLaw, kSecondLaw, 0, 0, 0.0, 0.0};

/* From t on to `stop` over communication points that are 0.1 s apart. */
static double play(fmi3Instance c, played *it, double t, double stop) {
    bool needs_event = false, end = false, early = false;
    double last = 0.0;
    while (t < stop - 1e-9) {
        const double wanted = 0.1 * (floor(t / 0.1 + 1e-9) + 1.0), due = next_event;
        CHECK(DoStep(c, t, wanted - t, true, &needs_event, &end, &early, &last) == fmi3OK);
        CHECK(!end && last == get(c, TIME));
        CHECK(early == (needs_event && last < wanted - 1e-9));
        CHECK_NEAR(last, due < wanted - 1e-9 ? due : wanted, 1e-12);
        CHECK(needs_event == (fabs(last - due) < 1e-9));
        CHECK_NEAR(get(c, COMMAND), it->u, 1e-12); /* that before the event */
        t = last;
        if (!needs_event) continue;
        CHECK(EnterEventMode(c) == fmi3OK);
        event(c, it, t);
        CHECK(EnterStepMode(c) == fmi3OK);
    }
    return t;
}
static void clocks(void) {
    const fmi3Instance c = begun(true, true), d = instance(true, true);
    played it = kStart, then;
    fmi3FMUState state = NULL, read = NULL;
    size_t size = 0;
    event(c, &it, 0.0);
    CHECK(EnterStepMode(c) == fmi3OK);
    double t = play(c, &it, 0.0, 0.5);
    /* At an event whose samples have been taken, and not for good. */
    bool needs_event = false, end = false, early = false;
    double last = 0.0;
    CHECK(DoStep(c, t, 0.1, true, &needs_event, &end, &early, &last) == fmi3OK && early);
    t = last;
    CHECK(EnterEventMode(c) == fmi3OK);
    CHECK(isfinite(get(c, COMMAND)));
    CHECK(GetFMUState(c, &state) == fmi3OK && SerializedFMUStateSize(c, state, &size) == fmi3OK);
    fmi3Byte *const bytes = malloc(size);
    CHECK(SerializeFMUState(c, state, bytes, size) == fmi3OK);
    then = it;
    for (int k = 0; k < 2; ++k) { /* as it was, then put back */
        it = then;
        event(c, &it, t);
        CHECK(EnterStepMode(c) == fmi3OK);
        CHECK_NEAR(play(c, &it, t, 1.2), 1.2, 1e-9);
        CHECK(it.num_first == 41 && it.num_second == 24);
        if (k == 0) CHECK(SetFMUState(c, state) == fmi3OK);
    }
    /* Another instance goes on from the bytes. */
    const double end_command = get(c, COMMAND);
    CHECK(DeserializeFMUState(d, bytes, size, &read) == fmi3OK && SetFMUState(d, read) == fmi3OK);
    it = then;
    event(d, &it, t);
    CHECK(EnterStepMode(d) == fmi3OK);
    play(d, &it, t, 1.2);
    CHECK(get(d, COMMAND) == end_command);
    CHECK(Terminate(d) == fmi3OK);
    FreeFMUState(c, &state), FreeFMUState(d, &read), FreeInstance(c), FreeInstance(d), free(bytes);
}

/* Event mode without early returns: events at communication points alone are the importer's, and the time of the next
 * sample is such a point, which no end of a step need be. */
static void through(void) {
    bool needs_event = false, end = false, early = true;
    double last = 0.0, t = 0.0;
    played it = kStart;
    fmi3Instance c = begun(true, false);
    event(c, &it, 0.0);
    CHECK(EnterStepMode(c) == fmi3OK);
    while (t < 1.19) {
        CHECK(DoStep(c, t, next_event - t, true, &needs_event, &end, &early, &last) == fmi3OK);
        CHECK(needs_event && !early);
        CHECK_NEAR(last, next_event, 1e-12);
        t = last;
        CHECK(EnterEventMode(c) == fmi3OK);
        event(c, &it, t);
        CHECK(EnterStepMode(c) == fmi3OK);
    }
    CHECK(it.num_first == 41 && it.num_second == 24);
    FreeInstance(c);
    /* Over samples: those of 0.03 and 0.01 s are passed on the way, that of 0.06 s is due at the end. */
    c = begun(true, false);
    it = kStart;
    event(c, &it, 0.0);
    CHECK(EnterStepMode(c) == fmi3OK);
    CHECK(DoStep(c, 0.0, 0.06, true, &needs_event, &end, &early, &last) == fmi3OK);
    CHECK(needs_event && !early);
    CHECK_NEAR(last, 0.06, 1e-12);
    const double e = reference_at(0.0) - measured_at(0.0);
    CHECK_NEAR(get(c, COMMAND), 4.0 * e + 3.0 * 0.03 * e, 1e-12);
    CHECK(EnterEventMode(c) == fmi3OK && ticks(c, FIRST) && ticks(c, SECOND));
    CHECK_NEAR(get(c, COMMAND), 4.0 * e + 2.0 * 3.0 * 0.03 * e, 1e-12);
    FreeInstance(c);
    /* Without event mode nothing is the importer's. */
    c = begun(false, true);
    CHECK(DoStep(c, 0.0, 0.06, true, &needs_event, &end, &early, &last) == fmi3OK && !needs_event && !early);
    CHECK_NEAR(get(c, COMMAND), 4.0 * e + 2.0 * 3.0 * 0.03 * e, 1e-12);
    FreeInstance(c);
}

/* Model exchange: nothing moves, and samples are time events. */
static void exchange(void) {
    double x[6], dx[6], t = 0.0;
    bool enter = true, end = true;
    played it = kStart;
    const fmi3Instance c = InstantiateModelExchange("x", token, resources, false, true, NULL, logger);
    CHECK(c != NULL && EnterInitializationMode(c, false, 0.0, 0.0, true, 1.2) == fmi3OK);
    CHECK(ExitInitializationMode(c) == fmi3OK);
    event(c, &it, 0.0);
    for (;;) {
        CHECK(EnterContinuousTimeMode(c) == fmi3OK);
        if (next_event > 1.2) break;
        CHECK(GetContinuousStates(c, x, 6) == fmi3OK && GetContinuousStateDerivatives(c, dx, 6) == fmi3OK);
        for (int k = 0; k < 6; ++k) x[k] += (next_event - t) * dx[k];
        t = next_event;
        CHECK(SetTime(c, t) == fmi3OK && SetContinuousStates(c, x, 6) == fmi3OK);
        CHECK(CompletedIntegratorStep(c, true, &enter, &end) == fmi3OK && !end);
        CHECK_NEAR(get(c, COMMAND), it.u, 1e-12);
        CHECK(EnterEventMode(c) == fmi3OK);
        event(c, &it, t);
    }
    CHECK(it.num_first == 41 && it.num_second == 24);
    FreeInstance(c);
}

static fmi3Status wrong(fmi3Instance c, int which) {
    const fmi3ValueReference clock = FIRST, input = REFERENCE, none = NONE;
    bool truth = true;
    double value = 1.0;
    fmi3UInt64 whole = 1;
    fmi3IntervalQualifier qualifier;
    switch (which) {
    case 0: return GetClock(c, &input, 1, &truth);
    case 1: return GetClock(c, &none, 1, &truth);
    case 2: return GetClock(c, &clock, 1, NULL);
    case 3: return SetClock(c, &clock, 1, &truth);
    case 4: return GetIntervalDecimal(c, &clock, 1, &value, &qualifier);
    case 5: return GetIntervalFraction(c, &clock, 1, &whole, &whole, &qualifier);
    case 6: return GetShiftDecimal(c, &clock, 1, &value);
    case 7: return GetShiftFraction(c, &clock, 1, &whole, &whole);
    case 8: return SetIntervalDecimal(c, &clock, 1, &value);
    case 9: return SetShiftDecimal(c, &clock, 1, &value);
    case 10: return GetFloat64(c, &clock, 1, &value, 1);
    case 11: return SetFloat64(c, &clock, 1, &value, 1);
    default: return GetClock(c, &clock, 1, &truth); /* in another mode than for events */
    }
}
static void refused(void) {
    static const char *const says[13] = {"no clock 0",  "no clock 22",   "NULL",        "ticks itself", "no interval",
                                         "no interval", "no interval",   "no interval", "no interval",  "no interval",
                                         "no variable", "no variable",   "not allowed in the state"};
    for (int which = 0; which <= 12; ++which)
        for (int phase = 0; phase < 4; ++phase) {
            const fmi3Instance c = instance(true, true);
            const bool is_in_events = phase == 2;
            if (phase >= 1) CHECK(EnterInitializationMode(c, false, 0.0, 0.0, true, 1.2) == fmi3OK);
            if (phase >= 2) CHECK(ExitInitializationMode(c) == fmi3OK);
            if (phase >= 3) CHECK(EnterStepMode(c) == fmi3OK);
            last_message[0] = 0;
            const fmi3Status status = wrong(c, which);
            if (which == 12 && is_in_events)
                CHECK(status == fmi3OK);
            else
                CHECK(status == fmi3Error && last_message[0] != 0);
            if (is_in_events && which < 12) CHECK(strstr(last_message, says[which]) != NULL);
            if (which == 12 && !is_in_events) CHECK(strstr(last_message, says[which]) != NULL);
            FreeInstance(c);
        }
    /* Instances without event mode have none, and communication points behind events are ends of steps. */
    fmi3Instance c = begun(false, false);
    CHECK(EnterEventMode(c) == fmi3Error && strstr(last_message, "without event mode") != NULL);
    FreeInstance(c);
    bool needs_event, end, early;
    double last;
    played it = kStart;
    c = begun(true, true);
    event(c, &it, 0.0);
    CHECK(EnterStepMode(c) == fmi3OK);
    CHECK(DoStep(c, 0.0, 0.1, true, &needs_event, &end, &early, &last) == fmi3OK && early);
    CHECK(EnterEventMode(c) == fmi3OK);
    event(c, &it, last);
    CHECK(EnterStepMode(c) == fmi3OK);
    CHECK(DoStep(c, last, 0.1, true, &needs_event, &end, &early, &last) == fmi3Error);
    CHECK(strstr(last_message, "behind the event these end at 0.02 s, and then every 0.02 s") != NULL);
    FreeInstance(c);
}

/* The state at the end of a run with communication points far apart and all events in event mode. */
static void run(void) {
    bool needs_event = true, end = false, early = false, need, nominals, values, has_next;
    double t = 0.0, last = 0.0, next;
    int count = 0;
    const fmi3ValueReference x = 0;
    double value = 0.0;
    const fmi3Instance c = instance(true, true);
    CHECK(EnterInitializationMode(c, false, 0.0, 0.0, true, 1.2) == fmi3OK && ExitInitializationMode(c) == fmi3OK);
    for (;;) {
        if (needs_event) {
            CHECK(UpdateDiscreteStates(c, &need, &end, &nominals, &values, &has_next, &next) == fmi3OK);
            CHECK(EnterStepMode(c) == fmi3OK);
        }
        if (t > 1.2 - 1e-9) break;
        CHECK(DoStep(c, t, 0.4 * (floor(t / 0.4 + 1e-9) + 1.0) - t, true, &needs_event, &end, &early, &last) == fmi3OK);
        t = last;
        count += needs_event;
        if (needs_event) CHECK(EnterEventMode(c) == fmi3OK);
    }
    CHECK(GetFloat64(c, &x, 1, &value, 1) == fmi3OK);
    printf("%d %a\n", count, value);
    FreeInstance(c);
}

int main(int argc, char **argv) {
    if (argc != 5) return 99;
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        return 98;
    }
    token = argv[2];
    resources = argv[3];
#define LOOK_UP(name)                                 \
    *(void **)(&name) = dlsym(library, "fmi3" #name); \
    if (name == NULL) return 97;
    ALL(LOOK_UP)
    if (strcmp(argv[4], "clocks") == 0) clocks();
    if (strcmp(argv[4], "through") == 0) through();
    if (strcmp(argv[4], "exchange") == 0) exchange();
    if (strcmp(argv[4], "refused") == 0) refused();
    if (strcmp(argv[4], "run") == 0) run();
    return faults > 90 ? 90 : faults;
}
