// SPDX-License-Identifier: BSD-3-Clause
// Puts triangles together, and finds where they are nearest.
#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ancora::contact {
namespace {

std::size_t spot(int i) {
    return static_cast<std::size_t>(i);
}

/// The part of a triangle's longest edge that its height has at least.
constexpr double kLeastHeight = 1e-9;

std::string triangle_named(int t) {
    return "triangle " + std::to_string(t);
}

/// The first corner that no triangle names; -1: there is none.
int first_unused(std::span<const Vec3> corners, std::span<const std::array<int, 3>> triangles) {
    std::vector<char> is_used(corners.size(), 0);
    for (const std::array<int, 3>& c : triangles)
        for (const int corner : c) is_used[spot(corner)] = 1;
    const auto found = std::ranges::find(is_used, 0);
    return found == is_used.end() ? -1 : static_cast<int>(found - is_used.begin());
}

/// Every triangle names three corners that there are, and has an area.
std::string check_triangles(std::span<const Vec3> corners,
                            std::span<const std::array<int, 3>> triangles) {
    if (triangles.empty()) return "has no triangles";
    for (std::size_t i = 0; i < corners.size(); ++i)
        if (!corners[i].allFinite())
            return "node " + std::to_string(i) + " has a coordinate that is no finite number";
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
        const std::array<int, 3>& c = triangles[spot(t)];
        for (const int corner : c)
            if (corner < 0 || corner >= static_cast<int>(corners.size()))
                return triangle_named(t) + " names node " + std::to_string(corner) + ", and the " +
                       std::to_string(corners.size()) + " nodes count from 0";
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
            return triangle_named(t) + " has node " +
                   std::to_string(c[0] == c[1] || c[2] == c[0] ? c[0] : c[1]) +
                   " twice, so that it has no area: leave it out";
        const Vec3 a = corners[spot(c[1])] - corners[spot(c[0])];
        const Vec3 b = corners[spot(c[2])] - corners[spot(c[1])];
        const double longest = std::max({a.norm(), b.norm(), (a + b).norm()});
        if (!(a.cross(b).norm() > kLeastHeight * longest * longest))
            return triangle_named(t) + " has no area: its corners are on one line; leave it out";
    }
    return {};
}

void bend(Surface& surface) {
    for (Surface::Edge& edge : surface.edges) {
        if (edge.triangles[1] < 0) {
            edge.triangles[1] = edge.triangles[0];
            edge.inwards[1] = edge.inwards[0];
            edge.bend = Surface::Bend::border;
            continue;
        }
        const double rise = surface.triangles[spot(edge.triangles[0])].n.dot(edge.inwards[1]);
        const bool is_folded = edge.inwards[0].dot(edge.inwards[1]) > 0.0;
        edge.bend = !is_folded && std::abs(rise) <= kFlatBend ? Surface::Bend::flat
                    : rise < 0.0                              ? Surface::Bend::convex
                                                              : Surface::Bend::concave;
    }
}

/// The first corner of each part that edges hold together.
void find_pieces(Surface& surface) {
    std::vector<int> piece(surface.corners.size(), -1), open;
    std::vector<std::vector<int>> beside(surface.corners.size());
    for (const Surface::Edge& edge : surface.edges) {
        beside[spot(edge.from)].push_back(edge.to);
        beside[spot(edge.to)].push_back(edge.from);
    }
    for (int k = 0; k < static_cast<int>(piece.size()); ++k) {
        if (piece[spot(k)] >= 0) continue;
        surface.pieces.push_back(k);
        for (open.assign(1, k); !open.empty();) {
            const int at = open.back();
            open.pop_back();
            if (piece[spot(at)] >= 0) continue;
            piece[spot(at)] = k;
            open.insert(open.end(), beside[spot(at)].begin(), beside[spot(at)].end());
        }
    }
}

