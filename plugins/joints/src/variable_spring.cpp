// SPDX-License-Identifier: BSD-3-Clause
// Rows (1) and (2).
#include "variable_spring.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace ancora::joints {
namespace {

/// sqrt(x) of what must not be negative.
double root(double x, const char* what) {
    if (x >= 0.0) return std::sqrt(x);
    throw std::domain_error(std::string("the ") + what + " is " + std::to_string(x) +
                            "; it must not fall below zero");
}

}  // namespace

VariableSpring::VariableSpring(const Arguments& arguments)
    : on_(arguments, !arguments.has("free")) {
    is_point_ = on_.is_distance() && !(on_.value > 0.0);
    inputs_.push_back("stiffness");
    for (const auto& [key, index] : {std::pair{"free", &free_}, std::pair{"damping", &damping_}}) {
        if (!arguments.has(key)) continue;
        *index = static_cast<int>(inputs_.size());
        inputs_.push_back(key);
    }
    const auto require = [&](const char* key) {
        if (arguments.has(key) && arguments.shape(key) == Shape::number &&
            !(arguments.number(key) >= 0.0))
            arguments.fail(key, "is below zero");
    };
    require("stiffness");
    require("damping");
    if (arguments.shape("stiffness") == Shape::number && arguments.number("stiffness") > 0.0)
        compliance_ = 1.0 / arguments.number("stiffness");

    const auto n = static_cast<std::int32_t>(on_.function.num_scalars());
    for (std::int32_t i = 0; i < n; ++i) stencil_.push_back(i);
    laws_[0] = {.kind = RowKind::elastic, .compliance = compliance_};
    laws_[1] = {.kind = RowKind::dashpot, .viscosity = 1.0};
    if (is_point_) {
        stress_ = std::make_unique<ConstantStress>(1.0 / compliance_);
        laws_[0].law = stress_.get();
    }
    block_.name = "spring";
    block_.num_items = 1;
    block_.rows_per_item = damping_ >= 0 ? 2 : 1;
    block_.scalars_per_item = n;
    block_.stencil = stencil_;
    block_.laws = std::span(laws_).first(damping_ >= 0 ? 2 : 1);
    block_.degree = Degree::general;
    block_.tangent = TangentForm::full;
    block_.depends_on_time = true;
}

VariableSpring::Numbers VariableSpring::numbers(const OwnValues& own) const {
    Numbers out;
    out.scale = root(own.inputs[0] * compliance_, "stiffness");
    out.free = free_ >= 0 ? own.inputs[free_] : on_.value;
    if (damping_ >= 0) out.damping = root(own.inputs[damping_], "damping");
    return out;
}

double VariableSpring::value(const double* u, std::span<const double> state) const {
    return on_.function.near(on_.function.value(u), state.empty() ? on_.value : state[0]);
}

void VariableSpring::put_points(const RowPoint& at, const RowValues& out) const {
    const Numbers now = numbers(at.own);
    const double factor = now.scale * now.scale;
    const bool has_damper = damping_ >= 0;
    const Vec3 d = LineOfTwo::difference(at.u);
    std::ranges::fill(out.pi_t, 0.0);
    if (!out.pi.empty()) {
        out.pi[0] = 0.5 * factor * d.squaredNorm();
        if (has_damper) out.pi[1] = now.damping * d.norm();
    }
    if (!out.A.empty()) {
        LineOfTwo::put(factor * d, out.A.data());
        if (has_damper) LineOfTwo::gradient(at.u, at.du, out.A.data() + 6);
        for (std::size_t i = 6; i < out.A.size(); ++i) out.A[i] *= now.damping;
    }
    if (!out.b.empty()) {
        out.b[0] = -factor * LineOfTwo::difference(at.du).squaredNorm();
        if (has_damper) out.b[1] = now.damping * on_.function.bias(at.u.data(), at.du.data());
    }
}

