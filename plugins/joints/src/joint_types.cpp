// SPDX-License-Identifier: BSD-3-Clause
// Reads frames, axes and starts of joints, and makes their rows.
#include "joint_types.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ancora::joints {
namespace {

constexpr double kPi = 3.14159265358979323846;
// How far what should be perpendicular or equal may be off, of what a user types.
constexpr double kTyped = 1e-9;
constexpr double kRoundedSum = 1e-15;  // of three stiffnesses beside their sum

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Mat3 matrix(const std::array<double, 9>& R) {
    return Eigen::Map<const RowMajor>(R.data());
}
std::array<double, 3> triple(const Vec3& x) {
    return {x(0), x(1), x(2)};
}

constexpr const char* kNames[] = {"fixed",
                                  "revolute",
                                  "prismatic",
                                  "cylindrical",
                                  "spherical",
                                  "universal",
                                  "constant_velocity",
                                  "planar",
                                  "screw",
                                  "in_line",
                                  "in_plane",
                                  "parallel",
                                  "perpendicular",
                                  "orientation",
                                  "revolute_spherical",
                                  "measure",
                                  "bushing"};

/// Whether the joint ties directions of a, or of b.
bool needs_axes_a(Kind kind) {
    return kind != Kind::spherical;
}
bool needs_axes_b(Kind kind) {
    return kind != Kind::spherical && kind != Kind::in_line && kind != Kind::in_plane &&
           kind != Kind::revolute_spherical;
}
/// How many axes of b it holds along those of a, from the third.
int num_aligned(Kind kind) {
    switch (kind) {
        case Kind::fixed:
        case Kind::prismatic:
        case Kind::orientation:
            return 3;
        case Kind::revolute:
        case Kind::cylindrical:
        case Kind::planar:
        case Kind::screw:
        case Kind::parallel:
            return 1;
        default:
            return 0;
    }
}
/// Whether its points lie apart, each where its side has it.
bool has_own_points(Kind kind) {
    return kind == Kind::revolute_spherical || kind == Kind::measure;
}
/// Whether it says something about points.
bool has_points(Kind kind) {
    return kind != Kind::parallel && kind != Kind::perpendicular && kind != Kind::orientation;
}
/// Whether its axis is that of a link at whose end it is, where nothing else says it.
bool is_along_link(Kind kind) {
    return kind == Kind::prismatic || kind == Kind::cylindrical || kind == Kind::screw ||
           kind == Kind::in_line || kind == Kind::constant_velocity;
}
bool has_axis(Kind kind) {
    return kind != Kind::spherical && kind != Kind::fixed && kind != Kind::orientation;
}

}  // namespace

JointType::JointType(Kind kind, const Arguments& arguments) : kind_(kind) {
    a_.key = "a";
    b_.key = "b";
    read_sides(arguments);
    read_start(arguments);
    make_rows(arguments);
    finish();
    describe();
}

