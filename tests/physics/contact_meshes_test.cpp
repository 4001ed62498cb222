// SPDX-License-Identifier: BSD-3-Clause
// Contacts of meshes: against shapes whose gaps are known otherwise, and against themselves.
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "friction_models.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

Vec3 place(const Simulation& simulation, const std::string& start) {
    return {column(simulation, start + "x"),
            column(simulation, start + "y"),
            column(simulation, start + "z")};
}

struct Mesh {
    std::vector<Vec3> nodes;
    std::vector<std::array<int, 3>> triangles;

    std::string text() const {
        std::string x, t;
        for (const Vec3& node : nodes) x += triple(node) + ", ";
        for (const std::array<int, 3>& c : triangles)
            t += fmt::format("[{}, {}, {}], ", c[0], c[1], c[2]);
        return "nodes = [" + x + "], triangles = [" + t + "]";
    }
};

/// Squares of the plane with a height each, cut along either diagonal.
template <class Height>
Mesh terrain(int count, double edge, const Height& height) {
    Mesh out;
    for (int j = 0; j <= count; ++j)
        for (int i = 0; i <= count; ++i) {
            const double x = edge * (i - 0.5 * count), y = edge * (j - 0.5 * count);
            out.nodes.emplace_back(x, y, height(x, y));
        }
    for (int j = 0; j < count; ++j)
        for (int i = 0; i < count; ++i) {
            const int a = j * (count + 1) + i, b = a + 1, c = a + count + 1, d = c + 1;
            if ((i + j) % 2 == 0) {
                out.triangles.push_back({a, b, d});
                out.triangles.push_back({a, d, c});
            } else {
                out.triangles.push_back({a, b, c});
                out.triangles.push_back({b, d, c});
            }
        }
    return out;
}

Mesh plane_of(int count, double edge) {
    return terrain(count, edge, [](double, double) {
        return 0.0;
    });
}

Mesh box_mesh(const Vec3& size) {
    Mesh out;
    for (int k = 0; k < 8; ++k)
        out.nodes.emplace_back(
            0.5 * size.cwiseProduct(Vec3(
                      k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0)));
    out.triangles = {{0, 2, 1},
                     {1, 2, 3},
                     {4, 5, 6},
                     {5, 7, 6},
                     {0, 1, 4},
                     {1, 5, 4},
                     {2, 6, 3},
                     {3, 6, 7},
                     {0, 4, 2},
                     {2, 4, 6},
                     {1, 3, 5},
                     {3, 7, 5}};
    return out;
}

std::string meets(const std::string& type, const std::string& keys, double e, double mu) {
    return fmt::format("\n[[constraint]]\nname = \"c\"\ntype = \"{}\"\n{}\nrestitution = {:.17g}\n",
                       type,
                       keys,
                       e) +
           (mu > 0.0 ? fmt::format("friction = {:.17g}\n", mu) : std::string());
}

std::string rigid(const std::string& name,
                  double mass,
                  const Vec3& inertia,
                  const Vec3& x,
                  const Mat3& R,
                  const Vec3& v,
                  const Vec3& w) {
    const Eigen::Quaterniond q(R);
    return fmt::format(
        "\n[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = {:.17g}\ninertia = {}\n"
        "penalty = inf\nposition = {}\nvelocity = {}\nangular_velocity = {}\n"
        "orientation = [{:.17g}, {:.17g}, {:.17g}, {:.17g}]\n",
        name,
        mass,
        triple(inertia),
        triple(x),
        triple(v),
        triple(w),
        q.w(),
        q.x(),
        q.y(),
        q.z());
}

std::string rolling_ball(const Vec3& x, const Vec3& v) {
    return rigid("ball", 2.0, Vec3::Constant(0.4 * 2.0 * 0.01), x, Mat3::Identity(), v, {});
}

void check_balances(const Simulation& simulation, double steps) {
    const RunStatistics statistics = simulation.statistics();
    CHECK(statistics.energy.max_rel <= rounding_bound(steps));
    CHECK(statistics.momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.angular_momentum.max_rel <= rounding_bound(steps));
    CHECK(statistics.impacts.least_gap >= -tolerance(1e-13));
}

