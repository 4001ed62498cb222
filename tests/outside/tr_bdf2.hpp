// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `tr_bdf2`: a trapezoidal stage and a stage of backward differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <ancora/sdk/implicit_system.hpp>
#include <ancora/sdk/plugin.hpp>

namespace outside {

using namespace ancora;

/// With gamma = 2 - sqrt(2) and b = gamma h / 2, for x' = f in the first stage, which ends at
/// t0 + gamma h, and in the second one:
///
///   x_g = x_0 + b f_0 + b f_g,   x_1 = c x_g + (1 - c) x_0 + b f_1,   c = 1 / (gamma (2 - gamma))
///   (1)
///
/// Each is x* + b x', for v = v* + b a and q = q* + b v + p with M p = A^T eta, where p meets
/// positions besides velocities (Gear, Leimkuhler, Gupta). f_0 has the acceleration at the end of
/// the last step, kept in the history; it is asked for anew where it does not meet the equations,
/// as where a force has jumped.
class TrBdf2 final : public Integrator {
public:
    explicit TrBdf2(const Arguments&) {}

    IntegratorTraits traits() const override {
        IntegratorTraits traits;
        traits.face = Face::continuous;
        traits.projects = false;
        traits.follows_own_states = true;
        return traits;
    }
    /// Whether there is one, a and lambda.
    int num_history(const System& system) const override {
        return 1 + system.num_coordinates() + system.implicit()->num_conditions();
    }
    void prepare(const System& system, const StepSettings& settings) override {
        n_ = static_cast<std::size_t>(system.num_coordinates());
        m_ = static_cast<std::size_t>(system.implicit()->num_conditions());
        own_ = static_cast<std::size_t>(system.continuous()->size().num_own);
        tolerance_ = settings.tolerance > 0.0 ? settings.tolerance : 1e-12;
        for (auto* x : {&x0_, &star_, &state_})
            x->assign(static_cast<std::size_t>(system.continuous()->size().num_states), 0.0);
        for (auto* x : {&a_, &p_, &r_, &x_}) x->assign(n_, 0.0);
        for (auto* x : {&lambda_, &eta_, &g_, &y_}) x->assign(m_, 0.0);
        rate_.assign(x0_.size() - 2 * n_, 0.0);
    }

    void step(System& system, double t0, double h) override {
        if (system.num_events() > 0)
            system.refuse(t0, "integrator \"tr_bdf2\" locates no events; take emm or rk4");
        constexpr double kGamma = 2.0 - std::numbers::sqrt2;
        constexpr double c = 1.0 / (kGamma * (2.0 - kGamma));
        ImplicitSystem& model = *system.implicit();
        b_ = 0.5 * kGamma * h;
        system.continuous()->read_state(x0_);
        begin(system, model, t0);
        for (std::size_t i = 0; i < n_; ++i) {
            star_[i] = x0_[i] + b_ * x0_[n_ + i];
            star_[n_ + i] = x0_[n_ + i] + b_ * a_[i];
        }
        for (std::size_t i = 2 * n_; i < x0_.size(); ++i)
            star_[i] = x0_[i] + b_ * rate_[i - 2 * n_];
        stage(system, model, t0, t0 + kGamma * h, h);
        for (std::size_t i = 0; i < x0_.size(); ++i) star_[i] = c * state_[i] + (1.0 - c) * x0_[i];
        stage(system, model, t0, t0 + h, h);
        const std::span<double> past = system.history();
        past[0] = 1.0;
        std::ranges::copy(a_, past.begin() + 1);
        std::ranges::copy(lambda_, past.last(m_).begin());
        system.continuous()->accept_state(t0, t0 + h, state_);
    }

private:
    /// a and lambda at t0, and the rates of works and own states there.
    void begin(System& system, ImplicitSystem& model, double t0) {
        const std::span<double> past = system.history();
        const std::span<const double> q = system.q(), v = system.v();
        std::ranges::copy(past.subspan(1, n_), a_.begin());
        std::ranges::copy(past.last(m_), lambda_.begin());
        const auto own = std::span<const double>(x0_).last(own_);
        model.follow_own(own, 0.0);
        model.evaluate({t0, q, v, lambda_});
        if (past[0] == 0.0 || unbalance(model) > 1e-9) {
            model.accelerations(t0, q, v, a_, lambda_);
            model.evaluate({t0, q, v, lambda_});
        }
        model.quadrature_rates(rate_);
    }
    /// |M a - F - A^T lambda| in parts of its terms.
    double unbalance(ImplicitSystem& model) {
        double terms = 0.0, rest = 0.0;
        std::ranges::copy(model.force(), r_.begin());
        for (const double f : r_) terms = std::max(terms, std::abs(f));
        model.jacobian().add_transposed_product(1.0, lambda_, r_);
        for (const double f : r_) terms = std::max(terms, std::abs(f));
        model.mass().add_product(-1.0, a_, r_);
        for (const double f : r_) rest = std::max(rest, std::abs(f));
        return rest > 0.0 ? rest / std::max(terms, rest) : 0.0;
    }

