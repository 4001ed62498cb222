/* SPDX-License-Identifier: BSD-3-Clause */
/* Ancora from C, and from any language that calls C: models, simulations, their values and
 * matrices. */
#ifndef ANCORA_ANCORA_H
#define ANCORA_ANCORA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ANCORA_API __attribute__((visibility("default")))
#else
#define ANCORA_API
#endif

/* Rules that hold for all functions
 *
 * - They return a status, and throw nothing. After any status but ANCORA_OK the session of the
 * handle has the message, ancora_session_message(), and outputs are as they were unless said
 * otherwise.
 * - Handles are opaque. Each belongs to a session, and a session with its handles is used by one
 * thread at a time; a call while another thread is inside one of the session is refused with
 * ANCORA_USAGE, and the message that its thread then gets names both. Different sessions may be
 * used in different threads at once. There is no global state. Handles may be freed in any order,
 * and freeing NULL does nothing.
 * - Who calls owns the buffers: a function that fills one takes its capacity and says in *count how
 * much there is. With a capacity of 0 it says that alone (the buffer may be NULL then) and returns
 *   ANCORA_OK; too small a buffer is ANCORA_BUFFER, and nothing is written to it. A count may be
 * NULL. Counts of texts leave out the zero at the end, which needs room too.
 * - Texts are UTF-8. Units are SI. Vectors in space have inertial axes, quaternions are w, x, y, z.
 * - What is called back after steps may read, push and set inputs; it may not step, restore or free
 * the simulation that calls it. Functions that are forces or constraints may call nothing of their
 * session.
 */

/* The interface's number: functions are added under one number; none is taken away or changed. */
#define ANCORA_C_INTERFACE 2

typedef int32_t ancora_status;
enum {
    ANCORA_OK = 0,
    ANCORA_INTERNAL = 1,  /* a fault of Ancora */
    ANCORA_USAGE = 2,     /* a call that makes no sense */
    ANCORA_MODEL = 3,     /* the model: key, type, range, unknown name */
    ANCORA_PLUGIN = 4,    /* a plugin not found, refused, or failing */
    ANCORA_NUMERICAL = 5, /* no convergence, contradictory constraints; no memory */
    ANCORA_FILE = 6,      /* a file that cannot be read or written */
    ANCORA_BUFFER = 7,    /* a buffer too small; *count says how much is needed */
    ANCORA_STOPPED = 8    /* a callback asked to stop; no error, no message */
};

typedef struct ancora_session ancora_session;
typedef struct ancora_model ancora_model;
typedef struct ancora_simulation ancora_simulation;

/* --- versions ------------------------------------------------------------------------------------
 */

/* "0.3.0" */
ANCORA_API const char* ancora_version(void);
/* ANCORA_C_INTERFACE of the library, which may be newer than that of this header. */
ANCORA_API int32_t ancora_c_interface(void);

/* --- session: plugins, and the message of the last call that failed
 * -------------------------------- */

ANCORA_API ancora_status ancora_session_new(ancora_session** session);
ANCORA_API void ancora_session_free(ancora_session* session);

/* Why the last call of the session or of one of its handles failed; empty if it did not. Does not
 * itself change the message. */
ANCORA_API ancora_status ancora_session_message(const ancora_session* session,
                                                char* text,
                                                size_t capacity,
                                                size_t* count);

/* Gets warnings of models that are made from now on; NULL: nobody does. */
typedef void (*ancora_warning_callback)(const char* message, void* user);
ANCORA_API ancora_status ancora_session_on_warning(ancora_session* session,
                                                   ancora_warning_callback callback,
                                                   void* user);

/* A folder to search for plugins, before ANCORA_PLUGIN_PATH and the installed one. */
ANCORA_API ancora_status ancora_session_add_plugin_folder(ancora_session* session,
                                                          const char* folder);
/* Whether plugins are taken from folders that others may write to. */
ANCORA_API ancora_status ancora_session_allow_unchecked_folders(ancora_session* session, int allow);

