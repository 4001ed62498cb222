// SPDX-License-Identifier: BSD-3-Clause
// Bad: bodies and a law of friction that fail in one call each, once x has passed 0.015 m or, of
// the friction, at any speed.
#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_beyond(std::span<const double> q) {
    return q[0] > 0.015;
}

/// A point mass that computes its mass anew in each call; entry (1, 1) turns NaN.
class NanMassLater final : public zoo::TestMass {
public:
    explicit NanMassLater(const Arguments& arguments)
        : TestMass(arguments), m_(arguments.number("mass")) {}
    MassKind mass_kind() const override { return MassKind::of_state; }
    void evaluate_mass(const MassState& at, const MassValues& out) const override {
        std::ranges::fill(out.M, 0.0);
        std::ranges::fill(out.force, 0.0);
        for (std::size_t i = 0; i < 3; ++i) out.M[4 * i] = i == 1 && is_beyond(at.q) ? kNan : m_;
    }

private:
    double m_;
};

/// A point mass whose one attachment, r = q, is announced as nonlinear; dr/dq turns NaN.
class NanAttachment final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void attach(const Locator&, AttachmentSink& out) const override {
        static constexpr std::int32_t kAll[] = {0, 1, 2};
        out.nonlinear(7, kAll);
    }
    void evaluate_attachment(int id,
                             std::span<const double> q,
                             std::span<const double>,
                             const AttachmentValues& out) const override {
        if (id != 7) throw std::logic_error("no such attachment");
        for (std::size_t i = 0; i < 3; ++i) {
            if (!out.r.empty()) out.r[i] = q[i];
            if (!out.bias.empty()) out.bias[i] = 0.0;
            for (std::size_t j = 0; j < 3 && !out.J.empty(); ++j) out.J[3 * i + j] = i == j;
        }
        if (is_beyond(q) && !out.J.empty()) out.J[5] = kNan;
    }
};

class ThrowsInAttach final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void attach(const Locator&, AttachmentSink&) const override {
        throw std::runtime_error("no points today");
    }
};

class ThrowsInPose final : public zoo::TestMass {
public:
    using TestMass::TestMass;
    void pose(std::span<const double> q, std::span<const double> v, Pose& out) const override {
        if (is_beyond(q)) throw std::runtime_error("lost");
        TestMass::pose(q, v, out);
    }
};

/// A point mass that starts with the velocity of another body; its place is NaN.
class NanCarried final : public zoo::TestMass {
public:
    static constexpr Parameter kParameters[] = {
        parameter::number("mass", "kg", "mass").positive().required(),
        parameter::vector("position", 3, "m", "position at the start").otherwise("[0, 0, 0]"),
        parameter::vector("velocity", 3, "m/s", "velocity at the start").otherwise("[0, 0, 0]"),
        parameter::body("velocity_from", "start with its velocity").required(),
    };

    explicit NanCarried(const Arguments& arguments)
        : TestMass(arguments), v_(arguments.motion_of("velocity_from").velocity) {}
    void start(std::span<double> q, std::span<double> v) const override {
        TestMass::start(q, v);
        std::ranges::copy(v_, v.begin());
        q[2] = kNan;
    }

private:
    std::array<double, 3> v_;
};

/// Coulomb's friction with a wrong derivative.
class NanSlip final : public DryFriction {
public:
    explicit NanSlip(const Arguments&) {}

private:
    const char* constraint() const override { return "on"; }
    SlipForce slip(double N, double) const override { return {0.1 * N, kNan, 0.0}; }
    double stick_limit(double N) const override { return 0.1 * N; }
};

constexpr Parameter kOn[] = {parameter::object("on", "the constraint").required()};

constexpr TypeDescriptor kTypes[] = {
    type<NanMassLater>("nan_mass_later", {"body"}, zoo::TestMass::kParameters),
    type<NanAttachment>("nan_attachment", {"body"}, zoo::TestMass::kParameters),
    type<ThrowsInAttach>("throws_in_attach", {"body"}, zoo::TestMass::kParameters),
    type<ThrowsInPose>("throws_in_pose", {"body"}, zoo::TestMass::kParameters),
    type<NanCarried>("nan_carried", {"body"}, NanCarried::kParameters),
    type<NanSlip>("nan_slip", {"friction"}, kOn),
};

}  // namespace

ANCORA_PLUGIN("bad_states", "1.0.0", kTypes)
