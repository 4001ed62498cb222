// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `bdf2`: the implicit formula of backward differences, second order.
#include <algorithm>
#include <cmath>
#include <vector>

#include <ancora/sdk/implicit_system.hpp>
#include <ancora/sdk/plugin.hpp>

namespace {

using namespace ancora;

/// Backward differences over steps of equal length h, with b = 2 h / 3 and x* = (4 x0 - x_-1) / 3,
/// in the first step and behind a change of h with b = h and x* = x0:
///
///   v1 = v* + b a1,   q1 = q* + b v1 + p,   M p = A^T eta                                   (1)
///   M a1 = F + A^T lambda,   phi(q1, t1) = 0,   A v1 + phi_t = 0                            (2)
///
/// p meets positions besides velocities (Gear, Leimkuhler, Gupta, J. Comput. Appl. Math. 12 (1985)
/// 77-90), so that multipliers have index 2. Newton's method with x = dq, S = M/b^2 + D/b + K + G:
///
///   S x - A^T y = F + A^T lambda - M a1,   (A + b A') x = -b psi                            (3)
///   M dp - A^T deta = A^T eta - M p,       A dp = -phi - A x                                (4)
class Bdf2 final : public Integrator {
public:
    explicit Bdf2(const Arguments&) {}

    IntegratorTraits traits() const override {
        IntegratorTraits traits;
        traits.face = Face::continuous;
        traits.projects = false;  // (2) meets the constraints itself
        return traits;
    }
    /// h of the last step, and of it q0, v0 and the increments of works, a1 and lambda.
    int num_history(const System& system) const override {
        return 1 + system.continuous()->size().num_states + system.num_coordinates() +
               system.implicit()->num_conditions();
    }
    void prepare(const System& system, const StepSettings& settings) override {
        n_ = static_cast<std::size_t>(system.num_coordinates());
        m_ = static_cast<std::size_t>(system.implicit()->num_conditions());
        tolerance_ = settings.tolerance > 0.0 ? settings.tolerance : 1e-12;
        state_.assign(static_cast<std::size_t>(system.continuous()->size().num_states), 0.0);
        for (auto* x : {&q_, &v_, &a_, &p_, &r_, &x_}) x->assign(n_, 0.0);
        for (auto* x : {&lambda_, &eta_, &g_, &y_}) x->assign(m_, 0.0);
        rate_.assign(state_.size() - 2 * n_, 0.0);
    }

    void step(System& system, double t0, double h) override {
        if (system.num_events() > 0)
            system.refuse(t0, "integrator \"bdf2\" locates no events; take emm or rk4");
        ImplicitSystem& model = *system.implicit();
        const std::span<double> past = system.history();
        const std::span<double> before = past.subspan(1, state_.size());
        const std::span<double> guess = past.last(n_ + m_);
        if (past[0] == 0.0)
            model.accelerations(t0, system.q(), system.v(), guess.first(n_), guess.last(m_));
        const bool is_first = std::abs(past[0] - h) > 1e-9 * h;
        b_ = is_first ? h : 2.0 * h / 3.0;
        // x* and, for works, which begin at zero in each step, their increment over the last one
        system.continuous()->read_state(state_);
        start_ = state_;
        for (std::size_t i = 0; i < state_.size() && !is_first; ++i)
            state_[i] += (i < 2 * n_ ? start_[i] - before[i] : before[i]) / 3.0;
        bool is_solved = iterate(system, model, t0 + h, guess);
        if (is_solved && !model.are_dropped_met() && model.renew_choice())
            is_solved = iterate(system, model, t0 + h, guess);
        if (!is_solved || !model.are_dropped_met())
            model.no_convergence(t0, h, x_, "take a shorter step");

        model.quadrature_rates(rate_);
        for (std::size_t i = 0; i < rate_.size(); ++i) state_[2 * n_ + i] += b_ * rate_[i];
        std::ranges::copy(q_, state_.begin());
        std::ranges::copy(v_, state_.begin() + static_cast<long>(n_));
        past[0] = h;
        std::ranges::copy(start_, before.begin());
        std::copy(state_.begin() + static_cast<long>(2 * n_),
                  state_.end(),
                  before.begin() + static_cast<long>(2 * n_));
        std::ranges::copy(a_, guess.begin());
        std::ranges::copy(lambda_, guess.last(m_).begin());
        system.continuous()->accept_state(t0, t0 + h, state_);
    }

private:
    bool iterate(System& system, ImplicitSystem& model, double t1, std::span<const double> guess) {
        std::ranges::copy(guess.first(n_), a_.begin());
        std::ranges::copy(guess.last(m_), lambda_.begin());
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
            // Corrections that fall no more have come to rounding.
            if (size <= tolerance_ || (size >= 0.5 * last && size <= 1e3 * tolerance_)) return true;
            if (!std::isfinite(size)) return false;
            last = size;
        }
        return false;
    }

    /// (1) with the trial's a1 and p.
    void evaluate(ImplicitSystem& model, double t1) {
        for (std::size_t i = 0; i < n_; ++i) {
            v_[i] = state_[n_ + i] + b_ * a_[i];
            q_[i] = state_[i] + b_ * v_[i] + p_[i];
        }
        model.evaluate({t1, q_, v_, lambda_});
    }

    /// (3) and (4). @returns what they displace matter by [m]
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

    std::size_t n_ = 0, m_ = 0;
    double tolerance_ = 0.0, b_ = 0.0;
    std::vector<double> state_, start_, q_, v_, a_, lambda_, p_, eta_, r_, g_, x_, y_, rate_;
};

constexpr TypeDescriptor kTypes[] = {
    type<Bdf2>(
        "bdf2",
        {.doc = "backward differences of second order, implicit, fixed step",
         .equation = "x1 = (4 x0 - x_-1) / 3 + (2 h / 3) x1'",
         .source = "C. W. Gear, B. Leimkuhler, G. K. Gupta, J. Comput. Appl. Math. 12 (1985) "
                   "77-90",
         .tolerance = "largest correction that ends the iteration [m]",
         .examples = {""},
         .claims = {Claim::keeps_momentum},
         .order = 2}),
};

}  // namespace

ANCORA_PLUGIN("bdf2", "0.1.0", kTypes)
