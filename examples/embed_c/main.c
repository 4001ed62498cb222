/* SPDX-License-Identifier: BSD-3-Clause */
/* A controller in C at 1 kHz: holds a pendulum upright in real time, and says how punctual it was. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ancora/ancora.h>

enum { MOST = 1000000 };

static const char kModel[] =
    "[model]\n"
    "name = \"upright\"\n"
    "gravity = [0.0, 0.0, -9.81]\n"
    "[[body]]\n"
    "name = \"bar\"\n"
    "type = \"ancf_rigid_body\"\n"
    "size = [0.05, 0.05, 0.6]\n"
    "density = 800.0\n"
    "penalty = inf\n"
    "position = [0.0, 0.0, 0.3]\n"
    "[[joint]]\n"
    "name = \"hinge\"\n"
    "type = \"revolute\"\n"
    "a = \"ground\"\n"
    "b = \"bar\"\n"
    "point = [0, 0, 0]\n"
    "axis = [0, 1, 0]\n"
    "start = 0.05\n"
    "[[force]]\n"
    "name = \"motor\"\n"
    "type = \"dc_motor\"\n"
    "on = \"hinge\"\n"
    "voltage = 0.0\n"
    "resistance = 1.2\n"
    "inductance = 0.004\n"
    "constant = 0.05\n"
    "ratio = 20.0\n"
    "[integrator]\n"
    "type = \"emm\"\n"
    "step = 1e-3\n"
    "end = 1000.0\n";

static int fail(const ancora_session *session, const char *call) {
    char message[512] = "";
    ancora_session_message(session, message, sizeof message, NULL);
    fprintf(stderr, "%s: %s\n", call, message);
    return EXIT_FAILURE;
}

static double seconds_between(const struct timespec *a, const struct timespec *b) {
    return (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void line(const char *what, double *values, size_t count) {
    qsort(values, count, sizeof *values, by_size);
    printf("%-28s %9.1f %9.1f %9.1f %9.1f\n",
           what,
           1e6 * values[count / 2],
           1e6 * values[count * 99 / 100],
           1e6 * values[count * 999 / 1000],
           1e6 * values[count - 1]);
}

int main(int argc, char **argv) {
    const double duration = argc > 1 ? atof(argv[1]) : 3.0; /* s */
    const size_t count = duration > 0.0 && duration <= 1000.0 ? (size_t)(1000.0 * duration + 0.5) : 0;
    ancora_session *session = NULL;
    ancora_model *model = NULL;
    ancora_simulation *simulation = NULL;
    const char *const names[] = {"hinge.angle", "hinge.angle_rate"};
    int32_t handles[2];
    double measured[2] = {0.0, 0.0}, *late, *busy;
    size_t voltage = 0, i, overruns = 0;
    struct timespec next;

    if (count == 0 || count > MOST) {
        fprintf(stderr, "usage: embed_c [SECONDS], up to 1000\n");
        return 2;
    }
    if (ancora_session_new(&session) != ANCORA_OK) return EXIT_FAILURE;
    /* In a build tree the plugins lie beside the kernel, and are found from there. */
    if (ancora_model_parse(session, kModel, sizeof kModel - 1, NULL, &model) != ANCORA_OK)
        return fail(session, "model");
    if (ancora_simulation_new(model, &simulation) != ANCORA_OK) return fail(session, "simulation");
    ancora_model_free(model);
    for (i = 0; i < 2; ++i)
        if (ancora_find_value(simulation, names[i], &handles[i]) != ANCORA_OK)
            return fail(session, names[i]);
    if (ancora_find_input(simulation, "motor.voltage", &voltage) != ANCORA_OK)
        return fail(session, "motor.voltage");

    late = calloc(count, sizeof *late);
    busy = calloc(count, sizeof *busy);
    if (late == NULL || busy == NULL) return EXIT_FAILURE;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (i = 0; i < count; ++i) {
        struct timespec begin, end;
        double u;
        next.tv_nsec += 1000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            ++next.tv_sec;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        clock_gettime(CLOCK_MONOTONIC, &begin);

        if (ancora_values(simulation, handles, 2, measured) != ANCORA_OK)
            return fail(session, "values");
        u = -60.0 * measured[0] - 6.0 * measured[1]; /* V */
        u = fmax(-24.0, fmin(24.0, u));
        if (ancora_set_input_at(simulation, voltage, u) != ANCORA_OK ||
            ancora_step(simulation) != ANCORA_OK)
            return fail(session, "step");

        clock_gettime(CLOCK_MONOTONIC, &end);
        late[i] = seconds_between(&next, &begin);
        busy[i] = seconds_between(&begin, &end);
        overruns += late[i] + busy[i] > 1e-3;
    }
    printf("%-28s %9s %9s %9s %9s\n", "[us]", "median", "99 %", "99.9 %", "largest");
    line("woken late by", late, count);
    line("read, control, step", busy, count);
    printf("%zu of %zu periods of 1 ms were overrun\n", overruns, count);
    printf("angle %.1e rad at the end\n", measured[0]);

    free(late);
    free(busy);
    ancora_simulation_free(simulation);
    ancora_session_free(session);
    return 0;
}
