// SPDX-License-Identifier: BSD-3-Clause
// The NonidealForce interface: forces on attachments that are not the gradient of a potential.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/measure.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora {

/// The heading of the energy ledger under which a force's work is recorded.
enum class WorkKind : std::int32_t {
    external,  ///< applied loads: work.external, and their impulse counts as external
    nonideal,  ///< drag, friction, motors between bodies: work.nonideal
};

/// Results of a force: one entry per local scalar, f conjugate to u (three per attachment).
struct ForceValues {
    std::span<double> f;
};

/// Friction force of a slipping contact, with its derivatives.
struct SlipForce {
    double force = 0.0;      ///< magnitude, against the sliding velocity [N]
    double by_normal = 0.0;  ///< d force / d N
    double by_speed = 0.0;   ///< d force / d |w| [N s/m]
};

/// Dry friction on a constraint, a set-valued law: with the normal force N, the magnitude of the
/// constraint's reaction on its first attachment, and the sliding velocity w,
///
///   slip:   C = -force(N, |w|) w / |w|                                                   (1)
///   stick:  w = 0, |C| <= stick_limit(N)                                                 (2)
///
/// in the one to three directions of ConstraintFacets::tangents (a cone, not a pyramid). The law is
/// configuration; whether a contact sticks is state that the kernel keeps, and the kernel solves
/// all contacts together with the reactions that they depend on.
class ContactLaw {
public:
    /// [assembly] Name of the parameter that names the constraint.
    virtual const char* constraint() const = 0;
    /// [step] Force that slipping at `speed` >= 0 meets under N >= 0.
    virtual SlipForce slip(double N, double speed) const = 0;
    /// [step] Largest force in stick, >= slip(N, 0).force.
    virtual double stick_limit(double N) const = 0;
    /// [assembly] Velocity of the surface, inertial axes [m/s]: w is relative to it.
    virtual std::array<double, 3> surface_velocity() const { return {}; }
    /// [assembly] What the sliding rates along the constraint's tangents are multiplied by, in
    /// their order: arms, where rates of turning and of sliding make one velocity.
    virtual std::array<double, 3> arms() const { return {1.0, 1.0, 1.0}; }

protected:
    ~ContactLaw() = default;
};

/// Derivative of a force over a step.
class ForceTangent {
public:
    /// [step] Derivative of NonidealForce::evaluate_step() by the displacements du of its
    /// attachments, at fixed u0: mid and mean velocity move with du/2 and du/h. k x k entries by
    /// rows, for k scalars, D[i k + j] = d f_i / d du_j, [N/m]; need not be symmetric. Reactions
    /// that the force depends on are held constant. A rough derivative costs iterations, never
    /// exactness.
    virtual void differentiate_step(const RowStep& step,
                                    std::span<const double> mean_velocity,
                                    std::span<double> D) const = 0;

protected:
    ~ForceTangent() = default;
};

/// What a force offers beyond its value; null or empty where it does not. All of it lives as long
/// as the force. Fields are appended, never moved.
struct ForceFacets {
    /// With it the step's iteration knows how the force answers. Without, it finds that out round
    /// by round, and a force that is stiff beside the masses it moves (a motor with feedback, a
    /// hard stop, a strong damper) takes many rounds or never settles.
    const ForceTangent* tangent = nullptr;
    const Signals* signals = nullptr;  ///< outputs, inputs, states of its own. A force with signals
                                       ///< needs no attachments: a sensor, a controller
    /// State that the kernel keeps for it, as it is at the start.
    std::span<const double> start_state{};
    /// The measure that it is an effort on, f = effort dm/du, of attachments in the order of u: the
    /// effort is then reported in place of a force.
    const Measure* effort_on = nullptr;
    /// Names of the parameters that name constraints on whose reactions the force depends.
    /// RowPoint::reactions and RowStep::reactions then hold, for each in this order, the reaction
    /// on its first attachment, three inertial components [N] (zero for constraints whose reaction
    /// is no force on a point). The kernel solves force and reactions together: by iteration, so
    /// that the force must not raise the reaction by more than it grew itself.
    std::span<const char* const> reactions{};
    const ContactLaw* contact = nullptr;  ///< its law of dry friction, if this is a DryFriction
    /// The force acts against the inertial frame (a medium, a fixed field) even without a ground
    /// attachment: its impulse then counts as external.
    bool tied_to_inertial_frame = false;
};

/// A force C of the Udwadia-Kalaba equation: how much work the constraints and the surroundings
/// really do. It acts on attachments, u = (r_1, ..., r_k) as for a constraint. Dry friction acts on
/// a constraint instead: see DryFriction.
class NonidealForce {
public:
    virtual ~NonidealForce() = default;

    /// [assembly] What it acts on, in the order of u; lives as long as the object.
    virtual std::span<const AttachmentRequest> attachments() const { return {}; }

    /// [assembly]
    virtual WorkKind work() const = 0;

    /// [step] Continuous formulation: the force at an instant.
    virtual void evaluate(const RowPoint& at,
                          std::span<const double> state,
                          const ForceValues& out) const = 0;

    /// [step] Discrete formulation: the mean force over the step, whose work is f . du. The default
    /// takes the continuous force at the midpoint with the mean velocity.
    virtual void evaluate_step(const RowStep& step,
                               std::span<const double> mean_velocity,
                               const ForceValues& out) const {
        evaluate({step.mid,
                  mean_velocity,
                  step.t0 + 0.5 * step.h,
                  step.reactions,
                  step.state0,
                  step.own},
                 step.state0,
                 out);
    }

    /// [assembly] Names what the force offers: `out.tangent = this`. One that derives from a class
    /// with facets asks that first.
    virtual void facets(ForceFacets& out) const { static_cast<void>(out); }
};

inline ForceFacets facets_of(const NonidealForce& force) {
    ForceFacets out;
    force.facets(out);
    return out;
}

/// Dry friction: a kind of its own, of which a type states the ContactLaw and nothing else. It has
/// no attachments and no force that could be evaluated, since the kernel solves for it.
class DryFriction : public NonidealForce, protected ContactLaw {
public:
    void facets(ForceFacets& out) const final { out.contact = this; }
    std::span<const AttachmentRequest> attachments() const final { return {}; }
    WorkKind work() const final { return WorkKind::nonideal; }
    /// Zero: the kernel does not call it.
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues& out) const final {
        for (double& f : out.f) f = 0.0;
    }
};

}  // namespace ancora
