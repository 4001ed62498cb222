// SPDX-License-Identifier: BSD-3-Clause
// Reads the coefficients of drag and evaluates it point by point.
#include "drag.hpp"

#include <cmath>
#include <cstddef>

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

}  // namespace

Drag::Drag(const Arguments& arguments)
    : linear_(arguments.number("linear")),
      quadratic_(read_quadratic(arguments)),
      medium_velocity_(arguments.triple("medium_velocity")) {
    if (arguments.shape("at") == Shape::texts)
        for (int i = 0; i < arguments.num_texts("at"); ++i)
            points_.emplace_back(arguments.text("at", i));
    else
        points_.emplace_back(arguments.text("at"));
    if (points_.empty()) arguments.fail("at", "found no point, expected one or more");
    // Now that no text moves any more.
    for (const std::string& point : points_)
        requests_.push_back({AttachmentRequest::Kind::points, point.c_str(), "at"});
}

void Drag::evaluate(const RowPoint& at, std::span<const double>, const ForceValues& out) const {
    for (std::size_t i = 0; i < out.f.size(); i += 3) {
        const double x = at.du[i] - medium_velocity_[0];
        const double y = at.du[i + 1] - medium_velocity_[1];
        const double z = at.du[i + 2] - medium_velocity_[2];
        const double c = linear_ + quadratic_ * std::sqrt(x * x + y * y + z * z);
        out.f[i] = -c * x;
        out.f[i + 1] = -c * y;
        out.f[i + 2] = -c * z;
    }
}

}  // namespace ancora::drag
