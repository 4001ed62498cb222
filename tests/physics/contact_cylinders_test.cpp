// SPDX-License-Identifier: BSD-3-Clause
// Contacts of cylinders with planes, boxes, hulls, capsules and each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

using Random = std::mt19937;

/// A solid about its middle, with the keys of its shape, the point of it that is nearest to
/// another, and how far it reaches.
struct Solid {
    enum class Kind { cylinder, box, capsule, prism };
    Kind kind = Kind::cylinder;
    double R = 0.0, l = 0.0;
    Vec3 half = Vec3::Zero();
    int sides = 0;  ///< of a prism, in the cylinder

    std::string shape(const char* key) const {
        if (kind == Kind::box) return fmt::format("{} = {{ box = {} }}\n", key, triple(2.0 * half));
        if (kind == Kind::prism) {
            std::string rows;
            for (int k = 0; k < 2 * sides; ++k) {
                const double angle = 2.0 * std::numbers::pi * (k / 2) / sides;
                rows += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}]",
                                    k == 0 ? "" : ", ",
                                    R * std::cos(angle),
                                    R * std::sin(angle),
                                    k % 2 == 0 ? -l : l);
            }
            return fmt::format("{} = {{ hull = [{}] }}\n", key, rows);
        }
        return fmt::format(
            "{0} = {{ {1} = {{ radius = {2:.17g}, from = [0, 0, {3:.17g}], to = [0, 0, {4:.17g}] "
            "}} }}\n",
            key,
            kind == Kind::cylinder ? "cylinder" : "capsule",
            R,
            -l,
            l);
    }
    Vec3 nearest(const Vec3& p) const {
        if (kind == Kind::box) return p.cwiseMax(-half).cwiseMin(half);
        const double z = std::clamp(p.z(), -l, l);
        if (kind == Kind::capsule) {
            const Vec3 middle(0.0, 0.0, z), way = p - middle;
            return way.norm() > R ? Vec3(middle + R * way.normalized()) : p;
        }
        const double rho = p.head<2>().norm(), part = rho > R ? R / rho : 1.0;
        return {part * p.x(), part * p.y(), z};
    }
    double reach() const {
        return kind == Kind::box ? half.norm() : kind == Kind::capsule ? l + R : std::hypot(l, R);
    }
    double support(const Vec3& n) const {
        if (kind == Kind::box) return half.dot(n.cwiseAbs());
        if (kind == Kind::capsule) return l * std::abs(n.z()) + R;
        return l * std::abs(n.z()) + R * n.head<2>().norm();
    }
};

Solid some_solid(Solid::Kind kind, Random& random) {
    std::uniform_real_distribution<double> length(0.08, 0.4);
    Solid solid;
    solid.kind = kind;
    solid.R = length(random);
    solid.l = length(random);
    for (int i = 0; i < 3; ++i) solid.half[i] = length(random);
    return solid;
}

Vec3 some_vector(Random& random) {
    std::normal_distribution<double> normal;
    return {normal(random), normal(random), normal(random)};
}
Mat3 some_attitude(Random& random) {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}
Mat3 turn(double angle, const Vec3& axis) {
    return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

struct Start {
    Vec3 x = Vec3::Zero();
    Mat3 R = Mat3::Identity();
    Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};
std::string body(const std::string& name,
                 const Start& at,
                 double mass = 1.0,
                 const Vec3& inertia = {0.02, 0.02, 0.01}) {
    const Eigen::Quaterniond q(at.R);
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\ninertia = {}\n"
        "penalty = inf\nposition = {}\nvelocity = {}\nangular_velocity = {}\n"
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
        name,
        mass,
        triple(inertia),
        triple(at.x),
        triple(at.v),
        triple(at.w),
        q.w(),
        q.x(),
        q.y(),
        q.z());
}
std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}
Vec3 vector_of(const Simulation& simulation, const std::string& start) {
    return {column(simulation, start + "x"),
            column(simulation, start + "y"),
            column(simulation, start + "z")};
}
void check_balances(const Simulation& simulation, double steps) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= rounding_bound(steps));
    CHECK(statistics.momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-12));
}

