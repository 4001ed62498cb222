// SPDX-License-Identifier: BSD-3-Clause
// The System service interface: all that an integrator sees of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace ancora {

class ImplicitSystem;
class StepEquations;
class StepProjection;

/// A trial of one step t0 -> t0 + h: with the mean acceleration a,
///
///   dq = h v0 + (h^2 / 2) a,   dv = h a                                                  (1)
///
/// and one stress s per row. q1 itself is never an unknown: dividing q1 - q0 by h would lose
/// digits.
struct StepTrial {
    double t0 = 0.0;
    double h = 0.0;
    std::span<const double> a;  ///< n, mean acceleration
    std::span<const double> s;  ///< m, stress of each row; multipliers are lambda = -s
};

/// Where the iteration of a step t0 -> t0 + h begins, and where it leaves what it has found.
struct StepGuess {
    double t0 = 0.0;
    double h = 0.0;
    std::span<double> a;  ///< n, mean acceleration
    std::span<double> s;  ///< m, stress of each row
    /// Multipliers of System::projection() around the step, which is under way; none without.
    std::span<double> mu = {};
};

inline constexpr double kDefaultTolerance = 1e-12;  ///< [m], Sugano section 5

/// What the iteration of a step may take and leave.
struct StepOptions {
    double tolerance = kDefaultTolerance;  ///< displacement of matter by the last correction [m]
    std::int32_t max_iterations = 25;      ///< of each trial
};

/// What became of it.
struct StepReport {
    bool has_converged = false;
    /// Found while an iteration failed: see System::nears_singular_position().
    bool nears_singular_position = false;
    /// Accepted at a rounding floor far from closed rows, as where the Jacobian at the middle of a
    /// step is singular and stresses have no bound.
    bool is_far_from_closed = false;
    double first_correction = 0.0;  ///< displacement of matter by it [m]
};

/// What of a model moves in continuous time, x = (q, v, w): w are the works and impulses of the
/// ledger, integrated as further states, in J, N s and N m s. They begin at zero in every step;
/// what an error in them means says System::book_scales().
struct ContinuousState {
    std::int32_t num_coordinates = 0;  ///< n; q and v are the first 2 n entries of x
    std::int32_t num_states = 0;       ///< entries of x
    std::int32_t num_own = 0;          ///< of which the last are continuous states of objects
};

/// The equations of the whole model, assembled. In the discrete face a step is
///
///   r_motion = M a + sum_k B_k^T s_k - F = 0                                             (2)
///   r_rows   = B dq + tau + rho - gamma s = 0                                            (3)
///
/// (theory (29)). Row laws, ledger, state, linear algebra and the iteration of one step belong to
/// the system; where it begins, how long it is and what follows to the integrator.
class System {
public:
    virtual int num_coordinates() const = 0;
    virtual int num_rows() const = 0;

    /// Accepted state: generalized coordinates and velocities, mean acceleration and stresses of
    /// the last accepted step (zero before the first).
    virtual std::span<const double> q() const = 0;
    virtual std::span<const double> v() const = 0;
    virtual std::span<const double> acceleration() const = 0;
    virtual std::span<const double> stress() const = 0;

    /// The integrator's own history, kept by the kernel; zero before the first step.
    virtual std::span<double> history() = 0;

    /// [step] Solves (2) and (3) by Newton's method, with one matrix for as many iterations and
    /// steps as it serves, and with better ones where it fails. What `guess` refers to becomes the
    /// solution, whose trial is the last one evaluated; without one it is of no use.
    ///
    /// It has converged when the last correction moved no matter by more than the tolerance *and*
    /// what the residuals would book falsely is rounding.
    /// @throws the kernel's plugin error if a plugin throws or returns a value that is not finite
    virtual StepReport solve_step(const StepGuess& guess, const StepOptions& options) = 0;
    /// The equations themselves, for who iterates on his own; include step_equations.hpp.
    virtual StepEquations* step_equations() { return nullptr; }
    /// [step] Evaluates (2) and (3) at a trial, which may then be accepted if it solves them.
    virtual void evaluate(const StepTrial& trial) = 0;

    /// [step] Largest displacement of matter that a change of q means [m].
    virtual double displacement(std::span<const double> dq) const = 0;

    /// [step] Calls range(begin, end) for ranges that make up [0, count), perhaps by several
    /// threads at once, and returns when all are done: an integrator's long loops over coordinates.
    /// No turn may read what another writes, nor may what it writes depend on where ranges end, so
    /// that the bits are those of one thread. `range` must not call the system; what it throws is
    /// thrown on, of several that of the first range.
    template <class Range>
    void split(std::size_t count, const Range& range) {
        constexpr std::size_t kFew = 4096;  // never worth waking a thread for
        if (count < kFew) return range(std::size_t{0}, count);
        split_ranges(
            count,
            [](const void* what, std::size_t begin, std::size_t end) {
                (*static_cast<const Range*>(what))(begin, end);
            },
            &range);
    }

    /// [step] Makes the last evaluated trial the state at t0 + h and books it in the ledger.
    virtual void accept(const StepTrial& trial) = 0;

    // Continuous face: M q'' = Q + F_L + F_C at (q, v, t), by the Udwadia-Kalaba equation.

