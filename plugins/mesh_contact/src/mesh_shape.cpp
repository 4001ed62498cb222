// SPDX-License-Identifier: BSD-3-Clause
// Reads meshes and makes contacts of them.
#include "mesh_shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ancora/mesh/mesh.hpp"
#include "ancora/pairs/gap_law.hpp"

namespace ancora::contact {
namespace {

// Overlaps at the start beyond this part of the size are no rounding.
constexpr double kMeshOverlap = 1e-12;

struct Triangles {
    std::vector<Vec3> corners;
    std::vector<std::array<int, 3>> triangles;
};

Triangles from_file(const Arguments& table) {
    const mesh::Net net = mesh::read_net(table, "mesh", {.edges = false, .faces = true});
    if (net.num_faces() == 0) table.fail("mesh", "the file has no triangles, only lines");
    const double scale = table.number("scale");
    Triangles out;
    // Nodes of lines alone belong to something else in the file.
    std::vector<int> number(static_cast<std::size_t>(net.num_nodes()), -1);
    const auto numbered = [&](std::int32_t node) {
        int& own = number[static_cast<std::size_t>(node)];
        if (own < 0) {
            own = static_cast<int>(out.corners.size());
            out.corners.push_back(scale * vec3(net.x, 3 * static_cast<std::size_t>(node)));
        }
        return own;
    };
    for (std::int32_t f = 0; f < net.num_faces(); ++f) {
        const std::span<const std::int32_t> c = net.face(f);
        for (std::size_t k = 2; k < c.size(); ++k)
            out.triangles.push_back({numbered(c[0]), numbered(c[k - 1]), numbered(c[k])});
    }
    return out;
}

Triangles from_rows(const Arguments& table) {
    if (!table.given("nodes") || !table.given("triangles"))
        table.fail(table.given("nodes") ? "nodes" : "triangles",
                   "stands alone: a mesh has nodes and triangles");
    Triangles out;
    const std::span<const double> x = table.numbers("nodes"), t = table.numbers("triangles");
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) out.corners.push_back(vec3(x, i));
    for (std::size_t i = 0; i + 2 < t.size(); i += 3) {
        std::array<int, 3> c{};
        for (std::size_t k = 0; k < 3; ++k) {
            const double node = t[i + k];
            if (!(std::floor(node) == node) || !(std::abs(node) < 1e9))
                table.fail("triangles",
                           "triangle " + std::to_string(i / 3) +
                               " names a node by what is no whole number");
            c[k] = static_cast<int>(node);
        }
        out.triangles.push_back(c);
    }
    return out;
}

bool has_mesh(const Arguments& table) {
    return table.given("mesh") || table.given("nodes") || table.given("triangles");
}

}  // namespace

MeshSide read_mesh_side(const Arguments& arguments, bool is_b) {
    const char* const key = is_b ? "b" : "a";
    const char* const shape = is_b ? "shape_b" : "shape";
    const char* const radius = is_b ? "radius_b" : "radius";
    if (!arguments.given(shape) || !has_mesh(arguments.table(shape)))
        return {read_side(arguments, is_b), nullptr};
    const Arguments& table = arguments.table(shape);
    if (arguments.given(radius))
        arguments.fail(radius, "stands beside a mesh, which has no radius");
    if (is_b && arguments.has("plane"))
        arguments.fail(shape, "stands beside plane: b is one of them");
    if (table.given("mesh") && (table.given("nodes") || table.given("triangles")))
        table.fail("mesh", "stands beside nodes and triangles: write one of them");
    for (const char* other : {"box", "sphere", "cylinder", "capsule", "hull"})
        if (table.given(other)) table.fail(other, "stands beside a mesh: write one of them");
    const FrameStart& frame = arguments.frame_of(key);
    if (!frame.has_attitude && frame.body != "ground")
        arguments.fail(key, "has points alone and no directions, so that it carries no mesh");
    const char* const from = table.given("mesh") ? "mesh" : "triangles";
    Triangles found = table.given("mesh") ? from_file(table) : from_rows(table);
    // About the middle of its corners, so that rounding is that of its size.
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    if (!found.corners.empty()) low = high = found.corners.front();
    for (const Vec3& corner : found.corners) {
        low = low.cwiseMin(corner);
        high = high.cwiseMax(corner);
    }
    const Vec3 middle = 0.5 * (low + high);
    for (Vec3& corner : found.corners) corner -= middle;
    std::string why;
    Surface surface = make_surface(found.corners, found.triangles, why);
    if (!why.empty()) table.fail(from, why);
    ContactShape place;
    place.axes = read_orientation(table);
    place.position = vec3(table.numbers("position")) + place.axes * middle;
    PairSide side(key, frame, place);
    side.turns = true;
    return {std::move(side), std::make_shared<const Surface>(std::move(surface))};
}

