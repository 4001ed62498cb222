// SPDX-License-Identifier: BSD-3-Clause
// The integrator as the kernel calls it.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "ancora/sdk/integrator.hpp"
#include "call_meter.hpp"

namespace ancora {

/// Thrown by the system through an integrator that would go on behind an event, where a step is to
/// end there. What was accepted stays.
struct EventPause {};

/// Owns an integrator. Its calls are not recorded, since a system went in.
class GuardedIntegrator {
public:
    GuardedIntegrator() = default;
    /// @param object  must outlive it
    GuardedIntegrator(const ObjectRef& object, std::unique_ptr<Integrator> integrator)
        : object_(&object), integrator_(std::move(integrator)) {}

    /// Refuses an adaptive one of the continuous formulation without DenseOutput.
    IntegratorTraits traits() const;
    /// Prepares it for `system` and hands the length of its history to `resize_history`.
    void prepare(const System& system,
                 const StepSettings& settings,
                 const std::function<void(int)>& resize_history);
    /// Ends early, with what was accepted so far, where the system throws an EventPause.
    /// @returns the time that it took [s], which is recorded, too
    double step(CallMeter& meter, System& system, double t0, double h);
    /// Refuses what is not finite.
    void interpolate(double t, std::span<double> x) const;
    /// Refuses one without a name.
    std::span<const Output> outputs() const;
    /// Refuses what is not finite.
    void evaluate_outputs(double t, std::span<const double> history, std::span<double> y) const;

private:
    const ObjectRef* object_ = nullptr;
    std::unique_ptr<Integrator> integrator_;
};

}  // namespace ancora
