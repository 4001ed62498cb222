// SPDX-License-Identifier: BSD-3-Clause
// The equations of a model, assembled: what an integrator sees as System.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>

#include "ancora/framework/dynamics.hpp"
#include "ancora/sdk/system.hpp"
#include "call_meter.hpp"
#include "co_rotation.hpp"
#include "contacts.hpp"
#include "continuous_face.hpp"
#include "force_set.hpp"
#include "force_tangents.hpp"
#include "independent_rows.hpp"
#include "jump_search.hpp"
#include "ledger.hpp"
#include "mass_matrix.hpp"
#include "massless.hpp"
#include "model.hpp"
#include "rank_analysis.hpp"
#include "row_laws.hpp"
#include "row_set.hpp"
#include "space.hpp"
#include "step_matrix.hpp"

namespace ancora {

/// Owns the state (q, v with compensation words, carried pi, stresses, plugin state), assembles the
/// step's residual and matrix from the plugins, and keeps the ledger.
class KernelSystem final : public System {
public:
    /// [assembly] Assembles at the bodies' start and checks it.
    explicit KernelSystem(const Model& model);

    int num_coordinates() const override { return n_; }
    int num_rows() const override { return m_ + contacts_.num_rows(); }
    std::span<const double> q() const override { return view(q_); }
    std::span<const double> v() const override { return view(v_); }
    std::span<const double> acceleration() const override { return view(a_); }
    std::span<const double> stress() const override { return view(s_); }
    std::span<double> history() override { return history_; }
    bool stresses_are_unique() const override { return !is_redundant_ && !shares_friction(); }
    void clear_constraint_stress(std::span<double> s) const override;
    void evaluate(const StepTrial& trial,
                  std::span<double> r_motion,
                  std::span<double> r_rows) override;
    StepDefect defect(const StepTrial& trial, double slack) override;
    bool factorise(const StepTrial& trial, Tangent tangent) override;
    void solve(std::span<const double> r_motion,
               std::span<const double> r_rows,
               std::span<double> ddq,
               std::span<double> ds) override;
    SolverCost cost() const override;
    bool is_factorised_for(double h) const override { return h == factorised_for_; }
    double displacement(std::span<const double> dq) const override {
        return space_.displacement(dq.data());
    }
    void accept(const StepTrial& trial) override;
    ContinuousState continuous() const override;
    void read_state(std::span<double> x) const override;
    void derivative(double t, std::span<const double> x, std::span<double> dx) override;
    double smooth_length(double h) const override;
    void accept_state(double t0, double t1, std::span<const double> x) override;
    int num_events() const override;
    void evaluate_events(const StepTrial& trial, std::span<double> g) override;
    void evaluate_events(double t, std::span<const double> x, std::span<double> g) override;
    bool settle_modes(const StepTrial& trial) override;
    bool renew_choice() override;
    bool nears_singular_position(const StepTrial& trial) override;
    void record_singular_position(double t0, double t1, bool continues) override;
    void pass_event(int event) override;
    [[noreturn]] void refuse(double t, std::string_view why) override;
    void count_iteration() override { ++iterations_in_piece_; }
    [[noreturn]] void no_convergence(const StepTrial& trial,
                                     std::string_view what,
                                     std::string_view advice) override;

    /// The Udwadia-Kalaba equation of this system; made when first asked for.
    ContinuousFace& continuous_face();
    /// Continuous face: reactions at the present state, in place of a step's means.
    void update_reactions();
    /// Shows the state x at t inside the last accepted step as if it were the present one,
    /// projected and with its balances, until unpeek(). For rows of integrators that choose their
    /// steps.
    void peek(double t, std::span<const double> x);
    double begin_of_step() const { return before_.t; }
    void unpeek();
    long evaluations = 0;  ///< of the continuous face by the integrator

    /// What a continuous state carries behind q and v.
    enum Book : int { kExternal, kNonideal, kImpulse, kAngularImpulse = kImpulse + 3, kBooks = 8 };