/* A type of forces whose law is a function of the program, for models of this session that are
 * simulated from now on:
 *
 *     [[force]]
 *     name = "spring"
 *     type = TYPE
 *     at = ["bar@[0.5, 0, 0]", "ground@[0, 0, 1]"]     or one text
 *     work = "external"                                or "nonideal": the heading in the ledger
 *
 * The function gets positions [m] and velocities [m/s] of these points, 3 numbers each, and writes
 * the forces [N] on them, which are zero before; all inertial axes. Other than 0 refuses the step.
 * It is called at every evaluation: at instants by integrators on accelerations; in the middle of a
 * step, with mean velocities, by those on steps, and six times per point more where they ask how
 * the force answers. Equal arguments must give equal forces; many calls are of trials that are
 * thrown away. The work of the very forces that moved the bodies is recorded, their impulse as
 * external. */
typedef int (*ancora_force_function)(size_t num_points,
                                     double time,
                                     const double* position,
                                     const double* velocity,
                                     double* force,
                                     void* user);
ANCORA_API ancora_status ancora_session_add_force(ancora_session* session,
                                                  const char* type,
                                                  ancora_force_function function,
                                                  void* user);
/* A type of constraints phi(r_1, ..., r_k, t) = 0 of `num_rows` rows, likewise, with `at` alone.
 * Derivatives are differences, twelve calls per point and more for each evaluation: slow. Steps
 * keep the condition and energy to rounding, momenta as well as the differences are good, about
 * 1e-12. */
typedef int (*ancora_constraint_function)(
    size_t num_points, double time, const double* position, double* phi, void* user);
ANCORA_API ancora_status ancora_session_add_constraint(ancora_session* session,
                                                       const char* type,
                                                       size_t num_rows,
                                                       int depends_on_time,
                                                       ancora_constraint_function function,
                                                       void* user);

/* A page from a folder of results, as `ancora report` writes it. */
ANCORA_API ancora_status ancora_write_report(ancora_session* session,
                                             const char* results,
                                             const char* file);

/* --- model
 * ---------------------------------------------------------------------------------------- */

ANCORA_API ancora_status ancora_model_load(ancora_session* session,
                                           const char* file,
                                           ancora_model** model);
/* A model file's text, `length` bytes. `file` stands in messages, and paths in the text are
 * relative to its folder; NULL: "model" in the current one. */
ANCORA_API ancora_status ancora_model_parse(ancora_session* session,
                                            const char* text,
                                            size_t length,
                                            const char* file,
                                            ancora_model** model);
/* An empty model, to be filled by ancora_model_add and ancora_model_set; it is read when a
 * simulation or its text is made. */
ANCORA_API ancora_status ancora_model_new(ancora_session* session, ancora_model** model);
ANCORA_API void ancora_model_free(ancora_model* model);

/* Adds an object of the kind "body", "constraint", "joint" or "force". */
ANCORA_API ancora_status ancora_model_add(ancora_model* model,
                                          const char* kind,
                                          const char* name,
                                          const char* type);
/* Sets a value as `--set` does: "integrator.step=1e-3", "body.bar.size=[1, 0.1, 0.1]". A key that
 * the object's type does not have is refused here, once the model can be read, with the nearest
 * one. */
ANCORA_API ancora_status ancora_model_set(ancora_model* model, const char* assignment);
/* The whole model as one file of plain numbers. */
ANCORA_API ancora_status ancora_model_text(ancora_model* model,
                                           char* text,
                                           size_t capacity,
                                           size_t* count);

/* --- simulation
 * ------------------------------------------------------------------------------------ */

/* A simulation at the model's start. The model may be freed or changed afterwards. */
ANCORA_API ancora_status ancora_simulation_new(ancora_model* model, ancora_simulation** simulation);
ANCORA_API void ancora_simulation_free(ancora_simulation* simulation);

typedef struct ancora_info {
    size_t size;            /* in: sizeof(ancora_info); later versions append */
    double time;            /* [s] */
    double step_size;       /* of the grid [s] */
    double end_time;        /* [s] */
    int64_t num_steps;      /* of the grid; 0 without one */
    int64_t steps_done;     /* */
    size_t num_coordinates; /* n: entries of q and of v */
    int32_t is_adaptive;    /* the integrator chooses its steps */
    int32_t is_done;        /* the end is reached */
    double begin_time;      /* [s] */
} ancora_info;
ANCORA_API ancora_status ancora_simulation_info(const ancora_simulation* simulation,
                                                ancora_info* info);
