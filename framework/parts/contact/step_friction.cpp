// SPDX-License-Identifier: BSD-3-Clause
// Friction in a step.
#include "step_friction.hpp"

#include <algorithm>

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
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (contacts_.is_open(contact)) {
            // s = 0, whatever it was before
            for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k)
                r_rows[contacts_.first() + k] = -s[k];
            continue;
        }
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
        Linear& law = laws_[c];
        if (are_held_) {
            evaluate_held(static_cast<int>(c), shared, slide, w, s, r_rows);
            continue;
        }
        law.of_slip.is_held = false;
        if (!contacts_.sticks(contact)) {
            // N is that of the same trial, not of the step before: the coupling is solved, and
            // friction keeps the second order of the step.
            Eigen::Vector3d f;
            const double N = slip_.normal_force(contact, shared, true, &f);
            law.of_slip = slip_.is_projected(contact)
                              ? slip_.project(contact,
                                              s + contact.first_row,
                                              slide.data(),
                                              N,
                                              trial.t0,
                                              trial.h,
                                              largest_scale(contact, trial.h))
                              : slip_.linearise(contact, w.data(), N, trial.t0);
            // f_hat = f / |f|, for d|f| = f_hat . df
            law.normal = SlipLaw::slope(contact, f);
            law.reaction = f;
            law.rate = w;
        }
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const auto at = static_cast<std::size_t>(i);
            law.stress[at] = s[k];
            law.scale[at] = scale(k, trial.h);
            // (1): stick closes the slide since the anchor, slip the law; both in metres.
            double& r = r_rows[contacts_.first() + k];
            r = contacts_.sticks(contact) ? slide[at] + contact.anchor[at]
                : law.of_slip.is_held     ? slide[at]
                                          : law.scale[at] * (law.of_slip.s[at] - s[k]);
        }
    }
}

/// (1) of a contact with the law's tangent at the trial evaluated last before it was held,
///   s_law + (d s_law / dN) f_hat . df + (d s_law / dw) dw + (d s_law / ds) ds
void StepFriction::evaluate_held(int c,
                                 const double* shared,
                                 const Slides& slide,
                                 const Slides& rate,
                                 const double* s,
                                 std::span<double> r_rows) {
    const Contact& contact = contacts_.all()[c];
    const Linear& law = laws_[c];
    const bool is_law = !is_stuck(c);
    Eigen::Vector3d f = law.reaction;
    if (is_law) slip_.normal_force(contact, shared, true, &f);
    const double normal = law.normal.dot(f - law.reaction);
    for (int i = 0; i < contact.num_rows; ++i) {
        const int k = contact.first_row + i;
        const auto at = static_cast<std::size_t>(i);
        double& r = r_rows[contacts_.first() + k];
        r = slide[at] + (contacts_.sticks(contact) ? contact.anchor[at] : 0.0);
        if (!is_law) continue;
        double of_law = law.of_slip.s[at] + law.of_slip.by_normal[at] * normal;
        for (int l = 0; l < contact.num_rows; ++l)
            of_law += law.of_slip.by_rate[at][l] * (rate[l] - law.rate[l]) +
                      law.of_slip.by_stress[at][l] * (s[contact.first_row + l] - law.stress[l]);
        r = law.scale[at] * (of_law - s[k]);
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
        take_first_loads(ds.data());
        factorise();
    }
    find_normal_corrections(ds.data());
    for (const ContactGroup& group : responses_.groups().all()) {
        SmallSolver& small = responses_.small(group);
        const double unit = unit_of_stuck(group);
        for (const int c : group.contacts) {
            const Contact& contact = contacts_.all()[c];
            // T x_0
            Slides slide{};
            for (int i = 0; i < contact.num_rows; ++i)
                slide[i] = contacts_.along(contact.first_row + i, ddq.data());
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                const double r = r_rows[contacts_.first() + k];
                small.rhs(responses_.groups().place_of(k)) =
                    is_stuck(c) ? (slide[i] - r) / unit
                                : change(c, i, laws_[c].normal_of_correction, slide) -
                                      r / scale(k, trial_.h);
            }
        }
    }
    responses_.solve();
    for (int k = 0; k < contacts_.num_rows(); ++k) {
        const int row = contacts_.first() + k;
        ds[row] = contacts_.is_open(contacts_.all()[contacts_.contact_of(k)])
                      ? -r_rows[row]
                      : responses_.solution(k);
    }
    const double* const solution = ds.data() + contacts_.first();
    // (ddq, ds) = (x_0, y_0) - X ds_contacts
    responses_.subtract(solution, ddq);
    responses_.subtract(solution, ds.first(m), [](std::size_t k) {
        return k;
    });
}

/// The change of slip i of a contact's law by a correction (x, y) that slides it by T x,
///   L(x, y) = (d s_law / dN) f_hat . f(y) + (d s_law / dw) T x / h,
/// of which `normal` is f_hat . f(y).
double StepFriction::change(int c, int i, double normal, const Slides& slide) const {
    const SlipLaw::Linear& law = laws_[c].of_slip;
    double sum = law.by_normal[i] * normal;
    for (int l = 0; l < contacts_.all()[c].num_rows; ++l)
        sum += law.by_rate[i][l] * slide[l] / trial_.h;
    return sum;
}

