// SPDX-License-Identifier: BSD-3-Clause
// The discrete face of the whole model: assembly, residual, matrix, acceptance.
#include "kernel_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ancora {
namespace {

// What one refinement with a new matrix must gain for single precision to serve.
constexpr double kSingleContraction = 1e-2;
// A factorisation turned along must contract at least so well, or it is used as it is.
constexpr double kTurnedContraction = 0.1;
// Corrections smaller than this, relative to the largest position, change positions by roundings.
constexpr double kUnseen = std::numeric_limits<double>::epsilon();
// A choice of rows is looked at again when the system has moved by this part of its size and the
// matrix has had to be made anew.
constexpr double kMoved = 0.05;

}  // namespace

KernelSystem::KernelSystem(const Model& model)
    : model_(model),
      n_(model.num_coordinates),
      meter_([&] {
          CallMeter meter;
          meter.resize(model.plugins.size());
          return meter;
      }()),
      rows_(model, meter_),
      m_(rows_.num_rows()),
      space_(model),
      mass_(model),
      laws_(rows_.laws),
      independent_(rows_, laws_, mass_),
      massless_(mass_, rows_, n_),
      forces_(model, meter_, rows_.num_state),
      force_tangents_(forces_),
      jumps_(rows_, laws_),
      contacts_(model, meter_),
      co_rotation_(space_, mass_, rows_, n_) {
    for (Eigen::VectorXd* x : {&q_,
                               &q_low_,
                               &v_,
                               &v_low_,
                               &q_next_,
                               &v_next_,
                               &a_,
                               &dq_,
                               &mid_,
                               &Ma_,
                               &F_,
                               &p_,
                               &gravity_force_,
                               &external_force_,
                               &inverse_mass_,
                               &x_force_,
                               &turned_motion_,
                               &q_at_choice_,
                               &refine_motion_,
                               &refine_dq_})
        x->setZero(n_);
    for (Eigen::VectorXd* x : {&pi_, &lag_, &Bdq_, &fresh_pi_, &rate_pi_t_, &turned_rows_})
        x->setZero(m_);
    rate_A_.setZero(rows_.B.size());
    B_start_.setZero(rows_.B.size());
    if (laws_.has_nonlinear()) {
        law_of_trial_.resize(static_cast<std::size_t>(m_));
        for (Eigen::VectorXd* x : {&slope_in_matrix_, &matrix_rows_, &pi_next_}) x->setZero(m_);
    }

    for (int i = 0; i < n_; ++i)
        inverse_mass_[i] = mass_.is_massless(i) ? 0.0 : 1.0 / mass_.diagonal(i);

    // Gravity: the force that a uniform acceleration of all positions takes.
    Eigen::VectorXd field = Eigen::VectorXd::Zero(n_);
    space_.add_uniform(model.gravity, field.data());
    mass_.multiply(field.data(), gravity_force_.data());
    has_gravity_ = gravity_force_.squaredNorm() > 0.0;

    for (const ForcePart& part : model.forces) has_external_ |= part.is_external;
    state0_.assign(static_cast<std::size_t>(rows_.num_state + forces_.num_state()), 0.0);
    state1_ = state0_;

    int reaction = 0;
    int largest_u = 0;
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const ConstraintPart& part = model.constraints[c];
        const RowOwner& owner = rows_.owners[model.bodies.size() + c];
        reaction_start_.push_back(reaction);
        reaction += part.reaction == ReactionKind::force ? 3 : owner.num_rows;
        largest_u = std::max(largest_u, owner.u_count);
        has_external_ |= part.is_tied_to_ground;
    }
    reaction_start_.push_back(reaction);
    reaction_sum_.setZero(reaction);
    reaction_mean_.setZero(reaction);
    stress_sum_.setZero(m_);
    applied_sum_.setZero(3 * static_cast<Eigen::Index>(model.forces.size()));
    applied_mean_ = applied_sum_;
    local_force_.setZero(largest_u);
    for (std::size_t b = 0; b < rows_.blocks.size(); ++b) {
        const BlockPart& part = rows_.blocks[b];
        if (!part.is_constant) moving_blocks_.push_back(static_cast<int>(b));
        if (rows_.owners[static_cast<std::size_t>(part.owner)].constraint < 0) continue;
        const auto laws = part.block->laws;
        if (std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
                return RowLaws::is_constraint(law);
            }))
            constraint_blocks_.push_back(static_cast<int>(b));
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            if (part.block->depends_on_time && laws_[k].kind == RowKind::constraint)
                timed_rows_.push_back(k);
    }

    Eigen::VectorXd q = Eigen::VectorXd::Zero(n_);
    Eigen::VectorXd v = q;
    for (const BodyPart& part : model.bodies) {
        const auto count = static_cast<std::size_t>(part.count);
        part.start({q.data() + part.first, count}, {v.data() + part.first, count});
    }
    prepare_defect();
    contacts_.drop_idle_rows(q.data(), v.data(), 0.0);
    if (!contacts_.empty()) prepare_contacts();
    for (Eigen::VectorXd* x : {&s_, &refine_rows_, &refine_s_}) x->setZero(num_rows());
    set_state(view(q), view(v), 0.0);
}

