// SPDX-License-Identifier: BSD-3-Clause
// Calls of Integrator.
#include "guarded_integrator.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace ancora {

IntegratorTraits GuardedIntegrator::traits() const {
    IntegratorTraits out;
    call_plugin(*object_, "traits", [&] {
        out = integrator_->traits();
    });
    if (out.is_adaptive && out.face == Face::continuous &&
        facets_of(*object_, *integrator_).dense_output == nullptr)
        throw Error(ErrorKind::plugin,
                    describe(*object_) +
                        ": chooses its steps itself (is_adaptive) but gives no "
                        "states inside them (facet dense_output)",
                    object_->place);
    return out;
}

void GuardedIntegrator::prepare(const System& system,
                                const StepSettings& settings,
                                const std::function<void(int)>& resize_history) {
    call_plugin(*object_, "prepare or num_history", [&] {
        integrator_->prepare(system, settings);
        resize_history(integrator_->num_history(system));
    });
}

double GuardedIntegrator::step(CallMeter& meter, System& system, double t0, double h) {
    const double others = meter.sampled_seconds();
    const FpEnvironment environment = FpEnvironment::capture();
    const auto begin = std::chrono::steady_clock::now();
    try {
        const CallScope scope(*object_, "step, or the kernel that it called,", &t0);
        integrator_->step(system, t0, h);
    } catch (const EventPause&) {
        environment.restore();
    } catch (...) {
        environment.restore();
        rethrow_from_plugin(*object_, "step", &t0);
    }
    const double taken =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (environment.differs()) {
        environment.restore();
        refuse_environment(*object_, "step, or a plugin that it led to,", &t0);
    }
    meter.record_integrator(*object_, taken, others);
    return taken;
}

void GuardedIntegrator::interpolate(double t, std::span<double> x) const {
    const DenseOutput* const inside = facets_of(*object_, *integrator_).dense_output;
    call_plugin(*object_, "interpolate", [&] {
        inside->interpolate(t, x);
    });
    for (const double value : x)
        if (!std::isfinite(value)) refuse_nonfinite(*object_, "interpolate", "a value", &t);
}

std::span<const Output> GuardedIntegrator::outputs() const {
    const IntegratorOutputs* const shown = facets_of(*object_, *integrator_).outputs;
    if (shown == nullptr) return {};
    std::span<const Output> out;
    call_plugin(*object_, "outputs", [&] {
        out = shown->outputs();
    });
    for (const Output& output : out)
        if (output.name == nullptr || *output.name == '\0')
            throw Error(ErrorKind::plugin,
                        describe(*object_) + ": one of its outputs has no name",
                        object_->place);
    return out;
}

void GuardedIntegrator::evaluate_outputs(double t,
                                         std::span<const double> history,
                                         std::span<double> y) const {
    const IntegratorOutputs* const shown = facets_of(*object_, *integrator_).outputs;
    call_plugin(
        *object_,
        "evaluate_outputs",
        [&] {
            shown->evaluate_outputs(history, y);
        },
        {},
        &t);
    for (std::size_t i = 0; i < y.size(); ++i)
        if (!std::isfinite(y[i]))
            refuse_nonfinite(
                *object_, "evaluate_outputs", "an output", &t, fmt::format("entry {}", i));
}

}  // namespace ancora
