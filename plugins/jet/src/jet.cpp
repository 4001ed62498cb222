// SPDX-License-Identifier: BSD-3-Clause
// Points and axes of a jet, and its forces.
#include "jet.hpp"

#include <algorithm>
#include <string>

namespace ancora::jet {
namespace {

std::string body_of(std::string_view point) {
    return std::string(point.substr(0, point.find('@')));
}

}  // namespace

Jet::Jet(const Arguments& arguments)
    : u_(vec3(arguments.numbers("velocity"))),
      follows_(arguments.text("frame") == "body"),
      has_tank_(arguments.has("from")) {
    using Kind = AttachmentRequest::Kind;
    const std::string body = body_of(arguments.text("at"));
    if (body == "ground")
        arguments.fail("at",
                       "is a point of the ground, which no jet can drive; name one of a body");
    requests_.add(Kind::point, arguments.text("at"), "at");
    if (has_tank_) {
        if (body_of(arguments.text("from")) == "ground")
            arguments.fail("from", "is a point of the ground; name the point of the tank");
        requests_.add(Kind::point, arguments.text("from"), "from");
    }
    for (const char* axis : {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"})
        if (follows_) requests_.add(Kind::direction, body + axis, "at");
}

void Jet::evaluate(const RowPoint& at, std::span<const double>, const ForceValues& out) const {
    const double w = at.own.inputs[0];
    Vec3 u = u_;
    if (follows_) u = Eigen::Map<const Mat3>(at.u.data() + first_axis()) * u_;
    std::ranges::fill(out.f, 0.0);
    Eigen::Map<Vec3> f(out.f.data());
    f = -w * u;
    if (!has_tank_) return;
    const Vec3 way =
        -w * (Eigen::Map<const Vec3>(at.du.data()) - Eigen::Map<const Vec3>(at.du.data() + 3));
    f += way;
    Eigen::Map<Vec3>(out.f.data() + 3) = way;
}

void Jet::differentiate_step(const RowStep& step,
                             std::span<const double>,
                             std::span<double> D) const {
    const double w = step.own.inputs[0];
    const std::size_t k = step.u0.size();
    std::ranges::fill(D, 0.0);
    for (std::size_t c = 0; c < 3; ++c) {
        if (has_tank_)
            for (const std::size_t at : {c, c + 3}) {
                D[at * k + c] = -w / step.h;
                D[at * k + c + 3] = w / step.h;
            }
        for (std::size_t axis = 0; follows_ && axis < 3; ++axis)
            D[c * k + first_axis() + 3 * axis + c] = -0.5 * w * u_(static_cast<int>(axis));
    }
}

void Jet::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    y[0] = at.own.inputs[0] * u_.norm();
}

}  // namespace ancora::jet
