// SPDX-License-Identifier: BSD-3-Clause
// The Constraint interface: rows on the positions and directions of attachments.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/joint.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora {

/// How a constraint's reaction is reported.
enum class ReactionKind : std::int32_t {
    force,   ///< as the force on its first attachment, inertial axes [N]
    lambda,  ///< as the multipliers lambda = -s of its rows
    effort,  ///< as one effort on a measure, the sum of -s over its rows [N, N m]
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

    /// [assembly] Sliding on this constraint, for friction: one block, on the same u, of one or two
    /// rows per item along directions that are orthonormal and tangential. Rows of kind
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

    /// [assembly] What it shows, hears and keeps besides, if anything; lives as long as the object.
    virtual const Signals* signals() const { return nullptr; }
};

}  // namespace ancora
