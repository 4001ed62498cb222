// SPDX-License-Identifier: BSD-3-Clause
// Contacts that take the shapes of bodies, and contacts of many bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "friction_models.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

Vec3 place_of(const Simulation& simulation, const std::string& start) {
    return {column(simulation, start + "x"),
            column(simulation, start + "y"),
            column(simulation, start + "z")};
}

/// A solid of one of five kinds, as the keys of a shape.
struct Solid {
    std::string keys;
    Vec3 inertia = Vec3::Ones();
    double reach = 0.0;
};

Solid some_solid(int kind, std::mt19937& random) {
    std::uniform_real_distribution<double> length(0.05, 0.1);
    const double R = length(random), l = length(random);
    const Vec3 size(2.0 * length(random), 2.0 * length(random), 2.0 * length(random));
    const Vec3 square = size.cwiseProduct(size);
    switch (kind) {
        case 0:
            return {fmt::format("sphere = {}", R), 0.4 * R * R * Vec3::Ones(), R};
        case 1:
            return {
                fmt::format("box = {}", triple(size)),
                Vec3(square.y() + square.z(), square.z() + square.x(), square.x() + square.y()) /
                    12.0,
                0.5 * size.norm()};
        case 2:
            return {
                fmt::format(
                    "capsule = {{ radius = {}, from = [0, 0, {}], to = [0, 0, {}] }}", R, -l, l),
                Vec3(0.01, 0.01, 0.004),
                l + R};
        case 3:
            return {fmt::format(
                        "rod = {{ radius = {}, from = [{}, 0, 0], to = [{}, 0, 0] }}", R, -l, l),
                    Vec3(0.004, 0.01, 0.01),
                    l + R};
        default:
            return {fmt::format("sphere = {}, position = [0.0, 0.02, 0.0]", R),
                    0.5 * R * R * Vec3::Ones(),
                    R + 0.02};
    }
}

std::string body(const std::string& name,
                 const Solid& solid,
                 const std::string& more,
                 const Vec3& x,
                 std::mt19937& random,
                 double speed) {
    std::normal_distribution<double> normal;
    const auto any = [&] {
        return Vec3(normal(random), normal(random), normal(random));
    };
    const Eigen::Quaterniond q =
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
            .normalized();
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\ninertia = {}\n"
        "penalty = inf\nposition = {}\nvelocity = {}\nangular_velocity = {}\n"
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\nshape = {{ {}{} }}\n",
        name,
        triple(solid.inertia),
        triple(x),
        triple(speed * any()),
        triple(4.0 * speed * any()),
        q.w(),
        q.x(),
        q.y(),
        q.z(),
        solid.keys,
        more);
}

std::string contact(const std::string& name, const std::string& keys) {
    return fmt::format("\n[[constraint]]\nname = \"{}\"\ntype = \"contact\"\n{}\n", name, keys);
}
std::string law(double e, double mu) {
    std::string out = fmt::format("\nrestitution = {:.17g}", e);
    if (mu > 0.0) out += fmt::format("\nfriction = {:.17g}", mu);
    return out;
}

void check_balances(const Simulation& simulation, double steps) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= rounding_bound(steps));
    CHECK(statistics.momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
}

