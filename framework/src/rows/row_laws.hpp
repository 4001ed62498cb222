// SPDX-License-Identifier: BSD-3-Clause
// The one place where a row's law becomes equation, energy and dissipation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/rows.hpp"

namespace ancora {

/// Turns the laws of all rows into the coefficients of theory (11):
///
///   B dq + tau + rho - gamma s = 0,   rho = theta pi_0 + extra                            (1)
///
/// Rows that may go slack or break are no lines. With p = pi + c s0 and <x> = max(x, 0) the law of
/// a tension-only row over a step is
///
///   s* = max(0, W_d + eta d<p> / h),   W_d = dW / dpi,   W = <p>^2 / (2 c)                (2)
///
/// and (1) is (s* - s) / (dW_d/dpi_1 + eta / h) = 0 at the iterate. A row that may break is elastic
/// until it does, and its W is p^2 / (2 c); of a broken one nothing is left.
class RowLaws {
public:
    explicit RowLaws(const std::vector<RowLaw>& laws);

    /// Computes theta, gamma, extra for steps of length h; nothing if they are for this h already.
    void prepare(double h);
    /// Laws have changed their kinds.
    void forget_step() { prepared_for_ = 0.0; }

    /// Whether pi is carried for row k.
    bool carries(int k) const {
        const RowKind kind = laws_[static_cast<std::size_t>(k)].kind;
        return kind == RowKind::constraint || kind == RowKind::elastic;
    }
    static bool is_constraint(const RowLaw& law) {
        return law.kind == RowKind::constraint || law.kind == RowKind::velocity_constraint ||
               law.kind == RowKind::convention || law.kind == RowKind::acceleration_constraint;
    }
    bool is_constraint(int k) const { return is_constraint(laws_[static_cast<std::size_t>(k)]); }
    /// Whether row k is a condition that velocities meet, directly or by differentiation.
    bool has_rate(int k) const {
        const RowKind kind = laws_[static_cast<std::size_t>(k)].kind;
        return kind == RowKind::constraint || is_velocity_kind(kind);
    }
    const RowLaw& operator[](int k) const { return laws_[static_cast<std::size_t>(k)]; }

    /// Elastic energy of row k: pi^2 / (2 c) + s0 pi, or W of (2).
    double energy(int k, double pi) const {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        if (law.kind != RowKind::elastic) return 0.0;
        if (!is_nonlinear(k)) return pi * (0.5 * pi / law.compliance + law.prestress);
        const double p = taut_part(k, pi);
        return 0.5 * p * p / law.compliance;
    }
    /// Stress of a row that is no constraint, at an instant.
    double stress(int k, double pi, double rate) const {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        const double viscous = law.viscosity * rate;
        if (law.kind != RowKind::elastic) return viscous;
        if (!is_nonlinear(k)) return pi / law.compliance + viscous + law.prestress;
        const double p = taut_part(k, pi);
        const double s = p / law.compliance + viscous;
        if (may_break() && is_broken(k)) return 0.0;
        return !law.tension_only ? s : p > 0.0 ? std::max(s, 0.0) : 0.0;
    }
    /// Power that the row dissipates at an instant, >= 0.
    double dissipated_power(int k, double pi, double rate) const {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        if (law.viscosity == 0.0) return 0.0;
        if (!is_nonlinear(k)) return law.viscosity * rate * rate;
        return (stress(k, pi, rate) - taut_part(k, pi) / law.compliance) * rate;
    }
    /// Energy that the row dissipates over a step from pi0 to pi0 + dpi, >= 0: eta dpi^2 / h, or
    /// (s* - W_d) dpi.
    double dissipation(int k, double pi0, double dpi, double h) const {
        const double viscosity = laws_[static_cast<std::size_t>(k)].viscosity;
        if (viscosity == 0.0) return 0.0;
        if (!is_nonlinear(k)) return viscosity * dpi * dpi / h;
        const Secant law = secant(k, pi0, dpi, h);
        return (law.stress - law.elastic) * dpi;
    }
    bool has_viscosity() const { return has_viscosity_; }

    const Eigen::VectorXd& theta() const { return theta_; }
    /// For nonlinear rows what follow() last took.
    const Eigen::VectorXd& gamma() const { return gamma_; }
    const Eigen::VectorXd& extra() const { return extra_; }

    // Rows that may go slack or break.

    bool has_nonlinear() const { return !nonlinear_.empty(); }
    bool is_nonlinear(int k) const {
        return has_nonlinear() && is_nonlinear_[static_cast<std::size_t>(k)] != 0;
    }
    const std::vector<int>& nonlinear() const { return nonlinear_; }

    /// (2) over a step from pi0 to pi0 + dpi.
    struct Secant {
        double stress = 0.0;   ///< s*
        double elastic = 0.0;  ///< W_d
        double slope = 0.0;    ///< d s* / d pi_1, zero where the row is slack
        bool is_slack() const { return stress == 0.0 && slope == 0.0; }
    };
    Secant secant(int k, double pi0, double dpi, double h) const;
    /// gamma of row k if it is taut for the whole of a step: the unit of its residual.
    double taut_gamma(int k) const { return taut_gamma_[k]; }
    /// Takes 1 / slope as gamma of a nonlinear row; of a slack one so much that it does not count.
    void follow(int k, double slope);

    /// Whether some row has a limit.
    bool may_break() const { return !breakable_.empty(); }
    const std::vector<int>& breakable() const { return breakable_; }
    bool is_broken(int k) const { return is_broken_[static_cast<std::size_t>(k)] != 0; }
    /// How far an unbroken row is from its limit, relative to it.
    double margin(int k, double pi) const {
        const double limit = laws_[static_cast<std::size_t>(k)].breaks_at;
        return (limit - pi) / (limit != 0.0 ? std::abs(limit) : 1.0);
    }
    void break_row(int k) { is_broken_[static_cast<std::size_t>(k)] = 1; }
    /// One per row; empty where no row has a limit.
    const std::vector<char>& broken() const { return is_broken_; }
    void set_broken(const std::vector<char>& broken) { is_broken_ = broken; }

private:
    /// p, 0 if the row is slack or broken.
    double taut_part(int k, double pi) const {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        if (may_break() && is_broken(k)) return 0.0;
        const double p = pi + law.compliance * law.prestress;
        return law.tension_only ? std::max(p, 0.0) : p;
    }

    const std::vector<RowLaw>& laws_;
    double prepared_for_ = 0.0;
    bool has_viscosity_ = false;
    Eigen::VectorXd theta_, gamma_, extra_, taut_gamma_;
    std::vector<int> nonlinear_, breakable_;
    std::vector<char> is_nonlinear_, is_broken_;
};

}  // namespace ancora
