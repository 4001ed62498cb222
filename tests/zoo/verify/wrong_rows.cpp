// SPDX-License-Identifier: BSD-3-Clause
// Bad: constraints whose geometry is wrong in one place each, and the right one beside them.
#include <algorithm>
#include <array>
#include <cmath>

#include "parts.hpp"

namespace {

using namespace ancora;
using zoo::Rod;

/// A of the second end has the sign of the first.
class WrongSign final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        for (std::size_t i = 3; i < 6 && !out.A.empty(); ++i) out.A[i] = -out.A[i];
    }
};

/// b lacks a factor 2.
class MissingFactor final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.b.empty()) out.b[0] *= 0.5;
    }
};

/// A's last entry is left as it was.
class UnwrittenEntry final : public Rod {
public:
    using Rod::Rod;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        const double last = out.A.empty() ? 0.0 : out.A[5];
        Rod::evaluate(block, at, out);
        if (!out.A.empty()) out.A[5] = last;
    }
};

/// Over a step it takes the Jacobian at the start.
class OldJacobian final : public Rod {
public:
    using Rod::Rod;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        evaluate(block, {step.u0, step.rate, step.t0}, {{}, out.B, {}, {}});
    }
};

constexpr RowLaw kDashpot[] = {{.kind = RowKind::dashpot, .viscosity = 2.0}};

/// The same of a dashpot, whose pi is the distance.
class OldDashpot final : public Rod {
public:
    static constexpr TypeDocs kDocs = {.doc = "a dashpot",
                                       .equation = "pi = d . d / 2",
                                       .source = "made for tests",
                                       .examples = {Rod::kDocs.examples[0]}};
    explicit OldDashpot(const Arguments& arguments) : Rod(arguments) { block_.laws = kDashpot; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        evaluate(block, {step.u0, step.rate, step.t0}, {{}, out.B, {}, {}});
    }

private:
    RowBlock block_ = kBlock;
};

/// Right: a dashpot along x in space, written on |x|. Over a step past zero B is that of the way.
class FoldedDashpot final : public Rod {
public:
    static constexpr TypeDocs kDocs = {.doc = "a dashpot along x",
                                       .equation = "pi = |x_a - x_b|",
                                       .source = "made for tests",
                                       .examples = {Rod::kDocs.examples[0]}};
    explicit FoldedDashpot(const Arguments& arguments) : Rod(arguments) {
        block_.laws = kDashpot;
        block_.degree = Degree::general;
        block_.tangent = TangentForm::none;
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const double x = at.u[0] - at.u[3];
        if (!out.pi.empty()) out.pi[0] = std::abs(x);
        put(std::copysign(1.0, x), out.A);
        if (!out.b.empty()) out.b[0] = 0.0;
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        put(std::copysign(1.0, step.u1[0] - step.u1[3]), out.B);
    }

private:
    static void put(double sign, std::span<double> A) {
        if (A.empty()) return;
        std::ranges::fill(A, 0.0);
        A[0] = sign;
        A[3] = -sign;
    }

    RowBlock block_ = kBlock;
};

/// Over a step it turns with du, which B du does not show.
class TurnsWithStep final : public Rod {
public:
    using Rod::Rod;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        Rod::evaluate_step(block, step, out);
        const double size = std::hypot(step.du[0], step.du[1]);
        if (!(size > 0.0)) return;
        out.B[0] += 0.1 * step.du[1] / size;
        out.B[1] -= 0.1 * step.du[0] / size;
    }
};

