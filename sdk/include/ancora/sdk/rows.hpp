// SPDX-License-Identifier: BSD-3-Clause
// Rows: the one thing that holds a system together, written as geometry x law.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "ancora/sdk/signals.hpp"
#include "ancora/sdk/stress_law.hpp"

namespace ancora {

/// How the kernel turns a row's geometry into a force (theory, section 3, tables of laws).
enum class RowKind : std::int32_t {
    constraint,           ///< pi(u, t) = 0
    velocity_constraint,  ///< psi(u, u', t) = A u' + pi_t = 0, nothing carried
    elastic,              ///< stress s = pi / c + eta pi' + s0
    dashpot,              ///< stress s = eta pi'
    /// A gauge condition: one of our own choosing that nothing may load, such as the spin of an
    /// ideal rod about its axis: a velocity constraint whose multiplier must stay zero, else the
    /// step is refused with the block's name.
    gauge,
    convention [[deprecated("gauge")]] = gauge,
    /// A(u, u', t) u'' = b, given at acceleration level only: it has no discrete formulation, so
    /// that integrators which need one refuse it.
    acceleration_constraint,
    /// pi(u, t) >= 0: open, or closed and then a constraint as long as that presses. Where it
    /// closes with a speed there is an impact with RowLaw::restitution.
    unilateral,
};

/// Whether a row of this kind is a condition on velocities, psi(u, u', t) = 0.
constexpr bool is_velocity_kind(RowKind kind) {
    return kind == RowKind::velocity_constraint || kind == RowKind::gauge;
}

/// What e of a unilateral row says: impulses, rates, or works of compression and expansion.
enum class ImpactLaw : std::int32_t {
    poisson,    ///< p' = e p
    newton,     ///< u+ = -e u-; with friction this may gain energy, and e is then lowered
    energetic,  ///< W' = -e^2 W (Stronge), of one contact at a time
};

/// Law of one row. An elastic row is a line, s = pi / c + s0 + eta pi', unless it has a `law`.
struct RowLaw {
    RowKind kind = RowKind::constraint;
    double compliance = 0.0;         ///< c > 0 for elastic rows: energy pi^2 / (2 c)
    double viscosity = 0.0;          ///< eta >= 0
    double prestress = 0.0;          ///< s0
    const StressLaw* law = nullptr;  ///< of an elastic row that may go slack, break or harden;
                                     ///< rows together: see RowBlock::item_laws
    double restitution = 0.0;        ///< e of a unilateral row, 0 <= e <= 1
    ImpactLaw impact = ImpactLaw::poisson;  ///< of a unilateral row: what e says
};

/// Polynomial degree of pi in the local scalars. Linear and quadratic functions have the exact
/// discrete derivative A(midpoint), which the SDK then uses, and zeros in A are found by trying.
enum class Degree : std::int32_t { linear = 1, quadratic = 2, general = 3 };

/// Form of sum_k s_k d^2 pi_k / du^2 of one item.
enum class TangentForm : std::int32_t {
    none,       ///< zero (pi is linear), or not supplied: the iteration then takes longer
    isotropic,  ///< K (x) I_3: pi is built from dot products of vectors, scalars come in triples
    full,       ///< dense
};

/// A block of equal items: `num_items` times `rows_per_item` rows, each item on
/// `scalars_per_item` of its source's local scalars u. The spans refer to memory of the source
/// that stays unchanged for its life.
struct RowBlock {
    const char* name = "";  ///< what a row is, for messages: "strain", "gap"
    std::int32_t num_items = 0;
    std::int32_t rows_per_item = 0;
    std::int32_t scalars_per_item = 0;
    std::span<const std::int32_t> stencil;  ///< num_items x scalars_per_item indices into u
    std::span<const RowLaw> laws;           ///< one for all, one per row of an item, or one per row
    Degree degree = Degree::general;
    TangentForm tangent = TangentForm::full;
    bool depends_on_time = false;  ///< tau and pi_t are not all zero: pi has explicit time, or the
                                   ///< psi of a velocity row is more than A u'
    /// Elastic rows that have a law for each item together: one for all items or one per item. The
    /// compliances of `laws` are then units only, about 1 / W'' where that is largest, in which the
    /// step looks at residuals.
    std::span<const ItemLaw* const> item_laws{};

