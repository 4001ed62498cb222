// SPDX-License-Identifier: BSD-3-Clause
// Rows of a spring without free length.
#include "point_spring.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora::joints {
namespace {

constexpr std::array<std::int32_t, 6> kByComponent{0, 3, 1, 4, 2, 5};
constexpr std::array<std::int32_t, 6> kByPoint{0, 1, 2, 3, 4, 5};

const MeasureFunction& length() {
    static const MeasureFunction function(MeasureKind::distance);
    return function;
}

/// The unit vector of the first that has a direction, else zero.
Vec3 direction(const Vec3& first, const Vec3& second) {
    if (const double size = first.norm(); size > 0.0) return first / size;
    const double size = second.norm();
    return size > 0.0 ? Vec3(second / size) : Vec3(Vec3::Zero());
}

void require_stiffness(double k, double t) {
    if (k > 0.0) return;
    throw std::domain_error("the stiffness is " + std::to_string(k) +
                            " at t = " + std::to_string(t) + " s; it must stay above zero");
}

}  // namespace

StiffnessScale StiffnessScale::at(const TimeFunction& stiffness, double compliance, double t) {
    double k = 0.0, rate = 0.0, second = 0.0;
    stiffness.evaluate(t, {&k, 1}, {&rate, 1}, {&second, 1});
    require_stiffness(k, t);
    StiffnessScale out;
    out.value = std::sqrt(k * compliance);
    out.rate = 0.5 * rate * compliance / out.value;
    out.second = (0.5 * second * compliance - out.rate * out.rate) / out.value;
    return out;
}

void LineOfTwo::gradient(std::span<const double> u, std::span<const double> du, double* A) {
    put(direction(difference(u), du.empty() ? Vec3(Vec3::Zero()) : difference(du)), A);
}

void LineOfTwo::step_gradient(const RowStep& step, double* B) {
    length().step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), B);
    const Vec3 d0 = difference(step.u0), d1 = difference(step.u1);
    const double along = d0.dot(d1);
    if (!(along < 0.0)) return;
    const double cosine = along / (d0.norm() * d1.norm());
    const Vec3 e{B[3], B[4], B[5]};
    const double size = e.norm();
    // From a right angle on, where both are one, to a half turn
    put((size + (1.0 - size) * cosine * cosine) * direction(difference(step.mid), d1 - d0), B);
}

PointSpring::PointSpring(double compliance, const TimeFunction* stiffness, double damping)
    : stiffness_(stiffness), has_damper_(damping > 0.0), stress_(1.0 / compliance) {
    law_ = {.kind = RowKind::elastic, .compliance = compliance};
    damping_ = {.kind = RowKind::dashpot, .viscosity = damping};
    RowBlock& spring = blocks_[0];
    spring.name = "spring";
    spring.rows_per_item = 1;
    spring.laws = {&law_, 1};
    if (stiffness == nullptr) {
        spring.num_items = 3;
        spring.scalars_per_item = 2;
        spring.stencil = kByComponent;
        spring.degree = Degree::linear;
        spring.tangent = TangentForm::none;
    } else {
        law_.law = &stress_;
        spring.num_items = 1;
        spring.scalars_per_item = 6;
        spring.stencil = kByPoint;
        spring.degree = Degree::general;
        spring.tangent = TangentForm::isotropic;
        spring.depends_on_time = true;
    }
    RowBlock& damper = blocks_[1];
    damper.name = "damper";
    damper.num_items = 1;
    damper.rows_per_item = 1;
    damper.scalars_per_item = 6;
    damper.stencil = kByPoint;
    damper.laws = {&damping_, 1};
    damper.degree = Degree::general;
    damper.tangent = TangentForm::full;
}

void PointSpring::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    const Vec3 d = LineOfTwo::difference(at.u);
    if (block == 1) {
        if (!out.pi.empty()) out.pi[0] = d.norm();
        if (!out.A.empty()) LineOfTwo::gradient(at.u, at.du, out.A.data());
        std::ranges::fill(out.pi_t, 0.0);
        if (!out.b.empty()) out.b[0] = length().bias(at.u.data(), at.du.data());
        return;
    }
    const Factor f = factor(at.t);
    if (stiffness_ != nullptr) {
        const double half = 0.5 * d.squaredNorm();
        if (!out.pi.empty()) out.pi[0] = f.value * half;
        if (!out.pi_t.empty()) out.pi_t[0] = f.rate * half;
        if (!out.A.empty()) LineOfTwo::put(f.value * d, out.A.data());
        if (out.b.empty()) return;
        const Vec3 rate = LineOfTwo::difference(at.du);
        out.b[0] = -(f.value * rate.squaredNorm() + 2.0 * f.rate * d.dot(rate) + f.second * half);
        return;
    }
    std::ranges::fill(out.pi_t, 0.0);
    std::ranges::fill(out.b, 0.0);
    for (int k = 0; k < 3; ++k) {
        const auto row = static_cast<std::size_t>(k);
        if (!out.pi.empty()) out.pi[row] = d[k];
        if (out.A.empty()) continue;
        out.A[2 * row] = -1.0;
        out.A[2 * row + 1] = 1.0;
    }
}

void PointSpring::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    if (block == 1) {
        LineOfTwo::step_gradient(step, out.B.data());
        return;
    }
    if (stiffness_ == nullptr) {
        evaluate(0, {step.mid, step.rate, step.t0}, {{}, out.B, {}, {}});
        return;
    }
    // f1 p1 - f0 p0 = mean f (p1 - p0) + (f1 - f0) mean p,  p = d.d / 2
    const double f0 = factor(step.t0).value, f1 = factor(step.t0 + step.h).value;
    LineOfTwo::put(0.5 * (f0 + f1) * LineOfTwo::difference(step.mid), out.B.data());
    out.tau[0] = (f1 - f0) * 0.25 *
                 (LineOfTwo::difference(step.u0).squaredNorm() +
                  LineOfTwo::difference(step.u1).squaredNorm());
}

void PointSpring::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (block == 0 && stiffness_ != nullptr) {
        const double k = at.s[0] * factor(at.t).value;
        std::ranges::copy(std::array{k, -k, -k, k}, G.begin());
        return;
    }
    std::ranges::fill(G, 0.0);
    if (block != 1 || (at.positive_part && !(at.s[0] > 0.0))) return;
    length().add_hessian(at.mid.data(), at.s[0], G.data());
}

PointSpring::Factor PointSpring::factor(double t) const {
    if (stiffness_ == nullptr) return {};
    double k = 0.0, rate = 0.0, second = 0.0;
    stiffness_->evaluate(t, {&k, 1}, {&rate, 1}, {&second, 1});
    require_stiffness(k, t);
    return {k * law_.compliance, rate * law_.compliance, second * law_.compliance};
}

void PointSpring::evaluate(const RowPoint& at, double h, std::span<double> factors) const {
    const Vec3 d = LineOfTwo::difference(at.u);
    const double f =
        h > 0.0 ? 0.5 * (factor(at.t).value + factor(at.t + h).value) : factor(at.t).value;
    const Vec3 e = direction(d, Vec3::Zero());
    if (stiffness_ != nullptr)
        factors[0] = f * d.norm();
    else
        for (int k = 0; k < 3; ++k) factors[k] = e[k];
    if (has_damper_) factors.back() = 1.0;
}

}  // namespace ancora::joints
