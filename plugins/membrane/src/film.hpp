// SPDX-License-Identifier: BSD-3-Clause
// The material of a membrane: plane stress, taut, wrinkled or slack.
#pragma once

#include <span>

#include "ancora/sdk/stress_law.hpp"

namespace ancora::membrane {

/// Strain energy per volume of an isotropic film in plane stress, of the Green strain E in two
/// axes across each other, with pi = (E_11, E_22, 2 E_12):
///
///   w = Y / (2 (1 - nu^2)) (E_11^2 + E_22^2 + 2 nu E_11 E_22 + (1 - nu) / 2 (2 E_12)^2)   (1)
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
/// A prestress S0, equal in all directions, is the strain S0 (1 - nu) / Y that E has beside its
/// own; W counts from zero stress.
///
/// Source: A. C. Pipkin, The relaxed energy density for isotropic elastic membranes, IMA J. Appl.
/// Math. 36 (1986); for (1) in Green's strain, A. C. Pipkin, Relaxed energy densities for large
/// deformations of membranes, IMA J. Appl. Math. 52 (1994).
class Film final : public ItemLaw {
public:
    struct Numbers {
        double young = 0.0;         ///< Y [Pa]
        double poisson = 0.0;       ///< nu
        double prestress = 0.0;     ///< S0 [Pa]
        bool tension_only = false;  ///< (2) and slack instead of compression
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
    /// quadratic equations.
    int discontinuities(int item,
                        std::span<const double> pi0,
                        std::span<const double> dpi,
                        std::span<double> theta) const override;

private:
    struct Principal;
    Principal principal(std::span<const double> pi) const;

    Numbers numbers_;
    double plane_;      // Y / (1 - nu^2)
    double shear_;      // Y / (2 (1 + nu))
    double prestrain_;  // of E_11 and E_22
    std::span<const double> volumes_;
};

/// Largest principal stress of the second Piola-Kirchhoff stresses (S_11, S_22, S_12).
double largest_stress(double s11, double s22, double s12);

}  // namespace ancora::membrane
