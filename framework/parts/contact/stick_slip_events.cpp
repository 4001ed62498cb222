// SPDX-License-Identifier: BSD-3-Clause
// Where stick and slip end: margins to limits and sliding velocities, and how long laws are smooth.
#include <algorithm>
#include <cmath>
#include <limits>

#include "stick_slip.hpp"

namespace ancora {
namespace {

// A slide that turns by less than this while it stops [rad] is straight; of others a fixed formula
// takes this part of the time to the stop.
constexpr double kStraight = 1e-8;
constexpr double kSmoothPart = 0.125;
// Rounding of positions over a trial, relative to what forces do in it, beyond which forces say
// nothing.
constexpr double kLostInRounding = 1e-6;

/// |w x a|, of which in two directions one component is left.
double turning_part(const Slides& w, const Slides& a) {
    const double z = w[0] * a[1] - w[1] * a[0];
    if (w[2] == 0.0 && a[2] == 0.0) return std::abs(z);
    return std::hypot(w[1] * a[2] - w[2] * a[1], w[2] * a[0] - w[0] * a[2], z);
}

}  // namespace

/// Forces of a trial are quotients by h^2 / 2 of positions, which are known to eps times their
/// size: of a trial as short as a search for events makes them nothing else is left. Modes are then
/// those of the longest trial from that state.
bool StickSlip::tells_forces(const StepTrial& trial) {
    if (trial.t0 != told_.t0 || trial.h >= told_.h) {
        double most = 0.0;
        for (int island = 0; island < islands_.num(); ++island)
            most = std::max(most, islands_.force_acceleration(island, trial_.F));
        for (int k = 0; k < contacts_.num_rows(); ++k)
            most = std::max(most,
                            std::abs(trial.s[static_cast<std::size_t>(contacts_.first() + k)]) *
                                contacts_.mobility(k, parts_.inverse_mass));
        if (trial.t0 != told_.t0) held_margin_.setOnes();
        told_ = {trial.t0, trial.h, most};
        return true;
    }
    return std::numeric_limits<double>::epsilon() * state_.extent <=
           kLostInRounding * 0.5 * trial.h * trial.h * told_.acceleration;
}

/// The margin of a sticking contact to its limit, for stresses s of all rows and contacts.
/// g_stick = f_stick(N) - |P s| (theory (41)), P the projector on the free directions.
double StickSlip::stick_margin(
    const Contact& contact, const double* s, const double* shared, bool of_step, double t) {
    Eigen::Vector3d f;
    const double N = slip_.normal_force(contact, shared, of_step, &f);
    return contacts_.stick_limit(contact, N, t) -
           norm(contact.driving(s + contacts_.first() + contact.first_row).data(),
                contact.num_rows);
}

/// The same over a trial, with that of the step before.
StepPart::ModeEnd StickSlip::stick_end(const Contact& contact,
                                       const StepTrial& trial,
                                       const double* shared) {
    return {stick_margin(contact, trial.s.data(), shared, true, trial.t0),
            true,
            contact.margin,
            contact.margin_h};
}

/// The margin of a sticking contact at the end of a trial. Steps have means; the margin at the end
/// is extrapolated from two of them. Means belong to the middles of the steps, (h + h_last) / 2
/// apart, and the end is h / 2 ahead:
///   g_end = g + (g - g_last) h / (h + h_last)
double StickSlip::margin_at_end(const Contact& contact,
                                const StepTrial& trial,
                                const double* shared) {
    return stick_end(contact, trial, shared).at_end(trial.h);
}

/// Whether a contact that sticks would reach its limit within the trial.
bool StickSlip::stick_ends(const StepTrial& trial) {
    const double* const shared = slip_.shared(trial.s.data(), true);
    return std::ranges::any_of(contacts_.all(), [&](const Contact& contact) {
        return contacts_.sticks(contact) && margin_at_end(contact, trial, shared) < 0.0;
    });
}

void StickSlip::evaluate(const StepTrial& trial, std::span<double> g) {
    if (contacts_.is_crossing()) {
        std::ranges::fill(g, 1.0);
        return;
    }
    const double* const shared = slip_.shared(trial.s.data(), true);
    const bool tells = tells_forces(trial);
    const double rounding = slip_.force_rounding(trial.s.data(), shared, true);
    bool has_slip = false;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        has_slip |= !contacts_.sticks(contact);
        if (!contacts_.sticks(contact)) continue;
        double& margin = held_margin_[static_cast<Eigen::Index>(c)];
        if (tells) margin = margin_at_end(contact, trial, shared) + rounding;
        g[c] = margin;
    }
    if (!has_slip) return;
    evaluate_end(trial);
    sliding_events(v_.data(), g);
    if (!has_no_solution_) return;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        const bool is_idle = contact.is_locked || contacts_.is_open(contact);
        if (!is_idle && !contacts_.sticks(contact)) g[c] = -1.0;
    }
}

