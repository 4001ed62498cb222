// SPDX-License-Identifier: BSD-3-Clause
// Gaps of pairs of shapes: their derivatives, normals, and distances.
#include "pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include "ancora/pairs/distances.hpp"

namespace {

using namespace ancora;
using namespace ancora::contact;
using Kind = ContactShape::Kind;
using Random = std::mt19937;

double between(double low, double high, Random& random) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
Vec3 some_vector(Random& random) {
    std::normal_distribution<double> normal;
    return {normal(random), normal(random), normal(random)};
}
Mat3 turn(double angle, const Vec3& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}
/// Of all kinds: any, parallel axes, across each other, turned alike, nearly so.
Mat3 some_attitude(int kind, Random& random) {
    switch (kind) {
        case 0:
            return Mat3::Identity();
        case 1:
            return turn(std::acos(0.0), Vec3::UnitX());
        case 2:
            return turn(between(0.0, 3.0, random), Vec3::UnitZ());
        case 3:
            return turn(between(0.0, 1e-7, random), Vec3::UnitY());
        default:
            return turn(between(0.0, 3.0, random), some_vector(random).normalized());
    }
}
ContactShape some_shape(Kind kind, Random& random) {
    ContactShape shape;
    shape.kind = kind;
    shape.radius = between(0.1, 0.4, random);
    shape.half_length = between(0.05, 0.4, random);
    for (int i = 0; i < 3; ++i) shape.half[i] = between(0.1, 0.4, random);
    if (kind != Kind::hull) return shape;
    std::vector<Vec3> points;
    for (int k = 0; k < 9; ++k) points.push_back(0.3 * some_vector(random).normalized());
    REQUIRE(shape.take_hull(points).empty());
    shape.position.setZero();
    return shape;
}
std::unique_ptr<PairGeometry> pair_of(const ContactShape& a, const ContactShape& b) {
    if (a.kind == Kind::cylinder || b.kind == Kind::cylinder) return cylinder_pair(a, b);
    if (a.kind == Kind::hull || b.kind == Kind::hull) return hull_pair(a, b);
    return box_pair(a, b);
}
RelativeValues relative(const Vec3& y, const Mat3& R) {
    RelativeValues z{};
    for (int j = 0; j < 3; ++j) {
        z[static_cast<std::size_t>(j)] = y[j];
        for (int i = 0; i < 3; ++i) z[static_cast<std::size_t>(3 + 3 * i + j)] = R(j, i);
    }
    return z;
}
double gap_of(const PairGeometry& pair, const RelativeValues& z) {
    return pair.value(pair.num_rows() - 1, 0, z);
}
/// Along a way from the middle of b, where the gap is what is wanted.
Vec3 place(const PairGeometry& pair, const Mat3& R, const Vec3& way, double gap) {
    double near = 0.0, far = 3.0;
    for (int k = 0; k < 45; ++k) {
        const double middle = 0.5 * (near + far);
        (gap_of(pair, relative(middle * way, R)) > gap ? far : near) = middle;
    }
    return far * way;
}

/// The point of a solid that is nearest to another one, and how far it reaches along a direction.
Vec3 nearest(const ContactShape& shape, const Vec3& p) {
    if (shape.kind == Kind::box) return p.cwiseMax(-shape.half).cwiseMin(shape.half);
    if (shape.kind == Kind::hull) {
        Touch<double> foot;
        return distance_to_hull<double>(p, *shape.hull, &foot) > 0.0 ? Vec3(foot.x) : p;
    }
    const double z = std::clamp(p.z(), -shape.half_length, shape.half_length);
    if (shape.kind == Kind::capsule) {
        const Vec3 middle(0.0, 0.0, z), way = p - middle;
        return way.norm() > shape.radius ? Vec3(middle + shape.radius * way.normalized()) : p;
    }
    const double rho = p.head<2>().norm(), part = rho > shape.radius ? shape.radius / rho : 1.0;
    return {part * p.x(), part * p.y(), z};
}
double support(const ContactShape& shape, const Vec3& n) {
    if (shape.kind == Kind::box) return shape.half.dot(n.cwiseAbs());
    if (shape.kind == Kind::capsule) return shape.half_length * std::abs(n.z()) + shape.radius;
    if (shape.kind == Kind::cylinder)
        return shape.half_length * std::abs(n.z()) + shape.radius * n.head<2>().norm();
    double most = -1e9;
    for (const Vec3& corner : shape.hull->corners) most = std::max(most, n.dot(corner));
    return most;
}
/// Bounds of the distance: of points that are projected on either solid in turn, and of the slab
/// between planes across the way between them (W. Cheney, A. Goldstein, Proc. AMS 10 (1959)).
struct Bounds {
    double low = -1e9, high = 1e9;
};
Bounds distance(const ContactShape& a, const Vec3& y, const Mat3& R, const ContactShape& b) {
    Bounds out;
    Vec3 p = y;
    for (int k = 0; k < 3000 && out.high - out.low > 1e-12; ++k) {
        const Vec3 on_b = nearest(b, p);
        p = y + R * nearest(a, R.transpose() * (on_b - y));
        const Vec3 way = p - on_b;
        out.high = std::min(out.high, way.norm());
        if (!(way.norm() > 1e-9)) break;
        const Vec3 n = way.normalized();
        out.low =
            std::max(out.low, n.dot(y) - support(a, R.transpose() * Vec3(-n)) - support(b, n));
    }
    return out;
}

TEST_CASE("the gap of a cylinder and a solid is their distance") {
    Random random(1);
    constexpr Kind kKinds[] = {Kind::cylinder, Kind::box, Kind::capsule, Kind::hull};
    int count = 0, num_sharp = 0;
    for (int run = 0; run < 900; ++run) {
        CAPTURE(run);
        const ContactShape a = some_shape(kKinds[run % 4], random);
        const ContactShape b = some_shape(Kind::cylinder, random);
        const auto pair = pair_of(a, b);
        const Mat3 R = some_attitude(run / 4 % 8, random);
        const Vec3 ways[] = {Vec3::UnitX(), Vec3::UnitZ(), some_vector(random).normalized()};
        const Vec3 way = ways[std::min(run % 7, 2)];
        const Vec3 y = place(*pair, R, way, between(0.0, run % 2 == 0 ? 0.3 : 0.02, random));
        if (y.norm() > 1.9 * pair->size()) continue;
        const Bounds bounds = distance(a, y, R, b);
        const double gap = gap_of(*pair, relative(y, R));
        CHECK(gap >= bounds.low - 1e-12);
        CHECK(gap <= bounds.high + 1e-12);
        ++count;
        num_sharp += bounds.high - bounds.low <= 1e-9 ? 1 : 0;
    }
    CHECK(count > 800);
    CHECK(num_sharp > 9 * count / 10);
}

TEST_CASE("solids that overlap have a gap below zero, and only these") {
    Random random(2);
    constexpr Kind kKinds[] = {Kind::cylinder, Kind::box, Kind::capsule, Kind::hull};
    int num_overlaps = 0;
    for (int run = 0; run < 1600; ++run) {
        CAPTURE(run);
        const ContactShape a = some_shape(kKinds[run % 4], random);
        const ContactShape b = some_shape(kKinds[run / 4 % 4], random);
        const auto pair = pair_of(a, b);
        // In one plane, too, where axes of capsules may cross.
        const bool is_flat = run % 5 == 0;
        const Mat3 R = is_flat ? turn(between(0.0, 3.0, random), Vec3::UnitX())
                               : some_attitude(run / 16 % 8, random);
        Vec3 y = between(0.2, 0.9, random) * some_vector(random).normalized();
        if (is_flat) y.x() = 0.0;
        const Bounds bounds = distance(a, y, R, b);
        const double gap = gap_of(*pair, relative(y, R));
        if (bounds.low > 1e-9) CHECK(gap > 0.0);
        if (bounds.high < 1e-9) CHECK(gap < 1e-8);
        num_overlaps += bounds.high < 1e-9 ? 1 : 0;
    }
    CHECK(num_overlaps > 400);
}

TEST_CASE("gaps of features have the derivatives that they say") {
    Random random(3);
    constexpr Kind kKinds[] = {Kind::box, Kind::hull, Kind::capsule, Kind::cylinder};
    int count = 0;
    for (int run = 0; run < 640; ++run) {
        CAPTURE(run);
        const ContactShape a = some_shape(kKinds[run % 4], random);
        const ContactShape b = some_shape(kKinds[run / 4 % 4], random);
        const auto pair = pair_of(a, b);
        const Mat3 R = some_attitude(4, random);
        const Vec3 y = place(
            *pair, R, some_vector(random).normalized(), between(0.0, 0.02, random) * pair->size());
        const RelativeValues z = relative(y, R);
        std::vector<double> features(static_cast<std::size_t>(pair->num_features()), 0.0);
        pair->choose(z, z, features);
        for (int row = 0; row < pair->num_features(); ++row) {
            const auto of = static_cast<Feature>(features[static_cast<std::size_t>(row)]);
            if (of == 0) continue;
            CAPTURE(of);
            constexpr double kStep = 1e-5;
            RelativeValues w{}, before = z, after = z, w_before{}, w_after{};
            std::array<autodiff::Taylor2, kNumRelative> course;
            pair->gap(row, of, z, w);
            double slope = 0.0;
            for (std::size_t i = 0; i < kNumRelative; ++i) {
                const double rate = some_vector(random)[0];
                course[i] = autodiff::Taylor2(z[i], rate, 0.0);
                slope += w[i] * rate;
                before[i] -= kStep * rate;
                after[i] += kStep * rate;
            }
            const double g0 = pair->gap(row, of, before, w_before);
            const double g1 = pair->gap(row, of, after, w_after);
            double bend = 0.0;
            for (std::size_t i = 0; i < kNumRelative; ++i)
                bend += (w_after[i] - w_before[i]) / (2.0 * kStep) * course[i].first;
            const double second = pair->second(row, of, course);
            // Where a gap bends sharply differences are off by what it bends over them.
            if (std::abs(second) > 300.0) continue;
            CHECK(slope == doctest::Approx((g1 - g0) / (2.0 * kStep)).epsilon(1e-4));
            CHECK(std::abs(second - bend) <= 1e-2 * (1.0 + std::abs(second)));
            ++count;
            // Over a step the mean slope gives the increment.
            RelativeValues mean{}, middle;
            for (std::size_t i = 0; i < kNumRelative; ++i) middle[i] = 0.5 * (before[i] + after[i]);
            if (pair->mean_gradient(of, before, after, middle, mean)) {
                double increment = 0.0;
                for (std::size_t i = 0; i < kNumRelative; ++i)
                    increment += mean[i] * (after[i] - before[i]);
                CHECK(std::abs(increment - (g1 - g0)) <= 1e-15);
            }
            // Directions across the normal.
            const Touch<double> touch = pair->touch(row, of, relative_of(z));
            const Vec3 n = touch.n;
            CHECK(n.norm() == doctest::Approx(1.0).epsilon(1e-12));
            if (!touch.has_axes) continue;
            for (const auto& t : touch.t) {
                CHECK(Vec3(t).norm() == doctest::Approx(1.0).epsilon(1e-12));
                CHECK(std::abs(Vec3(t).dot(n)) <= 1e-12);
            }
        }
    }
    CHECK(count > 600);
}

/// Of edges over steps of any length: the increment to rounding, and over short ones the gradient
/// in the middle, to rounding that grows no more as steps become shorter.
TEST_CASE("edges have a slope over a step that has no rounding of differences") {
    Random random(4);
    constexpr Kind kKinds[] = {Kind::box, Kind::hull, Kind::capsule};
    int count = 0;
    for (int run = 0; run < 300; ++run) {
        CAPTURE(run);
        const ContactShape a = some_shape(kKinds[run % 3], random);
        const ContactShape b = some_shape(kKinds[run / 3 % 3], random);
        const auto pair = pair_of(a, b);
        const Mat3 R = some_attitude(4, random);
        const Vec3 y = place(*pair, R, some_vector(random).normalized(), 0.01 * pair->size());
        const RelativeValues z = relative(y, R);
        std::vector<double> features(static_cast<std::size_t>(pair->num_features()), 0.0);
        pair->choose(z, z, features);
        RelativeValues way{};
        for (double& x : way) x = some_vector(random)[0];
        for (int row = 0; row < pair->num_features(); ++row) {
            const auto of = static_cast<Feature>(features[static_cast<std::size_t>(row)]);
            for (const double length : {0.05, 1e-5, 1e-10}) {
                RelativeValues before = z, after = z, middle{}, mean{}, w{};
                for (std::size_t i = 0; i < kNumRelative; ++i) {
                    before[i] -= length * way[i];
                    after[i] += length * way[i];
                    middle[i] = 0.5 * (before[i] + after[i]);
                }
                if (of == 0 || !pair->mean_gradient(of, before, after, middle, mean)) continue;
                pair->gap(row, of, middle, w);
                double increment = 0.0, most = 1.0, off = 0.0;
                for (std::size_t i = 0; i < kNumRelative; ++i) {
                    increment += mean[i] * (after[i] - before[i]);
                    most = std::max(most, std::abs(w[i]));
                    off = std::max(off, std::abs(mean[i] - w[i]));
                }
                const double change = pair->gap(row, of, after) - pair->gap(row, of, before);
                if (most > 30.0) continue;  // nearly parallel
                CHECK(std::abs(increment - change) <= 2e-15 * most);
                if (length < 1e-9) CHECK(off <= 1e-14 * most * most);
                ++count;
            }
        }
    }
    CHECK(count > 300);
}

/// An edge of b across a corner of the upper face of a, over two edges of that: where it is held at
/// one and goes in at the other, both have rows, or either would be left for the other without end.
TEST_CASE("where shapes overlap what is held keeps its row") {
    ContactShape a, b;
    a.kind = b.kind = Kind::box;
    a.half = Vec3::Constant(0.1);
    b.half = Vec3(0.3, 0.1, 0.1);
    const auto pair = pair_of(a, b);
    const Vec3 out(0.0, std::sqrt(0.5), std::sqrt(0.5)), along = Vec3::UnitX();
    const Vec3 across = out.cross(along);
    Mat3 R;
    R.col(1) = -out;
    R.col(0) = std::sqrt(0.5) * (along + across);
    R.col(2) = R.col(0).cross(R.col(1));
    if (R.col(2).dot(along) > 0.0) {
        R.col(0) = std::sqrt(0.5) * (along - across);
        R.col(2) = R.col(0).cross(R.col(1));
    }
    // In its face the edge goes from (0.05, 0.1) to (0.1, 0.05).
    const Vec3 pivot(0.05, 0.1, 0.1), on_edge(0.0, 0.1, 0.1);
    const auto pose = [&](double tilt, double lift) {
        const Mat3 turned = turn(tilt, across) * R;
        return relative(on_edge + lift * out - turned * pivot, turned);
    };
    const auto features_of =
        [&](const RelativeValues& z0, const RelativeValues& z, std::vector<double> from) {
            from.resize(static_cast<std::size_t>(pair->num_features()), 0.0);
            pair->choose(z0, z, from);
            return from;
        };
    const RelativeValues begin = pose(0.0, 1e-6);
    const std::vector<double> near = features_of(begin, begin, {});
    for (const double tilt : {1e-5, -1e-5}) {
        const RelativeValues end = pose(tilt, 0.0);
        Feature held = 0, enters = 0;
        for (const double code : near) {
            const auto of = static_cast<Feature>(code);
            RelativeValues w{};
            if (of == 0 || !pair->mean_gradient(of, begin, end, begin, w)) continue;
            const double gap = pair->gap(0, of, end);
            if (std::abs(gap) < 1e-12) held = of;
            if (gap < -1e-8) enters = of;
        }
        if (enters == 0) continue;
        REQUIRE(held != 0);
        REQUIRE(gap_of(*pair, end) < -1e-8);
        const std::vector<double> now = features_of(begin, end, {static_cast<double>(held)});
        const auto has = [&](Feature of) {
            return std::ranges::any_of(now, [of](double code) {
                return std::abs(code) == static_cast<double>(of);
            });
        };
        CHECK(has(enters));
        CHECK(has(held));
        return;
    }
    FAIL("neither way goes in");
}

}  // namespace
