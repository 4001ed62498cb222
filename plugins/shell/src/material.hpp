// SPDX-License-Identifier: BSD-3-Clause
// Stiffness and mass per area of a shell: an isotropic sheet, or a laminate.
#pragma once

#include <Eigen/Core>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::shell {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Energy per area 1/2 e.C e + 1/2 (k_1 gamma_1^2 + k_2 gamma_2^2), with e = (eps_11, eps_22,
/// 2 eps_12, kappa_11, kappa_22, 2 kappa_12).
struct Material {
    Matrix6 C = Matrix6::Zero();      ///< [A B; B D]: A [N/m], B [N], D [N m]
    Eigen::Vector2d shear{0.0, 0.0};  ///< k, with the shear factor 5/6 of a sheet [N/m]
    double mass = 0.0;                ///< per area [kg/m^2]
    double rotary = 0.0;              ///< of the director, rho t^3 / 12 [kg]
    double thickness = 0.0;           ///< of the sheet, or sqrt(12 D / A) of a laminate [m]
    bool is_sheet = false;            ///< of one material, so that it has a stress
    bool has_axis = false;            ///< axis 1 matters
    Vec3 axis = Vec3::UnitX();        ///< axis 1 is what of this lies in the surface
};

/// [assembly] `young`, `poisson`, `thickness`, `density`; or `laminate`.
Material read_material(const Arguments& arguments);

/// Eigenvalues and eigenvectors, in columns, of a symmetric matrix by Jacobi's rotations.
void diagonalise(Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::MatrixXd> V);

}  // namespace ancora::shell