void VariableSpring::step_points(const RowStep& step, const RowStepValues& out) const {
    const Numbers begin = numbers(step.own0), middle = numbers(step.own), end = numbers(step.own1);
    const auto square = [](double x) {
        return x * x;
    };
    LineOfTwo::put(square(middle.scale) * LineOfTwo::difference(step.mid), out.B.data());
    // f1 p1 - f0 p0 - f (p1 - p0),  p = d.d / 2
    out.tau[0] = 0.5 * ((square(end.scale) - square(middle.scale)) *
                            LineOfTwo::difference(step.u1).squaredNorm() -
                        (square(begin.scale) - square(middle.scale)) *
                            LineOfTwo::difference(step.u0).squaredNorm());
    if (!step.state1.empty()) step.state1[0] = LineOfTwo::difference(step.u1).norm();
    if (damping_ < 0) return;
    out.tau[1] = 0.0;
    LineOfTwo::step_gradient(step, out.B.data() + 6);
    for (std::size_t i = 6; i < 12; ++i) out.B[i] *= middle.damping;
}

void VariableSpring::evaluate(int, const RowPoint& at, const RowValues& out) const {
    if (is_point_) return put_points(at, out);
    const std::size_t n = on_.function.num_scalars();
    const Numbers now = numbers(at.own);
    const bool has_damper = damping_ >= 0;
    const double m = value(at.u.data(), at.state);
    if (!out.pi.empty()) {
        out.pi[0] = now.scale * (m - now.free);
        if (has_damper) out.pi[1] = now.damping * m;
    }
    std::ranges::fill(out.pi_t, 0.0);
    if (!out.A.empty()) {
        on_.function.gradient(at.u.data(), out.A.data());
        for (std::size_t i = 0; i < n; ++i) {
            if (has_damper) out.A[n + i] = now.damping * out.A[i];
            out.A[i] *= now.scale;
        }
    }
    if (!out.b.empty()) {
        const double bias = on_.function.bias(at.u.data(), at.du.data());
        out.b[0] = now.scale * bias;
        if (has_damper) out.b[1] = now.damping * bias;
    }
}

void VariableSpring::evaluate_step(int, const RowStep& step, const RowStepValues& out) const {
    if (is_point_) return step_points(step, out);
    const std::size_t n = on_.function.num_scalars();
    double* const D = out.B.data();
    on_.function.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), D);
    const double m0 = value(step.u0.data(), step.state0);
    const double m1 = m0 + on_.function.dot(D, step.du.data());
    if (!step.state1.empty()) step.state1[0] = m1;
    const Numbers begin = numbers(step.own0), middle = numbers(step.own), end = numbers(step.own1);
    // g1 (m1 - f1) - g0 (m0 - f0) - g (m1 - m0), zero to the bit where nothing changes
    out.tau[0] = (end.scale - middle.scale) * (m1 - end.free) -
                 (begin.scale - middle.scale) * (m0 - begin.free) -
                 middle.scale * (end.free - begin.free);
    if (damping_ >= 0) out.tau[1] = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        if (damping_ >= 0) D[n + i] = middle.damping * D[i];
        D[i] *= middle.scale;
    }
}

void VariableSpring::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    const Numbers now = numbers(at.own);
    double effort = is_point_ ? 0.0 : now.scale * at.s[0];
    if (damping_ >= 0) effort += now.damping * at.s[1];
    if (is_point_) {
        const double k = now.scale * now.scale * at.s[0];
        for (std::size_t i = 0; i < 3; ++i)
            for (const auto& [r, c] : {std::pair(i, i), std::pair(i + 3, i + 3)}) {
                G[6 * r + c] += k;
                G[6 * r + (c + 3) % 6] -= k;
            }
    }
    // Of a stretched link the whole is positive; of others the part is not worth its price
    const bool is_stretched = on_.function.kind() == MeasureKind::distance && effort > 0.0;
    if (at.positive_part && !is_stretched) return;
    on_.function.add_hessian(at.mid.data(), effort, G.data());
}

void VariableSpring::evaluate(const RowPoint& at, double, std::span<double> factors) const {
    const Numbers now = numbers(at.own);
    factors[0] = now.scale;
    if (factors.size() > 1) factors[1] = now.damping;
    if (is_point_) factors[0] *= factors[0] * LineOfTwo::difference(at.u).norm();
}

}  // namespace ancora::joints