    /// Of `item_laws`, which must not be empty, that of an item.
    const ItemLaw& law_of_item(int item) const {
        return *item_laws[item_laws.size() == 1 ? 0 : static_cast<std::size_t>(item)];
    }
};

/// Where the continuous formulation is evaluated: local scalars, their rates, time. Rates are given
/// where b is wanted, and always to velocity and acceleration rows; for others they may be empty,
/// as pi, A and pi_t do not depend on them.
struct RowPoint {
    std::span<const double> u;
    std::span<const double> du;
    double t = 0.0;
    std::span<const double> reactions{};  ///< those of ForceFacets::reactions, else empty
    std::span<const double> state{};      ///< the source's state as last accepted
    OwnValues own{};                      ///< forces and constraints with Signals: theirs, at the
                                          ///< instant
};

/// Results of the continuous formulation for one block. A span that is empty is not wanted.
struct RowValues {
    std::span<double> pi;    ///< rows; zero for velocity and acceleration rows
    std::span<double> A;     ///< d pi / du, or d psi / du' for velocity rows, on the stencil:
                             ///< items x rows_per_item x scalars_per_item
    std::span<double> pi_t;  ///< explicit time derivative: pi' = A u' + pi_t. Velocity rows: what
                             ///< A u' leaves of psi = A u' + pi_t, which may be nonlinear in u'
    std::span<double> b;     ///< bias: pi'' = A u'' - b; velocity rows: psi' = A u'' - b
};

/// A step of length h from u0 at t0 to u1 = u0 + du; `mid` = u0 + du / 2.
struct RowStep {
    std::span<const double> u0;
    std::span<const double> du;
    std::span<const double> mid;
    std::span<const double> u1;
    std::span<const double> rate;  ///< mean rate du / h
    double t0 = 0.0;
    double h = 0.0;
    std::span<const double> state0;  ///< the source's state at t0
    std::span<double> state1;  ///< its state at t0 + h if the step is accepted; holds state0 until
                               ///< the source writes it
    std::span<const double> reactions{};  ///< those of ForceFacets::reactions, their means over
                                          ///< the step; else empty
    OwnValues own{};  ///< forces and constraints with Signals: theirs, in the middle of the step
    OwnValues own0{}, own1{};  ///< constraints with Signals: at both its ends
};

/// Where the tangent of a block is wanted: the middle of a step, or an instant.
struct TangentPoint {
    std::span<const double> mid{};    ///< local scalars
    std::span<const double> s{};      ///< stresses of the block's rows
    double t = 0.0;                   ///< there
    std::span<const double> state{};  ///< the source's state as last accepted
    OwnValues own{};                  ///< constraints with Signals: theirs, there
    bool positive_part = false;
};

/// Results of the discrete formulation for one block; every entry is written.
struct RowStepValues {
    std::span<double> B;    ///< discrete Jacobian, laid out like A: pi(u1) - pi(u0) = B du + tau
    std::span<double> tau;  ///< part of the increment that comes from explicit time; empty unless
                            ///< the block depends on time
    std::span<double> work0, work1;  ///< room for one number per row each, for the function's
                                     ///< own use; empty for constant blocks
};

/// What of `miss`, a difference of values of a function and its increment by a Jacobian, is more
/// than rounding of `terms`, the sizes that the values are made of. Divided by a small displacement
/// rounding would be noise in which an iteration does not settle; between rounding and what stands
/// out it is faded in.
inline double beyond_rounding(double miss, double terms) {
    constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
    constexpr double kStandsOut = 2.0 * kRounding;
    const double size = miss < 0.0 ? -miss : miss;
    if (!(size > kRounding * terms)) return 0.0;
    if (size >= kStandsOut * terms) return miss;
    return miss * (size - kRounding * terms) / ((kStandsOut - kRounding) * terms);
}

/// Something that gives rows on local scalars u: a body on its own coordinates, a constraint on the
/// coordinates of its attachments (three per point or direction, in the order of
/// Constraint::attachments()).
///
/// The source states geometry for whole blocks and a law per row; the kernel alone turns laws into
/// equations, energy and force.
///
/// Rows of a constraint with Signals may read its own values, as numbers that change from outside:
/// pi(u, t, w). They stand in a block that depends on time, of elastic and dashpot rows alone,
/// where pi_t is what t adds besides; elsewhere the own values are NaN, since a condition that
/// somebody else may change has no rates and cannot be met. tau then holds what w adds over a step,
/// and the work that it does is external: s tau, and where own values jump, the jump of the row's
/// energy. Such elastic rows have no viscosity: damping takes a row of its own.
class RowSource {
public:
    virtual ~RowSource() = default;

    /// [assembly] The blocks; the default is for a source without rows, such as a point mass.
    virtual std::span<const RowBlock> row_blocks() const { return {}; }

    /// [step] Continuous formulation of block `block` at an instant. Every source with rows
    /// overrides it.
    virtual void evaluate(int block, const RowPoint& at, const RowValues& out) const;