TEST_CASE("a contact takes the shapes that its bodies have") {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const int kind_a = static_cast<int>(seed) % 5, kind_b = static_cast<int>(seed / 2) % 5;
        const Solid a = some_solid(kind_a, random), b = some_solid(kind_b, random);
        const std::string start =
            weight({0.0, 0.0, -kGravity}) + body("a", a, "", {0.0, 0.0, 0.9}, random, 0.5) +
            body("b", b, "", {0.02, 0.01, 0.4}, random, 0.5) + integrator("emm", 0.005, 0.6);
        const auto run = [&](bool is_written) {
            const auto shape = [&](const char* key, const Solid& of) {
                std::string keys = of.keys;
                if (keys.starts_with("rod")) keys = "capsule" + keys.substr(3);
                return is_written ? fmt::format("{} = {{ {} }}\n", key, keys) : std::string();
            };
            const std::string floor =
                "plane = { normal = [0, 0, 1] }\nb = \"ground\"" + law(0.4, 0.3);
            Simulation simulation = model(start +
                                          contact("ab",
                                                  "a = \"a\"\nb = \"b\"\n" + shape("shape", a) +
                                                      shape("shape_b", b) + law(0.4, 0.3)) +
                                          contact("fa", "a = \"a\"\n" + shape("shape", a) + floor) +
                                          contact("fb", "a = \"b\"\n" + shape("shape", b) + floor));
            run_to_end(simulation);
            check_balances(simulation, 120.0);
            CHECK(column(simulation, "work.impacts") < 0.0);
            return std::pair(place_of(simulation, "a."), place_of(simulation, "b."));
        };
        // Spheres are points with a radius, or shapes: friction acts along other axes.
        const auto own = run(false), written = run(true);
        CHECK((own.first - written.first).norm() <= tolerance(1e-6));
        CHECK((own.second - written.second).norm() <= tolerance(1e-6));
    }
}

/// Four solids above a floor between two walls, with contacts of two or with one of all.
TEST_CASE("one contact of many is the contacts of all pairs") {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        constexpr int kCount = 4;
        std::string bodies = weight({0.0, 0.0, -kGravity});
        for (int k = 0; k < kCount; ++k)
            bodies +=
                body(fmt::format("b{}", k),
                     some_solid(static_cast<int>(seed + static_cast<unsigned>(k)) % 5, random),
                     "",
                     {0.02 * k, 0.0, 0.3 + 0.4 * k},
                     random,
                     0.5);
        const double e = 0.1 * static_cast<double>(seed % 7);
        const double mu = seed % 2 == 0 ? 0.0 : 0.3;
        const std::vector<std::pair<Vec3, double>> planes{
            {{0.0, 0.0, 1.0}, 0.0}, {{1.0, 0.0, 0.0}, -0.5}, {{-2.0, 0.0, 0.0}, -1.0}};
        std::string pairs, rows;
        for (int i = 0; i < kCount; ++i) {
            for (int j = 0; j < i; ++j)
                pairs += contact(fmt::format("c{}{}", i, j),
                                 fmt::format("a = \"b{}\"\nb = \"b{}\"", j, i) + law(e, mu));
            for (std::size_t k = 0; k < planes.size(); ++k) {
                const auto& [n, d] = planes[k];
                pairs += contact(fmt::format("p{}{}", i, k),
                                 fmt::format("a = \"b{}\"\nb = \"ground\"\nplane = {{ normal = {}, "
                                             "point = {} }}",
                                             i,
                                             triple(n),
                                             triple(d / n.squaredNorm() * n)) +
                                     law(e, mu));
            }
        }
        for (const auto& [n, d] : planes)
            rows += fmt::format("[{}, {}, {}, {}],", n.x(), n.y(), n.z(), d);
        const std::string end = integrator("emm", 0.004, 0.35);
        Simulation by_pairs = model(bodies + pairs + end);
        Simulation by_one = model(
            bodies + contact("all", "bodies = \"b?\"\nplanes = [" + rows + "]" + law(e, mu)) + end);
        run_to_end(by_pairs);
        run_to_end(by_one);
        check_balances(by_pairs, 90.0);
        check_balances(by_one, 90.0);
        CHECK(by_one.statistics().impacts.count > 0);
        for (int k = 0; k < kCount; ++k) {
            const std::string name = fmt::format("b{}.", k);
            CHECK((place_of(by_pairs, name) - place_of(by_one, name)).norm() <= tolerance(1e-5));
        }
    }
}

