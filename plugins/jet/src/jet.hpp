// SPDX-License-Identifier: BSD-3-Clause
// The force type `jet`: matter that leaves a body through a nozzle.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/signals.hpp"

namespace ancora::jet {

/// The thrust of matter that leaves a body at the point P with the velocity u relative to it, so
/// much mass per time as the flow w says; with a tank at T, from which it comes, the force that its
/// way through the body takes:
///
///   f_P = -w u - w (r_P' - r_T')                                                         (1)
///   f_T =      - w (r_P' - r_T')                                                         (2)
///
/// (1), (2) without u are the Coriolis forces -2 w d(r')/ds ds of a steady flow on a straight way
/// from T to P, in a body whose velocities are linear along it; about T they make the jet damping
/// w |r_P - r_T|^2. The mass itself is the body's: one that empties loses, besides, the momentum
/// that matter has at T, and exerts no force for it (MassKind::of_time).
///
/// Terms:
///   w   flow [kg/s], above zero out of the body
///   u   velocity of what leaves, relative to P [m/s]: in axes of the body, which turn with it, or
///       inertial ones
/// Work and impulse are external: they go with what has left.
///
/// Source: W. T. Thomson, Introduction to Space Dynamics, Wiley, 1961, sections 8.1, 8.4.
class Jet final : public NonidealForce, public Signals, private ForceTangent {
public:
    explicit Jet(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    WorkKind work() const override { return WorkKind::external; }
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void facets(ForceFacets& out) const override {
        if (has_tank_ || follows_) out.tangent = this;
        out.signals = this;
    }
    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override;

    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;

private:
    static constexpr std::array<const char*, 1> kInputs{"flow"};
    static constexpr std::array<Output, 1> kOutputs{{{"thrust", "N", "w |u|"}}};
    /// First of the scalars of the axes in u.
    std::size_t first_axis() const { return has_tank_ ? 6 : 3; }

    Vec3 u_;
    bool follows_;
    bool has_tank_;
    AttachmentTexts requests_;
};

}  // namespace ancora::jet