Body MeshSide::body(std::string& why) const {
    using Kind = ContactShape::Kind;
    const ContactShape& shape = side.shape;
    if (mesh != nullptr) return solid(mesh);
    if (shape.kind == Kind::sphere) return ball(shape.radius);
    if (shape.kind == Kind::capsule) return capsule(shape.radius, shape.half_length);
    const Hull hull = shape.polyhedron();
    Surface surface;
    if (hull.empty())
        why = "is too thin: it has no volume, but for rounding";
    else
        surface = surface_of(hull, why);
    return solid(std::make_shared<const Surface>(std::move(surface)));
}

struct MeshContact::Sides {
    explicit Sides(const Arguments& arguments)
        : a(read_mesh_side(arguments, false)), b(read_mesh_side(arguments, true)) {
        if (a.mesh == nullptr && b.mesh == nullptr)
            arguments.fail("a",
                           "has no mesh, and neither has b: write one in shape or shape_b, as mesh "
                           "= \"FILE.stl\"; other shapes are of the type contact");
        for (const MeshSide* const of : {&a, &b})
            if (of->mesh == nullptr && of->side.shape.kind == ContactShape::Kind::cylinder)
                arguments.fail(of == &a ? "shape" : "shape_b",
                               "is a cylinder, which meets no mesh: write a capsule, or the hull "
                               "of points on its rims");
    }
    // Of two the mesh is what the other is seen from.
    bool is_swapped() const { return b.mesh == nullptr && !b.side.is_plane; }
    const MeshSide& seen() const { return is_swapped() ? b : a; }
    const MeshSide& from() const { return is_swapped() ? a : b; }

    MeshSide a, b;
};

MeshContact::MeshContact(const Arguments& arguments) : MeshContact(arguments, Sides(arguments)) {}

MeshContact::MeshContact(const Arguments& arguments, const Sides& sides)
    : ShapeContact(sides.a.side,
                   sides.b.side,
                   sides.is_swapped(),
                   gap_law(arguments),
                   [&](const PairSide&, const PairSide&) {
                       const MeshSide& seen = sides.seen();
                       if (sides.from().mesh == nullptr) return mesh_over_plane(seen.mesh);
                       std::string why;
                       const Body body = seen.body(why);
                       if (!why.empty())
                           arguments.fail(&seen == &sides.b ? "shape_b" : "shape", why);
                       return over_mesh(body, sides.from().mesh);
                   }) {
    refuse_overlap(arguments, sides);
}

void MeshContact::refuse_overlap(const Arguments& arguments, const Sides& sides) const {
    const MeshSide &seen = sides.seen(), &from = sides.from();
    const double gap = gap_at_start(geometry().num_rows() - 1);
    const double terms = seen.side.origin.norm() + from.side.origin.norm();
    if (gap >= -kMeshOverlap * (geometry().size() + terms)) return;
    // The triangle that is nearest to the deepest corner.
    int triangle = -1;
    if (from.mesh != nullptr) {
        const Relative<double> z = relative_of(at_start());
        double least = 0.0;
        std::string why;
        const Body body = seen.body(why);
        for (const Vec3& corner : body.surface->corners) {
            int nearest = -1;
            const Vec3 p = seen.side.turns ? Vec3(z.point(corner)) : Vec3(z.y);
            const double depth =
                from.mesh->distance(p, std::numeric_limits<double>::infinity(), &nearest) -
                body.radius;
            if (depth >= least) continue;
            least = depth;
            triangle = nearest;
        }
    }
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.6g", -gap);
    const std::string other = from.side.is_plane ? "the plane" : &from == &sides.b ? "b" : "a";
    arguments.fail(
        seen.side.key,
        "overlaps " +
            (triangle < 0 ? other : "triangle " + std::to_string(triangle) + " of " + other) +
            " by " + digits.data() + " m at the start: move one of them" +
            (from.mesh != nullptr && !from.mesh->is_closed()
                 ? ", or turn its triangles: their corners run counter-clockwise seen from in front"
                 : ""));
}

}  // namespace ancora::contact
