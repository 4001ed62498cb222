// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "tyre".
#include "ancora/sdk/plugin.hpp"

#include "tyre.hpp"

namespace {

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::tyre::Tyre>(
        "tyre",
        {.doc = "a wheel on a road by the Magic Formula, with relaxation lengths, which may lift",
         .equation = "F = D sin(C atan(B x - E (B x - atan(B x)))); sigma k' + |V_x| k = -V_sx; "
                     "F_z = <c_z rho + d_z rho'>",
         .source = "H. B. Pacejka, Tire and Vehicle Dynamics, 2nd ed., 2006, chapters 4 and 8",
         .examples = {"body = \"a\"\n"
                      "radius = 2.0\n"
                      "stiffness = 300.0\n"
                      "damping = 2.0\n"
                      "Fz0 = 100.0\n"
                      "pCx1 = 1.6\n"
                      "pDx1 = 1.1\n"
                      "pKx1 = 20.0\n"
                      "pCy1 = 1.3\n"
                      "pDy1 = 1.0\n"
                      "pKy1 = -18.0\n"
                      "pKy2 = 1.8",
                      "body = \"a\"\n"
                      "center = [0.1, 0.0, -0.2]\n"
                      "axis = [0.1, 0.9, 0.2]\n"
                      "point = [0.0, 0.0, -0.5]\n"
                      "normal = [0.1, 0.0, 1.0]\n"
                      "radius = 2.5\n"
                      "effective_radius = 2.4\n"
                      "stiffness = 200.0\n"
                      "Fz0 = 80.0\n"
                      "lambda_mu = 0.7\n"
                      "sigma_kappa = 0.3\n"
                      "pCx1 = 1.6\n"
                      "pDx1 = 1.1\n"
                      "pDx2 = -0.04\n"
                      "pEx1 = 0.3\n"
                      "pKx1 = 20.0\n"
                      "pCy1 = 1.3\n"
                      "pDy1 = 1.0\n"
                      "pEy1 = -0.9\n"
                      "pKy1 = -18.0\n"
                      "pKy2 = 1.8"}},
        ancora::tyre::kTyreKeys),
};

}  // namespace

ANCORA_PLUGIN("tyre", "0.1.0", kTypes)
