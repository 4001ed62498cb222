// SPDX-License-Identifier: BSD-3-Clause
// Works, impulses and balances of accepted steps.
#include "energy_accounting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ancora {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();

}  // namespace

EnergyAccounting::EnergyAccounting(Assembly& parts,
                                   MotionState& state,
                                   const Trial& trial,
                                   const StepParts& extra)
    : efforts(parts, extra),
      growth(parts),
      parts_(parts),
      state_(state),
      trial_(trial),
      extra_(extra) {
    // Forces, momenta and changes of velocity: n entries each; strains and gaps: m.
    for (Eigen::VectorXd* x : {&external_, &momentum_, &change_}) x->setZero(parts.n);
    pi_.setZero(parts.m);
}

void EnergyAccounting::record(const StepTrial& trial) {
    // Theory (27), term by term: every work is formed from the s, tau, F and dq that the accepted
    // trial was solved with, so that the energy balance shows rounding and not the difference of
    // two formulas.
    const double h = trial.h;
    for (int k = 0; k < parts_.m; ++k) {
        const double s = trial.s[k];
        if (state_.held.has_row(parts_.rows, k)) continue;
        // Explicit time: prescribed motion works s tau; a gap that is closed works s pi0.
        if (parts_.rows.tau[k] != 0.0) ledger.record_external(s * parts_.rows.tau[k]);
        if (parts_.laws.is_constraint(k) && state_.pi[k] != 0.0)
            ledger.record_projection(s * parts_.laws.theta()[k] * state_.pi[k]);
        // eta dpi^2 / h of a linear law (theory (13)), (s* - W_d) dpi of another;
        // dpi = B dq + tau.
        if (parts_.laws.has_viscosity()) {
            const double loss =
                parts_.laws.dissipation(k, state_.pi[k], trial_.Bdq[k] + parts_.rows.tau[k], h);
            if (loss != 0.0) ledger.record_nonideal(-loss);
        }
    }
    // dU = -(M g) . dq, summed in pairs: its rounding grows like log n (Higham, SIAM J. Sci.
    // Comput. 14 (1993) 783), and weight times height is often the largest term of the balance.
    if (parts_.has_gravity)
        ledger.record_gravity(
            -pairwise_dot(parts_.gravity_force.data(), trial_.dq.data(), trial.a.size()));
    // f . du of force objects and loads, at the attachments.
    const ForceSet::Work work = parts_.forces.work();
    ledger.record_external(work.external);
    ledger.record_nonideal(work.nonideal);
    efforts.record(trial, trial_);
    growth.add_works(1.0);
    if (!parts_.has_gravity && !parts_.has_external && parts_.forces.loads().empty()) return;

    // Forces from outside: gravity, loads, and reactions of the ground.
    external_ = parts_.gravity_force;
    parts_.forces.add_external(external_.data());
    extra_.add_external(trial.s.data(), external_.data());
    // The ground's reaction is -B^T s of the rows that tie a body to it.
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        if (!parts_.model.constraints[c].is_tied_to_ground) continue;
        const RowOwner& owner = parts_.rows.owners[parts_.model.bodies.size() + c];
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
            parts_.rows.add_transposed(parts_.rows.B.data(), k, -trial.s[k], external_.data());
    }
    for (int i = 0; state_.held.any() && i < parts_.n; ++i)
        if (state_.held.has(i)) external_[i] = 0.0;  // in balance by definition
    // Theory (28): h sum F and h sum z_mid x F; the lever is that of the middle, exactly.
    ledger.record_impulse(parts_.space.momenta(trial_.mid.data(), external_.data()), h);
}

void EnergyAccounting::record_flow(const double* q0,
                                   const double* v0,
                                   const double* q1,
                                   const double* v1) {
    const auto n = static_cast<std::size_t>(parts_.n);
    // Theory (67): each end of the step carries half of dM = M_1 - M_0,
    //   dT = v^T dM v / 4,    d(M v) = dM v / 2,    dU = -q^T dM g / 2
    for (const auto& [q, v] : {std::pair(q0, v0), std::pair(q1, v1)}) {
        parts_.mass.multiply_half_change(v, momentum_.data());
        ledger.record_external(0.5 * pairwise_dot(v, momentum_.data(), n));
        ledger.record_impulse(parts_.space.momenta(q, momentum_.data()), 1.0);
        if (!parts_.has_gravity) continue;
        // Its height goes with it.
        parts_.mass.multiply_half_change(parts_.gravity_field.data(), change_.data());
        const double potential = -pairwise_dot(change_.data(), q, n);
        ledger.record_gravity(potential);
        ledger.record_external(potential);
    }
}

