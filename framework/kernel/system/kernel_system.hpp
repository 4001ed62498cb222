// SPDX-License-Identifier: BSD-3-Clause
// The equations of a model, assembled: what an integrator sees as System.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accelerations.hpp"
#include "accounts.hpp"
#include "ancora/sdk/continuous_system.hpp"
#include "ancora/sdk/step_equations.hpp"
#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "continuous_motion.hpp"
#include "discontinuities.hpp"
#include "impact_records.hpp"
#include "implicit_face.hpp"
#include "instant_analysis.hpp"
#include "low_rank_update.hpp"
#include "newton.hpp"
#include "residual_scaling.hpp"
#include "start.hpp"
#include "step_acceptance.hpp"
#include "step_parts.hpp"
#include "step_residual.hpp"
#include "step_rows.hpp"
#include "step_solver.hpp"
#include "trial_history.hpp"
#include "velocity_projection.hpp"

namespace ancora {

/// Combines the parts of a system and delegates the integrator's calls to them. It knows the order
/// of the calls, and no mechanics.
class KernelSystem final : public System,
                           private ContinuousSystem,
                           private StepEquations,
                           private Discontinuities::Steps {
public:
    /// [assembly] Assembles at the bodies' start and checks it.
    explicit KernelSystem(const Model& model);

    // The integrator's view.
    std::span<const double> q() const override { return view(state_.q); }
    std::span<const double> v() const override { return view(state_.v); }
    std::span<const double> acceleration() const override { return view(state_.a); }
    std::span<const double> stress() const override { return view(state_.s); }
    std::span<double> history() override { return state_.history; }
    StepReport solve_step(const StepGuess& guess, const StepOptions& options) override;
    double displacement(std::span<const double> dq) const override {
        return parts_.space.displacement(dq.data());
    }
    void split_ranges(std::size_t count, RangeCall call, const void* range) override;
    void accept(const StepTrial& trial) override;
    double max_smooth_step(double h) const override {
        pause_behind_event();
        return extra_.max_smooth_step(h);
    }
    int num_events() const override { return discontinuities_.num_events(); }
    void evaluate_events(const StepTrial& trial, std::span<double> g) override;
    bool update_active_set(const StepTrial& trial) override;
    bool nears_singular_position(const StepTrial& trial) override;
    void record_singular_position(double t0, double t1, bool continues) override {
        rows_.singular.record(t0, t1, continues);
    }
    void pass_event(int event) override;
    [[noreturn]] void refuse(double t, std::string_view why) override;
    [[noreturn]] void no_convergence(const StepTrial& trial,
                                     std::string_view what,
                                     std::string_view advice) override;

    // What a simulation asks for.
    /// Whether the integrator's step ends at the first event in it, or at its end alone if the
    /// integrator asks for nothing between its pieces.
    void pause_at_events(bool on) {
        pauses_ = on;
        is_paused_ = false;
    }
    /// An event was passed since.
    bool is_paused() const { return is_paused_; }
    /// See Assembly::use_threads().
    void use_threads(int count) {
        parts_.use_threads(count);
        rows_.matrix.follow_workers();
    }
    Assembly& parts() { return parts_; }
    const Assembly& parts() const { return parts_; }
    const MotionState& state() const { return state_; }
    const EnergyAccounting& accounting() const { return accounts_.energy; }
    const Ledger& ledger() const { return accounts_.energy.ledger; }
    const Violations& violations() const { return accounts_.violations; }
    const Reactions& reactions() const { return accounts_.reactions; }
    void show_reactions(Reactions::Means means) { accounts_.reactions.show(std::move(means)); }
    void hide_reactions() { accounts_.reactions.hide(); }
    const JointValues& joints() const { return accounts_.joints; }
    const ModeEvents& mode_events() const { return events_; }
    const ImpactRecords& impacts() const { return impacts_; }
    const SingularPositions& singular_positions() const { return rows_.singular; }
    const JumpSearch& jumps() const { return rows_.jumps; }
    const ConstraintTurn& constraint_turn() const { return rows_.turn; }
    const Breaking& breaking() const { return accounts_.breaking; }
    const Releases& releases() const { return accounts_.releases; }
    const StepSolver& solver() const { return solver_; }
    ContinuousMotion& motion() { return motion_; }
    const ContinuousMotion& motion() const { return motion_; }
    InstantAnalysis& instant() { return instant_; }
    /// Of all rows, as accelerations were solved last.
    const Eigen::VectorXd& stress_at_instant() { return accelerations_.face().stress(); }
    /// The equations with their derivatives at a state, for any integrator; without dry friction,
    /// breakable rows and continuous states of objects.
    ImplicitFace& linearisable();
    /// Of the unilateral rows these, ascending, are conditions of linearisable() until the state is
    /// set.
    void close_rows(const std::vector<int>& rows);
    /// A separate object, whose stiffness may be that of a rotating frame.
    std::unique_ptr<ImplicitFace> make_turning_face();
    /// Null unless an integrator has asked for it.
    const VelocityProjection* projected() const { return projection_.get(); }
    /// The state that an integrator saved last, for samples inside its step; empty if none did.
    const std::vector<std::byte>& saved() const { return saved_; }
    void set_saved(std::vector<std::byte> saved) { saved_ = std::move(saved); }
    std::vector<std::byte> save();
    void restore(std::span<const std::byte> saved);
    /// Sets the coordinates and nothing else: for pictures, which restore them.
    void show_at(std::span<const double> q) { std::ranges::copy(q, state_.q.data()); }
    double time() const { return state_.t; }
    /// Sets the time, equal to the present one but for round-off: grid times do not depend on the
    /// end of a run.
    void set_time(double t) { state_.t = t; }
    // For derivatives of a run.
    /// Called with each trial that is accepted, before it is: the state is that of its begin.
    void watch_steps(std::function<void(const StepTrial&)> watch) { watch_ = std::move(watch); }
    /// That of the step under way; null where velocities are not projected.
    const VelocityProjection* projection_under_way() const {
        return projection_ && projection_->is_under_way() ? projection_.get() : nullptr;
    }
    /// The equations, the state and the last trial, which may be set to those of another system of
    /// the model and evaluated by step_equations(); what follows from a state's past does not.
    SystemData step_data() { return data(); }
    StepRows& step_rows() { return rows_; }
    const StepParts& step_parts() const { return extra_; }
    const VelocityImpulse& impulse() const { return discontinuities_.impulse; }
    EnergyAccounting::Snapshot energies() { return accounts_.energy.snapshot(); }
    /// After the state has been set: angles are nearest to what they were.
    void follow_joints() {
        accounts_.joints.follow(state_.q.data(), state_.v.data(), state_.t, 0.0);
    }
    /// Stresses of a body's rows: over the last step, or as update_reactions() left them.
    std::span<const double> stress_of_body(std::size_t body) const;

    /// Substeps and iterations so far.
    struct Counts {
        long substeps = 0;
        long iterations = 0;
        long max_iterations = 0;
        long in_piece = 0;  ///< iterations since the last accepted substep
    };
    const Counts& counts() const { return counts_; }
    /// The first step of record_limited_step(); h is zero if there was none.
    struct Limited {
        double t = 0.0;
        double h = 0.0;
    };
    const Limited& limited() const { return limited_; }
    /// Of the matrices of steps.
    long factorisations() const {
        return solver_.factorisations + (implicit_ ? implicit_->factorisations : 0);
    }

    /// [assembly] Tells whether constraint rows are redundant at the present state; steps then use
    /// a selection of them.
    void set_redundant(bool is_redundant) {
        rows_.choice.set_redundant(is_redundant);
        rows_.singular.prepare();
    }
    /// [assembly] Chooses how the matrix of steps of length h is laid out, see StepMatrix::plan().
    void plan_matrix(double h);
    void resize_history(int size) { state_.history.assign(size, 0.0); }
    /// Starts afresh from this state: strains from q, ledger at zero.
    /// @throws Error (numerical) if constraints are violated beyond rounding; the state then stays
    void set_state(std::span<const double> q, std::span<const double> v, double t);
    /// The same for a state that an embedding program gives, which may have come from this or
    /// another system of the model; h is the length of its steps, if these meet rates at their
    /// middle.
    void take_state(std::span<const double> q, std::span<const double> v, double t, double h);
    /// The present state has been reported to the program.
    void note_reported() {
        if (parts_.model.traits.face == Face::discrete) start_.note_reported();
    }
    /// Continues from a system of the same objects, whose parameters may differ: from its state,
    /// modes, applied loads, events and accounting. The difference of energies and momenta is
    /// recorded as external.
    /// @throws Error (numerical) if constraints are violated beyond rounding, (usage) if objects
    ///         keep other numbers than there; this system is then of no use
    void continue_from(KernelSystem& before);
    /// Force of an embedding program on a point from now on, see HostLoads.
    void apply_force(const std::string& attachment, const std::array<double, 3>& force);
    /// The same for a torque on a body.
    void apply_torque(const std::string& body, const std::array<double, 3>& torque);
    /// Changes that take no time.
    Discontinuities& discontinuities() { return discontinuities_; }
    /// To be called around each grid step.
    /// @param goes_on the grid step was begun before and failed on its way
    void begin_grid_step(long step, bool goes_on);
    /// @param t the grid's time, free of the rounding of summed steps
    void end_grid_step(double t);
    /// The unbounded growth of the kinetic energy and its cause (EnergyGrowth::cause); else empty.
    std::string grown_energy(bool has_failed) const;
    /// Writes or reads everything that the rest of a run depends on, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

protected:
    void* find_facet(Facet which) override;

private:
    using Change = Discontinuities::Change;

    // The continuous formulation.
    ContinuousState size() const override {
        return {parts_.n, motion_.num_states(), parts_.signals.num_continuous()};
    }
    void read_state(std::span<double> x) const override { motion_.read_state(x); }
    void derivative(double t, std::span<const double> x, std::span<double> dx) override {
        motion_.derivative(t, x, dx);
    }
    void evaluate_events(double t, std::span<const double> x, std::span<double> g) override;
    void accept_state(double t0, double t1, std::span<const double> x) override;
    std::span<const double> quadrature_scales() const override {
        return motion_.quadrature_scales();
    }
    bool constraint_error(double t, std::span<const double> x, std::span<double> error) override {
        return motion_.constraint_error(t, x, error);
    }
    bool has_formulas_of_time() const override {
        return std::ranges::any_of(parts_.model.break_points, [](const auto& of) {
            return of.points->is_sampled();
        });
    }
    void record_limited_step(double t0, double t1) override {
        if (!(limited_.h > 0.0)) limited_ = {t1, t1 - t0};
    }

    // The equations of a step, as Newton's method and others that iterate see them.
    bool stresses_are_unique() const override {
        return !rows_.choice.is_redundant() && !extra_.may_share();
    }
    void clear_constraint_stress(std::span<double> s) const override;
    void evaluate(const StepTrial& trial,
                  std::span<double> r_motion,
                  std::span<double> r_rows) override {
        is_trial_passed_ = false;
        residual_.evaluate(trial, r_motion, r_rows);
    }
    ScaledResidual defect(const StepTrial& trial, double slack) override {
        ScaledResidual out = defect_.measure(trial, slack);
        rows_.choice.refute(trial, out);
        return out;
    }
    bool factorise(const StepTrial& trial, Tangent tangent) override {
        return solver_.factorise(trial, tangent);
    }
    bool is_factorised_for(double h) const override { return rows_.matrix.is_for(h); }
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override {
        solver_.solve(r_motion, r_rows, ddq, ds);
    }
    bool converged_to_roundoff() const override { return solver_.converged_to_roundoff(); }
    SolverCost cost() const override { return solver_.cost(); }
    void count_iteration() override { ++counts_.in_piece; }
    void return_to(const StepTrial& trial);
    void note_piece();

    /// To be called where an integrator begins a piece of its step.
    void pause_behind_event() const {
        if (is_paused_) throw EventPause{};
    }
    ImplicitFace& implicit_face();
    VelocityProjection& velocity_projection();
    void require_present(double t0, double h) const;
    SystemData data() { return {parts_, state_, trial_}; }
    PartContext context_of_parts();
    void begin_at(std::span<const double> q, std::span<const double> v, double t);
    void invalidate(Change change) override;
    void follow_velocities() override;
    void begin_course() override;
    void follow_rows() override;
    /// Clears the history of the run.
    void clear_records();

    Assembly parts_;
    MotionState state_;
    Trial trial_;

    StepRows rows_;
    // Parts of the system, with modes: friction.
    ModeEvents events_;
    ImpactRecords impacts_;
    StepParts extra_;
    Accounts accounts_;

    // The two formulations.
    StepResidual residual_;
    ResidualScaling defect_;
    LowRankUpdate feedback_;
    StepSolver solver_;
    Newton newton_;
    Eigen::VectorXd r_motion_, r_rows_;  // of return_to()
    bool go_over();
    bool follow_releases();
    TrialHistory trials_;
    bool pauses_ = false;           // behind events
    bool is_paused_ = false;        // behind one
    bool has_gone_over_ = false;    // a part, since the last trial
    bool is_trial_passed_ = false;  // other positions have been evaluated since
    Accelerations accelerations_;
    StepAcceptance acceptance_;
    ContinuousMotion motion_;
    InstantAnalysis instant_;
    Start start_;
    Discontinuities discontinuities_;
    bool is_from_program_ = false;            // the state that set_state() is given
    double given_step_ = 0.0;                 // steps whose ends do not meet rates, of that state
    std::unique_ptr<ImplicitFace> implicit_;  // made when an integrator first asks for it
    std::unique_ptr<VelocityProjection> projection_;
    std::vector<std::byte> saved_;

    std::function<void(const StepTrial&)> watch_;
    Counts counts_;
    Limited limited_;
};

}  // namespace ancora