ANCORA_API ancora_status ancora_simulation_name(const ancora_simulation* simulation,
                                                char* text,
                                                size_t capacity,
                                                size_t* count);

/* One step of the grid, or of the integrator's choice. If it fails the state is that of the last
 * step that was accepted. */
ANCORA_API ancora_status ancora_step(ancora_simulation* simulation);

/* How many threads may work on large matrices, with the one that calls; 1 at first. It changes no
 * number. */
ANCORA_API ancora_status ancora_set_threads(ancora_simulation* simulation, int32_t num_threads);

/* Called after each step; other than 0 stops the run. */
typedef int (*ancora_step_callback)(ancora_simulation* simulation, void* user);
/* Steps until `time` is reached, within half a step of the grid, or the end of the model, or the
 * callback asks to stop (ANCORA_STOPPED). The callback may be NULL. */
ANCORA_API ancora_status ancora_run(ancora_simulation* simulation,
                                    double time,
                                    ancora_step_callback callback,
                                    void* user);

/* From here on every step is recorded into a folder as `ancora run` does: history.csv and the rest.
 * To be called before the first step. A step that fails ends the record, with what was computed. */
ANCORA_API ancora_status ancora_record(ancora_simulation* simulation, const char* folder);
/* Ends the record: summary.json, with "completed" if the end is reached, else "interrupted". */
ANCORA_API ancora_status ancora_record_finish(ancora_simulation* simulation);

/* --- state
 * ----------------------------------------------------------------------------------------- */

ANCORA_API ancora_status ancora_q(const ancora_simulation* simulation,
                                  double* q,
                                  size_t capacity,
                                  size_t* count);
ANCORA_API ancora_status ancora_v(const ancora_simulation* simulation,
                                  double* v,
                                  size_t capacity,
                                  size_t* count);
/* The same without a copy: where the n entries stand until the next call that changes the state. */
ANCORA_API ancora_status ancora_state_view(const ancora_simulation* simulation,
                                           const double** q,
                                           const double** v,
                                           size_t* count);
/* Starts anew from another state at the present time; `count` entries each. What ancora_q() and
 * ancora_v() have shown is taken as it is, of other simulations of the model too. */
ANCORA_API ancora_status ancora_set_state(ancora_simulation* simulation,
                                          const double* q,
                                          const double* v,
                                          size_t count);
/* The same at another time of the run, at which a step ends. */
ANCORA_API ancora_status ancora_set_state_at(
    ancora_simulation* simulation, double t, const double* q, const double* v, size_t count);

/* Everything that the rest of the run depends on, as bytes; restored, here or in a simulation of
 * the same model and plugins, it goes on with the same bits. */
ANCORA_API ancora_status ancora_save(ancora_simulation* simulation,
                                     void* bytes,
                                     size_t capacity,
                                     size_t* count);
ANCORA_API ancora_status ancora_restore(ancora_simulation* simulation,
                                        const void* bytes,
                                        size_t count);

/* Back to the model's start, with the bits of a new simulation: states, inputs, forces, ledger and
 * counts. Not while the simulation is recorded. */
ANCORA_API ancora_status ancora_reset(ancora_simulation* simulation);
/* A new simulation that goes on from the present state of this one with the parameters of `model`:
 * masses, stiffnesses, coefficients, loads, gravity or the end of the run may differ; objects,
 * columns and the integrator with its step are the same. The energy and momentum that the change
 * brings or takes is recorded as external. The model may be of another session, with plugins that
 * were built anew; the new simulation is of that session. The old one stays as it is. */
ANCORA_API ancora_status ancora_changed(const ancora_simulation* simulation,
                                        ancora_model* model,
                                        ancora_simulation** changed);

/* Bodies, and which entries of q and v are theirs. */
ANCORA_API ancora_status ancora_num_bodies(const ancora_simulation* simulation, size_t* count);
ANCORA_API ancora_status ancora_body_name(
    const ancora_simulation* simulation, size_t body, char* text, size_t capacity, size_t* count);