/// The square of a right rod: its Jacobian vanishes where it holds.
class Squared final : public Rod {
public:
    static constexpr TypeDocs kDocs = {.doc = "a rod squared",
                                       .equation = "phi^2 / 2 = 0, phi = (d . d - L^2) / 2",
                                       .source = "made for tests",
                                       .examples = {Rod::kDocs.examples[0]}};
    explicit Squared(const Arguments& arguments) : Rod(arguments) {
        block_.degree = Degree::general;
        block_.tangent = TangentForm::none;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        double phi = 0.0, bias = 0.0, rate = 0.0;
        std::array<double, 6> A{};
        Rod::evaluate(
            block, at, {.pi = {&phi, 1}, .A = A, .pi_t = {}, .b = std::span<double>(&bias, 1)});
        for (std::size_t i = 0; i < at.du.size(); ++i) rate += A[i] * at.du[i];
        if (!out.pi.empty()) out.pi[0] = 0.5 * phi * phi;
        for (std::size_t i = 0; i < out.A.size(); ++i) out.A[i] = phi * A[i];
        if (!out.b.empty()) out.b[0] = phi * bias - rate * rate;
    }

private:
    RowBlock block_ = kBlock;
};

/// The tangent lacks the coupling of the ends.
class WrongTangent final : public Rod {
public:
    using Rod::Rod;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override {
        Rod::evaluate_tangent(block, at, G);
        G[1] = G[2] = 0.0;
    }
};

/// Says that it is invariant under rigid motions, and looks at z alone.
class PrefersZ final : public Rod {
public:
    explicit PrefersZ(const Arguments& arguments) : Rod(arguments) {
        block_.degree = Degree::linear;
        block_.tangent = TangentForm::none;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        if (!out.pi.empty()) out.pi[0] = at.u[2] - at.u[5];
        for (std::size_t i = 0; i < out.A.size(); ++i)
            out.A[i] = i == 2 ? 1.0 : i == 5 ? -1.0 : 0.0;
        if (!out.b.empty()) out.b[0] = 0.0;
    }

private:
    RowBlock block_ = kBlock;
};

/// Its stencil names a scalar that there is not.
class WrongStencil final : public Rod {
public:
    explicit WrongStencil(const Arguments& arguments) : Rod(arguments) { block_.stencil = kTooFar; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

private:
    static constexpr std::int32_t kTooFar[] = {0, 1, 2, 3, 4, 6};
    RowBlock block_ = kBlock;
};

/// A prescribed length whose rate lacks a factor.
class WrongRate final : public Rod {
public:
    explicit WrongRate(const Arguments& arguments) : Rod(arguments) {
        block_.depends_on_time = true;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        Rod::evaluate(block, at, out);
        if (!out.pi.empty()) out.pi[0] -= 0.1 * std::sin(3.0 * at.t);
        if (!out.pi_t.empty()) out.pi_t[0] = -0.1 * std::cos(3.0 * at.t);
        if (!out.b.empty()) out.b[0] -= 0.3 * std::sin(3.0 * at.t);
    }

private:
    RowBlock block_ = kBlock;
};

constexpr TypeDescriptor kTypes[] = {
    type<Rod>("right_rod", Rod::kDocs, Rod::kParameters),
    type<WrongSign>("wrong_sign", Rod::kDocs, Rod::kParameters),
    type<MissingFactor>("missing_factor", Rod::kDocs, Rod::kParameters),
    type<UnwrittenEntry>("unwritten_entry", Rod::kDocs, Rod::kParameters),
    type<OldJacobian>("old_jacobian", Rod::kDocs, Rod::kParameters),
    type<OldDashpot>("old_dashpot", OldDashpot::kDocs, Rod::kParameters),
    type<FoldedDashpot>("right_dashpot", FoldedDashpot::kDocs, Rod::kParameters),
    type<TurnsWithStep>("turns_with_step", Rod::kDocs, Rod::kParameters),
    type<Squared>("squared", Squared::kDocs, Rod::kParameters),
    type<WrongTangent>("wrong_tangent", Rod::kDocs, Rod::kParameters),
    type<PrefersZ>("prefers_z", Rod::kDocs, Rod::kParameters),
    type<WrongStencil>("wrong_stencil", Rod::kDocs, Rod::kParameters),
    type<WrongRate>("wrong_rate", Rod::kDocs, Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wrong_rows", "1.0.0", kTypes)