void JointType::read_sides(const Arguments& arguments) {
    const FrameStart& frame_a = arguments.frame_of("a");
    const FrameStart& frame_b = arguments.frame_of("b");
    if (frame_a.body == frame_b.body)
        arguments.fail("b",
                       std::string("is the same as a: both are of ") +
                           (frame_b.body == "ground" ? "the ground" : "one body"));
    const auto begin = [&](Side& side, const FrameStart& frame) {
        side.body = frame.body;
        side.has_axes = frame.has_attitude;
        side.names_point = frame.names_point;
        side.names_axes = frame.names_axes;
        side.carrier_R = matrix(frame.carrier.rotation);
        side.carrier_x = vec3(frame.carrier.position);
        side.x = vec3(frame.motion.position);
        side.R = matrix(frame.motion.rotation);
    };
    begin(a_, frame_a);
    begin(b_, frame_b);
    for (const Side* side : {&a_, &b_})
        if (!side->has_axes && kind_ != Kind::measure &&
            (side == &a_ ? needs_axes_a(kind_) : needs_axes_b(kind_)))
            arguments.fail(side->key,
                           "names a body that has points but no attitude, so that no axis is "
                           "fixed in it; tie it with a joint of type \"spherical\" or a "
                           "constraint of type \"position\"");

    // One hard point serves both sides
    const bool takes_point = has_points(kind_) && !has_own_points(kind_);
    const bool is_given = takes_point && arguments.has("point");
    if (is_given) {
        for (const auto& [side, frame] : {std::pair{&a_, &frame_a}, std::pair{&b_, &frame_b}}) {
            if (frame->names_point && frame->body != "ground")
                arguments.fail("point",
                               std::string("is given, and ") + side->key +
                                   " names a point too; give one of them");
            side->x = vec3(arguments.numbers("point"));
        }
    } else if (takes_point) {
        if (!frame_a.names_point && !frame_b.names_point)
            arguments.fail("point",
                           "is missing: where is the joint? Give point = [x, y, z], or a frame or "
                           "point of a body, such as a = \"arm.tip\" or \"arm@[1, 0, 0]\"");
        if (!frame_a.names_point) a_.x = b_.x;
        if (!frame_b.names_point) b_.x = a_.x;
    }
    const auto own_point = [&](Side& side, const FrameStart& frame) {
        if (frame.names_point && !is_given) {
            side.point_text = frame.point;
        } else if (side.has_axes) {
            side.point_text =
                attachment_text(side.body, side.carrier_R.transpose() * (side.x - side.carrier_x));
        } else {
            if ((side.x - vec3(frame.motion.position)).norm() > kTyped)
                arguments.fail(side.key,
                               "names a body without attitude, which can be tied at its own points "
                               "alone, and the joint point is none of them");
            side.point_text = frame.point;
        }
    };
    own_point(a_, frame_a);
    own_point(b_, frame_b);
    read_axes(arguments, frame_a, frame_b);
}

/// From end to end of the link whose end a or b names; of two they must lie along each other.
std::optional<Vec3> JointType::link_direction(const Arguments& arguments) const {
    std::optional<Vec3> out;
    for (const Side* side : {&a_, &b_}) {
        const std::string_view text = arguments.text(side->key);
        if (!side->has_axes || !(text.ends_with("@from") || text.ends_with("@to"))) continue;
        const Vec3 along = side->carrier_R.col(0);
        if (out && out->cross(along).norm() > kTyped) return std::nullopt;
        if (!out) out = along;
    }
    return out;
}

void JointType::read_axes(const Arguments& arguments,
                          const FrameStart& frame_a,
                          const FrameStart& frame_b) {
    const auto direction = [&](const char* key) -> Vec3 {
        const Vec3 x = vec3(arguments.numbers(key));
        if (!(x.norm() > 0.0)) arguments.fail(key, "has length zero");
        return x.normalized();
    };
    if (!needs_axes_a(kind_)) {
        // Reactions are shown in axes of a all the same
        if (!frame_b.names_axes || frame_a.names_axes) return;
        a_.R = b_.R;
        return;
    }
    if (kind_ == Kind::universal) {
        std::optional<Vec3> z, x;
        if (arguments.has("axis_a") || arguments.has("axis_b")) {
            for (const char* key : {"axis_a", "axis_b"})
                if (!arguments.has(key))
                    arguments.fail(key, "is missing; a universal joint has two axes");
            z = direction("axis_a");
            x = direction("axis_b");
            if (std::abs(z->dot(*x)) > kTyped)
                arguments.fail("axis_b", "is not perpendicular to axis_a");
        } else if (!frame_a.names_axes || !frame_b.names_axes) {
            const std::optional<Vec3> link = link_direction(arguments);
            if (!link)
                arguments.fail("axis_a",
                               "is missing; give axis_a and axis_b, or frames on both sides, or "
                               "the end of a link, across which they then lie");
            const Mat3 about = frame_about(*link);
            z = about.col(0);
            x = about.col(1);
        }
        if (!z) return;
        a_.R << *x, z->cross(*x), *z;
        b_.R << *z, x->cross(*z), *x;
        return;
    }
    const bool is_given = has_axis(kind_) && arguments.has("axis");
    if (is_given) {
        for (const FrameStart* frame : {&frame_a, &frame_b})
            if (frame->names_axes)
                arguments.fail("axis", "is given, and a frame has axes too; give one of them");
        a_.R = b_.R = frame_about(direction("axis"));
        if (kind_ == Kind::perpendicular) {
            b_.R.col(2) = a_.R.col(0);
            b_.R.col(0) = a_.R.col(1);
            b_.R.col(1) = a_.R.col(2);
        }
        return;
    }
    const bool any = frame_a.names_axes || frame_b.names_axes;
    if (kind_ == Kind::measure) return;
    if (!any && is_along_link(kind_))
        if (const std::optional<Vec3> link = link_direction(arguments)) {
            a_.R = b_.R = frame_about(*link);
            return;
        }
    if (!any && has_axis(kind_) && kind_ != Kind::bushing)
        arguments.fail("axis",
                       "is missing: give axis = [x, y, z], or a frame of a body such as "
                       "\"arm.hinge\", whose z axis it is");
    if (!any) a_.R = b_.R = Mat3::Identity();  // only that the bodies keep how they lie counts
    if (!frame_a.names_axes) a_.R = b_.R;
    if (!frame_b.names_axes) b_.R = a_.R;
}

