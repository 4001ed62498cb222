// SPDX-License-Identifier: BSD-3-Clause
// The spin that the velocities of a model, or of its parts, are, if they are one.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "kernel_system.hpp"

namespace ancora {

/// Velocities v = S q + offset of a turn of space, and perhaps a drift, and of parts that spin in
/// themselves besides, N q. The axes that turn with S alone are those of small motions.
struct SteadySpin {
    bool is_spinning = false;                        ///< as a whole
    Eigen::Vector3d rate = Eigen::Vector3d::Zero();  ///< [rad/s]
    Eigen::SparseMatrix<double> S;
    Eigen::VectorXd offset;

    struct Part {
        int body;
        Eigen::Vector3d rate;  ///< relative to the turn of space, in space at present [rad/s]
    };
    std::vector<Part> parts;
    Eigen::SparseMatrix<double> N;  ///< each block of a body's own; empty without parts
    Eigen::VectorXd part_rate;      ///< of each coordinate's body [rad/s]

    bool is_moving() const { return is_spinning || !parts.empty(); }
    /// S + N.
    Eigen::SparseMatrix<double> generator() const;
    /// [rad/s]
    double fastest() const;
};

/// How the coordinates move with a translation of space: n x 3.
Eigen::MatrixXd translations_of_space(const Space& space, int n);

/// Of the present state.
/// @param what asks, such as "modes"
/// @param advice what to do where it is none
/// @throws Error (numerical) if the velocities are something else, or if coordinates do not turn
///         with space
SteadySpin spin_of(const KernelSystem& system, const char* what, const char* advice);

/// The same, or nothing where the velocities are something else.
std::optional<SteadySpin> whole_spin(const KernelSystem& system);

/// The turn of space that a body makes; nothing if its coordinates tell none.
std::optional<SteadySpin> spin_like(const KernelSystem& system, int body);

/// Adds to a turn of space the spins that its bodies' velocities have besides, each in itself.
/// @returns nothing if that is all they do, else the body that moves otherwise
std::optional<int> add_parts(const KernelSystem& system, SteadySpin& spin);

/// Whether accelerations are those of the spin, (S + N) (v - drift).
bool is_steady(const KernelSystem& system,
               const SteadySpin& spin,
               const Eigen::VectorXd& v,
               const Eigen::VectorXd& drift,
               const Eigen::VectorXd& acceleration);

}  // namespace ancora
