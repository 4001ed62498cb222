// SPDX-License-Identifier: BSD-3-Clause
// Bad: integrators that claim more than they keep or misuse memory, and a right one.
#include <algorithm>
#include <cmath>
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
        const auto n = static_cast<std::size_t>(system.continuous()->size().num_states);
        x_.assign(n, 0.0);
        y_.assign(n, 0.0);
        dx_.assign(n, 0.0);
    }
    void step(System& system, double t0, double h) override {
        find_middle_slope(system, t0, h);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += weight() * h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }

protected:
    /// What locates no events must not step over them.
    static void refuse_events(System& system, double t0) {
        if (system.num_events() > 0) system.refuse(t0, "this method locates no events");
    }
    virtual double weight() const { return 1.0; }
    /// x, and its rate at the middle of the step.
    void find_middle_slope(System& system, double t0, double h) {
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.continuous()->derivative(t0 + 0.5 * h, y_, dx_);
    }
    std::vector<double> x_, y_, dx_;
};

/// Walks a little too far.
class Hurries final : public Midpoint {
public:
    using Midpoint::Midpoint;

private:
    double weight() const override { return 1.001; }
};

/// The first order, with an error that is nothing at steps of 0.01 s.
class AccidentallyExact final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void prepare(const System& system, const StepSettings& settings) override {
        Midpoint::prepare(system, settings);
        n_ = static_cast<std::size_t>(system.continuous()->size().num_coordinates);
    }
    void step(System& system, double t0, double h) override {
        find_middle_slope(system, t0, h);
        const double more = 0.5 * (h - 0.01);
        for (std::size_t i = 0; i < x_.size(); ++i)
            x_[i] += (i < n_ ? 1.0 + more : 1.0) * h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }

private:
    std::size_t n_ = 0;
};

/// Right: the new velocity moves the coordinates.
class SymplecticEuler final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        const auto n = static_cast<std::size_t>(system.continuous()->size().num_coordinates);
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        for (std::size_t i = n; i < x_.size(); ++i) x_[i] += h * dx_[i];
        for (std::size_t i = 0; i < n; ++i) x_[i] += h * x_[n + i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }
};

/// Right: half a step of velocities, one of coordinates, and a velocity foretold for forces that
/// depend on it.
class VelocityVerlet final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void prepare(const System& system, const StepSettings& settings) override {
        Midpoint::prepare(system, settings);
        end_.assign(x_.size(), 0.0);
    }
    void step(System& system, double t0, double h) override {
        const auto n = static_cast<std::size_t>(system.continuous()->size().num_coordinates);
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        y_ = x_;
        for (std::size_t i = 0; i < n; ++i) y_[i] += h * (x_[n + i] + 0.5 * h * dx_[n + i]);
        for (std::size_t i = n; i < x_.size(); ++i) y_[i] += h * dx_[i];
        system.continuous()->derivative(t0 + h, y_, end_);
        for (std::size_t i = 0; i < n; ++i) x_[i] = y_[i];
        for (std::size_t i = n; i < x_.size(); ++i) x_[i] += 0.5 * h * (dx_[i] + end_[i]);
        system.continuous()->accept_state(t0, t0 + h, x_);
    }

private:
    std::vector<double> end_;
};

/// Right: Kutta's third-order method.
class Kutta3 final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void prepare(const System& system, const StepSettings& settings) override {
        Midpoint::prepare(system, settings);
        k1_.assign(x_.size(), 0.0);
        k2_.assign(x_.size(), 0.0);
    }
    void step(System& system, double t0, double h) override {
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, k1_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * k1_[i];
        system.continuous()->derivative(t0 + 0.5 * h, y_, k2_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + h * (2.0 * k2_[i] - k1_[i]);
        system.continuous()->derivative(t0 + h, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i)
            x_[i] += h / 6.0 * (k1_[i] + 4.0 * k2_[i] + dx_[i]);
        system.continuous()->accept_state(t0, t0 + h, x_);
    }

private:
    std::vector<double> k1_, k2_;
};

