// SPDX-License-Identifier: BSD-3-Clause
// Small motions about a state: modes, and matrices for the design of controllers.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace ancora {

/// In which axes small motions of what spins have constant coefficients, and are described.
enum class ModeAxes {
    automatic,  ///< those that turn with a spin of all; else those at rest; else those of a part
    fixed,      ///< in space: what spins must be alike all round its axis
    turning,    ///< with a spin: what does not spin with it must be alike all round
};

struct ModesOptions {
    int count = 0;  ///< the lowest ones; 0: all of a small model, twenty of a large one
    ModeAxes axes = ModeAxes::automatic;
};

/// A motion q = Re(shape e^(lambda t)).
struct Mode {
    std::complex<double> eigenvalue;  ///< lambda [1/s]
    double frequency = 0.0;           ///< |lambda| / 2 pi [Hz]
    double damping = 0.0;             ///< -Re lambda / |lambda|
    /// Of the coordinates; the largest displacement of matter is 1 m.
    std::vector<std::complex<double>> shape;
    struct Part {
        std::string name;
        double energy = 0.0;  ///< share of the kinetic energy
        bool has_pose = false;
        std::array<std::complex<double>, 3> displacement{};  ///< of the reference point [m]
        std::array<std::complex<double>, 3> rotation{};      ///< [rad], inertial axes
    };
    std::vector<Part> bodies;
    struct Measure {
        std::string name;
        std::complex<double> amplitude;  ///< [m or rad]
    };
    std::vector<Measure> measures;  ///< of joints
    /// Of what spins, seen along the spin: 1 where it whirls on circles with the spin, -1 against
    /// it, 0 to and fro.
    double whirl = 0.0;
};

/// Conditions are eliminated exactly, so that there are no modes but those of the motion.
struct Modes {
    int degrees_of_freedom = 0;
    bool is_spinning = false;
    /// Of the steady spin [rad/s]; frequencies and shapes are then those in the frame that turns
    /// with it.
    std::array<double, 3> spin{};
    /// A body that spins about an axis of symmetry of its own, in axes that do not.
    struct SpinningPart {
        std::string name;
        std::array<double, 3> rate{};  ///< relative to these axes, in space at present [rad/s]
    };
    std::vector<SpinningPart> parts;
    bool is_complete = true;  ///< all of them, not only the lowest
    std::vector<Mode> modes;  ///< by frequency; of a conjugate pair one
};

struct BucklingOptions {
    int count = 5;  ///< those with the lowest factors
};

/// Linearised buckling of a state of rest: at which multiples of its stresses, those of loads,
/// weight and prestress together, it ceases to be the only one nearby.
struct Buckling {
    int degrees_of_freedom = 0;
    struct Shape {
        double factor = 0.0;  ///< of the stresses
        Mode motion;          ///< its shape, bodies and measures alone
    };
    std::vector<Shape> shapes;    ///< by factor, which is positive
    double reverse_factor = 0.0;  ///< the negative one nearest to zero, 0: there is none
};

/// How modes depend on the rate of a spin, as in Campbell's diagram.
struct SpinRangeOptions {
    /// Of the part that spins fastest at the present state, or of all [rad/s]; what else moves does
    /// so in proportion.
    std::vector<double> rates;
    bool finds_steady = false;  ///< looks for the shape in which each spin is steady
    ModesOptions modes;
};

struct SpinRange {
    std::vector<double> rates;
    std::vector<Modes> modes;  ///< at each of them
    /// Which of the modes at each rate go on from each other, by frequency and shape: at the i-th
    /// rate branch k is mode branches[k][i], or none where that is -1.
    std::vector<std::vector<int>> branches;
};

/// x' = A x + B u, y = C x + D u for small x, u, y about a state of rest. x has displacements and
/// velocities in minimal coordinates. Matrices by rows.
struct LinearModel {
    int num_states = 0, num_inputs = 0, num_outputs = 0;
    std::vector<double> A, B, C, D;
    std::vector<double> T;  ///< n x (x / 2): how the coordinates move with the displacements in x
    int num_coordinates = 0;
    std::vector<std::string> inputs, outputs;
    std::vector<double> at;  ///< values of the outputs at rest
};

}  // namespace ancora