/// An impulse M (v - v_before) at the present position: its momentum, its moment, and the energy
/// that it takes or brings, as a difference of two states since nothing else happens meanwhile.
void EnergyAccounting::record_velocity_change(const Eigen::VectorXd& v_before, double before) {
    ledger.record_projection(total_energy(state_.q.data(), state_.v.data(), state_.t) - before);
    change_ = state_.v - v_before;
    parts_.mass.multiply(change_.data(), momentum_.data());
    ledger.record_impulse(parts_.space.momenta(state_.q.data(), momentum_.data()), 1.0);
    close();
}

/// W = sum_k W_k(pi_k) of the carried pi; compensated, so that many small terms beside a large one
/// keep their digits.
double EnergyAccounting::elastic_energy() const {
    CompensatedSum sum;
    parts_.laws.add_energies(state_.pi.data(), sum);
    return sum.value();
}

double EnergyAccounting::own_energy(const Eigen::VectorXd& pi) const {
    CompensatedSum sum;
    for (const int k : parts_.rows.own_rows) sum += parts_.laws.energy(k, pi[k]);
    return sum.value();
}

EnergyAccounting::Snapshot EnergyAccounting::snapshot() {
    const auto n = static_cast<std::size_t>(parts_.n);
    // M of the state, where it depends on q, v or t.
    parts_.update_mass(state_.q.data(), state_.v.data(), state_.t);
    parts_.mass.multiply(state_.v.data(), momentum_.data());
    Snapshot out;
    const auto sum_energies = [&] {
        // T = v^T M v / 2, U_g = -(M g)^T q
        out.kinetic = 0.5 * pairwise_dot(state_.v.data(), momentum_.data(), n);
        out.elastic = elastic_energy();
        out.gravity = -pairwise_dot(parts_.gravity_force.data(), state_.q.data(), n);
    };
    const auto sum_momenta = [&] {
        // P = sum p_z and L = sum z x p_z with p = M v (theory (22))
        out.momenta = parts_.space.momenta(state_.q.data(), momentum_.data());
    };
    // Each sum in its own order, two of them side by side; not what may ask a plugin.
    if (!parts_.workers.are_worth(parts_.n) || parts_.laws.has_nonlinear() ||
        parts_.space.asks_bodies()) {
        sum_energies();
        sum_momenta();
        return out;
    }
    parts_.workers.run([&](int k) {
        if (k == 0) sum_energies();
        if (k == 1) sum_momenta();
    });
    return out;
}

void EnergyAccounting::begin() {
    const Snapshot now = snapshot();
    state_.farthest = std::max(state_.farthest, parts_.space.farthest(state_.q.data()));
    total_mass_ = parts_.total_mass();
    ledger.begin(now.kinetic, now.elastic, now.gravity, now.momenta);
    efforts.begin();
    const double g = Eigen::Map<const Eigen::Vector3d>(parts_.model.gravity.data()).norm();
    const double slow = state_.extent;  // once its own size in a second
    // Energy in play at the start: max(T, |W|, m g l, m (l / 1 s)^2 / 2), l the model's size.
    growth.begin(std::max({now.kinetic,
                           std::abs(now.elastic),
                           total_mass_ * g * state_.extent,
                           0.5 * total_mass_ * slow * slow}),
                 state_.t);
}

void EnergyAccounting::close() {
    const Snapshot now = snapshot();
    state_.farthest = std::max(state_.farthest, parts_.space.farthest(state_.q.data()));
    ledger.close(now.kinetic, now.elastic, now.momenta);
    growth.note(now.kinetic, state_.t);
}

