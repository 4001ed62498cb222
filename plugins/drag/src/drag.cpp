// SPDX-License-Identifier: BSD-3-Clause
// Reads the coefficients of drag.
#include "drag.hpp"

namespace ancora::drag {
namespace {

/// c_2 from `quadratic`, or by (2) from the three keys that make it.
double read_quadratic(const Arguments& arguments) {
    static constexpr const char* kParts[] = {"area", "coefficient", "density"};
    int num_parts = 0;
    for (const char* key : kParts) num_parts += arguments.given(key);
    if (num_parts == 0) {
        if (!arguments.given("quadratic") && !arguments.given("linear"))
            arguments.fail("quadratic",
                           "no coefficient of drag is given; give quadratic, or area, coefficient "
                           "and density, or linear");
        return arguments.number("quadratic");
    }
    if (arguments.given("quadratic"))
        arguments.fail("quadratic",
                       "states again what area, coefficient and density make; give the one or the "
                       "other");
    double product = 0.5;
    for (const char* key : kParts) {
        if (!arguments.given(key))
            arguments.fail(key,
                           "is missing; area, coefficient and density make the quadratic "
                           "coefficient together");
        product *= arguments.number(key);
    }
    return product;
}

/// v_m over time.
TimeFunction read_medium(const Arguments& arguments) {
    TimeFunctionOptions options;
    if (arguments.text("interpolation") == "spline") options.interpolation = Interpolation::spline;
    const std::string_view outside = arguments.text("outside");
    options.outside = outside == "hold"   ? Outside::hold
                      : outside == "zero" ? Outside::zero
                                          : Outside::refuse;
    TimeFunction medium(arguments, "medium_velocity", options);
    for (const char* key : {"interpolation", "outside"})
        if (arguments.given(key) && !medium.is_table())
            arguments.fail(key, "is about a table, and medium_velocity is none");
    return medium;
}

}  // namespace

Drag::Drag(const Arguments& arguments)
    : PointForceLaw(arguments),
      linear_(arguments.number("linear")),
      quadratic_(read_quadratic(arguments)),
      medium_velocity_(read_medium(arguments)) {}

}  // namespace ancora::drag
