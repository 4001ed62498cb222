// SPDX-License-Identifier: BSD-3-Clause
// The laws of rows as coefficients of the step equations, with their energies and dissipation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/rows.hpp"
#include "ancora/sdk/stress_law.hpp"
#include "guard.hpp"
#include "item_laws.hpp"
#include "row_layout.hpp"

namespace ancora {

/// Turns the laws of all rows into the coefficients of theory (11):
///
///   B dq + tau + rho - gamma s = 0,   rho = theta pi_0 + extra                            (1)
///
/// Rows with a StressLaw are nonlinear: (1) is (s* - s) / (d s*/d pi_1) = 0 at the iterate, with
/// the law's mean stress s* over the step. The same holds for rows with a coupled law, see
/// together(). A broken row carries no stress.
class RowLaws {
public:
    explicit RowLaws(const RowLayout& rows);

    /// The present time, for messages.
    void read_time_from(const double& t) {
        t_ = &t;
        together_.read_time_from(t);
    }

    /// Computes theta, gamma, extra for steps of length h; nothing if they are for this h and the
    /// present kinds already.
    void prepare(double h);

    /// Whether pi is carried for row k.
    bool carries(int k) const {
        const RowKind kind = rows_.laws[k].kind;
        return kind == RowKind::constraint || kind == RowKind::elastic;
    }
    static bool is_constraint(const RowLaw& law) {
        return law.kind == RowKind::constraint || law.kind == RowKind::velocity_constraint ||
               law.kind == RowKind::gauge || law.kind == RowKind::acceleration_constraint;
    }
    bool is_constraint(int k) const { return is_constraint(rows_.laws[k]); }
    /// Whether row k is a condition on velocities, directly or by differentiation.
    bool has_rate(int k) const {
        const RowKind kind = rows_.laws[k].kind;
        return kind == RowKind::constraint || is_velocity_kind(kind);
    }
    int num_rows() const { return static_cast<int>(rows_.laws.size()); }
    const RowLaw& operator[](int k) const { return rows_.laws[k]; }

    /// Elastic energy of row k that has its law alone: pi^2 / (2 c) + s0 pi, or the law's W.
    double energy(int k, double pi) const {
        const RowLaw& law = rows_.laws[k];
        if (law.kind != RowKind::elastic) return 0.0;
        if (law.law == nullptr) return pi * (0.5 * pi / law.compliance + law.prestress);
        if (is_broken(k)) return 0.0;
        double out = 0.0;
        guarded(k, "StressLaw::energy", [&] {
            out = law.law->energy(law, pi);
        });
        return out;
    }
    /// Adds the elastic energies of all rows to `sum`.
    template <class Sum>
    void add_energies(const double* pi, Sum& sum) const {
        for (int k = 0; k < num_rows(); ++k)
            if (!together_.holds(k)) sum += energy(k, pi[k]);
        for (const ItemLaws::Item& item : together_.items()) sum += together_.energy(item, pi);
    }
    /// Stress at a state of a row that is no constraint and has an uncoupled law.
    double stress(int k, double pi, double rate) const {
        const RowLaw& law = rows_.laws[k];
        if (law.kind == RowKind::unilateral) return 0.0;
        const double viscous = law.viscosity * rate;
        if (law.kind != RowKind::elastic) return viscous;
        if (law.law == nullptr) return pi / law.compliance + viscous + law.prestress;
        if (is_broken(k)) return 0.0;
        double out = 0.0;
        guarded(k, "StressLaw::stress", [&] {
            out = law.law->stress(law, pi, rate);
        });
        return out;
    }
    /// Power that the row dissipates at a state, >= 0.
    double dissipated_power(int k, double pi, double rate) const {
        const RowLaw& law = rows_.laws[k];
        if (law.viscosity == 0.0 || law.kind == RowKind::unilateral) return 0.0;
        if (law.law == nullptr) return law.viscosity * rate * rate;
        return (stress(k, pi, rate) - stress(k, pi, 0.0)) * rate;
    }
    /// Energy that the row dissipates over a step from pi0 to pi0 + dpi, >= 0: eta dpi^2 / h, or
    /// (s* - W_d) dpi.
    double dissipation(int k, double pi0, double dpi, double h) const {
        const double viscosity = rows_.laws[k].viscosity;
        if (viscosity == 0.0 || rows_.laws[k].kind == RowKind::unilateral) return 0.0;
        if (rows_.laws[k].law == nullptr) return viscosity * dpi * dpi / h;
        const StressMean mean = mean_stress(k, pi0, dpi, h);
        return (mean.stress - mean.elastic) * dpi;
    }
    bool has_viscosity() const { return has_viscosity_; }