/// Frame b seen from frame a.
RigidMotion JointType::placement(double angle_a,
                                 double rate_a,
                                 double angle_b,
                                 double rate_b,
                                 double way,
                                 double way_rate) const {
    Mat3 R = detail::turn_about(2, angle_a);
    Vec3 w = rate_a * Vec3::UnitZ();
    if (kind_ == Kind::universal) {
        // b's axis is x of a, turned by angle_a; at angles of zero b's axes are z, -y, x of a
        w += rate_b * R.col(0);
        Mat3 swap;
        swap << Vec3::UnitZ(), -Vec3::UnitY(), Vec3::UnitX();
        R = R * detail::turn_about(0, angle_b) * swap;
    }
    RigidMotion out;
    out.position = {0.0, 0.0, way};
    out.velocity = {0.0, 0.0, way_rate};
    out.angular_velocity = triple(w);
    Eigen::Map<RowMajor>(out.rotation.data()) = R;
    return out;
}

void JointType::read_start(const Arguments& arguments) {
    // As the bodies lie now
    const Mat3 R = a_.R.transpose() * b_.R;
    const Vec3 r = a_.R.transpose() * (b_.x - a_.x);
    const bool measures = kind_ == Kind::measure;
    const bool turns = kind_ == Kind::revolute || kind_ == Kind::cylindrical ||
                       kind_ == Kind::planar || kind_ == Kind::screw;
    const bool slides =
        kind_ == Kind::prismatic || kind_ == Kind::cylindrical || kind_ == Kind::screw;
    if (turns || measures) angle_ = std::atan2(R(1, 0), R(0, 0));
    if (kind_ == Kind::universal) {
        angle_ = std::atan2(R(1, 2), R(0, 2));
        angle_b_ = std::atan2(-R(2, 1), R(2, 0));
    }
    if (slides) way_ = r(2);
    if (kind_ == Kind::planar) {
        way_ = r(0);
        way_y_ = r(1);
    }

    const char* const start = "start";
    const bool takes_start = (turns && kind_ != Kind::planar) || slides || kind_ == Kind::universal;
    const bool is_given = takes_start && arguments.has(start);
    double rate = 0.0, rate_b = 0.0, way_rate = 0.0;
    if (is_given) {
        if (arguments.shape(start) == Shape::table) {
            const Arguments& table = arguments.table(start);
            const auto read = [&](const char* key, double& to, bool is_wanted) {
                if (is_wanted && table.has(key)) to = table.number(key);
            };
            const bool cross = kind_ == Kind::universal;
            read("angle", angle_, turns);
            read("angle_rate", rate, turns);
            read("angle_a", angle_, cross);
            read("angle_a_rate", rate, cross);
            read("angle_b", angle_b_, cross);
            read("angle_b_rate", rate_b, cross);
            if (kind_ != Kind::screw) {
                read("displacement", way_, slides);
                read("displacement_rate", way_rate, slides);
            }
        } else {
            (turns ? angle_ : way_) = arguments.number(start);
        }
    }
    if (kind_ == Kind::screw && is_given) {
        const double lead = arguments.number("pitch") / (2.0 * kPi);
        way_ = lead * angle_;
        way_rate = lead * rate;
    }

    const RigidMotion there = placement(angle_, rate, angle_b_, rate_b, way_, way_rate);
    const double gap = (vec3(there.position) - r).cwiseAbs().maxCoeff();
    const double turn = (matrix(there.rotation) - R).cwiseAbs().maxCoeff();
    const bool meets_points = gap <= kTyped;
    const bool meets_axes = turn <= kTyped;
    const bool is_determined = kind_ == Kind::fixed || kind_ == Kind::revolute ||
                               kind_ == Kind::prismatic || kind_ == Kind::cylindrical ||
                               kind_ == Kind::universal || kind_ == Kind::screw;
    joint_.placement = there;
    joint_.is_placed =
        is_given || (is_determined && a_.names_point && b_.names_point &&
                     (a_.names_axes || b_.names_axes) && !(meets_points && meets_axes));
    // Half a turn meets the rows too
    joint_.aligned = num_aligned(kind_);
    if (joint_.is_placed) return;
    if (joint_.aligned > 0 && !(R(2, 2) > 0.0))
        arguments.fail("b",
                       "has its axis against that of a, which the joint would hold as well; turn "
                       "one of the frames by half a turn");
    if (joint_.aligned == 3 && !(R(0, 0) > 0.0 && R(1, 1) > 0.0))
        arguments.fail("b",
                       "lies more than a quarter turn from a, which the joint would not undo; turn "
                       "one of the frames");
}

