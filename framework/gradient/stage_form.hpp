// SPDX-License-Identifier: BSD-3-Clause
// How a step of an explicit integrator is made of accelerations.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "guarded_integrator.hpp"

namespace ancora {

/// A step of length h of an explicit method, in which accelerations a_i = a(q_i, v_i, t_i) of the
/// stages before enter each state linearly:
///
///   q_i = q0 + h c_i v0 + h^2 sum_j A_ij a_j,   v_i = v0 + h sum_j B_ij a_j,
///   t_i = t0 + h d_i                                                                     (1)
///
/// and so its end. Methods of Runge and Kutta are of this form, and so are those that move
/// positions and velocities in turn.
struct StageForm {
    struct State {
        double time = 0.0;               ///< d_i
        double drift = 0.0;              ///< c_i
        std::vector<double> of_q, of_v;  ///< A_ij and B_ij of the stages before
    };
    std::vector<State> stages;
    State end;
};

/// Reads (1) off a step that the integrator makes of a system whose coordinates are symbols: q0 and
/// v0 are unit vectors, and each acceleration is another.
/// @param integrator  is prepared for that system, and of no other use afterwards
/// @param history  what it keeps of the steps before, see System::history()
/// @returns nothing where its steps are not of this form
std::optional<StageForm> find_stage_form(GuardedIntegrator& integrator,
                                         CallMeter& meter,
                                         std::span<const double> history,
                                         double h);

}  // namespace ancora