/// The small systems of the trial:
///   stick: r - T (x_0 - X ds) = 0, or (T X) ds = T x_0 - r, in a unit that makes T X like 1;
///   slip, theory (40): ds + L(X) ds - S ds = L(x_0, y_0) - r / scale,  S = d s_law / ds
void StepFriction::factorise() {
    bool has_slip = false;
    bool has_turned = false;
    for (const ContactGroup& group : responses_.groups().all()) {
        SmallSolver& small = responses_.small(group);
        small.clear();
        const double unit = unit_of_stuck(group);
        for (const int c : group.contacts) {
            const Contact& contact = contacts_.all()[c];
            const bool sticks = is_stuck(c);
            has_slip |= !contacts_.sticks(contact);
            has_turned |= !contacts_.sticks(contact) && laws_[c].of_slip.has_turned;
            for (int j = 0; j < static_cast<int>(group.rows.size()); ++j) {
                Slides slide{};
                for (int i = 0; i < contact.num_rows; ++i)
                    slide[i] = responses_.slide(contact.first_row + i, j);
                const double normal = sticks ? 0.0 : laws_[c].normal.dot(normal_response(c, j));
                for (int i = 0; i < contact.num_rows; ++i)
                    small(responses_.groups().place_of(contact.first_row + i), j) =
                        sticks ? slide[i] / unit : change(c, i, normal, slide);
            }
            const int first = responses_.groups().place_of(contact.first_row);
            for (int i = 0; i < contact.num_rows; ++i) {
                if (sticks) small.share(first + i, contact.weight);
                if (sticks) continue;
                small(first + i, first + i) += 1.0;
                for (int l = 0; l < contact.num_rows; ++l)
                    small(first + i, first + l) -= laws_[c].of_slip.by_stress[i][l];
            }
        }
    }
    // Beyond a stop, where the step is about to be cut, the sign says nothing.
    // det W < 0: friction raises N as fast as N raises friction (theory, section 7.2).
    responses_.has_no_solution =
        responses_.factorise() < 0 && has_slip && !has_turned && !contacts_.is_crossing();
}

/// Normal forces that go with unit forces along each row of a slipping contact's group.
void StepFriction::find_normal_responses() {
    Eigen::MatrixXd& s = responses_.stresses();
    normal_response_.resize(contacts_.all().size() *
                            static_cast<std::size_t>(responses_.groups().num_places()));
    for (int j = 0; j < static_cast<int>(s.cols()); ++j) {
        const double* const shared = slip_.shared(s.col(j).data(), true);
        for (const ContactGroup& group : responses_.groups().all()) {
            if (j >= static_cast<int>(group.rows.size())) continue;
            for (const int c : group.contacts)
                if (!contacts_.sticks(contacts_.all()[c]))
                    slip_.normal_force(contacts_.all()[c], shared, true, &normal_response(c, j));
        }
    }
}

/// A reaction that is zero, as before the first step, has no direction: |f| grows along the change
/// itself, -f(y_0) of the correction without contacts. Friction is there from the first iteration
/// on then, and its size among the first corrections.
void StepFriction::take_first_loads(const double* ds) {
    const double* const shared = slip_.shared(ds, true);
    Eigen::Vector3d df;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        Eigen::Vector3d& normal = laws_[c].normal;
        const Contact& contact = contacts_.all()[c];
        if (contacts_.sticks(contact) || contact.gap >= 0 || !normal.isZero(0.0)) continue;
        const double size = slip_.normal_force(contact, shared, true, &df);
        if (size > 0.0) normal = -df / size;
    }
}

/// Changes of the normal forces of slipping contacts by a correction ds.
void StepFriction::find_normal_corrections(const double* ds) {
    const double* const shared = slip_.shared(ds, true);
    Eigen::Vector3d df;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (contacts_.sticks(contact) || contacts_.is_open(contact)) continue;
        slip_.normal_force(contact, shared, true, &df);
        laws_[c].normal_of_correction = laws_[c].normal.dot(df);
    }
}

void StepFriction::subtract_tangent(const double* x,
                                    const double* y,
                                    double* r_motion,
                                    double* r_rows) {
    find_normal_corrections(y);
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (contacts_.is_open(contact)) {
            for (int k = contacts_.first() + contact.first_row, i = 0; i < contact.num_rows; ++i)
                r_rows[k + i] += y[k + i];
            continue;
        }
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            // r_motion -= T^T y
            contacts_.add_along(k, -y[contacts_.first() + k], r_motion);
        }
        Slides slide{};
        for (int i = 0; i < contact.num_rows; ++i)
            slide[i] = contacts_.along(contact.first_row + i, x);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            // r_stick -= T x, r_slip -= scale (L(x, y) + (S y)_k - y_k). The matrix in use may be
            // old; this derivative is that of the trial last evaluated, so that refinement tends to
            // Newton's correction.
            double& r = r_rows[contacts_.first() + k];
            if (is_stuck(static_cast<int>(c))) {
                r -= slide[i];
                continue;
            }
            double sum = change(static_cast<int>(c), i, laws_[c].normal_of_correction, slide) -
                         y[contacts_.first() + k];
            for (int l = 0; l < contact.num_rows; ++l)
                sum +=
                    laws_[c].of_slip.by_stress[i][l] * y[contacts_.first() + contact.first_row + l];
            r -= scale(k, trial_.h) * sum;
        }
    }
}

/// (h^2 / 2) D_k: the slide over a step by which a unit force moves the row's mass [m/N].
double StepFriction::scale(int k, double h) const {
    const double D = contacts_.mobility(k, parts_.inverse_mass);
    return 0.5 * h * h * (D > 0.0 ? D : 1.0);
}

/// One for all that stick in a group, so that they share a load as without it.
double StepFriction::unit_of_stuck(const ContactGroup& group) const {
    double most = 0.0;
    for (const int c : group.contacts)
        if (is_stuck(c)) most = std::max(most, largest_scale(contacts_.all()[c], trial_.h));
    return most;
}

double StepFriction::largest_scale(const Contact& contact, double h) const {
    double most = 0.0;
    for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k)
        most = std::max(most, scale(k, h));
    return most;
}

}  // namespace ancora
