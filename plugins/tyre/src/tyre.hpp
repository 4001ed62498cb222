// SPDX-License-Identifier: BSD-3-Clause
// The force type `tyre`: a wheel that may slip and lift, on a road plane.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/signals.hpp"
#include "magic_formula.hpp"

namespace ancora::tyre {

inline constexpr Parameter kTyreKeys[] = {
    parameter::body("body", "the wheel, which turns").required(),
    parameter::vector("center", 3, "m", "center of the wheel, body axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::vector("axis", 3, "", "of the wheel, body axes: to the left of where it rolls to")
        .otherwise("[0.0, 1.0, 0.0]"),
    parameter::vector("point", 3, "m", "a point of the road, inertial axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::vector("normal", 3, "", "of the road, inertial axes, of any length")
        .otherwise("[0.0, 0.0, 1.0]"),
    parameter::number("radius", "m", "R without load").positive().required().sensitive(),
    parameter::number(
        "effective_radius", "m", "R_e, by which it rolls freely; left out: the radius")
        .positive()
        .sensitive(),
    parameter::number("stiffness", "N/m", "c_z, of the load by the deflection")
        .positive()
        .required()
        .sensitive(),
    parameter::number("damping", "N s/m", "d_z, of the load by its rate")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    parameter::number("sigma_kappa", "m", "relaxation length along")
        .positive()
        .otherwise("0.2")
        .sensitive(),
    parameter::number("sigma_alpha", "m", "relaxation length across")
        .positive()
        .otherwise("0.5")
        .sensitive(),
    parameter::number("Fz0", "N", "nominal load").positive().required().sensitive(),
    parameter::number("lambda_mu", "-", "friction of the road, by that of the data")
        .positive()
        .otherwise("1.0")
        .sensitive(),
    parameter::number("pCx1", "-", "shape C of F_x").required().sensitive(),
    parameter::number("pDx1", "-", "friction along at Fz0").required().sensitive(),
    parameter::number("pDx2", "-", "its change with load").otherwise("0.0").sensitive(),
    parameter::number("pDx3", "-", "its change with inclination squared")
        .otherwise("0.0")
        .sensitive(),
    parameter::number("pEx1", "-", "curvature E of F_x").otherwise("0.0").sensitive(),
    parameter::number("pEx2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("pEx3", "-", "with load squared").otherwise("0.0").sensitive(),
    parameter::number("pEx4", "-", "other while driving than while braking")
        .otherwise("0.0")
        .sensitive(),
    parameter::number("pKx1", "-", "slip stiffness per load").required().sensitive(),
    parameter::number("pKx2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("pKx3", "-", "exponent of load").otherwise("0.0").sensitive(),
    parameter::number("pHx1", "-", "shift of kappa").otherwise("0.0").sensitive(),
    parameter::number("pHx2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("pVx1", "-", "shift of F_x per load").otherwise("0.0").sensitive(),
    parameter::number("pVx2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("rBx1", "-", "slope of F_x by alpha").otherwise("12.0").sensitive(),
    parameter::number("rBx2", "-", "its fall with kappa").otherwise("10.0").sensitive(),
    parameter::number("rCx1", "-", "shape").otherwise("1.0").sensitive(),
    parameter::number("rEx1", "-", "curvature").otherwise("0.0").sensitive(),
    parameter::number("rEx2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("rHx1", "-", "shift of alpha").otherwise("0.0").sensitive(),
    parameter::number("pCy1", "-", "shape C of F_y").required().sensitive(),
    parameter::number("pDy1", "-", "friction across at Fz0").required().sensitive(),
    parameter::number("pDy2", "-", "its change with load").otherwise("0.0").sensitive(),
    parameter::number("pDy3", "-", "its change with inclination squared")
        .otherwise("0.0")
        .sensitive(),
    parameter::number("pEy1", "-", "curvature E of F_y").otherwise("0.0").sensitive(),
    parameter::number("pEy2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("pEy3", "-", "other for positive alpha").otherwise("0.0").sensitive(),
    parameter::number("pEy4", "-", "with inclination").otherwise("0.0").sensitive(),
    parameter::number(
        "pKy1", "-", "largest cornering stiffness per Fz0; below zero, as in property files")
        .required(),
    parameter::number("pKy2", "-", "load of it, per Fz0").required().sensitive(),
    parameter::number("pKy3", "-", "with inclination").otherwise("0.0").sensitive(),
    parameter::number("pHy1", "-", "shift of alpha").otherwise("0.0").sensitive(),
    parameter::number("pHy2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("pHy3", "-", "with inclination").otherwise("0.0").sensitive(),
    parameter::number("pVy1", "-", "shift of F_y per load").otherwise("0.0").sensitive(),
    parameter::number("pVy2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("pVy3", "-", "with inclination").otherwise("0.0").sensitive(),
    parameter::number("pVy4", "-", "with both").otherwise("0.0").sensitive(),
    parameter::number("rBy1", "-", "slope of F_y by kappa").otherwise("7.0").sensitive(),
    parameter::number("rBy2", "-", "its fall with alpha").otherwise("4.0").sensitive(),
    parameter::number("rBy3", "-", "shift of alpha in it").otherwise("0.0").sensitive(),
    parameter::number("rCy1", "-", "shape").otherwise("1.0").sensitive(),
    parameter::number("rEy1", "-", "curvature").otherwise("0.0").sensitive(),
    parameter::number("rEy2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("rHy1", "-", "shift of kappa").otherwise("0.0").sensitive(),
    parameter::number("rHy2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("rVy1", "-", "F_y by kappa per load").otherwise("0.0").sensitive(),
    parameter::number("rVy2", "-", "with load").otherwise("0.0").sensitive(),
    parameter::number("rVy3", "-", "with inclination").otherwise("0.0").sensitive(),
    parameter::number("rVy4", "-", "its fall with alpha").otherwise("0.0").sensitive(),
    parameter::number("rVy5", "-", "shape").otherwise("0.0").sensitive(),
    parameter::number("rVy6", "-", "slope").otherwise("0.0").sensitive(),
};

/// With the wheel's axle a, n the road's normal, and the axes of the contact
///
///   x = a x n / |a x n|,   y = n x x,   d = -(n - (a . n) a) / w,   w^2 = 1 - (a . n)^2   (1)
///
/// the load and the slips are
///
///   F_z = <c_z rho + d_z rho'>,   rho = R - r > 0,   r = n . (r_c - p) / w               (2)
///   sigma_k k' + |V_x| k = -(V_x - R_e W),   sigma_a e' + |V_x| e = V_sy                 (3)
///
/// and the force F_x(k, alpha) x + F_y(k, alpha) y + F_z n, tan alpha = e, of the Magic Formula
/// acts on the material point r_c + r d.
///
/// Terms, u = (r_c, b_1, b_2), b_i directions of the wheel across its axle, a = b_1 x b_2:
///   W     rate of the wheel about its axle [rad/s]
///   V_x   velocity of the center along x; V_sy velocity of the contact point along y [m/s]
///   k, e  transient slips, states of the tyre's own [-]
/// In the middle of a step directions are shorter than one; all of this is of unit vectors, and W
/// is the exact mean rate of a wheel that turns about its axle. Off the road there is no force, and
/// slips fade. The work is nonideal: that of slip, and of the load, whose spring gives it back.
///
/// Source: H. B. Pacejka, Tire and Vehicle Dynamics, 2nd ed., 2006, chapters 4 and 8.
class Tyre final : public NonidealForce, public Signals, private ForceTangent {
public:
    explicit Tyre(const Arguments& arguments);
    Tyre(const Tyre&) = delete;
    Tyre& operator=(const Tyre&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    WorkKind work() const override { return WorkKind::nonideal; }
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void facets(ForceFacets& out) const override {
        out.tangent = this;
        out.signals = this;
        out.tied_to_inertial_frame = true;
    }
    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override;

    int num_continuous() const override { return 2; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;

private:
    static constexpr std::size_t kWidth = 9;
    static constexpr std::array<Output, 7> kOutputs{{{"Fx", "N", "along the road"},
                                                     {"Fy", "N", "across, to the left"},
                                                     {"Fz", "N", "load"},
                                                     {"kappa", "", "transient slip along"},
                                                     {"alpha", "rad", "transient slip angle"},
                                                     {"gamma", "rad", "inclination"},
                                                     {"deflection", "m", "rho"}}};
    struct Contact {
        Vec3 x, y;
        Vec3 to_road;  ///< -g_i / |g|, of b_1 and b_2; 0
        double gamma, rho, r, Fz;
        double Vx, Vsx, Vsy;
    };
    Contact contact(std::span<const double> u, std::span<const double> du) const;
    MagicFormula::Force slip_force(const Contact& at, std::span<const double> slips) const;
    void put(std::span<const double> u,
             std::span<const double> du,
             std::span<const double> slips,
             double* f) const;

    double radius_, effective_, stiffness_, damping_, sigma_kappa_, sigma_alpha_;
    Vec3 n_, point_;
    MagicFormula formula_;
    AttachmentTexts requests_;
};

}  // namespace ancora::tyre