void KernelSystem::set_redundant(bool is_redundant) {
    if (is_redundant && chooses_rows()) {
        rows_.evaluate(q_.data(), v_.data(), t_, instant_);
        independent_.choose(instant_.A, pi_);
        q_at_choice_ = q_;
        is_redundant = false;
    }
    is_redundant_ = is_redundant;
    std::vector<int> first;
    for (const BodyPart& part : model_.bodies) first.push_back(part.first);
    matrix_ = std::make_unique<StepMatrix>(n_,
                                           mass_.entries(),
                                           rows_,
                                           first,
                                           is_redundant,
                                           StepMatrix::Condense::if_cheaper,
                                           force_tangents_);
    factorised_for_ = 0.0;
}

void KernelSystem::plan_matrix(double h) {
    laws_.prepare(h);
    rows_.evaluate(q_.data(), v_.data(), t_, instant_);
    matrix_->plan(rows_, instant_.A, laws_.gamma(), h);
}

void KernelSystem::clear_constraint_stress(std::span<double> s) const {
    for (int k = 0; is_redundant_ && k < m_; ++k)
        if (laws_.is_constraint(k)) s[static_cast<std::size_t>(k)] = 0.0;
    for (const Contact& contact : contacts_.all())
        for (int k = 0; contact.mode == ContactMode::stick && k < contact.num_rows; ++k)
            s[static_cast<std::size_t>(m_ + contact.first_row + k)] = 0.0;
}

void KernelSystem::evaluate(const StepTrial& trial,
                            std::span<double> r_motion,
                            std::span<double> r_rows) {
    const Stopwatch watch(meter_.is_sampling(), sampled.assemble);
    const double h = trial.h;
    laws_.prepare(h);
    const double* a = trial.a.data();
    const double* s = trial.s.data();

    // dq = h v0 + h^2/2 a
    for (int i = 0; i < n_; ++i) {
        dq_[i] = h * v_[i] + (h * v_low_[i] + (0.5 * h * h) * a[i]);
        mid_[i] = q_[i] + (q_low_[i] + 0.5 * dq_[i]);
    }
    std::copy(state0_.begin(), state0_.end(), state1_.begin());
    rows_.evaluate_step(q_.data(), dq_.data(), mid_.data(), trial.t0, h, state0_, state1_);
    for (const int k : timed_rows_) rows_.tau[k] += lag_[k];
    mass_.multiply(a, Ma_.data());
    F_ = gravity_force_;
    if (!independent_.all() && (forces_.listens() || !contacts_.empty()) &&
        (shares_from_ != trial.t0 || shares_over_ != h)) {
        independent_.prepare_sharing();
        shares_from_ = trial.t0;
        shares_over_ = h;
    }
    if (forces_.listens()) forces_.hear(rows_, shared(s), true);
    forces_.evaluate_step(q_.data(), dq_.data(), trial.t0, h, state0_, state1_, F_.data());

    // r_motion = M a + B^T s - F,  r_rows = B dq + tau + theta pi0 + extra - gamma s
    for (int i = 0; i < n_; ++i) r_motion[static_cast<std::size_t>(i)] = Ma_[i] - F_[i];
    const int* column = rows_.column.data();
    const double* B = rows_.B.data();
    for (int k = 0; k < m_; ++k) {
        const double sk = s[k];
        double increment = 0.0;
        const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e) {
            const int i = column[e];
            increment += B[e] * dq_[i];
            r_motion[static_cast<std::size_t>(i)] += B[e] * sk;
        }
        Bdq_[k] = increment;
        r_rows[static_cast<std::size_t>(k)] = increment + rows_.tau[k] + laws_.theta()[k] * pi_[k] +
                                              laws_.extra()[k] - laws_.gamma()[k] * sk;
    }
    for (const int k : laws_.nonlinear())
        r_rows[static_cast<std::size_t>(k)] = follow_law(k, Bdq_[k] + rows_.tau[k], s[k], h);
    if (!contacts_.empty()) evaluate_contacts(trial, r_motion, r_rows);
    r_motion_ = r_motion;
    r_rows_ = r_rows;
    trial_h_ = h;
    s_trial_ = s;
}

