// SPDX-License-Identifier: BSD-3-Clause
// Bad: integrators that claim more than they keep or misuse memory, and a right one.
#include <algorithm>
#include <vector>

#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

/// The explicit midpoint method: order 2.
class Midpoint : public Integrator {
public:
    explicit Midpoint(const Arguments&) {}
    IntegratorTraits traits() const override { return {.face = Face::continuous}; }
    void prepare(const System& system, const StepSettings&) override {
        const auto n = static_cast<std::size_t>(system.continuous().num_states);
        x_.assign(n, 0.0);
        y_.assign(n, 0.0);
        dx_.assign(n, 0.0);
    }
    void step(System& system, double t0, double h) override {
        system.read_state(x_);
        system.derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.derivative(t0 + 0.5 * h, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += weight() * h * dx_[i];
        system.accept_state(t0, t0 + h, x_);
    }

protected:
    virtual double weight() const { return 1.0; }
    std::vector<double> x_, y_, dx_;
};

/// Walks a little too far.
class Hurries final : public Midpoint {
public:
    using Midpoint::Midpoint;

private:
    double weight() const override { return 1.001; }
};

/// Its stages all stand at t0: first order where time counts.
class StandsStill final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        system.read_state(x_);
        system.derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.derivative(t0, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx_[i];
        system.accept_state(t0, t0 + h, x_);
    }
};

/// Moves coordinates and velocities, and leaves the works and impulses behind them.
class KeepsNoBooks final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        const auto n = 2 * static_cast<std::size_t>(system.continuous().num_coordinates);
        system.read_state(x_);
        system.derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.derivative(t0 + 0.5 * h, y_, dx_);
        for (std::size_t i = 0; i < n; ++i) x_[i] += h * dx_[i];
        system.accept_state(t0, t0 + h, x_);
    }
};

/// Says that it chooses its steps, and takes the same ones whatever the tolerance.
class IgnoresTolerance final : public Midpoint {
public:
    using Midpoint::Midpoint;
    IntegratorTraits traits() const override {
        return {.face = Face::continuous, .is_adaptive = true};
    }
    void prepare(const System& system, const StepSettings& settings) override {
        Midpoint::prepare(system, settings);
        start_.assign(x_.size(), 0.0);
    }
    void step(System& system, double t0, double h) override {
        system.read_state(start_);
        t0_ = t0;
        h_ = std::min(h, 0.01);
        Midpoint::step(system, t0, h_);
    }
    void interpolate(double t, std::span<double> x) const override {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = start_[i] + (t - t0_) / h_ * (x_[i] - start_[i]);
    }

private:
    std::vector<double> start_;
    double t0_ = 0.0;
    double h_ = 0.0;
};

class Allocates final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        y_ = std::vector<double>(x_.size(), 0.0);
        Midpoint::step(system, t0, h);
    }
};

/// Remembers the step before in a member, not in System::history: each step starts with the slope
/// that the last one ended with.
class Remembers final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        system.read_state(x_);
        if (!is_first_)
            for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += 1e-5 * h * dx_[i];
        else
            is_first_ = false;
        system.derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.derivative(t0 + 0.5 * h, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx_[i];
        system.accept_state(t0, t0 + h, x_);
    }

private:
    bool is_first_ = true;
};

/// All objects share one buffer.
class SharesBuffer final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        Midpoint::step(system, t0, h * (1.0 + 1e-13 * ++steps_));
    }

private:
    static inline int steps_ = 0;
};

constexpr TypeDocs docs(std::int32_t order, Claims claims = {}) {
    return {.doc = "explicit midpoint method",
            .equation = "x1 = x0 + h f(x0 + h/2 f(x0))",
            .source = "made for tests",
            .tolerance = "not used",
            .examples = {""},
            .claims = claims,
            .order = order};
}

constexpr TypeDescriptor kTypes[] = {
    type<Midpoint>("right_midpoint", docs(2)),
    type<Midpoint>("wrong_order", docs(4)),
    type<Midpoint>("wrong_claim", docs(2, {Claim::keeps_energy})),
    type<Hurries>("hurries", docs(2)),
    type<StandsStill>("stands_still", docs(2)),
    type<KeepsNoBooks>("keeps_no_books", docs(2)),
    type<IgnoresTolerance>("ignores_tolerance", docs(2)),
    type<Allocates>("allocates_in_step", docs(2)),
    type<Remembers>("remembers", docs(1)),
    type<SharesBuffer>("shares_buffer", docs(1)),
};

}  // namespace

ANCORA_PLUGIN("wrong_integrators", "1.0.0", kTypes)
