// SPDX-License-Identifier: BSD-3-Clause
// Contacts of boxes, capsules, cylinders and balls.
#include <cmath>
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

Vec3 column3(const Simulation& simulation, const std::string& start) {
    return {column(simulation, start + "x"),
            column(simulation, start + "y"),
            column(simulation, start + "z")};
}
std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}
std::string law(double e, double mu) {
    return fmt::format("\nrestitution = {:.17g}\nfriction = {:.17g}", e, mu);
}
std::string on_plane(const Vec3& normal) {
    return fmt::format("\nb = \"ground\"\nplane = {{ normal = {} }}", triple(normal));
}
std::string turned(const Mat3& R) {
    const Eigen::Quaterniond q(R);
    return fmt::format(
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n", q.w(), q.x(), q.y(), q.z());
}
std::string body(const std::string& name,
                 double mass,
                 const Vec3& inertia,
                 const Vec3& x,
                 const Mat3& R,
                 const Vec3& v = Vec3::Zero(),
                 const Vec3& w = Vec3::Zero()) {
    return fmt::format(
               "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\n"
               "inertia = {}\npenalty = inf\nposition = {}\nvelocity = {}\n"
               "angular_velocity = {}\n",
               name,
               mass,
               triple(inertia),
               triple(x),
               triple(v),
               triple(w)) +
           turned(R);
}
Vec3 inertia_of_box(double mass, const Vec3& size) {
    const Vec3 square = size.cwiseProduct(size);
    return mass / 12.0 *
           Vec3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y());
}
Mat3 some_attitude(std::mt19937& random) {
    std::normal_distribution<double> normal;
    return Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
        .normalized()
        .toRotationMatrix();
}
void check_balances(const Simulation& simulation, double steps) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= rounding_bound(steps));
    CHECK(statistics.momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
}

TEST_CASE("a box and a capsule on a plane are their corners and their ends") {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int run = 0; run < 8; ++run) {
        CAPTURE(run);
        const bool is_box = run % 2 == 0;
        const Mat3 space = some_attitude(random);
        const Vec3 n = space.col(2);
        const Vec3 size(0.2 + 0.3 * uniform(random), 0.2 + 0.3 * uniform(random), 0.25);
        const double R = 0.08, l = 0.2, e = 0.5 * uniform(random), mu = 0.6 * uniform(random);
        const std::string start = weight(-kGravity * n) +
                                  body("a",
                                       2.0,
                                       inertia_of_box(2.0, size),
                                       0.5 * n,
                                       some_attitude(random),
                                       space.col(0),
                                       space.col(1)) +
                                  integrator("emm", 0.004, 0.36);
        std::string points;
        for (int k = 0; k < (is_box ? 8 : 2); ++k) {
            const Vec3 sign(
                k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0, k % 2 == 0 ? -1.0 : 1.0);
            const Vec3 at =
                is_box ? Vec3(0.5 * sign.cwiseProduct(size)) : Vec3(0.0, 0.0, l * sign.z());
            points +=
                contact(fmt::format("p{}", k),
                        fmt::format("a = \"a@{}\"\nradius = {}", triple(at), is_box ? 0.0 : R) +
                            on_plane(n) + law(e, mu));
        }
        const std::string shape =
            is_box ? fmt::format("{{ box = {} }}", triple(size))
                   : fmt::format(
                         "{{ capsule = {{ radius = {}, from = [0, 0, {}], to = [0, 0, {}] }} }}",
                         R,
                         -l,
                         l);
        Simulation by_points = model(start + points);
        Simulation by_shape =
            model(start + contact("c", "a = \"a\"\nshape = " + shape + on_plane(n) + law(e, mu)));
        run_to_end(by_points);
        run_to_end(by_shape);
        CHECK((column3(by_points, "a.") - column3(by_shape, "a.")).norm() <= tolerance(1e-7));
        CHECK((column3(by_points, "a.w") - column3(by_shape, "a.w")).norm() <= tolerance(1e-5));
        CHECK(column(by_points, "work.impacts") ==
              near(column(by_shape, "work.impacts"), tolerance(1e-7)));
        CHECK(by_shape.statistics().impacts.count > 0);
        check_balances(by_shape, 90.0);
    }
}

