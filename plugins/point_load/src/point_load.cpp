// SPDX-License-Identifier: BSD-3-Clause
// Reads a load, asks for the points and the axes that it acts on, and distributes it over them.
#include "point_load.hpp"

#include <cstddef>
#include <string>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace ancora::point_load {
namespace {

constexpr std::size_t kAxes = 9;  // scalars of the three axes

/// Name of the body that the torque, or the axes, belong to.
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
                       "is \"" + body + "\", but the load acts at a point of \"" + of_point +
                           "\"; write two loads, one for each body");
    return body;
}

void check_places(const Arguments& arguments) {
    const bool has_force = arguments.has("force"), has_torque = arguments.has("torque");
    if (!has_force && !has_torque)
        arguments.fail("force", "neither a force nor a torque is given; give one or both");
    if (has_force && !arguments.has("at"))
        arguments.fail("at", "is missing; name the point on which the force acts");
    if (has_torque && !arguments.has("at") && !arguments.has("body"))
        arguments.fail("body", "is missing; name the body on which the torque acts");
}

/// Both words for axes of the body, which must not contradict each other.
bool read_follows(const Arguments& arguments) {
    const bool of_frame = arguments.text("frame") == "body";
    if (!arguments.given("follow")) return of_frame;
    const bool follows = arguments.boolean("follow");
    if (arguments.given("frame") && follows != of_frame)
        arguments.fail("follow",
                       "contradicts frame: follow = true says the same as frame = \"body\"; leave "
                       "one of them out");
    return follows;
}

TimeFunctionOptions read_options(const Arguments& arguments) {
    TimeFunctionOptions options;
    if (arguments.text("interpolation") == "spline") options.interpolation = Interpolation::spline;
    const std::string_view outside = arguments.text("outside");
    options.outside = outside == "hold"   ? Outside::hold
                      : outside == "zero" ? Outside::zero
                                          : Outside::refuse;
    return options;
}

}  // namespace

PointLoad::PointLoad(const Arguments& arguments)
    : has_force_(arguments.has("force")),
      has_torque_(arguments.has("torque")),
      follows_(read_follows(arguments)) {
    check_places(arguments);
    const std::string body = read_body(arguments);
    TimeFunctionOptions options = read_options(arguments);
    if (has_force_) force_ = TimeFunction(arguments, "force", options);
    if (has_torque_) torque_ = TimeFunction(arguments, "torque", options);
    options.components = {"factor"};
    if (arguments.has("table")) factor_ = TimeFunction(arguments, "table", options);
    for (const char* key : {"interpolation", "outside"})
        if (arguments.given(key) && !force_.is_table() && !torque_.is_table() &&
            !factor_.is_table())
            arguments.fail(key, "is about a table, and neither force nor torque is one");

    using Kind = AttachmentRequest::Kind;
    if (has_force_) requests_.add(Kind::points, arguments.text("at"), "at");
    if (!has_torque_ && !follows_) return;
    for (const char* axis : {"@[1, 0, 0]", "@[0, 1, 0]", "@[0, 0, 1]"})
        requests_.add(Kind::direction, body + axis, arguments.given("body") ? "body" : "at");
}

template <class Call>
Vec3 PointLoad::value_of(const TimeFunction& function, Call call) {
    Vec3 value = Vec3::Zero();
    if (function.num_components() > 0) call(function, std::span<double>(value.data(), 3));
    return value;
}

void PointLoad::evaluate(const RowPoint& at,
                         std::span<const double>,
                         const ForceValues& out) const {
    const auto now = [&](const TimeFunction& function, std::span<double> value) {
        function.evaluate(at.t, value);
    };
    double factor = 1.0;
    if (factor_.num_components() > 0) now(factor_, {&factor, 1});
    apply(factor, value_of(force_, now), value_of(torque_, now), at.u, out.f);
}

void PointLoad::evaluate_step(const RowStep& step,
                              std::span<const double>,
                              const ForceValues& out) const {
    const auto mean = [&](const TimeFunction& function, std::span<double> value) {
        function.mean(step.t0, step.h, value);
    };
    double factor = 1.0;
    if (factor_.num_components() > 0) mean(factor_, {&factor, 1});
    apply(factor, value_of(force_, mean), value_of(torque_, mean), step.mid, out.f);
}

void PointLoad::apply(
    double factor, Vec3 F, Vec3 T, std::span<const double> u, std::span<double> f) const {
    const bool has_axes = has_torque_ || follows_;
    const std::size_t first = u.size() - (has_axes ? kAxes : 0);
    F *= factor;
    T *= factor;
    Mat3 axes = Mat3::Zero();  // columns d_i
    if (has_axes) axes = Eigen::Map<const Mat3>(u.data() + first);
    if (follows_) {
        F = (axes * F).eval();
        T = (axes * T).eval();
    }
    for (std::size_t i = 0; i < first; i += 3) Eigen::Map<Vec3>(f.data() + i) = F;
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