void finish_corners(Surface& surface) {
    surface.around.resize(surface.corners.size());
    surface.outwards.assign(surface.corners.size(), Vec3::Zero());
    surface.is_on_border.assign(surface.corners.size(), 0);
    surface.stands_out.assign(surface.corners.size(), 0);
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
        const Surface::Triangle& triangle = surface.triangles[spot(t)];
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t at = spot(triangle.corners[k]);
            const Vec3 a = surface.corners[spot(triangle.corners[(k + 1) % 3])],
                       b = surface.corners[spot(triangle.corners[(k + 2) % 3])];
            const Vec3 to_a = a - surface.corners[at], to_b = b - surface.corners[at];
            surface.around[at].push_back(t);
            surface.outwards[at] +=
                std::atan2(to_a.cross(to_b).norm(), to_a.dot(to_b)) * triangle.n;
        }
    }
    for (const Surface::Edge& edge : surface.edges)
        for (const int corner : {edge.from, edge.to}) {
            if (edge.bend == Surface::Bend::border) surface.is_on_border[spot(corner)] = 1;
            if (edge.stands_out()) surface.stands_out[spot(corner)] = 1;
        }
}

}  // namespace

double Surface::reach() const {
    double out = 0.0;
    for (const Vec3& corner : corners) out = std::max(out, corner.norm());
    return out;
}

Surface make_surface(std::span<const Vec3> corners,
                     std::span<const std::array<int, 3>> triangles,
                     std::string& why) {
    why = check_triangles(corners, triangles);
    if (!why.empty()) return {};
    Surface surface;
    surface.corners.assign(corners.begin(), corners.end());
    std::map<std::pair<int, int>, int> known;  // by the way that the first triangle goes
    double volume = 0.0;
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
        const std::array<int, 3>& c = triangles[spot(t)];
        Surface::Triangle triangle{c, {}, Vec3::Zero(), 0.0};
        const Vec3 &p = corners[spot(c[0])], &q = corners[spot(c[1])], &r = corners[spot(c[2])];
        triangle.n = (q - p).cross(r - p).normalized();
        triangle.d = triangle.n.dot((p + q + r) / 3.0);
        volume += p.dot(q.cross(r));
        for (std::size_t k = 0; k < 3; ++k) {
            const int from = c[k], to = c[(k + 1) % 3];
            const Vec3 along = (corners[spot(to)] - corners[spot(from)]).normalized();
            const Vec3 inwards = triangle.n.cross(along);
            const auto same_way = known.find({from, to});
            if (same_way != known.end()) {
                why = triangle_named(surface.edges[spot(same_way->second)].triangles[0]) + " and " +
                      triangle_named(t) + " go along their edge between nodes " +
                      std::to_string(from) + " and " + std::to_string(to) +
                      " the same way: turn one round, so that corners of both run "
                      "counter-clockwise seen from outside";
                return {};
            }
            if (const auto other = known.find({to, from}); other != known.end()) {
                Surface::Edge& edge = surface.edges[spot(other->second)];
                if (edge.triangles[1] >= 0) {
                    why = "the edge between nodes " + std::to_string(from) + " and " +
                          std::to_string(to) + " is one of three triangles or more, the last " +
                          triangle_named(t) + ": two at most meet at an edge";
                    return {};
                }
                edge.triangles[1] = t;
                edge.inwards[1] = inwards;
                triangle.edges[k] = other->second;
                continue;
            }
            triangle.edges[k] = static_cast<int>(surface.edges.size());
            known[{from, to}] = triangle.edges[k];
            surface.edges.push_back({from,
                                     to,
                                     {t, -1},
                                     along,
                                     (corners[spot(to)] - corners[spot(from)]).norm(),
                                     {inwards, inwards},
                                     Surface::Bend::border});
        }
        surface.triangles.push_back(triangle);
    }
    if (const int unused = first_unused(corners, triangles); unused >= 0) {
        why = "node " + std::to_string(unused) + " is in no triangle: leave it out";
        return {};
    }
    bend(surface);
    finish_corners(surface);
    find_pieces(surface);
    surface.is_solid = std::ranges::none_of(surface.edges, [](const Surface::Edge& edge) {
        return edge.bend == Surface::Bend::border;
    });
    if (surface.is_solid && !(volume > 0.0)) {
        why =
            "is inside out: corners of its triangles run clockwise seen from outside; swap two "
            "of each. Of a room, which others are in, give the outer side of its walls, too, or "
            "leave a triangle of its lid out";
        return {};
    }
    surface.tree = std::make_shared<const TriangleTree>(corners, triangles);
    return surface;
}

