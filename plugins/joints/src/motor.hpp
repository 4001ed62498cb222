// SPDX-License-Identifier: BSD-3-Clause
// Efforts on measures: motors, of time and of the state, and servos.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "acting.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/helpers/state_reader.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

/// A force f = effort dm/du on the attachments of a measure m; over a step on its exact discrete
/// gradient, so that the work is effort times change of the measure and momenta are kept. What an
/// effort depends on besides stands behind the measure in u.
class Effort : public NonidealForce, private ForceTangent {
public:
    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        out.effort_on = &measure_;
        out.tangent = this;
        out.start_state = start_state_;
    }
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean_velocity,
                       const ForceValues& out) const override;
    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override;

protected:
    explicit Effort(const Arguments& arguments);

    /// A measure at an instant, or its mean over a step.
    struct Reading {
        double value = 0.0;
        double rate = 0.0;
    };
    using Variables = std::array<double, Formula::kMaxVariables>;

    /// What an effort is computed from: the measure that it acts on, what the reader reads.
    struct Sensed {
        Reading own;
        std::span<const double> read;
        double t = 0.0;
        double h = 0.0;  ///< length of the step whose mean is asked for; 0: an instant
        std::span<const double> state0;  ///< the law's own
        std::span<double> state1;        ///< empty: not wanted
    };
    /// Partial derivatives; those by what the reader reads are zero at first.
    struct Slopes {
        Reading own;
        Variables read;
    };
    virtual double effort(const Sensed& at, Slopes* slopes) const = 0;

    StateReader reader_;
    AttachmentTexts requests_;
    /// Of the measure, of what the reader reads, of the law itself.
    std::vector<double> start_state_;

private:
    static constexpr std::size_t kMostScalars =
        MeasureFunction::kMostScalars + StateReader::kMostScalars;
    using Gradient = std::array<double, MeasureFunction::kMostScalars>;

    StateReader::Layout layout() const { return {.sensed = on_.num_scalars()}; }
    /// The part of a step's state that is the reader's.
    RowStep without_own_state(const RowStep& step) const;
    double effort_over(const RowStep& step, Gradient& D, Slopes* slopes) const;

    MeasureFunction on_;
    double start_;
    Measure measure_;  ///< that it acts on
};

/// effort = a number, a table over time, or a formula of t and of the state, in which "value" and
/// "rate" are those of the measure that it acts on.
class Motor final : public Effort {
public:
    explicit Motor(const Arguments& arguments);
    WorkKind work() const override { return work_; }

private:
    double effort(const Sensed& at, Slopes* slopes) const override;

    class Scope;
    /// A variable of the formula: the measure's own, or one of the reader's.
    struct Variable {
        enum class Of { value, rate, state } of;
        std::size_t index = 0;
    };
    TimeFunction given_;
    std::vector<Formula> formula_;  ///< one or none
    std::vector<Variable> variables_;
    double limit_;
    WorkKind work_;
};

/// effort = kp e + kd e' + ki (integral of e), e = target(t) - m, within the limit; the integral
/// is state of the kernel and stands still while the effort is at its limit.
class Servo final : public Effort {
public:
    explicit Servo(const Arguments& arguments);

private:
    double effort(const Sensed& at, Slopes* slopes) const override;

    TimeFunction target_;
    double kp_, kd_, ki_, limit_;
};

}  // namespace ancora::joints
