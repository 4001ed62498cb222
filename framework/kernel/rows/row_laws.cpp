// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of the rows' laws.
#include "row_laws.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

// A slack row in the matrix is softer than a taut one by this factor.
constexpr double kSlack = 1e12;

}  // namespace

RowLaws::RowLaws(const RowLayout& rows) : rows_(rows), together_(rows) {
    const std::vector<RowLaw>& laws = rows.laws;
    const auto m = static_cast<Eigen::Index>(laws.size());
    theta_.setZero(m);
    gamma_.setZero(m);
    extra_.setZero(m);
    has_viscosity_ = std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
        return law.viscosity > 0.0;
    });
    // The object of each row, for the errors of its law.
    for (const RowOwner& owner : rows.owners)
        objects_.insert(objects_.end(), static_cast<std::size_t>(owner.num_rows), owner.object);
    // Rows that are no lines; of those with a law alone some break at a limit of pi.
    for (std::size_t k = 0; k < laws.size(); ++k) {
        if (!is_nonlinear(static_cast<int>(k))) continue;
        nonlinear_.push_back(static_cast<int>(k));
        if (together_.holds(static_cast<int>(k))) continue;
        if (std::isfinite(limit(static_cast<int>(k)))) breakable_.push_back(static_cast<int>(k));
    }
    // No row is broken at the start.
    if (may_break()) is_broken_.assign(laws.size(), 0);
    if (!has_nonlinear()) return;
    taut_gamma_.setZero(m);
}

void RowLaws::prepare(double h) {
    // theta, gamma and extra depend on h and kinds alone, and both mostly stay.
    if (h == prepared_for_ && rows_.num_kind_changes == prepared_after_) return;
    prepared_for_ = h;
    prepared_after_ = rows_.num_kind_changes;
    // theta, gamma and extra of theory (11), B dq + tau + theta pi_0 + extra - gamma s = 0
    for (Eigen::Index k = 0; k < theta_.size(); ++k) {
        const RowLaw& law = rows_.laws[k];
        switch (law.kind) {
            case RowKind::constraint:
                // pi_1 = 0: B dq + tau + pi_0 = 0
                theta_[k] = 1.0;
                break;
            case RowKind::unilateral:
                // Open or released: s = 0. A row that was elastic keeps its unit.
                theta_[k] = extra_[k] = 0.0;
                gamma_[k] = law.compliance > 0.0  ? 2.0 * law.compliance
                            : law.viscosity > 0.0 ? h / law.viscosity
                                                  : 0.0;
                if (has_nonlinear()) taut_gamma_[k] = gamma_[k];
                break;
            case RowKind::velocity_constraint:
            case RowKind::gauge:
            case RowKind::acceleration_constraint:
                // theta = gamma = 0: B dq + tau = 0, h psi at the midpoint
                break;
            case RowKind::elastic: {
                // s = (pi_0 + dpi / 2) / c + eta dpi / h + s_0 times 2 c / kappa,
                // with kappa = 1 + 2 c eta / h, gives theta = 2 / kappa,
                // gamma = 2 c / kappa and extra = gamma s_0.
                const double factor = 1.0 + 2.0 * law.compliance * law.viscosity / h;
                if (is_nonlinear(static_cast<int>(k))) {
                    // The line of the taut row; its residual is gamma_taut (s* - s).
                    taut_gamma_[k] = 2.0 * law.compliance / factor;
                    break;
                }
                theta_[k] = 2.0 / factor;
                gamma_[k] = 2.0 * law.compliance / factor;
                extra_[k] = gamma_[k] * law.prestress;
                break;
            }
            case RowKind::dashpot:
                // s = eta dpi / h: the damper has no strain to carry
                gamma_[k] = h / law.viscosity;
                break;
        }
    }
}

void RowLaws::follow(int k, double slope, double taut) {
    // gamma = 1 / (d s* / d pi_1), bounded: a slack row has no slope,
    // and its pivot in the matrix is finite all the same.
    const double most = kSlack * taut;
    gamma_[k] = slope * most > 1.0 ? 1.0 / slope : most;
}

}  // namespace ancora