Surface surface_of(const Hull& hull, std::string& why) {
    std::vector<std::array<int, 3>> triangles;
    for (const Hull::Face& face : hull.faces)
        for (std::size_t k = 2; k < face.corners.size(); ++k)
            triangles.push_back({face.corners[0], face.corners[k - 1], face.corners[k]});
    return make_surface(hull.corners, triangles, why);
}

double Surface::distance(const Vec3& p, double within, int* triangle) const {
    double least = within, sign = 1.0;
    bool is_found = false;
    tree->nearest(p, within, [&](int t) {
        const Foot foot = nearest_on(*this, t, p);
        Vec3 x = Vec3::Zero(), n = Vec3::Zero();
        bool is_border = false;
        switch (foot.kind) {
            case Foot::Kind::face: {
                const Triangle& of = triangles[spot(t)];
                n = of.n;
                x = p - (n.dot(p) - of.d) * n;
                break;
            }
            case Foot::Kind::edge: {
                const Edge& of = edges[spot(foot.index)];
                x = corners[spot(of.from)];
                x += of.along.dot(p - x) * of.along;
                n = triangles[spot(of.triangles[0])].n + triangles[spot(of.triangles[1])].n;
                is_border = of.bend == Bend::border;
                break;
            }
            case Foot::Kind::corner:
                x = corners[spot(foot.index)];
                n = outwards[spot(foot.index)];
                is_border = is_on_border[spot(foot.index)] != 0;
        }
        const double length = (p - x).norm();
        if (length < least || !is_found) {
            if (length > within) return length;
            is_found = true;
            least = length;
            if (triangle != nullptr) *triangle = t;
            sign = is_border || n.dot(p - x) >= 0.0 ? 1.0 : -1.0;
        }
        return length;
    });
    return is_found ? sign * least : within;
}

Foot nearest_on(const Surface& surface, int triangle, const Vec3& p) {
    const Surface::Triangle& of = surface.triangles[spot(triangle)];
    std::array<double, 3> out;  // beyond each edge
    std::array<double, 3> along;
    for (int k = 0; k < 3; ++k) {
        const Vec3& from = surface.corners[spot(of.corners[spot(k)])];
        const Vec3 way = surface.corners[spot(of.corners[spot((k + 1) % 3)])] - from;
        out[spot(k)] = -surface.inwards(triangle, k).dot(p - from);
        along[spot(k)] = way.dot(p - from) / way.squaredNorm();
    }
    Foot foot{Foot::Kind::face, triangle, triangle};
    if (std::ranges::all_of(out, [](double x) {
            return x <= 0.0;
        }))
        return foot;
    for (std::size_t k = 0; k < 3; ++k)
        if (out[k] > 0.0 && along[k] >= 0.0 && along[k] <= 1.0) {
            foot.kind = Foot::Kind::edge;
            foot.index = of.edges[k];
            return foot;
        }
    // Else the corner behind one edge and before the next.
    foot.kind = Foot::Kind::corner;
    double least = std::numeric_limits<double>::infinity();
    for (const int corner : of.corners) {
        const double distance = (p - surface.corners[spot(corner)]).squaredNorm();
        if (distance >= least) continue;
        least = distance;
        foot.index = corner;
    }
    return foot;
}

namespace {

double out_of(const Surface& surface, int triangle, int edge, const Vec3& p) {
    const Surface::Edge& of = surface.edges[spot(edge)];
    return -of.inwards[of.triangles[0] == triangle ? 0 : 1].dot(p - surface.corners[spot(of.from)]);
}

int other_side(const Surface::Edge& edge, int triangle) {
    return edge.triangles[0] == triangle ? edge.triangles[1] : edge.triangles[0];
}

double distance_of(const Surface& surface, const Foot& foot, const Vec3& p) {
    if (foot.kind == Foot::Kind::face) {
        const Surface::Triangle& of = surface.triangles[spot(foot.index)];
        return std::abs(of.n.dot(p) - of.d);
    }
    if (foot.kind == Foot::Kind::corner) return (p - surface.corners[spot(foot.index)]).norm();
    const Surface::Edge& of = surface.edges[spot(foot.index)];
    return of.along.cross(p - surface.corners[spot(of.from)]).norm();
}

/// The triangle at a corner that is nearest to p, of those on this side of concave edges; -1: none
/// is nearer than the corner.
int nearer_at(const Surface& surface, int triangle, int corner, const Vec3& p) {
    int found = -1;
    double least = (p - surface.corners[spot(corner)]).norm();
    for (const int way : {0, 1}) {
        int at = triangle, last = -1;
        for (std::size_t count = 0; count < surface.around[spot(corner)].size(); ++count) {
            // The edge at the corner behind the one that led here.
            const Surface::Triangle& of = surface.triangles[spot(at)];
            int next = -1;
            for (int k = 0; k < 3; ++k) {
                const int e = of.edges[spot(way == 0 ? k : 2 - k)];
                const Surface::Edge& edge = surface.edges[spot(e)];
                if (e == last || (edge.from != corner && edge.to != corner)) continue;
                next = e;
                break;
            }
            const Surface::Edge& edge = surface.edges[spot(next)];
            if (edge.bend == Surface::Bend::concave || edge.bend == Surface::Bend::border) break;
            last = next;
            at = other_side(edge, at);
            if (at == triangle) break;
            const Foot foot = nearest_on(surface, at, p);
            const double distance = distance_of(surface, foot, p);
            if (!(distance < least)) continue;
            least = distance;
            found = at;
        }
    }
    return found;
}

}  // namespace