ANCORA_API ancora_status ancora_body_range(const ancora_simulation* simulation,
                                           size_t body,
                                           size_t* first,
                                           size_t* count);

/* --- forces and inputs
 * ----------------------------------------------------------------------------- */

/* A force [N] on an attachment such as "bar@[0.5, 0, 0]" from now until it is set anew; zero takes
 * it away. */
ANCORA_API ancora_status ancora_apply_force(ancora_simulation* simulation,
                                            const char* attachment,
                                            const double force[3]);

/* The same for a torque [N m, inertial axes] on a body, by its name; not on a body without
 * orientation, such as a particle. */
ANCORA_API ancora_status ancora_apply_torque(ancora_simulation* simulation,
                                             const char* body,
                                             const double torque[3]);

/* Inputs of objects with signals, such as "motor.voltage", by number or name. */
ANCORA_API ancora_status ancora_num_inputs(const ancora_simulation* simulation, size_t* count);
ANCORA_API ancora_status ancora_input_name(
    const ancora_simulation* simulation, size_t input, char* text, size_t capacity, size_t* count);
ANCORA_API ancora_status ancora_input_unit(
    const ancora_simulation* simulation, size_t input, char* text, size_t capacity, size_t* count);
ANCORA_API ancora_status ancora_find_input(const ancora_simulation* simulation,
                                           const char* name,
                                           size_t* input);
/* A value from now until it is set anew or released to what the model says. */
ANCORA_API ancora_status ancora_set_input(ancora_simulation* simulation,
                                          const char* name,
                                          double value);
ANCORA_API ancora_status ancora_set_input_at(ancora_simulation* simulation,
                                             size_t input,
                                             double value);
ANCORA_API ancora_status ancora_release_input(ancora_simulation* simulation, const char* name);

/* --- values
 * ---------------------------------------------------------------------------------------- */

/* Columns of history.csv: their number, names and SI units (empty where there is none), values now.
 */
ANCORA_API ancora_status ancora_num_columns(const ancora_simulation* simulation, size_t* count);
ANCORA_API ancora_status ancora_column_name(
    const ancora_simulation* simulation, size_t column, char* text, size_t capacity, size_t* count);
ANCORA_API ancora_status ancora_column_unit(
    const ancora_simulation* simulation, size_t column, char* text, size_t capacity, size_t* count);
ANCORA_API ancora_status ancora_sample(ancora_simulation* simulation,
                                       double* row,
                                       size_t capacity,
                                       size_t* count);

/* One column now, also one that the model's choice of columns leaves out: "elbow.angle",
 * "pin.force.z". */
ANCORA_API ancora_status ancora_value(ancora_simulation* simulation,
                                      const char* column,
                                      double* value);
/* The same for the inner loop: a handle once, then several values together. */
ANCORA_API ancora_status ancora_find_value(const ancora_simulation* simulation,
                                           const char* column,
                                           int32_t* handle);
ANCORA_API ancora_status ancora_values(ancora_simulation* simulation,
                                       const int32_t* handles,
                                       size_t count,
                                       double* values);

/* Position [m] and velocity [m/s] of an attachment. An output may be NULL. */
ANCORA_API ancora_status ancora_point(const ancora_simulation* simulation,
                                      const char* attachment,
                                      double position[3],
                                      double velocity[3]);
/* Pose of a body, angular velocity in its own axes [rad/s]. An output may be NULL. */
ANCORA_API ancora_status ancora_pose(const ancora_simulation* simulation,
                                     const char* body,
                                     double position[3],
                                     double quaternion[4],
                                     double velocity[3],
                                     double angular_velocity[3]);
/* Force on a constraint's first attachment [N], or its multipliers: mean over the last step under
 * integrators on steps, else the present one. */
ANCORA_API ancora_status ancora_reaction(ancora_simulation* simulation,
                                         const char* constraint,
                                         double* values,
                                         size_t capacity,
                                         size_t* count);

