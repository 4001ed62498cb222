// SPDX-License-Identifier: BSD-3-Clause
// Positions in which a model stays at rest.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ancora/framework/dynamics.hpp"

namespace ancora {

struct EquilibriumOptions {
    /// Takes the position of equilibrium next to the start, stable or not, instead of one to which
    /// a damped motion leads.
    bool nearest = false;
    /// Looks for rest in the frame that turns with the spin that the velocities at the start are,
    /// about an axis that stays, or through the centre of mass of a model that nothing holds.
    /// Where not all objects are invariant under the rotation, but parts that spin are
    /// axisymmetric, rest is that of the axes, about which they continue to spin; the spin of what
    /// is found is then zero.
    bool spinning = false;
    int most_steps = 2000;
};

enum class Stability {
    stable,    ///< every small displacement raises the energy
    neutral,   ///< some change nothing: bodies that are free to move
    unstable,  ///< some lower it
};

/// A position q with v = 0 and F + A^T lambda = 0, phi = 0; or with v = S q + v0 and
/// F + A^T lambda = M S v, a spin that keeps its shape.
struct Equilibrium {
    std::vector<double> q;
    std::array<double, 3> spin{};  ///< [rad/s]
    /// Of a spin by its energy less that of its turn, at the rate as it is: what is stable so is
    /// stable; what is not may still be held by gyroscopic forces, which modes tell.
    Stability stability = Stability::stable;
    int degrees_of_freedom = 0;
    int num_unstable = 0;  ///< independent displacements that lower the energy
    int num_neutral = 0;
    bool is_counted = true;  ///< false: the model is too large, and only the lowest were looked at
    /// What moves most in the displacement that lowers the energy fastest; empty if none does.
    std::string unstable_part;
    double residual = 0.0;  ///< largest force that is left over the largest one [-]
    double moved = 0.0;     ///< largest displacement of matter from the start [m]
    /// Of matter that starts from rest there [m/s^2]: not zero where a drive or a load changes with
    /// time, so that forces balance at this instant and rest does not last.
    double acceleration = 0.0;
    bool lasts = true;  ///< nothing accelerates there
    int descent_steps = 0;
    int newton_steps = 0;
    int num_left = 0;  ///< unstable positions of rest that were left on the way
    Dynamics forces;   ///< reactions and applied forces there
};

}  // namespace ancora
