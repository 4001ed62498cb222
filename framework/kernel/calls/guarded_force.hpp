// SPDX-License-Identifier: BSD-3-Clause
// A force, and its law of dry friction if it has one, as the kernel calls them.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "ancora/sdk/nonideal_force.hpp"
#include "call_meter.hpp"
#include "guarded_signals.hpp"

namespace ancora {

/// A law of dry friction. A view; [step] functions are metered and refuse what is not finite.
class GuardedContactLaw {
public:
    GuardedContactLaw(const ContactLaw& law, const ObjectRef& object)
        : law_(law), object_(object) {}

    /// Name of the parameter that names the constraint.
    const char* constraint() const;
    std::array<double, 3> arms() const;
    std::array<double, 3> surface_velocity() const;
    SlipForce slip(CallMeter& meter, double t, double N, double speed) const;
    double stick_limit(CallMeter& meter, double t, double N) const;

private:
    const ContactLaw& law_;
    const ObjectRef& object_;
};

/// Owns a force. [step] functions are metered.
class GuardedForce {
public:
    GuardedForce() = default;
    GuardedForce(ObjectRef its_object, std::unique_ptr<NonidealForce> force)
        : object(std::move(its_object)), force_(std::move(force)) {}

    ObjectRef object;

    std::span<const AttachmentRequest> asked_attachments() const;
    WorkKind asked_work() const;
    ForceFacets facets() const;
    GuardedSignals signals() const;
    /// Copies it; refuses what is not finite.
    void start_state(std::span<double> state) const;

    // Outputs are not looked at; what is not finite is refused with the records below.
    void evaluate(CallMeter& meter,
                  const RowPoint& at,
                  std::span<const double> state,
                  std::span<double> f) const;
    /// The mean velocity is step.rate.
    void evaluate_step(CallMeter& meter, const RowStep& step, std::span<double> f) const;
    /// Refuses what is not finite.
    void differentiate_step(CallMeter& meter,
                            const ForceTangent& tangent,
                            const RowStep& step,
                            std::span<double> D) const;

private:
    std::unique_ptr<NonidealForce> force_;
};

}  // namespace ancora