/// Bounds of the distance of two solids: of points that are projected on either in turn, and of the
/// slab between planes across the way between them (W. Cheney, A. Goldstein, Proc. AMS 10 (1959)).
struct Bounds {
    double low = -1e9, high = 1e9;
};
Bounds distance(const Solid& a, const Vec3& y, const Mat3& R, const Solid& b) {
    Bounds out;
    Vec3 p = y;
    for (int k = 0; k < 600 && out.high - out.low > 1e-12; ++k) {
        const Vec3 on_b = b.nearest(p);
        p = y + R * a.nearest(R.transpose() * (on_b - y));
        const Vec3 way = p - on_b;
        out.high = std::min(out.high, way.norm());
        if (!(way.norm() > 1e-9)) break;
        const Vec3 n = way.normalized();
        out.low = std::max(out.low, n.dot(y) - a.support(R.transpose() * Vec3(-n)) - b.support(n));
    }
    return out;
}

/// Attitudes of all kinds: any, with parallel axes, across each other, nearly so, turned alike.
Mat3 attitude(int kind, Random& random) {
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    switch (kind) {
        case 0:
            return Mat3::Identity();
        case 1:
            return turn(0.5 * std::numbers::pi, Vec3::UnitX());
        case 2:
            return turn(3.0 * uniform(random), Vec3::UnitZ());
        case 3:
            return turn(1e-7 * uniform(random), Vec3::UnitY());
        default:
            return some_attitude(random);
    }
}

TEST_CASE("the gap of a cylinder and a solid is their distance, at any attitude") {
    Random random(2);
    constexpr int kPairs = 80;
    int num_apart = 0, num_sharp = 0;
    for (int model_number = 0; model_number < 2; ++model_number) {
        std::string text = weight(Vec3::Zero());
        std::vector<Bounds> bounds;
        while (static_cast<int>(bounds.size()) < kPairs) {
            const auto kind = static_cast<Solid::Kind>(bounds.size() % 3);
            const Solid a = some_solid(kind, random), b = some_solid(Solid::Kind::cylinder, random);
            const Mat3 R = attitude(static_cast<int>(bounds.size() / 3) % 8, random);
            std::uniform_real_distribution<double> uniform(0.2, 1.1);
            const Vec3 axes[] = {Vec3::UnitX(), Vec3::UnitZ(), some_vector(random).normalized()};
            const Vec3 y = uniform(random) * axes[std::min<std::size_t>(bounds.size() % 7, 2)];
            const Bounds found = distance(a, y, R, b);
            // Farther away the gap is that of balls about them.
            if (!(found.low > 0.0) || y.norm() > 1.9 * (a.reach() + b.reach())) continue;
            const std::size_t k = bounds.size();
            const Mat3 space = some_attitude(random);
            text += body(fmt::format("a{}", k), {space * y, space * R}) +
                    body(fmt::format("b{}", k), {Vec3::Zero(), space}) +
                    contact(fmt::format("c{}", k),
                            fmt::format("a = \"a{0}\"\nb = \"b{0}\"\n", k) + a.shape("shape") +
                                b.shape("shape_b"));
            bounds.push_back(found);
        }
        const Simulation simulation = model(text + integrator("emm", 0.01, 0.01));
        for (std::size_t k = 0; k < bounds.size(); ++k) {
            CAPTURE(k);
            const double gap = column(simulation, fmt::format("c{}.gap", k));
            CHECK(gap >= bounds[k].low - 1e-12);
            CHECK(gap <= bounds[k].high + 1e-12);
            ++num_apart;
            num_sharp += bounds[k].high - bounds[k].low <= 1e-9 ? 1 : 0;
        }
    }
    CHECK(num_sharp > 9 * num_apart / 10);
}

