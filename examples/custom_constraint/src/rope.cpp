// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `tackle`, a taut rope over two pulleys, and the force type `rope_friction`.
#include <cmath>

#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

/// A rope of length L runs from a over a pulley at p to a pulley at q, and from there to b, as
/// `ratio` parallel strands. Pulleys are points and the rope does not go slack:
///
///   phi = |r_a - r_p| + ratio |r_b - r_q| - L = 0                                        (1)
///
/// The stress is the rope's tension [N]: a is pulled by one strand, b by `ratio` of them.
class Rope final : public HolonomicConstraint<Rope> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the end on which the reaction is reported").required(),
        parameter::point("p", "the pulley that it hangs from").required(),
        parameter::point("b", "the other end").required(),
        parameter::point("q", "the pulley that this one hangs from").required(),
        parameter::number("ratio", "", "strands at b, for one at a").positive().otherwise("1.0"),
        parameter::number("length", "m", "of all strands together").positive().required(),
    };

    explicit Rope(const Arguments& arguments)
        : ratio_(arguments.number("ratio")), length_(arguments.number("length")) {}

    template <class S>
    S phi(const Vector3<S>& a,
          const Vector3<S>& p,
          const Vector3<S>& b,
          const Vector3<S>& q) const {
        return distance(a, p) + ratio_ * distance(b, q) - length_;
    }

private:
    double ratio_;
    double length_;  ///< L [m]
};

/// Friction of a pulley against the rope that runs over it at w = d|r_a - r_p|/dt:
///
///   f(w) = c w + F w / sqrt(w^2 + w_0^2),   force on a: -f n,  n = (r_a - r_p)/|r_a - r_p|  (2)
///
/// a viscous bearing and a dry one, whose jump at w = 0 is spread over w_0.
class RopeFriction final : public ForceLaw<RopeFriction> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "the rope's end").required(),
        parameter::point("p", "the pulley").required(),
        parameter::number("viscous", "N s/m", "c").nonnegative().otherwise("0.0"),
        parameter::number("dry", "N", "F").nonnegative().otherwise("0.0"),
        parameter::number("smoothing", "m/s", "w_0, where 0.7 F is reached")
            .positive()
            .otherwise("1e-2"),
    };

    explicit RopeFriction(const Arguments& arguments)
        : viscous_(arguments.number("viscous")),
          dry_(arguments.number("dry")),
          smoothing_(arguments.number("smoothing")) {}

    WorkKind work() const override { return WorkKind::nonideal; }

    Vec3 force(const Vec3& a, const Vec3& p, const Vec3& a_rate, const Vec3& p_rate) const {
        const Vec3 n = (a - p).normalized();
        const double w = n.dot(a_rate - p_rate);
        return -(viscous_ * w + dry_ * w / std::hypot(w, smoothing_)) * n;
    }

private:
    double viscous_;    ///< c [N s/m]
    double dry_;        ///< F [N]
    double smoothing_;  ///< w_0 [m/s]
};

constexpr TypeDescriptor kTypes[] = {
    type<Rope>("tackle",
               {.doc = "a taut rope over two pulleys gears two distances to each other",
                .equation = "phi = |r_a - r_p| + ratio |r_b - r_q| - L = 0",
                .source = "N. B. Tufillaro, T. A. Abbott, D. J. Griffiths, Swinging Atwood's "
                          "machine, Am. J. Phys. 52 (1984) 895-903",
                .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                             "p = \"ground@[0.1, 0.2, 2.0]\"\n"
                             "b = \"b@[-0.4, 0.2, 0.1]\"\n"
                             "q = \"ground@[1.0, -0.3, 2.0]\"\n"
                             "ratio = 2.0\n"
                             "length = 6.0",
                             "a = \"a@[0.3, 0.1, -0.2]\"\n"
                             "p = \"b@[0.3, 0.0, 0.5]\"\n"
                             "b = \"a@[0.0, 0.4, 0.1]\"\n"
                             "q = \"b@[-0.4, 0.2, 0.1]\"\n"
                             "length = 3.0"},
                .claims = {Claim::rigid_motion_invariant}},
               Rope::kParameters),
    type<RopeFriction>("rope_friction",
                       {.doc = "viscous and dry friction of a pulley against its running rope",
                        .equation = "force on a: -(c w + F w / sqrt(w^2 + w_0^2)) n, "
                                    "n = (r_a - r_p)/|r_a - r_p|, w = n . (v_a - v_p)",
                        .source = "C. A. Coulomb, Theorie des machines simples, 1785",
                        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                                     "p = \"b@[0.3, 0.0, 0.5]\"\n"
                                     "viscous = 0.4\n"
                                     "dry = 0.7"},
                        .claims = {Claim::dissipative, Claim::frame_invariant}},
                       RopeFriction::kParameters),
};

}  // namespace

ANCORA_PLUGIN("rope", "0.1.0", kTypes)
