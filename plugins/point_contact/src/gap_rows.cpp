// SPDX-License-Identifier: BSD-3-Clause
// Evaluates gaps along directions.
#include "gap_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ancora::point_contact {
namespace {

constexpr RowLaw kLaw[] = {{.kind = RowKind::constraint}};

}  // namespace

GapRows::GapRows(const char* name, std::span<const GapDirection> directions)
    : num_rows_(directions.size()), is_carried_(directions[0].attachment >= 0) {
    std::ranges::copy(directions, directions_.begin());
    std::size_t size = 0;
    const auto add = [&](int attachment) {
        for (int k = 0; k < 3; ++k) stencil_[size++] = 3 * attachment + k;
    };
    add(0);
    add(1);
    if (is_carried_)
        for (const GapDirection& w : directions) add(w.attachment);
    block_ = {.name = name,
              .num_items = 1,
              .rows_per_item = static_cast<std::int32_t>(num_rows_),
              .scalars_per_item = static_cast<std::int32_t>(size),
              .stencil = std::span(stencil_).first(size),
              .laws = kLaw,
              .degree = is_carried_ ? Degree::quadratic : Degree::linear,
              .tangent = is_carried_ ? TangentForm::isotropic : TangentForm::none};
}

void GapRows::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.A, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    std::ranges::fill(out.b, 0.0);
    const Vec3 d = vec3(at.u, 0) - vec3(at.u, 3);
    const auto scalars = static_cast<std::size_t>(block_.scalars_per_item);
    for (std::size_t k = 0; k < num_rows_; ++k) {
        const auto first = static_cast<std::size_t>(3 * directions_[k].attachment);
        const Vec3 w = is_carried_ ? Vec3(vec3(at.u, first)) : directions_[k].constant;
        if (!out.pi.empty()) out.pi[k] = w.dot(d);
        if (!out.A.empty()) {
            vec3(out.A, k * scalars) = w;
            vec3(out.A, k * scalars + 3) = -w;
            if (is_carried_) vec3(out.A, k * scalars + 6 + 3 * k) = d;
        }
        if (is_carried_ && !out.b.empty())
            out.b[k] = -2.0 * vec3(at.du, first).dot(vec3(at.du, 0) - vec3(at.du, 3));
    }
}

void GapRows::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    // K = a c^T + c a^T on (r_p, r_o, w_k), with a = (1, -1, 0) and c = (0, 0, s_k)
    const std::size_t size = 2 + num_rows_;
    std::ranges::fill(G, 0.0);
    double square = 0.0;
    for (const double s_k : at.s) square += s_k * s_k;
    if (!is_carried_ || !(square > 0.0)) return;
    const double share = at.positive_part ? 0.5 : 1.0;
    for (std::size_t k = 0; k < num_rows_; ++k) {
        const double x = share * at.s[k];
        const std::size_t w = 2 + k;
        G[w] = G[size * w] = x;
        G[size + w] = G[size * w + 1] = -x;
    }
    if (!at.positive_part) return;

    // its eigenvector above zero is (a / |a| + c / |c|) / sqrt 2, of eigenvalue |a| |c|
    const double norm = std::sqrt(square);
    const double x = norm / (2.0 * std::numbers::sqrt2);
    G[0] = G[size + 1] = x;
    G[1] = G[size] = -x;
    for (std::size_t i = 0; i < num_rows_; ++i)
        for (std::size_t k = 0; k < num_rows_; ++k)
            G[size * (2 + i) + 2 + k] = at.s[i] * at.s[k] / (std::numbers::sqrt2 * norm);
}

}  // namespace ancora::point_contact
