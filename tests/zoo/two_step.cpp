// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: integrators that keep the rates of all of x, works too, from step to step.
#include <algorithm>
#include <vector>

#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

/// Adams and Bashforth's method of two steps, x1 = x0 + h (3/2 x0' - 1/2 x'_before), with Euler's
/// for the first one.
class TwoStep : public Integrator {
public:
    explicit TwoStep(const Arguments&) {}
    IntegratorTraits traits() const override { return {.face = Face::continuous}; }
    void prepare(const System& system, const StepSettings&) override {
        const auto size = static_cast<std::size_t>(system.continuous()->size().num_states);
        for (std::vector<double>* x : {&x_, &dx_}) x->assign(size, 0.0);
    }
    int num_history(const System& system) const override {
        return 1 + system.continuous()->size().num_states;
    }
    void step(System& system, double t0, double h) override {
        double& has_begun = system.history()[0];
        const std::span<double> before = system.history().subspan(1);
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        const double weight = has_begun != 0.0 ? 1.5 : 1.0;
        for (std::size_t i = 0; i < x_.size(); ++i)
            x_[i] += h * (weight * dx_[i] + (1.0 - weight) * before[i]);
        std::ranges::copy(dx_, before.begin());
        has_begun = 1.0;
        system.continuous()->accept_state(t0, t0 + h, x_);
    }

protected:
    std::vector<double> x_, dx_;
};

/// The same as an integrator that chooses its steps, all alike.
class TwoStepByChoice final : public TwoStep, private DenseOutput {
public:
    using TwoStep::TwoStep;
    IntegratorTraits traits() const override {
        return {.face = Face::continuous, .is_adaptive = true};
    }
    void facets(IntegratorFacets& out) const override { out.dense_output = this; }
    void prepare(const System& system, const StepSettings& settings) override {
        TwoStep::prepare(system, settings);
        step_ = settings.step;
        start_.assign(x_.size(), 0.0);
    }
    void step(System& system, double t0, double h) override {
        system.continuous()->read_state(start_);
        t0_ = t0;
        h_ = std::min(h, step_);
        TwoStep::step(system, t0, h_);
    }
    void interpolate(double t, std::span<double> x) const override {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = start_[i] + (t - t0_) / h_ * (x_[i] - start_[i]);
    }

private:
    std::vector<double> start_;
    double step_ = 0.0, t0_ = 0.0, h_ = 0.0;
};

constexpr TypeDocs docs() {
    return {.doc = "method of Adams and Bashforth of two steps",
            .equation = "x1 = x0 + h (3/2 x0' - 1/2 x'_before)",
            .source = "made for tests",
            .tolerance = "not used",
            .examples = {""},
            .order = 2};
}

constexpr TypeDescriptor kTypes[] = {
    type<TwoStep>("two_step", docs()),
    type<TwoStepByChoice>("two_step_by_choice", docs()),
};

}  // namespace

ANCORA_PLUGIN("two_step", "1.0.0", kTypes)
