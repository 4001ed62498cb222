// SPDX-License-Identifier: BSD-3-Clause
// The force type `central_gravity`: attraction of bodies by one centre, with its gradient.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/stress_law.hpp"

namespace ancora::central_gravity {

/// W(pi) = -mu m / r with r^2 = R^2 + 2 R pi. Over a step
///
///   W_d = (W(pi_1) - W(pi_0)) / (pi_1 - pi_0) = 2 mu m R / (r_0 r_1 (r_0 + r_1))          (1)
///
/// without a difference. The slope is left out: it is negative, and the share of gravity in a
/// step's matrix, (h n)^2 with the orbital rate n, is nothing that an iteration notices.
class PotentialOfCentre final : public StressLaw {
public:
    PotentialOfCentre(double mu_m, double R) : mu_m_(mu_m), R_(R) {}
    double energy(const RowLaw& row, double pi) const override;
    double stress(const RowLaw& row, double pi, double rate) const override;
    StressMean mean(const RowLaw& row, double pi0, double dpi, double h) const override;

private:
    double radius(double pi) const;

    double mu_m_, R_;
};

/// Points r_i with masses m_i that a centre c attracts:
///
///   U = -sum_i mu m_i / |r_i - c|                                                         (2)
///
/// one elastic row each, pi_i = (|r_i - c|^2 - R^2) / (2 R), R a typical distance: quadratic, with
/// the force -W' (r_i - c) / R along the line to the centre. Over a step the force acts along the
/// middle of the line, W_d times, so that energy and the angular momentum about the centre are
/// kept to rounding.
///
/// A body's matter is replaced by points of the same mass, centre and moments of inertia; of a
/// rigid body, six on its principal axes at +- sqrt(3 m_i / M), m_i the second moments. (2) is then
/// the potential of the body up to third moments: force and gravity gradient to second order in
/// its size over the distance (MacCullagh's formula), the next term being of fourth.
class CentralGravity final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mu", "m^3/s^2", "gravitational parameter G M of the centre")
            .positive()
            .required()
            .sensitive(),
        parameter::vector("center", 3, "m", "where it is, inertial axes")
            .otherwise("[0.0, 0.0, 0.0]"),
        parameter::make("on",
                        "",
                        "the bodies that it attracts: a name, a list of names, or \"*\", all",
                        Shape::text)
            .with(Shape::texts),
        parameter::make(
            "points", "", "instead of bodies: points of matter, with masses", Shape::texts),
        parameter::vector("masses", 0, "kg", "their masses").nonnegative(),
    };

    /// [assembly] `on` has been turned into points and masses by the kernel.
    explicit CentralGravity(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::force;
        // The centre takes the impulse.
        out.tied_to_inertial_frame = true;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    AttachmentTexts requests_;
    std::array<double, 3> center_;
    double R_ = 1.0;
    std::vector<PotentialOfCentre> potentials_;
    std::vector<RowLaw> laws_;
    std::vector<std::int32_t> stencil_;
    RowBlock block_;
};

}  // namespace ancora::central_gravity
