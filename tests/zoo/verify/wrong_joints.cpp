// SPDX-License-Identifier: BSD-3-Clause
// Bad: joints that say something wrong of themselves, in one place each, and a right one.
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "ancora/sdk/authoring.hpp"
#include "ancora/sdk/joint.hpp"
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

enum class Wrong {
    nothing,
    start,            // of the displacement: zero
    angle_of_points,  // the angle's first attachments are points
    way_of_axis,      // the displacement is that of a direction
    angle_on_a,       // the angle's attachments are all of a
    freedom,
    on_a,          // what belongs to a is said to belong to b
    half_on_b,     // a direction on b is forgotten
    point_on_a,    // the joint point of b is that of a
    placed_start,  // the angle at which it places b has the other sign in the measure
    length_start,  // of the distance: twice of it
};

/// A sleeve: b turns about the third axis of a and slides along it,
///
///   (r_b - r_a) . a_1 = (r_b - r_a) . a_2 = 0,   a_3 . b_1 = a_3 . b_2 = 0
class Sleeve : public HolonomicConstraint<Sleeve> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "a point of the one body, on the axis").required(),
        parameter::point("b", "a point of the other one").required(),
        parameter::direction("a1", "across the axis").required(),
        parameter::direction("a2", "across both").required(),
        parameter::direction("a3", "the axis").required(),
        parameter::direction("b1", "across the axis").required(),
        parameter::direction("b2", "across both").required(),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "a sleeve",
        .equation = "(r_b - r_a) . a_i = 0, a_3 . b_i = 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                     "a1 = \"a@[1.0, 0.0, 0.0]\"\na2 = \"a@[0.0, 1.0, 0.0]\"\n"
                     "a3 = \"a@[0.0, 0.0, 1.0]\"\nb1 = \"b@[1.0, 0.0, 0.0]\"\n"
                     "b2 = \"b@[0.0, 1.0, 0.0]\""}};

    template <class S>
    std::array<S, 4> phi(const Vector3<S>& a,
                         const Vector3<S>& b,
                         const Vector3<S>& a1,
                         const Vector3<S>& a2,
                         const Vector3<S>& a3,
                         const Vector3<S>& b1,
                         const Vector3<S>& b2) const {
        return {dot(b - a, a1), dot(b - a, a2), dot(a3, b1), dot(a3, b2)};
    }
    void facets(ConstraintFacets& out) const override { out.joint = &joint_; }

protected:
    Sleeve(const Arguments& arguments, Wrong wrong) {
        const FrameStart &a = arguments.frame_of("a"), &b = arguments.frame_of("b");
        body_a_ = a.body;
        body_b_ = b.body;
        const auto column = [](const FrameStart& of, std::size_t j) {
            const std::array<double, 9>& R = of.carrier.rotation;
            return std::array<double, 3>{R[j], R[3 + j], R[6 + j]};
        };
        const auto product = [](const std::array<double, 3>& x, const std::array<double, 3>& y) {
            return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        };
        std::array<double, 3> d{};
        for (std::size_t i = 0; i < 3; ++i) d[i] = b.motion.position[i] - a.motion.position[i];
        const double angle =
            std::atan2(product(column(a, 1), column(b, 0)), product(column(a, 0), column(b, 0)));
        const double way = product(d, column(a, 2));

        measures_ = {{{"angle", MeasureKind::angle, {2, 3, 5}, angle},
                      {"displacement", MeasureKind::displacement, {0, 1, 4}, way},
                      {"distance", MeasureKind::distance, {0, 1, 0}, std::sqrt(product(d, d))}}};
        joint_.kind = "sleeve";
        joint_.a = {.body = body_a_, .point = {0.3, 0.1, -0.2}};
        joint_.b = {.body = body_b_, .point = {-0.4, 0.2, 0.1}};
        joint_.placement.position = {0.0, 0.0, way};
        joint_.measures = measures_;
        joint_.freedom = wrong == Wrong::freedom ? 3 : 2;
        joint_.point = wrong == Wrong::point_on_a ? 0 : 1;
        joint_.on_b = kOnB;
        if (wrong == Wrong::on_a) joint_.on_b = kOnA;
        if (wrong == Wrong::half_on_b) joint_.on_b = joint_.on_b.first(2);
        if (wrong == Wrong::start) measures_[1].start = 0.0;
        if (wrong == Wrong::length_start) measures_[2].start *= 2.0;
        if (wrong == Wrong::angle_of_points) measures_[0].attachments = {0, 1, 5};
        if (wrong == Wrong::way_of_axis) measures_[1].attachments = {0, 4, 1};
        if (wrong == Wrong::angle_on_a) measures_[0].attachments = {2, 3, 4};
        if (wrong != Wrong::placed_start) return;
        constexpr double kAngle = 0.4;
        joint_.is_placed = true;
        const double c = std::cos(kAngle), s = std::sin(kAngle);
        joint_.placement.rotation = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0};
        measures_[0].start = -kAngle;
        measures_[2].start = std::abs(way);
    }

private:
    static constexpr std::array<std::int32_t, 3> kOnB = {1, 5, 6};
    static constexpr std::array<std::int32_t, 4> kOnA = {0, 2, 3, 4};
    std::string body_a_, body_b_;
    std::array<Measure, 3> measures_;
    Joint joint_;
};

template <Wrong kWrong>
class SleeveWith final : public Sleeve {
public:
    explicit SleeveWith(const Arguments& arguments) : Sleeve(arguments, kWrong) {}
};

template <Wrong kWrong>
constexpr TypeDescriptor sleeve(const char* name) {
    return type<SleeveWith<kWrong>>(name, Sleeve::kDocs, Sleeve::kParameters);
}

constexpr TypeDescriptor kTypes[] = {
    sleeve<Wrong::nothing>("right_sleeve"),
    sleeve<Wrong::start>("wrong_start"),
    sleeve<Wrong::length_start>("wrong_length_start"),
    sleeve<Wrong::placed_start>("wrong_placed_start"),
    sleeve<Wrong::angle_of_points>("angle_of_points"),
    sleeve<Wrong::way_of_axis>("way_of_axis"),
    sleeve<Wrong::angle_on_a>("angle_on_a"),
    sleeve<Wrong::freedom>("wrong_freedom"),
    sleeve<Wrong::on_a>("on_a"),
    sleeve<Wrong::half_on_b>("half_on_b"),
    sleeve<Wrong::point_on_a>("point_on_a"),
};

}  // namespace

ANCORA_PLUGIN("wrong_joints", "1.0.0", kTypes)
