// SPDX-License-Identifier: BSD-3-Clause
// Motion by accelerations.
#include "continuous_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "call_sizes.hpp"
#include "side_step.hpp"

namespace ancora {
namespace {

constexpr double kClosed = 1e-9;  // gap of a start, of the model's size
// Residual allowed after projection, relative likewise; more is not round-off.
constexpr double kGaping = 1e-7;
// Projection corrects the error of a step. Where that is more than this part of the displacement
// the bodies, or of the energy in play, the step followed another motion.
constexpr double kFarMoved = 0.1;
constexpr double kFarFromEnergy = 0.1;
// Thresholds of warnings about a run.
constexpr double kNotResolved = 1e-3;
// Of two energies, each of them rounded, at positions that lie a tolerance or two apart.
constexpr double kRoundingsOfEnergy = 4.0;
constexpr const char* kTooLong =
    "the step is too long for the motion; take a shorter one, or an integrator with error control "
    "or one that meets constraints by itself";
// A jump of the energy balance that is so many times what was usual is another motion's; what was
// usual is forgotten by this factor a step.
constexpr double kTimesUsual = 30.0;
constexpr double kForgotten = 0.9;
// Coordinates and velocities beyond this, in SI units or those of a larger model's size, have
// diverged.
constexpr double kRunaway = 1e12;

/// Forces are asked with these continuous states of objects, to the end of the scope.
class AssumedStates {
public:
    AssumedStates(SignalSet& signals, std::span<const double> x) : signals_(signals) {
        signals_.assume(x);
    }
    ~AssumedStates() { signals_.forget(); }
    AssumedStates(const AssumedStates&) = delete;
    AssumedStates& operator=(const AssumedStates&) = delete;

private:
    SignalSet& signals_;
};

}  // namespace

ContinuousMotion::ContinuousMotion(const SystemData& of,
                                   StepRows& rows,
                                   StepParts& extra,
                                   Accounts& accounts,
                                   Accelerations& accelerations)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      rows_(rows),
      extra_(extra),
      accounts_(accounts),
      accelerations_(accelerations) {
    x_force_.setZero(parts_.n);
}

/// x = (q, v, W_ext, W_non, P (3), L (3), works of efforts, continuous states of objects), 2 n + 8
/// and more entries; the quadratures begin at zero in every step, so that they keep their digits.
void ContinuousMotion::read_state(std::span<double> x) const {
    require_size(parts_.model, "read_state", "a state", x.size(), num_states());
    std::copy(state_.q.begin(), state_.q.end(), x.begin());
    std::copy(state_.v.begin(), state_.v.end(), x.begin() + parts_.n);
    std::fill(x.begin() + 2 * parts_.n, x.end(), 0.0);
    std::ranges::copy(parts_.signals.x(), x.end() - parts_.signals.num_continuous());
}

int ContinuousMotion::diverged(std::span<const double> x) const {
    const double most = kRunaway * std::max(1.0, state_.extent);
    // Written so that no number is beyond the bound too.
    const auto runs_away = [most](double z) {
        return !(std::abs(z) <= most);
    };
    const auto end = x.begin() + 2 * parts_.n;
    int found = 0;  // without a branch each
    for (auto at = x.begin(); at != end; ++at) found |= static_cast<int>(runs_away(*at));
    if (found == 0) return -1;
    return static_cast<int>(std::find_if(x.begin(), end, runs_away) - x.begin()) % parts_.n;
}

/// False where a trial state has no accelerations and the integrator may take a shorter step.
bool ContinuousMotion::can_solve(const double* q, const double* v, double t, RankUse use) {
    try {
        accelerations_.solve(q, v, t, use);
        return true;
    } catch (const FailedCall&) {
        throw;
    } catch (const Error& error) {
        if (!parts_.model.traits.is_adaptive || error.kind() != ErrorKind::numerical) throw;
        trial_error_ = error;
        return false;
    }
}

bool ContinuousMotion::is_accepted_state(std::span<const double> x) const {
    return std::equal(state_.q.begin(), state_.q.end(), x.begin()) &&
           std::equal(state_.v.begin(), state_.v.end(), x.begin() + parts_.n);
}

void ContinuousMotion::derivative(double t, std::span<const double> x, std::span<double> dx) {
    require_size(parts_.model, "derivative", "a state", x.size(), num_states());
    require_size(parts_.model, "derivative", "a state", dx.size(), num_states());
    ++evaluations;
    if (diverged(x) >= 0) {
        // Plugins are not asked; a step that leads here is shortened, or refused when it ends.
        std::ranges::fill(dx, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const double* q = x.data();
    const double* v = q + parts_.n;
    ContinuousFace& face = accelerations_.face();
    // dx/dt = (v, a, powers, forces and moments, rates of objects), a by theory (4). Order: states
    // of objects are set first, since forces read them; a before quadratures, which need the
    // stresses of a.
    const AssumedStates assumed(parts_.signals, own_states(x));
    // The rank of the step is that of the state it starts from.
    // Stages lie off the manifold by the error of the method; a rank decided there would take that
    // for independence (theory, section 6).
    const bool is_start = is_accepted_state(x);
    if (is_start) {
        trial_error_.reset();
        accelerations_.solve(q, v, t, RankUse::choose);
        has_chosen_rank_ = true;
    } else if (!can_solve(q, v, t, has_chosen_rank_ ? RankUse::keep : RankUse::decide)) {
        std::ranges::fill(dx, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const Eigen::VectorXd& a = face.acceleration();
    std::copy(v, v + parts_.n, dx.begin());
    std::copy(a.begin(), a.end(), dx.begin() + parts_.n);

    // An island at rest has dv/dt = 0 exactly.
    state_.held.clear();
    extra_.for_each([&](StepPart& part) {
        part.hold_accelerations(v, dx.data() + parts_.n, face);
    });
    quadrature_rates(q, v, dx.subspan(2 * parts_.n));
    if (parts_.signals.num_continuous() == 0) return;
    parts_.signals.evaluate(q, v, t);
    parts_.signals.differentiate(own_states(dx));
}

void ContinuousMotion::quadrature_rates(const double* q, const double* v, std::span<double> rates) {
    ContinuousFace& face = accelerations_.face();
    double* accounting = rates.data();
    // dW/dt = f . du/dt of forces, C . w of friction; v in place of dq of a step.
    ForceSet::Work power = face.power();
    const StepPart::Work of_parts = extra_.work(nullptr, v);
    power.nonideal += of_parts.nonideal;
    power.external += of_parts.external;
    accounting[kExternal] = power.external;
    accounting[kNonideal] = power.nonideal;
    accounts_.energy.efforts.powers(
        face, v, rates.subspan(kQuadratures, accounts_.energy.efforts.count()));
    std::fill(accounting + kImpulse, accounting + kQuadratures, 0.0);
    if (parts_.mass.is_timed()) record_flow(q, v, accounting);
    if (!parts_.has_gravity && !parts_.has_external && parts_.forces.loads().empty()) return;
    // dP/dt = sum F_ext, dL/dt = sum z x F_ext: gravity, loads, friction's and the ground's
    // reactions.
    face.external_force(x_force_);
    extra_.add_external(nullptr, x_force_.data());
    for (int i = 0; state_.held.any() && i < parts_.n; ++i)
        if (state_.held.has(i)) x_force_[i] = 0.0;  // in balance by definition
    const Momenta rate = parts_.space.momenta(q, x_force_.data());
    add(rate, accounting);
}

void ContinuousMotion::add(const Momenta& rate, double* accounting) {
    for (std::size_t c = 0; c < 3; ++c) {
        accounting[kImpulse + c] += rate.linear[c];
        accounting[kAngularImpulse + c] += rate.angular[c];
    }
}

/// Momentum, energy and height of matter that leaves, of mass that changes with time (theory (67)).
void ContinuousMotion::record_flow(const double* q, const double* v, double* accounting) {
    const auto n = static_cast<std::size_t>(parts_.n);
    // With dM = dM/dt: momentum dM v, its moment, energy v^T dM v / 2, height -q^T dM g.
    parts_.mass.multiply_rate(v, x_force_.data());
    accounting[kExternal] += 0.5 * pairwise_dot(v, x_force_.data(), n);
    add(parts_.space.momenta(q, x_force_.data()), accounting);
    if (!parts_.has_gravity) return;
    parts_.mass.multiply_rate(parts_.gravity_field.data(), x_force_.data());
    accounting[kExternal] -= pairwise_dot(q, x_force_.data(), n);
}

void ContinuousMotion::scale_quadratures() {
    // The power of two next above 1 + scale: division by it is exact.
    const auto unit = [](double scale) {
        return std::exp2(std::ceil(std::log2(1.0 + scale)));
    };
    const double energy = accounts_.energy.ledger.energy_scale();
    // E = p^2 / 2 m, so p = (2 m E)^1/2; the moment of that at the largest distance from the
    // origin.
    const double momentum = std::sqrt(2.0 * accounts_.energy.total_mass() * energy);
    // Works of efforts follow the others.
    quadrature_scales_.assign(num_states() - 2 * parts_.n, unit(energy));
    std::fill_n(quadrature_scales_.rbegin(), parts_.signals.num_continuous(), 1.0);
    std::fill_n(quadrature_scales_.begin() + kImpulse, 3, unit(momentum));
    std::fill_n(quadrature_scales_.begin() + kAngularImpulse, 3, unit(momentum * state_.farthest));
}

void ContinuousMotion::accept(double t0, double t1, std::span<const double> x) {
    require_size(parts_.model, "accept_state", "a state", x.size(), num_states());
    if (const int coordinate = diverged(x); coordinate >= 0) {
        const auto part = std::find_if(
            parts_.model.bodies.begin(), parts_.model.bodies.end(), [&](const BodyPart& body) {
                return coordinate < body.first + body.count;
            });
        std::string cause =
            accounts_.energy.growth.cause(accounts_.energy.ledger, accounts_.energy.efforts, true);
        if (cause.empty())
            cause =
                "the step is too long for the fastest vibration of the model: take a shorter one, "
                "or an integrator with error control or one that is implicit";
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: the motion runs away, first {} of "
                                "{}; {}",
                                t0,
                                t1 - t0,
                                coordinate_name(*part, coordinate),
                                part->object.label,
                                cause),
                    part->object.place);
    }
    rows_.jumps.check(state_.q.data(), t0, t1 - t0, state_.extent);
    // From here on the state changes; on an exception it is restored.
    save(before_);
    const Violation violation = accounts_.violations.now();
    try {
        advance_to(t0, t1, x);
    } catch (...) {
        // A refusal restores the accepted state, also for the last row of results.
        restore(before_);
        accounts_.violations.show(violation);
        parts_.update_mass(state_.q.data(), state_.v.data(), state_.t);
        throw;
    }
    note_energy_jump();
    scale_quadratures();
    rows_.tangent.forget_start();
    has_chosen_rank_ = false;
    accounts_.violations.note();
}

/// The jump of the energy balance over the last step, compared with the steps before.
void ContinuousMotion::note_energy_jump() {
    EnergyJumps& jumps = jumps_in_energy_;
    const double jump =
        std::abs(accounts_.energy.ledger.now().energy - before_.ledger.now().energy);
    if (jump > jumps.largest) {
        jumps.largest = jump;
        jumps.largest_at = state_.t;
    }
    // usual <- max(|dE|, 0.9 usual): a maximum that decays, not a mean, since one step without a
    // jump of a rough motion says nothing.
    const bool has_usual =
        jumps.usual > 0.0 || before_.t > parts_.model.begin_time;  // nothing may be usual
    if (has_usual && jump > kTimesUsual * jumps.usual && jump > jumps.sudden) {
        jumps.sudden = jump;
        jumps.sudden_at = state_.t;
    }
    jumps.usual = std::max(jump, kForgotten * jumps.usual);
}

void ContinuousMotion::advance_to(double t0, double t1, std::span<const double> x) {
    // dq = q_1 - q_0 and the middle q_0 + dq / 2, as in a step of the discrete formulation.
    if (!state_.plugin.empty()) {
        // States of plugins are updated by the discrete formulation; its forces are not used.
        for (int i = 0; i < parts_.n; ++i) {
            trial_.dq[i] = x[i] - state_.q[i];
            trial_.mid[i] = state_.q[i] + 0.5 * trial_.dq[i];
        }
        std::copy(state_.plugin.begin(), state_.plugin.end(), trial_.plugin.begin());
        const double h = t1 - t0;
        const AssumedStates assumed(parts_.signals, own_states(x));
        parts_.signals.evaluate_step_for_rows(
            state_.q.data(), trial_.dq.data(), x.data(), x.data() + parts_.n, t0, h);
        if (parts_.rows.num_state > 0)
            parts_.rows.evaluate_step(state_.q.data(),
                                      trial_.dq.data(),
                                      trial_.mid.data(),
                                      t0,
                                      h,
                                      state_.plugin,
                                      trial_.plugin);
        trial_.F.setZero();
        parts_.forces.evaluate_step(state_.q.data(),
                                    trial_.dq.data(),
                                    t0,
                                    h,
                                    state_.plugin,
                                    trial_.plugin,
                                    trial_.F.data());
        state_.plugin.swap(trial_.plugin);
    }
    if (!parts_.signals.empty()) {
        for (int i = 0; i < parts_.n; ++i) trial_.dq[i] = x[i] - state_.q[i];
        parts_.signals.follow_step(state_.q.data(), trial_.dq.data(), t0, t1 - t0);
    }
    take_state(t1, x);
    extra_.for_each([](StepPart& part) {
        part.accept_state();
    });
}

/// Goes from the present state to x at t1: projection, accounting, balances.
void ContinuousMotion::take_state(double t1, std::span<const double> x) {
    // q_next is q_0 from here on; q and v are x with their compensation lost, since the
    // integrator's error is larger than rounding.
    trial_.q_next = state_.q;
    std::copy(x.begin(), x.begin() + parts_.n, state_.q.begin());
    std::copy(x.begin() + parts_.n, x.begin() + 2 * parts_.n, state_.v.begin());
    state_.q_low.setZero();
    state_.v_low.setZero();
    state_.t = t1;
    parts_.signals.set_x(own_states(x));
    // The order: energies that own values change at the unprojected q, then the projection and its
    // energy, then quadratures, then pi and the balances at the state that is left.
    if (!parts_.rows.own_rows.empty()) record_own_values();
    if (parts_.model.traits.projects && !accelerations_.face().constraint_rows().empty()) {
        trial_.dq = state_.q - trial_.q_next;
        const double speed = std::max(parts_.space.displacement(state_.v.data()),
                                      parts_.space.displacement(before_.v.data()));
        project(t1,
                std::max(parts_.space.displacement(trial_.dq.data()), (t1 - before_.t) * speed));
    }
    // The quadratures of the step, int dW/dt dt and so on, with the method's error.
    std::array<double, kQuadratures> accounting;
    for (std::size_t i = 0; i < kQuadratures; ++i)
        accounting[i] = x[static_cast<std::size_t>(2 * parts_.n) + i];
    accounts_.energy.ledger.record_external(accounting[kExternal]);
    accounts_.energy.ledger.record_nonideal(accounting[kNonideal]);
    Momenta impulse;
    std::copy_n(accounting.begin() + kImpulse, 3, impulse.linear.begin());
    std::copy_n(accounting.begin() + kAngularImpulse, 3, impulse.angular.begin());
    accounts_.energy.ledger.record_impulse(impulse, 1.0);
    accounts_.energy.efforts.record(x.subspan(first_effort(), accounts_.energy.efforts.count()));
    accounts_.energy.growth.add_works(t1 - before_.t);
    // dU_g = -(M g) . dq from the increment, projection included.
    if (parts_.has_gravity) {
        const auto n = static_cast<std::size_t>(parts_.n);
        trial_.dq = state_.q - trial_.q_next;
        // -g . (M_1 q_1 - M_0 q_0) = -g . (M_mid dq + dM q_mid), an identity.
        if (parts_.mass.is_timed()) {
            // Of the mass that is left at the height of now, and of what has left at that of before
            parts_.hold_mass(before_.t, t1 - before_.t);
            trial_.mid = 0.5 * (trial_.q_next + state_.q);
            parts_.mass.multiply_half_change(parts_.gravity_field.data(), trial_.Ma.data());
            accounts_.energy.ledger.record_gravity(
                -2.0 * pairwise_dot(trial_.Ma.data(), trial_.mid.data(), n));
        }
        accounts_.energy.ledger.record_gravity(
            -pairwise_dot(parts_.gravity_force.data(), trial_.dq.data(), n));
    }
    accounts_.violations.measure(state_.q.data(), state_.v.data(), t1);
    parts_.signals.hold(state_.q.data(), state_.v.data(), t1);
    parts_.rows.evaluate_elastic(state_.q.data(), t1, state_.pi.data());
    accounts_.energy.close();
}

void ContinuousMotion::show_own_values(double t, std::span<const double> x) {
    const AssumedStates assumed(parts_.signals, own_states(x));
    parts_.signals.evaluate_for_rows(x.data(), x.data() + parts_.n, t);
}

/// The change of the energies that own values change; the rest of it was recorded as a power.
void ContinuousMotion::record_own_values() {
    const double before = accounts_.energy.own_energy(state_.pi);
    parts_.rows.refresh_own_values(state_.q.data(), state_.v.data(), state_.t);
    parts_.rows.evaluate_elastic(state_.q.data(), state_.t, state_.pi.data());
    accounts_.energy.ledger.record_external(accounts_.energy.own_energy(state_.pi) - before);
}

bool ContinuousMotion::constraint_error(double t,
                                        std::span<const double> x,
                                        std::span<double> error) {
    require_size(parts_.model, "constraint_error", "a state", x.size(), num_states());
    require_size(parts_.model, "constraint_error", "a state", error.size(), num_states());
    if (parts_.timed_rows.empty() || !parts_.model.traits.projects) return false;
    std::ranges::fill(error, 0.0);
    if (diverged(x) >= 0) return true;  // refused as it is
    const auto n = static_cast<std::size_t>(parts_.n);
    std::copy_n(x.begin(), n, trial_.q_next.data());
    std::copy_n(x.begin() + parts_.n, n, trial_.v_next.data());
    // M-weighted projection of the trial onto phi(q, t) = 0 (theory (9)): the correction is an
    // error that the integrator's own estimate, made of accelerations, need not show.
    accelerations_.face().project(ContinuousFace::Projected::position,
                                  trial_.q_next.data(),
                                  trial_.v_next.data(),
                                  t,
                                  kProjected * state_.extent);
    for (std::size_t i = 0; i < n; ++i)
        error[i] = trial_.q_next[static_cast<Eigen::Index>(i)] - x[i];
    return true;
}

const double* ContinuousMotion::positions_on_constraints(double t, std::span<const double> x) {
    if (!parts_.model.traits.projects || accelerations_.face().constraint_rows().empty())
        return x.data();
    std::copy_n(x.begin(), parts_.n, trial_.q_next.data());
    std::copy_n(x.begin() + parts_.n, parts_.n, trial_.v_next.data());
    try {
        accelerations_.face().project(ContinuousFace::Projected::position,
                                      trial_.q_next.data(),
                                      trial_.v_next.data(),
                                      t,
                                      kProjected * state_.extent);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        return x.data();  // an event may shorten it
    }
    return trial_.q_next.data();
}

/// Projects the present state onto the constraints and records the change of energy.
/// @param way displacement of the bodies over the step [m]
void ContinuousMotion::project(double t, double way) {
    // Theory (9): min dq^T M dq with A dq = -phi, then min dv^T M dv with A dv = -(A v + phi_t) at
    // the new q. Positions first, since A of the velocities is taken there.
    const double before = accounts_.energy.total_energy(state_.q.data(), state_.v.data(), t);
    const double speed = parts_.space.displacement(state_.v.data());
    using Projected = ContinuousFace::Projected;
    trial_.mid = state_.q;
    const ContinuousFace::Projection positions = accelerations_.face().project(
        Projected::position, state_.q.data(), state_.v.data(), t, kProjected * state_.extent);
    if (positions.left > kGaping * state_.extent)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: {} is {:.3g} instead of 0 and cannot be projected: "
                                "it contradicts other constraints, jumps, or moves too fast for "
                                "the step",
                                t,
                                parts_.rows.row_name(positions.row),
                                positions.left),
                    parts_.rows.place_of_row(positions.row));
    // The displacement of matter by the projection relative to that of the step: the error of a
    // step is a small part of the step.
    trial_.mid -= state_.q;
    const double moved = parts_.space.displacement(trial_.mid.data());
    // Prescribed motion may be of any amount within a step.
    if (parts_.timed_rows.empty() && moved > kFarMoved * way + kGaping * state_.extent)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: to meet the constraints at its "
                                "end, bodies would have to be moved by {:.3g} m, of {:.3g} m that "
                                "they went: {}",
                                before_.t,
                                t - before_.t,
                                moved,
                                way,
                                kTooLong),
                    parts_.model.integrator_object.place);
    // Velocities are rounded with the speed; near rest with the effect of the round-off of
    // positions on them, u l / h.
    const double h = t - before_.t;
    const double unseen = h > 0.0 ? kUnseen * state_.extent / h : 0.0;
    const ContinuousFace::Projection velocities =
        accelerations_.face().project(Projected::velocity,
                                      state_.q.data(),
                                      state_.v.data(),
                                      t,
                                      kProjected * std::max(speed, unseen));
    if (velocities.left > std::max(kGaping * std::max(speed, velocities.first), unseen))
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: {} changes at a rate of {:.3g} and cannot be "
                                "projected: it contradicts other constraints",
                                t,
                                parts_.rows.row_name(velocities.row),
                                velocities.left),
                    parts_.rows.place_of_row(velocities.row));
    if (!positions.has_moved && !velocities.has_moved) return;
    // E_after - E_before; kinetic v^T M v / 2 with the M v of the energy just summed.
    const double work = accounts_.energy.total_energy(state_.q.data(), state_.v.data(), t) - before;
    const double kinetic = 0.5 * pairwise_dot(state_.v.data(),
                                              accounts_.energy.momentum().data(),
                                              static_cast<std::size_t>(parts_.n));
    const double scale = std::max(accounts_.energy.ledger.energy_scale(), kinetic);
    if (parts_.timed_rows.empty() && positions.first > kGaping * state_.extent &&
        std::abs(work) > kFarFromEnergy * scale)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: to meet the constraints at its "
                                "end, the energy would have to change by {:.3g} J, of {:.3g} J in "
                                "play: {}",
                                before_.t,
                                t - before_.t,
                                work,
                                scale,
                                kTooLong),
                    parts_.model.integrator_object.place);
    accounts_.energy.ledger.record_projection(work);
    if (!is_peeking_ && projection_energy_jump_.work == 0.0 && parts_.timed_rows.empty() &&
        std::abs(work) > kNotResolved * scale &&
        std::abs(work) >
            kRoundingsOfEnergy * accounts_.energy.energy_rounding(kProjected * state_.extent))
        projection_energy_jump_ = {t, work, scale};
}