/// Down a slope a cylinder rolls with g sin(a) / (1 + k) if mu >= tan(a) k / (1 + k), k = 1/2.
TEST_CASE("a cylinder rolls down a slope with two thirds of the acceleration of a slide") {
    constexpr double kRadius = 0.1, kHalf = 0.3, kMass = 3.0, kSlope = 0.3;
    const Vec3 n{-std::sin(kSlope), 0.0, std::cos(kSlope)};
    const Vec3 down{-std::cos(kSlope), 0.0, -std::sin(kSlope)};
    const double along = kMass * (kRadius * kRadius / 4.0 + kHalf * kHalf / 3.0);
    for (const std::string method : {"emm", "rk4"}) {
        CAPTURE(method);
        Simulation simulation = model(
            weight({0.0, 0.0, -kGravity}) +
            body("a",
                 kMass,
                 {along, 0.5 * kMass * kRadius * kRadius, along},
                 kRadius * n,
                 Mat3::Identity()) +
            contact("c",
                    fmt::format("a = \"a\"\nshape = {{ cylinder = {{ radius = {}, from = [0, {}, "
                                "0], to = [0, {}, 0] }} }}",
                                kRadius,
                                -kHalf,
                                kHalf) +
                        on_plane(n) + law(0.0, 0.4)) +
            integrator(method, 0.004, 1.0));
        run_to_end(simulation);
        const double a = 2.0 / 3.0 * kGravity * std::sin(kSlope);
        CHECK(column3(simulation, "a.v").dot(down) == near(a, tolerance(2e-3 * a)));
        CHECK(column(simulation, "a.wy") == near(-a / kRadius, tolerance(2e-3 * a / kRadius)));
        if (method != "emm") continue;
        CHECK(column(simulation, "work.nonideal") == near(0.0, tolerance(1e-9)));
        check_balances(simulation, 250.0);
    }
}

/// A block of breadth b and height h on a slope tips if tan(a) > b / h and slides if tan(a) > mu.
TEST_CASE("a block on a slope tips where it is slender, slides where it is smooth, or stays") {
    const Vec3 size{0.2, 0.3, 0.4};
    for (const double slope : {0.45, 0.48})  // tan: 0.483, 0.521; b / h = 0.5
        for (const double mu : {0.3, 0.8}) {
            CAPTURE(slope);
            CAPTURE(mu);
            const Mat3 R = Eigen::AngleAxisd(-slope, Vec3::UnitY()).toRotationMatrix();
            Simulation simulation =
                model(weight({0.0, 0.0, -kGravity}) +
                      body("a", 4.0, inertia_of_box(4.0, size), 0.2 * R.col(2), R) +
                      contact("c",
                              fmt::format("a = \"a\"\nshape = {{ box = {} }}", triple(size)) +
                                  on_plane(R.col(2)) + law(0.0, mu)) +
                      integrator("emm", 0.01, 0.3));
            run_to_end(simulation);
            const double turned = std::abs(column(simulation, "a.wy"));
            const double slid = -column3(simulation, "a.").dot(R.col(0));
            if (mu < 0.4) {
                const double a = kGravity * (std::sin(slope) - mu * std::cos(slope));
                CHECK(slid == near(0.5 * a * 0.09, tolerance(1e-3 * a)));
            } else if (slope < 0.46) {
                CHECK(slid == near(0.0, tolerance(1e-12)));
                CHECK(turned == near(0.0, tolerance(1e-12)));
            } else {
                // w' = g (h sin a - b cos a) / 2 / (I + m |corner|^2) / m at first
                CHECK(turned > 0.02);
            }
            check_balances(simulation, 30.0);
        }
}

