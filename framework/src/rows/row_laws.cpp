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

RowLaws::RowLaws(const std::vector<RowLaw>& laws) : laws_(laws) {
    const auto m = static_cast<Eigen::Index>(laws.size());
    theta_.setZero(m);
    gamma_.setZero(m);
    extra_.setZero(m);
    has_viscosity_ = std::any_of(laws.begin(), laws.end(), [](const RowLaw& law) {
        return law.viscosity > 0.0;
    });
    for (std::size_t k = 0; k < laws.size(); ++k) {
        const bool may_break = std::isfinite(laws[k].breaks_at);
        if (may_break) breakable_.push_back(static_cast<int>(k));
        if (may_break || laws[k].tension_only) nonlinear_.push_back(static_cast<int>(k));
    }
    if (may_break()) is_broken_.assign(laws.size(), 0);
    if (!has_nonlinear()) return;
    is_nonlinear_.assign(laws.size(), 0);
    for (const int k : nonlinear_) is_nonlinear_[static_cast<std::size_t>(k)] = 1;
    taut_gamma_.setZero(m);
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

RowLaws::Secant RowLaws::secant(int k, double pi0, double dpi, double h) const {
    const RowLaw& law = laws_[static_cast<std::size_t>(k)];
    if (may_break() && is_broken(k)) return {};
    const double p0 = pi0 + law.compliance * law.prestress;
    const double p1 = p0 + dpi;
    const double half = 0.5 / law.compliance;
    const double rate = law.viscosity / h;
    if (!law.tension_only || (p0 > 0.0 && p1 > 0.0)) {
        Secant out{0.0, half * (p0 + p1), half + rate};
        out.stress = out.elastic + rate * dpi;
        return law.tension_only && out.stress <= 0.0 ? Secant{0.0, out.elastic, 0.0} : out;
    }
    if (!(p0 > 0.0) && !(p1 > 0.0)) return {};
    // Taut at one end: for the part r of the increment, so that
    //   W_d = <p>^2 / (2 c |dpi|) = <p> r / (2 c)
    if (p1 > 0.0) {
        const double r = p1 / dpi;
        const double elastic = half * p1 * r;
        return {elastic + rate * p1, elastic, half * r * (2.0 - r) + rate};
    }
    const double r = p0 / -dpi;
    const double elastic = half * p0 * r;
    const double stress = elastic - rate * p0;
    return stress > 0.0 ? Secant{stress, elastic, half * r * r} : Secant{0.0, elastic, 0.0};
}

void RowLaws::follow(int k, double slope) {
    const double most = kSlack * taut_gamma_[k];
    gamma_[k] = slope * most > 1.0 ? 1.0 / slope : most;
}

}  // namespace ancora
