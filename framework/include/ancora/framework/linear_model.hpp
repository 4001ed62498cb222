// SPDX-License-Identifier: BSD-3-Clause
// Small motions about a state: modes, and matrices for the design of controllers.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace ancora {

struct ModesOptions {
    int count = 0;  ///< the lowest ones; 0: all of a small model, twenty of a large one
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
};

/// Conditions are eliminated exactly, so that there are no modes but those of the motion.
struct Modes {
    int degrees_of_freedom = 0;
    bool is_spinning = false;
    /// Of the steady spin [rad/s]; frequencies and shapes are then those in the frame that turns
    /// with it.
    std::array<double, 3> spin{};
    bool is_complete = true;  ///< all of them, not only the lowest
    std::vector<Mode> modes;  ///< by frequency; of a conjugate pair one
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