typedef struct ancora_ledger {
    size_t size;                      /* in: sizeof(ancora_ledger); later versions append */
    double kinetic, potential, total; /* energies [J] */
    double work_external, work_nonideal, work_projection;    /* [J] */
    double balance;                                          /* total - initial - works [J] */
    double momentum[3], momentum_balance[3];                 /* [N s] */
    double angular_momentum[3], angular_momentum_balance[3]; /* about the origin [N m s] */
    double constraint_position, constraint_velocity, constraint_strain; /* largest violations */
} ancora_ledger;
ANCORA_API ancora_status ancora_ledger_now(ancora_simulation* simulation, ancora_ledger* ledger);

typedef struct ancora_statistics {
    size_t size; /* in: sizeof(ancora_statistics); later versions append */
    int64_t steps, substeps, iterations, factorisations, evaluations;
    double step_seconds;                   /* wall time in steps */
    double energy_max_abs, energy_max_rel; /* largest imbalance over every step */
    double momentum_max_abs, momentum_max_rel;
    double angular_momentum_max_abs, angular_momentum_max_rel;
} ancora_statistics;
ANCORA_API ancora_status ancora_statistics_now(const ancora_simulation* simulation,
                                               ancora_statistics* statistics);

/* --- the equation at the present state: M a = Q + F_L + F_C, A a = b
 * -------------------------------- */

enum {
    ANCORA_ACCELERATION = 0, /* a, n entries */
    ANCORA_IMPRESSED = 1,    /* Q, n: gravity, elastic and viscous forces, inertia */
    ANCORA_FORCES = 2,       /* C, n: of force objects, friction included */
    ANCORA_IDEAL = 3,        /* F_L, n */
    ANCORA_NONIDEAL = 4,     /* F_C, n */
    ANCORA_RIGHT_SIDE = 5    /* b, m */
};
ANCORA_API ancora_status ancora_vector(
    ancora_simulation* simulation, int32_t which, double* values, size_t capacity, size_t* count);

enum {
    ANCORA_MASS = 0,    /* M, n x n, symmetric */
    ANCORA_JACOBIAN = 1 /* A, m x n */
};
/* Row by row, zeros written out; capacity in numbers. Rows, columns and count may be NULL. */
ANCORA_API ancora_status ancora_matrix(ancora_simulation* simulation,
                                       int32_t which,
                                       double* values,
                                       size_t capacity,
                                       size_t* rows,
                                       size_t* columns);
/* The same by compressed rows: `row_start` has rows + 1 entries, `column` and `value` have `count`.
 * With a capacity of 0 the sizes alone. */
ANCORA_API ancora_status ancora_matrix_entries(ancora_simulation* simulation,
                                               int32_t which,
                                               int32_t* row_start,
                                               size_t row_capacity,
                                               int32_t* column,
                                               double* value,
                                               size_t capacity,
                                               size_t* rows,
                                               size_t* count);
/* dr/dq of an attachment: 3 x n, row by row. */
ANCORA_API ancora_status ancora_point_jacobian(const ancora_simulation* simulation,
                                               const char* attachment,
                                               double* values,
                                               size_t capacity,
                                               size_t* count);

/* --- rest, vibrations, linear model
 * ----------------------------------------------------------------- */

enum {
    ANCORA_STABLE = 0,  /* every small displacement raises the energy */
    ANCORA_NEUTRAL = 1, /* some change nothing */
    ANCORA_UNSTABLE = 2 /* some lower it */
};
typedef struct ancora_equilibrium {
    size_t size;                /* in: sizeof(ancora_equilibrium); later versions append */
    int32_t stability;          /* ANCORA_STABLE, ... */
    int32_t degrees_of_freedom; /* */
    int32_t num_unstable;       /* independent displacements that lower the energy */
    int32_t num_neutral;        /* that change nothing */
    int32_t is_counted;         /* 0: the model is large, and the lowest were looked at */
    int32_t num_left;           /* unstable positions of rest that were left on the way */
    int64_t descent_steps, newton_steps;
    double residual;     /* largest force that is left over the largest one */
    double moved;        /* largest displacement of matter [m] */
    double acceleration; /* of matter from rest there [m/s^2]: a drive or load changes with time */
    int32_t lasts;       /* nothing accelerates there */
    double spin[3];      /* [rad/s] */
} ancora_equilibrium;
enum {
    ANCORA_NEAREST = 1, /* next to the present state, stable or not, instead of one that a damped
                           motion leads to */
    ANCORA_SPINNING = 2 /* in the frame that turns with the spin that the present velocities are */
};
/* Looks for a position of rest from the present state and takes it; `options`: 0, or some of the
 * above added up. If there is none the state stays. The result may be NULL. */
