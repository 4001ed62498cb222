// SPDX-License-Identifier: BSD-3-Clause
// The Constraint interface: rows on the positions and directions of attachments.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/joint.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora {

class Body;

/// How a constraint's reaction is reported.
enum class ReactionKind : std::int32_t {
    force,   ///< as the force on its first attachment, inertial axes [N]
    lambda,  ///< as the multipliers lambda = -s of its rows
    effort,  ///< as one effort on a measure, the sum of -s over its rows [N, N m]
};

/// What the stresses of a constraint's rows count for in its effort, where rows are scaled.
class EffortFactors {
public:
    /// [step] One factor per row at t, or its mean over a step of length h > 0 from t.
    virtual void evaluate(double t, double h, std::span<double> factors) const = 0;
    /// [step] The same where they depend on own values, those at t or in the middle of the step.
    /// The default asks the one above.
    virtual void evaluate_with(double t,
                               double h,
                               const OwnValues& own,
                               std::span<double> factors) const {
        static_cast<void>(own);
        evaluate(t, h, factors);
    }
    /// [step] The same where they depend on the motion: `at` has the constraint's u, the instant or
    /// the begin of the step, and own values; over a step of length h > 0 u is that in its middle.
    /// Rates and reactions are empty. This is the one that is called; the default asks the one
    /// above.
    virtual void evaluate_at(const RowPoint& at, double h, std::span<double> factors) const {
        evaluate_with(at.t, h, at.own, factors);
    }

protected:
    ~EffortFactors() = default;
};

/// Ties attachments of bodies (or of the ground) to each other:
///
///   phi(r_1, ..., r_k, t) = 0,   A a = b by differentiating twice                        (1)
///
/// r_i are the attachments' inertial components; u = (r_1, ..., r_k), three scalars each, those of
/// attachments() first, then those of more_attachments(). The kernel knows how they depend on q and
/// chains the derivatives, so the constraint is the same for any two bodies. A may lose rank. A
/// compliant law turns the same rows into a spring.
class Constraint : public RowSource {
public:
    // A constraint has rows.
    std::span<const RowBlock> row_blocks() const override = 0;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override = 0;

    /// [assembly] Names of the parameters that hold the attachments, in the order of u.
    virtual std::span<const char* const> attachments() const { return {}; }

    /// [assembly] Attachments besides, asked for by text; the texts live as long as the object.
    virtual std::span<const AttachmentRequest> more_attachments() const { return {}; }

    /// [assembly] Sliding on this constraint, for friction: one block, on the same u, of one to
    /// three rows per item along directions that are orthonormal and tangential. Rows of kind
    /// `constraint` give sliding displacements pi (an anchor is then a position), rows of kind
    /// `velocity_constraint` sliding rates A u' + pi_t. The force on the first attachment along a
    /// row is its A there. Null: nothing slides on it.
    virtual const RowSource* tangents() const { return nullptr; }

    virtual ReactionKind reaction() const { return ReactionKind::force; }

    /// [assembly] What it is, if it is a joint; lives as long as the object. Its reaction is then
    /// reported as a wrench besides.
    virtual const Joint* joint() const { return nullptr; }

    /// True if its reaction acts against the inertial frame even without a ground attachment.
    virtual bool tied_to_inertial_frame() const { return false; }

    /// [assembly] Its signals (outputs, inputs, states of its own), or null; they live as long as
    /// the object.
    virtual const Signals* signals() const { return nullptr; }

    /// [assembly] A body that it brings along: coordinates with mass that no other object names and
    /// nobody sees, such as a rotor's. Each is three scalars of u behind those of the attachments:
    /// the coordinate, 0, 0. Lives as long as the object. Null: none. Not for joints.
    virtual const Body* own_body() const { return nullptr; }

    /// [assembly] The unit of an effort on several measures, [N] or [N m] by their factors; that of
    /// an effort on one measure is known.
    virtual const char* effort_unit() const { return ""; }

    /// [assembly] Factors of the stresses in an effort; lives as long as the object. Null: all are
    /// one.
    virtual const EffortFactors* effort_factors() const { return nullptr; }
};

}  // namespace ancora