TEST_CASE("many balls in a box stay in it and apart, whatever their attitude") {
    for (unsigned seed = 1; seed <= 2; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        constexpr double kRadius = 0.05, kSpacing = 0.13;
        constexpr int kSide = 3;
        std::string text = weight({0.0, 0.0, -kGravity});
        for (int k = 0; k < kSide * kSide * kSide; ++k)
            text += body(
                fmt::format("b{}", k),
                {fmt::format("sphere = {}", kRadius), 0.001 * Vec3::Ones(), kRadius},
                "",
                kSpacing * Vec3(k % kSide + 0.5, k / kSide % kSide + 0.5, k / kSide / kSide + 0.5),
                random,
                1.0);
        constexpr double kEdge = kSide * kSpacing;
        text += contact("all",
                        fmt::format("bodies = \"*\"\nplanes = [[1, 0, 0, 0], [-1, 0, 0, {0}], "
                                    "[0, 1, 0, 0], [0, -1, 0, {0}], [0, 0, 1, 0], [0, 0, -1, {0}]]",
                                    -kEdge) +
                            law(0.5, 0.0));
        Simulation simulation = model(text + integrator("emm", 0.002, 0.1));
        run_to_end(simulation);
        check_balances(simulation, 50.0);
        CHECK(simulation.statistics().impacts.count > 20);
        std::vector<Vec3> places;
        for (int k = 0; k < kSide * kSide * kSide; ++k) {
            places.push_back(place_of(simulation, fmt::format("b{}.", k)));
            CHECK(places.back().minCoeff() >= kRadius - tolerance(1e-13));
            CHECK(places.back().maxCoeff() <= kEdge - kRadius + tolerance(1e-13));
            for (std::size_t j = 0; j + 1 < places.size(); ++j)
                CHECK((places.back() - places[j]).norm() >= 2.0 * kRadius - tolerance(1e-13));
        }
    }
}

// --- convex hulls

std::string hull_shape(const char* key, const std::vector<Vec3>& points) {
    std::string out = fmt::format("{} = {{ hull = [", key);
    for (const Vec3& p : points) out += triple(p) + ", ";
    return out + "] }\n";
}
std::vector<Vec3> box_corners(const Vec3& size) {
    std::vector<Vec3> out;
    for (int k = 0; k < 8; ++k)
        out.push_back(
            0.5 * size.cwiseProduct(Vec3(
                      k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0)));
    // A point within and one on an edge are no corners.
    out.push_back(0.1 * size);
    out.push_back(0.5 * size.cwiseProduct(Vec3(1.0, 0.3, 1.0)));
    return out;
}

TEST_CASE("the hull of a box's corners is the box") {
    int num_met = 0;
    for (unsigned seed = 1; seed <= 9; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> length(0.1, 0.25);
        const Vec3 a(length(random), length(random), length(random));
        const Vec3 b(length(random), length(random), length(random));
        // It meets a box, a ball or a capsule.
        const std::string other = seed % 3 == 0 ? "radius = 0.08\n"
                                  : seed % 3 == 1
                                      ? "shape = { capsule = { radius = 0.05, from = [-0.1, 0, 0], "
                                        "to = [0.1, 0, 0] } }\n"
                                      : "";
        const Solid plain{"sphere = 0.01", 0.01 * Vec3::Ones(), 0.2};
        const std::string start =
            weight(Vec3::Zero()) + body("a", plain, "", {0.0, 0.0, 0.55}, random, 0.1) +
            body("b", plain, "", {0.03, 0.02, 0.22}, random, 0.1) + integrator("emm", 0.004, 0.3);
        const auto run = [&](bool is_hull) {
            const auto shape = [&](const char* key, const Vec3& size) {
                return is_hull ? hull_shape(key, box_corners(size))
                               : fmt::format("{} = {{ box = {} }}\n", key, triple(size));
            };
            const std::string floor =
                "plane = { normal = [0, 0, 1] }\nb = \"ground\"" + law(0.3, 0.0);
            Simulation simulation = model(
                start +
                    contact("ab",
                            "a = \"a\"\nb = \"b\"\n" + (other.empty() ? shape("shape", a) : other) +
                                shape("shape_b", b) + law(0.3, 0.0)) +
                    contact("fb", "a = \"b\"\n" + shape("shape", b) + floor),
                {"body.a.velocity=[0.0, 0.0, -1.5]"});
            run_to_end(simulation);
            check_balances(simulation, 100.0);
            num_met += column(simulation, "ab.impulse") > 0.0 ? 1 : 0;
            return std::pair(place_of(simulation, "a."), place_of(simulation, "b."));
        };
        const auto hull = run(true), box = run(false);
        CHECK((hull.first - box.first).norm() <= tolerance(1e-6));
        CHECK((hull.second - box.second).norm() <= tolerance(1e-6));
    }
    CHECK(num_met >= 12);
}

