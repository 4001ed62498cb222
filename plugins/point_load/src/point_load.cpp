// SPDX-License-Identifier: BSD-3-Clause
// Reads a load, asks for the point and the axes that it acts on, and distributes it over them.
#include "point_load.hpp"

#include <algorithm>
#include <cstddef>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace ancora::point_load {
namespace {

Outside read_outside(const Arguments& arguments) {
    const std::string_view text = arguments.text("outside");
    return text == "hold" ? Outside::hold : text == "zero" ? Outside::zero : Outside::refuse;
}

/// Name of the body that the torque, or the frame, belongs to.
std::string read_body(const Arguments& arguments) {
    std::string of_point;
    if (arguments.has("at")) {
        const std::string_view at = arguments.text("at");
        of_point = at.substr(0, at.find('@'));
    }
    if (!arguments.has("body")) return of_point;
    const std::string body(arguments.text("body"));
    if (!of_point.empty() && body != of_point)
        arguments.fail("body",
                       "is \"" + body + "\", but the force acts on \"" + of_point +
                           "\"; write two loads, one for each body");
    return body;
}

void check_places(const Arguments& arguments) {
    const bool has_force = arguments.has("force"), has_torque = arguments.has("torque");
    if (!has_force && !has_torque)
        arguments.fail("force", "neither a force nor a torque is given; give one or both");
    if (has_force && !arguments.has("at"))
        arguments.fail("at", "is missing; name the point on which the force acts");
    if (!has_force && arguments.has("at"))
        arguments.fail("at",
                       "names a point, but there is no force to act on it; a torque belongs to a "
                       "body as a whole, which `body` names");
    if (has_torque && !arguments.has("at") && !arguments.has("body"))
        arguments.fail("body", "is missing; name the body on which the torque acts");
}

}  // namespace

PointLoad::PointLoad(const Arguments& arguments)
    : has_force_(arguments.has("force")),
      has_torque_(arguments.has("torque")),
      follows_(arguments.text("frame") == "body") {
    check_places(arguments);
    const std::string body = read_body(arguments);
    const bool is_spline = arguments.text("interpolation") == "spline";
    const Outside outside = read_outside(arguments);
    if (has_force_) force_ = TimeFunction(arguments, "force", is_spline, outside);
    if (has_torque_) torque_ = TimeFunction(arguments, "torque", is_spline, outside);
    for (const char* key : {"interpolation", "outside"})
        if (arguments.given(key) && !force_.is_table() && !torque_.is_table())
            arguments.fail(key, "is about a table, and neither force nor torque is one");

    using Kind = AttachmentRequest::Kind;
    if (has_force_) texts_.emplace_back(arguments.text("at"));
    if (has_torque_ || follows_)
        for (const char* axis : {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"})
            texts_.push_back(body + axis);
    // Now that no text moves any more.
    const char* const key = arguments.given("body") ? "body" : "at";
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const bool is_point = has_force_ && i == 0;
        requests_.push_back(
            {is_point ? Kind::point : Kind::direction, texts_[i].c_str(), is_point ? "at" : key});
    }
}

void PointLoad::evaluate(const RowPoint& at,
                         std::span<const double>,
                         const ForceValues& out) const {
    apply(force_.at(at.t), torque_.at(at.t), at.u, out.f);
}

void PointLoad::evaluate_step(const RowStep& step,
                              std::span<const double>,
                              const ForceValues& out) const {
    apply(force_.mean(step.t0, step.h), torque_.mean(step.t0, step.h), step.mid, out.f);
}

void PointLoad::apply(Vec3 F, Vec3 T, std::span<const double> u, std::span<double> f) const {
    const std::size_t first = has_force_ ? 3 : 0;
    const bool has_axes = u.size() > first;
    Mat3 axes = Mat3::Zero();  // columns d_i
    if (has_axes) axes = Eigen::Map<const Mat3>(u.data() + first);
    if (follows_) {
        F = (axes * F).eval();
        T = (axes * T).eval();
    }
    if (has_force_) Eigen::Map<Vec3>(f.data()) = F;
    if (!has_axes) return;

    // a of (3). Axes that are all parallel, as the mean of a half turn's are, cannot bear every
    // torque; a step so long has no better meaning than what orthonormal axes would get.
    const Mat3 D = axes * axes.transpose();
    const double trace = D.trace();
    const Mat3 K = trace * Mat3::Identity() - D;
    constexpr double kParallel = 1e-12;
    Mat3 inverse;
    bool is_regular = false;
    double determinant = 0.0;
    K.computeInverseAndDetWithCheck(
        inverse, determinant, is_regular, kParallel * trace * trace * trace);
    Vec3 a = 0.5 * T;
    if (is_regular) a = inverse * T;
    for (int i = 0; i < 3; ++i) Eigen::Map<Vec3>(f.data() + first + 3 * i) = a.cross(axes.col(i));
}

}  // namespace ancora::point_load
