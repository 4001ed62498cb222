// SPDX-License-Identifier: BSD-3-Clause
// Friction at an instant.
#include "instant_friction.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

constexpr int kMostLawIterations = 50;

}  // namespace

InstantFriction::InstantFriction(const Assembly& parts,
                                 Contacts& contacts,
                                 const RestIslands& islands,
                                 SlipLaw& slip,
                                 ContactResponses& responses)
    : parts_(parts), contacts_(contacts), islands_(islands), slip_(slip), responses_(responses) {
    const int K = contacts.num_rows();
    s_.setZero(K);
    unit_.setZero(parts.n);
    stress_.setZero(parts.m);
    normal_response_.assign(static_cast<std::size_t>(K) * contacts.all().size(),
                            Eigen::Vector3d::Zero());
}

void InstantFriction::solve(
    ContinuousFace& face, const double* q, const double* v, double t, bool is_resolving) {
    responses_.are_of_step = false;
    contacts_.evaluate(q, v, t);
    const int K = contacts_.num_rows();
    const auto n = static_cast<std::size_t>(parts_.n);
    const auto m = static_cast<std::size_t>(face.multipliers().size());
    const std::size_t num_contacts = contacts_.all().size();
    Eigen::Vector3d f, df;
    for (int k = 0; k < K; ++k) {
        unit_.setZero();
        contacts_.add_along(k, 1.0, unit_.data());
        face.respond(view(unit_), {responses_.x.col(k).data(), n}, {responses_.s.col(k).data(), m});
        // Reactions answer to a contact's stress s, C = -s, with the stress +mu.
        face.write_stress(responses_.s.col(k).head(static_cast<Eigen::Index>(m)), stress_);
        for (std::size_t c = 0; c < num_contacts; ++c) {
            slip_.normal_force(contacts_.all()[c], stress_.data(), false, &df);
            normal_response_[c * static_cast<std::size_t>(K) + static_cast<std::size_t>(k)] = -df;
        }
    }
    stress_.setZero();
    // From the same start whatever was solved before, so that looking at a run does not change it.
    s_.setZero();
    bool has_slip = false;
    double change = 0.0;
    for (int iteration = 0; iteration < kMostLawIterations; ++iteration) {
        responses_.small.clear();
        for (std::size_t c = 0; c < num_contacts; ++c) {
            const Contact& contact = contacts_.all()[c];
            if (contact.mode == ContactMode::stick) {
                for (int i = 0; i < contact.num_rows; ++i) {
                    const int k = contact.first_row + i;
                    responses_.small.share(k, contact.weight);
                    for (int j = 0; j < K; ++j)
                        responses_.small(k, j) = contacts_.along(k, responses_.x.col(j).data());
                    responses_.small.rhs(k) =
                        contacts_.along(k, face.acceleration().data()) - contacts_.bias(k);
                }
                continue;
            }
            has_slip = true;
            const Eigen::Vector3d* response =
                normal_response_.data() + c * static_cast<std::size_t>(K);
            slip_.normal_force(contact, face.stress().data(), false, &f);
            for (int j = 0; j < K; ++j) f += s_[j] * response[j];
            const double N = f.norm();
            if (N > 0.0) f /= N;
            const Slides w = contacts_.sliding(contact, v);
            Slides direction{};
            const double pull = begin_slip(face, contact, w.data(), direction.data());
            const SlipLaw::Linear law =
                slip_.linearise(contact, w.data(), N, t, pull > 0.0 ? direction.data() : nullptr);
            if (pull > 0.0) add_turning(contact, law, pull, direction.data());
            if (pull > 0.0 && is_resolving) contacts_.all()[c].turn_to(direction.data());
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                const auto at = static_cast<std::size_t>(i);
                responses_.small.rhs(k) += law.s[at];
                for (int j = 0; j < K; ++j) {
                    const double slope = law.by_normal[at] * f.dot(response[j]);
                    responses_.small(k, j) -= slope;
                    responses_.small.rhs(k) -= slope * s_[j];
                }
                responses_.small(k, k) += 1.0;
            }
        }
        responses_.has_no_solution = responses_.small.solve() < 0 && has_slip;
        change = 0.0;
        double size = 0.0;
        for (int k = 0; k < K; ++k) {
            change = std::max(change, std::abs(responses_.small.x(k) - s_[k]));
            size = std::max(size, std::abs(responses_.small.x(k)));
            s_[k] = responses_.small.x(k);
        }
        if (change <= 4e-16 * size || !has_slip) break;
        if (iteration + 1 == kMostLawIterations && !(change <= 1e-10 * size))
            responses_.has_no_solution = true;
    }
    if (responses_.has_no_solution && !is_resolving) slip_.refuse_paradox(t);
    for (int k = 0; k < K; ++k)
        face.add_response(-s_[k], responses_.x.col(k).data(), responses_.s.col(k).data());
}

/// Friction of what begins to slip in several directions acts against the acceleration a that
/// results with it, and goes on so while it is slow: sliding turns towards the pull at a rate of
/// friction over speed, faster than anything could follow.
/// @returns |a| of sliding at the present iterate, and its direction; 0 if the contact slides on
///          its own, or does not accelerate
double InstantFriction::begin_slip(const ContinuousFace& face,
                                   const Contact& contact,
                                   const double* w,
                                   double* direction) const {
    const int island = islands_.of(contact);
    const double slow = kTurning * islands_.top_speed(island);
    const int n = contact.num_rows;
    if (n == 1 || contact.fastest > slow || norm(w, n) > slow) return 0.0;
    Slides accelerations{};
    double* const a = accelerations.data();
    for (int i = 0; i < n; ++i) {
        const int k = contact.first_row + i;
        a[i] = contacts_.along(k, face.acceleration().data()) - contacts_.bias(k);
        for (int j = 0; j < contacts_.num_rows(); ++j)
            a[i] -= s_[j] * contacts_.along(k, responses_.x.col(j).data());
    }
    const double size = norm(a, n);
    if (size <= kUndecided * islands_.free_acceleration(island, face)) return 0.0;
    for (int i = 0; i < n; ++i) direction[i] = a[i] / size;
    return size;
}

/// Adds to the small system how such friction turns with the acceleration, of size `pull`.
void InstantFriction::add_turning(const Contact& contact,
                                  const SlipLaw::Linear& law,
                                  double pull,
                                  const double* d) {
    const int n = contact.num_rows;
    const double stiffness = dot(d, law.s.data(), n) / pull;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < contacts_.num_rows(); ++j) {
            double turn = 0.0;
            for (int l = 0; l < n; ++l)
                turn += ((i == l ? 1.0 : 0.0) - d[i] * d[l]) *
                        contacts_.along(contact.first_row + l, responses_.x.col(j).data());
            responses_.small(contact.first_row + i, j) += stiffness * turn;
            responses_.small.rhs(contact.first_row + i) += stiffness * turn * s_[j];
        }
    }
}

}  // namespace ancora