TEST_CASE("a ball rolls off a box over its edge, and balances close") {
    constexpr double kRadius = 0.05;
    const Vec3 size{0.4, 0.6, 0.2};
    std::mt19937 random(8);
    for (int run = 0; run < 3; ++run) {
        CAPTURE(run);
        const Mat3 R = some_attitude(random);
        const Vec3 g = -kGravity * R.col(2);
        const Vec3 top = R * Vec3(0.1, 0.0, 0.1 + kRadius);
        Simulation simulation = model(
            weight(g) + body("box", 5.0, inertia_of_box(5.0, size), Vec3::Zero(), R) +
            body("ball",
                 1.0,
                 Vec3::Constant(0.4 * kRadius * kRadius),
                 top,
                 R,
                 0.5 * R.col(0),
                 0.5 / kRadius * Vec3::UnitY()) +
            "\n[[joint]]\nname = \"fixed\"\ntype = \"fixed\"\na = \"ground\"\nb = \"box\"\npoint "
            "= [0, 0, 0]\n" +
            contact("c",
                    fmt::format("a = \"ball\"\nb = \"box\"\nradius = {}\nshape_b = {{ box = {} }}",
                                kRadius,
                                triple(size)) +
                        law(0.0, 5.0)) +
            integrator("emm", 0.002, 0.4));
        while (column3(simulation, "ball.").dot(R.col(0)) < 0.2 - 1e-3) simulation.step();
        CHECK(column3(simulation, "ball.v").dot(R.col(0)) == near(0.5, tolerance(1e-9)));
        while (column(simulation, "c.gap") < 1e-9 && !simulation.done()) simulation.step();
        // It leaves where g cos(a) = v^2 / R, v^2 = v_0^2 + 10/7 g R (1 - cos a) as it rolls.
        const double cosine =
            (0.25 + 10.0 / 7.0 * kGravity * kRadius) / (17.0 / 7.0 * kGravity * kRadius);
        const Vec3 way = R.transpose() * column3(simulation, "ball.") - Vec3(0.2, 0.0, 0.1);
        CHECK(way.z() / way.norm() == near(cosine, tolerance(2e-2)));
        run_to_end(simulation);
        check_balances(simulation, 200.0);
    }
}

/// A ball inside of a tube swings as a pendulum: rolls with 5/7 of the acceleration of a slide.
TEST_CASE("a ball in a tube swings across it and rolls along it") {
    constexpr double kRadius = 0.1, kTube = 1.1, kStart = 0.5;
    const double quarter =
        std::comp_ellint_1(std::sin(0.5 * kStart)) * std::sqrt(1.4 * (kTube - kRadius) / kGravity);
    Simulation simulation = model(
        weight({0.0, 0.0, -kGravity}) +
        body("ball",
             1.0,
             Vec3::Constant(0.4 * kRadius * kRadius),
             {std::sin(kStart), 0.0, -std::cos(kStart)},
             Mat3::Identity()) +
        contact("c",
                "a = \"ball\"\nb = \"ground\"\nradius = 0.1\ninside = true\nshape_b = { cylinder "
                "= { radius = 1.1, from = [0, -1, 0], to = [0, 1, 0] } }" +
                    law(0.0, 0.8)) +
        integrator("emm", quarter / 200.0, quarter));
    run_to_end(simulation);
    CHECK(column(simulation, "ball.x") == near(0.0, tolerance(1e-4)));
    check_balances(simulation, 200.0);
}

// --- pairs

std::string box_shape(const char* key, const Vec3& size) {
    return fmt::format("{} = {{ box = {} }}\n", key, triple(size));
}
std::string capsule_shape(const char* key, double radius, double half) {
    return fmt::format(
        "{} = {{ capsule = {{ radius = {}, from = [0, 0, {}], to = [0, 0, {}] }} }}\n",
        key,
        radius,
        -half,
        half);
}

