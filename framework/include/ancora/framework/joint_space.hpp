// SPDX-License-Identifier: BSD-3-Clause
// A mechanism in the coordinates of its joints: for the design of controllers, and placing it.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/export.hpp"

namespace ancora {

/// The equations of motion of a mechanism in independent coordinates p at its present state,
///
///   M p'' + bias = tau,   bias = C p' + what else acts,
///
/// with efforts tau on the coordinates besides the model's own forces. Matrices by rows, SI.
struct ANCORA_FRAMEWORK_EXPORT JointSpace {
    struct Coordinate {
        std::string name;    ///< "elbow.angle"; of a body that floats "base.x", "base.wx"
        std::string unit;    ///< of its value; its rate is per second, its effort J per unit
        double value = 0.0;  ///< not a number: of wx, wy, wz, which have rates alone
        double rate = 0.0;
    };
    std::vector<Coordinate> coordinates;  ///< r of them
    std::vector<double> M;                ///< r x r
    /// r x r: of Christoffel's symbols where all coordinates have values, so that M' - 2 C is skew.
    std::vector<double> C;
    std::vector<double> bias;  ///< r: the efforts at which p'' = 0
    std::vector<double> T;     ///< n x r: how the model's coordinates move, q' = T p' + of drives
    int num_coordinates = 0;   ///< n of the model

    struct Point {
        std::string name;
        /// 3 for "BODY@[1, 0, 0]"; 6 for "BODY": the velocity of its reference point, and its
        /// angular velocity, inertial axes; 1 for a measure.
        int rows = 0;
        std::vector<double> J;     ///< rows x r
        std::vector<double> bias;  ///< rows: accelerations at p'' = 0
    };
    std::vector<Point> points;

    std::vector<std::string> following;  ///< measures that follow from the coordinates, as in loops
    std::vector<std::string> fixed;      ///< measures that do not move, as those of drives
    int num_conditions = 0;              ///< of constraints and rigid bodies
    int num_redundant = 0;               ///< of them, those that the others imply
    /// What is not in the bias: dry friction, what depends on reactions, stops that are closed.
    std::vector<std::string> omitted;

    /// In words, for people.
    std::vector<std::string> remarks() const;
};

/// Where something is to be: "elbow.angle" with one number, "hand.x" likewise, "hand" or
/// "hand@[0, 0, 0.1]" with three [m], "hand.orientation" with a quaternion w, x, y, z that maps
/// body to inertial axes.
struct ANCORA_FRAMEWORK_EXPORT KinematicTarget {
    std::string of;
    std::vector<double> value;

    /// "hand@[0, 0, 0.1] = [0.3, 0, 0.5]", "elbow.angle = 0.4".
    /// @throws Error (usage)
    static KinematicTarget parse(const std::string& text);
};

/// What placing a mechanism has come to.
struct InverseKinematics {
    bool is_reached = false;
    double distance = 0.0;  ///< largest that is left of points and displacements [m]
    double angle = 0.0;     ///< largest that is left of angles and orientations [rad]
    int iterations = 0;
    int num_free = 0;  ///< degrees of freedom that the targets leave: the nearest place was taken
    std::vector<std::string> at_limits;  ///< stops and contacts that the place is held by
};

}  // namespace ancora
