// SPDX-License-Identifier: BSD-3-Clause
// Surfaces of triangles: which are near, distances, feet, and what is refused.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/pairs/distances.hpp"
#include "surface.hpp"
#include "surface_pair.hpp"

namespace ancora::contact {
namespace {

using Rows = std::vector<std::array<int, 3>>;

Vec3 random_vector(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return {normal(random), normal(random), normal(random)};
}

Hull random_hull(std::mt19937& random) {
    std::vector<Vec3> points;
    for (int k = 0; k < 16; ++k) points.push_back(random_vector(random));
    std::string why;
    return convex_hull(points, why);
}

Surface solid_of(const Hull& hull) {
    std::string why;
    Surface out = surface_of(hull, why);
    REQUIRE(why.empty());
    return out;
}

/// A height over squares of the plane, each cut in two.
Surface terrain(std::mt19937& random, int count, double height) {
    std::uniform_real_distribution<double> uniform(0.0, height);
    std::vector<Vec3> corners;
    Rows triangles;
    for (int j = 0; j <= count; ++j)
        for (int i = 0; i <= count; ++i)
            corners.emplace_back(i - 0.5 * count, j - 0.5 * count, uniform(random));
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < count; ++i) {
            const int a = j * (count + 1) + i, c = a + count + 1;
            triangles.push_back({a, a + 1, c + 1});
            triangles.push_back({a, c + 1, c});
        }
    std::string why;
    return make_surface(corners, triangles, why);
}

/// Of all triangles, by the feet.
double least_distance(const Surface& surface, const Vec3& p) {
    double least = 1e300;
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
        const Surface::Triangle& of = surface.triangles[static_cast<std::size_t>(t)];
        // A fine grid about the projection would do; the three kinds of feet do it exactly.
        const Vec3 on = p - (of.n.dot(p) - of.d) * of.n;
        bool is_within = true;
        for (int k = 0; k < 3; ++k) {
            const Vec3& from =
                surface.corners[static_cast<std::size_t>(of.corners[static_cast<std::size_t>(k)])];
            const Vec3& to = surface.corners[static_cast<std::size_t>(
                of.corners[static_cast<std::size_t>((k + 1) % 3)])];
            is_within = is_within && of.n.cross(to - from).dot(on - from) >= 0.0;
            const double along = (to - from).dot(p - from) / (to - from).squaredNorm();
            least = std::min(least, (p - from - std::clamp(along, 0.0, 1.0) * (to - from)).norm());
        }
        if (is_within) least = std::min(least, (p - on).norm());
    }
    return least;
}

TEST_CASE("distances are those of all triangles, and below zero inside of a solid") {
    std::mt19937 random(1);
    for (int run = 0; run < 20; ++run) {
        const Hull hull = random_hull(random);
        const Surface solid = solid_of(hull);
        REQUIRE(solid.is_closed());
        const Surface open = terrain(random, 4, 0.8);
        CHECK(!open.is_closed());
        for (int k = 0; k < 40; ++k) {
            const Vec3 p = 1.5 * random_vector(random);
            const double known =
                distance_to_hull(Vector3<double>(p), hull, static_cast<Touch<double>*>(nullptr));
            CHECK(solid.distance(p) == doctest::Approx(known).epsilon(1e-12));
            CHECK(std::abs(open.distance(p)) ==
                  doctest::Approx(least_distance(open, p)).epsilon(1e-12));
            // What is farther than asked for is not found.
            CHECK(solid.distance(p, 0.3) == (std::abs(known) < 0.3 ? solid.distance(p) : 0.3));
        }
        // Over the middle of the terrain, above and below.
        CHECK(open.distance({0.1, 0.2, 1.0}) > 0.0);
        CHECK(open.distance({0.1, 0.2, -0.2}) < 0.0);
    }
}

TEST_CASE("candidates are all triangles whose boxes meet") {
    std::mt19937 random(2);
    const Surface surface = terrain(random, 8, 1.0);
    std::vector<int> found;
    for (int run = 0; run < 100; ++run) {
        const Vec3 p = 2.0 * random_vector(random), q = p + random_vector(random).cwiseAbs();
        surface.tree->near(p, q, found);
        std::vector<int> known;
        for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
            Vec3 low = Vec3::Constant(1e9), high = -low;
            for (const int corner : surface.triangles[static_cast<std::size_t>(t)].corners) {
                low = low.cwiseMin(surface.corners[static_cast<std::size_t>(corner)]);
                high = high.cwiseMax(surface.corners[static_cast<std::size_t>(corner)]);
            }
            if ((low.array() <= q.array()).all() && (high.array() >= p.array()).all())
                known.push_back(t);
        }
        CHECK(found == known);
    }
}

