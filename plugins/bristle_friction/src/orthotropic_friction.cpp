// SPDX-License-Identifier: BSD-3-Clause
// Axes of the surface, and the law of its bristles.
#include "orthotropic_friction.hpp"

#include <Eigen/Geometry>

namespace ancora::bristle_friction {

OrthotropicFriction::OrthotropicFriction(const Arguments& arguments)
    : normal_(vec3(arguments.numbers("normal"))),
      mu_(arguments.numbers("mu")[0], arguments.numbers("mu")[1]),
      stiffness_(arguments.number("stiffness")),
      damping_(arguments.number("damping")),
      surface_velocity_(vec3(arguments.numbers("surface_velocity"))) {
    if (!(normal_.norm() > 0.0)) arguments.fail("normal", "has no length");
    normal_.normalize();
    const Vec3 along = vec3(arguments.numbers("along"));
    const Vec3 in_surface = along - along.dot(normal_) * normal_;
    constexpr double kParallel = 1e-9;
    if (!(in_surface.norm() > kParallel * along.norm()))
        arguments.fail("along", "has no part in the surface: it is along the normal, or zero");
    axes_.col(0) = in_surface.normalized();
    axes_.col(1) = normal_.cross(axes_.col(0));
    if (!(mu_.minCoeff() > 0.0)) arguments.fail("mu", "both coefficients must be above 0");
}

OrthotropicFriction::Vec2 OrthotropicFriction::sliding(const Vec3& r_rate) const {
    return axes_.transpose() * (r_rate - surface_velocity_);
}

/// (2)
OrthotropicFriction::Vec2 OrthotropicFriction::rate(const Vec2& w, const Vec2& z) const {
    const double speed = mu_.cwiseProduct(w).norm();
    return w - stiffness_ * speed * z.cwiseQuotient(mu_.cwiseAbs2());
}

Vec3 OrthotropicFriction::force(const Vec3&,
                                const Vec3& r_rate,
                                const Reactions& reactions,
                                const OwnValues& own) const {
    const Vec3 reaction = reactions[0];
    const double N = std::abs(normal_.dot(reaction));
    const Vec2 z(own.x[0], own.x[1]);
    return axes_ * (-N * (stiffness_ * z + damping_ * rate(sliding(r_rate), z)));
}

void OrthotropicFriction::differentiate(const SignalPoint& at, std::span<double> dx) const {
    const Vec2 z(at.own.x[0], at.own.x[1]);
    Eigen::Map<Vec2>(dx.data()) = rate(sliding(vec3(at.du)), z);
}

void OrthotropicFriction::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    vec3(y) = axes_ * Vec2(at.own.x[0], at.own.x[1]);
}

}  // namespace ancora::bristle_friction