const Mat3 kUpright = Mat3::Identity();

TEST_CASE("a ball on a plane of triangles rolls as on the plane, over edges without a bump") {
    const Mesh flat = plane_of(8, 0.25);
    for (const double mu : {0.0, 0.4})
        for (const double drop : {0.0, 0.2}) {
            CAPTURE(mu);
            CAPTURE(drop);
            const std::string start = weight({0.3, 0.1, -kGravity}) +
                                      rolling_ball({-0.9, -0.77, 0.1 + drop}, {1.3, 1.0, 0.0}) +
                                      integrator("emm", 0.01, 1.0);
            Simulation plane = model(start + meets("contact",
                                                   "a = \"ball\"\nb = \"ground\"\nradius = 0.1\n"
                                                   "plane = { normal = [0, 0, 1] }",
                                                   0.5,
                                                   mu));
            Simulation mesh = model(start + meets("mesh_contact",
                                                  "a = \"ball\"\nb = \"ground\"\nradius = 0.1\n"
                                                  "shape_b = { " +
                                                      flat.text() + " }",
                                                  0.5,
                                                  mu));
            run_to_end(plane);
            run_to_end(mesh);
            check_balances(mesh, 200.0);
            CHECK((place(plane, "ball.") - place(mesh, "ball.")).norm() <= tolerance(1e-11));
            CHECK((place(plane, "ball.w") - place(mesh, "ball.w")).norm() <= tolerance(1e-10));
            CHECK(mesh.statistics().impacts.count == plane.statistics().impacts.count);
            CHECK(column(mesh, "work.impacts") ==
                  near(column(plane, "work.impacts"), tolerance(1e-11)));
        }
}

TEST_CASE("a point without a radius meets triangles in a plane as the plane") {
    const std::string both = "a = \"p\"\nb = \"ground\"\nradius = 0.0\n";
    for (const double drop : {0.0, 0.2}) {
        const std::string start =
            weight({0.3, 0.1, -kGravity}) + "\n[[body]]\nname = \"p\"\n" +
            "type = \"particle\"\nmass = 2.0\nposition = " + triple({-0.9, -0.77, drop}) +
            "\nvelocity = [1.3, 1.0, 0.0]\n" + integrator("emm", 0.01, 1.0);
        Simulation plane =
            model(start + meets("contact", both + "plane = { normal = [0, 0, 1] }", 0.5, 0.3));
        Simulation mesh = model(
            start +
            meets(
                "mesh_contact", both + "shape_b = { " + plane_of(8, 0.25).text() + " }", 0.5, 0.3));
        run_to_end(plane);
        run_to_end(mesh);
        check_balances(mesh, 200.0);
        CHECK((place(plane, "p.") - place(mesh, "p.")).norm() <= tolerance(1e-11));
        CHECK(mesh.statistics().impacts.count == plane.statistics().impacts.count);
    }
}

/// With the same start, by gaps of `contact` and of meshes.
void check_alike(const std::string& start,
                 const std::string& keys,
                 const std::string& mesh_keys,
                 double e,
                 double mu,
                 double within) {
    Simulation known = model(start + meets("contact", keys, e, mu));
    Simulation mesh = model(start + meets("mesh_contact", mesh_keys, e, mu));
    run_to_end(known);
    run_to_end(mesh);
    check_balances(mesh, 400.0);
    CHECK(mesh.statistics().impacts.count > 0);
    for (const char* const of : {"a.", "a.v", "a.w"})
        CHECK((place(known, of) - place(mesh, of)).norm() <= tolerance(within));
    CHECK(column(mesh, "work.impacts") == near(column(known, "work.impacts"), tolerance(within)));
}

const Mat3 kTilted = Eigen::Quaterniond(0.9, 0.1, 0.3, 0.2).normalized().toRotationMatrix();