    /// A contact that changed its mode; the first ten thousand are kept.
    struct Event {
        double t;
        int force;  ///< index in the model
        bool sticks;
    };
    const std::vector<Event>& contact_events() const { return recorded_events_; }
    /// Singular positions passed; the first ten thousand are kept.
    struct SingularPosition {
        double t;
        bool continues;  ///< the motion; else velocities jump there
    };
    const std::vector<SingularPosition>& singular_positions() const { return singular_positions_; }
    /// A row that broke, with the elastic energy that went with it; the first ten thousand.
    struct Break {
        double t;
        int row;
        double energy;
    };
    const std::vector<Break>& breaks() const { return breaks_; }

    /// The Udwadia-Kalaba equation at the present state.
    Dynamics dynamics();
    /// Refuses a start whose accelerations are not unique or whose constraints contradict each
    /// other.
    void check_accelerations();
    /// Refuses a start at which constraints contradict each other, where accelerations are unique.
    void check_consistency();
    /// Rank with the true mass matrix, by the solver of the continuous face; at the present state.
    RankAnalysis rank_by_solver();
    /// Frictions whose normal force is not unique, since rows of their constraint are redundant.
    std::vector<std::string> ambiguous_contacts();
    /// C of every force object over the last grid step, or at the instant, three entries each.
    std::span<const double> applied_forces() const { return view(applied_mean_); }

    /// Force of an embedding program on a point from now on, see HostLoads.
    void apply_force(const std::string& attachment, const std::array<double, 3>& force);
    /// Writes or reads everything that the rest of a run depends on, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

    /// Starts afresh from this state: strains from q, ledger at zero.
    /// @throws Error (numerical) if constraints are violated beyond rounding
    void set_state(std::span<const double> q, std::span<const double> v, double t);

    /// To be called around each grid step.
    /// @param goes_on the grid step was begun before and failed on its way
    void begin_grid_step(long step, bool goes_on);
    /// @param t the grid's time, free of the rounding of summed steps
    void end_grid_step(double t);

    double time() const { return t_; }
    const Ledger& ledger() const { return ledger_; }
    const Space& space() const { return space_; }
    const MassMatrix& mass() const { return mass_; }
    RowSet& rows() { return rows_; }
    const RowSet& rows() const { return rows_; }
    const CallMeter& meter() const { return meter_; }
    CallMeter& meter() { return meter_; }
    /// Says whether constraint rows depend on each other at the present state; a step then asks for
    /// a choice of them.
    void set_redundant(bool is_redundant);
    /// [assembly] Chooses how the matrix of steps of length h is laid out, see StepMatrix::plan().
    void plan_matrix(double h);
    void resize_history(int size) { history_.assign(static_cast<std::size_t>(size), 0.0); }

    /// Mean reaction of each constraint over the last grid step, three or as many as it has rows
    /// entries each, one after the other.
    std::span<const double> reactions() const {
        share_reactions();
        return view(reaction_mean_);
    }
    /// Where a constraint's reaction stands in them.
    const std::vector<int>& reaction_start() const { return reaction_start_; }

    /// Stresses of a body's rows: over the last step, or as update_reactions() left them.
    std::span<const double> stress_of_body(std::size_t body) const {
        const RowOwner& owner = rows_.owners[body];
        return view(s_).subspan(static_cast<std::size_t>(owner.first_row),
                                static_cast<std::size_t>(owner.num_rows));
    }

    /// Violations at the present state, from q afresh.
    struct Violation {
        double position = 0.0;  ///< of the model's constraints
        double velocity = 0.0;
        double strain = 0.0;  ///< of exactly rigid bodies and links
    };
    const Violation& violation() const { return violation_; }
    const Violation& worst_violation() const { return worst_violation_; }

    double extent() const { return extent_; }
    double farthest() const { return farthest_; }
    /// All mass, of the direction in which bodies have most [kg].
    double total_mass() const { return total_mass_; }