/// In flight and without gravity: what a collision keeps is known whatever touches.
TEST_CASE("boxes and capsules that collide keep both momenta, and with e = 1 their energy") {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    int num_impacts = 0;
    for (int run = 0; run < 15; ++run) {
        CAPTURE(run);
        const Vec3 size_a(0.2 + 0.3 * uniform(random), 0.3, 0.2), size_b(0.3, 0.2, 0.4);
        const bool a_is_box = run % 3 != 2, b_is_box = run % 3 == 0;
        const double e = run % 2 == 0 ? 1.0 : 0.4, mu = run % 4 == 3 ? 0.5 : 0.0;
        const Mat3 space = some_attitude(random);
        const Vec3 offset(0.2 * uniform(random), 0.2 * uniform(random), 0.0);
        const auto spin = [&] {
            return Vec3(uniform(random), uniform(random), uniform(random));
        };
        Simulation simulation =
            model("[model]\ngravity = [0, 0, 0]\n" +
                  body("a",
                       2.0,
                       inertia_of_box(2.0, size_a),
                       space * Vec3(0.0, 0.0, 0.5),
                       some_attitude(random),
                       space * Vec3(0.0, 0.0, -1.0),
                       spin()) +
                  body("b",
                       3.0,
                       inertia_of_box(3.0, size_b),
                       space * (offset - Vec3(0.0, 0.0, 0.3)),
                       some_attitude(random),
                       Vec3::Zero(),
                       spin()) +
                  contact("c",
                          "a = \"a\"\nb = \"b\"\n" +
                              (a_is_box ? box_shape("shape", size_a)
                                        : capsule_shape("shape", 0.1, 0.15)) +
                              (b_is_box ? box_shape("shape_b", size_b)
                                        : capsule_shape("shape_b", 0.08, 0.2)) +
                              fmt::format("restitution = {}", e) +
                              (mu > 0.0 ? fmt::format("\nfriction = {}", mu) : "")) +
                  integrator("emm", 0.01, 1.0));
        const double before = column(simulation, "energy.kinetic");
        run_to_end(simulation);
        const RunStatistics statistics = simulation.statistics();
        num_impacts += statistics.impacts.count > 0 ? 1 : 0;
        CHECK(statistics.impacts.lowered == 0);
        if (e == 1.0 && mu == 0.0)
            CHECK(column(simulation, "energy.kinetic") == near(before, tolerance(1e-12) * before));
        check_balances(simulation, 100.0);
    }
    CHECK(num_impacts > 7);
}

/// The first touch of two boxes is where the largest separation by any direction is zero; here it
/// is sought among many directions, at the state where an impact has stopped the approach.
TEST_CASE("boxes meet where no direction separates them any more") {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (int run = 0; run < 6; ++run) {
        CAPTURE(run);
        const Vec3 size(0.3, 0.2, 0.4);
        Simulation simulation =
            model("[model]\ngravity = [0, 0, 0]\n" +
                  body("a",
                       1.0,
                       inertia_of_box(1.0, size),
                       {0.05, 0.02, 0.6},
                       some_attitude(random),
                       {0.0, 0.0, -1.0}) +
                  body("b", 1.0, inertia_of_box(1.0, size), Vec3::Zero(), some_attitude(random)) +
                  contact("c",
                          "a = \"a\"\nb = \"b\"\n" + box_shape("shape", size) +
                              box_shape("shape_b", size)) +
                  integrator("emm", 0.01, 1.0));
        while (simulation.statistics().impacts.count == 0) simulation.step();
        // Behind an impact with e = 0 they stay within a step's way of touching.
        const auto corners = [&](const std::string& name) {
            const Eigen::Quaterniond q(column(simulation, name + ".qw"),
                                       column(simulation, name + ".qx"),
                                       column(simulation, name + ".qy"),
                                       column(simulation, name + ".qz"));
            Eigen::Matrix<double, 3, 8> out;
            for (int k = 0; k < 8; ++k)
                out.col(k) = column3(simulation, name + ".") +
                             q * Vec3(0.5 * size.cwiseProduct(Vec3(k % 2 * 2.0 - 1.0,
                                                                   k / 2 % 2 * 2.0 - 1.0,
                                                                   k / 4 * 2.0 - 1.0)));
            return out;
        };
        const auto a = corners("a"), b = corners("b");
        double most = -1.0;
        Vec3 best = Vec3::UnitZ();
        for (int k = 0; k < 20000; ++k) {
            const double reach = std::pow(10.0, -4.0 * k / 20000.0);
            const Vec3 n =
                (best + reach * Vec3(normal(random), normal(random), normal(random))).normalized();
            const double apart = (n.transpose() * a).minCoeff() - (n.transpose() * b).maxCoeff();
            if (!(apart > most)) continue;
            most = apart;
            best = n;
        }
        CHECK(most > -1e-4);
        CHECK(most < 0.02);
        CHECK(column(simulation, "c.gap") == near(most, 2e-3));
    }
}

