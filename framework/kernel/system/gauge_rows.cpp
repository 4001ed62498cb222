// SPDX-License-Identifier: BSD-3-Clause
// Loads where nothing has inertia.
#include "gauge_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ancora {
namespace {

// A gauge row (the spin of an ideal rod) may carry round-off only, relative to the terms beside it.
constexpr double kConventionTolerance = 1e-8;

}  // namespace

void check_gauge_rows(const Assembly& parts,
                      const double* s,
                      const double* F,
                      const double* Ma,
                      double energy_scale,
                      double t) {
    for (const RowOwner& owner : parts.rows.owners) {
        // A gauge row fixes a motion without inertia or stiffness: its stress s_k is the
        // generalized force on that motion, zero unless something loads it. It is compared with the
        // stresses beside it, with F and M a of its body, and with the energy in play, since
        // generalized forces of a rotation are moments [J].
        double scale = -1.0;
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            if (parts.laws[k].kind != RowKind::gauge) continue;
            if (scale < 0.0) {
                scale = std::max(energy_scale, std::numeric_limits<double>::min());
                for (int i = owner.first_row; i < owner.first_row + owner.num_rows; ++i)
                    if (i != k) scale = std::max(scale, std::abs(s[i]));
                if (owner.body >= 0)
                    for (int i = owner.u_first; i < owner.u_first + owner.u_count; ++i)
                        scale = std::max({scale, std::abs(F[i]), std::abs(Ma[i])});
            }
            if (std::abs(s[k]) <= kConventionTolerance * scale) continue;
            throw Error(
                ErrorKind::numerical,
                fmt::format("t = {:.9g} s: {} is loaded by {:.3g} N m, but nothing there has "
                            "inertia or stiffness; attach on the axis, or give the body "
                            "inertia about it",
                            t,
                            parts.rows.row_name(k),
                            s[k]),
                owner.object->place);
        }
    }
}

}  // namespace ancora