    long substeps = 0;
    long iterations = 0;
    long max_iterations = 0;
    long factorisations = 0;
    double factorise_seconds = 0.0;
    /// Of the sampled steps: all, in factorisations, in residuals and tangents, in solves.
    struct SampledSeconds {
        double step = 0.0;
        double factorise = 0.0;
        double assemble = 0.0;
        double solve = 0.0;
    };
    SampledSeconds sampled;

private:
    static std::span<const double> view(const Eigen::VectorXd& x) {
        return {x.data(), static_cast<std::size_t>(x.size())};
    }
    void apply_exact(const double* x, const double* y, double h, double* r_motion, double* r_rows);
    void prepare_defect();
    bool chooses_rows() const { return model_.traits.face == Face::discrete; }
    const double* shared(const double* s);
    void share_reactions() const;
    bool settle_rows(const StepTrial& trial);
    bool nears_singular(const StepTrial& trial);
    bool choose_rows_at_state();
    double unreachable(const Contact& contact, int k) const;
    void contact_defect(const StepTrial& trial, double slack, StepDefect& out);
    /// The residual that is furthest from what rounding leaves of its terms.
    struct WorstResidual {
        std::string name = "nothing";
        double left = 0.0;
        const char* unit = "m";
        bool is_slipping = false;
    };
    WorstResidual worst_residual(const StepTrial& trial);
    void update_B_start(double t0);
    void solve_refined(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds);
    // Rows under prestress, and those that may go slack or break, see kernel_laws.cpp.
    double follow_law(int k, double increment, double s, double h);
    double terms_of_law(int k, double s) const;
    void follow_slopes();
    bool has_outlived_matrix() const;
    std::span<const double> in_units_of_matrix(std::span<const double> r_rows);
    double margin_to_break(const Eigen::VectorXd& pi) const;
    void break_rows();
    void check_limits() const;
    void check_start();
    void refuse_contradiction();
    void check_massless();
    void release_conventions();
    void book(const StepTrial& trial);
    void note_lag(double t);
    void refuse_jumps(double t0, double h);
    void measure_violation(const double* q, const double* v, double t);
    void note_violation();
    void start_at(std::span<const double> q, std::span<const double> v, double t);
    void check_vanishing();
    void check_conventions(
        const double* s, const double* F, const double* Ma, double scale, double t) const;
    void attribute_nonfinite(double t) const;
    double elastic_energy() const;
    void weigh();
    void close_ledger(bool begins);
    // Contacts, see kernel_contacts.cpp and kernel_modes.cpp.
    void prepare_contacts();
    void start_contacts();
    void evaluate_contacts(const StepTrial& trial,
                           std::span<double> r_motion,
                           std::span<double> r_rows);
    void solve_matrix(std::span<const double> r_motion,
                      std::span<const double> r_rows,
                      std::span<double> ddq,
                      std::span<double> ds);
    void solve_linear(std::span<const double> r_motion,
                      std::span<const double> r_rows,
                      std::span<double> ddq,
                      std::span<double> ds);
    void solve_with_contacts(std::span<const double> r_motion,
                             std::span<const double> r_rows,
                             std::span<double> ddq,
                             std::span<double> ds);
    // Forces that listen to reactions, see kernel_feedback.cpp.
    void prepare_feedback();
    void apply_feedback(const double* y, double* r_motion);
    [[noreturn]] void refuse_feedback(double t) const;
    void apply_contacts(
        const double* x, const double* y, double h, double* r_motion, double* r_rows);
    double normal_force(const Contact& contact, const double* s, bool of_step, Eigen::Vector3d* f);
    void linearise_slip(const Contact& contact,
                        const double* w,
                        double N,
                        double t,
                        const double* direction = nullptr);
    void solve_contacts(const double* q, const double* v, double t);
    void resolve_modes();
    bool has_stopped(Contact& contact);
    void stop_sliding(int island);
    bool meet_velocity_constraints();
    double margin_at_end(const Contact& contact, const StepTrial& trial);
    bool stick_ends(const StepTrial& trial);
    void book_velocity_change(const Eigen::VectorXd& v_before, double before);
    void stop_others(const Contact& stopped);
    double slip_scale(int k, double h) const;
    double stick_margin(const Contact& contact, const double* s, bool of_step, double t);
    void sliding_events(const double* v, std::span<double> g) const;
    void solve_all(const double* q, const double* v, double t);
    void solve_accelerations(const double* q,
                             const double* v,
                             double t,
                             RankUse use = RankUse::decide);
    bool is_accepted_state(std::span<const double> x) const;
    bool can_solve_accelerations(const double* q, const double* v, double t, RankUse use);
    void follow_sliding();
    void note_changes(double h);
    void note_speeds();
    void find_sticking_islands();
    int island_of(const Contact& contact) const;
    double force_acceleration(int island) const;
    [[noreturn]] void refuse_paradox(double t) const;
    void record_mode(const Contact& contact, double t);
    enum class ModeChange { none, share, mode };
    ModeChange relieve_sticking(const double* s, bool of_step, double t);
    double stick_use(const Contact& contact, const double* s, bool of_step, double t);
    void find_most_used(const double* s, bool of_step, double t);
    bool share_anew(int island, const double* s, bool of_step, double t);
    void restart_sharing();
    bool shares_friction() const;
    bool asks_others(const Contact& contact);
    bool stop_pushed_back();
    double begin_slip(const Contact& contact, const double* w, double* direction);
    void add_turning(const Contact& contact, double pull, const double* direction);
    double free_acceleration(int island) const;
    void book_contacts(const StepTrial& trial);
    bool hold_at_rest(const StepTrial& trial);
    bool is_coordinate_held(int i) const {
        const int island = rest_island_[static_cast<std::size_t>(i)];
        return island >= 0 && is_held_[static_cast<std::size_t>(island)] != 0;
    }
    bool is_row_held(int k) const {
        const auto begin = static_cast<std::size_t>(rows_.row_start[static_cast<std::size_t>(k)]);
        return is_any_held_ && is_coordinate_held(rows_.column[begin]);
    }
    void rest_accelerations(const double* v, double* a);
    void advance_contacts();
    int runaway(std::span<const double> x) const;
    void take_state(double t1, std::span<const double> x);
    void scale_books();
    void project(double t, double way);
    void advance_to(double t0, double t1, std::span<const double> x);
    double total_energy(const double* q, const double* v, double t);
    void project_start();
    void collect_reactions(const StepTrial& trial);
    void add_applied(const double* contact_s, double factor, Eigen::VectorXd& to) const;
    std::vector<double> reported(std::size_t constraint, const double* s, bool of_step);