TEST_CASE("far from the origin a ball slides on triangles as near it") {
    const Mat3 R = Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    const std::string mesh =
        plane_of(8, 0.25).text() + ", orientation = { axis = [1, 2, 3], angle = 0.8 }";
    const auto end = [&](const Vec3& from) {
        Simulation simulation =
            model(weight(R * Vec3(0.3, 0.1, -kGravity)) +
                  rolling_ball(from + R * Vec3(-0.9, -0.77, 0.1), R * Vec3(1.3, 1.0, 0.0)) +
                  integrator("emm", 0.01, 1.0) +
                  meets("mesh_contact",
                        "a = \"ball\"\nb = \"ground\"\nradius = 0.1\nshape_b = { position = " +
                            triple(from) + ", " + mesh + " }",
                        0.5,
                        0.0));
        run_to_end(simulation);
        return Vec3(place(simulation, "ball.") - from);
    };
    CHECK((end({300, -500, 1000}) - end(Vec3::Zero())).norm() <= tolerance(1e-9));
}

TEST_CASE("boxes, capsules and meshes on a plane of triangles, and a mesh on a plane") {
    const std::string flat = "shape_b = { " + plane_of(5, 0.3).text() + " }";
    const std::string both = "a = \"a\"\nb = \"ground\"\n";
    const std::string plane = "plane = { normal = [0, 0, 1] }";
    const Vec3 size(0.3, 0.2, 0.15);
    const std::string box = "shape = { box = " + triple(size) + " }\n";
    const std::string mesh = "shape = { " + box_mesh(size).text() + " }\n";
    const std::string capsule =
        "shape = { capsule = { radius = 0.06, from = [-0.1, 0, 0], to = [0.1, 0, 0] } }\n";
    const std::string start = weight({0.0, 0.0, -kGravity}) +
                              rigid("a",
                                    2.0,
                                    {0.0104, 0.01875, 0.0217},
                                    {-0.2, -0.1, 0.3},
                                    kTilted,
                                    {0.8, 0.5, 0.0},
                                    {1.0, 2.0, -1.0}) +
                              integrator("emm", 0.004, 0.4);
    check_alike(start, both + box + plane, both + box + flat, 0.3, 0.3, 1e-7);
    check_alike(start, both + box + plane, both + mesh + plane, 0.3, 0.0, 1e-9);
    check_alike(start, both + capsule + plane, both + capsule + flat, 0.3, 0.3, 1e-9);
}

TEST_CASE("a ball leaves a box of triangles over its edges as it leaves the box") {
    const Vec3 size(0.5, 0.4, 0.3);
    const std::string both = "a = \"a\"\nb = \"b\"\nradius = 0.07\n";
    for (const double mu : {0.0, 0.5}) {
        CAPTURE(mu);
        const std::string start = weight({0.0, 0.0, -kGravity}) +
                                  rigid("a",
                                        1.0,
                                        Vec3::Constant(0.00196),
                                        {0.1, 0.03, 0.23},
                                        kUpright,
                                        {0.5, 0.2, 0.0},
                                        {}) +
                                  rigid("b",
                                        5.0,
                                        {0.104, 0.142, 0.17},
                                        Vec3::Zero(),
                                        kUpright,
                                        {0.0, 0.0, 0.3},
                                        {0.2, 0.5, 0.3}) +
                                  integrator("emm", 0.005, 0.5);
        check_alike(start,
                    both + "shape_b = { box = " + triple(size) + " }",
                    both + "shape_b = { " + box_mesh(size).text() + " }",
                    0.5,
                    mu,
                    1e-9);
    }
}

TEST_CASE("two meshes of boxes meet as boxes do") {
    const Vec3 size(0.3, 0.2, 0.15), other(0.25, 0.3, 0.2);
    const std::string both = "a = \"a\"\nb = \"b\"\n";
    const std::string start = weight({0.0, 0.0, 0.0}) +
                              rigid("a",
                                    2.0,
                                    {0.0104, 0.01875, 0.0217},
                                    {0.0, 0.05, 0.4},
                                    kTilted,
                                    {0.0, 0.0, -2.0},
                                    {1.0, 2.0, -1.0}) +
                              rigid("b",
                                    3.0,
                                    {0.0325, 0.0256, 0.0381},
                                    Vec3::Zero(),
                                    kUpright,
                                    {0.0, 0.0, 0.3},
                                    {0.2, 0.5, 0.3}) +
                              integrator("emm", 0.004, 0.4);
    check_alike(
        start,
        both + "shape = { box = " + triple(size) + " }\nshape_b = { box = " + triple(other) + " }",
        both + "shape = { " + box_mesh(size).text() + " }\nshape_b = { " + box_mesh(other).text() +
            " }",
        0.5,
        0.2,
        1e-9);
}

