// SPDX-License-Identifier: BSD-3-Clause
// The material of a membrane: plane stress, taut, wrinkled or slack.
#pragma once

#include <span>

#include "ancora/sdk/stress_law.hpp"

namespace ancora::membrane {

/// Strain energy per volume of an isotropic film in plane stress, of the Green strain E in two
/// axes across each other, with pi = (E_11 + E_22, E_11 - E_22, 2 E_12), in which it is diagonal:
///
///   w = Y / (2 (1 - nu^2)) (E_11^2 + E_22^2 + 2 nu E_11 E_22 + (1 - nu) / 2 (2 E_12)^2)   (1)
///     = k pi_1^2 / 2 + G (pi_2^2 + pi_3^2) / 2,  k = Y / (2 (1 - nu)),  G = Y / (2 (1 + nu))
///
/// A film that cannot be compressed has the relaxed energy of this: with the principal strains
/// E_1 >= E_2
///
///   taut,     E_2 + nu E_1 >= 0:            (1)
///   wrinkled, E_1 > 0 > E_2 + nu E_1:       w = Y E_1^2 / 2                               (2)
///   slack,    E_1 <= 0:                     w = 0
///
/// which is continuously differentiable and convex in E: the least of (1) over all wrinkles, E
/// with any -e n (x) n, e >= 0, taken away. In wrinkles the stress is uniaxial, along n_1.
///
/// Source: A. C. Pipkin, The relaxed energy density for isotropic elastic membranes, IMA J. Appl.
/// Math. 36 (1986); for (1) in Green's strain, A. C. Pipkin, Relaxed energy densities for large
/// deformations of membranes, IMA J. Appl. Math. 52 (1994).
class Film final : public ItemLaw {
public:
    struct Numbers {
        double young = 0.0;         ///< Y [Pa]
        double poisson = 0.0;       ///< nu
        bool tension_only = false;  ///< (2) and slack instead of compression

        /// k and G of (1) [Pa]
        double areal() const { return young / (2.0 * (1.0 - poisson)); }
        double shear() const { return young / (2.0 * (1.0 + poisson)); }
    };
    /// @param volumes  of the triangles at rest [m^3], in their order; they must outlive this
    Film(const Numbers& numbers, std::span<const double> volumes);

    enum class State { taut, wrinkled, slack };
    /// At strains of one triangle.
    State state(std::span<const double> pi) const;

    /// Of triangle `item`: its volume times (1) or (2).
    double potential(int item,
                     std::span<const double> pi,
                     std::span<double> stress,
                     std::span<double> stiffness) const override;
    /// Where the film changes its state: E_1 and E_2 + nu E_1 pass zero, which are the roots of two
    /// quadratic equations. And where wrinkles turn fast, that is W' though it does not jump.
    int discontinuities(int item,
                        std::span<const double> pi0,
                        std::span<const double> dpi,
                        std::span<double> theta) const override;

private:
    struct Principal;
    Principal principal(std::span<const double> pi) const;

    Numbers numbers_;
    double areal_, shear_;
    std::span<const double> volumes_;
};

/// Largest principal stress of the second Piola-Kirchhoff stresses (S_11, S_22, S_12).
double largest_stress(double s11, double s22, double s12);

}  // namespace ancora::membrane