TEST_CASE("three boxes in a pile stand at rest, at any attitude of the world") {
    const Vec3 size(0.3, 0.3, 0.2);
    std::mt19937 random(9);
    for (int run = 0; run < 3; ++run) {
        CAPTURE(run);
        const Mat3 R = run == 0 ? Mat3(Mat3::Identity()) : some_attitude(random);
        std::string text = weight(-kGravity * R.col(2));
        for (int k = 0; k < 3; ++k) {
            const Vec3 x = R * Vec3(0.02 * run * k, 0.01 * run * k, 0.1 + 0.2 * k);
            text += body(fmt::format("b{}", k), 18.0, inertia_of_box(18.0, size), x, R);
            if (k == 0)
                text += contact(
                    "c0",
                    "a = \"b0\"\n" + box_shape("shape", size) + on_plane(R.col(2)) + law(0.0, 0.5));
            else
                text += contact(fmt::format("c{}", k),
                                fmt::format("a = \"b{}\"\nb = \"b{}\"\n", k, k - 1) +
                                    box_shape("shape", size) + box_shape("shape_b", size) +
                                    law(0.0, 0.5));
        }
        // At an attitude corners are off by rounding, and come to touch first.
        Simulation simulation = model(text + integrator("emm", 0.005, 0.1));
        const double top = column3(simulation, "b2.").dot(R.col(2));
        run_to_end(simulation);
        CHECK(column3(simulation, "b2.").dot(R.col(2)) == near(top, tolerance(1e-12)));
        CHECK(column3(simulation, "b2.v").norm() == near(0.0, tolerance(1e-10)));
        CHECK(simulation.statistics().impacts.least_gap >= -tolerance(1e-13));
    }
}

/// Friction at the bottom moves the resultant of the pressure forward, by mu times half the height.
TEST_CASE("a box that slides off another one stays flat until its pressure is at the edge") {
    const Vec3 size(0.2, 0.2, 0.2), base(0.6, 0.4, 0.2);
    constexpr double kMu = 0.2, kSpeed = 1.6, kTop = 0.3;
    Simulation simulation = model(
        weight({0.0, 0.0, -kGravity}) +
        body("base", 40.0, inertia_of_box(40.0, base), {0.0, 0.0, 0.1}, Mat3::Identity()) +
        body("box",
             8.0,
             inertia_of_box(8.0, size),
             {0.0, 0.0, kTop},
             Mat3::Identity(),
             {kSpeed, 0.0, 0.0}) +
        "\n[[joint]]\nname = \"fixed\"\ntype = \"fixed\"\na = \"ground\"\nb = \"base\"\npoint "
        "= [0, 0, 0]\n" +
        contact("c",
                "a = \"box\"\nb = \"base\"\n" + box_shape("shape", size) +
                    box_shape("shape_b", base) + law(0.0, kMu)) +
        integrator("emm", 0.002, 0.3));
    while (!simulation.done()) {
        simulation.step();
        const double t = simulation.time(), x = column(simulation, "box.x");
        if (x < 0.3 - 0.1 * kMu) {
            CHECK(x == near(kSpeed * t - 0.5 * kMu * kGravity * t * t, tolerance(1e-8)));
            CHECK(column(simulation, "box.z") == near(kTop, tolerance(1e-12)));
        }
    }
    CHECK(column(simulation, "box.x") > 0.35);
    CHECK(column(simulation, "box.wy") > 0.05);
    CHECK(column(simulation, "box.z") < kTop);
    check_balances(simulation, 150.0);
}