/// Throws the plugin error of the first value of the last trial that is not finite, if a plugin
/// returned one.
void KernelSystem::attribute_nonfinite(double t) const {
    rows_.attribute_nonfinite(t);
    forces_.refuse_nonfinite_force("evaluate_step", t);
}

bool KernelSystem::factorise(const StepTrial& trial, Tangent tangent) {
    const Stopwatch watch(true, factorise_seconds);
    const Stopwatch watch_sampled(meter_.is_sampling(), sampled.factorise);
    ++factorisations;
    rows_.evaluate_tangent(mid_.data(), trial.s.data(), tangent == Tangent::definite, trial.t0);
    is_exact_ = tangent == Tangent::exact;
    if (is_exact_) {
        update_B_start(trial.t0);
        rate_A_ = 2.0 * rows_.B - B_start_;
    }
    if (laws_.has_nonlinear()) follow_slopes();
    if (!force_tangents_.empty()) force_tangents_.evaluate(forces_, tangent == Tangent::definite);
    const bool done = matrix_->factorise(rows_, rate_A_, laws_.gamma(), trial.h, tangent);
    if (!done) attribute_nonfinite(trial.t0);
    has_factorised_ = true;
    factorised_for_ = done ? trial.h : 0.0;
    co_rotation_.set_reference(mid_);
    is_turned_ = false;
    is_fresh_ = true;
    has_responses_ = false;
    return done;
}

void KernelSystem::update_B_start(double t0) {
    if (has_B_start_) return;
    B_start_ = rows_.B;
    rows_.evaluate_rates(
        moving_blocks_, q_.data(), v_.data(), t0, B_start_.data(), rate_pi_t_.data());
    rows_.clear_left_out(B_start_.data());
    has_B_start_ = true;
}

/// (r_motion, r_rows) -= K_exact (x, y), with the derivative of the residual at the last trial,
///
///   K_exact = [ 2 M / h^2 + G / 2 + T,  B(mid)^T ;  B(end),  -gamma ]
///
/// T the tangent of forces as the matrix in use knows it.
void KernelSystem::apply_exact(
    const double* x, const double* y, double h, double* r_motion, double* r_rows) {
    mass_.multiply(x, p_.data());
    const double scale = 2.0 / (h * h);
    for (int i = 0; i < n_; ++i) r_motion[i] -= scale * p_[i];
    const double* K = rows_.K.data();
    for (const TangentTerm& term : rows_.tangent_terms) {
        const double g = 0.5 * term.weight * K[term.from];
        r_motion[term.i] -= g * x[term.j];
        if (term.i != term.j) r_motion[term.j] -= g * x[term.i];
    }
    force_tangents_.subtract(x, r_motion);
    const int* column = rows_.column.data();
    const double* B = rows_.B.data();
    const double* B_start = B_start_.data();
    for (int k = 0; k < m_; ++k) {
        double sum = 0.0;
        const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e) {
            sum += (2.0 * B[e] - B_start[e]) * x[column[e]];
            r_motion[column[e]] -= B[e] * y[k];
        }
        if (laws_.is_nonlinear(k))
            r_rows[k] -= laws_.taut_gamma(k) *
                         (law_of_trial_[static_cast<std::size_t>(k)].slope * sum - y[k]);
        else
            r_rows[k] -= sum - laws_.gamma()[k] * y[k];
    }
}

