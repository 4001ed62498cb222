// SPDX-License-Identifier: BSD-3-Clause
// Signals: outputs, inputs and states of an object besides its mechanics.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

namespace ancora {

/// The signals of one object, which are no mechanics: inputs, continuous states x, discrete states
/// z.
struct OwnValues {
    std::span<const double> inputs{};  ///< in the order of Signals::inputs()
    std::span<const double> x{};
    std::span<const double> z{};
};

/// A value that an object shows as OBJECT.NAME: a column of history.csv, a name that inputs of
/// other objects may use, a value that an embedding program may ask for.
struct Output {
    const char* name = "";
    const char* unit = "";
    const char* doc = "";
    bool is_vector = false;  ///< three numbers, inertial axes: NAME.x, NAME.y, NAME.z; no input
};

/// Numbers that these outputs are together.
constexpr int num_values(std::span<const Output> outputs) {
    int count = 0;
    for (const Output& output : outputs) count += output.is_vector ? 3 : 1;
    return count;
}

/// Where signals are evaluated: at an instant, or in the middle of a step, with the means over it.
struct SignalPoint {
    double t = 0.0;
    std::span<const double> u;   ///< the object's local scalars; q of a body
    std::span<const double> du;  ///< their rates
    OwnValues own;
};

/// Times at which a sampled object acts: offset + k period, for k = 0, 1, ...
struct SampleTimes {
    double period = 0.0;  ///< [s] > 0
    double offset = 0.0;  ///< [s]

    /// The first of them after `after`, which is one of them, or before all.
    double next(double after) const {
        if (after < offset) return offset;
        const double k = std::round((after - offset) / period);
        const double at = offset + k * period;
        return at > after ? at : offset + (k + 1.0) * period;
    }
};

/// The part of a body, constraint or force that is a system in itself: a motor's current, a
/// sensor's filter, a controller's memory.
///
///   x' = f(t, u, u', x, z, inputs),   y = g(t, u, u', x, z, inputs)                       (1)
///
/// u are the object's local scalars, as in its other functions. Inputs are named by parameters of
/// Shape::signal: numbers, tables and formulas over time, of measures, values of bodies and outputs
/// of other objects; an embedding program may set them. Every integrator carries x at its own
/// order; a step of the discrete formulation by the midpoint rule, x1 - x0 = h f in the middle,
/// solved together with the step. z changes in act() alone, at events: at times that next_time()
/// names, and where a crossing function comes down to zero.
///
/// All functions are const: an object is configuration, its state belongs to the kernel. What the
/// force or the rows of the object need of x, z and inputs they find in RowPoint::own and
/// RowStep::own; what rows may do with it, RowSource says.
class Signals {
public:
    /// [assembly] Names of the parameters, of Shape::signal, that hold the inputs.
    virtual std::span<const char* const> inputs() const { return {}; }

    /// [assembly] What it shows; lives as long as the object.
    virtual std::span<const Output> outputs() const { return {}; }
    /// [assembly] False if no output depends on an input at the same instant (no direct
    /// feedthrough). Only then can objects that read each other's outputs form a loop.
    virtual bool outputs_read_inputs() const { return true; }
    /// [step] Values of outputs() one after the other, vectors with three.
    virtual void evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
        static_cast<void>(at);
        static_cast<void>(y);
    }

    /// [assembly] Numbers of continuous and discrete states.
    virtual int num_continuous() const { return 0; }
    virtual int num_discrete() const { return 0; }
    /// [assembly] The states at the start.
    virtual void start_values(std::span<double> x, std::span<double> z) const {
        for (double& value : x) value = 0.0;
        for (double& value : z) value = 0.0;
    }
    /// [step] x'; needed with continuous states.
    virtual void differentiate(const SignalPoint& at, std::span<double> dx) const {
        static_cast<void>(at);
        static_cast<void>(dx);
        throw std::logic_error("has continuous states, but does not override differentiate()");
    }

    /// [step] The first time after `after` at which it wants to act, infinity if there is none. At
    /// the start of a run `after` is -infinity, and an answer before the start is the start; a step
    /// ends at each such time. See SampleTimes.
    virtual double next_time(double after, std::span<const double> z) const {
        static_cast<void>(after);
        static_cast<void>(z);
        return std::numeric_limits<double>::infinity();
    }
    /// [assembly] Number of crossing functions.
    virtual int num_crossings() const { return 0; }
    /// [step] Functions that are positive as long as nothing happens. Where one comes down to zero
    /// the step ends and act() is called, as it is where an event or a program puts one that was
    /// positive at or below zero. One that has acted is not looked at until it has been positive.
    virtual void evaluate_crossings(const SignalPoint& at, std::span<double> g) const {
        static_cast<void>(at);
        static_cast<void>(g);
    }
    /// What act() answers to.
    static constexpr int kTimeEvent = -1;
    /// [step] Changes states at an event: `crossing`, or kTimeEvent. x and z hold the values
    /// before. Objects that act at the same time all see the values before.
    virtual void act(const SignalPoint& at,
                     int crossing,
                     std::span<double> x,
                     std::span<double> z) const {
        static_cast<void>(at);
        static_cast<void>(crossing);
        static_cast<void>(x);
        static_cast<void>(z);
    }

protected:
    ~Signals() = default;
};

}  // namespace ancora
