// SPDX-License-Identifier: BSD-3-Clause
// Bad: forces and a law of friction that break a claim or a rule each, and right ones beside them.
#include <cmath>

#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

constexpr Parameter kAt[] = {
    parameter::point("at", "where it acts").required(),
};
constexpr TypeDocs kDocs = {.doc = "quadratic drag",
                            .equation = "f = -c |v| v",
                            .source = "made for tests",
                            .examples = {"at = \"a@[0.3, 0.1, -0.2]\""},
                            .claims = {Claim::dissipative, Claim::frame_invariant}};

/// f = -c |v| v
class Drag : public NonidealForce {
public:
    explicit Drag(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override { out.tied_to_inertial_frame = true; }
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        const double speed = std::hypot(at.du[0], at.du[1], at.du[2]);
        for (std::size_t i = 0; i < 3; ++i) out.f[i] = -0.2 * speed * at.du[i];
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
};

/// Drives what moves.
class Drives final : public Drag {
public:
    using Drag::Drag;
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override {
        Drag::evaluate(at, state, out);
        for (double& f : out.f) f = -f;
    }
};

/// Over a step it mixes up the axes.
class MixesAxes final : public Drag {
public:
    using Drag::Drag;
    void evaluate_step(const RowStep&,
                       std::span<const double> mean,
                       const ForceValues& out) const override {
        for (std::size_t i = 0; i < 3; ++i) out.f[i] = -0.2 * mean[(i + 1) % 3];
    }
};

/// Drags harder along z.
class PrefersZ final : public Drag {
public:
    using Drag::Drag;
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override {
        Drag::evaluate(at, state, out);
        out.f[2] *= 2.0;
    }
};

/// Divides by a speed that may be zero.
class NoRest final : public Drag {
public:
    using Drag::Drag;
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        const double speed = std::hypot(at.du[0], at.du[1], at.du[2]);
        for (std::size_t i = 0; i < 3; ++i) out.f[i] = -0.2 * at.du[i] / speed;
    }
};

/// Forgets that a medium takes the reaction.
class UntiedDrag final : public Drag {
public:
    using Drag::Drag;
    void facets(ForceFacets& out) const override { out.tied_to_inertial_frame = false; }
};

/// Over a step it is twice what it is at an instant.
class TwiceInStep final : public Drag {
public:
    using Drag::Drag;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean,
                       const ForceValues& out) const override {
        Drag::evaluate_step(step, mean, out);
        for (double& f : out.f) f *= 2.0;
    }
};

/// Above 50 m/s the sign is lost.
class DrivesWhenFast final : public Drag {
public:
    using Drag::Drag;
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override {
        Drag::evaluate(at, state, out);
        if (std::hypot(at.du[0], at.du[1], at.du[2]) > 50.0)
            for (double& f : out.f) f = -f;
    }
};

/// Forgets that the mean velocity moves with du / h.
class WrongTangent final : public Drag, private ForceTangent {
public:
    using Drag::Drag;
    void facets(ForceFacets& out) const override {
        Drag::facets(out);
        out.tangent = this;
    }
    void differentiate_step(const RowStep&,
                            std::span<const double> mean,
                            std::span<double> D) const override {
        const double speed = std::hypot(mean[0], mean[1], mean[2]);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
                D[3 * i + j] =
                    speed > 0.0 ? -0.2 * (speed * (i == j) + mean[i] * mean[j] / speed) : 0.0;
    }
};

constexpr Parameter kBetween[] = {
    parameter::point("a", "one end").required(),
    parameter::point("b", "the other end").required(),
};
constexpr TypeDocs kBetweenDocs = {
    .doc = "a damper between two points",
    .equation = "f_a = -f_b = -c ((v_a - v_b) . n) n, n = (r_a - r_b) / |r_a - r_b|",
    .source = "made for tests",
    .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"",
                 "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[0.0, 0.2, 0.1]\""}};

