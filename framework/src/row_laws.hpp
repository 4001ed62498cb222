// SPDX-License-Identifier: BSD-3-Clause
// The one place where a row's law becomes equation, energy and dissipation.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/rows.hpp"

namespace ancora {

/// Turns the laws of all rows into the coefficients of theory, section 3.1:
///
///   B dq + tau + rho - gamma s = 0,   rho = theta pi_0 + extra                            (1)
class RowLaws {
public:
    explicit RowLaws(const std::vector<RowLaw>& laws);

    /// Computes theta, gamma, extra for steps of length h; nothing if they are for this h already.
    void prepare(double h);

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

    /// Elastic energy of row k: pi^2 / (2 c) + s0 pi.
    double energy(int k, double pi) const {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        return law.kind == RowKind::elastic ? pi * (0.5 * pi / law.compliance + law.prestress)
                                            : 0.0;
    }
    /// Stress of a row that is no constraint, at an instant.
    double stress(int k, double pi, double rate) const {
        const RowLaw& law = laws_[static_cast<std::size_t>(k)];
        const double viscous = law.viscosity * rate;
        return law.kind == RowKind::elastic ? pi / law.compliance + viscous + law.prestress
                                            : viscous;
    }
    /// Energy that the row dissipates over a step, >= 0: eta dpi^2 / h.
    double dissipation(int k, double dpi, double h) const {
        const double viscosity = laws_[static_cast<std::size_t>(k)].viscosity;
        return viscosity == 0.0 ? 0.0 : viscosity * dpi * dpi / h;
    }
    bool has_viscosity() const { return has_viscosity_; }

    const Eigen::VectorXd& theta() const { return theta_; }
    const Eigen::VectorXd& gamma() const { return gamma_; }
    const Eigen::VectorXd& extra() const { return extra_; }

private:
    const std::vector<RowLaw>& laws_;
    double prepared_for_ = 0.0;
    bool has_viscosity_ = false;
    Eigen::VectorXd theta_, gamma_, extra_;
};

}  // namespace ancora
