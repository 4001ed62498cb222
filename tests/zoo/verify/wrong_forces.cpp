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
    std::span<const char* const> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::nonideal; }
    bool tied_to_inertial_frame() const override { return true; }
    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        const double speed = std::hypot(at.du[0], at.du[1], at.du[2]);
        for (std::size_t i = 0; i < 3; ++i) out.f[i] = -0.2 * speed * at.du[i];
    }

private:
    static constexpr const char* kAttachments[] = {"at"};
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

constexpr Parameter kOn[] = {
    parameter::object("on", "the constraint that it slides on").required(),
};
constexpr TypeDocs kFrictionDocs = {.doc = "dry friction",
                                    .equation = "|C| = mu N",
                                    .source = "made for tests",
                                    .examples = {"on = \"c\""},
                                    .claims = {Claim::dissipative}};

class Friction : public NonidealForce, private ContactLaw {
public:
    explicit Friction(const Arguments&) {}
    std::span<const char* const> attachments() const override { return {}; }
    const ContactLaw* contact() const override { return this; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void evaluate(const RowPoint&, std::span<const double>, const ForceValues&) const override {}

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
    type<Friction>("right_friction", kFrictionDocs, kOn),
    type<WrongSlope>("wrong_slope", kFrictionDocs, kOn),
    type<WeakStick>("weak_stick", kFrictionDocs, kOn),
};

}  // namespace

ANCORA_PLUGIN("wrong_forces", "1.0.0", kTypes)