void EnergyAccounting::continue_from(const Snapshot& before) {
    const Snapshot now = snapshot();
    // Other parameters, same motion: the jumps of T, W and U_g have come from outside at this
    // instant, and the balances stay what they were.
    const double lifted = now.gravity - before.gravity;
    ledger.record_gravity(lifted);
    ledger.record_external(now.kinetic - before.kinetic);
    ledger.record_external(now.elastic - before.elastic);
    ledger.record_external(lifted);
    Momenta more;
    for (std::size_t c = 0; c < 3; ++c) {
        more.linear[c] = now.momenta.linear[c] - before.momenta.linear[c];
        more.angular[c] = now.momenta.angular[c] - before.momenta.angular[c];
    }
    ledger.record_impulse(more, 1.0);
    total_mass_ = parts_.total_mass();
    close();
}

double EnergyAccounting::total_energy(const double* q, const double* v, double t) {
    parts_.update_mass(q, v, t);
    parts_.mass.multiply(v, momentum_.data());
    parts_.rows.refresh_own_values(q, v, t);
    // pi from q, not carried: this compares states between which no step lies.
    parts_.rows.evaluate_elastic(q, t, pi_.data());
    CompensatedSum sum(0.5 * pairwise_dot(v, momentum_.data(), static_cast<std::size_t>(parts_.n)));
    parts_.laws.add_energies(pi_.data(), sum);
    sum += -pairwise_dot(parts_.gravity_force.data(), q, static_cast<std::size_t>(parts_.n));
    return sum.value();
}

double EnergyAccounting::energy_rounding(double more) const {
    const Eigen::VectorXd reach = parts_.space.reaches();
    // dq_i <= u |q_i| + more / |dr/dq_i|, the latter the displacement of matter per unit of the
    // coordinate.
    Eigen::VectorXd moved = kUnit * state_.q.cwiseAbs();
    for (int i = 0; i < parts_.n; ++i)
        if (reach[i] > 0.0) moved[i] += more / reach[i];
    // |dE| <= |M g|^T dq + sum_k max|s_k| |A_k| dq
    double sum = moved.dot(parts_.gravity_force.cwiseAbs());
    // dpi = A dq, and its work is at most that of the larger stress at either end of it.
    RowSet::StateValues at;
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, at);
    Eigen::VectorXd s = Eigen::VectorXd::Zero(parts_.m);
    for (int k = 0; k < parts_.m; ++k) {
        if (parts_.laws[k].kind != RowKind::elastic) continue;
        double change = 0.0;
        for (const int e : parts_.rows.entries(k))
            change += std::abs(at.A[e]) * moved[parts_.rows.column_of(e)];
        double most = 0.0;
        if (parts_.laws.together().holds(k)) {
            const ItemLaws::Item& item = parts_.laws.together().item_of(k);
            if (item.first_row == k) parts_.laws.together().stress(item, at.pi.data(), s.data());
            most = std::abs(s[k]);
        } else {
            for (const double pi : {at.pi[k] - change, at.pi[k] + change})
                most = std::max(most, std::abs(parts_.laws.stress(k, pi, 0.0)));
        }
        sum += most * change;
    }
    return sum;
}

EnergyAccounting::Roundings EnergyAccounting::balance_roundings() const {
    RowSet::StateValues at;
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, at);
    // Forces that may be in balance, by their sizes
    Eigen::VectorXd force = parts_.gravity_force.cwiseAbs();
    double reactions = 0.0;
    // |M g| + |A|^T |s|, the sizes of forces that may cancel at rest; and |s_k A_ki q_i| of
    // constraints, whose rounded Jacobian makes their reactions do work.
    for (int k = 0; k < parts_.m; ++k)
        for (const int e : parts_.rows.entries(k)) {
            const int i = parts_.rows.column_of(e);
            const double size = std::abs(at.A[e] * state_.s[k]);
            force[i] += size;
            if (parts_.laws.is_constraint(k)) reactions += size * std::abs(state_.q[i]);
        }
    // Over the time t the impulses of rounded forces add up to u t sum |F| and u t sum |z| |F| at
    // most.
    double linear = 0.0, angular = 0.0;
    for (const Space::Vector& vector : parts_.space.vectors()) {
        double length = 0.0, size = 0.0;
        for (const int i : vector.at) {
            if (i < 0) continue;
            length += std::abs(state_.q[i]);
            size += force[i];
        }
        if (vector.translates) linear += size;
        angular += length * size;
    }
    const double elapsed = state_.t - parts_.model.begin_time;
    return {
        energy_rounding() + kUnit * reactions, kUnit * elapsed * linear, kUnit * elapsed * angular};
}

}  // namespace ancora