/// The first of a row falls about its front edge, f'' = 3 g / (4 d) sin f with the diagonal 2 d, f
/// its angle from the vertical, until its top is at the next one.
TEST_CASE("a row of dominoes falls, one after the other") {
    constexpr double kBreadth = 0.01, kHeight = 0.06, kSpacing = 0.03, kTilt = 0.2;
    constexpr int kCount = 4;
    const Vec3 size(kBreadth, 0.03, kHeight);
    const double mass = 0.018, d = 0.5 * std::hypot(kBreadth, kHeight);
    const double lean = std::atan(kBreadth / kHeight);
    const double begin = kTilt - lean, end = std::asin((kSpacing - kBreadth) / kHeight) - lean;
    double first = 0.0;  // integral of df / f', f = begin + x^2
    constexpr int kParts = 2000;
    const double top = std::sqrt(end - begin);
    for (int k = 0; k < kParts; ++k) {
        const double x = (k + 0.5) / kParts * top;
        const double fall = std::cos(begin) - std::cos(begin + x * x);
        first += 2.0 * x / std::sqrt(1.5 * kGravity / d * fall) * top / kParts;
    }
    std::vector<double> before;
    for (const double h : {0.004, 0.002}) {
        CAPTURE(h);
        std::string text = weight({0.0, 0.0, -kGravity});
        for (int k = 0; k < kCount; ++k) {
            const double tilt = k == 0 ? kTilt : 0.0;
            const Mat3 R = Eigen::AngleAxisd(tilt, Vec3::UnitY()).toRotationMatrix();
            const Vec3 edge(kSpacing * k + 0.5 * kBreadth, 0.0, k == 0 ? 1e-9 : 0.0);
            text += body(fmt::format("d{}", k),
                         mass,
                         inertia_of_box(mass, size),
                         edge + R * Vec3(-0.5 * kBreadth, 0.0, 0.5 * kHeight),
                         R);
            text += contact(fmt::format("floor{}", k),
                            fmt::format("a = \"d{}\"\n", k) + box_shape("shape", size) +
                                on_plane(Vec3::UnitZ()) + law(0.0, 0.6));
            if (k > 0)
                text +=
                    contact(fmt::format("c{}", k),
                            fmt::format("a = \"d{}\"\nb = \"d{}\"\nrestitution = 0\n", k, k - 1) +
                                box_shape("shape", size) + box_shape("shape_b", size));
        }
        Simulation simulation = model(text + integrator("emm", h, 0.6));
        std::vector<double> hits(kCount, 0.0);
        while (hits.back() == 0.0 && !simulation.done()) {
            simulation.step();
            for (int k = 1; k < kCount; ++k)
                if (hits[static_cast<std::size_t>(k)] == 0.0 &&
                    column(simulation, fmt::format("c{}.impulse", k)) > 0.0)
                    hits[static_cast<std::size_t>(k)] = simulation.time();
        }
        CHECK(hits[1] == near(first, h));
        for (std::size_t k = 2; k < kCount; ++k) {
            CHECK(hits[k] > hits[k - 1]);
            if (!before.empty()) CHECK(hits[k] == near(before[k], 0.005));
        }
        before = hits;
        check_balances(simulation, 200.0);
    }
}

/// Dominoes rub each other and the floor: those that lean on the next one slide and stick, and the
/// last one slides away under their load. Each run goes beyond that, with balances at rounding, and
/// to the pose of halved steps.
TEST_CASE("dominoes that rub lean on each other") {
    constexpr double kBreadth = 0.01, kHeight = 0.06, kSpacing = 0.03, kTilt = 0.2, kEnd = 0.45;
    constexpr int kCount = 4;
    const Vec3 size(kBreadth, 0.03, kHeight);
    const double mass = 0.018;
    struct Friction {
        double between, floor;
    };
    for (const Friction mu : {Friction{0.2, 0.6}, {0.3, 0.3}}) {
        CAPTURE(mu.between);
        double before = 0.0;
        for (const double h : {0.002, 0.001}) {
            CAPTURE(h);
            std::string text = weight({0.0, 0.0, -kGravity});
            for (int k = 0; k < kCount; ++k) {
                const Mat3 R =
                    Eigen::AngleAxisd(k == 0 ? kTilt : 0.0, Vec3::UnitY()).toRotationMatrix();
                const Vec3 edge(kSpacing * k + 0.5 * kBreadth, 0.0, k == 0 ? 1e-9 : 0.0);
                text += body(fmt::format("d{}", k),
                             mass,
                             inertia_of_box(mass, size),
                             edge + R * Vec3(-0.5 * kBreadth, 0.0, 0.5 * kHeight),
                             R);
                text += contact(fmt::format("floor{}", k),
                                fmt::format("a = \"d{}\"\n", k) + box_shape("shape", size) +
                                    on_plane(Vec3::UnitZ()) + law(0.0, mu.floor));
                if (k > 0)
                    text += contact(fmt::format("c{}", k),
                                    fmt::format("a = \"d{}\"\nb = \"d{}\"\n", k, k - 1) +
                                        box_shape("shape", size) + box_shape("shape_b", size) +
                                        law(0.0, mu.between));
            }
            Simulation simulation = model(text + integrator("emm", h, kEnd));
            while (!simulation.done()) simulation.step();
            const Pose last = simulation.pose(fmt::format("d{}", kCount - 1));
            // It leans, and its middle is as low as it would be on its edge.
            CHECK(last.position[2] < 0.5 * kHeight);
            if (before > 0.0) CHECK(last.position[2] == near(before, 1e-3));
            before = last.position[2];
            // What is symmetric across stays so.
            CHECK(last.position[1] == near(0.0, 1e-9));
            check_balances(simulation, 200.0);
        }
    }
}

