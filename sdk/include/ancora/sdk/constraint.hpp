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
    /// [step] One factor per row. `at` has the constraint's u, the instant or the begin of a step,
    /// and own values; over a step of length h > 0 u and own values are those in its middle, and
    /// the factors are means. Rates and reactions are empty.
    virtual void evaluate(const RowPoint& at, double h, std::span<double> factors) const = 0;

protected:
    ~EffortFactors() = default;
};

/// What a constraint offers beyond its rows; null where it does not. All of it lives as long as
/// the constraint. Fields are appended, never moved.
struct ConstraintFacets {
    /// What it is, if it is a joint. Its reaction is then reported as a wrench besides.
    const Joint* joint = nullptr;
    /// Sliding on this constraint, for friction: one block, on the same u, of one to three rows per
    /// item along directions that are orthonormal and tangential. Rows of kind `constraint` give
    /// sliding displacements pi (an anchor is then a position), rows of kind `velocity_constraint`
    /// sliding rates A u' + pi_t. The force on the first attachment along a row is its A there.
    const RowSource* tangents = nullptr;
    const Signals* signals = nullptr;  ///< outputs, inputs, states of its own
    /// A body that it brings along: coordinates with mass that no other object names and nobody
    /// sees, such as a rotor's. Each is three scalars of u behind those of the attachments: the
    /// coordinate, 0, 0. Not for joints.
    const Body* own_body = nullptr;
    ReactionKind reaction = ReactionKind::force;
    const char* effort_unit = "";  ///< of a reaction that is an effort; lives as long as the object
    const EffortFactors* effort_factors = nullptr;  ///< null: every row counts as it is
    /// Its reaction acts against the inertial frame even without a ground attachment.
    bool tied_to_inertial_frame = false;
};

/// Ties attachments of bodies (or of the ground) to each other:
///
///   phi(r_1, ..., r_k, t) = 0,   A a = b by differentiating twice                        (1)
///
/// r_i are the attachments' inertial components; u = (r_1, ..., r_k), three scalars each, in the
/// order of attachments(). The kernel knows how they depend on q and chains the derivatives, so the
/// constraint is the same for any two bodies. A may lose rank. A compliant law turns the same rows
/// into a spring.
class Constraint : public RowSource {
public:
    // A constraint has rows.
    std::span<const RowBlock> row_blocks() const override = 0;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override = 0;

    /// [assembly] What it ties, in the order of u; lives as long as the object.
    virtual std::span<const AttachmentRequest> attachments() const { return {}; }

    /// [assembly] Names what the constraint offers: `out.joint = &joint_`. One that derives from a
    /// class with facets asks that first.
    virtual void facets(ConstraintFacets& out) const { static_cast<void>(out); }
};

inline ConstraintFacets facets_of(const Constraint& constraint) {
    ConstraintFacets out;
    constraint.facets(out);
    return out;
}

}  // namespace ancora
