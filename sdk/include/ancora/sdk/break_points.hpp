// SPDX-License-Identifier: BSD-3-Clause
// Break points: instants at which something that is given over time is not smooth.
#pragma once

#include <cstdint>

namespace ancora {

/// For which steps break points are asked. What counts for one counts for those after it.
enum class StepKind : std::int32_t {
    mean,    ///< of the discrete formulation, in which what is given acts by its mean over the step
    stages,  ///< of fixed length, with values at instants inside
    controlled,  ///< of a length that an estimate of the error chooses
};

/// Instants at which a function of time or one of its derivatives jumps. The kernel ends a step at
/// each, so that no step goes over one, whatever its integrator. A plugin that reads what it is
/// given over time by TimeFunction has nothing to do; one with a formula of its own adds
/// FormulaBreakPoints to its Arguments.
class BreakPoints {
public:
    virtual ~BreakPoints() = default;

    /// [step] The first break point in (after, until], or infinity.
    /// @param spacing  features as wide as this are found, where they cannot be foretold [s]
    virtual double next(double after, double until, double spacing, StepKind steps) const = 0;

    /// Whether only values at instants show what it does, as of exp(-(t - 3)^2): what happens
    /// between these cannot be foretold, other than between break points of polynomials.
    virtual bool is_sampled() const { return false; }
};

}  // namespace ancora
