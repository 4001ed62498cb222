// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin `emm`.
#include "ancora/sdk/plugin.hpp"

#include "emm.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::integer("max_iterations", "iterations of one trial before it counts as failed")
        .at_least(2)
        .otherwise("25"),
    parameter::integer("max_halvings", "how often a step that fails may be halved")
        .nonnegative()
        .at_most(30)
        .otherwise("8"),
    parameter::integer("order",
                       "2, 4, 6 or 8: of the path, by composition of projected steps; the others "
                       "serve smooth laws alone")
        .at_least(2)
        .at_most(8)
        .otherwise("2"),
    parameter::boolean("velocity_projection",
                       "velocities at the ends of steps obey the constraints to round-off; always "
                       "so for order > 2")
        .otherwise("false"),
    parameter::boolean("error_control",
                       "steps are chosen so that each one's estimated error is at most `tolerance`")
        .otherwise("false"),
};

constexpr TypeDescriptor kTypes[] = {
    type<Emm>(
        "emm",
        {.doc = "energy-momentum method: energy, momentum and angular momentum to round-off, "
                "second order, or by composition 4, 6, 8",
         .equation = "M dv/h + sum_k B_k^T s_k = F_d,  dq/h = (v0 + v1)/2,  "
                     "B_k dq + tau_k + rho_k - gamma_k s_k = 0",
         .source = "H. Sugano, Structure-Preserving Absolute Nodal Coordinate Formulation for "
                   "Rigid Body and Rigid Body Constraint, section 4",
         .tolerance = "largest displacement of matter by the last Newton correction [m], "
                      "default 1e-12; the energy defect is tested besides",
         .examples = {"", "max_iterations = 40\nmax_halvings = 4"},
         .claims = {Claim::keeps_energy, Claim::keeps_momentum, Claim::keeps_angular_momentum},
         .order = 2},
        kParameters),
};

}  // namespace

ANCORA_PLUGIN("emm", "0.1.0", kTypes)