    void stage(System& system, ImplicitSystem& model, double t0, double t1, double h) {
        model.follow_own(std::span<const double>(star_).last(own_), b_);
        bool is_solved = iterate(system, model, t1);
        if (is_solved && !model.are_dropped_met() && model.renew_choice())
            is_solved = iterate(system, model, t1);
        if (!is_solved || !model.are_dropped_met())
            model.no_convergence(t0, h, x_, "take a shorter step");
        model.quadrature_rates(rate_);
        for (std::size_t i = 2 * n_; i < state_.size(); ++i)
            state_[i] = star_[i] + b_ * rate_[i - 2 * n_];
    }

    bool iterate(System& system, ImplicitSystem& model, double t1) {
        std::ranges::fill(p_, 0.0);
        std::ranges::fill(eta_, 0.0);
        evaluate(model, t1);
        double last = HUGE_VAL;
        for (int k = 0; k < 30; ++k) {
            model.differentiate(a_);
            if (!model.factorise(Augmented::dynamics, {1.0 / (b_ * b_), 1.0 / b_, 1.0, b_}) ||
                !model.factorise(Augmented::positions, {}))
                return false;
            model.count_iteration();
            const double size = correct(system, model);
            evaluate(model, t1);
            if (size <= tolerance_ || (size >= 0.5 * last && size <= 1e3 * tolerance_)) return true;
            if (!std::isfinite(size)) return false;
            last = size;
        }
        return false;
    }
    void evaluate(ImplicitSystem& model, double t1) {
        for (std::size_t i = 0; i < n_; ++i) {
            state_[n_ + i] = star_[n_ + i] + b_ * a_[i];
            state_[i] = star_[i] + b_ * state_[n_ + i] + p_[i];
        }
        const std::span<const double> x(state_);
        model.evaluate({t1, x.first(n_), x.subspan(n_, n_), lambda_});
    }

    /// One correction of a and lambda, then of p and eta. @returns what they displace matter by [m]
    double correct(System& system, ImplicitSystem& model) {
        const CompressedMatrix M = model.mass(), A = model.jacobian();
        const std::span<const RowLevel> levels = model.levels();
        std::ranges::copy(model.force(), r_.begin());
        A.add_transposed_product(1.0, lambda_, r_);
        M.add_product(-1.0, a_, r_);
        std::ranges::fill(g_, 0.0);
        A.add_product(-1.0, a_, g_);
        for (std::size_t k = 0; k < m_; ++k)
            g_[k] = levels[k] == RowLevel::acceleration ? b_ * b_ * (g_[k] + model.biases()[k])
                                                        : -b_ * model.rates()[k];
        model.solve(Augmented::dynamics, r_, g_, x_, y_);
        for (std::size_t i = 0; i < n_; ++i) a_[i] += x_[i] / (b_ * b_);
        for (std::size_t k = 0; k < m_; ++k) lambda_[k] += y_[k];
        const double size = system.displacement(x_);

        std::ranges::fill(r_, 0.0);
        M.add_product(-1.0, p_, r_);
        A.add_transposed_product(1.0, eta_, r_);
        std::ranges::fill(g_, 0.0);
        A.add_product(-1.0, x_, g_);
        for (std::size_t k = 0; k < m_; ++k)
            g_[k] = levels[k] == RowLevel::position ? g_[k] - model.gaps()[k] : 0.0;
        model.solve(Augmented::positions, r_, g_, x_, y_);
        for (std::size_t i = 0; i < n_; ++i) p_[i] += x_[i];
        for (std::size_t k = 0; k < m_; ++k) eta_[k] += y_[k];
        return std::max(size, system.displacement(x_));
    }

    std::size_t n_ = 0, m_ = 0, own_ = 0;
    double tolerance_ = 0.0, b_ = 0.0;
    std::vector<double> x0_, star_, state_, a_, lambda_, p_, eta_, r_, g_, x_, y_, rate_;
};

constexpr TypeDescriptor kTrBdf2 =
    type<TrBdf2>("tr_bdf2",
                 {.doc = "trapezoidal rule and backward differences, implicit, fixed step",
                  .equation = "x_g = x_0 + b (f_0 + f_g), x_1 = c x_g + (1 - c) x_0 + b f_1",
                  .source = "R. E. Bank et al., IEEE Trans. CAD 4 (1985) 436-451",
                  .tolerance = "largest correction that ends the iteration [m]",
                  .examples = {""},
                  .claims = {Claim::keeps_momentum},
                  .order = 2});

}  // namespace outside
