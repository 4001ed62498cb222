// SPDX-License-Identifier: BSD-3-Clause
// Rows of pairs.
#include "attraction.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace ancora::central_gravity {
namespace {

void refuse_meeting(const Arguments& arguments, int i, int j) {
    std::string message("\"");
    message.append(arguments.text("points", i)).append("\" and \"");
    message.append(arguments.text("points", j));
    message.append("\" begin at one place, where their force is infinite");
    arguments.fail("points", message);
}

}  // namespace

Attraction::Attraction(const Arguments& arguments) {
    const std::span<const double> weights = arguments.numbers("weights");
    const auto num = static_cast<std::size_t>(arguments.num_texts("points"));
    if (num < 2) arguments.fail("points", "needs two of them at least");
    if (weights.size() != num)
        arguments.fail("weights",
                       "there are " + std::to_string(weights.size()) + " for " +
                           std::to_string(num) + " points");
    const double k = arguments.number("constant");
    if (k == 0.0) arguments.fail("constant", "is zero, so that nothing attracts anything");

    std::vector<std::array<double, 3>> start(num);
    for (std::size_t i = 0; i < num; ++i) {
        const std::string_view text = arguments.text("points", static_cast<int>(i));
        requests_.add(AttachmentRequest::Kind::point, text, "points");
        start[i] = arguments.frame(text, "points").motion.position;
    }
    const std::size_t num_pairs = num * (num - 1) / 2;
    potentials_.reserve(num_pairs);  // laws point to them
    for (std::size_t i = 0; i < num; ++i)
        for (std::size_t j = i + 1; j < num; ++j) {
            const double strength = k * weights[i] * weights[j];
            if (strength == 0.0) continue;
            double square = 0.0;
            for (std::size_t c = 0; c < 3; ++c) {
                const double x = start[i][c] - start[j][c];
                square += x * x;
            }
            if (!(square > 0.0))
                refuse_meeting(arguments, static_cast<int>(i), static_cast<int>(j));
            const double R = std::sqrt(square);
            pairs_.push_back({3 * i, 3 * j, R});
            potentials_.emplace_back(strength, R);
            RowLaw law{.kind = RowKind::elastic};
            law.compliance = R * R * R / std::abs(strength);
            law.law = &potentials_.back();
            laws_.push_back(law);
            for (const std::size_t first : {3 * i, 3 * j})
                for (std::size_t c = 0; c < 3; ++c)
                    stencil_.push_back(static_cast<std::int32_t>(first + c));
        }
    if (pairs_.empty()) arguments.fail("weights", "are zero, so that nothing attracts anything");
    block_ = {.name = "distance of two points",
              .num_items = static_cast<std::int32_t>(pairs_.size()),
              .rows_per_item = 1,
              .scalars_per_item = 6,
              .stencil = stencil_,
              .laws = laws_,
              .degree = Degree::quadratic,
              .tangent = TangentForm::isotropic};
}

void Attraction::evaluate(int, const RowPoint& at, const RowValues& out) const {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const auto& [i, j, R] = pairs_[p];
        double square = 0.0, speed = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
            const double x = at.u[i + c] - at.u[j + c];
            square += x * x;
            if (!out.A.empty()) {
                out.A[6 * p + c] = x / R;
                out.A[6 * p + 3 + c] = -x / R;
            }
            if (!out.b.empty()) {
                const double v = at.du[i + c] - at.du[j + c];
                speed += v * v;
            }
        }
        if (!out.pi.empty()) {
            const double r = std::sqrt(square);
            out.pi[p] = 0.5 * (r - R) * (r + R) / R;
        }
        if (!out.b.empty()) out.b[p] = -speed / R;
    }
    std::ranges::fill(out.pi_t, 0.0);
}

void Attraction::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    for (std::size_t p = 0; p < at.s.size(); ++p) {
        const double g = (at.positive_part ? std::max(at.s[p], 0.0) : at.s[p]) / pairs_[p].R;
        G[4 * p] = G[4 * p + 3] = g;
        G[4 * p + 1] = G[4 * p + 2] = -g;
    }
}

}  // namespace ancora::central_gravity
