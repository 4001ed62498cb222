// SPDX-License-Identifier: BSD-3-Clause
// The force type `damper`: a dashpot between two points.
#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

/// With n = (r_a - r_b) / |r_a - r_b|, the force on a is (1), and that on b its opposite:
///
///   f = -c (n . (v_a - v_b)) n                                                             (1)
class Damper final : public ForceLaw<Damper> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the end on which the force is reported").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("coefficient", "N s/m", "c").nonnegative().required(),
    };

    explicit Damper(const Arguments& arguments) : coefficient_(arguments.number("coefficient")) {}

    /// Lost, and not put in from outside as a load's would be.
    WorkKind work() const override { return WorkKind::nonideal; }

    Vec3 force(const Vec3& a, const Vec3& b, const Vec3& a_rate, const Vec3& b_rate) const {
        const Vec3 n = (a - b).normalized();
        return -coefficient_ * n.dot(a_rate - b_rate) * n;
    }

private:
    double coefficient_;  ///< c [N s/m]
};

constexpr TypeDescriptor kTypes[] = {
    type<Damper>("damper",
                 {.doc = "a dashpot between two points",
                  .equation = "f = -c (n . (v_a - v_b)) n,  n = (r_a - r_b) / |r_a - r_b|",
                  .source = "write here which book or paper the equations are from",
                  .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                               "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                               "coefficient = 0.7"},
                  .claims = {Claim::dissipative, Claim::frame_invariant}},
                 Damper::kParameters),
};

}  // namespace

ANCORA_PLUGIN("damper", "0.1.0", kTypes)