void ContinuousMotion::project_start() {
    ContinuousFace& face = accelerations_.face();
    using Projected = ContinuousFace::Projected;
    // Newton's iteration of theory (9) to rounding, with any lengths of its corrections.
    const auto close_gaps = [&] {
        return face.project(Projected::position,
                            state_.q.data(),
                            state_.v.data(),
                            state_.t,
                            kProjected * state_.extent,
                            true)
                   .left <= kClosed * state_.extent;
    };
    const Eigen::VectorXd given = state_.q;
    // At a singular position A has lost rank and no correction leads along phi: a displacement
    // beside it, of no particular direction, restores the rank.
    if (!close_gaps() && parts_.model.project_start >= ProjectStart::far) {
        const Eigen::VectorXd nearest = state_.q;
        std::vector<int> open;
        for (int k = 0; k < parts_.m; ++k)
            if (parts_.laws[k].kind == RowKind::constraint &&
                std::abs(face.instant().pi[k]) > kClosed * state_.extent)
                open.push_back(k);
        const bool is_found = std::ranges::any_of(kSideSteps, [&](double step) {
            state_.q = given + side_step(parts_, open, step * state_.extent);
            return close_gaps();
        });
        if (!is_found) state_.q = nearest;
    }
    // Velocities after positions: A v + phi_t = 0 at the q found.
    const double speed =
        std::max(parts_.space.displacement(state_.v.data()), kUnseen * state_.extent);
    face.project(
        Projected::velocity, state_.q.data(), state_.v.data(), state_.t, kProjected * speed, true);
}

