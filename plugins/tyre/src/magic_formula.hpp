// SPDX-License-Identifier: BSD-3-Clause
// The Magic Formula: forces of a tyre as functions of slip, load and inclination.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::tyre {

/// Coefficients by their names by Pacejka (2006) and in tyre property files, without scaling
/// factors but that of the road's friction.
struct MagicFormula {
    double Fz0 = 1.0, lambda_mu = 1.0;
    double pCx1, pDx1, pDx2, pDx3, pEx1, pEx2, pEx3, pEx4, pKx1, pKx2, pKx3, pHx1, pHx2, pVx1, pVx2;
    double rBx1, rBx2, rCx1, rEx1, rEx2, rHx1;
    double pCy1, pDy1, pDy2, pDy3, pEy1, pEy2, pEy3, pEy4, pKy1, pKy2, pKy3, pHy1, pHy2, pHy3;
    double pVy1, pVy2, pVy3, pVy4;
    double rBy1, rBy2, rBy3, rCy1, rEy1, rEy2, rHy1, rHy2, rVy1, rVy2, rVy3, rVy4, rVy5, rVy6;

    explicit MagicFormula(const Arguments& arguments);

    struct Force {
        double x, y;
    };
    /// Pure slip and combined, [1, eqs (4.E9) to (4.E30), (4.E50) to (4.E67)]:
    ///
    ///   y(x) = D sin(C atan(B x - E (B x - atan(B x))))                                  (1)
    ///   F_x = G_xa(alpha, kappa) F_x0(kappa),   F_y = G_yk F_y0(alpha) + S_Vyk           (2)
    ///
    /// @param kappa slip along, alpha slip angle [rad], gamma inclination [rad], Fz load > 0 [N]
    ///
    /// [1] H. B. Pacejka, Tire and Vehicle Dynamics, 2nd ed., Butterworth-Heinemann, 2006.
    Force force(double kappa, double alpha, double gamma, double Fz) const;
};

}  // namespace ancora::tyre