/// In a groove with sides that rise by 0.6 a ball touches both at rest: its centre is
/// R sqrt(1 + 0.36) above the bottom, each side bears m g sqrt(1 + 0.36) / 2.
TEST_CASE("a ball in a groove rests on both sides") {
    const Mesh groove = terrain(4, 0.5, [](double x, double) {
        return 0.6 * std::abs(x);
    });
    Simulation simulation = model(
        weight({0.0, 0.0, -kGravity}) + rolling_ball({0.2, 0.1, 0.4}, Vec3::Zero()) +
        integrator("emm", 0.01, 3.0) +
        meets("mesh_contact",
              "a = \"ball\"\nb = \"ground\"\nradius = 0.1\nshape_b = { " + groove.text() + " }",
              0.2,
              0.1));
    run_to_end(simulation);
    check_balances(simulation, 600.0);
    CHECK(column(simulation, "ball.z") == near(0.1 * std::sqrt(1.36), tolerance(1e-12)));
    CHECK(column(simulation, "ball.x") == near(0.0, tolerance(1e-12)));
    CHECK(column(simulation, "ball.vx") == near(0.0, tolerance(1e-12)));
}

/// A cup has a hollow that its convex hull has not: what falls in lies on the floor within.
TEST_CASE("a ball falls into a cup and stays there") {
    // A block with a square pit: outer corners 0 to 7, those of the pit 8 to 15.
    Mesh cup = box_mesh({0.6, 0.6, 0.4});
    for (int k = 0; k < 8; ++k)
        cup.nodes.emplace_back(
            k % 2 == 0 ? -0.2 : 0.2, k / 2 % 2 == 0 ? -0.2 : 0.2, k < 4 ? 0.0 : 0.2);
    cup.triangles.erase(cup.triangles.begin() + 2, cup.triangles.begin() + 4);  // its top
    // The pit: its floor and its walls, seen from within, and the rim
    for (std::size_t k = 0, count = cup.triangles.size(); k < count; ++k) {
        const std::array<int, 3> t = cup.triangles[k];
        cup.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
    }
    const int rim[] = {4, 5, 7, 6, 4};
    for (std::size_t k = 0; k < 4; ++k) {
        cup.triangles.push_back({rim[k], rim[k + 1], rim[k] + 8});
        cup.triangles.push_back({rim[k + 1], rim[k + 1] + 8, rim[k] + 8});
    }
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) + rolling_ball({0.09, 0.05, 0.5}, {0.3, 0.2, 0.0}) +
              integrator("emm", 0.01, 3.0) +
              meets("mesh_contact",
                    "a = \"ball\"\nb = \"ground\"\nradius = 0.1\nshape_b = { " + cup.text() + " }",
                    0.4,
                    0.3));
    run_to_end(simulation);
    check_balances(simulation, 600.0);
    CHECK(column(simulation, "ball.z") == near(0.1, tolerance(1e-12)));
    CHECK(std::abs(column(simulation, "ball.x")) <= 0.1 + tolerance(1e-12));
    CHECK(std::abs(column(simulation, "ball.y")) <= 0.1 + tolerance(1e-12));
}