    /// [step] Discrete formulation: B du + tau = pi(u1, t1) - pi(u0, t0), exactly, with tau = 0
    /// where the block has no explicit time; for velocity rows B = A and B du + tau = h psi at the
    /// midpoint with the mean rate.
    ///
    /// The default derives it from the continuous formulation. For linear and quadratic pi it takes
    /// A at the midpoint, which is the exact discrete derivative and keeps momentum and angular
    /// momentum wherever pi is invariant. For a general pi it adds Gonzalez' correction along du
    /// item by item, which keeps energy only: a source built from invariants (distances, angles,
    /// volumes) overrides it and corrects in those (theory (25), (26)).
    virtual void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const;

    /// [step] G = sum_k s_k d^2 pi_k / du^2 of each item at `at.mid`, symmetric: for an isotropic
    /// block K of (S/3 x S/3), for a full one S x S entries per item. With `at.positive_part` the
    /// caller wants the positive semidefinite part of it, which need not be exact (it shapes the
    /// iteration, not the result). The default writes zero and serves linear rows.
    virtual void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const;

    /// [assembly] The state that the kernel keeps for this source, as it is at the start; empty:
    /// none. Lives as long as the source.
    virtual std::span<const double> start_state() const { return {}; }
};

inline void RowSource::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    static_cast<void>(block);
    static_cast<void>(at);
    static_cast<void>(out);
    throw std::logic_error("gives blocks of rows, but does not override evaluate()");
}

inline void RowSource::evaluate_step(int block,
                                     const RowStep& step,
                                     const RowStepValues& out) const {
    const RowBlock& shape = row_blocks()[static_cast<std::size_t>(block)];
    const double middle = step.t0 + 0.5 * step.h;
    const bool is_velocity = is_velocity_kind(shape.laws[0].kind);
    const auto at = [&](std::span<const double> u, double t, const OwnValues& own) {
        RowPoint point{u, {}, t};
        point.state = step.state0;
        point.own = own;
        return point;
    };
    RowPoint in_the_middle = at(step.mid, middle, step.own);
    in_the_middle.du = step.rate;
    evaluate(block, in_the_middle, {{}, out.B, is_velocity ? out.tau : out.tau.first(0), {}});
    if (is_velocity) {
        for (double& tau : out.tau) tau *= step.h;
        return;
    }
    if (shape.degree != Degree::general && !shape.depends_on_time) return;

    const auto rows = static_cast<std::size_t>(shape.rows_per_item);
    const auto scalars = static_cast<std::size_t>(shape.scalars_per_item);
    const std::size_t num_rows = static_cast<std::size_t>(shape.num_items) * rows;
    // B du of a row, and |du|^2 on its stencil.
    const auto increment = [&](std::size_t row, double& square) {
        const std::int32_t* stencil = shape.stencil.data() + row / rows * scalars;
        double sum = 0.0;
        square = 0.0;
        for (std::size_t j = 0; j < scalars; ++j) {
            const double du = step.du[static_cast<std::size_t>(stencil[j])];
            sum += out.B[row * scalars + j] * du;
            square += du * du;
        }
        return sum;
    };
    double square = 0.0;
    if (shape.degree == Degree::general) {
        // Time stands still at the middle; what it adds is tau's.
        evaluate(block, at(step.u0, middle, step.own), {out.work0, {}, {}, {}});
        evaluate(block, at(step.u1, middle, step.own), {out.work1, {}, {}, {}});
        for (std::size_t row = 0; row < num_rows; ++row) {
            double miss = (out.work1[row] - out.work0[row]) - increment(row, square);
            if (!(square > 0.0)) continue;
            const std::int32_t* stencil = shape.stencil.data() + row / rows * scalars;
            double terms = 0.0;
            for (std::size_t j = 0; j < scalars; ++j) {
                const auto u = static_cast<std::size_t>(stencil[j]);
                const double term = out.B[row * scalars + j] * step.mid[u];
                terms += term < 0.0 ? -term : term;
            }
            miss = beyond_rounding(miss, terms);
            if (miss == 0.0) continue;
            for (std::size_t j = 0; j < scalars; ++j)
                out.B[row * scalars + j] +=
                    miss / square * step.du[static_cast<std::size_t>(stencil[j])];
        }
    }
    if (!shape.depends_on_time) return;
    evaluate(block, at(step.u0, step.t0, step.own0), {out.work0, {}, {}, {}});
    evaluate(block, at(step.u1, step.t0 + step.h, step.own1), {out.work1, {}, {}, {}});
    for (std::size_t row = 0; row < num_rows; ++row)
        out.tau[row] = (out.work1[row] - out.work0[row]) - increment(row, square);
}

inline void RowSource::evaluate_tangent(int block,
                                        const TangentPoint& at,
                                        std::span<double> G) const {
    static_cast<void>(block);
    static_cast<void>(at);
    for (double& g : G) g = 0.0;
}

}  // namespace ancora