/// With the factorisation in use, at its own attitude or turned along with the motion since.
void KernelSystem::solve_matrix(std::span<const double> r_motion,
                                std::span<const double> r_rows,
                                std::span<double> ddq,
                                std::span<double> ds) {
    if (!is_turned_) return matrix_->solve(r_motion, r_rows, ddq, ds);
    std::copy(r_motion.begin(), r_motion.end(), turned_motion_.data());
    std::copy(r_rows.begin(), r_rows.end(), turned_rows_.data());
    const std::span<double> motion(turned_motion_.data(), r_motion.size());
    const std::span<double> rows(turned_rows_.data(), r_rows.size());
    co_rotation_.into_reference(motion, rows);
    matrix_->solve(motion, rows, ddq, ds);
    co_rotation_.out_of_reference(ddq, ds);
}

void KernelSystem::solve(std::span<const double> r_motion,
                         std::span<const double> r_rows,
                         std::span<double> ddq,
                         std::span<double> ds) {
    if (!laws_.has_nonlinear()) return solve_refined(r_motion, r_rows, ddq, ds);
    // Laws have changed so much that the old matrix would lead astray.
    if (!is_exact_ && has_outlived_matrix() &&
        !factorise({t_, trial_h_, {}, {s_trial_, r_rows.size()}}, Tangent::definite)) {
        std::ranges::fill(ddq, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    solve_refined(r_motion, r_rows, ddq, ds);
    // Slack is exactly that.
    for (const int k : laws_.nonlinear())
        if (law_of_trial_[static_cast<std::size_t>(k)].is_slack())
            ds[static_cast<std::size_t>(k)] = s_trial_[k];
}

void KernelSystem::solve_refined(std::span<const double> r_motion,
                                 std::span<const double> r_rows,
                                 std::span<double> ddq,
                                 std::span<double> ds) {
    // The contacts' responses are those of the attitude at which they were solved for.
    is_turned_ = contacts_.empty() && !is_exact_ && !is_fresh_ && co_rotation_.follow(mid_);
    if (forces_.listens()) prepare_feedback();
    solve_linear(r_motion, r_rows, ddq, ds);
    positions_round_ = false;
    if (is_exact_) return;

    // One step of refinement towards the exact tangent: what the symmetric, perhaps old and
    // regularised matrix misses, it misses squared.
    {
        const Stopwatch watch(meter_.is_sampling(), sampled.assemble);
        update_B_start(t_);
        rows_.evaluate_tangent(mid_.data(), s_trial_, false, t_);
    }
    {
        const Stopwatch watch(meter_.is_sampling(), sampled.solve);
        std::copy(r_motion.begin(), r_motion.end(), refine_motion_.data());
        std::copy(r_rows.begin(), r_rows.end(), refine_rows_.data());
        apply_exact(ddq.data(), ds.data(), trial_h_, refine_motion_.data(), refine_rows_.data());
    }
    const auto n = static_cast<std::size_t>(n_);
    const auto m = r_rows.size();
    if (!contacts_.empty())
        apply_contacts(ddq.data(), ds.data(), trial_h_, refine_motion_.data(), refine_rows_.data());
    if (forces_.listens()) apply_feedback(ds.data(), refine_motion_.data());
    solve_linear({refine_motion_.data(), n},
                 {refine_rows_.data(), m},
                 {refine_dq_.data(), n},
                 {refine_s_.data(), m});
    const double first = space_.displacement(ddq.data());
    const double second = space_.displacement(refine_dq_.data());
    if (!std::isfinite(second)) attribute_nonfinite(t_);
    // A new matrix must contract well, or single precision is to blame and given up.
    if (is_fresh_ && matrix_->is_single() && !(second <= kSingleContraction * first))
        matrix_->use_double();
    is_fresh_ = false;
    if (is_turned_ && !(second <= kTurnedContraction * first)) co_rotation_.give_up();
    positions_round_ = first <= kUnseen * farthest_;
    if (!(second <= 0.5 * first)) return;
    for (std::size_t i = 0; i < n; ++i) ddq[i] += refine_dq_[static_cast<Eigen::Index>(i)];
    for (std::size_t k = 0; k < m; ++k) ds[k] += refine_s_[static_cast<Eigen::Index>(k)];
}

SolverCost KernelSystem::cost() const {
    const double evaluation =
        6.0 * static_cast<double>(rows_.column.size()) + 20.0 * n_ + 10.0 * m_;
    return {matrix_->factorise_flops(), 2.0 * (matrix_->solve_flops() + evaluation)};
}

void KernelSystem::accept(const StepTrial& trial) {
    const double h = trial.h;
    refuse_jumps(trial.t0, h);
    const double dv_M_dv = h * h * pairwise_dot(trial.a.data(), Ma_.data(), trial.a.size());
    check_conventions(
        trial.s.data(), F_.data(), Ma_.data(), std::max(ledger_.energy_scale(), dv_M_dv), trial.t0);
    is_any_held_ = !contacts_.empty() && hold_at_rest(trial);
    // First everything that a plugin computes of the new state, then the commit, which cannot fail.
    q_next_ = q_;
    q_low_next_ = q_low_;
    v_next_ = v_;
    v_low_next_ = v_low_;
    for (int i = 0; i < n_; ++i) {
        add_compensated(q_next_[i], q_low_next_[i], dq_[i]);
        add_compensated(v_next_[i], v_low_next_[i], h * trial.a[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; is_any_held_ && i < n_; ++i) {
        if (!is_coordinate_held(i)) continue;
        q_next_[i] = q_[i];
        q_low_next_[i] = q_low_[i];
        v_next_[i] = v_low_next_[i] = 0.0;
    }
    const double t1 = trial.t0 + h;
    if (!massless_.empty()) {
        rows_.evaluate_rates(massless_.blocks(),
                             q_next_.data(),
                             v_next_.data(),
                             t1,
                             rate_A_.data(),
                             rate_pi_t_.data());
        massless_.reset(rate_A_, rate_pi_t_, v_next_.data());
    }
    measure_violation(q_next_.data(), v_next_.data(), t1);

    // Events have looked at the end of the step since the residual was evaluated.
    if (!contacts_.empty())
        contacts_.evaluate_step(q_.data(), dq_.data(), mid_.data(), trial.t0, h);
    book(trial);
    if (!contacts_.empty()) book_contacts(trial);
    collect_reactions(trial);
    q_.swap(q_next_);
    q_low_.swap(q_low_next_);
    v_.swap(v_next_);
    v_low_.swap(v_low_next_);
    std::copy(trial.a.begin(), trial.a.end(), a_.data());
    if (!massless_.empty())
        for (int i = 0; i < n_; ++i)
            if (mass_.is_massless(i)) {
                v_low_[i] = 0.0;
                a_[i] = 0.0;
            }
    for (int k = 0; k < m_; ++k) {
        if (laws_.carries(k) && !is_row_held(k)) pi_[k] += Bdq_[k] + rows_.tau[k];
        s_[k] = trial.s[static_cast<std::size_t>(k)];
    }
    independent_.accept();
    for (const int k : laws_.nonlinear())
        if (law_of_trial_[static_cast<std::size_t>(k)].is_slack()) s_[k] = 0.0;
    for (const int k : timed_rows_) lag_[k] = 0.0;
    std::copy(trial.s.begin() + m_, trial.s.end(), s_.data() + m_);
    state0_.swap(state1_);
    has_B_start_ = false;
    t_ = t1;
    ++substeps;
    iterations += iterations_in_piece_;
    max_iterations = std::max(max_iterations, iterations_in_piece_);
    iterations_in_piece_ = 0;
    note_violation();
    close_ledger(false);
    if (!independent_.all() && has_factorised_) {
        has_factorised_ = false;
        p_ = q_ - q_at_choice_;
        if (space_.displacement(p_.data()) > kMoved * extent_) choose_rows_at_state();
    }
    if (contacts_.empty()) return;
    note_speeds();
    note_changes(h);
    follow_sliding();
    // Slow sliding is less than what a step's end misses velocity constraints by.
    if (smooth_length(h) < h && meet_velocity_constraints()) follow_sliding();
}

bool KernelSystem::renew_choice() {
    return !independent_.all() && choose_rows_at_state();
}

/// Chooses the rows that steps from the accepted state ask for.
/// @returns whether they are others than before
bool KernelSystem::choose_rows_at_state() {
    q_at_choice_ = q_;
    rows_.evaluate(q_.data(), v_.data(), t_, instant_);
    if (!independent_.choose(instant_.A, pi_)) return false;
    for (int k = 0; k < m_; ++k)
        if (laws_.is_constraint(k)) s_[k] = 0.0;
    std::ranges::fill(history_, 0.0);
    factorised_for_ = 0.0;
    has_B_start_ = false;
    shares_from_ = -1.0;
    return true;
}

/// Stresses of least norm in place of those of the rows that a step asks for.
const double* KernelSystem::shared(const double* s) {
    if (independent_.all()) return s;
    shared_ = Eigen::Map<const Eigen::VectorXd>(s, m_);
    independent_.share(shared_.data());
    return shared_.data();
}

/// Whether rows that were left out turned out not to depend on the others, as where the start was a
/// singular position; the choice is then made anew, at the middle of the step.
bool KernelSystem::settle_rows(const StepTrial& trial) {
    if (independent_.all()) return false;
    const int row = independent_.opening_row(extent_);
    if (row < 0) return false;
    const double gap = independent_.gap_after(row);
    rows_.evaluate(mid_.data(), v_.data(), trial.t0 + 0.5 * trial.h, instant_);
    if (!independent_.choose(instant_.A, pi_))
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: {} opens by {:.3g} and cannot be "
                                "closed, since the other constraints determine what it measures: "
                                "they contradict it; remove it or make their motions agree",
                                trial.t0,
                                trial.h,
                                rows_.row_name(row),
                                gap),
                    rows_.place_of_row(row));
    for (const int k : independent_.left_out()) s_[k] = 0.0;
    std::ranges::fill(history_, 0.0);
    factorised_for_ = 0.0;
    has_B_start_ = false;
    shares_from_ = -1.0;
    return true;
}

void KernelSystem::refuse(double t, std::string_view why) {
    if (trial_error_) throw *trial_error_;
    throw Error(ErrorKind::numerical, fmt::format("t = {:.9g} s: {}", t, why));
}

void KernelSystem::no_convergence(const StepTrial& trial,
                                  std::string_view what,
                                  std::string_view advice) {
    attribute_nonfinite(trial.t0);
    refuse_jumps(trial.t0, trial.h);
    if (paradox_) refuse_paradox(trial.t0);
    const WorstResidual worst = worst_residual(trial);
    const ForceSet::Listeners listeners = forces_.listeners();
    std::string cause{advice};
    if (worst.is_slipping)
        cause =
            "friction and reactions do not settle on each other there; its coefficient may be "
            "too large for the motion (Painleve's paradox)";
    else if (!listeners.names.empty())
        cause = fmt::format("{} and the reactions that it hears may raise each other without end",
                            listeners.names);
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s, step of {:.3g} s: {}; the largest residual is in {} "
                            "({:.3g} {}); {}",
                            trial.t0,
                            trial.h,
                            what,
                            worst.name,
                            worst.left,
                            worst.unit,
                            cause),
                listeners.place);
}

}  // namespace ancora
