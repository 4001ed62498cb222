/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface as C11 sees it: what the suite asks is done here, in C and nothing else. */
#include "c_program.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const ancora_session *session, const char *call, ancora_status status) {
    char message[512] = "";
    size_t count = 0;
    ancora_session_message(session, message, sizeof message, &count);
    fprintf(stderr, "%s: status %d: %s\n", call, (int)status, message);
    return (int)status + 100;
}

#define TRY(session, call)                                        \
    do {                                                          \
        const ancora_status status_ = (call);                     \
        if (status_ != ANCORA_OK) {                               \
            result = fail((session), #call, status_);             \
            goto end;                                             \
        }                                                         \
    } while (0)

int c_run(const char *plugins, const char *model_file, const char *results, c_final *out) {
    int result = 0;
    ancora_session *session = NULL;
    ancora_model *model = NULL;
    ancora_simulation *simulation = NULL;
    memset(out, 0, sizeof *out);
    if (ancora_session_new(&session) != ANCORA_OK) return 1;
    TRY(session, ancora_session_add_plugin_folder(session, plugins));
    TRY(session, ancora_model_load(session, model_file, &model));
    TRY(session, ancora_model_set(model, "integrator.end=0.5"));
    TRY(session, ancora_simulation_new(model, &simulation));
    ancora_model_free(model); /* the simulation lives without it */
    model = NULL;
    TRY(session, ancora_record(simulation, results));
    TRY(session, ancora_run(simulation, 1e9, NULL, NULL));
    TRY(session, ancora_record_finish(simulation));

    TRY(session, ancora_q(simulation, NULL, 0, &out->count));
    out->q = malloc(out->count * sizeof(double));
    out->v = malloc(out->count * sizeof(double));
    if (out->q == NULL || out->v == NULL) {
        result = 2;
        goto end;
    }
    TRY(session, ancora_q(simulation, out->q, out->count, NULL));
    TRY(session, ancora_v(simulation, out->v, out->count, NULL));
end:
    /* The session first: its handles must not mind. */
    ancora_session_free(session);
    ancora_model_free(model);
    ancora_simulation_free(simulation);
    return result;
}

typedef struct {
    const char *plugins, *model, *results;
    c_final *out;
    int result;
} job;

static void *work(void *argument) {
    job *const it = argument;
    it->result = c_run(it->plugins, it->model, it->results, it->out);
    return NULL;
}

int c_run_in_thread(const char *plugins, const char *model, const char *results, c_final *out) {
    job it = {plugins, model, results, out, -1};
    c_final own;
    int own_result;
    char own_results[1024];
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &it) != 0) return 3;
    /* The same at the same time in this thread. */
    snprintf(own_results, sizeof own_results, "%s-main", results);
    own_result = c_run(plugins, model, own_results, &own);
    pthread_join(thread, NULL);
    if (it.result == 0 && own_result == 0 &&
        (own.count != out->count || memcmp(own.q, out->q, own.count * sizeof(double)) != 0))
        own_result = 4;
    free(own.q);
    free(own.v);
    return it.result != 0 ? it.result : own_result;
}

void c_final_free(c_final *it) {
    free(it->q);
    free(it->v);
    it->q = it->v = NULL;
}