/// Geometry at q_1 = q_0 + dq and v_1 = v_0 + h a with the compensation terms that the accepted
/// state will have, so that the event function has its root at the accepted state.
void StickSlip::evaluate_end(const StepTrial& trial) {
    const double h = trial.h;
    for (int i = 0; i < parts_.n; ++i) {
        q_[i] = state_.q[i] + (state_.q_low[i] + trial_.dq[i]);
        v_[i] = state_.v[i] + (state_.v_low[i] + h * trial.a[i]);
    }
    contacts_.evaluate(q_.data(), v_.data(), trial.t0 + h);
}

StepPart::ModeEnd StickSlip::mode_end(const StepTrial& trial, int c) {
    const Contact& contact = contacts_.all()[static_cast<std::size_t>(c)];
    if (!contacts_.sticks(contact)) {
        evaluate_end(trial);
        return {sliding_event(contact, v_.data())};
    }
    return stick_end(contact, trial, slip_.shared(trial.s.data(), true));
}

void StickSlip::evaluate(double t, const double* q, const double* v, std::span<double> g) {
    const auto& all = contacts_.all();
    const bool has_stick = std::any_of(all.begin(), all.end(), [this](const Contact& contact) {
        return contacts_.sticks(contact);
    });
    // Stick needs forces, hence a solve; slip needs velocities alone.
    if (has_stick)
        accelerations_.solve_and_store(q, v, t);
    else
        contacts_.evaluate(q, v, t);
    for (std::size_t c = 0; c < all.size(); ++c)
        if (contacts_.sticks(all[c]))
            g[c] = stick_margin(all[c], state_.s.data(), state_.s.data(), false, t);
    sliding_events(v, g);
}

/// Sliding velocity of each slipping contact along its direction; geometry of an instant.
void StickSlip::sliding_events(const double* v, std::span<double> g) const {
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (!contacts_.sticks(contact)) g[c] = sliding_event(contact, v);
    }
}

/// g_slip = d . w (theory (41)), d of the step's beginning: positive while it slides on, of one
/// sign change where it stops. |w| itself would touch zero without a change of sign.
double StickSlip::sliding_event(const Contact& contact, const double* v) const {
    if (contact.is_locked || contacts_.is_open(contact)) return 1.0;
    double g = 0.0;
    for (int i = 0; i < contact.num_rows; ++i) {
        const int k = contact.first_row + i;
        g += contact.direction[i] * (contacts_.along(k, v) + contacts_.drift(k));
    }
    return g;
}

double StickSlip::max_smooth_step(double h) const {
    if (contacts_.is_crossing()) return h;
    const bool is_discrete = parts_.model.traits.face == Face::discrete;
    double length = h;
    for (const Contact& contact : contacts_.all()) {
        if (contacts_.sticks(contact) || contacts_.is_open(contact) || contact.is_locked ||
            contact.num_rows == 1)
            continue;
        const int n = contact.num_rows;
        Slides w{}, a{};
        for (int i = 0; i < n; ++i) {
            const int k = contact.first_row + i;
            const auto at = static_cast<std::size_t>(i);
            w[at] = is_discrete ? contact.speed * contact.direction[at]
                                : contacts_.along(k, state_.v.data()) + contacts_.drift(k);
            a[at] = is_discrete
                        ? contact.change[at]
                        : contacts_.along(k, accelerations_.solved_face().acceleration().data()) -
                              contacts_.bias(k);
        }
        // In a time of |w| / |dw/dt| the slide comes to its stop; its direction turns at the rate
        // |w x dw/dt| / |w|^2.
        const double speed = norm(w.data(), n), pull = norm(a.data(), n);
        const double top = islands_.top_speed(islands_.of(contact));
        const bool is_slow = speed <= kSlow * contact.fastest ||
                             (contact.fastest <= kTurning * top && speed <= kTurning * top);
        // To a step that has its direction in its middle one is straight as well whose rest across
        // it is nothing that goes on, where it meets zero along it.
        const double straight = is_discrete ? kTurning : kStraight;
        if (is_slow || turning_part(w, a) <= straight * speed * pull) continue;
        // Up to its stop, or as long as its direction takes to follow the pull.
        if (dot(w.data(), a.data(), n) < 0.0) length = std::min(length, kSmoothPart * speed / pull);
        if (is_discrete) continue;  // which is implicit: no turn is too fast for it
        // The mobility under constraints: the body that slides may carry others.
        double mobility = 0.0;
        for (int k = contact.first_row; k < contact.first_row + n; ++k)
            mobility = std::max(mobility, responses_.slide(k, responses_.groups().place_of(k)));
        const double turning = norm(friction_.stress().data() + contact.first_row, n) * mobility;
        // Friction f across a direction error turns w at the rate f D / |w|: a stiff mode, which an
        // explicit formula follows with steps of |w| / (f D) at most.
        if (turning > 0.0) length = std::min(length, speed / turning);
    }
    return length;
}

}  // namespace ancora
