// SPDX-License-Identifier: BSD-3-Clause
// Bad: factories, bodies, forces and rows that misbehave in one call each.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "test_mass.hpp"
#include "test_plane.hpp"

namespace {

using namespace ancora;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class NullFactory final : public zoo::TestMass {
public:
    using TestMass::TestMass;
};
void* make_nothing(const Arguments&) {
    return nullptr;
}

class NoCoordinates final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    std::span<const Coordinate> coordinates() const override { return {}; }
    void start(std::span<double>, std::span<double>) const override {}
    void mass(MassSink&) const override {}
};

class NanStart final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void start(std::span<double> q, std::span<double> v) const override {
        TestMass::start(q, v);
        v[1] = kNan;
    }
};

class NanMass final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink& M) const override {
        TestMass::mass(M);
        M.add(2, 1, kNan);
    }
};

class MassOutside final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink& M) const override {
        TestMass::mass(M);
        M.add(3, 0, 1.0);
    }
};

class NegativeMass final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink& M) const override {
        for (int i = 0; i < 3; ++i) M.add(i, i, i == 1 ? -1.0 : 1.0);
    }
};

/// A point mass that has no mass.
class Massless final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void mass(MassSink&) const override {}
};

/// Says that it has an attitude, and gives none.
class NoAttitude final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    PoseKind pose_kind() const override { return PoseKind::attitude; }
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        TestMass::pose(q, v, out);
        out.quaternion = {};
    }
};

/// Signals that go wrong once time is above zero.
class BadSignals : public NonidealForce, public Signals {
public:
    explicit BadSignals(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues& out) const override {
        std::ranges::fill(out.f, 0.0);
    }
    void facets(ForceFacets& out) const override { out.signals = this; }

    static constexpr Parameter kParameters[] = {parameter::point("at", "where").required()};

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
};

class NanRate final : public BadSignals {
public:
    using BadSignals::BadSignals;
    int num_continuous() const override { return 2; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        dx[0] = 1.0;
        dx[1] = at.t > 0.0 ? kNan : 0.0;
    }
};

class NanOutput final : public BadSignals {
public:
    using BadSignals::BadSignals;
    std::span<const Output> outputs() const override { return kOutputs; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.t > 0.0 ? kNan : 0.0;
    }

private:
    static constexpr Output kOutputs[] = {{"value"}};
};

class OddUnit final : public BadSignals {
public:
    using BadSignals::BadSignals;
    std::span<const Output> outputs() const override { return kOutputs; }
    void evaluate_outputs(const SignalPoint&, std::span<double> y) const override { y[0] = 0.0; }

private:
    static constexpr Output kOutputs[] = {{"speed", "furlong/fortnight"}};
};

class ThrowsInAct final : public BadSignals {
public:
    using BadSignals::BadSignals;
    int num_discrete() const override { return 1; }
    double next_time(double after, std::span<const double>) const override {
        return SampleTimes{0.015, 0.015}.next(after);
    }
    void act(const SignalPoint&, int, std::span<double>, std::span<double>) const override {
        throw std::runtime_error("no action today");
    }
};

/// Explodes: x' = x^2 / eps beyond any step.
class UnsettledState final : public BadSignals {
public:
    using BadSignals::BadSignals;
    int num_continuous() const override { return 1; }
    void start_values(std::span<double> x, std::span<double>) const override { x[0] = 1.0; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        dx[0] = 1e3 * at.own.x[0] * at.own.x[0];
    }
};

class PastTime final : public BadSignals {
public:
    using BadSignals::BadSignals;
    double next_time(double after, std::span<const double>) const override {
        return after < 0.0 ? 0.0 : after;
    }
};

