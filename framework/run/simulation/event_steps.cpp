// SPDX-License-Identifier: BSD-3-Clause
#include "ancora/framework/event_steps.hpp"

#include "ancora/framework/error.hpp"
#include "kernel_access.hpp"
#include "simulation_impl.hpp"
#include "traps_off.hpp"

namespace ancora {

EventSteps::EventSteps(Simulation& simulation) : simulation_(&simulation) {
    const TrapsOff traps_off;
    SignalSet& signals = KernelAccess::of(simulation).parts().signals;
    for (SignalSet::Sampler& sampler : signals.samplers(simulation.time())) {
        samplers_.push_back(
            {signals.name(sampler.part), sampler.first, sampler.period, std::move(sampler.held)});
        parts_.push_back(sampler.part);
    }
}

bool EventSteps::is_due(std::size_t sampler, double t) const {
    const SignalSet& signals = KernelAccess::of(*simulation_).parts().signals;
    return KernelAccess::course(*simulation_).is_at(signals.next_time(parts_[sampler]), t);
}

bool EventSteps::is_due(double t) const {
    const TrapsOff traps_off;
    return KernelAccess::course(*simulation_).is_due(t);
}

void EventSteps::sample_anew() {
    const TrapsOff traps_off;
    KernelSystem& system = KernelAccess::of(*simulation_);
    if (samplers_.empty()) return;
    system.parts().signals.sample_anew(parts_, system.time());
    system.discontinuities().after_signals();
    KernelAccess::inside(*simulation_).after_change();
}

bool EventSteps::step(bool may_stop) {
    const TrapsOff traps_off;
    if (simulation_->is_adaptive())
        throw Error(ErrorKind::usage, "EventSteps: the integrator chooses its steps itself");
    return KernelAccess::inside(*simulation_).step_to_event(may_stop);
}

double EventSteps::next_sample() const {
    return KernelAccess::of(*simulation_).parts().signals.next_time();
}

void EventSteps::pass() {
    const TrapsOff traps_off;
    KernelAccess::course(*simulation_).pass_due();
    KernelAccess::inside(*simulation_).after_change();
}

}  // namespace ancora
