// SPDX-License-Identifier: BSD-3-Clause
// Types of forces and constraints whose laws are functions of the program.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace ancora {

/// Where a law is asked for: the points that an object of the model names, three numbers each,
/// inertial axes.
struct FunctionPoint {
    double t = 0.0;                    ///< [s]
    std::span<const double> position;  ///< [m]
    std::span<const double> velocity;  ///< [m/s]
};

/// A type of forces on points r_1, ..., r_k:
///
///   [[force]]
///   type = "TYPE"
///   at = ["bar@[0.5, 0, 0]", "ground@[0, 0, 1]"]    or one text
///   work = "external"                               or "nonideal": the heading in the ledger
///
/// The function is called whenever the equations ask for the force: at instants by integrators on
/// accelerations, in the middle of a step with its mean velocities by those on steps, and six times
/// per point more where the step's iteration asks how the force answers. It must give the same for
/// the same arguments, and keep nothing that a call changes: some of them are of trials that are
/// thrown away. It calls nothing of the simulation.
///
/// The work f . du of the very forces that moved the bodies is recorded, and their impulse as
/// external.
struct ForceFunction {
    std::string type;
    /// Writes the forces on the points [N], inertial axes; what it throws refuses the step.
    std::function<void(const FunctionPoint& at, std::span<double> force)> force;
    std::string doc{};  ///< one line
};

/// A type of constraints phi(r_1, ..., r_k, t) = 0, `num_rows` rows:
///
///   [[constraint]]
///   type = "TYPE"
///   at = ["bar@[0.5, 0, 0]", "ground@[0, 0, 1]"]    or one text
///
/// Derivatives are differences of fourth order: A to about 1e-12 and the bias to 1e-10, relative;
/// B du + tau = phi(u1, t1) - phi(u0, t0) holds to rounding all the same, so that steps keep the
/// condition, and energy, to rounding. Momenta they keep as well as the differences are good; the
/// impulse counts as external. Each evaluation takes twelve calls per point and more.
struct ConstraintFunction {
    std::string type;
    int num_rows = 1;
    bool depends_on_time = false;
    std::function<void(double t, std::span<const double> position, std::span<double> phi)> phi;
    std::string doc{};  ///< one line
};

}  // namespace ancora