class ThrowingForce final : public NonidealForce {
public:
    explicit ThrowingForce(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues&) const override {
        throw 42;
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
};

class NanForce final : public NonidealForce {
public:
    explicit NanForce(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        for (double& f : out.f) f = 0.0;
        if (at.t > 0.015) out.f[1] = kNan;
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
};

/// Good forces, but no derivative of them over a step.
class NanDerivative final : public NonidealForce, private ForceTangent {
public:
    explicit NanDerivative(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues& out) const override {
        for (double& f : out.f) f = 0.0;
    }
    void facets(ForceFacets& out) const override { out.tangent = this; }
    void differentiate_step(const RowStep&,
                            std::span<const double>,
                            std::span<double> D) const override {
        for (double& d : D) d = 0.0;
        D[5] = kNan;
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
};

/// Allocates in every call.
class AllocatingForce final : public NonidealForce {
public:
    explicit AllocatingForce(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues& out) const override {
        const std::vector<double> zero(out.f.size(), 0.0);
        std::copy(zero.begin(), zero.end(), out.f.begin());
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
};

/// The constraint z^2 / 2 = 0 with its geometry right, for the spoilt ones below.
class Square : public zoo::TestPlane {
public:
    explicit Square(const Arguments& arguments) : TestPlane(arguments) {
        block_.degree = Degree::quadratic;
        block_.tangent = TangentForm::isotropic;
        block_.laws = kElastic;
    }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        TestPlane::evaluate(block, at, out);
        if (!out.pi.empty()) out.pi[0] = 0.5 * at.u[2] * at.u[2];
        if (!out.A.empty()) out.A[2] = at.u[2];
    }
    void evaluate_tangent(int, const TangentPoint&, std::span<double> G) const override {
        G[0] = 0.0;
    }

private:
    static constexpr RowLaw kElastic[] = {{RowKind::elastic, 1.0, 0.0, 0.0}};
};

/// Its Jacobian over a step turns NaN.
class NanJacobian final : public Square {
public:
    using Square::Square;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override {
        Square::evaluate_step(block, step, out);
        if (step.t0 > 0.015) out.B[2] = kNan;
    }
};

/// Its tangent is NaN.
class NanTangent final : public Square {
public:
    using Square::Square;
    void evaluate_tangent(int, const TangentPoint&, std::span<double> G) const override {
        G[0] = kNan;
    }
};

/// Its tangent throws.
class ThrowsInTangent final : public Square {
public:
    using Square::Square;
    void evaluate_tangent(int, const TangentPoint& at, std::span<double>) const override {
        if (at.mid[0] > 0.0) throw std::runtime_error("no tangent today");
    }
};

constexpr Parameter kAt[] = {parameter::point("at", "where it acts").required()};

/// Says that its row is quadratic, and grows an entry above z = 1.
class LateEntry final : public zoo::TestMass {
public:
    using TestMass::TestMass;

    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const double above = std::max(at.u[2] - 1.0, 0.0);
        if (!out.pi.empty()) out.pi[0] = 0.5 * at.u[0] * at.u[0] + above * above;
        if (!out.A.empty()) {
            out.A[0] = at.u[0];
            out.A[1] = 2.0 * above;
        }
        if (!out.b.empty()) out.b[0] = -at.du[0] * at.du[0];
    }

private:
    static constexpr std::int32_t kStencil[] = {0, 2};
    static constexpr RowLaw kLaw = {RowKind::elastic, 1.0, 0.0, 0.0};
    static constexpr RowBlock kBlock = {.name = "late",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 2,
                                        .stencil = kStencil,
                                        .laws = {&kLaw, 1},
                                        .degree = Degree::quadratic};
};

constexpr TypeDescriptor null_factory() {
    TypeDescriptor made = type<NullFactory>("null_factory", {"body"}, zoo::TestMass::kParameters);
    made.create = &make_nothing;
    return made;
}

constexpr TypeDescriptor kTypes[] = {
    null_factory(),
    type<NoCoordinates>("no_coordinates", {"body"}, zoo::TestMass::kParameters),
    type<NanStart>("nan_start", {"body"}, zoo::TestMass::kParameters),
    type<NanMass>("nan_mass", {"body"}, zoo::TestMass::kParameters),
    type<MassOutside>("mass_outside", {"body"}, zoo::TestMass::kParameters),
    type<NegativeMass>("negative_mass", {"body"}, zoo::TestMass::kParameters),
    type<Massless>("massless", {"body"}, zoo::TestMass::kParameters),
    type<NoAttitude>("no_attitude", {"body"}, zoo::TestMass::kParameters),
    type<LateEntry>("late_entry", {"body"}, zoo::TestMass::kParameters),
    type<ThrowingForce>("throwing_force", {"force"}, kAt),
    type<NanForce>("nan_force", {"force"}, kAt),
    type<NanDerivative>("nan_derivative", {"force"}, kAt),
    type<AllocatingForce>("allocating_force", {"force"}, kAt),
    type<NanRate>("nan_rate", {"force"}, BadSignals::kParameters),
    type<NanOutput>("nan_output", {"force"}, BadSignals::kParameters),
    type<OddUnit>("odd_unit", {"force"}, BadSignals::kParameters),
    type<ThrowsInAct>("throws_in_act", {"force"}, BadSignals::kParameters),
    type<UnsettledState>("unsettled_state", {"force"}, BadSignals::kParameters),
    type<PastTime>("past_time", {"force"}, BadSignals::kParameters),
    type<NanJacobian>("nan_jacobian", {"z^2 / 2"}, zoo::TestPlane::kParameters),
    type<NanTangent>("nan_tangent", {"z^2 / 2"}, zoo::TestPlane::kParameters),
    type<ThrowsInTangent>("throws_in_tangent", {"z^2 / 2"}, zoo::TestPlane::kParameters),
};

}  // namespace

ANCORA_PLUGIN("bad_calls", "1.0.0", kTypes)
