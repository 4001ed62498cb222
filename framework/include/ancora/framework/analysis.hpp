// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a model at its present state.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ancora {

/// A joint as it stands.
struct JointState {
    std::string name;
    std::string type;
    std::string a, b;               ///< its bodies; "ground"
    std::array<double, 3> point{};  ///< on b, inertial axes [m]
    std::array<double, 3> axis{};   ///< of a, inertial axes; zero if a has no axes
    int freedom = 0;                ///< relative motions that it leaves, of six
    struct Value {
        std::string name;  ///< "angle"
        std::string unit;  ///< "rad" or "m"
        double value = 0.0;
        double rate = 0.0;
    };
    std::vector<Value> values;
};

/// A body that was moved from where the manifest put it, before the run.
struct MovedBody {
    std::string name;
    double moved = 0.0;   ///< its reference point [m]
    double turned = 0.0;  ///< [rad]
};

/// A measure of a joint that was changed from what the manifest gives, before the run.
struct MovedMeasure {
    std::string name;  ///< "elbow.angle"
    std::string unit;  ///< "rad" or "m"
    double before = 0.0, after = 0.0;
};

/// What a body says of itself, or what is to be said of a contact of many.
struct BodyNote {
    std::string body;  ///< or contact
    std::string text;  ///< one line
};

/// What an object bears or applies at a state.
struct ObjectForce {
    std::string name;  ///< "pin"; of lines of a body with what they show: "tether.tension"
    std::string type;  ///< "revolute"
    /// Of a joint that ties anything: on b at the joint's point, in the joint's axes of a, as the
    /// columns on_b of a run; else on the first attachment, inertial axes [N], [N m]. Empty: none.
    std::vector<double> force, moment;
    std::vector<double> multipliers;  ///< of a constraint that reports these, in units of its rows
    bool has_value = false;
    double value = 0.0;  ///< an effort, or of a body's lines the largest
    std::string unit;
    int line = -1, num_lines = 0;  ///< of a body: the line that bears most, of how many
    double size = 0.0;             ///< [N]: of the largest, moments by the model's size
};

/// How the frame of a body is accelerated at a state, inertial axes.
struct BodyAcceleration {
    std::string name;
    std::array<double, 3> linear{};   ///< of the reference point [m/s^2]
    std::array<double, 3> angular{};  ///< [rad/s^2]; zero for a body without attitude
};

/// Numbers of a model at its present state, for `ancora check` and embedding programs.
struct ModelAnalysis {
    int num_bodies = 0;
    // By what the manifest calls them: springs and drives are forces, whatever they are made of
    int num_joints = 0;
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
    std::vector<JointState> joints;
    /// Six for each rigid body less what joints take, as if all rows were independent (Gruebler);
    /// only where joints are the only constraints between rigid bodies, else -1000.
    int gruebler = -1000;
    std::vector<MovedBody> placed;     ///< by joints, at the start
    std::vector<MovedBody> projected;  ///< onto the constraints, at the start
    std::vector<MovedMeasure> projected_measures;
    /// Empty if accelerations are unique at this state, else why they are not.
    std::string undetermined;
    /// Reactions, efforts, forces and tensions, the largest first, moments by the model's size;
    /// none where accelerations are not unique.
    std::vector<ObjectForce> forces;
    /// Of bodies that have a reference point, the largest of that first; likewise.
    std::vector<BodyAcceleration> accelerations;
    std::vector<std::string> redundant_rows;
    /// Columns of reactions that redundancy makes arbitrary; those of least norm are shown.
    std::vector<std::string> arbitrary_reactions;
    bool near_threshold = false;  ///< a relative pivot lies between 1e-14 and 1e-8
    /// What is allowed and most likely not meant, with cause and cure, places in front.
    std::vector<std::string> implausible;
    std::vector<BodyNote> notes;
    bool chooses_steps = false;              ///< the integrator, by an estimate of its error
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
