// SPDX-License-Identifier: BSD-3-Clause
// From a finite-element model to a few modes, and these as a scalar basis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/numbers/math.hpp"
#include "finite_elements.hpp"

namespace ancora::elastic {

struct ReductionSettings {
    int modes = 12;           ///< vibrations with all interfaces fixed, or of the free body
    bool with_static = true;  ///< and the shapes of displaced interfaces
};

/// Vibrations with all interfaces held, before they are diagonalised with the static shapes.
struct HeldVibrations {
    Eigen::VectorXd omega_squared;    ///< ascending [1/s^2]
    Vec3 mass_shares = Vec3::Zero();  ///< effective masses along x, y, z of the model, summed,
                                      ///< over the mass of the body
};

/// Body axes are principal axes here, from the centre of mass.
struct Reduction {
    // --- mass
    double mass = 0.0;             ///< [kg]
    Vec3 center = Vec3::Zero();    ///< in axes of the model [m]
    Mat3 axes = Mat3::Identity();  ///< principal axes as columns, in axes of the model
    Vec3 moments = Vec3::Zero();   ///< sum of m_ij X_i X_j along each axis [kg m^2]

    // --- modes phi_k, with phi_k.M phi_l = mass delta_kl, across rigid motions
    Eigen::VectorXd omega_squared;  ///< ascending [1/s^2]
    HeldVibrations held;            ///< none without interfaces
    /// The least of the lowest frequencies of the body free and with one of its interfaces held.
    double lowest_squared = 0.0;  ///< [1/s^2]
    int lowest_held_at = -1;      ///< number of that interface; -1: free
    /// With each interface held in space: M of H_kl = M_kl / (omega_k omega_l), where the modes eta
    /// have the kinetic energy 1/2 mass eta'.M eta'. Eigenvalues are 1 / omega^2 of the modes held.
    std::vector<Eigen::MatrixXd> held_at;

    // --- the scalar basis: Psi_a, sum of m_ij Psi_a(i) Psi_b(j) = mass delta_ab
    /// The first are X_i / rho_i of axes with rho_i > 0, the others are across 1 and X.
    int num_affine = 0;
    std::vector<int> affine_axes;
    Vec3 rho = Vec3::Zero();  ///< radii of gyration sqrt(moments / mass) [m]
    /// phi_k = sum over a, m of Q(3 a + m, k) Psi_a e_m for the first columns; the others complete
    /// them to an orthonormal matrix.
    Eigen::MatrixXd Q;
    /// Psi_a at places: interfaces' origins, points, nodes to be shown; of affine ones X_i itself.
    Eigen::MatrixXd values;
    std::vector<std::int32_t> lines, triangles;  ///< two and three places each, for pictures
    /// Stress at places of unit eta, six rows each, see stress_at_nodes(); empty if not known
    /// [Pa/m].
    Eigen::MatrixXd stress;
    /// Axes of interfaces, columns: two that its nodes span, and the one across them.
    std::vector<Mat3> interface_axes;
    /// Slopes of Psi_a along the first two of these, rows 2 interface and 2 interface + 1.
    Eigen::MatrixXd tangents;
    Eigen::VectorXd reach;  ///< largest |Psi_a| of a node, of affine ones |X_i| [m per unit]

    int num_modes() const { return static_cast<int>(omega_squared.size()); }
    int num_functions() const { return static_cast<int>(values.cols()); }
};

/// Coordinates xi in which kinetic and elastic energy have no products, with 1/2 mass omega_j^2
/// xi_j^2 of the elastic one: those of the free body, or of the body with an interface held in
/// space.
struct HeldModes {
    Eigen::VectorXd omega_squared;  ///< ascending [1/s^2]
    /// Rows: xi = R eta
    Eigen::MatrixXd rows;
};
/// [assembly] Of the interface with that number.
HeldModes modes_held_at(const Reduction& reduction, int interface);

/// The lowest mode with an interface held, and its damping ratio.
struct HeldMode {
    double omega_squared = 0.0;
    double ratio = 0.0;
};
/// [assembly] Of a viscosity 2 ratio omega_j mass on each row xi_j = (R eta)_j.
HeldMode lowest_held_at(const Reduction& reduction,
                        int interface,
                        const HeldModes& damped,
                        double ratio);

/// [assembly] Craig and Bampton's reduction with the rigid motions taken out:
///
///   u = [rigid] + sum_k phi_k eta_k                                                          (1)
///
/// from the vibrations with fixed interfaces and the static shapes of interfaces moved by one,
/// diagonalised together; without interfaces from the vibrations of the free body. The nodes of an
/// interface move rigidly in all of it.
/// @throws std::domain_error what is wrong with the model
Reduction reduce(const FiniteElements& model, const ReductionSettings& settings);

}  // namespace ancora::elastic
