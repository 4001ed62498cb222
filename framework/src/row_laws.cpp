// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of the rows' laws.
#include "row_laws.hpp"

#include <algorithm>

namespace ancora {

RowLaws::RowLaws(const std::vector<RowLaw>& laws) : laws_(laws) {
    const auto m = static_cast<Eigen::Index>(laws.size());
    theta_.setZero(m);
    gamma_.setZero(m);
    extra_.setZero(m);
    has_viscosity_ = std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
        return law.viscosity > 0.0;
    });
}

void RowLaws::prepare(double h) {
    if (h == prepared_for_) return;
    prepared_for_ = h;
    for (Eigen::Index k = 0; k < theta_.size(); ++k) {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        switch (law.kind) {
            case RowKind::constraint:
                theta_[k] = 1.0;
                break;
            case RowKind::velocity_constraint:
            case RowKind::convention:
            case RowKind::acceleration_constraint:
                break;
            case RowKind::elastic: {
                const double factor = 1.0 + 2.0 * law.compliance * law.viscosity / h;
                theta_[k] = 2.0 / factor;
                gamma_[k] = 2.0 * law.compliance / factor;
                extra_[k] = gamma_[k] * law.prestress;
                break;
            }
            case RowKind::dashpot:
                gamma_[k] = h / law.viscosity;
                break;
        }
    }
}

}  // namespace ancora
