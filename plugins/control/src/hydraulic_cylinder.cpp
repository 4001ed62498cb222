// SPDX-License-Identifier: BSD-3-Clause
// Pressures and flows of a cylinder.
#include "hydraulic_cylinder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ancora::control {
namespace {

// Share of the supply's pressure below which an orifice's flow is laminar.
constexpr double kLaminar = 1e-3;

}  // namespace

HydraulicCylinder::HydraulicCylinder(const Arguments& arguments)
    : EffortLaw(arguments),
      A_a_(arguments.number("piston_area")),
      A_b_(arguments.has("rod_side_area") ? arguments.number("rod_side_area") : A_a_),
      supply_(arguments.number("supply")),
      tank_(arguments.number("tank")),
      C_(arguments.number("conductance")),
      V_a_(arguments.numbers("volumes")[0]),
      V_b_(arguments.numbers("volumes")[1]),
      beta_(arguments.number("bulk_modulus")),
      p_a_(tank_),
      p_b_(tank_) {
    if (kind() == MeasureKind::angle || kind() == MeasureKind::between)
        arguments.fail("on", "is an angle; a cylinder drives a distance or a displacement");
    if (!(supply_ > tank_)) arguments.fail("supply", "must lie above the tank's pressure");
    if (!arguments.has("start_pressures")) return;
    p_a_ = arguments.numbers("start_pressures")[0];
    p_b_ = arguments.numbers("start_pressures")[1];
}

double HydraulicCylinder::orifice(double opening, double dp) const {
    const double laminar = kLaminar * supply_;
    const double size = std::abs(dp);
    return size < laminar ? C_ * opening * dp / std::sqrt(laminar)
                          : std::copysign(C_ * opening * std::sqrt(size), dp);
}

HydraulicCylinder::Flows HydraulicCylinder::flows(const OwnValues& own) const {
    const double u = std::clamp(own.inputs[0], -1.0, 1.0);
    const double to_a = u > 0.0 ? supply_ : tank_;
    const double to_b = u > 0.0 ? tank_ : supply_;
    return {orifice(std::abs(u), to_a - own.x[kPressureA]),
            orifice(std::abs(u), to_b - own.x[kPressureB])};
}

double HydraulicCylinder::effort(const MeasureReading&, double, const OwnValues& own) const {
    return A_a_ * own.x[kPressureA] - A_b_ * own.x[kPressureB];
}

void HydraulicCylinder::start_values(std::span<double> x, std::span<double>) const {
    x[kPressureA] = p_a_;
    x[kPressureB] = p_b_;
    x[kStroke] = 0.0;
}

void HydraulicCylinder::differentiate(const SignalPoint& at, std::span<double> dx) const {
    const Flows Q = flows(at.own);
    const double rate = rate_of(at);
    const double a = V_a_ + A_a_ * at.own.x[kStroke];
    const double b = V_b_ - A_b_ * at.own.x[kStroke];
    if (!(a > 0.0) || !(b > 0.0))
        throw std::domain_error(
            "the piston has come to the end of its cylinder: a chamber has no volume left");
    dx[kPressureA] = beta_ * (Q.a - A_a_ * rate) / a;
    dx[kPressureB] = beta_ * (Q.b + A_b_ * rate) / b;
    dx[kStroke] = rate;
}

void HydraulicCylinder::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    const Flows Q = flows(at.own);
    y[0] = at.own.x[kPressureA];
    y[1] = at.own.x[kPressureB];
    y[2] = Q.a;
    y[3] = Q.b;
}

}  // namespace ancora::control
