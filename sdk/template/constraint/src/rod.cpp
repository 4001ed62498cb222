// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `rod`: two points stay at a distance, like the ends of a massless bar.
#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

/// One row on the points a and b:
///
///   phi = (|r_a - r_b|^2 - L^2) / (2 L) = 0                                              (1)
///
/// phi is the change of length to first order [m], so the stress s is the tension [N]. All else is
/// derived from (1).
class Rod final : public HolonomicConstraint<Rod> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the end on which the reaction is reported").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "distance of the ends").positive().required(),
    };

    explicit Rod(const Arguments& arguments) : length_(arguments.number("length")) {}

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return (squared_norm(a - b) - length_ * length_) / (2.0 * length_);
    }

private:
    double length_;  ///< L [m]
};

constexpr TypeDescriptor kTypes[] = {
    type<Rod>("rod",
              {.doc = "two points stay at a distance, like the ends of a massless bar",
               .equation = "phi = (|r_a - r_b|^2 - L^2) / (2 L) = 0",
               .source = "Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013",
               .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                            "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                            "length = 1.5"},
               .claims = {Claim::rigid_motion_invariant}},
              Rod::kParameters),
};

}  // namespace

ANCORA_PLUGIN("rod", "0.1.0", kTypes)
