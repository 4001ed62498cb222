// SPDX-License-Identifier: BSD-3-Clause
// Contact, slips and force of a tyre.
#include "tyre.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <Eigen/Geometry>

namespace ancora::tyre {
namespace {

// Off the road slips fade at this speed at least [m/s].
constexpr double kFading = 1.0;

Vec3 unit_vector(const Arguments& arguments, std::string_view key) {
    const Vec3 x = vec3(arguments.numbers(key));
    const double length = x.stableNorm();
    if (!(length > 0.0)) arguments.fail(key, "the direction [0, 0, 0] points nowhere");
    return x / length;
}

Vec3 at(std::span<const double> u, Eigen::Index i) {
    return Eigen::Map<const Vec3>(u.data() + 3 * i);
}

/// Of directions that are means over a turn by theta, |b|^2 = cos^2(theta / 2): theta / sin theta.
/// It goes on smoothly to directions that stages of a method have made longer.
double of_mean(double square) {
    constexpr double kMost = 0.9, kSmall = 1e-3;
    const double y = std::min(1.0 - square, kMost);  // sin^2(theta / 2)
    if (std::abs(y) < kSmall)
        return 1.0 + y * (2.0 / 3.0 + y * (8.0 / 15.0 + y * (16.0 / 35.0 + y * 128.0 / 315.0)));
    const double root = std::sqrt(std::abs(y));
    return (y > 0.0 ? std::asin(root) : std::asinh(root)) / (root * std::sqrt(1.0 - y));
}

}  // namespace

Tyre::Tyre(const Arguments& arguments)
    : radius_(arguments.number("radius")),
      effective_(arguments.has("effective_radius") ? arguments.number("effective_radius")
                                                   : radius_),
      stiffness_(arguments.number("stiffness")),
      damping_(arguments.number("damping")),
      sigma_kappa_(arguments.number("sigma_kappa")),
      sigma_alpha_(arguments.number("sigma_alpha")),
      n_(unit_vector(arguments, "normal")),
      point_(vec3(arguments.numbers("point"))),
      formula_(arguments) {
    using Kind = AttachmentRequest::Kind;
    const std::string_view body = arguments.text("body");
    const Vec3 axis = unit_vector(arguments, "axis");
    // b_1 x b_2 = a
    const Vec3 first = axis.unitOrthogonal();
    requests_.add(Kind::point, attachment_text(body, vec3(arguments.numbers("center"))), "body");
    for (const Vec3& direction : {first, Vec3(axis.cross(first))})
        requests_.add(Kind::direction, attachment_text(body, direction), "body");
}

Tyre::Contact Tyre::contact(std::span<const double> u, std::span<const double> du) const {
    Contact out{};
    const Vec3 b1 = at(u, 1), b2 = at(u, 2), b1_rate = at(du, 1), b2_rate = at(du, 2);
    const Vec3 cross = b1.cross(b2);
    const double size = cross.norm(), by_size = size > 0.0 ? 1.0 / size : 0.0;
    const Vec3 a = by_size * cross;
    const double s = n_.dot(a);
    const double w = std::sqrt(std::max(1.0 - s * s, 0.0));
    const Eigen::Vector2d g(n_.dot(b1), n_.dot(b2));
    if (!(w > 0.0) || !(g.norm() > 0.0)) return out;  // flat: no place where it rolls
    out.to_road.head<2>() = -g / g.norm();
    out.x = a.cross(n_) / w;
    out.y = n_.cross(out.x);
    out.gamma = std::asin(std::clamp(s, -1.0, 1.0));
    const double height = n_.dot(at(u, 0) - point_);
    out.r = height / w;
    out.rho = radius_ - out.r;
    // a' of unit length, and w' = -s s' / w
    const Vec3 turn = by_size * (b1_rate.cross(b2) + b1.cross(b2_rate));
    const double s_rate = n_.dot(turn - a.dot(turn) * a);
    const double r_rate = n_.dot(at(du, 0)) / w + height * s * s_rate / (w * w * w);
    if (out.rho > 0.0) out.Fz = std::max(stiffness_ * out.rho - damping_ * r_rate, 0.0);
    const double spin = 0.5 * (b1_rate.dot(b2) - b2_rate.dot(b1)) *
                        of_mean(0.5 * (b1.squaredNorm() + b2.squaredNorm()));
    const Vec3 rolled = out.r * (out.to_road[0] * b1_rate + out.to_road[1] * b2_rate);
    out.Vx = out.x.dot(at(du, 0));
    out.Vsx = out.Vx - effective_ * spin;
    out.Vsy = out.y.dot(at(du, 0) + rolled);
    return out;
}

MagicFormula::Force Tyre::slip_force(const Contact& at, std::span<const double> slips) const {
    if (!(at.Fz > 0.0)) return {0.0, 0.0};
    return formula_.force(slips[0], std::atan(slips[1]), at.gamma, at.Fz);
}

void Tyre::put(std::span<const double> u,
               std::span<const double> du,
               std::span<const double> slips,
               double* f) const {
    const Contact touch = contact(u, du);
    const auto [Fx, Fy] = slip_force(touch, slips);
    const Vec3 F = Fx * touch.x + Fy * touch.y + touch.Fz * n_;
    Eigen::Map<Vec3>(f, 3) = F;
    for (Eigen::Index i = 0; i < 2; ++i)
        Eigen::Map<Vec3>(f + 3 * (i + 1), 3) = touch.r * touch.to_road[i] * F;
}

void Tyre::evaluate(const RowPoint& at, std::span<const double>, const ForceValues& out) const {
    put(at.u, at.du, at.own.x, out.f.data());
}

/// Central differences in positions and rates, each by a part of what is there.
void Tyre::differentiate_step(const RowStep& step,
                              std::span<const double> mean_velocity,
                              std::span<double> D) const {
    constexpr double kPart = 6e-6;  // cube root of rounding
    std::array<double, kWidth> u, rate, up, down;
    std::ranges::copy(step.mid, u.begin());
    std::ranges::copy(mean_velocity, rate.begin());
    std::ranges::fill(D, 0.0);
    const auto add = [&](std::array<double, kWidth>& x, double by_du) {
        double d = 1e-3;
        for (const double value : x) d = std::max(d, std::abs(value));
        d *= kPart;
        for (std::size_t j = 0; j < kWidth; ++j) {
            const double value = x[j];
            x[j] = value + d;
            put(u, rate, step.own.x, up.data());
            x[j] = value - d;
            put(u, rate, step.own.x, down.data());
            x[j] = value;
            for (std::size_t i = 0; i < kWidth; ++i)
                D[i * kWidth + j] += by_du * (up[i] - down[i]) / (2.0 * d);
        }
    };
    add(u, 0.5);
    add(rate, 1.0 / step.h);
}

void Tyre::differentiate(const SignalPoint& at, std::span<double> dx) const {
    const Contact touch = contact(at.u, at.du);
    const bool is_off = !(touch.Fz > 0.0);
    const double speed = is_off ? std::max(std::abs(touch.Vx), kFading) : std::abs(touch.Vx);
    dx[0] = ((is_off ? 0.0 : -touch.Vsx) - speed * at.own.x[0]) / sigma_kappa_;
    dx[1] = ((is_off ? 0.0 : touch.Vsy) - speed * at.own.x[1]) / sigma_alpha_;
}

void Tyre::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    const Contact touch = contact(at.u, at.du);
    const auto [Fx, Fy] = slip_force(touch, at.own.x);
    y[0] = Fx;
    y[1] = Fy;
    y[2] = touch.Fz;
    y[3] = at.own.x[0];
    y[4] = std::atan(at.own.x[1]);
    y[5] = touch.gamma;
    y[6] = touch.rho;
}

}  // namespace ancora::tyre
