// SPDX-License-Identifier: BSD-3-Clause
// Efforts on measures written as one function: motors, actuators, springs with a state.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"
#include "ancora/sdk/nonideal_force.hpp"

namespace ancora {

/// The measure that an effort acts on, at an instant or as its means over a step.
struct MeasureReading {
    double value = 0.0;  ///< [rad] with turns counted, [m]
    double rate = 0.0;
};

/// A force or torque e on a measure m of a joint, such as "elbow.angle": f = e dm/du on what the
/// measure is a function of; over a step on its exact discrete gradient, so that the work is e
/// times the change of the measure and momenta are kept. The author's schema has
///
///   parameter::measure("on", "the measure that it acts on").required()
///
/// and the class overrides effort(). With Signals, the effort reads inputs and states of its own
/// from `own`, and the functions of Signals read the rate from SignalPoint by rate_of().
class EffortLaw : public NonidealForce, protected ForceTangent {
public:
    EffortLaw(const EffortLaw&) = delete;
    EffortLaw& operator=(const EffortLaw&) = delete;

    /// [step] The effort, positive where it drives the measure up [N, N m].
    virtual double effort(const MeasureReading& on, double t, const OwnValues& own) const = 0;

    std::span<const AttachmentRequest> attachments() const override { return {&request_, 1}; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        out.tangent = this;
        out.effort_on = &measure_;
        out.start_state = {&measure_.start, 1};
    }

    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const final {
        const double near = state.empty() ? measure_.start : state[0];
        const MeasureReading on{function_.near(function_.value(at.u.data()), near), rate_of(at)};
        const double e = effort(on, at.t, at.own);
        std::ranges::fill(out.f, 0.0);
        function_.gradient(at.u.data(), out.f.data());
        for (std::size_t i = 0; i < function_.num_scalars(); ++i) out.f[i] *= e;
    }
    void evaluate_step(const RowStep& step,
                       std::span<const double>,
                       const ForceValues& out) const final {
        Gradient D;
        const MeasureReading on = read(step, D, step.state1);
        const double e = effort(on, step.t0 + 0.5 * step.h, step.own);
        std::ranges::fill(out.f, 0.0);
        for (std::size_t i = 0; i < function_.num_scalars(); ++i) out.f[i] = e * D[i];
    }

    /// Of the effort by value and rate by differences, own values held; of the measure exactly.
    void differentiate_step(const RowStep& step,
                            std::span<const double>,
                            std::span<double> out) const final {
        constexpr double kDifference = 6e-6;  // third root of rounding
        Gradient D, g{};
        const MeasureReading on = read(step, D, {});
        const double t = step.t0 + 0.5 * step.h;
        const double e = effort(on, t, step.own);
        const auto slope = [&](double MeasureReading::*of) {
            const double d = kDifference * std::max(1.0, std::abs(on.*of));
            MeasureReading up = on, down = on;
            up.*of += d;
            down.*of -= d;
            const double by = (effort(up, t, step.own) - effort(down, t, step.own)) / (2.0 * d);
            return std::isfinite(by) ? by : 0.0;
        };
        const double factor =
            0.5 * slope(&MeasureReading::value) + slope(&MeasureReading::rate) / step.h;
        const std::size_t n = function_.num_scalars();
        function_.gradient(step.u1.data(), g.data());
        std::array<double, MeasureFunction::kMostScalars * MeasureFunction::kMostScalars> H{};
        function_.add_step_hessian(step.u0.data(), step.du.data(), e, H.data());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                out[i * n + j] = factor * D[i] * g[j] + H[i * n + j];
    }

protected:
    /// @param key  the parameter, of Shape::measure, that names the measure
    explicit EffortLaw(const Arguments& arguments, const char* key = "on") : request_{key} {
        const MeasureStart& start = arguments.measure_of(key);
        function_ = MeasureFunction(start.kind);
        measure_.kind = start.kind;
        measure_.attachments = {0, 1, 2};
        measure_.start = start.value;
    }

    MeasureKind kind() const { return measure_.kind; }
    /// Rate of the measure, at a RowPoint or a SignalPoint. [step]
    double rate_of(const auto& at) const { return function_.rate(at.u.data(), at.du.data()); }

private:
    using Gradient = std::array<double, MeasureFunction::kMostScalars>;

    /// Means over a step; D: the discrete gradient.
    MeasureReading read(const RowStep& step, Gradient& D, std::span<double> state1) const {
        function_.step_gradient(step.u0.data(), step.mid.data(), step.u1.data(), D.data());
        const double change = function_.dot(D.data(), step.du.data());
        const double near = step.state0.empty() ? measure_.start : step.state0[0];
        const double before = function_.near(function_.value(step.u0.data()), near);
        if (!state1.empty()) state1[0] = before + change;
        return {before + 0.5 * change, change / step.h};
    }

    AttachmentRequest request_;
    MeasureFunction function_;
    Measure measure_;
};

}  // namespace ancora
