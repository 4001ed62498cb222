// SPDX-License-Identifier: BSD-3-Clause
// The System service interface: a model as an integrator sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace ancora {

class ContinuousSystem;
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

/// Initial guess (predictor) of the iteration of a step t0 -> t0 + h, overwritten by its solution.
struct StepGuess {
    double t0 = 0.0;
    double h = 0.0;
    std::span<double> a;  ///< n, mean acceleration
    std::span<double> s;  ///< m, stress of each row
    /// Multipliers of System::projection() around the step, which is under way; none without.
    std::span<double> mu = {};
};

inline constexpr double kDefaultTolerance = 1e-12;  ///< [m], Sugano section 5

/// Limits of the iteration of a step.
struct StepOptions {
    double tolerance = kDefaultTolerance;  ///< displacement of matter by the last correction [m]
    std::int32_t max_iterations = 25;      ///< of each trial
};

/// Result of the iteration.
struct StepReport {
    bool has_converged = false;
    /// Found while an iteration failed: see System::nears_singular_position().
    bool nears_singular_position = false;
    /// Accepted at a rounding floor with rows far from closed, as where the Jacobian at the middle
    /// of a step is singular and stresses are unbounded.
    bool is_far_from_closed = false;
    double first_correction = 0.0;  ///< displacement of matter by it [m]
};

/// Further interfaces of a system, each with a header of its own.
enum class Facet : std::int32_t {
    continuous,      ///< ContinuousSystem, continuous_system.hpp
    implicit,        ///< ImplicitSystem, implicit_system.hpp
    step_equations,  ///< StepEquations, step_equations.hpp
    projection,      ///< StepProjection, step_projection.hpp
};

/// The equations of the whole model, assembled. In the discrete formulation a step is
///
///   r_motion = M a + sum_k B_k^T s_k - F = 0                                             (2)
///   r_rows   = B dq + tau + rho - gamma s = 0                                            (3)
///
/// (theory (29)). Row laws, ledger, state, linear algebra and the iteration of one step belong to
/// the system; predictor, step length and events to the integrator.
class System {
public:
    /// n and m.
    std::int32_t num_coordinates() const { return static_cast<std::int32_t>(q().size()); }
    std::int32_t num_rows() const { return static_cast<std::int32_t>(stress().size()); }

    /// Accepted state: generalized coordinates and velocities, mean acceleration and stresses of
    /// the last accepted step (zero before the first).
    virtual std::span<const double> q() const = 0;
    virtual std::span<const double> v() const = 0;
    virtual std::span<const double> acceleration() const = 0;
    virtual std::span<const double> stress() const = 0;

    /// The integrator's own history, kept by the kernel; zero before the first step.
    virtual std::span<double> history() = 0;

    // Facets.

    /// Accelerations, for the continuous formulation.
    ContinuousSystem* continuous() { return facet<ContinuousSystem>(Facet::continuous); }
    const ContinuousSystem* continuous() const {
        return facet<const ContinuousSystem>(Facet::continuous);
    }
    /// The equations with their derivatives, for implicit integrators of the continuous
    /// formulation; null for others.
    /// @throws the kernel's manifest error, by name, where the model has objects without
    ///         derivatives: dry friction, breakable rows
    ImplicitSystem* implicit() { return facet<ImplicitSystem>(Facet::implicit); }
    const ImplicitSystem* implicit() const { return facet<const ImplicitSystem>(Facet::implicit); }
    /// The equations of a step, for integrators with an iteration of their own.
    StepEquations* step_equations() { return facet<StepEquations>(Facet::step_equations); }
    /// Velocity projection around steps of the discrete formulation, and steps that can be undone;
    /// null for others.
    StepProjection* projection() { return facet<StepProjection>(Facet::projection); }
    const StepProjection* projection() const {
        return facet<const StepProjection>(Facet::projection);
    }

    // A step of the discrete formulation.

