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

RowLaws::RowLaws(const RowLayout& rows) : laws_(rows.laws), together_(rows) {
    const std::vector<RowLaw>& laws = rows.laws;
    const auto m = static_cast<Eigen::Index>(laws.size());
    theta_.setZero(m);
    gamma_.setZero(m);
    extra_.setZero(m);
    has_viscosity_ = std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
        return law.viscosity > 0.0;
    });
    for (const RowOwner& owner : rows.owners)
        objects_.insert(objects_.end(), static_cast<std::size_t>(owner.num_rows), owner.object);
    for (std::size_t k = 0; k < laws.size(); ++k) {
        if (!is_nonlinear(static_cast<int>(k))) continue;
        nonlinear_.push_back(static_cast<int>(k));
        if (together_.holds(static_cast<int>(k))) continue;
        if (std::isfinite(limit(static_cast<int>(k)))) breakable_.push_back(static_cast<int>(k));
    }
    if (may_break()) is_broken_.assign(laws.size(), 0);
    if (!has_nonlinear()) return;
    taut_gamma_.setZero(m);
}

void RowLaws::prepare(double h) {
    if (h == prepared_for_) return;
    prepared_for_ = h;
    for (Eigen::Index k = 0; k < theta_.size(); ++k) {
        const RowLaw& law = laws_[k];
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
                if (is_nonlinear(static_cast<int>(k))) {
                    taut_gamma_[k] = 2.0 * law.compliance / factor;
                    break;
                }
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

void RowLaws::follow(int k, double slope, double taut) {
    const double most = kSlack * taut;
    gamma_[k] = slope * most > 1.0 ? 1.0 / slope : most;
}

}  // namespace ancora
