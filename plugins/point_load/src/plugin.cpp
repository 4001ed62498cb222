// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "point_load": the schema of its force type.
#include "ancora/sdk/plugin.hpp"

#include "point_load.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kPointLoad[] = {
    p::point("at",
             "the point on which the force acts, or a group of points such as \"net@rim\" or "
             "\"net@*\", on each of which it acts"),
    p::vector("force",
              3,
              "N",
              "F: constant, or a table with rows [t, x, y, z], or a file with such rows, or three "
              "formulas of t such as \"2*sin(3*t)\" and of the state: x, vx of the point, box.x, "
              "box.vx, box.wz, elbow.angle, elbow.angle_rate")
        .or_matrix(0, 4)
        .or_texts()
        .or_file()
        .reading(ancora::FormulaNames::point)
        .sensitive(),
    p::body("body", "the body on which the torque acts; left out: the body of `at`"),
    p::vector("torque", 3, "N m", "T, written like force")
        .or_matrix(0, 4)
        .or_texts()
        .or_file()
        .reading(ancora::FormulaNames::point)
        .sensitive(),
    p::boolean("follow", "axes of force and torque are the body's, which they then follow")
        .otherwise("false"),
    p::matrix("table", 0, 2, "", "c: a table with rows [t, factor], or a file, that scales both")
        .or_file(),
    p::signal(
        "factor",
        "",
        "a further factor of both, from outside: a number, a formula that may read outputs of "
        "other objects such as \"pid.command\", a table with rows [t, factor], or a file"),
    p::text("frame",
            "axes of force and torque: of space, or, as with follow, of the body",
            "space|body")
        .otherwise("\"space\""),
    p::text("interpolation",
            "between the rows of a table: straight lines, or a natural cubic spline",
            "linear|spline")
        .otherwise("\"linear\""),
    p::text("outside",
            "before the first and after the last row of a table: an error, the value of that row, "
            "or nothing",
            "refuse|hold|zero")
        .otherwise("\"refuse\""),
    p::text("work",
            "where its work is recorded: external, as of what is applied from outside, or "
            "nonideal, as of friction and damping",
            "external|nonideal")
        .otherwise("\"external\""),
};

// No claim of frame invariance: what is fixed in space does not turn with it.
constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::point_load::PointLoad>(
        "point_load",
        {.doc =
             "force on points and torque on a body, in space or following the body, over time or "
             "as formulas of the state",
         .equation =
             "f = c(t) F(t) or c(t) sum_k F_k(t) d_k; on the body's axes f_i = a x d_i with "
             "sum_i d_i x f_i = c(t) T(t)",
         .source = "Lanczos, The Variational Principles of Mechanics, 4th ed., 1970, chapter I",
         .examples =
             {"at = \"a@[0.3, 0.1, -0.2]\"\n"
              "force = [1.0, -2.0, 0.5]",
              "body = \"a\"\n"
              "torque = [0.3, 0.2, -0.1]",
              "at = \"a@[0.3, 0.1, -0.2]\"\n"
              "force = [1.0, -2.0, 0.5]\n"
              "torque = [0.3, 0.2, -0.1]\n"
              "frame = \"body\"",
              "at = \"b@[0.0, 0.0, 0.5]\"\n"
              "force = [[0.0, 0.0, 0.0, 0.0], [0.5, 2.0, 1.0, 0.0], [1.5, -1.0, 0.0, 3.0]]\n"
              "outside = \"hold\"",
              "body = \"b\"\n"
              "torque = [[0.0, 0.0, 0.0, 0.1], [0.7, 0.2, 0.1, 0.0], [9.0, 0.0, 0.0, 0.0]]\n"
              "interpolation = \"spline\"\n"
              "frame = \"body\"",
              "at = \"a@[0.0, 0.0, 0.0]\"\n"
              "force = [\"2*sin(3*t)\", \"0\", \"exp(-t)\"]",
              "at = \"a@[0.3, 0.1, -0.2]\"\n"
              "force = [\"-3*vx*abs(vx)\", \"-2*y - 0.3*b.vy\", \"sin(t)*a.wz\"]\n"
              "torque = [\"0\", \"-0.1*a.wy\", \"0.2*j.angle - 0.1*j.angle_rate\"]\n"
              "follow = true",
              "at = \"a@[0.3, 0.1, -0.2]\"\n"
              "torque = [0.3, 0.2, -0.1]\n"
              "follow = true\n"
              "factor = \"1 + 0.5*sin(2*t)\"\n"
              "table = [[0.0, 0.0], [0.5, 2.0], [9.0, 1.0]]\n"
              "interpolation = \"spline\""}},
        kPointLoad),
};

}  // namespace

ANCORA_PLUGIN("point_load", "0.1.0", kTypes)
