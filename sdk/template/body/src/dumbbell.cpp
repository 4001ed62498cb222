// SPDX-License-Identifier: BSD-3-Clause
// The body type `dumbbell`: two point masses at the ends of a spring.
#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

/// pi = |r_a - r_b| - L, the change of length [m].
struct Stretch {
    double length;
    template <class S>
    S operator()(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - length;
    }
};

/// Two points with mass and one strain (1), all else is derived:
///
///   T = m (r_a'.r_a' + r_b'.r_b') / 2,   U = k pi^2 / 2                                    (1)
class Dumbbell final : public VectorBody {
public:
    static constexpr Parameter kParameters[] = {
        parameter::matrix("ends", 2, 3, "m", "positions of the two ends").required(),
        parameter::matrix("velocities", 2, 3, "m/s", "of the two ends")
            .otherwise("[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"),
        parameter::number("mass", "kg", "m, of each end").positive().required(),
        parameter::number("length", "m", "L, free length").positive().required(),
        parameter::number("stiffness", "N/m", "k; inf: rigid").positive().or_infinite().required(),
    };

    explicit Dumbbell(const Arguments& arguments) {
        const std::span<const double> r = arguments.numbers("ends");
        const std::span<const double> v = arguments.numbers("velocities");
        const double mass = arguments.number("mass");
        const int a = add_point({r[0], r[1], r[2]}, {v[0], v[1], v[2]});
        const int b = add_point({r[3], r[4], r[5]}, {v[3], v[4], v[5]});
        add_mass(a, a, mass);
        add_mass(b, b, mass);
        add_strain("stretch",
                   {a, b},
                   Stretch{arguments.number("length")},
                   stiff(arguments.number("stiffness")));
        name_point("middle", {{a, 0.5}, {b, 0.5}});
        set_reference({{a, 0.5}, {b, 0.5}});
        add_line(a, b);
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<Dumbbell>("dumbbell",
                   {.doc = "two point masses at the ends of a spring",
                    .equation = "T = m (v_a^2 + v_b^2) / 2,  U = k (|r_a - r_b| - L)^2 / 2",
                    .source = "write here which book or paper the equations are from",
                    .examples = {"ends = [[0.1, 0.2, 0.0], [0.6, -0.3, 0.9]]\n"
                                 "velocities = [[0.1, 0.0, -0.2], [0.3, 0.5, 0.0]]\n"
                                 "mass = 1.5\n"
                                 "length = 1.1\n"
                                 "stiffness = 40.0"},
                    .claims = {Claim::rigid_motion_invariant}},
                   Dumbbell::kParameters),
};

}  // namespace

ANCORA_PLUGIN("dumbbell", "0.1.0", kTypes)
