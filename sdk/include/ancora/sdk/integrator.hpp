// SPDX-License-Identifier: BSD-3-Clause
// The Integrator interface: advances the state of a system by one step.
#pragma once

#include "ancora/sdk/continuous_system.hpp"
#include "ancora/sdk/signals.hpp"
#include "ancora/sdk/system.hpp"

namespace ancora {

/// The formulation of the equations that an integrator works on.
enum class Face : std::int32_t {
    discrete,    ///< the step equations (2), (3) of System
    continuous,  ///< ContinuousSystem
};

/// Properties of an integrator that the kernel needs.
struct IntegratorTraits {
    Face face = Face::discrete;
    /// It chooses its steps itself, see Integrator::step. In the continuous formulation it then
    /// has a DenseOutput; in the discrete one outputs are at the ends of steps.
    bool is_adaptive = false;
    /// Continuous formulation: whether accepted states are projected onto the constraints, and the
    /// rate of Baumgarte's stabilisation [1/s], pi'' + 2 rate pi' + rate^2 pi = 0.
    bool projects = true;
    double baumgarte = 0.0;
    /// Works with ImplicitSystem and carries continuous states of objects by its follow_own(). One
    /// that does not is refused for models that have such states.
    bool follows_own_states = false;
};

/// The manifest's keys that every integrator has.
struct StepSettings {
    double step = 0.0;       ///< length of a step, of the first one for an adaptive method [s]
    double tolerance = 0.0;  ///< in the integrator's own meaning; 0: not given
};

/// The states inside a step, of a method that chooses its steps itself in the continuous
/// formulation.
class DenseOutput {
public:
    /// [step] x inside the last step, from its t0 to the time reached.
    virtual void interpolate(double t, std::span<double> x) const = 0;

protected:
    ~DenseOutput() = default;
};

/// What an integrator shows of itself, as columns `integrator.NAME` of history.csv.
class IntegratorOutputs {
public:
    /// [assembly] They live as long as the object.
    virtual std::span<const Output> outputs() const = 0;
    /// [output] Values of outputs() one after the other, vectors with three, after the last
    /// accepted step, from the history that the kernel keeps for it and nothing else: so a run that
    /// is resumed shows the same.
    virtual void evaluate_outputs(std::span<const double> history, std::span<double> y) const = 0;

protected:
    ~IntegratorOutputs() = default;
};

/// What an integrator offers beyond its steps; null where it does not. All of it lives as long as
/// the integrator. Fields are appended, never moved.
struct IntegratorFacets {
    const DenseOutput* dense_output = nullptr;
    const IntegratorOutputs* outputs = nullptr;
};

/// Advances a system in time. Keys `step`, `end` and `tolerance` are the kernel's; an integrator's
/// own keys stand in `[integrator.TYPE]`.
class Integrator {
public:
    virtual ~Integrator() = default;

    /// [assembly]
    virtual IntegratorTraits traits() const { return {}; }

    /// [assembly] Sizes the buffers for `system`.
    virtual void prepare(const System& system, const StepSettings& settings) = 0;

    /// [assembly] Number of doubles of history that the kernel keeps for it (System::history), zero
    /// at the start. All data that a step needs of the steps before are there and nowhere else, so
    /// that a checkpoint has them.
    virtual int num_history(const System& system) const {
        static_cast<void>(system);
        return 0;
    }

    /// [step] Advances `system` from t0 to t0 + h, by one accepted step or several shorter ones.
    /// An adaptive integrator takes one accepted step of its own choice, at most h, which is then
    /// the time left to the end of the run.
    virtual void step(System& system, double t0, double h) = 0;

    /// [assembly] Names what the integrator offers: `out.dense_output = this`.
    virtual void facets(IntegratorFacets& out) const { static_cast<void>(out); }
};

inline IntegratorFacets facets_of(const Integrator& integrator) {
    IntegratorFacets out;
    integrator.facets(out);
    return out;
}

}  // namespace ancora
