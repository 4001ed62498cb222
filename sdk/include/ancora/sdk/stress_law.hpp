// SPDX-License-Identifier: BSD-3-Clause
// The law of an elastic row that is more than a line: slack, breaking, hardening.
#pragma once

#include <limits>

namespace ancora {

struct RowLaw;

/// What a law comes to over a step from pi0 to pi1 = pi0 + dpi of length h.
struct StressMean {
    double stress = 0.0;   ///< s* = elastic + what the rate dissipates
    double elastic = 0.0;  ///< W_d = (W(pi1) - W(pi0)) / dpi, W'(pi0) for dpi = 0
    double slope = 0.0;    ///< d s* / d pi1, zero where the row is slack
    double terms = 0.0;    ///< size of what s* is the difference of, for its rounding; 0: |s*|

    bool is_slack() const { return stress == 0.0 && slope == 0.0; }
};

/// The law of a row of RowKind::elastic, in place of s = pi / c + s0 + eta pi'. A step keeps energy
/// to round-off if W_d is exact (theory (13)).
///
/// Laws are constant: they get the row's numbers (compliance, viscosity, prestress), so that one
/// object may serve many rows. It must live as long as the source of the row. Concrete ones and a
/// base for laws given by a potential stand in helpers/stress_laws.hpp.
class StressLaw {
public:
    virtual ~StressLaw() = default;
    StressLaw() = default;
    StressLaw(const StressLaw&) = default;
    StressLaw& operator=(const StressLaw&) = default;

    /// W(pi) [J] [step]
    virtual double energy(const RowLaw& row, double pi) const = 0;
    /// s at an instant; at rate 0 it is W'(pi), and what the rate adds dissipates. [step]
    virtual double stress(const RowLaw& row, double pi, double rate) const = 0;
    /// [step]
    virtual StressMean mean(const RowLaw& row, double pi0, double dpi, double h) const = 0;
    /// Where the row breaks for good: the kernel ends a step there, and s is zero from then on.
    virtual double limit() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace ancora
