// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a model at its present state.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ancora {

/// Numbers of a model at its present state, for `ancora check` and embedding programs.
struct ModelAnalysis {
    int num_bodies = 0;
    int num_constraints = 0;
    int num_forces = 0;
    int num_coordinates = 0;
    int num_rows = 0;             ///< all rows, elastic ones included
    int num_constraint_rows = 0;  ///< rows of constraints and of exactly rigid bodies
    int rank = 0;                 ///< of the constraint rows
    double rank_threshold = 0.0;  ///< relative to the largest pivot
    double smallest_kept = 0.0;   ///< relative pivot next above the threshold (0: no rows)
    double largest_dropped = 0.0;
    int degrees_of_freedom = 0;  ///< num_coordinates - rank
    /// Empty if accelerations are unique at this state, else why they are not.
    std::string undetermined;
    std::vector<std::string> redundant_rows;
    bool near_threshold = false;             ///< a relative pivot lies between 1e-14 and 1e-8
    double mass = 0.0;                       ///< [kg]
    std::array<double, 3> center_of_mass{};  ///< [m]
    std::array<double, 9> inertia{};         ///< about the centre of mass, inertial axes [kg m^2]
    double kinetic_energy = 0.0;
    double elastic_energy = 0.0;
    double gravity_energy = 0.0;
    std::array<double, 3> momentum{};
    std::array<double, 3> angular_momentum{};
};

}  // namespace ancora
