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

#include "distances.hpp"

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

}  // namespace