TEST_CASE("cylinders that collide keep both momenta, and with e = 1 their energy") {
    Random random(12);
    int num_impacts = 0;
    for (int run = 0; run < 12; ++run) {
        CAPTURE(run);
        const auto kind = static_cast<Solid::Kind>(run % 4 == 3 ? 0 : run % 3);
        Solid a = some_solid(kind, random), b = some_solid(Solid::Kind::cylinder, random);
        a.R *= 0.5;
        b.R *= 0.5;
        a.l *= 0.5;
        b.l *= 0.5;
        a.half *= 0.5;
        const double e = run % 2 == 0 ? 1.0 : 0.4, mu = run % 4 == 3 ? 0.5 : 0.0;
        const Mat3 space = some_attitude(random);
        const Vec3 offset(0.05, 0.03, 0.0);
        Simulation simulation = model(
            weight(Vec3::Zero()) +
            body("a",
                 {space * Vec3(0.0, 0.0, 0.55),
                  some_attitude(random),
                  space * Vec3(0.0, 0.0, -1.0),
                  some_vector(random)}) +
            body("b", {space * offset, some_attitude(random), Vec3::Zero(), some_vector(random)}) +
            contact("c",
                    "a = \"a\"\nb = \"b\"\n" + a.shape("shape") + b.shape("shape_b") +
                        fmt::format("restitution = {}", e) +
                        (mu > 0.0 ? fmt::format("\nfriction = {}", mu) : "")) +
            integrator("emm", 0.01, 0.9));
        const double before = column(simulation, "energy.kinetic");
        run_to_end(simulation);
        const RunStatistics statistics = simulation.statistics();
        num_impacts += statistics.impacts.count > 0 ? 1 : 0;
        CHECK(statistics.impacts.lowered == 0);
        if (e == 1.0 && mu == 0.0)
            CHECK(column(simulation, "energy.kinetic") == near(before, tolerance(1e-12) * before));
        check_balances(simulation, 90.0);
    }
    CHECK(num_impacts > 8);
}

/// The same collision with prisms: what it does to the bodies comes as near as their sides are
/// turned from the cylinder's, by pi / n at most.
TEST_CASE("collisions of cylinders are those of prisms with many sides") {
    Random random(21);
    double of_few = 0.0, of_many = 0.0;
    for (int run = 0; run < 3; ++run) {
        Solid cylinder;
        cylinder.R = 0.12;
        cylinder.l = 0.1;
        Solid box;
        box.kind = Solid::Kind::box;
        box.half = Vec3(0.1, 0.15, 0.12);
        const Mat3 at_a = some_attitude(random), at_b = some_attitude(random);
        const auto after = [&](int sides) {
            Solid b = cylinder;
            if (sides > 0) {
                b.kind = Solid::Kind::prism;
                b.sides = sides;
            }
            Simulation simulation =
                model(weight(Vec3::Zero()) +
                      body("a", {Vec3(0.03, 0.02, 0.5), at_a, Vec3(0.0, 0.0, -1.0)}) +
                      body("b", {Vec3::Zero(), at_b}) +
                      contact("c",
                              "a = \"a\"\nb = \"b\"\nrestitution = 1.0\n" + box.shape("shape") +
                                  b.shape("shape_b")) +
                      integrator("emm", 0.02, 0.5));
            run_to_end(simulation);
            CHECK(simulation.statistics().impacts.count > 0);
            return vector_of(simulation, "a.v");
        };
        const Vec3 exact = after(0);
        of_few = std::max(of_few, (after(16) - exact).norm());
        of_many = std::max(of_many, (after(96) - exact).norm());
    }
    CHECK(of_many <= 0.35 * of_few);
    CHECK(of_many <= 0.05);
}