/// Right: x1 = x0 + h f(t0 + h/2, (x0 + x1) / 2), by iteration.
class ImplicitMidpoint final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        y_ = x_;
        for (int k = 0; k < 100; ++k) {
            system.continuous()->derivative(t0 + 0.5 * h, y_, dx_);
            double change = 0.0, size = 0.0;
            for (std::size_t i = 0; i < x_.size(); ++i) {
                const double next = x_[i] + 0.5 * h * dx_[i];
                change = std::max(change, std::abs(next - y_[i]));
                size = std::max(size, std::abs(next));
                y_[i] = next;
            }
            if (change <= 1e-15 * size) break;
        }
        system.continuous()->derivative(t0 + 0.5 * h, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }
};

/// Its stages all stand at t0: first order where time counts.
class StandsStill final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        system.continuous()->derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.continuous()->derivative(t0, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }
};

/// Moves coordinates and velocities, and leaves the works and impulses behind them.
class KeepsNoBooks final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        const auto n = 2 * static_cast<std::size_t>(system.continuous()->size().num_coordinates);
        find_middle_slope(system, t0, h);
        for (std::size_t i = 0; i < n; ++i) x_[i] += h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
    }
};

/// Says that it chooses its steps, and takes the same ones whatever the tolerance.
class IgnoresTolerance final : public Midpoint, private DenseOutput {
public:
    using Midpoint::Midpoint;
    IntegratorTraits traits() const override {
        return {.face = Face::continuous, .is_adaptive = true};
    }
    void facets(IntegratorFacets& out) const override { out.dense_output = this; }
    void prepare(const System& system, const StepSettings& settings) override {
        Midpoint::prepare(system, settings);
        start_.assign(x_.size(), 0.0);
    }
    void step(System& system, double t0, double h) override {
        refuse_events(system, t0);
        system.continuous()->read_state(start_);
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

/// Keeps the times of all steps.
class KeepsSteps final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        Midpoint::step(system, t0, h);
        times_.push_back(t0 + h);
    }

private:
    std::vector<double> times_;
};

/// Remembers the step before in a member, not in System::history: each step starts with the slope
/// that the last one ended with.
class Remembers final : public Midpoint {
public:
    using Midpoint::Midpoint;
    void step(System& system, double t0, double h) override {
        refuse_events(system, t0);
        system.continuous()->read_state(x_);
        if (!is_first_)
            for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += 1e-5 * h * dx_[i];
        else
            is_first_ = false;
        system.continuous()->derivative(t0, x_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) y_[i] = x_[i] + 0.5 * h * dx_[i];
        system.continuous()->derivative(t0 + 0.5 * h, y_, dx_);
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += h * dx_[i];
        system.continuous()->accept_state(t0, t0 + h, x_);
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
    type<SymplecticEuler>("right_symplectic_euler", docs(1)),
    type<VelocityVerlet>("right_velocity_verlet", docs(2)),
    type<Kutta3>("right_kutta3", docs(3)),
    type<ImplicitMidpoint>("right_implicit_midpoint", docs(2)),
    type<SymplecticEuler>("first_claims_second", docs(2)),
    type<AccidentallyExact>("accidentally_exact", docs(2)),
    type<Midpoint>("wrong_order", docs(4)),
    type<Midpoint>("wrong_claim", docs(2, {Claim::keeps_energy})),
    type<Hurries>("hurries", docs(2)),
    type<StandsStill>("stands_still", docs(2)),
    type<KeepsNoBooks>("keeps_no_books", docs(2)),
    type<IgnoresTolerance>("ignores_tolerance", docs(2)),
    type<Allocates>("allocates_in_step", docs(2)),
    type<KeepsSteps>("keeps_steps", docs(2)),
    type<Remembers>("remembers", docs(1)),
    type<SharesBuffer>("shares_buffer", docs(1)),
};

}  // namespace

ANCORA_PLUGIN("wrong_integrators", "1.0.0", kTypes)
