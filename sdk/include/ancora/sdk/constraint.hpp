// SPDX-License-Identifier: BSD-3-Clause
// The Constraint interface: rows on the positions and directions of attachments.
#pragma once

#include <cstdint>
#include <span>

#include "ancora/sdk/rows.hpp"

namespace ancora {

/// How a constraint's reaction is reported.
enum class ReactionKind : std::int32_t {
    force,   ///< as the force on its first attachment, inertial axes [N]
    lambda,  ///< as the multipliers lambda = -s of its rows
};

/// Ties attachments of bodies (or of the ground) to each other:
///
///   phi(r_1, ..., r_k, t) = 0,   A a = b by differentiating twice                        (1)
///
/// r_i are the attachments' inertial components; u = (r_1, ..., r_k), three scalars each. The
/// kernel knows how they depend on q and chains the derivatives, so the constraint is the same for
/// any two bodies. A may lose rank. A compliant law turns the same rows into a spring.
class Constraint : public RowSource {
public:
    /// [assembly] Names of the parameters that hold the attachments, in the order of u.
    virtual std::span<const char* const> attachments() const = 0;

    virtual ReactionKind reaction() const { return ReactionKind::force; }

    /// True if its reaction acts against the inertial frame even without a ground attachment.
    virtual bool tied_to_inertial_frame() const { return false; }
};

}  // namespace ancora
