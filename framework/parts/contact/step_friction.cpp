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
    laws_.resize(contacts.all().size());
    normal_response_.assign(
        contacts.all().size() * static_cast<std::size_t>(responses.groups().num_places()),
        Eigen::Vector3d::Zero());
    no_rows_.setZero(contacts.first());
}

void StepFriction::evaluate(const StepTrial& trial,
                            std::span<double> r_motion,
                            std::span<double> r_rows) {
    contacts_.evaluate_step(
        state_.q.data(), trial_.dq.data(), trial_.mid.data(), trial.t0, trial.h);
    responses_.are_of_step = false;
    const double* s = trial.s.data() + contacts_.first();
    const double* const shared = slip_.shared(trial.s.data(), true);
    Eigen::Vector3d f;
    for (const Contact& contact : contacts_.all()) {
        // slide = T dq + drift [m], w = slide / h the mean sliding velocity of the step;
        // r_motion += T^T s.
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
        // N is that of the same trial, not of the step before: the coupling is solved, and friction
        // keeps the second order of the step.
        if (!sticks)
            law = slip_.linearise(
                contact, w.data(), slip_.normal_force(contact, shared, true, &f), trial.t0);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const auto at = static_cast<std::size_t>(i);
            // (1): stick closes the slide since the anchor, slip the law; both in metres.
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
    // (x_0, y_0) = K^-1 r: the correction without contacts, to be subtracted from (dq, s).
    inner_.solve(r_motion, r_rows.first(m), ddq, ds.first(m));
    if (!responses_.are_of_step) {
        no_rows_.setZero();
        // X = K^-1 [T^T; 0], once for each matrix and geometry. The correction with contacts is
        // (x_0, y_0) - X ds, a Woodbury update of low rank.
        responses_.ask([&](std::span<const double> force, auto x, auto s) {
            inner_.solve(force,
                         view(no_rows_),
                         {x.data(), static_cast<std::size_t>(x.size())},
                         {s.data(), static_cast<std::size_t>(s.size())});
        });
        responses_.are_of_step = true;
        find_normal_responses();
    }
    bool has_slip = false;
    bool has_turned = false;
    linearise(ds.data());
    for (const ContactGroup& group : responses_.groups().all()) {
        SmallSolver& small = responses_.small(group);
        small.clear();
        const int K = static_cast<int>(group.rows.size());
        for (const int c : group.contacts) {
            const Contact& contact = contacts_.all()[c];
            const Linear& law = laws_[c];
            const bool sticks = contact.mode == ContactMode::stick;
            has_slip |= !sticks;
            has_turned |= !sticks && law.of_slip.has_turned;
            // T x_j is the sliding of a row for a unit force along row j of the group.
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                // Stick: r - T (x_0 - X ds) = 0, or (T X) ds = T x_0 - r.
                const int row = responses_.groups().place_of(k);
                if (sticks) {
                    small.share(row, contact.weight);
                    for (int j = 0; j < K; ++j) small(row, j) = contacts_.along(k, responses_.x(j));
                    small.rhs(row) = contacts_.along(k, ddq.data()) - r_rows[contacts_.first() + k];
                    continue;
                }
                // Slip, theory (40), with the derivative of the law by a correction (x, y)
                //   L(x, y) = (d s_law / dN) f_hat . f(y) + (d s_law / dw) T x / h:
                //   ds + L(X) ds = L(x_0, y_0) - r / scale
                const auto change = [&](double normal, const double* x) {
                    double sum = law.of_slip.by_normal[i] * normal;
                    for (int l = 0; l < contact.num_rows; ++l)
                        sum += law.of_slip.by_rate[i][l] *
                               contacts_.along(contact.first_row + l, x) / trial_.h;
                    return sum;
                };
                for (int j = 0; j < K; ++j)
                    small(row, j) = change(law.normal.dot(normal_response(c, j)), responses_.x(j));
                small(row, row) += 1.0;
                small.rhs(row) = -r_rows[contacts_.first() + k] / scale(k, trial_.h) +
                                 change(law.normal_of_correction, ddq.data());
            }
        }
    }
    // Beyond a stop, where the step is about to be cut, the sign says nothing.
    // det W < 0: friction raises N as fast as N raises friction (theory, section 7.2).
    responses_.has_no_solution = responses_.solve() < 0 && has_slip && !has_turned;
    for (int k = 0; k < contacts_.num_rows(); ++k)
        ds[contacts_.first() + k] = responses_.solution(k);
    const double* const solution = ds.data() + contacts_.first();
    // (ddq, ds) = (x_0, y_0) - X ds_contacts
    responses_.subtract(solution, ddq);
    responses_.subtract(solution, ds.first(m), [](std::size_t k) {
        return k;
    });
}

