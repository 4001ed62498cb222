// SPDX-License-Identifier: BSD-3-Clause
// Friction in a step.
#include "step_friction.hpp"

namespace ancora {

StepFriction::StepFriction(Assembly& parts,
                           const MotionState& state,
                           const Trial& trial,
                           Contacts& contacts,
                           SlipLaw& slip,
                           ContactResponses& responses,
                           StepOperator& inner)
    : parts_(parts),
      state_(state),
      trial_(trial),
      contacts_(contacts),
      slip_(slip),
      responses_(responses),
      inner_(inner) {
    unit_.setZero(parts.n);
    no_rows_.setZero(contacts.first());
}

void StepFriction::evaluate(const StepTrial& trial,
                            std::span<double> r_motion,
                            std::span<double> r_rows) {
    contacts_.evaluate_step(
        state_.q.data(), trial_.dq.data(), trial_.mid.data(), trial.t0, trial.h);
    responses_.are_of_step = false;
    const double* s = trial.s.data() + contacts_.first();
    Eigen::Vector3d f;
    for (const Contact& contact : contacts_.all()) {
        Slides slide{};
        Slides w{};
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const auto at = static_cast<std::size_t>(i);
            slide[at] = contacts_.along(k, trial_.dq.data()) + contacts_.drift(k);
            w[at] = slide[at] / trial.h;
            contacts_.add_along(k, s[k], r_motion.data());
        }
        const bool sticks = contact.mode == ContactMode::stick;
        SlipLaw::Linear law;
        if (!sticks)
            law = slip_.linearise(
                contact, w.data(), slip_.normal_force(contact, trial.s.data(), true, &f), trial.t0);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const auto at = static_cast<std::size_t>(i);
            double& r = r_rows[contacts_.first() + k];
            r = sticks ? slide[at] + contact.anchor[at] : scale(k, trial.h) * (law.s[at] - s[k]);
        }
    }
}

void StepFriction::solve(std::span<const double> r_motion,
                         std::span<const double> r_rows,
                         std::span<double> ddq,
                         std::span<double> ds) {
    const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.solve);
    const auto m = static_cast<std::size_t>(contacts_.first());
    inner_.solve(r_motion, r_rows.first(m), ddq, ds.first(m));
    const int K = contacts_.num_rows();
    if (K == 0) return;
    if (!responses_.are_of_step) {
        no_rows_.setZero();
        for (int k = 0; k < K; ++k) {
            unit_.setZero();
            contacts_.add_along(k, 1.0, unit_.data());
            inner_.solve(view(unit_),
                         view(no_rows_),
                         {responses_.x.col(k).data(), static_cast<std::size_t>(parts_.n)},
                         {responses_.s.col(k).data(), m});
        }
        responses_.are_of_step = true;
    }
    responses_.small.clear();
    Eigen::Vector3d f, df;
    bool has_slip = false;
    bool has_turned = false;
    for (const Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick) {
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                responses_.small.share(k, contact.weight);
                for (int j = 0; j < K; ++j)
                    responses_.small(k, j) = contacts_.along(k, responses_.x.col(j).data());
                responses_.small.rhs(k) =
                    contacts_.along(k, ddq.data()) - r_rows[contacts_.first() + k];
            }
            continue;
        }
        has_slip = true;
        Slides w{};
        for (int i = 0; i < contact.num_rows; ++i)
            w[i] = (contacts_.along(contact.first_row + i, trial_.dq.data()) +
                    contacts_.drift(contact.first_row + i)) /
                   trial_.h;
        const double N = slip_.normal_force(contact, trial_.s, true, &f);
        const SlipLaw::Linear law = slip_.linearise(contact, w.data(), N, state_.t);
        has_turned |= law.has_turned;
        if (N > 0.0) f /= N;
        const auto add = [&](int i, const double* x, const double* s, double& to) {
            slip_.normal_force(contact, s, true, &df);
            const auto at = static_cast<std::size_t>(i);
            to += law.by_normal[at] * f.dot(df);
            for (int l = 0; l < contact.num_rows; ++l)
                to += law.by_rate[at][l] * contacts_.along(contact.first_row + l, x) / trial_.h;
        };
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            for (int j = 0; j < K; ++j)
                add(i,
                    responses_.x.col(j).data(),
                    responses_.s.col(j).data(),
                    responses_.small(k, j));
            responses_.small(k, k) += 1.0;
            responses_.small.rhs(k) = -r_rows[contacts_.first() + k] / scale(k, trial_.h);
            add(i, ddq.data(), ds.data(), responses_.small.rhs(k));
        }
    }
    // Beyond a stop, where the step is about to be cut, the sign says nothing.
    responses_.has_no_solution = responses_.small.solve() < 0 && has_slip && !has_turned;
    for (int k = 0; k < K; ++k) {
        const double x = responses_.small.x(k);
        ds[contacts_.first() + k] = x;
        for (int i = 0; i < parts_.n; ++i) ddq[i] -= responses_.x(i, k) * x;
        for (int i = 0; i < contacts_.first(); ++i) ds[i] -= responses_.s(i, k) * x;
    }
}

void StepFriction::subtract_tangent(const double* x,
                                    const double* y,
                                    double* r_motion,
                                    double* r_rows) {
    Eigen::Vector3d f, df;
    for (const Contact& contact : contacts_.all()) {
        Slides w{};
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            contacts_.add_along(k, -y[contacts_.first() + k], r_motion);
            w[i] = (contacts_.along(k, trial_.dq.data()) + contacts_.drift(k)) / trial_.h;
        }
        if (contact.mode == ContactMode::stick) {
            for (int i = 0; i < contact.num_rows; ++i)
                r_rows[contacts_.first() + contact.first_row + i] -=
                    contacts_.along(contact.first_row + i, x);
            continue;
        }
        const double N = slip_.normal_force(contact, trial_.s, true, &f);
        const SlipLaw::Linear law = slip_.linearise(contact, w.data(), N, state_.t);
        if (N > 0.0) f /= N;
        slip_.normal_force(contact, y, true, &df);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const auto at = static_cast<std::size_t>(i);
            double change = law.by_normal[at] * f.dot(df) - y[contacts_.first() + k];
            for (int l = 0; l < contact.num_rows; ++l)
                change += law.by_rate[at][l] * contacts_.along(contact.first_row + l, x) / trial_.h;
            r_rows[contacts_.first() + k] -= scale(k, trial_.h) * change;
        }
    }
}

double StepFriction::scale(int k, double h) const {
    const double D = contacts_.mobility(k, parts_.inverse_mass);
    return 0.5 * h * h * (D > 0.0 ? D : 1.0);
}

}  // namespace ancora