int JointType::axis(Side& side, int k, double sign) {
    std::array<int, 3>& axes = &side == &a_ ? axes_a_ : axes_b_;
    int& index = sign > 0.0 ? axes[k] : minus_y_;
    if (index < 0)
        index = add(AttachmentRequest::Kind::direction,
                    attachment_text(side.body, sign * side.carrier_R.transpose() * side.R.col(k)),
                    side.key);
    return index;
}

void JointType::measure(const char* name, MeasureKind kind, int i, int j, int k, double start) {
    Measure m;
    m.name = name;
    m.kind = kind;
    m.attachments = {i, j, k};
    m.start = start;
    measures_.push_back(m);
}

void JointType::make_rows(const Arguments& arguments) {
    if (has_points(kind_)) {
        point_a_ = add(AttachmentRequest::Kind::point, a_.point_text, "a");
        point_b_ = add(AttachmentRequest::Kind::point, b_.point_text, "b");
    }
    const auto dot = [&](int i, int j) {
        vanish({{axis(a_, i), axis(b_, j), 1.0}});
    };
    const auto off = [&](int i) {
        vanish({{point_b_, axis(a_, i), 1.0}, {point_a_, axis(a_, i), -1.0}});
    };
    const auto same_orientation = [&] {
        dot(0, 1);
        dot(1, 2);
        dot(2, 0);
    };
    const auto same_axis = [&] {
        dot(2, 0);
        dot(2, 1);
    };
    const auto angle = [&] {
        measure("angle", MeasureKind::angle, axis(a_, 0), axis(a_, 1), axis(b_, 0), angle_);
    };
    const auto displacement = [&](const char* name, int i, double start) {
        measure(name, MeasureKind::displacement, point_a_, point_b_, axis(a_, i), start);
    };
    switch (kind_) {
        case Kind::fixed:
            coincide(point_a_, point_b_);
            same_orientation();
            break;
        case Kind::revolute:
            coincide(point_a_, point_b_);
            same_axis();
            angle();
            break;
        case Kind::prismatic:
            off(0);
            off(1);
            same_orientation();
            displacement("displacement", 2, way_);
            break;
        case Kind::cylindrical:
        case Kind::screw:
            off(0);
            off(1);
            same_axis();
            angle();
            displacement("displacement", 2, way_);
            break;
        case Kind::spherical:
            coincide(point_a_, point_b_);
            break;
        case Kind::universal:
            coincide(point_a_, point_b_);
            dot(2, 2);
            measure("angle_a", MeasureKind::angle, axis(a_, 0), axis(a_, 1), axis(b_, 2), angle_);
            measure("angle_b",
                    MeasureKind::angle,
                    axis(b_, 0),
                    axis(b_, 1, -1.0),
                    axis(a_, 2),
                    angle_b_);
            break;
        case Kind::constant_velocity:
            coincide(point_a_, point_b_);
            vanish({{axis(a_, 0), axis(b_, 1), 1.0}, {axis(a_, 1), axis(b_, 0), -1.0}});
            break;
        case Kind::planar:
            off(2);
            same_axis();
            displacement("displacement_x", 0, way_);
            displacement("displacement_y", 1, way_y_);
            angle();
            break;
        case Kind::measure: {
            const Vec3 r = a_.R.transpose() * (b_.x - a_.x);
            measure("distance", MeasureKind::distance, point_a_, point_b_, 0, r.norm());
            if (!a_.has_axes) break;
            displacement("displacement_x", 0, r(0));
            displacement("displacement_y", 1, r(1));
            displacement("displacement_z", 2, r(2));
            if (!b_.has_axes) break;
            angle();
            measure("tilt",
                    MeasureKind::between,
                    axis(a_, 2),
                    axis(b_, 2),
                    0,
                    std::acos(std::clamp(a_.R.col(2).dot(b_.R.col(2)), -1.0, 1.0)));
            break;
        }
        case Kind::bushing: {
            make_bushing(arguments);
            const Vec3 r = a_.R.transpose() * (b_.x - a_.x);
            displacement("displacement_x", 0, r(0));
            displacement("displacement_y", 1, r(1));
            displacement("displacement_z", 2, r(2));
            break;
        }
        case Kind::in_line:
            off(0);
            off(1);
            displacement("displacement", 2, (a_.R.transpose() * (b_.x - a_.x))(2));
            break;
        case Kind::in_plane:
            off(2);
            break;
        case Kind::parallel:
            same_axis();
            break;
        case Kind::perpendicular:
            dot(2, 2);
            break;
        case Kind::orientation:
            same_orientation();
            break;
        case Kind::revolute_spherical: {
            const double length = (b_.x - a_.x).norm();
            if (!(length > 0.0))
                arguments.fail("b",
                               "is at the same point as a: the link between them has no length");
            const double w = 0.5 / length;
            vanish(
                {{point_b_, point_b_, w}, {point_a_, point_a_, w}, {point_a_, point_b_, -2.0 * w}},
                -w * length * length);
            off(2);
            break;
        }
    }
    if (kind_ == Kind::screw) {
        const double lead = arguments.number("pitch") / (2.0 * kPi);
        couple({MeasureFunction(MeasureKind::displacement),
                {point_a_, point_b_, axis(a_, 2)},
                1.0,
                way_});
        couple({MeasureFunction(MeasureKind::angle),
                {axis(a_, 0), axis(a_, 1), axis(b_, 0)},
                -lead,
                angle_});
    }
    make_slide();
}