    const Model& model_;
    int n_;
    CallMeter meter_;
    RowSet rows_;
    int m_;
    Space space_;
    MassMatrix mass_;
    RowLaws laws_;
    mutable IndependentRows independent_;
    bool has_factorised_ = false;  // since rows were looked at last
    Eigen::VectorXd q_at_choice_;  // state at which rows were chosen, or looked at last
    Massless massless_;
    ForceSet forces_;
    ForceTangents force_tangents_;
    JumpSearch jumps_;
    Contacts contacts_;
    /// Forces that listen to reactions, see kernel_feedback.cpp.
    struct Feedback {
        Eigen::MatrixXd by_reactions;  // U
        Eigen::MatrixXd x, s;          // W
        Eigen::MatrixXd answer;        // I - E W
        Eigen::PartialPivLU<Eigen::MatrixXd> solver;
        Eigen::VectorXd zero, heard, y;
    };
    Feedback feedback_;
    std::unique_ptr<StepMatrix> matrix_;
    CoRotation co_rotation_;
    bool is_turned_ = false;  // the factorisation in use serves at another attitude
    Eigen::VectorXd turned_motion_, turned_rows_;
    bool is_redundant_ = false;
    double factorised_for_ = 0.0;

    // Accepted state.
    double t_ = 0.0;
    Eigen::VectorXd q_, q_low_, v_, v_low_, a_, s_, pi_;
    Eigen::VectorXd lag_;          // of timed_rows_: what the next step makes up for
    std::vector<int> timed_rows_;  // constraint rows with explicit time
    Eigen::VectorXd q_next_, q_low_next_, v_next_, v_low_next_;  // filled before the commit
    std::vector<double> state0_, state1_, history_;

    // The trial in progress.
    Eigen::VectorXd dq_, mid_, Bdq_, Ma_, F_, p_;
    Eigen::VectorXd B_start_;  // Jacobian at q0; B at the end is 2 B(mid) - B_start
    bool has_B_start_ = false;
    double trial_h_ = 0.0;
    bool positions_round_ = false;  // the last correction moved positions by roundings at most
    Eigen::VectorXd size_q_, size_dq_, terms_, row_terms_;  // see step_defect.cpp
    std::vector<int> valued_rows_;    // whose increment is a difference of values of pi
    std::vector<int> first_of_node_;  // of the coordinates that are measured together
    std::vector<int> body_of_node_;
    int worst_row_ = -1;
    int worst_node_ = -1;
    std::vector<double> body_terms_;
    const double* s_trial_ = nullptr;
    bool is_fresh_ = false;
    bool is_exact_ = false;  // the factorisation in use is of the exact tangent
    Eigen::VectorXd refine_motion_, refine_rows_, refine_dq_, refine_s_;
    std::span<const double> r_motion_, r_rows_;
    long iterations_in_piece_ = 0;

