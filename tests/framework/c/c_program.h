/* SPDX-License-Identifier: BSD-3-Clause */
/* What the C part of the suite offers to its C++ part. */
#ifndef ANCORA_TESTS_C_PROGRAM_H
#define ANCORA_TESTS_C_PROGRAM_H

#include "ancora/ancora.h"

#ifdef __cplusplus
extern "C" {
#endif

/* State at the end of a run. */
typedef struct {
    size_t count;
    double *q, *v;
} c_final;

/* Runs the first half second of a model into a folder; other than 0 says that a call failed. */
int c_run(const char* plugins, const char* model, const char* results, c_final* out);
/* The same in a second thread, while the first does the same. */
int c_run_in_thread(const char* plugins, const char* model, const char* results, c_final* out);
void c_final_free(c_final* it);

#ifdef __cplusplus
}
#endif

#endif
