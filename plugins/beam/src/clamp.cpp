// SPDX-License-Identifier: BSD-3-Clause
// What a clamp asks of its two bodies.
#include "clamp.hpp"

#include <Eigen/Core>

namespace ancora::beam {

Clamp::Clamp(const Arguments& arguments) {
    const Vec3 axis = vec3(arguments.numbers("axis"));
    if (!(axis.norm() > 0.0)) arguments.fail("axis", "has length zero");
    const FrameStart& a = arguments.frame_of("a");
    if (!a.has_attitude)
        arguments.fail("a",
                       "names a body that has points but no attitude, which holds no direction");
    const FrameStart& b = arguments.frame_of("b");
    if (!b.names_point)
        arguments.fail("b", "names a body; a clamp holds one of its points, such as \"line@end\"");
    const std::string_view point = arguments.text("b");
    ask(point, "b");
    ask(point, "b");
    // Inertial axes at the start to those of a
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(
        a.carrier.rotation.data());
    const Vec3 place = R.transpose() * (vec3(b.motion.position) - vec3(a.carrier.position));
    const Vec3 along = R.transpose() * axis.normalized();
    const Vec3 across = along.unitOrthogonal();
    ask(attachment_text(a.body, place), "a");
    ask(attachment_text(a.body, across), "a");
    ask(attachment_text(a.body, along.cross(across)), "a");
}

}  // namespace ancora::beam
