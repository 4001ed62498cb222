// SPDX-License-Identifier: BSD-3-Clause
// The law of an elastic row, or of those of an item together, that is more than a line: slack,
// breaking, hardening, coupling.
#pragma once

#include <limits>
#include <span>

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

/// The law of the elastic rows of an item together, given by its potential W(pi): a material whose
/// strains act on each other (a membrane that may wrinkle, a bushing with a full stiffness matrix).
/// Beside it each row has the viscosity of its RowLaw; prestress belongs into W.
///
/// A law is constant and may serve many items. It must live as long as the source of the rows.
class ItemLaw {
public:
    /// Most rows of an item that have a law together.
    static constexpr int kMostRows = 12;

    virtual ~ItemLaw() = default;
    ItemLaw() = default;
    ItemLaw(const ItemLaw&) = default;
    ItemLaw& operator=(const ItemLaw&) = default;

    /// W(pi) [J], which must be continuously differentiable. What is not wanted comes as an empty
    /// span. [step]
    ///
    /// @param item       number of the item in its block
    /// @param pi         strains of its n rows
    /// @param stress     gets W', n entries
    /// @param stiffness  gets W'', n x n entries, symmetric
    virtual double potential(int item,
                             std::span<const double> pi,
                             std::span<double> stress,
                             std::span<double> stiffness) const = 0;

    /// Most of what discontinuities() gives.
    static constexpr int kMostDiscontinuities = 8;
    /// Where W'' jumps along pi0 + theta dpi: values of theta in (0, 1), ascending, into `theta` of
    /// kMostDiscontinuities entries; returns their number. Anything else ends the run, in words. A
    /// law with slope discontinuities keeps energy without it too, but its mean over a step is then
    /// no smooth function of the step's end, and iterations may not find it. [step]
    virtual int discontinuities(int item,
                                std::span<const double> pi0,
                                std::span<const double> dpi,
                                std::span<double> theta) const {
        static_cast<void>(item);
        static_cast<void>(pi0);
        static_cast<void>(dpi);
        static_cast<void>(theta);
        return 0;
    }
};

}  // namespace ancora
