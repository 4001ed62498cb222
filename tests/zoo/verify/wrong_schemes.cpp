// SPDX-License-Identifier: BSD-3-Clause
// Bad: integrators that mistreat works, states of objects or events, and right ones beside them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ancora/sdk/helpers/step_pieces.hpp"
#include "ancora/sdk/implicit_system.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

/// Right: the explicit midpoint method, which ends its steps at events.
class Located : public Integrator {
public:
    explicit Located(const Arguments&) {}
    IntegratorTraits traits() const override { return {.face = Face::continuous}; }
    void prepare(const System& system, const StepSettings&) override {
        const ContinuousState size = system.continuous()->size();
        moved_ = 2 * static_cast<std::size_t>(size.num_coordinates);
        own_ = static_cast<std::size_t>(size.num_states - size.num_own);
        for (std::vector<double>* x : {&x_, &y_, &first_, &dx_, &x1_})
            x->assign(static_cast<std::size_t>(size.num_states), 0.0);
        events_.resize(system.num_events());
    }
    void step(System& system, double t0, double h) override {
        ContinuousSystem& model = *system.continuous();
        for (StepPieces pieces(system, events_, t0, h); pieces.more();) {
            const double t = pieces.t();
            model.read_state(x_);
            pieces.advance(
                pieces.rest(),
                [&](double length) {
                    make_trial(model, t, length);
                    model.evaluate_events(t + length, x1_, events_.values());
                },
                [&](double t1, double) {
                    model.accept_state(t, t1, x1_);
                });
        }
    }

protected:
    void make_trial(ContinuousSystem& model, double t, double h) {
        model.derivative(t, x_, first_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * first_[i];
        model.derivative(t + 0.5 * h, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x1_[i] = x_[i] + h * slope(i);
    }
    /// Of entry i of x over a step.
    virtual double slope(std::size_t i) const { return dx_[i]; }

    std::size_t moved_ = 0;  ///< entries of q and v
    std::size_t own_ = 0;    ///< the first entry of objects' states
    std::vector<double> x_, y_, first_, dx_, x1_;
    EventLocator events_;
};

/// Works and impulses by the slope at the begin: first order.
class EulerWorks final : public Located {
    double slope(std::size_t i) const override {
        return i >= moved_ && i < own_ ? first_[i] : dx_[i];
    }

public:
    using Located::Located;
};
/// Works alone, impulses as they should be.
class EulerWorksAlone final : public Located {
    double slope(std::size_t i) const override {
        return i >= moved_ && i < moved_ + 2 ? first_[i] : dx_[i];
    }

public:
    using Located::Located;
};
/// Impulses alone.
class EulerImpulses final : public Located {
    double slope(std::size_t i) const override {
        return i >= moved_ + 2 && i < own_ ? first_[i] : dx_[i];
    }

public:
    using Located::Located;
};
/// Carries states of objects half as far as they go.
class HalfOwnStates final : public Located {
    double slope(std::size_t i) const override { return (i >= own_ ? 0.5 : 1.0) * dx_[i]; }

public:
    using Located::Located;
};
/// Does not know that there are such states.
class LeavesOwnStates final : public Located {
    double slope(std::size_t i) const override { return i >= own_ ? 0.0 : dx_[i]; }

public:
    using Located::Located;
};

// --- events

class IgnoresEvents final : public Located {
public:
    using Located::Located;
    void step(System& system, double t0, double h) override {
        ContinuousSystem& model = *system.continuous();
        model.read_state(x_);
        make_trial(model, t0, h);
        model.accept_state(t0, t0 + h, x1_);
    }
};
/// Lets them come at the end of the step in which they are due.
class LateEvents final : public Located {
public:
    using Located::Located;
    void step(System& system, double t0, double h) override {
        ContinuousSystem& model = *system.continuous();
        model.read_state(x_);
        make_trial(model, t0, h);
        model.evaluate_events(t0 + h, x1_, events_.values());
        const int event = events_.violated();
        model.accept_state(t0, t0 + h, x1_);
        if (event >= 0) system.pass_event(event);
    }
};
/// Ends a step there, and does not report it.
class PassesNothing final : public Located {
public:
    using Located::Located;
    void step(System& system, double t0, double h) override {
        ContinuousSystem& model = *system.continuous();
        const auto trial = [&](double length) {
            make_trial(model, t0, length);
            model.evaluate_events(t0 + length, x1_, events_.values());
        };
        model.read_state(x_);
        double length = h;
        trial(length);
        events_.shorten(length, trial);
        if (length > 0.0 && length < h) {
            model.accept_state(t0, t0 + length, x1_);
            model.read_state(x_);
            make_trial(model, t0 + length, h - length);
            model.accept_state(t0 + length, t0 + h, x1_);
            return;
        }
        make_trial(model, t0, h);
        model.accept_state(t0, t0 + h, x1_);
    }
};

// --- outputs

/// Shows how many steps it has made.
class Shows : public Located, private IntegratorOutputs {
public:
    using Located::Located;
    int num_history(const System&) const override { return 1; }
    void step(System& system, double t0, double h) override {
        Located::step(system, t0, h);
        system.history()[0] += 1.0;
        ++steps_;
    }
    void facets(IntegratorFacets& out) const override { out.outputs = this; }
    std::span<const Output> outputs() const override { return {&kSteps, 1}; }
    void evaluate_outputs(std::span<const double> history, std::span<double> y) const override {
        y[0] = history[0];
    }

protected:
    int steps_ = 0;

private:
    static constexpr Output kSteps{"steps", "", "made so far"};
};
class ShowsMember final : public Shows {
public:
    using Shows::Shows;
    void evaluate_outputs(std::span<const double>, std::span<double> y) const override {
        y[0] = steps_;
    }
};

enum class Shown {
    one_of_two,    // the second value is left as it was
    three_of_two,  // and one behind
    nan,           // no number
    counts_calls,  // another value each time it is asked
    twice,         // two of one name
    no_unit,       // in "steps"
    forgotten,     // derives from IntegratorOutputs, and does not name it
    of_last        // those of the object that was made last
};
template <Shown kWrong>
class ShowsTwo final : public Located, private IntegratorOutputs {
public:
    explicit ShowsTwo(const Arguments& arguments) : Located(arguments) { last = this; }
    int num_history(const System&) const override { return 1; }
    void step(System& system, double t0, double h) override {
        Located::step(system, t0, h);
        system.history()[0] += 1.0;
    }
    void facets(IntegratorFacets& out) const override {
        if (kWrong == Shown::forgotten) return;
        out.outputs = kWrong == Shown::of_last ? last : this;
    }
    std::span<const Output> outputs() const override {
        static constexpr Output kTwo[] = {{"steps", "", "made so far"}, {"half", "", "of it"}};
        static constexpr Output kTwice[] = {{"steps", "", "made so far"}, {"steps", "", "again"}};
        static constexpr Output kUnit[] = {{"steps", "steps", "made so far"},
                                           {"half", "", "of it"}};
        return kWrong == Shown::twice ? kTwice : kWrong == Shown::no_unit ? kUnit : kTwo;
    }
    void evaluate_outputs(std::span<const double> history, std::span<double> y) const override {
        y[0] = history[0];
        if (kWrong == Shown::nan) y[0] /= 0.0 * y[0];
        if (kWrong == Shown::counts_calls) y[0] += ++calls_;
        if (kWrong == Shown::one_of_two) return;
        y[1] = 0.5 * history[0];
        if (kWrong == Shown::three_of_two) y.data()[2] = y[1];
    }

private:
    inline static const ShowsTwo* last = nullptr;
    mutable int calls_ = 0;
};

enum class Inside {
    nothing,
    stands,       // where the step began
    late,         // as if the step had ended later
    no_works,     // works as they were at its begin
    no_momenta,   // velocities as they were at its begin
    straight_on,  // along the first slope
    forgotten,    // derives from DenseOutput, and does not name it
};
/// Right: the same method under error control, with Hermite's polynomial inside a step.
template <Inside kWrong>
class Adapts final : public Located, private DenseOutput {
public:
    using Located::Located;
    IntegratorTraits traits() const override {
        return {.face = Face::continuous, .is_adaptive = true};
    }
    void prepare(const System& system, const StepSettings& settings) override {
        Located::prepare(system, settings);
        tolerance_ = settings.tolerance > 0.0 ? settings.tolerance : 1e-8;
        first_step_ = settings.step;
        last_.assign(x_.size(), 0.0);
    }
    int num_history(const System&) const override { return 1; }
    void step(System& system, double t0, double h) override {
        if (system.num_events() > 0) system.refuse(t0, "this method locates no events");
        ContinuousSystem& model = *system.continuous();
        double& next = system.history()[0];
        if (next == 0.0) next = first_step_;
        model.read_state(x_);
        double length = std::min(next, h);
        for (;;) {
            make_trial(model, t0, length);
            double error = 0.0;
            for (std::size_t i = 0; i < moved_; ++i)
                error = std::max(error, std::abs(length * (dx_[i] - first_[i])));
            error *= length / tolerance_;
            const double factor = std::clamp(0.9 / std::cbrt(std::max(error, 1e-9)), 0.2, 2.0);
            if (error <= 1.0) {
                next = std::max(length < next ? next : 0.0, factor * length);
                break;
            }
            next = length *= factor;
        }
        t0_ = t0;
        t1_ = t0 + length;
        model.derivative(t1_, x1_, last_);
        model.accept_state(t0_, t1_, x1_);
    }
    void facets(IntegratorFacets& out) const override {
        if (kWrong != Inside::forgotten) out.dense_output = this;
    }

private:
    void interpolate(double t, std::span<double> x) const override {
        const double h = t1_ - t0_;
        const double s = (t - t0_) / h * (kWrong == Inside::late ? 0.8 : 1.0);
        const double a = 1.0 - s, b = s * s * (3.0 - 2.0 * s);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = (1.0 - b) * x_[i] + b * x1_[i] + h * s * a * (a * first_[i] - s * last_[i]);
            const bool stays = kWrong == Inside::stands ||
                               (kWrong == Inside::no_works && i >= moved_) ||
                               (kWrong == Inside::no_momenta && 2 * i >= moved_ && i < moved_);
            if (stays) x[i] = x_[i];
            if (kWrong == Inside::straight_on) x[i] = x_[i] + s * h * first_[i];
        }
    }

    double tolerance_ = 0.0, first_step_ = 0.0, t0_ = 0.0, t1_ = 0.0;
    std::vector<double> last_;
};

// --- implicit

/// Right: the implicit Euler method, with positions met besides velocities.
class ImplicitEuler : public Integrator {
public:
    explicit ImplicitEuler(const Arguments&) {}
    IntegratorTraits traits() const override {
        return {.face = Face::continuous, .projects = false, .follows_own_states = true};
    }
    void prepare(const System& system, const StepSettings&) override {
        const ContinuousState size = system.continuous()->size();
        n_ = static_cast<std::size_t>(size.num_coordinates);
        num_own_ = static_cast<std::size_t>(size.num_own);
        m_ = static_cast<std::size_t>(system.implicit()->num_conditions());
        state_.assign(static_cast<std::size_t>(size.num_states), 0.0);
        for (auto* x : {&q_, &v_, &a_, &p_, &r_, &x_}) x->assign(n_, 0.0);
        for (auto* x : {&lambda_, &eta_, &g_, &y_}) x->assign(m_, 0.0);
        rate_.assign(state_.size() - 2 * n_, 0.0);
    }
    void step(System& system, double t0, double h) override {
        if (system.num_events() > 0) system.refuse(t0, "this method locates no events");
        ImplicitSystem& model = *system.implicit();
        h_ = h;
        system.continuous()->read_state(state_);
        follow(model, 0.0);
        model.accelerations(t0, system.q(), system.v(), a_, lambda_);
        follow(model, h);
        bool is_solved = iterate(system, model, t0 + h);
        if (is_solved && !model.are_dropped_met() && model.renew_choice())
            is_solved = iterate(system, model, t0 + h);
        if (!is_solved) model.no_convergence(t0, h, x_, "take a shorter step");
        model.quadrature_rates(rate_);
        for (std::size_t i = 0; i < num_carried(); ++i) state_[2 * n_ + i] += h * rate_[i];
        std::ranges::copy(q_, state_.begin());
        std::ranges::copy(v_, state_.begin() + static_cast<std::ptrdiff_t>(n_));
        system.continuous()->accept_state(t0, t0 + h, state_);
    }

protected:
    virtual void follow(ImplicitSystem& model, double weight) {
        model.follow_own(std::span<const double>(state_).last(num_own_), weight);
    }
    /// Entries of x behind q and v that it carries on.
    virtual std::size_t num_carried() const { return rate_.size(); }