    // Rows that may go slack or break: their law at the last trial, its slope in the matrix, and
    // residuals in the matrix's units.
    std::vector<RowLaws::Secant> law_of_trial_;
    Eigen::VectorXd slope_in_matrix_, matrix_rows_, pi_next_;
    std::vector<Break> breaks_;

    // Forces.
    Eigen::VectorXd inverse_mass_;  // 1 / M_ii, zero where there is none
    Eigen::VectorXd gravity_force_;
    bool has_gravity_ = false;

    // Continuous face.
    std::unique_ptr<ContinuousFace> face_;
    Eigen::VectorXd x_force_;
    bool has_chosen_rank_ = false;      // at the present accepted state
    std::optional<Error> trial_error_;  // why a trial state of the step has no accelerations
    /// What a peek must put back, and what it starts from.
    struct Snapshot {
        double t = 0.0;
        Eigen::VectorXd q, v, pi;
        Ledger ledger;
        std::vector<double> state;
        std::vector<Contact> contacts;
        std::vector<char> broken;
        std::array<double, kBooks> book_unit{};
    };
    Snapshot before_, after_;
    std::array<double, kBooks> book_unit_{};  // in which a continuous state carries its books
    void save(Snapshot& to) const;
    void restore(const Snapshot& from);

    // Contacts: responses to friction along each sliding row, and the law of one slipping contact.
    SmallSolver small_;
    Eigen::MatrixXd response_x_, response_s_;
    bool has_responses_ = false;
    Eigen::VectorXd contact_s_, contact_work_, scratch_s_;
    double met_constraints_at_ = -1.0;  // time at which velocities last met the constraints
    std::vector<Sharing> sharing_;      // per island of contacts
    std::vector<Eigen::Vector3d> normal_response_;  // per contact and row: d(normal force)/d s
    struct SlipLaw {
        double s[2], by_normal[2], by_rate[2][2];
    };
    SlipLaw law_{};
    bool has_turned_ = false;  // a contact slips against its direction in the present linearisation
    bool is_resolving_ = false;  // modes are being tried that may not hold
    bool paradox_ = false;       // the coupled laws of the last solve have no single solution
    std::vector<Event> recorded_events_;
    std::vector<SingularPosition> singular_positions_;
    bool comes_to_nothing_ = false;  // the independence looked at last
    double singular_until_ = -1.0;   // end of the piece that the last of them was passed in
    std::vector<int> rest_island_;   // of each coordinate: -1, or the number of its island
    int num_rest_islands_ = 0;
    std::vector<double> top_speed_;  // of each such island so far
    std::vector<char> is_held_;
    bool is_any_held_ = false;

    // Ledger and reactions.
    Ledger ledger_;
    Eigen::VectorXd external_force_;
    bool has_external_ = false;
    std::vector<int> reaction_start_;
    Eigen::VectorXd reaction_sum_, local_force_;
    mutable Eigen::VectorXd reaction_mean_;
    // Where rows are left out: sum of h s of the grid step; whether the means are of least norm;
    // the trial for which rows share; stresses of least norm.
    Eigen::VectorXd stress_sum_;
    mutable bool is_reaction_shared_ = true;
    double shares_from_ = -1.0;
    double shares_over_ = -1.0;
    Eigen::VectorXd shared_;
    mutable Eigen::VectorXd share_work_, share_force_;
    Eigen::VectorXd applied_sum_, applied_mean_;
    double grid_time_ = 0.0;
    RowSet::Instant instant_;
    Eigen::VectorXd fresh_pi_, rate_A_, rate_pi_t_;
    std::vector<int> constraint_blocks_;
    std::vector<int> moving_blocks_;  // whose Jacobian is not constant
    Violation violation_, violation_next_, worst_violation_;
    double extent_ = 1.0;
    double farthest_ = 0.0;
    double total_mass_ = 0.0;
};

}  // namespace ancora
