// SPDX-License-Identifier: BSD-3-Clause
// Gaps of spheres and points.
#include "contact.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::contact {
namespace {

/// "BODY@[x, y, z]", with the shortest numbers that read back as the same, whatever the locale.
std::string carried(std::string_view body, std::span<const double> x) {
    std::string out = std::string(body) + "@[";
    for (std::size_t k = 0; k < 3; ++k) {
        std::array<char, 32> digits{};
        const auto end = std::to_chars(digits.begin(), digits.end(), x[k]).ptr;
        if (k > 0) out += ", ";
        out.append(digits.begin(), end);
    }
    return out + "]";
}

}  // namespace

Contact::Contact(const Arguments& arguments) : radius_(arguments.number("radius")) {
    law_ = {.kind = RowKind::unilateral, .restitution = arguments.number("restitution")};
    requests_.add(AttachmentRequest::Kind::point, arguments.frame_of("a").point, "a");
    is_plane_ = arguments.has("plane");
    if (is_plane_)
        read_plane(arguments);
    else
        read_spheres(arguments);
    const auto width = static_cast<std::int32_t>(3 * requests_.list().size());
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
    std::array<double, 3> n = plane.triple("normal");
    const double length = std::hypot(n[0], n[1], n[2]);
    if (!(length > 0.0)) plane.fail("normal", "the direction [0, 0, 0] points nowhere");
    for (double& x : n) x /= length;
    requests_.add(AttachmentRequest::Kind::point, carried(b.body, plane.triple("point")), "plane");
    requests_.add(AttachmentRequest::Kind::direction, carried(b.body, n), "plane");
}

void Contact::read_spheres(const Arguments& arguments) {
    const double radius_b = arguments.number("radius_b");
    if (!(radius_ + radius_b > 0.0))
        arguments.fail("radius",
                       "two points never meet: give one of them a radius (radius, radius_b), or b "
                       "a plane = { point, normal }");
    requests_.add(AttachmentRequest::Kind::point, arguments.frame_of("b").point, "b");
    if (!arguments.boolean("inside")) {
        reach_ = radius_ + radius_b;
        return;
    }
    if (!(radius_b > radius_))
        arguments.fail("radius_b", "is not above radius, so that a finds no room inside of b");
    reach_ = radius_ - radius_b;
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