/// f_a = -f_b along the line of the points
class Damper : public NonidealForce {
public:
    explicit Damper(const Arguments&) {}
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        double square = 0.0, rate = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double d = at.u[i] - at.u[i + 3];
            square += d * d;
            rate += d * (at.du[i] - at.du[i + 3]);
        }
        for (std::size_t i = 0; i < 3; ++i) {
            out.f[i] = -0.2 * rate / square * (at.u[i] - at.u[i + 3]);
            out.f[i + 3] = -out.f[i];
        }
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"a"}, {"b"}};
};

/// Nothing acts on the second point.
class OneSided final : public Damper {
public:
    using Damper::Damper;
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override {
        Damper::evaluate(at, state, out);
        for (std::size_t i = 3; i < 6; ++i) out.f[i] = 0.0;
    }
};

/// Equal and opposite, but along the relative velocity: a couple is left over.
class Couple final : public Damper {
public:
    using Damper::Damper;
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        for (std::size_t i = 0; i < 3; ++i) {
            out.f[i] = -0.2 * (at.du[i] - at.du[i + 3]);
            out.f[i + 3] = -out.f[i];
        }
    }
};

/// Over a step it pulls along the line at the start.
class OldLine final : public Damper {
public:
    using Damper::Damper;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean,
                       const ForceValues& out) const override {
        evaluate({step.u0, mean, step.t0, {}}, step.state0, out);
    }
};

constexpr Parameter kOn[] = {
    parameter::object("on", "the constraint that it slides on").required(),
};
constexpr TypeDocs kFrictionDocs = {.doc = "dry friction",
                                    .equation = "|C| = mu N",
                                    .source = "made for tests",
                                    .examples = {"on = \"c\""},
                                    .claims = {Claim::dissipative}};

class Friction : public DryFriction {
public:
    explicit Friction(const Arguments&) {}

protected:
    const char* constraint() const override { return "on"; }
    SlipForce slip(double N, double speed) const override {
        return {.force = 0.3 * N + 0.1 * speed, .by_normal = 0.3, .by_speed = 0.1};
    }
    double stick_limit(double N) const override { return 0.4 * N; }
};

/// Forgets that the force depends on speed.
class WrongSlope final : public Friction {
public:
    using Friction::Friction;

private:
    SlipForce slip(double N, double speed) const override {
        SlipForce slip = Friction::slip(N, speed);
        slip.by_speed = 0.0;
        return slip;
    }
};

/// Sticking bears less than slipping takes.
class WeakStick final : public Friction {
public:
    using Friction::Friction;

private:
    double stick_limit(double N) const override { return 0.2 * N; }
};

constexpr TypeDescriptor kTypes[] = {
    type<Drag>("right_drag", kDocs, kAt),
    type<Drives>("drives", kDocs, kAt),
    type<MixesAxes>("mixes_axes", kDocs, kAt),
    type<PrefersZ>("prefers_z", kDocs, kAt),
    type<NoRest>("no_rest", kDocs, kAt),
    type<UntiedDrag>("untied_drag", kDocs, kAt),
    type<TwiceInStep>("twice_in_step", kDocs, kAt),
    type<DrivesWhenFast>("drives_when_fast", kDocs, kAt),
    type<WrongTangent>("wrong_tangent", kDocs, kAt),
    type<Damper>("right_damper", kBetweenDocs, kBetween),
    type<OneSided>("one_sided", kBetweenDocs, kBetween),
    type<Couple>("couple", kBetweenDocs, kBetween),
    type<OldLine>("old_line", kBetweenDocs, kBetween),
    type<Friction>("right_friction", kFrictionDocs, kOn),
    type<WrongSlope>("wrong_slope", kFrictionDocs, kOn),
    type<WeakStick>("weak_stick", kFrictionDocs, kOn),
};

}  // namespace

ANCORA_PLUGIN("wrong_forces", "1.0.0", kTypes)