// Three equal bodies in a row, solved together or, by the energetic law, in turn.
TEST_CASE("shapes meet by the law that their contact names") {
    for (const char* const law : {"poisson", "newton", "energetic"}) {
        CAPTURE(law);
        const Vec3 inertia = Vec3::Constant(0.01);
        std::string text = body("b0", 1.0, inertia, {-1, 0, 0}, Mat3::Identity(), {1, 0, 0}) +
                           body("b1", 1.0, inertia, {0, 0, 0}, Mat3::Identity()) +
                           body("b2", 1.0, inertia, {0.2, 0, 0}, Mat3::Identity());
        const char* const ball = "{ sphere = 0.1 }";
        const char* const box = "{ box = [0.2, 0.2, 0.2] }";
        for (int k = 0; k < 2; ++k)
            text += fmt::format(
                "\n[[constraint]]\nname = \"c{0}\"\ntype = \"contact\"\na = \"b{0}\"\nb = "
                "\"b{1}\"\nshape = {2}\nshape_b = {3}\nrestitution = 1.0\nlaw = \"{4}\"\n",
                k,
                k + 1,
                k == 0 ? ball : box,
                k == 0 ? box : ball,
                law);
        Simulation simulation = model(text + integrator("emm", 0.01, 2.0));
        run_to_end(simulation);
        const std::array<double, 3> shared = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
        const std::array<double, 3> passed_on = {0.0, 0.0, 1.0};
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(column(simulation, fmt::format("b{}.vx", k)) ==
                  near((law[0] == 'e' ? passed_on : shared)[k], 1e-13));
        CHECK(simulation.statistics().impacts.laws == law);
        check_balances(simulation, 200.0);
    }
}

TEST_CASE("what is wrong with shapes is said in words") {
    const std::string start = weight({0.0, 0.0, -kGravity}) +
                              body("a", 1.0, Vec3::Ones(), {0.0, 0.0, 1.0}, Mat3::Identity()) +
                              integrator("emm", 0.01, 0.1);
    const auto said = [&](const std::string& keys) {
        return refusal([&] {
            model(start + contact("c", "a = \"a\"\n" + keys));
        });
    };
    const auto check = [](const std::string& text, const std::string& part) {
        CAPTURE(text);
        CHECK(has(text, part));
    };
    check(said("shape = { box = [1, 1, 0] }" + on_plane(Vec3::UnitZ())), "box");
    check(said("shape = { position = [1, 1, 0] }" + on_plane(Vec3::UnitZ())), "is no shape");
    check(said("shape = { box = [1, 1, 1], sphere = 1 }" + on_plane(Vec3::UnitZ())),
          "several shapes");
    check(said("shape = { cylinder = { radius = 1, from = [1, 0, 0], to = [1, 0, 0] } }" +
               on_plane(Vec3::UnitZ())),
          "leaves no volume");
    check(said("shape = { box = [3, 3, 3] }" + on_plane(Vec3::UnitZ())), "0.5 below zero");
    check(said("shape = { box = [1, 1, 1] }\nb = \"ground\""), "has no shape");
    check(said("shape = { box = [1, 1, 1] }\nradius = 1.0" + on_plane(Vec3::UnitZ())),
          "stands beside a shape");
}

}  // namespace
}  // namespace ancora::testing
