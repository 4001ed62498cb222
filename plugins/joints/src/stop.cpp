// SPDX-License-Identifier: BSD-3-Clause
// Limits of a measure as rows.
#include "stop.hpp"

#include <algorithm>
#include <string>

namespace ancora::joints {

Stop::Stop(const Arguments& arguments) : on_(arguments) {
    const bool has_lower = arguments.has("lower"), has_upper = arguments.has("upper");
    if (!has_lower && !has_upper) arguments.fail("", "has no limit; give lower, upper, or both");
    if (has_lower && has_upper && !(arguments.number("lower") < arguments.number("upper")))
        arguments.fail("upper", "is not above lower, so that the measure has no room to move in");
    std::size_t count = 0;
    for (const bool is_lower : {true, false}) {
        if (is_lower ? !has_lower : !has_upper) continue;
        sign_[count] = is_lower ? 1.0 : -1.0;
        limit_[count++] = arguments.number(is_lower ? "lower" : "upper");
    }
    law_ = {.kind = RowKind::unilateral, .restitution = arguments.number("restitution")};
    const auto width = static_cast<std::int32_t>(on_.function.num_scalars());
    for (std::int32_t i = 0; i < width; ++i) stencil_[static_cast<std::size_t>(i)] = i;
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = static_cast<std::int32_t>(count),
              .scalars_per_item = width,
              .stencil = std::span(stencil_).first(on_.function.num_scalars()),
              .laws = {&law_, 1},
              .degree = Degree::general,
              .tangent = TangentForm::full};
}

void Stop::evaluate(int, const RowPoint& at, const RowValues& out) const {
    const MeasureFunction& m = on_.function;
    const std::size_t width = m.num_scalars();
    std::ranges::fill(out.pi_t, 0.0);
    if (!out.pi.empty()) {
        const double value =
            m.near(m.value(at.u.data()), at.state.empty() ? on_.value : at.state[0]);
        for (std::size_t k = 0; k < num_rows(); ++k) out.pi[k] = sign_[k] * (value - limit_[k]);
    }
    if (!out.A.empty()) {
        std::array<double, MeasureFunction::kMostScalars> A;
        m.gradient(at.u.data(), A.data());
        for (std::size_t k = 0; k < num_rows(); ++k)
            for (std::size_t i = 0; i < width; ++i) out.A[k * width + i] = sign_[k] * A[i];
    }
    if (out.b.empty()) return;
    const double bias = m.bias(at.u.data(), at.du.data());
    for (std::size_t k = 0; k < num_rows(); ++k) out.b[k] = sign_[k] * bias;
}

void Stop::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    const MeasureFunction& m = on_.function;
    const std::size_t width = m.num_scalars();
    std::array<double, MeasureFunction::kMostScalars> D;
    m.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), D.data());
    if (!step.state1.empty())
        step.state1[0] =
            m.near(m.value(step.u0.data()), step.state0[0]) + m.dot(D.data(), step.du.data());
    for (std::size_t k = 0; k < num_rows(); ++k)
        for (std::size_t i = 0; i < width; ++i) out.B[k * width + i] = sign_[k] * D[i];
}

void Stop::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    if (at.positive_part) return;
    double effort = 0.0;
    for (std::size_t k = 0; k < num_rows(); ++k) effort += sign_[k] * at.s[k];
    if (effort != 0.0) on_.function.add_hessian(at.mid.data(), effort, G.data());
}

void Stop::evaluate(const RowPoint&, double, std::span<double> factors) const {
    for (std::size_t k = 0; k < num_rows(); ++k) factors[k] = sign_[k];
}

}  // namespace ancora::joints
