// SPDX-License-Identifier: BSD-3-Clause
// The law of slip, linearised.
#include "slip_law.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ancora {
SlipLaw::SlipLaw(const Assembly& parts,
                 const Contacts& contacts,
                 const RestIslands& islands,
                 ConstraintSelection& independent)
    : parts_(parts), contacts_(contacts), islands_(islands), independent_(independent) {
    int largest = 0;
    for (std::size_t c = 0; c < parts.model.constraints.size(); ++c)
        largest = std::max(largest, parts.owner_of_constraint(c).u_count);
    local_force_.setZero(largest);
}

double SlipLaw::normal_force(const Contact& contact,
                             const double* shared,
                             bool of_step,
                             Eigen::Vector3d* f) {
    if (contact.gap >= 0) {
        // Of its own row: f = -s |d(pi) / d(r_1)|, positive where it presses.
        const RowSet::LocalRow local = parts_.rows.local_row(contact.gap, of_step);
        const double size = Eigen::Map<const Eigen::Vector3d>(local.entries.data()).norm();
        *f = {-shared[contact.gap] * size, 0.0, 0.0};
        return f->x();
    }
    // f = -sum_k s_k d(pi_k) / d(r_1), over the rows of the constraint. Rows that a step leaves out
    // have no stress of their own; the least-norm stresses (theory (36)) make f independent of that
    // choice.
    if (of_step)
        parts_.rows.local_force(contact.constraint, shared, local_force_.data());
    else
        parts_.rows.local_force_now(contact.constraint, shared, local_force_.data());
    *f = local_force_.head<3>();
    return size(contact, *f);
}

SlipLaw::Linear SlipLaw::linearise(
    const Contact& contact, const double* w, double N, double t, const double* direction) const {
    Linear out;
    if (contact.is_locked || contacts_.is_open(contact)) return out;
    const int n = contact.num_rows;
    // The side is frozen for the step, so that the law stays smooth through zero.
    // d is the unit direction of sliding, w = along d if it slides straight; along < 0 means it has
    // reversed within the step.
    Slides d = contact.direction;
    if (direction != nullptr) std::copy_n(direction, n, d.begin());
    double along = dot(d.data(), w, n);
    const double speed = norm(w, n);
    out.has_turned = along < 0.0;
    // Slower than this it has stopped, or just begins, and turns with rounding.
    const double top = islands_.top_speed(islands_.of(contact));
    const bool is_ending = contact.speed > 0.0 && contact.speed <= kTurning * contact.fastest;
    const bool turns = n > 1 && direction == nullptr && !is_ending &&
                       speed > std::max(kSlow * contact.speed, kStopped * top);
    if (turns) {
        const double sign = along < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < n; ++i) d[i] = sign * w[i] / speed;
        along = sign * speed;
    }
    //   s = f(N, along) d,    ds/dN = (df/dN) d
    //   ds/dw = (df/d|w|) d d^T + (f / along) (I - d d^T)
    // The second term of ds/dw is the turning of d = w / along; it is left out where d is frozen.
    // Behind a reversal f is that of speed zero and has no slope by it: the event function d . w
    // has its root there.
    const SlipForce slip = contacts_.slip(contact, N, along, t);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        out.s[i] = slip.force * d[i];
        out.by_normal[i] = slip.by_normal * d[i];
        for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
            out.by_rate[i][j] = along > 0.0 ? slip.by_speed * d[i] * d[j] : 0.0;
            if (turns)
                out.by_rate[i][j] += slip.force / along * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
        }
    }
    return out;
}

bool SlipLaw::is_projected(const Contact& contact) const {
    if (contacts_.is_crossing()) return !contact.is_locked;
    // What has come down to this keeps its direction until it stops.
    const bool is_ending = contact.speed > 0.0 && contact.speed <= kTurning * contact.fastest;
    return contact.num_rows > 1 && !contact.is_locked && !is_ending;
}

SlipLaw::Linear SlipLaw::project(const Contact& contact,
                                 const double* s,
                                 const double* slide,
                                 double N,
                                 double t,
                                 double h,
                                 double scale) const {
    Linear out;
    const int n = contact.num_rows;
    Slides x{};
    for (int i = 0; i < n; ++i) x[i] = s[i] + slide[i] / scale;
    const double size = norm(x.data(), n), length = norm(slide, n);
    const SlipForce slip = contacts_.slip(contact, N, length / h, t);
    out.has_turned = dot(contact.direction.data(), slide, n) < 0.0;
    // Below zero, where it pulls in an iteration, the law goes on as it is, for N may rise with the
    // right s; but a second time from there it would turn s round without end.
    constexpr double kFromThere = 1.001;
    if (slip.force < 0.0 && norm(s, n) <= -kFromThere * slip.force) return out;
    // Over a step as a whole what was at rest is held by as much as sticks.
    const bool rests = contacts_.is_crossing() && contact.speed == 0.0;
    out.is_held =
        size < (rests ? std::max(slip.force, contacts_.stick_limit(contact, N, t)) : slip.force);
    out.by_slide = out.is_held ? 1.0 : size > 0.0 ? slip.force / size : 0.0;
    if (out.is_held) return out;
    // With e = x / |x|:
    //   ds_law = (df/dN dN + df/d|w| d|w|) e + (f / |x|) (I - e e^T) (ds + dslide / scale)
    for (int i = 0; i < n && size > 0.0; ++i) {
        const double e = x[i] / size;
        out.s[i] = slip.force * e;
        out.by_normal[i] = slip.by_normal * e;
        for (int j = 0; j < n; ++j) {
            const double across = out.by_slide * ((i == j ? 1.0 : 0.0) - e * x[j] / size);
            out.by_stress[i][j] = across;
            out.by_rate[i][j] = across * h / scale;
            if (length > 0.0) out.by_rate[i][j] += slip.by_speed * e * slide[j] / length;
        }
    }
    return out;
}

double SlipLaw::force_rounding(const double* s, const double* shared, bool of_step) {
    constexpr double kRounding = 1e-14;
    double most = 0.0;
    for (const Contact& contact : contacts_.all()) {
        if (contacts_.is_open(contact)) continue;
        Eigen::Vector3d f;
        most = std::max({most,
                         std::abs(normal_force(contact, shared, of_step, &f)),
                         norm(s + contacts_.first() + contact.first_row, contact.num_rows)});
    }
    return kRounding * most;
}

bool SlipLaw::all_press(const double* s, bool of_step) {
    const double* const of = shared(s, of_step);
    bool any = false;
    for (const Contact& contact : contacts_.all()) {
        if (contacts_.sticks(contact) || contacts_.is_open(contact) || contact.is_locked) continue;
        Eigen::Vector3d f;
        if (contact.gap < 0 || !(normal_force(contact, of, of_step, &f) > 0.0)) return false;
        any = true;
    }
    return any;
}

void SlipLaw::refuse_paradox(double t) const {
    std::string names;
    Place place;
    for (const Contact& contact : contacts_.all()) {
        if (contact.mode != ContactMode::slip || contacts_.is_open(contact)) continue;
        const std::string& label = contact.force->object.label;
        if (names.find(label) != std::string::npos) continue;  // of another of its rows
        if (names.empty()) place = contact.force->object.place;
        names += (names.empty() ? "" : "; ") + label;
    }
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: friction and normal force of {} have no solution or "
                            "several (Painleve's paradox): friction raises the normal force as "
                            "fast as the normal force raises friction; lower its coefficient",
                            t,
                            names),
                place);
}

}  // namespace ancora