    std::size_t n_ = 0, m_ = 0, num_own_ = 0;
    double h_ = 0.0;
    std::vector<double> state_, q_, v_, a_, lambda_, p_, eta_, r_, g_, x_, y_, rate_;

private:
    bool iterate(System& system, ImplicitSystem& model, double t1) {
        std::ranges::fill(p_, 0.0);
        std::ranges::fill(eta_, 0.0);
        evaluate(model, t1);
        for (int k = 0; k < 40; ++k) {
            model.differentiate(a_);
            if (!model.factorise(Augmented::dynamics, {1.0 / (h_ * h_), 1.0 / h_, 1.0, h_}) ||
                !model.factorise(Augmented::positions, {}))
                return false;
            model.count_iteration();
            const double size = correct(system, model);
            evaluate(model, t1);
            if (!std::isfinite(size)) return false;
            if (size <= 1e-12) return true;
        }
        return false;
    }
    void evaluate(ImplicitSystem& model, double t1) {
        for (std::size_t i = 0; i < n_; ++i) {
            v_[i] = state_[n_ + i] + h_ * a_[i];
            q_[i] = state_[i] + h_ * v_[i] + p_[i];
        }
        model.evaluate({t1, q_, v_, lambda_});
    }
    double correct(System& system, ImplicitSystem& model) {
        const CompressedMatrix M = model.mass(), A = model.jacobian();
        std::ranges::copy(model.force(), r_.begin());
        A.add_transposed_product(1.0, lambda_, r_);
        M.add_product(-1.0, a_, r_);
        for (std::size_t k = 0; k < m_; ++k) g_[k] = -h_ * model.rates()[k];
        model.solve(Augmented::dynamics, r_, g_, x_, y_);
        for (std::size_t i = 0; i < n_; ++i) a_[i] += x_[i] / (h_ * h_);
        for (std::size_t k = 0; k < m_; ++k) lambda_[k] += y_[k];
        const double size = system.displacement(x_);
        std::ranges::fill(r_, 0.0);
        M.add_product(-1.0, p_, r_);
        A.add_transposed_product(1.0, eta_, r_);
        std::ranges::fill(g_, 0.0);
        A.add_product(-1.0, x_, g_);
        for (std::size_t k = 0; k < m_; ++k)
            g_[k] = model.levels()[k] == RowLevel::position ? g_[k] - model.gaps()[k] : 0.0;
        model.solve(Augmented::positions, r_, g_, x_, y_);
        for (std::size_t i = 0; i < n_; ++i) p_[i] += x_[i];
        for (std::size_t k = 0; k < m_; ++k) eta_[k] += y_[k];
        return std::max(size, system.displacement(x_));
    }
};
/// Claims to follow states of objects, and leaves them where they are.
class NeverFollows final : public ImplicitEuler {
    void follow(ImplicitSystem&, double) override {}
    std::size_t num_carried() const override { return rate_.size() - num_own_; }

public:
    using ImplicitEuler::ImplicitEuler;
};

constexpr TypeDocs docs(std::int32_t order) {
    return {.doc = "a method of its order",
            .equation = "x1 = x0 + h f",
            .source = "made for tests",
            .tolerance = "not used",
            .examples = {""},
            .order = order};
}

constexpr TypeDescriptor kTypes[] = {
    type<Located>("right_located", docs(2)),
    type<Shows>("right_shows", docs(2)),
    type<ImplicitEuler>("right_implicit_euler", docs(1)),
    type<EulerWorks>("euler_works", docs(2)),
    type<EulerWorksAlone>("euler_works_alone", docs(2)),
    type<EulerImpulses>("euler_impulses", docs(2)),
    type<HalfOwnStates>("half_own_states", docs(2)),
    type<LeavesOwnStates>("leaves_own_states", docs(2)),
    type<NeverFollows>("never_follows", docs(1)),
    type<IgnoresEvents>("ignores_events", docs(2)),
    type<LateEvents>("late_events", docs(2)),
    type<PassesNothing>("passes_nothing", docs(2)),
    type<ShowsMember>("shows_member", docs(2)),
    type<ShowsTwo<Shown::one_of_two>>("shows_one_of_two", docs(2)),
    type<ShowsTwo<Shown::three_of_two>>("shows_three_of_two", docs(2)),
    type<ShowsTwo<Shown::nan>>("shows_nan", docs(2)),
    type<ShowsTwo<Shown::counts_calls>>("shows_calls", docs(2)),
    type<ShowsTwo<Shown::twice>>("shows_twice", docs(2)),
    type<ShowsTwo<Shown::no_unit>>("shows_no_unit", docs(2)),
    type<ShowsTwo<Shown::forgotten>>("forgets_outputs", docs(2)),
    type<ShowsTwo<Shown::of_last>>("shows_last", docs(2)),
    type<Adapts<Inside::nothing>>("right_adapts", docs(2)),
    type<Adapts<Inside::stands>>("stands_inside", docs(2)),
    type<Adapts<Inside::late>>("late_inside", docs(2)),
    type<Adapts<Inside::no_works>>("no_works_inside", docs(2)),
    type<Adapts<Inside::no_momenta>>("no_momenta_inside", docs(2)),
    type<Adapts<Inside::straight_on>>("straight_on_inside", docs(2)),
    type<Adapts<Inside::forgotten>>("forgets_inside", docs(2)),
};

}  // namespace

ANCORA_PLUGIN("wrong_schemes", "1.0.0", kTypes)