ANCORA_API ancora_status ancora_find_equilibrium(ancora_simulation* simulation,
                                                 int options,
                                                 ancora_equilibrium* result);
/* What moves most in the displacement that lowers the energy fastest, at the last position that was
 * found; empty if none does. */
ANCORA_API ancora_status ancora_unstable_part(const ancora_simulation* simulation,
                                              char* text,
                                              size_t capacity,
                                              size_t* count);

typedef struct ancora_modes {
    size_t size;                /* in: sizeof(ancora_modes); later versions append */
    size_t count;               /* by frequency; of a conjugate pair one */
    int32_t degrees_of_freedom; /* */
    int32_t is_complete;        /* all of them, not only the lowest */
    int32_t is_spinning;        /* about a steady spin, in the frame that turns with it */
    double spin[3];             /* [rad/s] */
} ancora_modes;
typedef struct ancora_mode {
    size_t size;          /* in: sizeof(ancora_mode); later versions append */
    double eigenvalue[2]; /* real and imaginary part [1/s] */
    double frequency;     /* |eigenvalue| / 2 pi [Hz] */
    double damping;       /* ratio: -real part / |eigenvalue| */
} ancora_mode;
/* Small vibrations about the present state, at rest or in steady spin: the lowest `most`; 0: all of
 * a small model, twenty of a large one. They are kept until this is called again. */
ANCORA_API ancora_status ancora_find_modes(ancora_simulation* simulation,
                                           size_t most,
                                           ancora_modes* modes);
ANCORA_API ancora_status ancora_mode_values(const ancora_simulation* simulation,
                                            size_t mode,
                                            ancora_mode* values);
/* q = Re(shape e^(eigenvalue t)): 2 n numbers, real and imaginary part of each coordinate in turn;
 * the largest displacement of matter is 1 m. */
ANCORA_API ancora_status ancora_mode_shape(const ancora_simulation* simulation,
                                           size_t mode,
                                           double* values,
                                           size_t capacity,
                                           size_t* count);
/* Shares of the kinetic energy, one for each body. */
ANCORA_API ancora_status ancora_mode_energies(const ancora_simulation* simulation,
                                              size_t mode,
                                              double* values,
                                              size_t capacity,
                                              size_t* count);

enum {
    ANCORA_LINEAR_A = 0, /* x' = A x + B u */
    ANCORA_LINEAR_B = 1,
    ANCORA_LINEAR_C = 2, /* y = C x + D u */
    ANCORA_LINEAR_D = 3,
    ANCORA_LINEAR_T = 4,   /* n x (x / 2): how coordinates move with the displacements in x */
    ANCORA_LINEAR_REST = 5 /* values of the outputs at rest, a column */
};
/* The model at rest in minimal coordinates; x has displacements and velocities. Inputs are forces
 * "BODY@[1, 0, 0].x" and efforts on measures "JOINT.angle", outputs are columns of positions and
 * velocities. The matrices are kept until this is called again. */
ANCORA_API ancora_status ancora_linearize(ancora_simulation* simulation,
                                          const char* const* inputs,
                                          size_t num_inputs,
                                          const char* const* outputs,
                                          size_t num_outputs);
/* Row by row, as ancora_matrix(). */
ANCORA_API ancora_status ancora_linear_matrix(const ancora_simulation* simulation,
                                              int32_t which,
                                              double* values,
                                              size_t capacity,
                                              size_t* rows,
                                              size_t* columns);

/* --- joints (version 2)
 * ---------------------------------------------------------------------------------------- */

