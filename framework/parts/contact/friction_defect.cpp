// SPDX-License-Identifier: BSD-3-Clause
// Rounding of friction.
#include "friction_defect.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

// A slide that is slower than what it is the difference of by less than the first has a direction
// as good as its force; by more than the second it has next to none.
constexpr double kLeastDirectionNoise = 1e2;
constexpr double kMostDirectionNoise = 1e6;

/// The direction of a slide in several directions has the roundings of the motion that it is the
/// difference of, relative to its own length: how many times as many as its force has.
double direction_noise(const Contacts& contacts,
                       const Contact& contact,
                       const double* dq,
                       const TrialSizes& sizes) {
    if (contact.num_rows == 1) return 0.0;
    // slide = T dq + drift; terms = max_k |T_k| |dq|, the moduli of its terms.
    Slides slide{};
    double terms = 0.0;
    for (int i = 0; i < contact.num_rows; ++i) {
        const int k = contact.first_row + i;
        slide[i] = contacts.along(k, dq) + contacts.drift(k);
        terms = std::max(terms, contacts.size_along(k, sizes.dq.data()));
    }
    // The direction slide / |slide| errs by eps terms / |slide|, and so does the force f d,
    // relative to f: terms / |slide| times as many roundings as the force itself has.
    const double length = norm(slide.data(), contact.num_rows);
    if (terms <= kLeastDirectionNoise * length) return 0.0;
    return terms < kMostDirectionNoise * length ? terms / length : kMostDirectionNoise;
}

}  // namespace

/// |T_k| |q| where the row's position may be prescribed twice: by another sticking contact of the
/// island, or by a constraint that locks the direction. Rounded positions contradict each other by
/// eps |T_k| |q| then, and no dq closes that part of the residual.
double unreachable(const Contacts& contacts,
                   const RestIslands& islands,
                   const Contact& contact,
                   int k,
                   const TrialSizes& sizes) {
    return contact.is_partly_locked || islands.has_sticking_beside(contact)
               ? contacts.size_along(k, sizes.q.data())
               : 0.0;
}

void measure_friction(const StepTrial& trial,
                      const Trial& step,
                      const Contacts& contacts,
                      const RestIslands& islands,
                      const StepFriction& friction,
                      PartResidual& defect) {
    const double* const s = trial.s.data() + contacts.first();
    const double* const r = step.r_rows.data() + contacts.first();
    for (std::size_t c = 0; c < contacts.all().size(); ++c) {
        const Contact& contact = contacts.all()[c];
        if (contacts.is_open(contact)) continue;
        // Motion: |T|^T |s| joins the sizes of its terms, as |B|^T |s| of every row does (theory
        // (47)). Slip: the largest term of (h^2 / 2) D (s_law - s) of the contact; its rows are
        // judged by one size, since they are components of one vector f d.
        double force = 0.0;
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k) {
            contacts.add_size_along(k, std::abs(s[k]), defect.sizes.terms.data());
            force = std::max(force, friction.scale(k, trial.h) * std::abs(s[k]) + std::abs(r[k]));
        }
        const bool sticks = contacts.sticks(contact);
        const bool is_stuck = friction.is_stuck(static_cast<int>(c));
        // A projection has a slide as one of its terms, with the roundings of that; the direction
        // of the others has more of them the slower they are.
        const double follows = is_stuck ? 1.0 : friction.by_slide(static_cast<int>(c));
        const double turning =
            is_stuck || follows > 0.0
                ? 0.0
                : direction_noise(contacts, contact, step.dq.data(), defect.sizes);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            // The law's force follows a reaction with its own roundings.
            // Allowed is eps times these: the terms of T dq + drift + anchor in stick, of the law
            // in slip.
            double terms = is_stuck ? unreachable(contacts, islands, contact, k, defect.sizes)
                                    : (1.0 + turning) * force;
            // Several that are held there say the same of positions, as those that stick do.
            if (is_stuck && contacts.is_crossing())
                terms = contacts.size_along(k, defect.sizes.q.data());
            if (follows > 0.0)
                terms += follows * (contacts.size_along(k, defect.sizes.dq.data()) +
                                    std::abs(contacts.drift(k)));
            if (sticks) terms += std::abs(contact.anchor[i]);
            defect.judge(contacts.first() + k, std::abs(r[k]), terms);
        }
    }
}

}  // namespace ancora
