// SPDX-License-Identifier: BSD-3-Clause
// The force type `drag`: the resistance of a medium to points that move through it.
#pragma once

#include <cmath>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/helpers/time_function.hpp"

namespace ancora::drag {

/// Drag on each of a list of points, the C of a nonideal constraint:
///
///   f = -(c_1 + c_2 |w|) w,   w = r' - v_m                                               (1)
///   c_2 = 1/2 rho C_d A                                                                  (2)
///
/// Terms:
///   r'    velocity of the point, inertial axes [m/s]
///   v_m   velocity of the medium, uniform, constant or over time [m/s]
///   c_1   linear coefficient, of slow or small things [N s/m]
///   c_2   quadratic coefficient [kg/m], given or by (2)
///   rho, C_d, A   density of the medium [kg/m^3], coefficient of drag [-], area [m^2]
/// Power against the medium, f . w = -(c_1 + c_2 |w|) |w|^2, is never positive; f . r' may be, as a
/// wind drives. Over a step, (1) is taken at the mean velocity, with v_m in the middle of the step:
/// its work f . (r_1 - r_0) is what
/// the ledger accounting, and as little positive against the medium.
///
/// Source: G. K. Batchelor, An Introduction to Fluid Dynamics, Cambridge UP, 1967, sections 4.9
/// (c_1 of a sphere) and 5.11 (C_d).
class Drag final : public PointForceLaw<Drag> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point(
            "at",
            "the point on which it acts, a group of points such as \"net@rim\" or \"net@*\", or a "
            "list of such; it acts on each point")
            .with(Shape::texts)
            .required(),
        parameter::number("quadratic", "kg/m", "coefficient of |w| w")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::number("area", "m^2", "A, instead of quadratic = density coefficient area / 2")
            .positive()
            .sensitive(),
        parameter::number("coefficient", "", "C_d, coefficient of drag").nonnegative().sensitive(),
        parameter::number("density", "kg/m^3", "rho, of the medium").nonnegative().sensitive(),
        parameter::number("linear", "N s/m", "coefficient of w")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::vector("medium_velocity",
                          3,
                          "m/s",
                          "velocity of the medium, inertial axes: constant, or a table with rows "
                          "[t, x, y, z], or a file with such rows, or three formulas of t such as "
                          "\"5*sin(0.3*t)\"")
            .or_matrix(0, 4)
            .or_texts()
            .or_file()
            .otherwise("[0.0, 0.0, 0.0]")
            .sensitive(),
        parameter::text("interpolation",
                        "between the rows of a table: straight lines, or a natural cubic spline",
                        "linear|spline")
            .otherwise("\"linear\""),
        parameter::text("outside",
                        "before the first and after the last row of a table: an error, the value "
                        "of that row, or a medium at rest",
                        "refuse|hold|zero")
            .otherwise("\"refuse\""),
    };

    /// [assembly] Refuses through Arguments::fail a list without points and coefficients that are
    /// missing, incomplete or stated twice.
    explicit Drag(const Arguments& arguments);

    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        // The medium takes the impulse.
        out.tied_to_inertial_frame = true;
    }

    Vec3 force(const Vec3&, const Vec3& r_rate, double t) const {
        Vec3 w;
        medium_velocity_.evaluate(t, {w.data(), 3});
        w = r_rate - w;
        const double speed = std::sqrt(w.x() * w.x() + w.y() * w.y() + w.z() * w.z());
        return -(linear_ + quadratic_ * speed) * w;
    }

private:
    double linear_;
    double quadratic_;
    TimeFunction medium_velocity_;
};

}  // namespace ancora::drag