/* A mechanism in r coordinates of its joints at the present state, M p'' + bias = tau, as `ancora
 * joint-space` has it. `by` are measures, "JOINT.angle", or of a body that floats "BODY.x" and
 * "BODY.wx"; none of them: a choice by Ancora. Of the points, frames and measures `of`, "BODY@[1,
 * 0, 0]", "BODY", "JOINT.angle", there are Jacobians, 3, 6 and 1 rows each. It is kept until this
 * is called again. */
ANCORA_API ancora_status ancora_joint_space(ancora_simulation* simulation,
                                            const char* const* by,
                                            size_t num_by,
                                            const char* const* of,
                                            size_t num_of);
enum {
    ANCORA_JOINT_M = 0,      /* r x r */
    ANCORA_JOINT_C = 1,      /* r x r: M' - 2 C is skew where all coordinates have values */
    ANCORA_JOINT_BIAS = 2,   /* r: C p' and what else acts, the efforts at which p'' = 0 */
    ANCORA_JOINT_T = 3,      /* n x r: how the model's coordinates move with p */
    ANCORA_JOINT_J = 4,      /* of all `of`, one behind the other */
    ANCORA_JOINT_J_BIAS = 5, /* accelerations of these at p'' = 0 */
    ANCORA_JOINT_VALUES = 6, /* r: p; NaN of "BODY.wx", which has a rate alone */
    ANCORA_JOINT_RATES = 7   /* r: p' */
};
/* Row by row, as ancora_matrix(). */
ANCORA_API ancora_status ancora_joint_matrix(const ancora_simulation* simulation,
                                             int32_t which,
                                             double* values,
                                             size_t capacity,
                                             size_t* rows,
                                             size_t* columns);
/* Names of the coordinates, one a line; and what there is to say of them: what follows or does not
 * move, redundant conditions, what the bias does not hold; one a line, or empty. */
ANCORA_API ancora_status ancora_joint_names(const ancora_simulation* simulation,
                                            char* text,
                                            size_t capacity,
                                            size_t* count);
ANCORA_API ancora_status ancora_joint_remarks(const ancora_simulation* simulation,
                                              char* text,
                                              size_t capacity,
                                              size_t* count);

typedef struct ancora_placement {
    size_t size;        /* in: sizeof(ancora_placement); later versions append */
    int32_t is_reached; /* 0: it is the nearest place that was found */
    int32_t iterations;
    int32_t num_free;      /* degrees of freedom that the targets leave */
    int32_t num_at_limits; /* stops and contacts that hold it */
    double distance;       /* largest that is left of points [m] and of angles [rad] */
    double angle;
} ancora_placement;
/* Places the mechanism: "JOINT.angle" or "BODY.x" takes one of the values, "BODY" or "BODY@[1, 0,
 * 0]" three [m], "BODY.orientation" four, a quaternion w, x, y, z. They follow each other, as many
 * for each as `counts` says. The state is then that place, at rest. */
ANCORA_API ancora_status ancora_inverse_kinematics(ancora_simulation* simulation,
                                                   const char* const* of,
                                                   const size_t* counts,
                                                   size_t num_of,
                                                   const double* values,
                                                   ancora_placement* placement);

/* --- what results depend on (version 2)
 * ---------------------------------------------------------------------------------------- */

/* Derivatives of numbers of the model's run by its keys, as `ancora gradient` computes them, from
 * runs beside it. `of` are such as "tip.x", "tip.x @ 2.0", "max(elbow.effort)", `by` such as
 * "parameters.length" and "body.ball.velocity[2]". `workers` threads make the runs, 0: one per
 * core; one where functions of the program are forces. An object, "body.boom", stands for all its
 * numbers that its type calls sensitive, "sensitive" for those of all objects; there are then more
 * than num_by, which ancora_gradient_key() names. The numbers are kept until this is called again.
 */
ANCORA_API ancora_status ancora_gradient(ancora_model* model,
                                         const char* const* of,
                                         size_t num_of,
                                         const char* const* by,
                                         size_t num_by,
                                         int32_t workers);
