// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on the reaction of a constraint, with closed solutions.
#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

/// f = k |R| d on the point, R the reaction of a constraint: it may raise the reaction that it
/// depends on.
class Lift final : public ForceLaw<Lift> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "where it acts").required(),
        parameter::object("on", "the constraint whose reaction it hears").required(),
        parameter::vector("direction", 3, "", "k d").required(),
    };
    explicit Lift(const Arguments& arguments) : d_(arguments.triple("direction")) {}
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;  // d is fixed in space
    }

    Vec3 force(const Vec3&, const Reactions& reactions) const {
        const Vec3 R(reactions[0].x, reactions[0].y, reactions[0].z);
        return R.norm() * Vec3(d_[0], d_[1], d_[2]);
    }

private:
    std::array<double, 3> d_;
};

/// f = -c |R| v on the point: viscous friction in a loaded joint, seen from a distance.
class LoadedDamper final : public ForceLaw<LoadedDamper> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "where it acts").required(),
        parameter::object("on", "the constraint whose reaction it hears").required(),
        parameter::number("coefficient", "s/m", "c").nonnegative().required(),
    };
    explicit LoadedDamper(const Arguments& arguments) : c_(arguments.number("coefficient")) {}
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }

    Vec3 force(const Vec3&, const Vec3& rate, const Reactions& reactions) const {
        const Vec3 R(reactions[0].x, reactions[0].y, reactions[0].z);
        return -c_ * R.norm() * rate;
    }

private:
    double c_;
};

constexpr TypeDescriptor kTypes[] = {
    type<Lift>("test_lift",
               {.doc = "a force in proportion to a reaction",
                .equation = "f = k |R| d",
                .source = "tests/zoo/test_listener.cpp",
                .examples = {"at = \"a@[0.0, 0.0, 0.0]\"\non = \"c\"\n"
                             "direction = [0.1, 0.0, 0.05]"}},
               Lift::kParameters),
    type<LoadedDamper>("test_loaded_damper",
                       {.doc = "a damper whose coefficient is in proportion to a reaction",
                        .equation = "f = -c |R| v",
                        .source = "tests/zoo/test_listener.cpp",
                        .examples = {"at = \"a@[0.3, 0.0, 0.0]\"\non = \"c\"\ncoefficient = 0.1"},
                        .claims = {Claim::dissipative}},
                       LoadedDamper::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_listener", "1.0.0", kTypes)
