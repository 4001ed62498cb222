// SPDX-License-Identifier: BSD-3-Clause
// The force type `drag`: the resistance of a medium to points that move through it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/nonideal_force.hpp"

namespace ancora::drag {

/// Drag on each of a list of points, the C of a nonideal constraint:
///
///   f = -(c_1 + c_2 |w|) w,   w = r' - v_m                                               (1)
///   c_2 = 1/2 rho C_d A                                                                  (2)
///
/// Terms:
///   r'    velocity of the point, inertial axes [m/s]
///   v_m   velocity of the medium, uniform and constant [m/s]
///   c_1   linear coefficient, of slow or small things [N s/m]
///   c_2   quadratic coefficient [kg/m], given or by (2)
///   rho, C_d, A   density of the medium [kg/m^3], coefficient of drag [-], area [m^2]
/// Power against the medium, f . w = -(c_1 + c_2 |w|) |w|^2, is never positive; f . r' may be, as a
/// wind drives. Over a step, (1) is taken at the mean velocity: its work f . (r_1 - r_0) is what
/// the ledger books, and as little positive against the medium.
///
/// Source: G. K. Batchelor, An Introduction to Fluid Dynamics, Cambridge UP, 1967, sections 4.9
/// (c_1 of a sphere) and 5.11 (C_d).
class Drag final : public NonidealForce {
public:
    /// [assembly] Refuses through Arguments::fail a list without points and coefficients that are
    /// missing, incomplete or stated twice.
    explicit Drag(const Arguments& arguments);

    std::span<const char* const> attachments() const override { return {}; }
    std::span<const AttachmentRequest> more_attachments() const override { return requests_; }
    WorkKind work() const override { return WorkKind::nonideal; }
    /// The medium takes the impulse.
    bool tied_to_inertial_frame() const override { return true; }

    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;

private:
    std::vector<std::string> points_;
    std::vector<AttachmentRequest> requests_;
    double linear_;
    double quadratic_ = 0.0;
    std::array<double, 3> medium_velocity_;
};

}  // namespace ancora::drag