/// The largest separation of two clouds of points by normals of planes through three of them, and
/// across lines through two of each: of their hulls, if these are apart.
double separation(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    std::vector<Vec3> ways[2];
    for (const auto* const of : {&a, &b})
        for (std::size_t i = 0; i < of->size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                ways[of == &b ? 1 : 0].push_back((*of)[i] - (*of)[j]);
    double most = -1.0;
    const auto try_across = [&](const Vec3& u, const Vec3& v) {
        Vec3 n = u.cross(v);
        if (!(n.norm() > 1e-9)) return;
        n.normalize();
        double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        for (const auto* const of : {&a, &b})
            for (const Vec3& x : *of) {
                low[of == &b ? 1 : 0] = std::min(low[of == &b ? 1 : 0], n.dot(x));
                high[of == &b ? 1 : 0] = std::max(high[of == &b ? 1 : 0], n.dot(x));
            }
        most = std::max({most, low[1] - high[0], low[0] - high[1]});
    };
    for (const auto& of : ways)
        for (std::size_t i = 0; i < of.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) try_across(of[i], of[j]);
    for (const Vec3& u : ways[0])
        for (const Vec3& v : ways[1]) try_across(u, v);
    return most;
}

TEST_CASE("convex hulls collide at any attitude and never enter each other") {
    long count = 0;
    for (unsigned seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        std::vector<Vec3> points[2];
        for (auto& of : points)
            for (int k = 0; k < 6 + static_cast<int>(seed % 3); ++k)
                of.push_back(0.12 *
                             Vec3(normal(random), normal(random), normal(random)).normalized());
        const Solid plain{"sphere = 0.01", 0.004 * Vec3::Ones(), 0.2};
        const double e = 0.2 * static_cast<double>(seed % 5);
        Simulation simulation = model(
            weight({0.0, 0.0, -kGravity}) + body("a", plain, "", {0.0, 0.0, 0.55}, random, 0.1) +
            body("b", plain, "", {0.03, 0.02, 0.2}, random, 0.1) +
            contact("ab",
                    "a = \"a\"\nb = \"b\"\n" + hull_shape("shape", points[0]) +
                        hull_shape("shape_b", points[1]) + law(e, seed % 2 == 0 ? 0.0 : 0.4)) +
            contact("fa",
                    "a = \"a\"\nb = \"ground\"\nplane = { normal = [0, 0, 1] }\n" +
                        hull_shape("shape", points[0]) + law(e, 0.0)) +
            contact("fb",
                    "a = \"b\"\nb = \"ground\"\nplane = { normal = [0, 0, 1] }\n" +
                        hull_shape("shape", points[1]) + law(e, 0.0)) +
            integrator("emm", 0.004, 0.4));
        while (!simulation.done()) {
            simulation.step();
            std::vector<Vec3> at[2];
            for (int k = 0; k < 2; ++k) {
                const std::string name = k == 0 ? "a" : "b";
                const Mat3 R = attitude(simulation, name);
                const Vec3 x = place_of(simulation, name + ".");
                for (const Vec3& p : points[k]) {
                    at[k].push_back(x + R * p);
                    CHECK(at[k].back().z() >= -tolerance(1e-12));
                }
            }
            if ((place_of(simulation, "a.") - place_of(simulation, "b.")).norm() < 0.25)
                CHECK(separation(at[0], at[1]) >= -tolerance(1e-12));
        }
        check_balances(simulation, 130.0);
        count += column(simulation, "ab.impulse") > 0.0 ? 1 : 0;
    }
    CHECK(count >= 4);
}

/// A tetrahedron of a file, as heavy as its volume, falls on the floor like the hull of its
/// corners.
TEST_CASE("a mesh meets as its convex hull") {
    const std::vector<Vec3> corners{
        {0.0, 0.0, 0.0}, {0.2, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, 0.25}};
    const auto path =
        std::filesystem::temp_directory_path() / fmt::format("ancora-contact-{}.stl", ::getpid());
    {
        std::ofstream file(path);
        file << "solid t\n";
        for (const auto& [i, j, k] : {std::array{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) {
            file << "facet normal 0 0 0\nouter loop\n";
            for (const int c : {i, j, k})
                file << fmt::format("vertex {} {} {}\n",
                                    1000.0 * corners[static_cast<std::size_t>(c)].x(),
                                    1000.0 * corners[static_cast<std::size_t>(c)].y(),
                                    1000.0 * corners[static_cast<std::size_t>(c)].z());
            file << "endloop\nendfacet\n";
        }
        file << "endsolid t\n";
    }
    const std::string keys = fmt::format(
        "\n[[body]]\nname = \"a\"\ntype = \"ancf_rigid_body\"\ndensity = 500.0\npenalty = inf\n"
        "position = [0, 0, 0.5]\nvelocity = [0.2, 0.1, 0]\nangular_velocity = [3, 2, 1]\n"
        "shape = {{ mesh = \"{}\", scale = 1e-3, position = [-0.05, -0.07, -0.06] }}\n",
        path.string());
    const auto run = [&](const std::string& contact_keys) {
        Simulation simulation =
            model(weight({0.0, 0.0, -kGravity}) + keys +
                  contact("c", contact_keys + law(0.3, 0.2)) + integrator("emm", 0.004, 0.5));
        run_to_end(simulation);
        check_balances(simulation, 125.0);
        CHECK(column(simulation, "c.impulse") > 0.0);
        return place_of(simulation, "a.");
    };
    const std::string plane = "b = \"ground\"\nplane = { normal = [0, 0, 1] }\n";
    std::vector<Vec3> moved = corners;
    for (Vec3& x : moved) x += Vec3(-0.05, -0.07, -0.06);
    const Vec3 of_two = run("a = \"a\"\n" + plane);
    CHECK((of_two - run("a = \"a\"\n" + plane + hull_shape("shape", moved))).norm() <=
          tolerance(1e-6));
    CHECK((of_two - run("bodies = \"a\"\nplanes = [[0, 0, 1, 0]]")).norm() <= tolerance(1e-6));
    std::filesystem::remove(path);
}

/// Three balls in a row, of which a joint joins two.
std::string three(const std::string& more) {
    std::string text = weight(Vec3::Zero());
    for (int k = 0; k < 3; ++k)
        text += fmt::format(
            "\n[[body]]\nname = \"b{}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
            "inertia = [1, 1, 1]\npenalty = inf\nposition = [{}, 0, 0]\n"
            "shape = {{ sphere = 0.1, material = \"{}\" }}\n",
            k,
            0.3 * k,
            k == 0 ? "steel" : "wood");
    return text + more + integrator("emm", 0.01, 0.05);
}
const std::string kJoint =
    "\n[[joint]]\nname = \"pin\"\ntype = \"spherical\"\na = \"b0\"\nb = \"b1\"\n"
    "point = [0.15, 0, 0]\n";

TEST_CASE("bodies that a joint joins do not meet, and check says so") {
    const auto notes = [](const Simulation& simulation) {
        std::string out;
        for (const BodyNote& note : simulation.analyse().notes)
            out += note.body + ": " + note.text + "\n";
        return out;
    };
    Simulation simulation = model(three(kJoint + contact("all", "bodies = \"*\"")));
    CHECK(notes(simulation) ==
          "all: 2 pairs of 3 shapes of 3 bodies may meet; 1 left out, since joints join their "
          "bodies: \"pin\"\n");
    Simulation without = model(three(contact("all", "bodies = \"*\"")));
    CHECK(notes(without) == "all: 3 pairs of 3 shapes of 3 bodies may meet\n");
    Simulation more = model(three(contact("all", "bodies = \"*\"") +
                                  contact("own", "a = \"b0\"\nb = \"b2\"\nrestitution = 1.0")));
    CHECK(notes(more) ==
          "all: 2 pairs of 3 shapes of 3 bodies may meet; 1 left to more particular contacts: "
          "\"own\"\n");
    const auto warnings = [](const std::string& text) {
        return fmt::format("{}", fmt::join(model(text).statistics().warnings, "\n"));
    };
    CHECK(has(warnings(three(kJoint + contact("own", "a = \"b0\"\nb = \"b1\""))),
              "the joint \"pin\" joins \"b0\" and \"b1\""));
    CHECK(warnings(three(kJoint + contact("own", "a = \"b0\"\nb = \"b2\""))).empty());
    CHECK(warnings(three(kJoint + contact("own", "a = \"b0@[-0.1, 0, 0]\"\nb = \"b1\""))).empty());
    // A plane is no pair of shapes.
    Simulation floor = model(three(
        "\n[[shape]]\nbox = [1, 1, 1]\nposition = [0, 0, -2]\n" +
        contact("all", "bodies = [\"*\", \"ground\"]") +
        contact("floor",
                "a = \"b0\"\nb = \"ground\"\nplane = { normal = [0, 0, 1], point = [0, 0, -9] }")));
    CHECK(notes(floor) == "all: 6 pairs of 4 shapes of 4 bodies may meet\n");
}

/// A ball strikes another of its kind: e of the pair of materials alone counts.
TEST_CASE("pairs of materials have laws of their own") {
    for (const double e : {0.0, 0.3, 1.0}) {
        const auto balls = [&](const char* material) {
            std::string text = weight(Vec3::Zero());
            for (int k = 0; k < 3; ++k)
                text += fmt::format(
                    "\n[[body]]\nname = \"b{}\"\ntype = \"particle\"\nmass = 1.0\n"
                    "position = [{}, 0, {}]\nvelocity = [{}, 0, 0]\n"
                    "shape = {{ sphere = 0.1, material = \"{}\" }}\n",
                    k,
                    0.3 * k,
                    k == 2 ? 9.0 : 0.0,
                    k == 0 ? 1.0 : 0.0,
                    k == 0 ? "steel" : material);
            return text +
                   contact("soft",
                           fmt::format("bodies = \"*\"\nmaterials = [\"wood\", \"steel\"]\n"
                                       "restitution = {}",
                                       e)) +
                   contact("others", "bodies = \"*\"\nrestitution = 0.7") +
                   integrator("emm", 0.01, 0.3);
        };
        Simulation wood = model(balls("wood"));
        run_to_end(wood);
        CHECK(column(wood, "b1.vx") == near(0.5 * (1.0 + e), tolerance(1e-12)));
        CHECK(column(wood, "soft.impulse") > 0.0);
    }
    const auto warnings = [](const std::string& text) {
        return fmt::format("{}", fmt::join(model(text).statistics().warnings, "\n"));
    };
    const std::string one = contact("soft", "bodies = \"*\"\nmaterials = [\"wood\", \"steel\"]");
    CHECK(has(warnings(three(one)), "no contact is about \"wood\" and \"wood\""));
    CHECK(warnings(three(one + contact("rest", "bodies = \"*\""))).empty());
}

// Boxes that lie flat have a corner more than they need.
TEST_CASE("rows of a contact of many name the bodies between which they are") {
    std::string text = weight({0.0, 0.0, -kGravity});
    for (int k = 0; k < 3; ++k)
        text += fmt::format(
            "\n[[body]]\nname = \"crate{0}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\ninertia = "
            "[0.01, "
            "0.01, 0.01]\npenalty = inf\nposition = [{0}, 0, 0.1]\nshape = {{ box = [0.2, 0.2, "
            "0.2] "
            "}}\n",
            k);
    text += contact("all", "bodies = \"crate?\"\nplanes = [[0, 0, 1, 0]]" + law(0.0, 0.3));
    Simulation simulation = model(text + integrator("emm", 0.01, 0.1));
    const std::vector<std::string> redundant = simulation.analyse().redundant_rows;
    REQUIRE(redundant.size() == 3);
    for (std::size_t k = 0; k < redundant.size(); ++k) {
        CAPTURE(redundant[k]);
        CHECK(has(redundant[k], "constraint \"all\", gap"));
        CHECK(has(redundant[k], fmt::format("(\"crate{}\")", k)));
    }
}

TEST_CASE("events of a contact of many name the bodies that meet") {
    std::string text = weight({0.0, 0.0, -kGravity});
    for (int k = 0; k < 2; ++k)
        text += fmt::format(
            "\n[[body]]\nname = \"ball{}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\ninertia = "
            "[0.01, "
            "0.01, 0.01]\npenalty = inf\nposition = [0, 0, {}]\nshape = {{ sphere = 0.1 }}\n",
            k,
            k == 0 ? 0.2 : 0.6);
    text += contact("all", "bodies = \"*\"\nplanes = [[0, 0, 1, 0]]\nrestitution = 0");
    Simulation simulation = model(text + integrator("emm", 0.01, 0.3));
    run_to_end(simulation);
    std::vector<std::vector<std::string>> met;
    for (const ImpactEvent& event : simulation.impacts())
        if (event.kind == ImpactEvent::Kind::impact && event.loss > 0.1)
            met.push_back(event.bodies);
    REQUIRE(met.size() == 2);
    CHECK(met[0] == std::vector<std::string>{"ball0"});
    CHECK(met[1] == std::vector<std::string>{"ball0", "ball1"});
}

TEST_CASE("what is wrong with contacts of many is said in words") {
    const auto check = [](const std::string& more, const std::string& part) {
        const std::string text = refusal([&] {
            model(three(more));
        });
        CAPTURE(text);
        CHECK(has(text, part));
    };
    check(contact("c", "bodies = \"c*\""), "\"c*\" stands for no body");
    check(contact("c", "bodies = [\"b0\", \"b9\"]"),
          "\"b9\" stands for no body; bodies: b0, b1, b2");
    check(contact("c", "bodies = \"b0\""), "no pair");
    check(contact("c", "bodies = \"b*\"\nmaterials = \"steal\""), "did you mean \"steel\"");
    check(contact("c", "bodies = \"b*\"\nmaterials = [\"steel\", \"wood\", \"steel\"]"),
          "a pair has two");
    check(contact("c", "bodies = \"b*\"\nradius = 0.1"), "is about a contact of two");
    check(contact("c", "bodies = \"b*\"") + contact("d", "bodies = [\"b1\", \"b2\"]"),
          "a pair has one contact");
    check(kJoint + contact("c", "bodies = [\"b0\", \"b1\"]"), "joined by joints");
    check(contact("c", "bodies = \"b*\"\nplanes = [[0, 0, 0, 1]]"), "points nowhere");
    check(contact("c", "bodies = \"b*\"\nplanes = [[0, 0, 2, 0]]"),
          "\"b0\" and plane 1 overlap by 0.1 m at the start");
    check(contact("c", "bodies = []"), "names none");
    check(contact("c", "bodies = 5"), "expected");
    check(contact("c", "restitution = 0.5"), "give both bodies a and b");
    check(
        "\n[[body]]\nname = \"d\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
        "inertia = [1, 1, 1]\npenalty = inf\nposition = [0.25, 0.1, 0]\n"
        "shape = { box = [0.1, 0.1, 0.1] }\n" +
            contact("c", "bodies = \"*\""),
        "\"b1\" and \"d\" overlap by 0.0");
    check("\n[[body]]\nname = \"d\"\ntype = \"particle\"\nmass = 1.0\nposition = [9, 0, 0]\n" +
              contact("c", "bodies = [\"b0\", \"d\"]"),
          "body \"d\" has no shape");
    check(
        "\n[[body]]\nname = \"d\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
        "inertia = [1, 1, 1]\npenalty = inf\nposition = [9, 0, 0]\n"
        "shape = [{ sphere = 0.1 }, { sphere = 0.2 }]\n" +
            contact("c", "a = \"b0\"\nb = \"d\""),
        "has 2 shapes");
}

}  // namespace
}  // namespace ancora::testing
