// SPDX-License-Identifier: BSD-3-Clause
// Friction at an instant.
#include "instant_friction.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

// Newton's iterations on N(s); the law f(N) is mostly linear in N, so that few are needed.
constexpr int kMostLawIterations = 50;

}  // namespace

InstantFriction::InstantFriction(const Assembly& parts,
                                 Contacts& contacts,
                                 const RestIslands& islands,
                                 SlipLaw& slip,
                                 ContactResponses& responses)
    : parts_(parts), contacts_(contacts), islands_(islands), slip_(slip), responses_(responses) {
    // normal_response_ is one 3-vector f_j for each contact and place j in its group.
    s_.setZero(contacts.num_rows());
    stress_.setZero(parts.m);
    x_.setZero(parts.n);
}

void InstantFriction::solve(
    ContinuousFace& face, const double* q, const double* v, double t, bool is_tentative) {
    contacts_.evaluate(q, v, t);
    const auto m = face.multipliers().size();
    Eigen::Vector3d df;
    // Column j of X: the accelerations that a unit force T_k^T, k the j-th row of a group, causes
    // through the constrained equation of motion, with the multipliers mu_k that keep A X = 0.
    responses_.ask(face);
    normal_response_.resize(contacts_.all().size() *
                            static_cast<std::size_t>(responses_.groups().num_places()));
    for (int j = 0; j < static_cast<int>(responses_.stresses().cols()); ++j) {
        // Reactions answer to a contact's stress s, C = -s, with the stress +mu.
        face.write_stress(responses_.stresses().col(j).head(m), stress_);
        for (const ContactGroup& group : responses_.groups().all()) {
            if (j >= static_cast<int>(group.rows.size())) continue;
            for (const int c : group.contacts) {
                // The reaction of each contact's constraint is affine in s,
                //   f(s) = f_0 + sum_k s_k f_k.
                slip_.normal_force(contacts_.all()[c], stress_.data(), false, &df);
                normal_response(c, j) = -df;
            }
        }
    }
    stress_.setZero();
    // From a fixed start, so that observing a run does not change it.
    s_.setZero();
    responses_.has_no_solution = false;
    for (const ContactGroup& group : responses_.groups().all())
        responses_.has_no_solution |= !solve_laws(group, face, v, t);
    // a = a_0 - X s, lambda = lambda_0 - mu s
    x_.setZero();
    stress_.setZero();
    responses_.subtract(s_.data(), {x_.data(), static_cast<std::size_t>(x_.size())});
    responses_.subtract(
        s_.data(), {stress_.data(), static_cast<std::size_t>(m)}, [&face](std::size_t c) {
            return face.constraint_rows()[c];
        });
    face.add_response(1.0, x_.data(), stress_.data());
    if (responses_.has_no_solution && slip_.all_press(face.stress().data(), false))
        responses_.has_no_solution = false;
    if (responses_.has_no_solution && !is_tentative) slip_.refuse_paradox(t);
}