    const Eigen::VectorXd& theta() const { return theta_; }
    /// For nonlinear rows the compliance of set_tangent().
    const Eigen::VectorXd& gamma() const { return gamma_; }
    const Eigen::VectorXd& extra() const { return extra_; }

    // Rows with a nonlinear law.

    bool has_nonlinear() const { return !nonlinear_.empty(); }
    bool is_nonlinear(int k) const { return rows_.laws[k].law != nullptr || together_.holds(k); }
    const std::vector<int>& nonlinear() const { return nonlinear_; }

    /// Those of them with a coupled law.
    const ItemLaws& together() const { return together_; }

    /// The law of row k alone over a step from pi0 to pi0 + dpi; zero if the row has broken.
    StressMean mean_stress(int k, double pi0, double dpi, double h) const {
        const RowLaw& law = rows_.laws[k];
        if (is_broken(k) || law.kind == RowKind::unilateral) return {};
        StressMean out;
        guarded(k, "StressLaw::mean", [&] {
            out = law.law->mean(law, pi0, dpi, h);
        });
        return out;
    }
    /// gamma at the largest tangent modulus of row k: the unit of its residual.
    double stiffest_compliance(int k) const { return taut_gamma_[k]; }
    /// Sets gamma = 1 / slope of a nonlinear row; of a slack one so large that the row has no
    /// effect.
    void follow(int k, double slope) { follow(k, slope, taut_gamma_[k]); }
    /// The same for a row in units of the compliance `taut`.
    void follow(int k, double slope, double taut);

    /// Whether some row has a limit.
    bool may_break() const { return !breakable_.empty(); }
    const std::vector<int>& breakable() const { return breakable_; }
    bool is_broken(int k) const { return may_break() && is_broken_[k] != 0; }
    /// pi at which a breakable row breaks.
    double limit(int k) const {
        double out = 0.0;
        guarded(k, "StressLaw::limit", [&] {
            out = rows_.laws[k].law->limit();
        });
        return out;
    }
    /// How far an unbroken row is from its limit, relative to it.
    double margin(int k, double pi) const {
        const double at = limit(k);
        return (at - pi) / (at != 0.0 ? std::abs(at) : 1.0);
    }
    void break_row(int k) { is_broken_[k] = 1; }
    /// One per row; empty where no row has a limit.
    const std::vector<char>& broken() const { return is_broken_; }
    void set_broken(const std::vector<char>& broken) { is_broken_ = broken; }

private:
    /// A call of a row's StressLaw, which is the plugin's.
    template <class Function>
    void guarded(int k, const char* call, Function&& function) const {
        const ObjectRef& object = *objects_[k];
        try {
            const CallScope scope(object, call, t_);
            function();
        } catch (...) {
            rethrow_from_plugin(object, call, t_);
        }
    }

    const RowLayout& rows_;
    ItemLaws together_;
    std::vector<const ObjectRef*> objects_;  // that the rows are of, where some row has a law
    const double* t_ = nullptr;              // for messages
    double prepared_for_ = 0.0;
    long prepared_after_ = -1;  // changes of kinds
    bool has_viscosity_ = false;
    Eigen::VectorXd theta_, gamma_, extra_, taut_gamma_;
    std::vector<int> nonlinear_, breakable_;
    std::vector<char> is_broken_;
};

}  // namespace ancora
