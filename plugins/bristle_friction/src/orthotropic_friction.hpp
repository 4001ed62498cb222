// SPDX-License-Identifier: BSD-3-Clause
// The force type `orthotropic_friction`: friction that differs along two axes of a surface.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/signals.hpp"

namespace ancora::bristle_friction {

/// Friction of a point on a plane surface with the axes t_1 and t_2. What friction can bear is an
/// ellipse, and of the forces in it sliding meets the one that takes most power from it:
///
///   slip:   F = -N mu^2 w / |mu w|,   mu = diag(mu_1, mu_2)                              (1)
///
/// which is not against w where the coefficients differ. Bristles that bend by z before they slip
/// make a law of it that is a function of states alone (Dahl's, in two directions):
///
///   z' = w - sigma |mu w| mu^-2 z,   F = -N (sigma z + c z')                             (2)
///
/// Terms:
///   w     velocity of the point against the surface, along t_1 and t_2 [m/s]
///   N     magnitude of the constraint's reaction along the surface's normal [N]
///   sigma stiffness of the bristles per normal force [1/m]; their damping c likewise [s/m]
/// At constant w, z comes to (1) within a way of mu^2 |w| / (sigma |mu w|). At rest it holds up to
/// |mu^-1 F| = N, elastically: the point gives way by F / (N sigma).
///
/// Sources: P. R. Dahl, AIAA J. 14 (1976) 1675-1682; J. J. Moreau, in New Variational Techniques in
/// Mathematical Physics, Cremonese, 1974, 171-322 (maximum dissipation).
class OrthotropicFriction final : public ForceLaw<OrthotropicFriction>, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "the point that slides").required(),
        parameter::object("on",
                          "the constraint that holds the point on the surface, such as a "
                          "point_on_plane; its reaction is N")
            .required(),
        parameter::vector("normal", 3, "", "normal of the surface, inertial axes").required(),
        parameter::vector("along", 3, "", "t_1, inertial axes; of it the part in the surface")
            .required(),
        parameter::vector("mu", 2, "-", "coefficients along t_1 and across it, > 0")
            .required()
            .sensitive(),
        parameter::number("stiffness", "1/m", "sigma, of the bristles per normal force")
            .positive()
            .required()
            .sensitive(),
        parameter::number("damping", "s/m", "c, of the bristles per normal force")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::vector("surface_velocity", 3, "m/s", "of the surface, inertial axes")
            .otherwise("[0.0, 0.0, 0.0]"),
    };
    explicit OrthotropicFriction(const Arguments& arguments);

    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw<OrthotropicFriction>::facets(out);
        // The surface stands in space.
        out.tied_to_inertial_frame = true;
        out.signals = this;
    }
    Vec3 force(const Vec3& r,
               const Vec3& r_rate,
               const Reactions& reactions,
               const OwnValues& own) const;

    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_continuous() const override { return 2; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;

private:
    using Vec2 = Eigen::Vector2d;
    static constexpr std::array<Output, 1> kOutputs{
        {{"deflection", "m", "of the bristles, in space", true}}};
    Vec2 sliding(const Vec3& r_rate) const;
    Vec2 rate(const Vec2& w, const Vec2& z) const;

    Vec3 normal_;
    Eigen::Matrix<double, 3, 2> axes_;
    Vec2 mu_;
    double stiffness_, damping_;
    Vec3 surface_velocity_;
};

}  // namespace ancora::bristle_friction
