// SPDX-License-Identifier: BSD-3-Clause
// Gaps of spheres and points.
#include "contact.hpp"

#include <algorithm>
#include <cmath>

#include "ancora/pairs/across.hpp"
#include "ancora/pairs/gap_law.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::contact {
Contact::Contact(const Arguments& arguments) : radius_(arguments.number("radius")) {
    for (const char* key : {"a", "b"})
        if (!arguments.given(key))
            arguments.fail(key,
                           "is missing: give both bodies a and b, or many of them in `bodies`");
    for (const char* key : {"with", "planes", "materials"})
        if (arguments.given(key))
            arguments.fail(key, "is about many bodies: name them in `bodies`");
    law_ = gap_law(arguments);
    requests_.add(AttachmentRequest::Kind::point, arguments.frame_of("a").point, "a");
    is_plane_ = arguments.has("plane");
    if (is_plane_)
        read_plane(arguments);
    else
        read_spheres(arguments);
    const std::int32_t width = is_plane_ ? 9 : 6;
    for (std::int32_t i = 0; i < width; ++i) stencil_[static_cast<std::size_t>(i)] = i;
    block_ = {.name = "gap",
              .num_items = 1,
              .rows_per_item = 1,
              .scalars_per_item = width,
              .stencil = std::span(stencil_).first(static_cast<std::size_t>(width)),
              .laws = {&law_, 1},
              .degree = Degree::quadratic,
              .tangent = TangentForm::isotropic};
}

void Contact::read_plane(const Arguments& arguments) {
    const Arguments& plane = arguments.table("plane");
    for (const char* key : {"radius_b", "inside"})
        if (arguments.given(key)) arguments.fail(key, "is about a sphere, and b is a plane");
    const FrameStart& b = arguments.frame_of("b");
    if (b.names_point)
        arguments.fail("b", "names a point; a plane is carried by a body or by \"ground\"");
    if (b.body != "ground" && !b.has_attitude)
        arguments.fail("b", "has points alone and no directions, so that it carries no plane");
    is_on_ground_ = b.body == "ground";
    Vec3 n = vec3(plane.numbers("normal"));
    const double length = n.stableNorm();
    if (!(length > 0.0)) plane.fail("normal", "the direction [0, 0, 0] points nowhere");
    n /= length;
    using Kind = AttachmentRequest::Kind;
    add(Kind::point, attachment_text(b.body, vec3(plane.numbers("point"))), "plane");
    Places places;
    places.plane_normal = add(Kind::direction, attachment_text(b.body, n), "plane");
    const std::array<Vec3, 2> t = across(n);
    if (!is_on_ground_) {
        places.plane_axes = add(Kind::direction, attachment_text(b.body, t[0]), "plane");
        add(Kind::direction, attachment_text(b.body, t[1]), "plane");
    }
    places.axes_a = add_axes(arguments.frame_of("a"), radius_, "a");
    sliding_.emplace(places, width(), radius_, 0.0, t);
}

void Contact::read_spheres(const Arguments& arguments) {
    const double radius_b = arguments.number("radius_b");
    if (!(radius_ + radius_b > 0.0))
        arguments.fail("radius",
                       "two points never meet: give one of them a radius (radius, radius_b), or b "
                       "a plane = { point, normal }");
    const FrameStart& a = arguments.frame_of("a");
    const FrameStart& b = arguments.frame_of("b");
    requests_.add(AttachmentRequest::Kind::point, b.point, "b");
    const bool is_inside = arguments.boolean("inside");
    if (is_inside && !(radius_b > radius_))
        arguments.fail("radius_b", "is not above radius, so that a finds no room inside of b");
    reach_ = is_inside ? radius_ - radius_b : radius_ + radius_b;
    Places places;
    places.axes_a = add_axes(a, radius_, "a");
    places.axes_b = add_axes(b, radius_b, "b");
    places.fixed_b = b.body == "ground";
    const Vec3 r = vec3(a.motion.position) - vec3(b.motion.position);
    const Vec3 n = r.norm() > 0.0 ? Vec3(r.normalized()) : Vec3(Vec3::UnitZ());
    // Friction between two that do not turn would have a moment of its own.
    if (places.axes_a >= 0 || places.axes_b >= 0 || places.fixed_b)
        sliding_.emplace(places, width(), radius_, reach_, across(is_inside ? Vec3(-n) : n));
}

/// @returns where the attachment stands among the local scalars
int Contact::add(AttachmentRequest::Kind kind, const std::string& text, const char* key) {
    const int first = width();
    requests_.add(kind, text, key);
    return first;
}

/// The axes of a body that turns about what touches; -1 where there are none.
int Contact::add_axes(const FrameStart& frame, double radius, const char* key) {
    if (!(radius > 0.0) || !frame.has_attitude || frame.body == "ground") return -1;
    const int first = width();
    for (int i = 0; i < 3; ++i)
        add(AttachmentRequest::Kind::direction, attachment_text(frame.body, Vec3::Unit(i)), key);
    return first;
}

void Contact::evaluate(int, const RowPoint& at, const RowValues& out) const {
    std::ranges::fill(out.pi_t, 0.0);
    const Vec3 r = vec3(at.u, 0) - vec3(at.u, 3);
    if (is_plane_) {
        const Vec3 n = vec3(at.u, 6);
        if (!out.pi.empty()) out.pi[0] = n.dot(r) - radius_;
        if (!out.A.empty()) {
            vec3(out.A, 0) = n;
            vec3(out.A, 3) = -n;
            vec3(out.A, 6) = r;
        }
        if (!out.b.empty()) out.b[0] = -2.0 * vec3(at.du, 6).dot(vec3(at.du, 0) - vec3(at.du, 3));
        return;
    }
    // (2), and (3) by a negative D
    if (!out.pi.empty()) out.pi[0] = (r.squaredNorm() - reach_ * reach_) / (2.0 * reach_);
    if (!out.A.empty()) {
        vec3(out.A, 0) = r / reach_;
        vec3(out.A, 3) = -r / reach_;
    }
    if (!out.b.empty()) out.b[0] = -(vec3(at.du, 0) - vec3(at.du, 3)).squaredNorm() / reach_;
}

void Contact::evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const {
    std::ranges::fill(G, 0.0);
    if (is_plane_) {
        // K = a c^T + c a^T on (c, o, n), a = (1, -1, 0), c = (0, 0, at.s)
        if (at.positive_part) {
            // Its eigenvector above zero is (a / |a| + c / |c|) / sqrt 2, of eigenvalue |a| |c|.
            const double x = std::abs(at.s[0]) / (2.0 * std::sqrt(2.0));
            G[0] = G[4] = x;
            G[1] = G[3] = -x;
            G[2] = G[6] = 0.5 * at.s[0];
            G[5] = G[7] = -0.5 * at.s[0];
            G[8] = std::abs(at.s[0]) / std::sqrt(2.0);
            return;
        }
        G[2] = G[6] = at.s[0];
        G[5] = G[7] = -at.s[0];
        return;
    }
    const double x = at.s[0] / reach_;
    if (at.positive_part && !(x > 0.0)) return;
    G[0] = G[3] = x;
    G[1] = G[2] = -x;
}

}  // namespace ancora::contact
