// SPDX-License-Identifier: BSD-3-Clause
// Limits of a measure as rows.
#include "stop.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace ancora::joints {

void MeasureGaps::add(double sign, double limit) {
    sign_[num_rows_] = sign;
    limit_[num_rows_++] = limit;
}

void MeasureGaps::finish(const RowLaw& law) {
    law_ = law;
    const auto width = static_cast<std::int32_t>(on_.function.num_scalars());
    for (std::int32_t i = 0; i < width; ++i) stencil_[static_cast<std::size_t>(i)] = i;
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = static_cast<std::int32_t>(num_rows_),
              .scalars_per_item = width,
              .stencil = std::span(stencil_).first(on_.function.num_scalars()),
              .laws = {&law_, 1},
              .degree = Degree::general,
              .tangent = TangentForm::full};
}

void MeasureGaps::evaluate(int, const RowPoint& at, const RowValues& out) const {
    const MeasureFunction& m = on_.function;
    const std::size_t width = m.num_scalars();
    std::ranges::fill(out.pi_t, 0.0);
    if (!out.pi.empty()) {
        const double value =
            m.near(m.value(at.u.data()), at.state.empty() ? on_.value : at.state[0]);
        for (std::size_t k = 0; k < num_rows_; ++k) out.pi[k] = sign_[k] * (value - limit_[k]);
    }
    if (!out.A.empty()) {
        std::array<double, MeasureFunction::kMostScalars> A;
        m.gradient(at.u.data(), A.data());
        for (std::size_t k = 0; k < num_rows_; ++k)
            for (std::size_t i = 0; i < width; ++i) out.A[k * width + i] = sign_[k] * A[i];
    }
    if (out.b.empty()) return;
    const double bias = m.bias(at.u.data(), at.du.data());
    for (std::size_t k = 0; k < num_rows_; ++k) out.b[k] = sign_[k] * bias;
}

void MeasureGaps::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    const MeasureFunction& m = on_.function;
    const std::size_t width = m.num_scalars();
    std::array<double, MeasureFunction::kMostScalars> D;
    m.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), D.data());
    if (!step.state1.empty())
        step.state1[0] =
            m.near(m.value(step.u0.data()), step.state0[0]) + m.dot(D.data(), step.du.data());
    for (std::size_t k = 0; k < num_rows_; ++k)
        for (std::size_t i = 0; i < width; ++i) out.B[k * width + i] = sign_[k] * D[i];
}

void MeasureGaps::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    if (at.positive_part) return;
    double effort = 0.0;
    for (std::size_t k = 0; k < num_rows_; ++k) effort += sign_[k] * at.s[k];
    if (effort != 0.0) on_.function.add_hessian(at.mid.data(), effort, G.data());
}

void MeasureGaps::evaluate(const RowPoint&, double, std::span<double> factors) const {
    for (std::size_t k = 0; k < num_rows_; ++k) factors[k] = sign_[k];
}

Stop::Stop(const Arguments& arguments) : MeasureGaps(arguments) {
    const bool has_lower = arguments.has("lower"), has_upper = arguments.has("upper");
    if (!has_lower && !has_upper) arguments.fail("", "has no limit; give lower, upper, or both");
    if (has_lower && has_upper && !(arguments.number("lower") < arguments.number("upper")))
        arguments.fail("upper", "is not above lower, so that the measure has no room to move in");
    if (has_lower) add(1.0, arguments.number("lower"));
    if (has_upper) add(-1.0, arguments.number("upper"));
    finish({.kind = RowKind::unilateral, .restitution = arguments.number("restitution")});
}

Latch::Latch(const Arguments& arguments)
    : MeasureGaps(arguments), may_open_(arguments.has("open")) {
    const double at = arguments.number("at");
    add(start() > at ? 1.0 : -1.0, at);
    const double hold = arguments.has("breaks") ? arguments.number("breaks")
                                                : std::numeric_limits<double>::infinity();
    finish({.kind = RowKind::unilateral, .prestress = hold});
}

double Latch::next_time(double after, std::span<const double>) const {
    // At the start: the command there.
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return after == -kNever ? std::numeric_limits<double>::lowest() : kNever;
}

void Latch::evaluate_crossings(const SignalPoint& at, std::span<double> g) const {
    constexpr double kMiddle = 0.5;
    const double command = at.own.inputs[0] - kMiddle;
    g[0] = at.own.z[0] != 0.0 ? command : -command;
}

void Latch::act(const SignalPoint& at, int crossing, std::span<double>, std::span<double> z) const {
    if (crossing == kTimeEvent)
        z[0] = at.own.inputs[0] >= 0.5 ? 1.0 : 0.0;
    else
        z[0] = 1.0 - at.own.z[0];
}

}  // namespace ancora::joints
