// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: constraints that are given at acceleration level only.
#include <array>
#include <cmath>
#include <span>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

constexpr AttachmentRequest kAttachments[] = {{"at"}};
constexpr std::array<std::int32_t, 3> kStencil = {0, 1, 2};
constexpr std::array<RowLaw, 1> kLaws = {{{.kind = RowKind::acceleration_constraint}}};

/// One row on one point.
class AccelerationRow : public Constraint {
public:
    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    /// What prescribes an acceleration acts from outside.
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        if (!out.pi.empty()) out.pi[0] = 0.0;
        if (!out.pi_t.empty()) out.pi_t[0] = 0.0;
        if (!out.A.empty()) vec3(out.A) = direction(at);
        if (!out.b.empty()) out.b[0] = bias(at);
    }

protected:
    virtual Vec3 direction(const RowPoint& at) const = 0;
    virtual double bias(const RowPoint& at) const = 0;

private:
    RowBlock block_ = {
        "acceleration", 1, 1, 3, kStencil, kLaws, Degree::general, TangentForm::none, false};
};

/// a_x = c cos(w t)
class Shaken final : public AccelerationRow {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "the point").required(),
        parameter::number("amplitude", "m/s^2", "c").required(),
        parameter::number("rate", "rad/s", "w").required(),
    };
    explicit Shaken(const Arguments& arguments)
        : amplitude_(arguments.number("amplitude")), rate_(arguments.number("rate")) {}

private:
    Vec3 direction(const RowPoint&) const override { return Vec3::UnitX(); }
    double bias(const RowPoint& at) const override { return amplitude_ * std::cos(rate_ * at.t); }

    double amplitude_, rate_;
};

/// v . a = 0: the speed stays, whatever it is. (0 0 0) a = 0 at rest.
class KeepsSpeed final : public AccelerationRow {
public:
    static constexpr Parameter kParameters[] = {parameter::point("at", "the point").required()};
    explicit KeepsSpeed(const Arguments&) {}

private:
    Vec3 direction(const RowPoint& at) const override { return vec3(at.du); }
    double bias(const RowPoint&) const override { return 0.0; }
};

constexpr TypeDescriptor kTypes[] = {
    type<Shaken>(
        "test_shaken", {"prescribes an acceleration", "a_x = c cos(w t)"}, Shaken::kParameters),
    type<KeepsSpeed>(
        "test_keeps_speed", {"keeps a point's speed", "v . a = 0"}, KeepsSpeed::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_acceleration", "1.0.0", kTypes)