enum {
    ANCORA_GRADIENT_VALUES = 0,      /* of the model as it stands, num_of */
    ANCORA_GRADIENT_PARAMETERS = 1,  /* num_by */
    ANCORA_GRADIENT_DERIVATIVES = 2, /* num_of x num_by, row by row; NaN where there is none */
    ANCORA_GRADIENT_ERRORS = 3       /* their estimates, likewise */
};
ANCORA_API ancora_status ancora_gradient_values(
    const ancora_model* model, int32_t which, double* values, size_t capacity, size_t* count);
/* The key of parameter `by`: counted from 0, up to the number of ANCORA_GRADIENT_PARAMETERS. */
ANCORA_API ancora_status ancora_gradient_key(
    const ancora_model* model, size_t by, char* text, size_t capacity, size_t* count);
/* Why a derivative is none, or what to know of it; empty if there is nothing. */
ANCORA_API ancora_status ancora_gradient_remark(
    const ancora_model* model, size_t of, size_t by, char* text, size_t capacity, size_t* count);

/* Parameters with which the motion is nearest to measured columns, as `ancora fit` finds them.
 * `time` ascends [s]; `measured` has a row for each time, in SI units; `by` are keys, with bounds
 * or without: "joint.pivot.damping=0:1". What is found is kept until this is called again. */
ANCORA_API ancora_status ancora_fit(ancora_model* model,
                                    const double* time,
                                    size_t num_times,
                                    const char* const* columns,
                                    size_t num_columns,
                                    const double* measured,
                                    const char* const* by,
                                    size_t num_by,
                                    int32_t workers);
enum {
    ANCORA_FIT_PARAMETERS = 0,  /* num_by */
    ANCORA_FIT_DEVIATIONS = 1,  /* standard deviations; NaN where the data do not tell */
    ANCORA_FIT_CORRELATION = 2, /* num_by x num_by */
    ANCORA_FIT_LEFT = 3,        /* root mean square of what is left of each column */
    ANCORA_FIT_FITTED = 4       /* the model's values, as `measured` */
};
ANCORA_API ancora_status ancora_fit_values(
    const ancora_model* model, int32_t which, double* values, size_t capacity, size_t* count);
/* Empty, or what to know; `has_converged` may be NULL. */
ANCORA_API ancora_status ancora_fit_remark(
    const ancora_model* model, int32_t* has_converged, char* text, size_t capacity, size_t* count);

/* --- many copies of a model (version 2)
 * ---------------------------------------------------------------------------------------- */

typedef struct ancora_batch ancora_batch;

/* `copies` of the model that step side by side, by `workers` threads (0: one per core; one where
 * functions of the program are forces). `keys` are numbers of the model that differ between them,
 * `values` copies x keys, row by row. The model may be freed or changed afterwards. */
ANCORA_API ancora_status ancora_batch_new(ancora_model* model,
                                          size_t copies,
                                          const char* const* keys,
                                          size_t num_keys,
                                          const double* values,
                                          const char* const* inputs,
                                          size_t num_inputs,
                                          const char* const* columns,
                                          size_t num_columns,
                                          int32_t workers,
                                          ancora_batch** batch);
ANCORA_API void ancora_batch_free(ancora_batch* batch);
/* Takes `count` steps of the grid in each copy. `inputs` are copies x inputs, row by row, held from
 * here on (NULL: as they are), `columns` copies x columns at the end (NULL: not wanted). A copy
 * that fails stays at its last step; this is no failure of the call. */
ANCORA_API ancora_status ancora_batch_step(ancora_batch* batch,
                                           const double* inputs,
                                           int64_t count,
                                           double* columns);
ANCORA_API ancora_status ancora_batch_columns(const ancora_batch* batch, double* columns);
/* Back to the start: those with other than 0 in `which`, of which there are as many as copies;
 * NULL: all. */
ANCORA_API ancora_status ancora_batch_reset(ancora_batch* batch, const uint8_t* which);
enum { ANCORA_COPY_RUNS = 0, ANCORA_COPY_DONE = 1, ANCORA_COPY_FAILED = 2 };
/* Of each copy. */
ANCORA_API ancora_status ancora_batch_status(const ancora_batch* batch, int32_t* status);
/* Why a copy failed; empty if it did not. */
ANCORA_API ancora_status ancora_batch_failure(
    const ancora_batch* batch, size_t copy, char* text, size_t capacity, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
