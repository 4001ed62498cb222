// SPDX-License-Identifier: BSD-3-Clause
// The force type `hunt_crossley`: a sphere on a plane, where steps end at touch and at release.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <ancora/sdk/authoring.hpp>

namespace outside {

using namespace ancora;

/// With the gap g = n.(r_c - r_p) - R and the indentation d = -g, the force by g is (1); on r_c,
/// r_p and n act N dg/dr_c, N dg/dr_p and N dg/dn, so that nothing is left of force and moment:
///
///   N = max(0, k d^(3/2) (1 + chi d'))                                                     (1)
class HuntCrossley final : public ForceLaw<HuntCrossley>, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("centre", "of the sphere").required(),
        parameter::point("plane", "a point of the plane").required(),
        parameter::direction("normal", "of the plane, to the side of the sphere").required(),
        parameter::number("radius", "m", "R").nonnegative().required(),
        parameter::number("stiffness", "kg m^-0.5 s^-2", "k").positive().required(),
        parameter::number("damping", "s/m", "chi").nonnegative().required(),
    };

    explicit HuntCrossley(const Arguments& arguments)
        : radius_(arguments.number("radius")),
          stiffness_(arguments.number("stiffness")),
          damping_(arguments.number("damping")) {}

    WorkKind work() const override { return WorkKind::nonideal; }

    std::array<Vec3, 3> force(const Vec3& centre,
                              const Vec3& plane,
                              const Vec3& normal,
                              const Vec3& centre_rate,
                              const Vec3& plane_rate,
                              const Vec3& normal_rate,
                              const OwnValues&) const {
        const Vec3 d = centre - plane;
        const double depth = radius_ - normal.dot(d);
        const double speed = -normal.dot(centre_rate - plane_rate) - normal_rate.dot(d);
        const double N =
            depth > 0.0
                ? std::max(0.0, stiffness_ * depth * std::sqrt(depth) * (1.0 + damping_ * speed))
                : 0.0;
        return {N * normal, -N * normal, N * d};
    }

    /// Touch and release: N is smooth within a step. Nothing changes at either.
    int num_crossings() const override { return 2; }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override {
        g[0] = gap(at.u);
        g[1] = -g[0];
    }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = gap(at.u);
    }

private:
    static constexpr std::array<Output, 1> kOutputs{{{"gap", "m", "distance of the surfaces"}}};

    double gap(std::span<const double> u) const {
        double sum = -radius_;
        for (std::size_t i = 0; i < 3; ++i) sum += u[6 + i] * (u[i] - u[3 + i]);
        return sum;
    }

    double radius_, stiffness_, damping_;
};

constexpr TypeDescriptor kHuntCrossley =
    type<HuntCrossley>("hunt_crossley",
                       {.doc = "compliant contact of a sphere with a plane",
                        .equation = "N = max(0, k d^(3/2) (1 + chi d')), d = R - n.(r_c - r_p)",
                        .source = "K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440-445",
                        .examples = {"centre = \"a@[0.3, 0.1, -0.2]\"\n"
                                     "plane = \"b@[-0.4, 0.2, 0.1]\"\n"
                                     "normal = \"b@[0.0, 0.6, 0.8]\"\n"
                                     "radius = 0.4\n"
                                     "stiffness = 300.0\n"
                                     "damping = 0.2"},
                        .claims = {Claim::frame_invariant}},
                       HuntCrossley::kParameters);

}  // namespace outside
