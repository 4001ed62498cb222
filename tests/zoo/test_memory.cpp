// SPDX-License-Identifier: BSD-3-Clause
// Good plugins whose state, kept by the kernel, counts the distance that a point has gone in x, and
// an integrator that discards a trial of each step before it takes it.
#include <array>
#include <cmath>
#include <vector>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/step_equations.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::point("at", "the point").required(),
    parameter::number("gain", "", "how the distance acts").required(),
};

/// state' = |x'|;  f_z = gain * state at the start of the step.
class TestWear final : public NonidealForce {
public:
    explicit TestWear(const Arguments& arguments) : gain_(arguments.number("gain")) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void facets(ForceFacets& out) const override { out.start_state = kStart; }

    void evaluate(const RowPoint&,
                  std::span<const double> state,
                  const ForceValues& out) const override {
        out.f[0] = out.f[1] = 0.0;
        out.f[2] = gain_ * state[0];
    }
    void evaluate_step(const RowStep& step,
                       std::span<const double>,
                       const ForceValues& out) const override {
        evaluate({step.mid, {}, step.t0}, step.state0, out);
        step.state1[0] = step.state0[0] + std::abs(step.du[0]);
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
    static constexpr double kStart[] = {0.0};

    double gain_;
};

/// state' = |x'|, from 1;  the row z' = gain * (state - 1) at the start of the step.
class TestFeed final : public Constraint {
public:
    explicit TestFeed(const Arguments& arguments) : gain_(arguments.number("gain")) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
    std::span<const double> start_state() const override { return kStart; }

    void evaluate(int, const RowPoint&, const RowValues& out) const override {
        for (std::size_t i = 0; i < out.A.size(); ++i) out.A[i] = i == 2 ? 1.0 : 0.0;
        for (const auto& x : {out.pi, out.pi_t, out.b})
            if (!x.empty()) x[0] = 0.0;
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        evaluate(0, {step.mid, {}, step.t0}, {{}, out.B, {}, {}});
        out.tau[0] = -step.h * gain_ * (step.state0[0] - 1.0);
        step.state1[0] = step.state0[0] + std::abs(step.du[0]);
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
    static constexpr double kStart[] = {1.0};
    static constexpr std::array<std::int32_t, 3> kStencil = {0, 1, 2};
    static constexpr RowLaw kLaw = {RowKind::velocity_constraint, 0.0, 0.0, 0.0};
    static constexpr RowBlock kBlock = {.name = "feed",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 3,
                                        .stencil = kStencil,
                                        .laws = {&kLaw, 1},
                                        .degree = Degree::linear,
                                        .tangent = TangentForm::none,
                                        .depends_on_time = true};

    double gain_;
};

constexpr Parameter kFumblerParameters[] = {
    parameter::text("tangent", "which matrix it uses", "definite|symmetric|exact")
        .otherwise("\"symmetric\""),
};

/// Newton's method on the step, after two trials that go far astray and are dropped.
class TestFumbler final : public Integrator {
public:
    explicit TestFumbler(const Arguments& arguments) {
        if (arguments.text("tangent") == "definite") tangent_ = Tangent::definite;
        if (arguments.text("tangent") == "exact") tangent_ = Tangent::consistent;
    }

    void prepare(const System& system, const StepSettings&) override {
        const auto n = static_cast<std::size_t>(system.num_coordinates());
        const auto m = static_cast<std::size_t>(system.num_rows());
        for (std::vector<double>* x : {&a_, &r_, &da_}) x->assign(n, 0.0);
        for (std::vector<double>* x : {&s_, &r_rows_, &ds_}) x->assign(m, 0.0);
    }

    void step(System& system, double t0, double h) override {
        StepEquations& equations = *system.step_equations();
        const StepTrial trial{t0, h, a_, s_};
        for (const double astray : {1e3, -1e4}) {
            a_.assign(a_.size(), astray);
            equations.evaluate(trial, r_, r_rows_);
        }
        a_.assign(a_.size(), 0.0);
        s_.assign(s_.size(), 0.0);
        for (int k = 0; k < 6; ++k) {
            equations.evaluate(trial, r_, r_rows_);
            if (k == 5) break;
            if (!equations.factorise(trial, tangent_))
                system.no_convergence(trial, "no factorisation", "do not use the fumbler");
            equations.solve(r_, r_rows_, da_, ds_);
            for (std::size_t i = 0; i < a_.size(); ++i) a_[i] -= 2.0 / (h * h) * da_[i];
            for (std::size_t i = 0; i < s_.size(); ++i) s_[i] -= ds_[i];
            equations.count_iteration();
        }
        system.accept(trial);
    }

private:
    Tangent tangent_ = Tangent::symmetric;
    std::vector<double> a_, s_, r_, r_rows_, da_, ds_;
};

constexpr TypeDescriptor kTypes[] = {
    type<TestWear>("test_wear", {"a load that grows with distance"}, kParameters),
    type<TestFeed>("test_feed", {"a rise that grows with distance"}, kParameters),
    type<TestFumbler>("test_fumbler", {"tries in vain before it steps"}, kFumblerParameters),
};

}  // namespace

ANCORA_PLUGIN("test_memory", "1.0.0", kTypes)