/// What friction works on: the one free measure, that and the other of a bearing in which b turns
/// and slides, or the spin in a ball.
void JointType::make_slide() {
    const auto slides = [this](std::size_t k) {
        const auto& [i, j, l] = measures_[k].attachments;
        slide_.add(MeasureFunction(measures_[k].kind), {i, j, l});
    };
    const bool is_one = measures_.size() == 1 && kind_ != Kind::measure;
    if (is_one || kind_ == Kind::screw) {
        slides(0);
    } else if (kind_ == Kind::cylindrical) {
        slides(0);
        slides(1);
    } else if (kind_ == Kind::spherical && a_.has_axes && b_.has_axes) {
        for (int k = 0; k < 3; ++k) {
            axis(a_, k);
            axis(b_, k);
        }
        slide_.add_ball(axes_a_, axes_b_);
    } else {
        return;
    }
    slide_.finish();
}

/// Turning by invariants that are alike on both bodies, whatever the angle (theory (55a)):
///
///   U = sum_i w_i |b_i - a_i|^2 / 2 = (1 - cos angle) n.K n,   w_i = (K_j + K_k - K_i) / 2   (1)
///
/// for an angle about n: springs between the ends of axes. K = [K, K, 0] leaves a3 and b3 alone,
/// and does not know how b turns about b3. What one K_i has more than the others together is borne
/// by squares (theory (55b)), and what one damping has more acts on the angle about its axis.
void JointType::make_bushing(const Arguments& arguments) {
    const auto add =
        [&](std::vector<Product> row, double stiffness, double damping, double preload) {
            RowLaw law{.kind = RowKind::elastic};
            if (stiffness > 0.0)
                law.compliance = 1.0 / stiffness;
            else
                law.kind = RowKind::dashpot;
            law.viscosity = damping;
            law.prestress = -preload;
            if (stiffness > 0.0 || damping > 0.0) add_row(std::move(row), 0.0, law);
        };
    const auto entry = [&](const char* key, int i) {
        return arguments.numbers(key)[i];
    };
    for (int i = 0; i < 3; ++i) {
        if (entry("preload", i) != 0.0 && entry("stiffness", i) == 0.0)
            arguments.fail("preload",
                           "acts along an axis without stiffness; give that in stiffness");
        add({{point_b_, axis(a_, i), 1.0}, {point_a_, axis(a_, i), -1.0}},
            entry("stiffness", i),
            entry("damping", i),
            entry("preload", i));
    }
    Vec3 K = vec3(arguments.numbers("torsion"));
    for (int i = 0; i < 3; ++i) {
        const double alone = 2.0 * K[i] - K.sum();
        if (!(alone > kRoundedSum * K.sum())) continue;
        K[i] -= alone;
        bear_turning_about(i, alone);
    }
    for (int i = 0; i < 3; ++i) {
        const double w = 0.5 * K.sum() - K[i];
        if (w > kRoundedSum * K.sum()) tie_elastically(axis(a_, i), axis(b_, i), w);
    }
    // Likewise sum_i C_i (w.b_i)^2 = sum_i v_i |w x b_i|^2, with the rates of b_i as seen from a.
    Vec3 C = vec3(arguments.numbers("torsional_damping"));
    int most = 0;
    C.maxCoeff(&most);
    const double alone = std::max(0.0, 2.0 * C[most] - C.sum());
    C[most] -= alone;
    const Vec3 v = Vec3::Constant(0.5 * C.sum()) - C;
    for (int i = 0; i < 3; ++i) {
        if (!(v[i] > kRoundedSum * C.sum())) continue;
        for (int m = 0; m < 3; ++m) add({{axis(a_, m), axis(b_, i), 1.0}}, 0.0, v[i], 0.0);
    }
    if (!(alone > kRoundedSum * arguments.numbers("torsional_damping")[most])) return;
    const int j = (most + 1) % 3, k = (most + 2) % 3;
    const Mat3 R = a_.R.transpose() * b_.R;
    damp({MeasureFunction(MeasureKind::angle),
          {axis(a_, j), axis(a_, k), axis(b_, j)},
          1.0,
          std::atan2(R(k, j), R(j, j))},
         alone);
}