/// Without friction it slides from one plane to the next along parabolas, which all these methods
/// have exactly: ends agree whatever the step, if nothing is amiss where triangles meet.
TEST_CASE("a ball in a bowl of triangles, against halved steps and other methods") {
    const Mesh bowl = terrain(8, 0.25, [](double x, double y) {
        return 0.4 * (x * x + y * y);
    });
    const auto end = [&](const std::string& method, double mu) {
        Simulation simulation = model(
            weight({0.0, 0.0, -kGravity}) + rolling_ball({0.6, 0.1, 0.31}, {0.0, 0.6, 0.0}) +
            method +
            meets("mesh_contact",
                  "a = \"ball\"\nb = \"ground\"\nradius = 0.1\nshape_b = { " + bowl.text() + " }",
                  0.0,
                  mu));
        run_to_end(simulation);
        CHECK(simulation.statistics().energy.max_rel <= rounding_bound(800.0));
        CHECK(simulation.statistics().impacts.count > 5);
        return place(simulation, "ball.");
    };
    const Vec3 first = end(integrator("emm", 0.01, 0.8), 0.0);
    CHECK((end(integrator("emm", 0.0025, 0.8), 0.0) - first).norm() <= tolerance(1e-12));
    CHECK(
        (end(integrator("emm", 0.01, 0.8) + "[integrator.emm]\norder = 4\n", 0.0) - first).norm() <=
        tolerance(1e-12));
    CHECK((end(integrator("rk4", 0.005, 0.8), 0.0) - first).norm() <= tolerance(1e-12));
    // With friction it rolls: of second order, but for what comes of events.
    const Vec3 rough = end(integrator("emm", 0.01, 0.8), 0.3);
    const Vec3 fine = end(integrator("emm", 0.0025, 0.8), 0.3);
    const Vec3 finest = end(integrator("emm", 0.000625, 0.8), 0.3);
    CHECK((rough - first).norm() > 0.1);
    CHECK((rough - fine).norm() <= 1e-5);
    CHECK((fine - finest).norm() <= 0.25 * (rough - fine).norm());
}

/// At 900 m/s, nine metres a step, it comes back from the surface as if steps were short.
TEST_CASE("nothing passes a surface, however fast") {
    const Mesh square = plane_of(2, 1.0);
    Simulation simulation = model(
        rolling_ball({0.1, 0.2, 5.0}, {0.0, 0.0, -900.0}) + integrator("emm", 0.01, 0.02) +
        meets("mesh_contact",
              "a = \"ball\"\nb = \"ground\"\nradius = 0.1\nshape_b = { " + square.text() + " }",
              1.0,
              0.0));
    run_to_end(simulation);
    CHECK(column(simulation, "ball.z") == near(18.0 - 4.9 + 0.1, tolerance(1e-12)));
    CHECK(column(simulation, "ball.vz") == near(900.0, tolerance(1e-11)));
    CHECK(simulation.statistics().impacts.count == 1);
}

TEST_CASE("a box tumbles over hills without penetration") {
    const Mesh hills = terrain(8, 0.25, [](double x, double y) {
        return 0.1 * std::sin(4.0 * x) * std::cos(3.0 * y);
    });
    Simulation simulation =
        model(weight({0.0, 0.0, -kGravity}) +
              rigid("a",
                    2.0,
                    {0.0104, 0.01875, 0.0217},
                    {-0.3, -0.2, 0.4},
                    kTilted,
                    {0.8, 0.5, 0.0},
                    {1.0, 2.0, -1.0}) +
              integrator("emm", 0.005, 0.7) +
              meets("mesh_contact",
                    "a = \"a\"\nb = \"ground\"\nshape = { box = [0.3, 0.2, 0.15] }\nshape_b = { " +
                        hills.text() + " }",
                    0.2,
                    0.5));
    run_to_end(simulation);
    check_balances(simulation, 500.0);
    CHECK(simulation.statistics().impacts.count > 4);
}

