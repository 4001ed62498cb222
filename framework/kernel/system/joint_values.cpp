// SPDX-License-Identifier: BSD-3-Clause
// Measures of joints at states.
#include "joint_values.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {

JointValues::JointValues(const Model& model, const Space& space) : model_(model) {
    std::vector<std::vector<Space::Vector>> bases(model.bodies.size());
    for (const Space::Vector& vector : space.vectors()) {
        if (vector.translates || !vector.is_whole()) continue;
        // Bodies follow each other in the coordinates.
        const auto next =
            std::ranges::upper_bound(model.bodies, vector.at[0], {}, &BodyPart::first);
        if (next == model.bodies.begin()) continue;
        const BodyPart& body = *(next - 1);
        if (vector.at[0] < body.first + body.count)
            bases[next - model.bodies.begin() - 1].push_back(vector);
    }
    for (std::size_t b = 0; b < bases.size(); ++b)
        if (bases[b].size() == 3)
            triads_.push_back({static_cast<int>(b), {bases[b][0], bases[b][1], bases[b][2]}});
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const ConstraintPart& part = model.constraints[c];
        if (part.joint == nullptr) continue;
        for (std::size_t k = 0; k < part.joint->measures.size(); ++k) {
            const Measure& measure = part.joint->measures[k];
            entries_.push_back({part.object.name + "." + measure.name,
                                MeasureFunction(measure.kind),
                                measure.start,
                                attachments_of(model, {static_cast<int>(c), static_cast<int>(k)})});
        }
    }
    values_.assign(entries_.size(), 0.0);
}

void JointValues::gather(
    const Entry& entry, const double* q, const double* v, Scalars& u, Scalars& du) const {
    std::size_t first = 0;
    for (const Attachment& at : entry.attachments) {
        evaluate_attachment(
            model_.bodies, at, q, v, u.data() + first, v != nullptr ? du.data() + first : nullptr);
        first += 3;
    }
}

void JointValues::begin(const double* q) {
    for (std::size_t i = 0; i < entries_.size(); ++i) values_[i] = entries_[i].start;
    too_fast_ = {};
    take(q);
}

void JointValues::follow(const double* q, const double* v, double t, double h) {
    constexpr double kSure = 2.5;  // of pi, beyond which the other way round is nearer
    take(q);
    for (std::size_t i = 0; i < entries_.size() && too_fast_.entry < 0; ++i) {
        if (entries_[i].function.kind() != MeasureKind::angle) continue;
        // An angle is known modulo 2 pi and continued to the nearest: right while a step turns by
        // less than pi. The angle's rate times h tells where that comes near.
        const double turned = read(i, q, v).rate * h;
        if (std::abs(turned) > kSure) too_fast_ = {static_cast<int>(i), t, turned};
    }
}

void JointValues::follow_step(const double* q, const double* v, double t, double h) {
    follow(q, v, t, h);
    // Beyond it the angle is off by 7 parts of a hundred and more.
    constexpr double kTurned = 1.0;
    for (std::size_t k = 0; k < triads_.size() && too_fast_.entry < 0; ++k) {
        double square = 0.0;  // 2 w^2
        // Base vectors that turn with w: sum_i |de_i/dt|^2 / |e_i|^2 = 2 |w|^2 for an orthogonal
        // triad.
        for (const Space::Vector& vector : triads_[k].vectors) {
            double length = 0.0, rate = 0.0;
            for (const int i : vector.at) {
                length += q[i] * q[i];
                rate += v[i] * v[i];
            }
            square += length > 0.0 ? rate / length : 0.0;
        }
        // A step of second order turns by 2 arctan(w h / 2) instead of w h (theory, section 9).
        const double turned = std::sqrt(0.5 * square) * std::abs(h);
        if (turned > kTurned)
            too_fast_ = {static_cast<int>(entries_.size()) + triads_[k].body, t, turned};
    }
}

const BodyPart* JointValues::body_too_fast() const {
    const int body = too_fast_.entry - static_cast<int>(entries_.size());
    return too_fast_.entry < 0 || body < 0 ? nullptr : &model_.bodies[body];
}

/// The measures at q, each of the branch nearest to its last value.
void JointValues::take(const double* q) {
    Scalars u{}, du{};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        gather(entries_[i], q, nullptr, u, du);
        const MeasureFunction& function = entries_[i].function;
        values_[i] = function.near(function.value(u.data()), values_[i]);
    }
}

JointValues::Reading JointValues::read(std::size_t entry, const double* q, const double* v) const {
    Scalars u{}, du{};
    gather(entries_[entry], q, v, u, du);
    const MeasureFunction& function = entries_[entry].function;
    return {function.near(function.value(u.data()), values_[entry]),
            function.rate(u.data(), du.data())};
}

}  // namespace ancora
