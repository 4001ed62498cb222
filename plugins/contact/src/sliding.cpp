// SPDX-License-Identifier: BSD-3-Clause
// Evaluates the rates of sliding.
#include "sliding.hpp"

#include <algorithm>
#include <cmath>

namespace ancora::contact {
namespace {

constexpr RowLaw kSlidingLaw[] = {{.kind = RowKind::velocity_constraint}};

/// Components x of a vector along the axes of a body, E x = v, and their rates.
struct Carried {
    Vec3 x = Vec3::Zero();
    Vec3 rate = Vec3::Zero();
    Mat3 E_rate = Mat3::Zero();

    Carried(const RowPoint& at, int first, const Vec3& v, const Vec3& v_rate) {
        Mat3 E;
        for (int i = 0; i < 3; ++i) E.col(i) = vec3(at.u, static_cast<std::size_t>(first + 3 * i));
        const Mat3 inverse = E.inverse();
        x = inverse * v;
        if (at.du.empty()) return;
        for (int i = 0; i < 3; ++i)
            E_rate.col(i) = vec3(at.du, static_cast<std::size_t>(first + 3 * i));
        rate = inverse * (v_rate - E_rate * x);
    }
    /// x_i e_i' and x_i' e_i', summed: the velocity of the point, and what its change adds to it.
    Vec3 velocity() const { return E_rate * x; }
    Vec3 shift() const { return E_rate * rate; }
};

}  // namespace

Sliding::Sliding(
    const Places& places, int width, double radius, double reach, const std::array<Vec3, 2>& t)
    : places_(places),
      radius_(places.axes_a >= 0 ? radius : 0.0),
      sign_(reach < 0.0 ? -1.0 : 1.0),
      t_(t) {
    if (places.axes_a >= 0) part_a_ = places.axes_b >= 0 || places.fixed_b ? radius / reach : 1.0;
    part_b_ = 1.0 - part_a_;
    for (int i = 0; i < width; ++i) stencil_.push_back(i);
    block_ = {.name = "sliding",
              .num_items = 1,
              .rows_per_item = 2,
              .scalars_per_item = width,
              .stencil = stencil_,
              .laws = kSlidingLaw,
              .degree = Degree::general,
              .tangent = TangentForm::none};
}

void Sliding::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi, 0.0);
    std::ranges::fill(out.pi_t, 0.0);
    std::ranges::fill(out.A, 0.0);
    if (places_.plane_normal >= 0)
        evaluate_on_plane(at, out);
    else
        evaluate_on_sphere(at, out);
}

/// (3)
void Sliding::evaluate_on_plane(const RowPoint& at, const RowValues& out) const {
    const auto normal = static_cast<std::size_t>(places_.plane_normal);
    const auto axes = static_cast<std::size_t>(std::max(places_.plane_axes, 0));
    const bool is_carried = places_.plane_axes >= 0;
    const bool turns = places_.axes_a >= 0;
    const Vec3 rho = vec3(at.u, 0) - vec3(at.u, 3);
    const Vec3 n = vec3(at.u, normal);
    Vec3 rho_rate = Vec3::Zero(), n_rate = Vec3::Zero();
    if (!at.du.empty()) {
        rho_rate = vec3(at.du, 0) - vec3(at.du, 3);
        n_rate = vec3(at.du, normal);
    }
    const auto point = [&] {
        return Carried(at, places_.axes_a, -radius_ * n, -radius_ * n_rate);
    };
    for (std::size_t k = 0; k < 2; ++k) {
        const Vec3 t = is_carried ? Vec3(vec3(at.u, axes + 3 * k)) : t_[k];
        if (!out.A.empty()) {
            const std::size_t row = k * stencil_.size();
            vec3(out.A, row) = t;
            vec3(out.A, row + 3) = -t;
            if (is_carried) {
                vec3(out.A, row + axes + 3 * k) = rho;
                vec3(out.A, row + normal) = radius_ * t;
            }
            if (turns) {
                const Vec3 x = point().x;
                for (int i = 0; i < 3; ++i)
                    vec3(out.A, row + static_cast<std::size_t>(places_.axes_a + 3 * i)) = x[i] * t;
            }
        }
        if (out.b.empty()) continue;
        // What (3) has without second derivatives, with the other sign.
        const Vec3 t_rate = is_carried ? Vec3(vec3(at.du, axes + 3 * k)) : Vec3(Vec3::Zero());
        out.b[k] = -2.0 * t_rate.dot(rho_rate);
        if (is_carried) out.b[k] -= radius_ * t_rate.dot(n_rate);
        if (!turns) continue;
        const Carried touching = point();
        out.b[k] -= t_rate.dot(touching.velocity()) + t.dot(touching.shift());
    }
}

/// (1)
void Sliding::evaluate_on_sphere(const RowPoint& at, const RowValues& out) const {
    const Vec3 r = vec3(at.u, 0) - vec3(at.u, 3);
    const double length = r.norm();
    const Vec3 axis = t_[0].cross(t_[1]);
    const Vec3 n = length > 0.0 ? Vec3(sign_ / length * r) : axis;
    Vec3 r_rate = Vec3::Zero(), n_rate = Vec3::Zero();
    if (!at.du.empty()) r_rate = vec3(at.du, 0) - vec3(at.du, 3);
    if (!at.du.empty() && length > 0.0) {
        n_rate = sign_ / length * r_rate - n * (n.dot(r_rate) * sign_ / length);
    }
    // From the axis to n turns t_k to t_k - (t_k . n) (axis + n) / (1 + axis . n), but for n
    // against the axis, where no way is the shortest.
    const double height = std::max(1.0 + axis.dot(n), 1e-12);
    for (std::size_t k = 0; k < 2; ++k) {
        const double part = t_[k].dot(n) / height;
        const Vec3 t = t_[k] - part * (axis + n);
        const std::size_t row = k * stencil_.size();
        if (!out.A.empty()) {
            vec3(out.A, row) = t;
            vec3(out.A, row + 3) = -t;
        }
        Vec3 velocity = r_rate, shift = Vec3::Zero();
        const auto add = [&](int first, double of_r, double sign) {
            if (first < 0) return;
            const Carried touching(at, first, of_r * r, of_r * r_rate);
            velocity += sign * touching.velocity();
            shift += sign * touching.shift();
            if (out.A.empty()) return;
            for (int i = 0; i < 3; ++i)
                vec3(out.A, row + static_cast<std::size_t>(first + 3 * i)) =
                    sign * touching.x[i] * t;
        };
        add(places_.axes_a, -part_a_, 1.0);
        add(places_.axes_b, part_b_, -1.0);
        if (out.b.empty()) continue;
        const double part_rate = (t_[k].dot(n_rate) - part * axis.dot(n_rate)) / height;
        const Vec3 t_rate = -part_rate * (axis + n) - part * n_rate;
        out.b[k] = -t_rate.dot(velocity) - t.dot(shift);
    }
}

}  // namespace ancora::contact