    /// [step] Solves (2) and (3) by a modified Newton method with iterative refinement: one matrix
    /// is kept over iterations and steps while that pays; where it fails, a fallback sequence of
    /// tangents and, where they are the cause, another selection of independent rows follow. The
    /// vectors of `guess` become the solution; without convergence they are invalid.
    ///
    /// It has converged when the last correction moved no matter by more than the tolerance *and*
    /// the energy error that the residuals imply is round-off.
    /// @throws the kernel's plugin error if a plugin throws or returns a value that is not finite
    virtual StepReport solve_step(const StepGuess& guess, const StepOptions& options) = 0;
    /// [step] Updates the active set: modes that began with this step and are not admissible over a
    /// trial that was solved are replaced, as is a selection of independent rows that fails.
    /// @returns whether there were any; the trial is then to be made anew
    virtual bool update_active_set(const StepTrial& trial) = 0;
    [[deprecated("update_active_set")]] bool settle_modes(const StepTrial& trial) {
        return update_active_set(trial);
    }
    /// [step] Makes the trial that was solved last the state at t0 + h and records it in the
    /// ledger.
    virtual void accept(const StepTrial& trial) = 0;

    /// [step] Largest displacement of matter that a change of q means [m].
    virtual double displacement(std::span<const double> dq) const = 0;

    /// [step] Calls range(begin, end) for ranges that make up [0, count), perhaps by several
    /// threads at once, and returns when all are done: an integrator's long loops over coordinates.
    /// No range may read data that another writes, nor may results depend on where ranges end, so
    /// that the bits are those of one thread. `range` must not call the system; its exceptions are
    /// rethrown, of several that of the first range.
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

    // Events: contacts that change between stick and slip, crossings of signals, rows that break. A
    // mode is frozen within a step.

    /// Number of event functions; 0 for models without any.
    virtual int num_events() const = 0;
    /// [step] Functions that are positive as long as the modes are admissible, at the end of the
    /// trial that was solved last. ContinuousSystem has them at a state.
    virtual void evaluate_events(const StepTrial& trial, std::span<double> g) = 0;
    /// [step] Continues from the accepted state, at which event `event` has occurred, with the
    /// modes that are admissible from there.
    virtual void pass_event(int event) = 0;
    /// [step] Longest step of at most h that a fixed formula should take from the accepted state,
    /// at which accelerations have just been evaluated: sliding that turns while it comes to rest
    /// is not smooth up to its stop.
    virtual double max_smooth_step(double h) const = 0;
    [[deprecated("max_smooth_step")]] double smooth_length(double h) const {
        return max_smooth_step(h);
    }

    // Singular positions.

    /// [step] Whether rows that are independent elsewhere become dependent in the trial or close to
    /// it: a singular position, at which motions bifurcate, so that a step has other solutions near
    /// the one that continues the motion. Depends on positions alone.
    virtual bool nears_singular_position(const StepTrial& trial) = 0;
    /// Records in the run's events that the substep t0 -> t1, just accepted, passed such a
    /// position, and whether it continues the motion.
    virtual void record_singular_position(double t0, double t1, bool continues) = 0;

    // The end of a run.

    /// Refuses to go on: throws a numerical error with the time and `why`.
    [[noreturn]] virtual void refuse(double t, std::string_view why) = 0;
    /// Refuses the step in progress: throws a numerical error with the time, the step, the row or
    /// coordinate of the last evaluated trial whose residual is largest, and `advice`.
    [[noreturn]] virtual void no_convergence(const StepTrial& trial,
                                             std::string_view what,
                                             std::string_view advice) = 0;

protected:
    using RangeCall = void (*)(const void* range, std::size_t begin, std::size_t end);
    virtual void split_ranges(std::size_t count, RangeCall call, const void* range) {
        call(range, 0, count);
    }
    /// The object of the class that goes with a facet, as a pointer to that class; or null.
    virtual void* find_facet(Facet which) {
        static_cast<void>(which);
        return nullptr;
    }
    ~System() = default;

private:
    template <class Class>
    Class* facet(Facet which) {
        return static_cast<Class*>(find_facet(which));
    }
    // Facets of a constant system are constant themselves.
    template <class Class>
    Class* facet(Facet which) const {
        return static_cast<Class*>(const_cast<System*>(this)->find_facet(which));
    }
};

}  // namespace ancora