TEST_CASE("bad meshes are refused in words") {
    const auto refused = [](const std::string& mesh, double height = 1.0) {
        return refusal([&] {
            model(rolling_ball({0.3, 0.2, height}, Vec3::Zero()) + integrator("emm", 0.01, 1.0) +
                  meets("mesh_contact",
                        "a = \"ball\"\nb = \"ground\"\nradius = 0.1\nshape_b = { " + mesh + " }",
                        0.0,
                        0.0));
        });
    };
    const std::string nodes = "nodes = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [1, 1, 0]], ";
    const auto triangles = [&](const std::string& rows) {
        return refused(nodes + "triangles = [" + rows + "]");
    };
    CHECK(has(triangles("[0, 1, 5]"), "triangle 0 names node 5, and the 5 nodes count from 0"));
    CHECK(has(triangles("[0, 1, -1]"), "triangle 0 names node -1"));
    CHECK(has(triangles("[0, 1, 2.5]"), "triangle 0 names a node by what is no whole number"));
    CHECK(has(triangles("[0, 1, 2], [1, 4, 1]"), "triangle 1 has node 1 twice"));
    CHECK(has(triangles("[0, 1, 2], [0, 1, 3]"), "triangle 1 has no area"));
    CHECK(has(triangles("[0, 1, 2], [1, 2, 4]"), "go along their edge between nodes 1 and 2"));
    CHECK(has(refused("nodes = [[0, 0, 0], [1, 0, nan], [0, 1, 0]], triangles = [[0, 1, 2]]"),
              "nan"));
    CHECK(has(refused("nodes = [[0, 0, 0]]"), "stands alone: a mesh has nodes and triangles"));
    CHECK(has(refused(box_mesh({1.0, 1.0, 1.0}).text() + ", box = [1, 1, 1]"),
              "stands beside a mesh"));
    Mesh inside_out = box_mesh({1.0, 1.0, 1.0});
    for (std::array<int, 3>& t : inside_out.triangles) std::swap(t[1], t[2]);
    CHECK(has(refused(inside_out.text()), "is inside out"));
    const std::string square =
        "nodes = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], triangles = [[1, 3, 2], [0, 1, 2]]";
    CHECK(has(refused(square, 0.07), "overlaps triangle 1 of b by 0.03 m at the start"));
    CHECK(has(refused(square, -0.2), "counter-clockwise seen from in front"));
    CHECK(has(refused(square, 0.1), "nothing was thrown"));
    CHECK(has(refused("box = [1, 1, 1]"), "has no mesh, and neither has b"));
    CHECK(has(triangles("[0, 1, 2], [2, 1, 4]"), "node 3 is in no triangle"));
    const auto of_shape = [&](const std::string& shape, const Vec3& x, const std::string& mesh) {
        return refusal([&] {
            model(rolling_ball(x, Vec3::Zero()) + integrator("emm", 0.01, 1.0) +
                  meets("mesh_contact",
                        "a = \"ball\"\nb = \"ground\"\nshape = { " + shape + " }\nshape_b = { " +
                            mesh + " }",
                        0.0,
                        0.0));
        });
    };
    const std::string small = box_mesh({0.1, 0.1, 0.1}).text();
    const std::string tetrahedron =
        "nodes = [[0, 0, 0], [10, 0, 0], [0, 10, 0], [0, 0, 10]], "
        "triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]";
    CHECK(has(of_shape("box = [1, 1, 1]", {2, 2, 2}, tetrahedron), "of b by 1.5 m at the start"));
    CHECK(has(of_shape("box = [2, 2, 2]", {0, 0, 0}, small), "overlaps b by 0.95 m at the start"));
    CHECK(has(of_shape(small, {1, 1, 1}, tetrahedron), "of b by 0.95 m at the start"));
    CHECK(has(of_shape("box = [1, 1, 1e-9]", {0, 0, 3}, square), "is too thin"));
    CHECK(has(refusal([&] {
                  model(rolling_ball({0.3, 0.2, 1.0}, Vec3::Zero()) + integrator("emm", 0.01, 1.0) +
                        meets("mesh_contact",
                              "a = \"ball\"\nb = \"ground\"\nshape = { cylinder = { radius = 0.1, "
                              "from = [0, 0, 0], to = [0, 0, 0.1] } }\nshape_b = { " +
                                  square + " }",
                              0.0,
                              0.0));
              }),
              "is a cylinder, which meets no mesh"));
}

}  // namespace
}  // namespace ancora::testing