    virtual ContinuousState continuous() const = 0;
    /// [step] The accepted state as x, num_states entries.
    virtual void read_state(std::span<double> x) const = 0;
    /// [step] x' at (t, x).
    /// @throws the kernel's numerical error where the acceleration is not unique or constraints are
    ///         inconsistent; its plugin error as evaluate() does
    virtual void derivative(double t, std::span<const double> x, std::span<double> dx) = 0;
    /// [step] Longest step of at most h that a fixed formula should take from the accepted state,
    /// at which derivative() has just been called: a slide that turns while it comes to rest has no
    /// smooth course up to its stop.
    virtual double smooth_length(double h) const = 0;
    /// [step] Makes x the state at t1, projects it onto the constraints as the integrator's traits
    /// say, and books the step t0 -> t1.
    virtual void accept_state(double t0, double t1, std::span<const double> x) = 0;

    // Events: contacts that change between stick and slip. A mode is frozen within a step.

    /// Number of event functions; 0 for models without contacts.
    virtual int num_events() const = 0;
    /// [step] Functions that are positive as long as the modes hold, at the end of the last
    /// evaluated trial.
    virtual void evaluate_events(const StepTrial& trial, std::span<double> g) = 0;
    /// [step] The same at (t, x).
    virtual void evaluate_events(double t, std::span<const double> x, std::span<double> g) = 0;
    /// [step] Modes that began with this step and do not hold over the last evaluated trial are
    /// replaced, as is a choice of independent rows that does not hold.
    /// @returns whether there were any; the trial is then to be made anew
    virtual bool settle_modes(const StepTrial& trial) = 0;
    /// [step] After a trial that failed: chooses independent rows anew at the accepted state.
    /// @returns whether the choice has changed; the trial is then worth another attempt
    virtual bool renew_choice() = 0;
    /// Whether rows that are independent elsewhere become dependent in the trial or right beside
    /// it: a singular position, at which other motions begin, so that a step has other solutions
    /// near the one that continues the motion. Looks at positions alone; the trial is to be
    /// evaluated again before it is accepted.
    virtual bool nears_singular_position(const StepTrial& trial) = 0;
    /// Books in the run's events that the piece t0 -> t1, just accepted, passed such a position,
    /// and whether it continues the motion.
    virtual void record_singular_position(double t0, double t1, bool continues) = 0;
    /// [step] Goes on from the accepted state, at which event `event` has come, with the modes that
    /// hold from there.
    virtual void pass_event(int event) = 0;

    /// Refuses to go on: throws a numerical error with the time and `why`.
    [[noreturn]] virtual void refuse(double t, std::string_view why) = 0;

    /// Counts one iteration of the step in progress that solve_step() has not made, for the run's
    /// statistics.
    virtual void count_iteration() = 0;

    /// Refuses the step in progress: throws a numerical error with the time, the step, the row or
    /// coordinate of the last evaluated trial whose residual is largest, and `advice`.
    [[noreturn]] virtual void no_convergence(const StepTrial& trial,
                                             std::string_view what,
                                             std::string_view advice) = 0;

    /// [assembly] Number of conditions of implicit(), for who sizes buffers.
    /// @throws the kernel's manifest error where the model has what has no derivative, by name: dry
    ///         friction, rows that break
    virtual int num_conditions() const { return 0; }
    /// [step] The equations with their derivatives, for implicit integrators with the continuous
    /// face; include implicit_system.hpp. Null for others.
    virtual ImplicitSystem* implicit() { return nullptr; }

    /// [step] What an entry of w is to be measured by where an error in it is to mean as much as
    /// one in q and v, per entry of x behind these: the energy in play, the momentum, the angular
    /// momentum. They change whenever a state is accepted.
    virtual std::span<const double> book_scales() const { return {}; }

    /// Velocities projected around steps of the discrete face, and steps that can be undone;
    /// include step_projection.hpp. Null for others.
    virtual StepProjection* projection() { return nullptr; }
    /// [assembly] @throws the kernel's manifest error, with the object's place, where a model has
    ///         what projected steps cannot be taken with
    /// @param goes_back whether steps go backwards in time as well
    /// @returns the number of conditions of projection()
    virtual int require_projectable(bool goes_back) const {
        static_cast<void>(goes_back);
        return 0;
    }

    /// [step] What projection onto the constraints would move q of a state x at t by, entry by
    /// entry, and zero for the others: the error of a trial along motion that is prescribed, of
    /// which the accelerations at its stages may show nothing.
    /// @returns false, and writes nothing, where nothing is prescribed over time or projected
    virtual bool constraint_error(double t, std::span<const double> x, std::span<double> error) {
        static_cast<void>(t);
        static_cast<void>(x);
        static_cast<void>(error);
        return false;
    }
    /// [assembly] Whether something is given by a formula of time, so that only values show what it
    /// does: where nothing moves, an estimate of the error says nothing of what comes.
    virtual bool has_formulas_of_time() const { return false; }
    /// [step] Records a step in which the estimate of the error sees nothing happen, and which is
    /// as long as a limit that the manifest does not give: what formulas of time do meanwhile may
    /// have been missed.
    virtual void record_limited_step(double t0, double t1) {
        static_cast<void>(t0);
        static_cast<void>(t1);
    }

protected:
    using RangeCall = void (*)(const void* range, std::size_t begin, std::size_t end);
    virtual void split_ranges(std::size_t count, RangeCall call, const void* range) {
        call(range, 0, count);
    }
    ~System() = default;
};

}  // namespace ancora