std::string floor_of(const Vec3& n) {
    return fmt::format("b = \"ground\"\nplane = {{ normal = {} }}\n", triple(n));
}

/// On its flat end, over the border of a box, on each other, and lying across each other.
TEST_CASE("cylinders stand and lie at rest, at any attitude of the world") {
    Random random(7);
    Solid cylinder;
    cylinder.R = 0.1;
    cylinder.l = 0.2;
    Solid box;
    box.kind = Solid::Kind::box;
    box.half = Vec3(0.25, 0.25, 0.1);
    for (int run = 0; run < 8; ++run) {
        CAPTURE(run);
        const Mat3 R = run < 4 ? Mat3(Mat3::Identity()) : some_attitude(random);
        const Mat3 lies = turn(0.5 * std::numbers::pi, Vec3::UnitX());
        const Mat3 across = turn(0.5 * std::numbers::pi, Vec3::UnitY());
        const std::string rubs = "friction = 0.4\n";
        std::string text = weight(-kGravity * R.col(2));
        const auto on_floor = [&](const Solid& solid) {
            return "a = \"a\"\n" + solid.shape("shape") + floor_of(R.col(2)) + rubs;
        };
        switch (run % 4) {
            case 0:  // upright, and turned about its axis
                text += body("a", {R * Vec3(0, 0, 0.2), R * turn(0.3 * run, Vec3::UnitZ())}) +
                        contact("f", on_floor(cylinder));
                break;
            case 1:  // over the border of a box, by less than its middle
                text += body("a", {R * Vec3(0, 0, 0.1), R}, 20.0, {1.0, 1.0, 1.0}) +
                        contact("f", on_floor(box)) + body("b", {R * Vec3(0.2, 0.02, 0.4), R}) +
                        contact("c",
                                "a = \"b\"\nb = \"a\"\n" + cylinder.shape("shape") +
                                    box.shape("shape_b") + rubs);
                break;
            case 2:  // on each other
                text += body("a", {R * Vec3(0, 0, 0.2), R}) + contact("f", on_floor(cylinder)) +
                        body("b", {R * Vec3(0.02, 0.01, 0.6), R}) +
                        contact("c",
                                "a = \"b\"\nb = \"a\"\n" + cylinder.shape("shape") +
                                    cylinder.shape("shape_b") + rubs);
                break;
            default:  // across each other
                text += body("a", {R * Vec3(0, 0, 0.1), R * lies}) +
                        contact("f", on_floor(cylinder)) +
                        body("b", {R * Vec3(0, 0, 0.3), R * across}) +
                        contact("c",
                                "a = \"b\"\nb = \"a\"\n" + cylinder.shape("shape") +
                                    cylinder.shape("shape_b") + rubs);
        }
        Simulation simulation = model(text + integrator("emm", 0.01, 0.1));
        const std::string top = run % 4 == 0 ? "a." : "b.";
        const Vec3 before = vector_of(simulation, top);
        run_to_end(simulation);
        CHECK((vector_of(simulation, top) - before).norm() <= tolerance(1e-12));
        CHECK(vector_of(simulation, top + "v").norm() <= tolerance(1e-10));
        CHECK(simulation.statistics().impacts.least_gap >= -tolerance(1e-12));
    }
}

