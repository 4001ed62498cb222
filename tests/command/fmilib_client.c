/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of a co-simulation FMU by the FMI Library (fmilib.h), for fmi_clients_test.py, which builds it where that
 * library is installed.
 *
 *     fmilib_client FMU FOLDER STEP COUNT NAME...
 *
 * Prints the values of the variables at the start and after each step, a line each. */
#include <fmilib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64 };

static void tell(jm_callbacks* c, jm_string module, jm_log_level_enu_t level, jm_string message) {
    (void)c;
    fprintf(stderr, "%s, %s: %s\n", module, jm_log_level_to_string(level), message);
}
static void fail(const char* what) {
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}
static void print(const double* values, int count) {
    for (int i = 0; i < count; ++i) printf("%a%c", values[i], i + 1 < count ? ' ' : '\n');
}

static void run2(fmi_import_context_t* context, const char* folder, double step, long count, char** names, int n) {
    fmi2_value_reference_t which[kMost];
    double values[kMost];
    fmi2_import_t* const fmu = fmi2_import_parse_xml(context, folder, NULL);
    if (fmu == NULL) fail("fmi2_import_parse_xml");
    fmi2_callback_functions_t callbacks = {fmi2_log_forwarding, calloc, free, NULL, fmu};
    if (fmi2_import_create_dllfmu(fmu, fmi2_fmu_kind_cs, &callbacks) == jm_status_error)
        fail(fmi2_import_get_last_error(fmu));
    for (int i = 0; i < n; ++i) {
        fmi2_import_variable_t* const variable = fmi2_import_get_variable_by_name(fmu, names[i]);
        if (variable == NULL) fail(names[i]);
        which[i] = fmi2_import_get_variable_vr(variable);
    }
    if (fmi2_import_instantiate(fmu, "client", fmi2_cosimulation, NULL, fmi2_false) == jm_status_error)
        fail("fmi2_import_instantiate");
    if (fmi2_import_setup_experiment(fmu, fmi2_false, 0.0, 0.0, fmi2_false, 0.0) != fmi2_status_ok ||
        fmi2_import_enter_initialization_mode(fmu) != fmi2_status_ok ||
        fmi2_import_exit_initialization_mode(fmu) != fmi2_status_ok)
        fail("initialization");
    for (long k = 0; k <= count; ++k) {
        if (fmi2_import_get_real(fmu, which, (size_t)n, values) != fmi2_status_ok) fail("fmi2_import_get_real");
        print(values, n);
        if (k < count && fmi2_import_do_step(fmu, (double)k * step, step, fmi2_true) != fmi2_status_ok)
            fail("fmi2_import_do_step");
    }
    if (fmi2_import_terminate(fmu) != fmi2_status_ok) fail("fmi2_import_terminate");
    fmi2_import_free_instance(fmu);
    fmi2_import_destroy_dllfmu(fmu);
    fmi2_import_free(fmu);
}

static void run3(fmi_import_context_t* context, const char* folder, double step, long count, char** names, int n) {
    fmi3_value_reference_t which[kMost];
    double values[kMost];
    fmi3_import_t* const fmu = fmi3_import_parse_xml(context, folder, NULL);
    if (fmu == NULL) fail("fmi3_import_parse_xml");
    if (fmi3_import_create_dllfmu(fmu, fmi3_fmu_kind_cs, fmu, fmi3_log_forwarding) == jm_status_error)
        fail(fmi3_import_get_last_error(fmu));
    for (int i = 0; i < n; ++i) {
        fmi3_import_variable_t* const variable = fmi3_import_get_variable_by_name(fmu, names[i]);
        if (variable == NULL) fail(names[i]);
        which[i] = fmi3_import_get_variable_vr(variable);
    }
    if (fmi3_import_instantiate_co_simulation(
            fmu, "client", NULL, fmi3_false, fmi3_false, fmi3_false, fmi3_false, NULL, 0, NULL) == jm_status_error)
        fail("fmi3_import_instantiate_co_simulation");
    if (fmi3_import_enter_initialization_mode(fmu, fmi3_false, 0.0, 0.0, fmi3_false, 0.0) != fmi3_status_ok ||
        fmi3_import_exit_initialization_mode(fmu) != fmi3_status_ok)
        fail("initialization");
    for (long k = 0; k <= count; ++k) {
        fmi3_boolean_t event, terminate, early;
        double last;
        if (fmi3_import_get_float64(fmu, which, (size_t)n, values, (size_t)n) != fmi3_status_ok)
            fail("fmi3_import_get_float64");
        print(values, n);
        if (k < count && fmi3_import_do_step(fmu, (double)k * step, step, fmi3_true, &event, &terminate, &early,
                                             &last) != fmi3_status_ok)
            fail("fmi3_import_do_step");
    }
    if (fmi3_import_terminate(fmu) != fmi3_status_ok) fail("fmi3_import_terminate");
    fmi3_import_free_instance(fmu);
    fmi3_import_destroy_dllfmu(fmu);
    fmi3_import_free(fmu);
}

int main(int argc, char** argv) {
    if (argc < 6 || argc - 5 > kMost) fail("usage");
    jm_callbacks callbacks = {malloc, calloc, realloc, free, tell, jm_log_level_warning, NULL, ""};
    fmi_import_context_t* const context = fmi_import_allocate_context(&callbacks);
    const fmi_version_enu_t version = fmi_import_get_fmi_version(context, argv[1], argv[2]);
    const double step = strtod(argv[3], NULL);
    const long count = strtol(argv[4], NULL, 10);
    if (version == fmi_version_2_0_enu)
        run2(context, argv[2], step, count, argv + 5, argc - 5);
    else if (version == fmi_version_3_0_enu)
        run3(context, argv[2], step, count, argv + 5, argc - 5);
    else
        fail("fmi_import_get_fmi_version");
    fmi_import_free_context(context);
    return 0;
}