/// Normal forces that go with unit forces along each row of a contact's group.
void StepFriction::find_normal_responses() {
    Eigen::MatrixXd& s = responses_.stresses();
    for (Eigen::Index j = 0; j < s.cols(); ++j) {
        const double* const shared = slip_.shared(s.col(j).data(), true);
        for (std::size_t c = 0; c < contacts_.all().size(); ++c)
            slip_.normal_force(contacts_.all()[c], shared, true, &normal_response(c, j));
    }
}

/// The laws of slipping contacts at the trial, and the change of normal forces by a correction ds.
void StepFriction::linearise(const double* ds) {
    const double* shared = slip_.shared(trial_.s, true);
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (contact.mode == ContactMode::stick) continue;
        Slides w{};
        for (int i = 0; i < contact.num_rows; ++i)
            w[i] = (contacts_.along(contact.first_row + i, trial_.dq.data()) +
                    contacts_.drift(contact.first_row + i)) /
                   trial_.h;
        Linear& law = laws_[c];
        const double N = slip_.normal_force(contact, shared, true, &law.normal);
        law.of_slip = slip_.linearise(contact, w.data(), N, state_.t);
        // f_hat = f / |f|, for d|f| = f_hat . df
        if (N > 0.0) law.normal /= N;
    }
    shared = slip_.shared(ds, true);
    Eigen::Vector3d df;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        if (contacts_.all()[c].mode == ContactMode::stick) continue;
        slip_.normal_force(contacts_.all()[c], shared, true, &df);
        laws_[c].normal_of_correction = laws_[c].normal.dot(df);
    }
}

void StepFriction::subtract_tangent(const double* x,
                                    const double* y,
                                    double* r_motion,
                                    double* r_rows) {
    linearise(y);
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            // r_motion -= T^T y
            contacts_.add_along(k, -y[contacts_.first() + k], r_motion);
        }
        if (contact.mode == ContactMode::stick) {
            for (int i = 0; i < contact.num_rows; ++i)
                // r_stick -= T x
                r_rows[contacts_.first() + contact.first_row + i] -=
                    contacts_.along(contact.first_row + i, x);
            continue;
        }
        const SlipLaw::Linear& law = laws_[c].of_slip;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            // r_slip -= scale (L(x, y) - y_k), L as in solve(). The matrix in use may be old; this
            // derivative is that of the trial last evaluated, so that refinement tends to Newton's
            // correction.
            double change =
                law.by_normal[i] * laws_[c].normal_of_correction - y[contacts_.first() + k];
            for (int l = 0; l < contact.num_rows; ++l)
                change += law.by_rate[i][l] * contacts_.along(contact.first_row + l, x) / trial_.h;
            r_rows[contacts_.first() + k] -= scale(k, trial_.h) * change;
        }
    }
}

/// (h^2 / 2) D_k: the slide over a step by which a unit force moves the row's mass [m/N].
double StepFriction::scale(int k, double h) const {
    const double D = contacts_.mobility(k, parts_.inverse_mass);
    return 0.5 * h * h * (D > 0.0 ? D : 1.0);
}

}  // namespace ancora
