// SPDX-License-Identifier: BSD-3-Clause
// Evaluates attachments and scatters forces on them.
#include "attachment_map.hpp"

#include <algorithm>
#include <array>

namespace ancora {

AttachmentMap::AttachmentMap(const Model& model,
                             std::span<const Attachment> attachments,
                             CallMeter& meter)
    : model_(model), attachments_(attachments), meter_(meter) {
    for (std::size_t k = 0; k < attachments.size(); ++k) {
        if (!attachments[k].is_nonlinear) {
            if (!add_sum(k)) others_.push_back(k);
            continue;
        }
        nonlinear_.push_back({k, jacobian_.size()});
        jacobian_.resize(jacobian_.size() + 3 * attachments[k].coordinates.size(), 0.0);
    }
    if (!nonlinear_.empty()) bias_.assign(3 * attachments.size(), 0.0);
}

/// Whether the attachment's three components are sums of three coordinates that follow each other,
/// with one weight each.
bool AttachmentMap::add_sum(std::size_t attachment) {
    const std::size_t begin = vectors_.size();
    std::array<std::size_t, 3> count{};
    for (const Attachment::Term& term : attachments_[attachment].terms)
        if (term.component == 0) {
            vectors_.push_back({term.coordinate, term.weight});
            ++count[0];
        }
    bool is_sum = true;
    for (const Attachment::Term& term : attachments_[attachment].terms) {
        if (term.component == 0) continue;
        const std::size_t at = begin + count[term.component]++;
        is_sum = is_sum && at < vectors_.size() &&
                 vectors_[at].first + term.component == term.coordinate &&
                 vectors_[at].weight == term.weight;
    }
    is_sum = is_sum && count[1] == count[0] && count[2] == count[0];
    if (is_sum)
        sums_.push_back({attachment, begin, vectors_.size()});
    else
        vectors_.resize(begin);
    return is_sum;
}

template <class Visit>
void AttachmentMap::map(const double* x, const Visit& visit) const {
    for (const auto& [attachment, begin, end] : sums_) {
        // Sums in registers: what has just been written to memory would have to be waited for.
        double r[3] = {0.0, 0.0, 0.0};
        for (std::size_t k = begin; k < end; ++k) {
            const auto [first, weight] = vectors_[k];
            for (int c = 0; c < 3; ++c) r[c] += weight * x[first + c];
        }
        visit(attachment, r);
    }
    for (const std::size_t attachment : others_) {
        double r[3];
        attachments_[attachment].map(x, false, r);
        visit(attachment, r);
    }
}

void AttachmentMap::evaluate(const double* q, const double* v, double t, double* u, double* du) {
    map(q, [&](std::size_t k, const double* r) {
        for (std::size_t c = 0; c < 3; ++c) u[3 * k + c] = attachments_[k].constant[c] + r[c];
    });
    if (v != nullptr) increment(v, du);
    for (const Nonlinear& item : nonlinear_)
        evaluate_nonlinear(item,
                           q,
                           v,
                           t,
                           u + 3 * item.attachment,
                           v != nullptr ? du + 3 * item.attachment : nullptr);
}

void AttachmentMap::evaluate_nonlinear(
    const Nonlinear& item, const double* q, const double* v, double t, double* u, double* du) {
    const Attachment& at = attachments_[item.attachment];
    const BodyPart& part = model_.bodies[at.body];
    const auto count = static_cast<std::size_t>(part.count);
    const std::size_t width = at.coordinates.size();
    const std::span<double> J(jacobian_.data() + item.first, 3 * width);
    const std::span<double> bias(bias_.data() + 3 * item.attachment, 3);
    std::ranges::fill(bias, 0.0);
    AttachmentValues values;
    values.r = {u, 3};
    values.J = J;
    std::span<const double> rates;
    if (v != nullptr) {
        values.bias = bias;
        rates = {v + part.first, count};
    }
    const std::span<const double> own(q + part.first, count);
    part.evaluate_attachment(&meter_, &t, {at.id, at.locator, at.text}, own, rates, values);
    if (at.component >= 0) {
        // A single coordinate of the point stands first, the others are zero.
        const auto c = static_cast<std::size_t>(at.component);
        const auto pick = [c](double* x, std::size_t stride) {
            std::copy_n(x + c * stride, stride, x);
            std::fill_n(x + stride, 2 * stride, 0.0);
        };
        pick(u, 1);
        pick(bias.data(), 1);
        pick(J.data(), width);
    }
    if (v == nullptr) return;
    for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0.0;
        for (std::size_t j = 0; j < width; ++j) sum += J[c * width + j] * v[at.coordinates[j]];
        du[c] = sum;
    }
}

void AttachmentMap::increment(const double* dq, double* du) const {
    map(dq, [&](std::size_t k, const double* r) {
        for (std::size_t c = 0; c < 3; ++c) du[3 * k + c] = r[c];
    });
}

void AttachmentMap::scatter(const double* f, double* F) const {
    for (const auto& [attachment, begin, end] : sums_)
        for (std::size_t k = begin; k < end; ++k) {
            const auto [first, weight] = vectors_[k];
            for (std::size_t c = 0; c < 3; ++c)
                F[static_cast<std::size_t>(first) + c] += weight * f[3 * attachment + c];
        }
    for (const std::size_t k : others_)
        for (const Attachment::Term& term : attachments_[k].terms)
            F[term.coordinate] += term.weight * f[3 * k + static_cast<std::size_t>(term.component)];
    for (const Nonlinear& item : nonlinear_) {
        const Attachment& at = attachments_[item.attachment];
        const std::size_t width = at.coordinates.size();
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t j = 0; j < width; ++j)
                F[at.coordinates[j]] +=
                    jacobian_[item.first + c * width + j] * f[3 * item.attachment + c];
    }
}

std::vector<AttachmentMap::Entry> AttachmentMap::row(int scalar) const {
    std::vector<Entry> entries;
    const auto k = static_cast<std::size_t>(scalar / 3);
    const Attachment& at = attachments_[k];
    for (const Attachment::Term& term : at.terms)
        if (term.component == scalar % 3) entries.push_back({term.coordinate, term.weight, -1});
    if (!at.is_nonlinear) return entries;
    const auto item = std::ranges::find(nonlinear_, k, &Nonlinear::attachment);
    const std::size_t width = at.coordinates.size();
    for (std::size_t j = 0; j < width; ++j)
        entries.push_back(
            {at.coordinates[j],
             1.0,
             static_cast<int>(item->first + static_cast<std::size_t>(scalar % 3) * width + j)});
    return entries;
}

}  // namespace ancora