TEST_CASE("on a convex solid the foot is the nearest one from any triangle that faces the point") {
    std::mt19937 random(3);
    int num_edges = 0, num_corners = 0;
    for (int run = 0; run < 20; ++run) {
        const Surface solid = solid_of(random_hull(random));
        for (int k = 0; k < 20; ++k) {
            const Vec3 p = (4.0 + k) * random_vector(random).normalized();
            for (int t = 0; t < static_cast<int>(solid.triangles.size()); ++t) {
                const Surface::Triangle& from = solid.triangles[static_cast<std::size_t>(t)];
                if (from.n.dot(p) <= from.d) continue;
                const Foot foot = foot_from(solid, t, p);
                num_edges += foot.kind == Foot::Kind::edge ? 1 : 0;
                num_corners += foot.kind == Foot::Kind::corner ? 1 : 0;
                double distance = 0.0;
                const auto at = static_cast<std::size_t>(foot.index);
                if (foot.kind == Foot::Kind::corner)
                    distance = (p - solid.corners[at]).norm();
                else if (foot.kind == Foot::Kind::edge)
                    distance =
                        solid.edges[at]
                            .along
                            .cross(p -
                                   solid.corners[static_cast<std::size_t>(solid.edges[at].from)])
                            .norm();
                else
                    distance = solid.triangles[at].n.dot(p) - solid.triangles[at].d;
                CHECK(distance == doctest::Approx(solid.distance(p)).epsilon(1e-12));
            }
        }
    }
    CHECK(num_edges > 100);
    CHECK(num_corners > 100);
}

/// What is seen of one plane from R over the other, at their edge, is less by R (1 - cos a).
TEST_CASE("bends count as flat where they are below rounding, and no others") {
    for (const double bend :
         {0.5 * kFlatBend, 2.0 * kFlatBend, -0.5 * kFlatBend, -2.0 * kFlatBend}) {
        CAPTURE(bend);
        const std::vector<Vec3> corners = {
            Vec3(0, -1, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(1, 0, std::sin(bend))};
        std::string why;
        const Surface surface = make_surface(corners, Rows{{0, 1, 2}, {1, 0, 3}}, why);
        REQUIRE(why.empty());
        const Surface::Bend is = surface.edges.front().bend;
        CHECK(is == (std::abs(bend) < kFlatBend ? Surface::Bend::flat
                     : bend < 0.0               ? Surface::Bend::convex
                                                : Surface::Bend::concave));
    }
    CHECK(0.5 * kFlatBend * kFlatBend < 1.2e-16);
}

TEST_CASE("a ball in a valley has both sides, on a ridge one row over both") {
    const auto rows_at = [](double slope, const Vec3& p) {
        const std::vector<Vec3> corners = {
            Vec3(0, -2, 0), Vec3(0, 2, 0), Vec3(-2, 0, slope), Vec3(2, 0, slope)};
        std::string why;
        auto surface =
            std::make_shared<const Surface>(make_surface(corners, Rows{{0, 1, 2}, {1, 0, 3}}, why));
        const auto geometry = over_mesh(ball(0.5), surface);
        RelativeValues z{};
        for (std::size_t k = 0; k < 3; ++k) z[k] = p[static_cast<Eigen::Index>(k)];
        std::vector<double> features(static_cast<std::size_t>(geometry->num_features()), 0.0);
        geometry->choose(z, z, features);
        int count = 0;
        for (const double feature : features) count += feature != 0.0 ? 1 : 0;
        // Each has the gap of the pair.
        for (int k = 0; k < geometry->num_features(); ++k)
            if (features[static_cast<std::size_t>(k)] != 0.0)
                CHECK(geometry->value(
                          k, static_cast<Feature>(features[static_cast<std::size_t>(k)]), z) ==
                      doctest::Approx(geometry->value(geometry->num_rows() - 1, 0, z)));
        return count;
    };
    CHECK(rows_at(1.0, {0.0, 0.1, 0.5 * std::sqrt(1.25) + 0.01}) == 2);
    CHECK(rows_at(-1.0, {0.0, 0.1, 0.51}) == 1);
    CHECK(rows_at(0.0, {0.0, 0.1, 0.51}) == 1);
}

}  // namespace
}  // namespace ancora::contact
