// SPDX-License-Identifier: BSD-3-Clause
// Directions of a ball's contact, and the bias of its rows.
#include "rolling.hpp"

#include <string_view>

namespace ancora::nonholonomic {

Rolling::Rolling(const Arguments& arguments)
    : radius_(arguments.number("radius")),
      n_(unit_vector(arguments, "normal")),
      t_(directions_across(n_)) {
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
