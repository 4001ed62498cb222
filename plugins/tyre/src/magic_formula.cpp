// SPDX-License-Identifier: BSD-3-Clause
// (1) and (2) of the Magic Formula.
#include "magic_formula.hpp"

#include <algorithm>
#include <cmath>

namespace ancora::tyre {
namespace {

/// C atan(B x - E (B x - atan(B x)))
double bent(double x, double B, double C, double E) {
    const double Bx = B * x;
    return C * std::atan(Bx - E * (Bx - std::atan(Bx)));
}

double sign(double x) {
    return x < 0.0 ? -1.0 : 1.0;
}

/// G = cos(bent(x + S)) / cos(bent(S))
double weight(double x, double shift, double B, double C, double E) {
    return std::cos(bent(x + shift, B, C, E)) / std::cos(bent(shift, B, C, E));
}

}  // namespace

MagicFormula::MagicFormula(const Arguments& arguments)
    : Fz0(arguments.number("Fz0")),
      lambda_mu(arguments.number("lambda_mu")),
      pCx1(arguments.number("pCx1")),
      pDx1(arguments.number("pDx1")),
      pDx2(arguments.number("pDx2")),
      pDx3(arguments.number("pDx3")),
      pEx1(arguments.number("pEx1")),
      pEx2(arguments.number("pEx2")),
      pEx3(arguments.number("pEx3")),
      pEx4(arguments.number("pEx4")),
      pKx1(arguments.number("pKx1")),
      pKx2(arguments.number("pKx2")),
      pKx3(arguments.number("pKx3")),
      pHx1(arguments.number("pHx1")),
      pHx2(arguments.number("pHx2")),
      pVx1(arguments.number("pVx1")),
      pVx2(arguments.number("pVx2")),
      rBx1(arguments.number("rBx1")),
      rBx2(arguments.number("rBx2")),
      rCx1(arguments.number("rCx1")),
      rEx1(arguments.number("rEx1")),
      rEx2(arguments.number("rEx2")),
      rHx1(arguments.number("rHx1")),
      pCy1(arguments.number("pCy1")),
      pDy1(arguments.number("pDy1")),
      pDy2(arguments.number("pDy2")),
      pDy3(arguments.number("pDy3")),
      pEy1(arguments.number("pEy1")),
      pEy2(arguments.number("pEy2")),
      pEy3(arguments.number("pEy3")),
      pEy4(arguments.number("pEy4")),
      pKy1(arguments.number("pKy1")),
      pKy2(arguments.number("pKy2")),
      pKy3(arguments.number("pKy3")),
      pHy1(arguments.number("pHy1")),
      pHy2(arguments.number("pHy2")),
      pHy3(arguments.number("pHy3")),
      pVy1(arguments.number("pVy1")),
      pVy2(arguments.number("pVy2")),
      pVy3(arguments.number("pVy3")),
      pVy4(arguments.number("pVy4")),
      rBy1(arguments.number("rBy1")),
      rBy2(arguments.number("rBy2")),
      rBy3(arguments.number("rBy3")),
      rCy1(arguments.number("rCy1")),
      rEy1(arguments.number("rEy1")),
      rEy2(arguments.number("rEy2")),
      rHy1(arguments.number("rHy1")),
      rHy2(arguments.number("rHy2")),
      rVy1(arguments.number("rVy1")),
      rVy2(arguments.number("rVy2")),
      rVy3(arguments.number("rVy3")),
      rVy4(arguments.number("rVy4")),
      rVy5(arguments.number("rVy5")),
      rVy6(arguments.number("rVy6")) {
    for (const char* const key : {"pCx1", "pDx1", "pKx1", "pCy1", "pDy1", "pKy2"})
        if (!(arguments.number(key) > 0.0)) arguments.fail(key, "is not above zero");
    if (!(pKy1 < 0.0))
        arguments.fail("pKy1",
                       "is not below zero: a slip to the left, alpha > 0, makes a force to the "
                       "right, as in property files; turn the sign round if the data come from "
                       "axes with z down");
}

MagicFormula::Force MagicFormula::force(double kappa, double alpha, double gamma, double Fz) const {
    const double dfz = (Fz - Fz0) / Fz0;
    // Along, pure: (4.E9) to (4.E18)
    const double kappa_x = kappa + pHx1 + pHx2 * dfz;
    const double mu_x = (pDx1 + pDx2 * dfz) * (1.0 - pDx3 * gamma * gamma) * lambda_mu;
    const double Dx = mu_x * Fz;
    const double Ex =
        std::min(1.0, (pEx1 + pEx2 * dfz + pEx3 * dfz * dfz) * (1.0 - pEx4 * sign(kappa_x)));
    const double Kx = Fz * (pKx1 + pKx2 * dfz) * std::exp(pKx3 * dfz);
    const double Bx = Kx / (pCx1 * Dx);
    const double SVx = Fz * (pVx1 + pVx2 * dfz) * lambda_mu;
    const double Fx0 = Dx * std::sin(bent(kappa_x, Bx, pCx1, Ex)) + SVx;
    // Across, pure: (4.E19) to (4.E30)
    const double alpha_y = alpha + pHy1 + pHy2 * dfz + pHy3 * gamma;
    const double mu_y = (pDy1 + pDy2 * dfz) * (1.0 - pDy3 * gamma * gamma) * lambda_mu;
    const double Dy = mu_y * Fz;
    const double Ey =
        std::min(1.0, (pEy1 + pEy2 * dfz) * (1.0 - (pEy3 + pEy4 * gamma) * sign(alpha_y)));
    const double Ky =
        pKy1 * Fz0 * std::sin(2.0 * std::atan(Fz / (pKy2 * Fz0))) * (1.0 - pKy3 * std::abs(gamma));
    const double By = Ky / (pCy1 * Dy);
    const double SVy = Fz * (pVy1 + pVy2 * dfz + (pVy3 + pVy4 * dfz) * gamma) * lambda_mu;
    const double Fy0 = Dy * std::sin(bent(alpha_y, By, pCy1, Ey)) + SVy;
    // Combined: (4.E50) to (4.E67)
    const double Gxa = weight(alpha,
                              rHx1,
                              rBx1 * std::cos(std::atan(rBx2 * kappa)),
                              rCx1,
                              std::min(1.0, rEx1 + rEx2 * dfz));
    const double Gyk = weight(kappa,
                              rHy1 + rHy2 * dfz,
                              rBy1 * std::cos(std::atan(rBy2 * (alpha - rBy3))),
                              rCy1,
                              std::min(1.0, rEy1 + rEy2 * dfz));
    const double DVyk =
        mu_y * Fz * (rVy1 + rVy2 * dfz + rVy3 * gamma) * std::cos(std::atan(rVy4 * alpha));
    return {Gxa * Fx0, Gyk * Fy0 + DVyk * std::sin(rVy5 * std::atan(rVy6 * kappa))};
}

}  // namespace ancora::tyre