/// The laws of a group's contacts, by Newton's iterations where N matters.
/// @returns false if they have no single solution
bool InstantFriction::solve_laws(const ContactGroup& group,
                                 ContinuousFace& face,
                                 const double* v,
                                 double t) {
    SmallSolver& small = responses_.small(group);
    const int K = static_cast<int>(group.rows.size());
    Eigen::Vector3d f;
    for (int iteration = 0;; ++iteration) {
        small.clear();
        bool has_slip = false;
        for (const int c : group.contacts) {
            Contact& contact = contacts_.all()[c];
            if (contacts_.sticks(contact)) {
                for (int i = 0; i < contact.num_rows; ++i) {
                    const int k = contact.first_row + i;
                    // Stick: the sliding acceleration T (a_0 - X s) - bias is zero,
                    //   (T X) s = T a_0 - bias;
                    // of several such s the one of least sum of weight s^2 (LoadSharing).
                    const int row = responses_.groups().place_of(k);
                    small.share(row, contact.weight);
                    for (int j = 0; j < K; ++j) small(row, j) = responses_.slide(k, j);
                    small.rhs(row) =
                        contacts_.along(k, face.acceleration().data()) - contacts_.bias(k);
                }
                continue;
            }
            has_slip = true;
            const Eigen::Vector3d* response = &normal_response(c, 0);
            slip_.normal_force(contact, face.stress().data(), false, &f);
            // N = |f(s)| at the iterate; dN = f_hat . df with the unit vector f_hat = f / N.
            for (int j = 0; j < K; ++j) f += s_[group.rows[j]] * response[j];
            const double N = SlipLaw::size(contact, f);
            f = SlipLaw::slope(contact, f);
            const Slides w = contacts_.sliding(contact, v);
            Slides direction{};
            // Where w is nearly zero and has no direction, the acceleration gives it.
            const double pull = begin_slip(face, group, contact, w.data(), direction.data());
            const SlipLaw::Linear law =
                slip_.linearise(contact, w.data(), N, t, pull > 0.0 ? direction.data() : nullptr);
            if (pull > 0.0) add_turning(group, contact, law, pull, direction.data());
            if (pull > 0.0 && is_choosing_) contact.turn_to(direction.data());
            // Slip, Newton's step from s to x; w is given here, so that N alone depends on x:
            //   x_k = s_law + (d s_law / dN) f_hat . sum_j f_j (x_j - s_j)
            for (int i = 0; i < contact.num_rows; ++i) {
                const int row = responses_.groups().place_of(contact.first_row + i);
                small.rhs(row) += law.s[i];
                for (int j = 0; j < K; ++j) {
                    const double slope = law.by_normal[i] * f.dot(response[j]);
                    small(row, j) -= slope;
                    small.rhs(row) -= slope * s_[group.rows[j]];
                }
                small(row, row) += 1.0;
            }
        }
        // det(I - (d s_law / dN) f_hat . f_j ...) is positive for small coefficients of friction;
        // once it has changed sign, dC/dN times dN/dC exceeds one: Painleve's paradox.
        const bool is_single = small.factorise() >= 0 || !has_slip;
        small.solve();
        double change = 0.0;
        double size = 0.0;
        for (int j = 0; j < K; ++j) {
            change = std::max(change, std::abs(small.x(j) - s_[group.rows[j]]));
            size = std::max(size, std::abs(small.x(j)));
            s_[group.rows[j]] = small.x(j);
        }
        // Stick alone is linear: one solve. Slip ends where a round changes s by rounding.
        if (change <= 4e-16 * size || !has_slip) return is_single;
        if (iteration + 1 == kMostLawIterations) return is_single && change <= 1e-10 * size;
    }
}

/// Friction of contacts that begin to slip in several directions acts against the acceleration a
/// that results with it, and goes on so while it is slow: sliding turns towards the pull at a rate
/// of friction over speed, faster than anything could follow.
/// @returns |a| of sliding at the present iterate, and its direction; 0 if the contact slides on
///          its own, or does not accelerate
double InstantFriction::begin_slip(const ContinuousFace& face,
                                   const ContactGroup& group,
                                   const Contact& contact,
                                   const double* w,
                                   double* direction) const {
    const int island = islands_.of(contact);
    const double slow = kTurning * islands_.top_speed(island);
    const int n = contact.num_rows;
    if (n == 1 || contact.fastest > slow || norm(w, n) > slow) return 0.0;
    // a = T (a_0 - X s) - bias, the sliding acceleration with the friction of the iterate.
    Slides accelerations{};
    double* const a = accelerations.data();
    for (int i = 0; i < n; ++i) {
        const int k = contact.first_row + i;
        a[i] = contacts_.along(k, face.acceleration().data()) - contacts_.bias(k);
        for (std::size_t j = 0; j < group.rows.size(); ++j)
            a[i] -= s_[group.rows[j]] * responses_.slide(k, static_cast<int>(j));
    }
    // At the limit of stick exactly, a is rounding and has no direction.
    const double size = norm(a, n);
    if (size <= kUndecided * islands_.free_acceleration(island, face)) return 0.0;
    for (int i = 0; i < n; ++i) direction[i] = a[i] / size;
    return size;
}

/// Adds to the small system how such friction turns with the acceleration, of size `pull`.
void InstantFriction::add_turning(const ContactGroup& group,
                                  const Contact& contact,
                                  const SlipLaw::Linear& law,
                                  double pull,
                                  const double* d) {
    const int n = contact.num_rows;
    // s = f d with d = a / |a|, and da = -T X (x - s):
    //   x = s_law - (f / |a|) (I - d d^T) T X (x - s)
    const double stiffness = dot(d, law.s.data(), n) / pull;
    SmallSolver& small = responses_.small(group);
    for (int i = 0; i < n; ++i) {
        const int row = responses_.groups().place_of(contact.first_row + i);
        for (int j = 0; j < static_cast<int>(group.rows.size()); ++j) {
            double turn = 0.0;
            for (int l = 0; l < n; ++l)
                turn += ((i == l ? 1.0 : 0.0) - d[i] * d[l]) *
                        responses_.slide(contact.first_row + l, j);
            small(row, j) += stiffness * turn;
            small.rhs(row) += stiffness * turn * s_[group.rows[j]];
        }
    }
}

}  // namespace ancora