Foot foot_from(const Surface& surface, int triangle, const Vec3& p) {
    // Every move leads nearer, but for rounding.
    for (std::size_t count = 0; count <= surface.triangles.size(); ++count) {
        Foot foot = nearest_on(surface, triangle, p);
        if (foot.kind == Foot::Kind::face) return foot;
        const auto on_plane = [&](double behind) {
            return Foot{Foot::Kind::face, triangle, triangle, behind};
        };
        if (foot.kind == Foot::Kind::edge) {
            const Surface::Edge& edge = surface.edges[spot(foot.index)];
            if (edge.bend == Surface::Bend::border) return foot;
            if (edge.bend == Surface::Bend::concave)
                return on_plane(out_of(surface, triangle, foot.index, p));
            const int next = other_side(edge, triangle);
            if (out_of(surface, next, foot.index, p) <= 0.0) {
                triangle = next;
                continue;
            }
            return edge.bend == Surface::Bend::flat ? on_plane(foot.behind) : foot;
        }
        const int next = nearer_at(surface, triangle, foot.index, p);
        if (next < 0) {
            double behind = foot.behind;
            for (const int e : surface.triangles[spot(triangle)].edges)
                if (surface.edges[spot(e)].bend == Surface::Bend::concave)
                    behind = std::max(behind, out_of(surface, triangle, e, p));
            return behind > 0.0 ? on_plane(behind) : foot;
        }
        triangle = next;
    }
    return nearest_on(surface, triangle, p);
}

double beyond(const Surface& surface, int triangle, const Vec3& p) {
    double least = std::numeric_limits<double>::infinity();
    int last = -1;
    for (std::size_t count = 0; count <= surface.triangles.size(); ++count) {
        const Surface::Triangle& of = surface.triangles[spot(triangle)];
        double most = -std::numeric_limits<double>::infinity();
        int over = 0;
        for (int k = 0; k < 3; ++k) {
            const double out = out_of(surface, triangle, of.edges[spot(k)], p);
            // Not back over the edge that led here
            if (of.edges[spot(k)] == last) continue;
            if (out <= most) continue;
            most = out;
            over = k;
        }
        least = std::min(least, most);
        const Surface::Edge& edge = surface.edge(triangle, over);
        if (most <= 0.0 || edge.bend != Surface::Bend::flat) return least;
        last = of.edges[spot(over)];
        triangle = other_side(edge, triangle);
    }
    return least;
}

bool goes_on_flat(const Surface& surface, int from, int to, const Vec3& p) {
    int last = -1;
    for (std::size_t count = 0; count <= surface.triangles.size(); ++count) {
        if (from == to) return true;
        const Surface::Triangle& of = surface.triangles[spot(from)];
        double most = -std::numeric_limits<double>::infinity();
        int over = -1;
        for (const int e : of.edges) {
            const Surface::Edge& edge = surface.edges[spot(e)];
            if (e == last || edge.bend != Surface::Bend::flat) continue;
            const double out = out_of(surface, from, e, p);
            if (out <= most) continue;
            most = out;
            over = e;
        }
        if (over < 0) return false;
        last = over;
        from = other_side(surface.edges[spot(over)], from);
    }
    return false;
}

}  // namespace ancora::contact
