// SPDX-License-Identifier: BSD-3-Clause
// Calls of NonidealForce and ContactLaw.
#include "guarded_force.hpp"

namespace ancora {

std::span<const AttachmentRequest> GuardedForce::asked_attachments() const {
    std::span<const AttachmentRequest> out;
    call_plugin(object, "attachments", [&] {
        out = force_->attachments();
    });
    return out;
}

WorkKind GuardedForce::asked_work() const {
    WorkKind out{};
    call_plugin(object, "work", [&] {
        out = force_->work();
    });
    return out;
}

ForceFacets GuardedForce::facets() const {
    const ForceFacets out = facets_of(object, *force_);
    for (const char* const key : out.reactions)
        if (key == nullptr)
            throw Error(ErrorKind::plugin,
                        describe(object) +
                            ": its facet reactions has a null name; each names a "
                            "parameter of its schema",
                        object.place);
    return out;
}

GuardedSignals GuardedForce::signals() const {
    return {facets().signals, object};
}

void GuardedForce::start_state(std::span<double> state) const {
    copy_start_state(object, facets().start_state, state);
}

void GuardedForce::evaluate(CallMeter& meter,
                            const RowPoint& at,
                            std::span<const double> state,
                            std::span<double> f) const {
    meter.call(
        object,
        calls::EvaluateForce::kName,
        at.t,
        [&] {
            force_->evaluate(at, state, {f});
        },
        [&] {
            return record_of(calls::EvaluateForce{at, state, {f}});
        });
}

void GuardedForce::evaluate_step(CallMeter& meter, const RowStep& step, std::span<double> f) const {
    meter.call(
        object,
        calls::EvaluateForceStep::kName,
        step.t0,
        [&] {
            force_->evaluate_step(step, step.rate, {f});
        },
        [&] {
            return record_of(calls::EvaluateForceStep{step, {f}});
        });
}

void GuardedForce::differentiate_step(CallMeter& meter,
                                      const ForceTangent& tangent,
                                      const RowStep& step,
                                      std::span<double> D) const {
    const calls::DifferentiateStep call{step, D};
    meter.call(
        object,
        calls::DifferentiateStep::kName,
        step.t0,
        [&] {
            call.make(tangent);
        },
        [&] {
            return record_of(call);
        });
    require_finite(object, call, {step.u0.size(), 0, 0}, &step.t0);
}

const char* GuardedContactLaw::constraint() const {
    const char* key = "";
    call_plugin(object_, "constraint", [&] {
        key = law_.constraint();
    });
    return key;
}

std::array<double, 3> GuardedContactLaw::arms() const {
    std::array<double, 3> arms{};
    call_plugin(object_, "arms", [&] {
        arms = law_.arms();
    });
    for (const double arm : arms)
        if (!(arm > 0.0) || !std::isfinite(arm))
            throw Error(ErrorKind::plugin,
                        describe(object_) + ": an arm of its sliding rows is not positive",
                        object_.place);
    return arms;
}

std::array<double, 3> GuardedContactLaw::surface_velocity() const {
    std::array<double, 3> velocity{};
    call_plugin(object_, "surface_velocity", [&] {
        velocity = law_.surface_velocity();
    });
    for (const double v : velocity)
        if (!std::isfinite(v)) refuse_nonfinite(object_, "surface_velocity", "a velocity", nullptr);
    return velocity;
}

SlipForce GuardedContactLaw::slip(CallMeter& meter, double t, double N, double speed) const {
    calls::Slip call{N, speed, t, {}};
    meter.call(
        object_,
        calls::Slip::kName,
        t,
        [&] {
            call.make(law_);
        },
        [&] {
            return record_of(call);
        });
    require_finite(object_, call, {}, &t);
    return call.out;
}

double GuardedContactLaw::stick_limit(CallMeter& meter, double t, double N) const {
    calls::StickLimit call{N, t, 0.0};
    meter.call(
        object_,
        calls::StickLimit::kName,
        t,
        [&] {
            call.make(law_);
        },
        [&] {
            return record_of(call);
        });
    require_finite(object_, call, {}, &t);
    return call.force;
}

}  // namespace ancora
