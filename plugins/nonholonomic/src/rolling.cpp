// SPDX-License-Identifier: BSD-3-Clause
// Directions of a ball's contact, and the bias of its rows.
#include "rolling.hpp"

#include <cmath>
#include <string_view>

#include <Eigen/Geometry>

namespace ancora::nonholonomic {
namespace {

// Two axes perpendicular to n: x and y for n = z. Zeros of n stay exact zeros.
std::array<Vec3, 2> across(const Vec3& n) {
    Eigen::Index largest = 0;
    n.cwiseAbs().maxCoeff(&largest);
    const Eigen::Index next = (largest + 1) % 3;
    const Eigen::Index after = (largest + 2) % 3;
    const Eigen::Index axis = std::abs(n(next)) < std::abs(n(after)) ? next : after;
    const Vec3 t2 = (Vec3::Unit(axis) - n(axis) * n).normalized();
    return {t2.cross(n), t2};
}

}  // namespace

Rolling::Rolling(const Arguments& arguments)
    : radius_(arguments.number("radius")), n_(unit_vector(arguments, "normal")), t_(across(n_)) {
    const std::string_view body = arguments.text("body");
    ask(attachment_text(body, vec3(arguments.numbers("center"))), "body");
    for (Eigen::Index i = 0; i < 3; ++i) ask(attachment_text(body, Vec3::Unit(i)), "body");
}

std::array<double, 2> Rolling::bias(const Vec3&,
                                    const Vec3&,
                                    const Vec3&,
                                    const Vec3&,
                                    const Vec3&,
                                    const Vec3& e_1_rate,
                                    const Vec3& e_2_rate,
                                    const Vec3& e_3_rate) const {
    const Vec3 sum =
        n_.dot(e_1_rate) * e_1_rate + n_.dot(e_2_rate) * e_2_rate + n_.dot(e_3_rate) * e_3_rate;
    return {radius_ * t_[0].dot(sum), radius_ * t_[1].dot(sum)};
}

}  // namespace ancora::nonholonomic
