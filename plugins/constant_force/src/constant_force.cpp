// SPDX-License-Identifier: BSD-3-Clause
// The force type `constant_force`: the smallest nonideal force, in one file.
#include "ancora/sdk/authoring.hpp"

namespace {

using namespace ancora;

/// A given force on a point, the C of a nonideal constraint whose work is known:
///
///   C = constant                                                                         (1)
///   W = C . (r(t_1) - r(t_0))                                                            (2)
///
/// C is in inertial axes [N] and r is the point [m]. A constant is its own mean over a step, so the
/// discrete formulation is the continuous one. What of C points across a constraint moves nothing
/// and is taken up by the reaction.
///
/// Source: F. E. Udwadia, R. E. Kalaba, Y. Fan, Nonlinear Analysis 63 (2005) 692-698, section 4.
class ConstantForce final : public ForceLaw<ConstantForce> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "the point on which it acts").required(),
        parameter::vector("force", 3, "N", "C, inertial axes").required().sensitive(),
    };
    explicit ConstantForce(const Arguments& arguments) : C_(vec3(arguments.numbers("force"))) {}

    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw<ConstantForce>::facets(out);
        // Its direction is fixed in space, so its impulse comes from outside.
        out.tied_to_inertial_frame = true;
    }

    Vec3 force() const { return C_; }

private:
    Vec3 C_;
};

constexpr TypeDescriptor kTypes[] = {
    type<ConstantForce>("constant_force",
                        {.doc = "constant force on a point, of nonideal work",
                         .equation = "C = constant; work C . (r_1 - r_0)",
                         .source = "Udwadia, Kalaba, Fan, Nonlinear Analysis 63, 2005, section 4",
                         .examples = {"at = \"a@[0.3, 0.1, -0.2]\"\n"
                                      "force = [1.0, -2.0, 0.5]"}},
                        ConstantForce::kParameters),
};

}  // namespace

ANCORA_PLUGIN("constant_force", "0.1.0", kTypes)
