// SPDX-License-Identifier: BSD-3-Clause
// Rows (1) and (2) of a disc.
#include "wheel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Geometry>

namespace ancora::nonholonomic {
namespace {

// A disc that is flatter has no place where it touches.
constexpr double kFlat = 1e-6;

Vec3 at(std::span<const double> u, Eigen::Index i) {
    return Eigen::Map<const Vec3>(u.data() + 3 * i);
}
void put(const Vec3& x, std::size_t i, std::span<double> row) {
    for (std::size_t k = 0; k < 3; ++k) row[3 * i + k] = x[static_cast<Eigen::Index>(k)];
}

/// 1 / w, zero where there is no direction.
double inverse(double w) {
    return w > 0.0 ? 1.0 / w : 0.0;
}

}  // namespace

Wheel::Wheel(const Arguments& arguments)
    : radius_(arguments.number("radius")),
      n_(unit_vector(arguments, "normal")),
      point_(vec3(arguments.numbers("point"))),
      t_(directions_across(n_)) {
    using Kind = AttachmentRequest::Kind;
    const std::string_view body = arguments.text("body");
    const Vec3 axis = unit_vector(arguments, "axis");
    const std::array<Vec3, 2> across = directions_across(axis);
    const std::array<double, 9>& R = arguments.motion_of("body").rotation;
    const Vec3 a = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(R.data()) * axis;
    if (!(a.cross(n_).norm() > kFlat))
        arguments.fail("axis",
                       "stands along the normal of the plane at the start: the disc lies flat, and "
                       "does not roll");
    requests_.add(Kind::point, attachment_text(body, vec3(arguments.numbers("center"))), "body");
    for (const Vec3& direction : across)
        requests_.add(Kind::direction, attachment_text(body, direction), "body");
    std::iota(stencil_.begin(), stencil_.end(), 0);
    laws_ = {RowLaw{.kind = RowKind::constraint}, RowLaw{.kind = RowKind::velocity_constraint}};
    blocks_[0] = {.name = "height above the plane",
                  .num_items = 1,
                  .rows_per_item = 1,
                  .scalars_per_item = kWidth,
                  .stencil = stencil_,
                  .laws = std::span(laws_).first(1),
                  .degree = Degree::general,
                  .tangent = TangentForm::full};
    blocks_[1] = {.name = "velocity of the contact point",
                  .num_items = 1,
                  .rows_per_item = 2,
                  .scalars_per_item = kWidth,
                  .stencil = stencil_,
                  .laws = std::span(laws_).last(1),
                  .degree = Degree::general,
                  .tangent = TangentForm::none};
}

void Wheel::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.A, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    block == 0 ? evaluate_height(at, out) : evaluate_grip(at, out);
}

Eigen::Vector2d Wheel::g_of(std::span<const double> u) const {
    return {n_.dot(at(u, 1)), n_.dot(at(u, 2))};
}

void Wheel::evaluate_height(const RowPoint& point, const RowValues& out) const {
    const Eigen::Vector2d g = g_of(point.u);
    const double w = g.norm(), by_w = inverse(w);
    if (!out.pi.empty()) out.pi[0] = n_.dot(at(point.u, 0) - point_) - radius_ * w;
    if (!out.A.empty()) {
        put(n_, 0, out.A);
        put(-radius_ * by_w * g[0] * n_, 1, out.A);
        put(-radius_ * by_w * g[1] * n_, 2, out.A);
    }
    if (out.b.empty()) return;
    // w'' of g'' = 0
    const Eigen::Vector2d rate = g_of(point.du);
    const double along = by_w * g.dot(rate);
    out.b[0] = radius_ * by_w * (rate.squaredNorm() - along * along);
}

void Wheel::evaluate_grip(const RowPoint& point, const RowValues& out) const {
    const Eigen::Vector2d g = g_of(point.u);
    const double by_w = inverse(g.norm());
    std::ranges::fill(out.pi, 0.0);
    for (std::size_t k = 0; k < 2 && !out.A.empty(); ++k) {
        const std::span<double> row = out.A.subspan(k * kWidth, kWidth);
        put(t_[k], 0, row);
        put(-radius_ * by_w * g[0] * t_[k], 1, row);
        put(-radius_ * by_w * g[1] * t_[k], 2, row);
    }
    if (out.b.empty()) return;
    const Eigen::Vector2d rate = g_of(point.du);
    const Eigen::Vector2d turn = by_w * (rate - by_w * by_w * g.dot(rate) * g);  // (g / w)'
    const Vec3 sum = turn[0] * at(point.du, 1) + turn[1] * at(point.du, 2);
    for (std::size_t k = 0; k < 2; ++k) out.b[k] = radius_ * t_[k].dot(sum);
}

void Wheel::evaluate_step(int block, const RowStep& step, const RowStepValues& out) const {
    if (block != 0) return Constraint::evaluate_step(block, step, out);
    // w1 - w0 = (g1 + g0) . (g1 - g0) / (w1 + w0)
    const Eigen::Vector2d g0 = g_of(step.u0), g1 = g_of(step.u1);
    const Eigen::Vector2d quotient = inverse(g0.norm() + g1.norm()) * (g0 + g1);
    std::ranges::fill(out.B, 0.0);
    put(n_, 0, out.B);
    put(-radius_ * quotient[0] * n_, 1, out.B);
    put(-radius_ * quotient[1] * n_, 2, out.B);
}

void Wheel::evaluate_tangent(int block, const TangentPoint& point, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    if (block != 0) return;
    const Eigen::Vector2d g = g_of(point.mid);
    const double by_w = inverse(g.norm());
    double factor = -radius_ * point.s[0] * by_w;
    if (point.positive_part) factor = std::max(factor, 0.0);
    const Eigen::Matrix2d of_g =
        factor * (Eigen::Matrix2d::Identity() - by_w * by_w * g * g.transpose());
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j)
            G[(3 + i) * kWidth + 3 + j] =
                of_g(static_cast<Eigen::Index>(i / 3), static_cast<Eigen::Index>(j / 3)) *
                n_[static_cast<Eigen::Index>(i % 3)] * n_[static_cast<Eigen::Index>(j % 3)];
}

}  // namespace ancora::nonholonomic