/// On a slope it tips where its weight is beyond the rim, tan(slope) > R / l.
TEST_CASE("a cylinder on a slope tips about its rim") {
    constexpr double kR = 0.1, kHalf = 0.2;
    Solid cylinder;
    cylinder.R = kR;
    cylinder.l = kHalf;
    const double limit = std::atan(kR / kHalf);
    for (const double turned : {0.0, 0.3})
        for (const bool tips : {false, true}) {
            if (tips && turned > 0.0) continue;
            CAPTURE(turned);
            CAPTURE(tips);
            const double slope = limit + (tips ? 0.01 : -0.2);
            const Mat3 R = turn(-slope, Vec3::UnitY());
            Simulation simulation = model(weight({0.0, 0.0, -kGravity}) +
                                          body("a",
                                               {kHalf * R.col(2), R * turn(turned, Vec3::UnitZ())},
                                               1.0,
                                               {0.0158333, 0.0158333, 0.005}) +
                                          contact("c",
                                                  "a = \"a\"\n" + cylinder.shape("shape") +
                                                      floor_of(R.col(2)) + "friction = 2.0\n") +
                                          integrator("emm", 0.005, 0.2));
            run_to_end(simulation);
            const double rate = vector_of(simulation, "a.w").norm();
            if (tips)
                CHECK(rate > 3e-3);
            else
                CHECK(rate <= 1e-9);
            CHECK(simulation.statistics().energy.max_abs <= 1e-14);
            CHECK(simulation.statistics().impacts.least_gap >= -tolerance(1e-12));
        }
}

/// Let go with a tilt it strikes with the lowest point of its rim, and rocks and rolls on that.
TEST_CASE("a cylinder that falls on its rim rocks, at any attitude of the world") {
    Random random(5);
    Solid cylinder;
    cylinder.R = 0.1;
    for (int run = 0; run < 5; ++run) {
        CAPTURE(run);
        cylinder.l = run % 2 == 0 ? 0.05 : 0.2;
        const Mat3 R = run < 2 ? Mat3(Mat3::Identity()) : some_attitude(random);
        const double tilt = 0.02 + 0.02 * run;
        const double height = cylinder.l * std::cos(tilt) + cylinder.R * std::sin(tilt);
        const double across = 0.0025 + cylinder.l * cylinder.l / 3.0;
        Simulation simulation =
            model(weight(-kGravity * R.col(2)) +
                  body("a",
                       {(height + 1e-3) * R.col(2),
                        R * turn(tilt, Vec3(std::cos(1.0 * run), std::sin(1.0 * run), 0.0)),
                        Vec3::Zero(),
                        run % 3 == 0 ? Vec3(Vec3::Zero()) : Vec3(R * Vec3(0.0, 0.0, 2.0))},
                       1.0,
                       {across, across, 0.005}) +
                  contact("c",
                          "a = \"a\"\n" + cylinder.shape("shape") + floor_of(R.col(2)) +
                              (run % 4 < 2 ? "friction = 0.3\nrestitution = 0.3\n"
                                           : "restitution = 0.0\n")) +
                  integrator("emm", 0.002, 0.3));
        run_to_end(simulation);
        const double low = vector_of(simulation, "a.").dot(R.col(2)) - cylinder.l;
        CHECK(low >= -tolerance(1e-12));
        CHECK(low <= cylinder.R * std::sin(tilt));
        CHECK(column(simulation, "work.impacts") < 0.0);
        // Nearly flat the lowest point runs round the rim, with large reactions.
        const RunStatistics statistics = simulation.statistics();
        CHECK(statistics.energy.max_rel <= 1e-12);
        CHECK(statistics.momentum.max_rel <= 1e-12);
        CHECK(statistics.angular_momentum.max_rel <= 1e-12);
        CHECK(statistics.impacts.least_gap >= -tolerance(1e-12));
    }
}

TEST_CASE("a cylinder that overlaps at the start is refused with how deep it is") {
    Solid a, b;
    a.R = b.R = 0.1;
    a.l = b.l = 0.2;
    const std::string text = refusal([&] {
        model(weight(Vec3::Zero()) + body("a", {Vec3(0.15, 0.0, 0.0)}) + body("b", {}) +
              contact("c", "a = \"a\"\nb = \"b\"\n" + a.shape("shape") + b.shape("shape_b")) +
              integrator("emm", 0.01, 0.01));
    });
    CAPTURE(text);
    CHECK(has(text, "\"c\""));
    CHECK(has(text, "0.05 below zero"));
}

}  // namespace
}  // namespace ancora::testing