void ContinuousMotion::save(Snapshot& to) const {
    to.t = state_.t;
    to.q = state_.q;
    to.v = state_.v;
    to.pi = state_.pi;
    to.ledger = accounts_.energy.ledger;
    to.efforts = accounts_.energy.efforts.values();
    to.state = state_.plugin;
    parts_.signals.save(to.own);
    extra_.save(to.parts);
    to.broken = parts_.laws.broken();
    to.quadrature_scales = quadrature_scales_;
}

void ContinuousMotion::restore(const Snapshot& from) {
    state_.t = from.t;
    state_.q = from.q;
    state_.v = from.v;
    state_.pi = from.pi;
    accounts_.energy.ledger = from.ledger;
    accounts_.energy.efforts.set(from.efforts);
    state_.plugin = from.state;
    parts_.signals.set_states(from.own);
    extra_.restore(from.parts);
    parts_.laws.set_broken(from.broken);
    quadrature_scales_ = from.quadrature_scales;
}

void ContinuousMotion::evaluate_inside_step(double t, std::span<const double> x) {
    save(after_);
    restore(before_);
    is_peeking_ = true;
    take_state(t, x);
    is_peeking_ = false;
    accounts_.violations.exchange();
}

void ContinuousMotion::leave_inside_step() {
    restore(after_);
    accounts_.violations.exchange();
    parts_.update_mass(state_.q.data(), state_.v.data(), state_.t);
}

}  // namespace ancora