/// (1) of one stiffness alone, as half the stiffness times the sum of squares of
///
///   (a_i.b_j + a_j.b_i) / 2,   (a_k.b_i + a_i.b_k) / 2,   (a_j.b_k - a_k.b_j) / 2,
///   (1 + a_i.b_i - a_j.b_j - a_k.b_k) / 2                                                    (2)
///
/// which are 2 e_i times e_j, e_k, -e_0, e_i of the turn's Euler parameters. All vanish together,
/// without stress, however far b has turned about the other axes.
void JointType::bear_turning_about(int i, double stiffness) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const auto product = [this](int of_a, int of_b, double w) {
        return Product{axis(a_, of_a), axis(b_, of_b), w};
    };
    RowLaw law{.kind = RowKind::elastic};
    law.compliance = 1.0 / stiffness;
    add_row({product(i, j, 0.5), product(j, i, 0.5)}, 0.0, law);
    add_row({product(k, i, 0.5), product(i, k, 0.5)}, 0.0, law);
    add_row({product(j, k, 0.5), product(k, j, -0.5)}, 0.0, law);
    add_row({product(i, i, 0.5), product(j, j, -0.5), product(k, k, -0.5)}, 0.5, law);
}

void JointType::describe() {
    joint_.kind = kNames[static_cast<std::size_t>(kind_)];
    for (const auto& [side, to] : {std::pair{&a_, &joint_.a}, std::pair{&b_, &joint_.b}}) {
        to->body = side->body;
        to->has_axes = side->has_axes;
        to->point = triple(side->carrier_R.transpose() * (side->x - side->carrier_x));
        Eigen::Map<RowMajor>(to->axes.data()) = side->carrier_R.transpose() * side->R;
    }
    joint_.measures = measures_;
    int ties = 0;
    for (const RowBlock& block : row_blocks()) ties += block.num_items * block.rows_per_item;
    joint_.has_rows = ties > 0;
    joint_.freedom = kind_ == Kind::bushing ? 6 : 6 - ties;
    joint_.point = point_b_;
    if (point_b_ >= 0) on_b_.push_back(point_b_);
    for (const int index : {axes_b_[0], axes_b_[1], axes_b_[2], minus_y_})
        if (index >= 0) on_b_.push_back(index);
    joint_.on_b = on_b_;
}

}  // namespace ancora::joints
