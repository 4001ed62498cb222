// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the rows of a circle and the rate of sliding along it.
#include "point_on_circle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ancora::point_contact {
namespace {

// u = (r_p, r_c), and (n, t1, t2) behind them if a body carries the axes.
constexpr std::size_t kNormal = 6, kT1 = 9, kT2 = 12;
constexpr std::int32_t kNormalStencil[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
constexpr std::int32_t kSlidingStencil[] = {0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14};
constexpr RowLaw kCircleNormalLaw[] = {{.kind = RowKind::constraint}};
constexpr RowLaw kCircleSlidingLaw[] = {{.kind = RowKind::velocity_constraint}};

}  // namespace

CircleSliding::CircleSliding(const Axes& axes) : axes_(axes) {
    const std::size_t scalars = axes.on_ground() ? 6 : 12;
    block_ = {.name = "sliding",
              .num_items = 1,
              .rows_per_item = 1,
              .scalars_per_item = static_cast<std::int32_t>(scalars),
              .stencil = std::span(kSlidingStencil).first(scalars),
              .laws = kCircleSlidingLaw,
              .degree = Degree::general,
              .tangent = TangentForm::none};
}

void CircleSliding::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    const bool is_carried = !axes_.on_ground();
    const Vec3 rho = vec3(at.u, 0) - vec3(at.u, 3);
    const Vec3 t1 = is_carried ? Vec3(vec3(at.u, kT1)) : axes_.t1();
    const Vec3 t2 = is_carried ? Vec3(vec3(at.u, kT2)) : axes_.t2();
    const double xi = t1.dot(rho);
    const double eta = t2.dot(rho);
    // on the axis of the circle there is no direction to slide along: the row is zero
    const double r = std::hypot(xi, eta);
    const double inv_r = r > 0.0 ? 1.0 / r : 0.0;
    const double c = xi * inv_r;
    const double s = eta * inv_r;
    if (!out.A.empty()) {
        vec3(out.A, 0) = c * t2 - s * t1;
        vec3(out.A, 3) = -vec3(out.A, 0);
        if (is_carried) {
            vec3(out.A, 6) = -s * rho;
            vec3(out.A, 9) = c * rho;
        }
    }
    if (out.b.empty()) return;

    const Vec3 drho = vec3(at.du, 0) - vec3(at.du, 3);
    const Vec3 dt1 = is_carried ? Vec3(vec3(at.du, kT1)) : Vec3::Zero();
    const Vec3 dt2 = is_carried ? Vec3(vec3(at.du, kT2)) : Vec3::Zero();
    const double dxi = dt1.dot(rho) + t1.dot(drho);
    const double deta = dt2.dot(rho) + t2.dot(drho);
    const double psi = c * deta - s * dxi;
    const double dr = c * dxi + s * deta;
    out.b[0] = 2.0 * (s * dt1 - c * dt2).dot(drho) + psi * dr * inv_r;
}

PointOnCircle::PointOnCircle(const Arguments& arguments)
    : radius_(arguments.number("radius")), axes_(arguments, "center", "normal"), sliding_(axes_) {
    const std::size_t scalars = axes_.on_ground() ? 6 : 9;
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = 2,
              .scalars_per_item = static_cast<std::int32_t>(scalars),
              .stencil = std::span(kNormalStencil).first(scalars),
              .laws = kCircleNormalLaw,
              .degree = Degree::quadratic,
              .tangent = TangentForm::isotropic};
}

void PointOnCircle::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi_t, 0.0);
    const bool is_carried = !axes_.on_ground();
    const Vec3 rho = vec3(at.u, 0) - vec3(at.u, 3);
    const Vec3 n = is_carried ? Vec3(vec3(at.u, kNormal)) : axes_.n();
    const double inv_R = 1.0 / radius_;
    if (!out.pi.empty()) {
        const double length = rho.norm();
        out.pi[0] = n.dot(rho);
        out.pi[1] = 0.5 * (length - radius_) * (length + radius_) * inv_R;
    }
    if (!out.A.empty()) {
        const auto second = static_cast<std::size_t>(block_.scalars_per_item);
        vec3(out.A, 0) = n;
        vec3(out.A, 3) = -n;
        vec3(out.A, second) = inv_R * rho;
        vec3(out.A, second + 3) = -inv_R * rho;
        if (is_carried) {
            vec3(out.A, 6) = rho;
            vec3(out.A, second + 6).setZero();
        }
    }
    if (out.b.empty()) return;
    const Vec3 drho = vec3(at.du, 0) - vec3(at.du, 3);
    out.b[0] = is_carried ? -2.0 * vec3(at.du, kNormal).dot(drho) : 0.0;
    out.b[1] = -inv_R * drho.squaredNorm();
}

void PointOnCircle::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    // With a = (1, -1, 0) / sqrt 2 and e = (0, 0, 1) on (r_p, r_c, n):
    // K = x a a^T + y (a e^T + e a^T) + z e e^T
    const bool is_carried = !axes_.on_ground();
    double x = 2.0 * at.s[1] / radius_;
    double y = is_carried ? std::numbers::sqrt2 * at.s[0] : 0.0;
    double z = 0.0;
    if (at.positive_part) {
        // [x y; y 0] has one eigenvalue above zero, along (value, y)
        const double value = 0.5 * x + std::hypot(0.5 * x, y);
        const double square = value * value + y * y;
        const double scale = square > 0.0 ? value / square : 0.0;
        x = scale * value * value;
        z = scale * y * y;
        y = scale * value * y;
    }
    const std::size_t size = is_carried ? 3 : 2;
    G[0] = G[size + 1] = 0.5 * x;
    G[1] = G[size] = -0.5 * x;
    if (!is_carried) return;
    G[2] = G[6] = y / std::numbers::sqrt2;
    G[5] = G[7] = -y / std::numbers::sqrt2;
    G[8] = z;
}

}  // namespace ancora::point_contact
