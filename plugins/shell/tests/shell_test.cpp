// SPDX-License-Identifier: BSD-3-Clause
// Tests of the body type `shell`: rows, mass, surfaces, materials and messages.
#include "shell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <doctest/doctest.h>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/testing/row_errors.hpp"
#include "chords.hpp"
#include "material.hpp"
#include "support/mesh_file.hpp"
#include "support/near.hpp"
#include "support/plugin_body.hpp"
#include "surface.hpp"

namespace {

using ancora::Vec3;
using ancora::shell::build_rest;
using ancora::shell::build_surface;
using ancora::shell::Material;
using ancora::shell::read_material;
using ancora::shell::stretch_of_chords;
using ancora::shell::Surface;
using ancora::test::FakeArguments;
using ancora::testing::make;
using ancora::testing::Near;
using ancora::testing::refusal;
using ancora::testing::schema;
using ancora::testing::tolerance;

FakeArguments material() {
    FakeArguments arguments = schema();
    arguments.set("young", 2e6).set("poisson", 0.3).set("thickness", 0.05).set("density", 1500.0);
    return arguments;
}
/// Two elements of a warped surface.
FakeArguments listed() {
    FakeArguments arguments = material();
    arguments.set_matrix("nodes",
                         3,
                         {0.0,
                          0.0,
                          0.0,
                          1.0,
                          0.1,
                          0.0,
                          1.1,
                          1.2,
                          -0.1,
                          0.2,
                          0.9,
                          0.1,
                          2.0,
                          0.0,
                          0.2,
                          2.1,
                          1.0,
                          0.1});
    arguments.set_matrix("quads", 4, {0, 1, 2, 3, 1, 2, 5, 4});
    return arguments;
}
FakeArguments square(int count) {
    FakeArguments arguments = material();
    arguments.set_table("grid")
        .set("counts", {count + 1.0, count + 1.0})
        .set("spacing", {1.0 / count, 2.0 / count});
    return arguments;
}
double energy_of(const ancora::Body& body, const std::vector<double>& q) {
    double out = 0.0;
    for (std::size_t block = 0; block < 2; ++block) {
        const ancora::RowBlock& rows = body.row_blocks()[block];
        std::vector<double> pi(std::size_t(rows.num_items * rows.rows_per_item));
        body.evaluate(int(block), {q, q}, {pi, {}, {}, {}});
        for (std::size_t k = 0; k < pi.size(); ++k)
            out += 0.5 * pi[k] * pi[k] / rows.laws[k].compliance;
    }
    return out;
}

}  // namespace

TEST_SUITE("shell") {
    TEST_CASE("rows, rates and tangents are those of the differences") {
        FakeArguments framed = listed();
        framed.set("frames", {0.0, 5.0}).set("damping", 0.1);
        for (const FakeArguments& arguments : {listed(), framed, square(2)}) {
            const auto body = make(arguments);
            const std::size_t n = body->coordinates().size();
            std::vector<double> q(n), v(n);
            body->start(q, v);
            for (std::size_t block = 0; block < body->row_blocks().size(); ++block) {
                const ancora::RowBlock& rows = body->row_blocks()[block];
                std::vector<double> pi(std::size_t(rows.num_items * rows.rows_per_item));
                body->evaluate(int(block), {q, v}, {pi, {}, {}, {}});
                for (const double x : pi) CHECK(std::abs(x) <= tolerance(1e-14));
            }
            std::mt19937 random(5);
            std::uniform_real_distribution<double> uniform(-0.3, 0.3);
            for (double& x : q) x += uniform(random);
            for (double& x : v) x = uniform(random);
            for (int block = 0; block < int(body->row_blocks().size()); ++block) {
                CAPTURE(block);
                const auto errors = ancora::test::row_errors(*body, block, q, v);
                CHECK(errors.jacobian <= tolerance(1e-8));
                CHECK(errors.bias <= tolerance(1e-7));
                CHECK(errors.discrete <= tolerance(1e-13));
                CHECK(errors.tangent <= tolerance(1e-8));
            }
        }
    }

    // A homogeneous stretch and a cylinder: U = A/2 (N_ab eps_ab) and U = A/2 (M kappa), by hand
    TEST_CASE("patches: the energy of a stretch, of a shear and of a bend is exact") {
        const double E = 2e6, nu = 0.3, t = 0.05, area = 2.0;
        const auto body = make(square(3));
        const std::size_t n = body->coordinates().size();
        std::vector<double> start(n), v(n);
        body->start(start, v);
        const auto moved = [&](auto point, auto director) {
            std::vector<double> q = start;
            for (std::size_t i = 0; i < n; i += 6) {
                const double x = start[i], y = start[i + 1];
                const Vec3 r = point(x, y), d = director(x, y);
                std::copy_n(r.data(), 3, q.data() + i);
                std::copy_n(d.data(), 3, q.data() + i + 3);
            }
            return q;
        };
        const auto up = [](double, double) {
            return Vec3(0.0, 0.0, 1.0);
        };
        const double a = 0.02, b = -0.01, c = 0.03;
        const auto stretched = [&](double x, double y) {
            return Vec3((1.0 + a) * x + c * y, (1.0 + b) * y, 0.0);
        };
        const double e1 = 0.5 * ((1.0 + a) * (1.0 + a) - 1.0),
                     e2 = 0.5 * (c * c + (1.0 + b) * (1.0 + b) - 1.0), g = (1.0 + a) * c;
        const double plane = E * t / (1.0 - nu * nu);
        CHECK(energy_of(*body, moved(stretched, up)) ==
              Near(0.5 * area * plane *
                       (e1 * e1 + e2 * e2 + 2.0 * nu * e1 * e2 + 0.5 * (1.0 - nu) * g * g),
                   1e-10));
        const auto flat = [](double x, double y) {
            return Vec3(x, y, 0.0);
        };
        // Directors alone: phi,1.d,1 = k_1 and so on, with no more than rounding of shear left out
        const double k1 = 0.02, k2 = -0.01, k12 = 0.015;
        const double D = plane * t * t / 12.0;
        const auto bent = [&](double x, double y) {
            return Vec3(k1 * x + k12 * y, k12 * x + k2 * y, 1.0);
        };
        const double bending =
            0.5 * area * D *
            (k1 * k1 + k2 * k2 + 2.0 * nu * k1 * k2 + 0.5 * (1.0 - nu) * 4.0 * k12 * k12);
        // w = -(k1 x^2 / 2 + k12 x y + k2 y^2 / 2) has no shear at the sides' middles; its own
        // stretch is of higher order, so that halving it all quarters what is left
        const auto plate = [&](double size) {
            const auto bowl = [&](double x, double y) {
                return Vec3(x, y, -size * (0.5 * k1 * x * x + k12 * x * y + 0.5 * k2 * y * y));
            };
            const auto normal = [&](double x, double y) -> Vec3 {
                const Vec3 d = bent(x, y);
                return Vec3(size * d(0), size * d(1), 1.0);
            };
            return energy_of(*body, moved(bowl, normal)) / (size * size);
        };
        CHECK(plate(3e-4) == Near(bending, 1e-6 * bending));
        // Directors that turn as one: shear alone, kappa = 5/6
        const double s1 = 0.01, s2 = -0.02;
        CHECK(
            energy_of(*body,
                      moved(flat,
                            [&](double, double) {
                                return Vec3(s1, s2, 1.0);
                            })) ==
            Near(0.5 * area * 5.0 / 6.0 * t * E / (2.0 * (1.0 + nu)) * (s1 * s1 + s2 * s2), 1e-10));
    }

    // On a cylinder of radius R and on a sphere normals are radii, at rims and corners too
    TEST_CASE("normals of curved surfaces") {
        const double R = 2.0;
        for (const bool is_sphere : {false, true})
            for (const bool is_strip : {false, true}) {
                CAPTURE(is_sphere);
                CAPTURE(is_strip);
                const int nx = 7, ny = is_strip ? 2 : 5;
                std::vector<double> nodes, quads;
                for (int j = 0; j < ny; ++j)
                    for (int i = 0; i < nx; ++i) {
                        const double a = 0.15 * i - 0.3, b = 0.1 * j;
                        const double r = is_sphere ? R * std::cos(b) : R;
                        nodes.insert(
                            nodes.end(),
                            {r * std::sin(a), is_sphere ? R * std::sin(b) : b, r * std::cos(a)});
                        if (i > 0 && j > 0)
                            quads.insert(quads.end(),
                                         {(j - 1.0) * nx + i - 1,
                                          (j - 1.0) * nx + i,
                                          1.0 * j * nx + i,
                                          1.0 * j * nx + i - 1});
                    }
                FakeArguments arguments = material();
                arguments.set_matrix("nodes", 3, nodes).set_matrix("quads", 4, quads);
                const auto body = make(arguments);
                std::vector<double> q(body->coordinates().size()), v(q.size());
                body->start(q, v);
                // Across a strip of one element a sphere's curvature is not seen
                const double error = is_sphere ? (is_strip ? 0.06 : 2e-3) : 1e-12;
                for (std::size_t k = 0; k < q.size(); k += 6) {
                    const ancora::Vec3 r(q[k], is_sphere ? q[k + 1] : 0.0, q[k + 2]);
                    const ancora::Vec3 d(q[k + 3], q[k + 4], q[k + 5]);
                    CHECK(d.cross(r.normalized()).norm() <= tolerance(error));
                }
            }
    }

    // A flat sheet of nu = 0 that starts on a cylinder: U = A/2 E t^3/12 / R^2 (1 + O(h^2))
    TEST_CASE("a rest shape of its own: energy of what is rolled, none of what is moved") {
        const double R = 0.8, t = 0.02, E = 2e6;
        std::array<double, 2> errors{};
        for (const std::size_t trial : {0, 1}) {
            const int n = trial == 0 ? 12 : 24;
            FakeArguments rolled = material();
            std::vector<double> nodes, quads;
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i <= n; ++i) {
                    const double a = 1.0 * i / n / R;
                    const double r = 0.5 / n / std::sin(0.5 / n / R);  // chords of length 1/n
                    nodes.insert(nodes.end(), {r * std::sin(a), 0.1 * j, r * (1.0 - std::cos(a))});
                    if (i > 0 && j > 0)
                        quads.insert(quads.end(),
                                     {(j - 1.0) * (n + 1) + i - 1,
                                      (j - 1.0) * (n + 1) + i,
                                      1.0 * j * (n + 1) + i,
                                      1.0 * j * (n + 1) + i - 1});
                }
            rolled.set("poisson", 0.0).set("thickness", t).set("young", E);
            rolled.set_matrix("nodes", 3, nodes).set_matrix("quads", 4, quads);
            FakeArguments flat = rolled;
            flat.set_table("rest")
                .set_table("grid")
                .set("counts", {n + 1.0, 3.0})
                .set("spacing", {1.0 / n, 0.1})
                .set("origin", {4.0, 5.0, 6.0})
                .set_matrix("directions", 3, {0, 1, 0, 0, 0, 1});
            const auto body = make(flat);
            std::vector<double> q(body->coordinates().size()), v(q.size());
            body->start(q, v);
            const double exact = 0.5 * 0.2 * E * t * t * t / 12.0 / (R * R);
            errors[trial] = energy_of(*body, q) / exact - 1.0;
            // At rest as it starts, and rest given elsewhere
            for (double& x : nodes) x += 1.0;
            FakeArguments moved = rolled;
            moved.set_table("rest").set_matrix("nodes", 3, nodes);
            CHECK(energy_of(*make(moved), q) <= tolerance(1e-24) * exact);
            CHECK(energy_of(*make(rolled), q) == Near(0.0, 1e-24));
        }
        CAPTURE(errors[0]);
        CAPTURE(errors[1]);
        CHECK(std::abs(errors[1]) < 1e-3);
        CHECK(errors[0] / errors[1] == Near(4.0, 0.5));

        FakeArguments other = listed();
        other.set_table("rest").set_table("grid").set("counts", {2, 2}).set("spacing", {1, 1});
        CHECK(refusal(other) ==
              "rest: the rest shape has 4 nodes, the start has 6; both are to be one shell, with "
              "the same numbers");
        other.set_table("rest").set_table("grid").set("counts", {3, 2}).set("spacing", {1, 1});
        CHECK(
            refusal(other) ==
            "rest: element 0 joins nodes 0, 1, 4, 3 at rest, and 0, 1, 2, 3 at the start; both are "
            "to be one shell, with the same numbers");
        other = listed();
        other.set_table("rest");
        CHECK(refusal(other) ==
              "rest: a rest shape has one of the keys \"nodes\", \"grid\" and \"mesh\"");
    }

    // Nodes on an arc are nearer to each other than on the flat sheet: h^2 / (24 R^2)
    TEST_CASE("a warning where a rolled start is stretched by the chords of its elements") {
        const auto warning = [](double thickness, double factor, double stretch) {
            constexpr double kR = 0.8;
            constexpr int n = 8;
            std::vector<double> nodes, quads;
            for (int j = 0; j < 2; ++j)
                for (int i = 0; i <= n; ++i) {
                    const double a = 1.0 * i / n / kR, r = factor * kR * (1.0 + stretch);
                    nodes.insert(nodes.end(), {r * std::sin(a), 0.1 * j, r * (1.0 - std::cos(a))});
                    if (i > 0 && j > 0)
                        quads.insert(quads.end(),
                                     {i - 1.0, 1.0 * i, 1.0 * (n + 1 + i), 1.0 * (n + i)});
                }
            FakeArguments rolled = material();
            rolled.set("poisson", 0.0).set("thickness", thickness);
            rolled.set_matrix("nodes", 3, nodes).set_matrix("quads", 4, quads);
            rolled.set_table("rest")
                .set_table("grid")
                .set("counts", {n + 1.0, 2.0})
                .set("spacing", {1.0 / n, 0.1});
            const Surface start = build_surface(rolled);
            return stretch_of_chords(start, build_rest(rolled, start), thickness);
        };
        const double on_circle = 0.5 / 8 / 0.8 / std::sin(0.5 / 8 / 0.8);
        // 12 (h^2 / (24 R t))^2 = 0.0795 at t = 10 mm
        CHECK(warning(0.01, 1.0, 0.0).find("the start has 0.079") != std::string::npos);
        CHECK(warning(0.01, on_circle, 0.0).empty());
        CHECK(warning(0.2, 1.0, 0.0).empty());    // far below the bending
        CHECK(warning(0.01, 1.0, 0.02).empty());  // pulled on purpose
    }

    TEST_CASE("a sheet written as a laminate is the sheet") {
        const double E = 2e6, nu = 0.3, t = 0.05;
        FakeArguments laminated = schema();
        laminated.set_matrix("nodes",
                             3,
                             {0.0,
                              0.0,
                              0.0,
                              1.0,
                              0.1,
                              0.0,
                              1.1,
                              1.2,
                              -0.1,
                              0.2,
                              0.9,
                              0.1,
                              2.0,
                              0.0,
                              0.2,
                              2.1,
                              1.0,
                              0.1});
        laminated.set_matrix("quads", 4, {0, 1, 2, 3, 1, 2, 5, 4});
        std::vector<double> ABD(36, 0.0);
        for (int part : {0, 1}) {
            const double scale = E / (1.0 - nu * nu) * (part == 0 ? t : t * t * t / 12.0);
            const auto put = [&](int i, int j, double value) {
                ABD[std::size_t(6 * (3 * part + i) + 3 * part + j)] = scale * value;
            };
            put(0, 0, 1.0);
            put(1, 1, 1.0);
            put(0, 1, nu);
            put(1, 0, nu);
            put(2, 2, 0.5 * (1.0 - nu));
        }
        const double k = 5.0 / 6.0 * t * E / (2.0 * (1.0 + nu));
        laminated.set_table("laminate")
            .set_matrix("ABD", 6, ABD)
            .set("shear", {k, k})
            .set("mass", 1500.0 * t);
        const auto one = make(listed()), other = make(laminated);
        const std::size_t n = one->coordinates().size();
        std::vector<double> q(n), v(n);
        one->start(q, v);
        std::mt19937 random(6);
        std::uniform_real_distribution<double> uniform(-0.1, 0.1);
        for (double& x : q) x += uniform(random);
        CHECK(energy_of(*other, q) == Near(energy_of(*one, q), 1e-9 * energy_of(*one, q)));
        const Material sheet = read_material(material()), laminate = read_material(laminated);
        CHECK(laminate.thickness == Near(t, 1e-15));
        CHECK(laminate.rotary == Near(sheet.rotary, 1e-15));
    }

    TEST_CASE("mass and moments of inertia are those of the plate") {
        const auto body = make(square(3));
        const std::size_t n = body->coordinates().size();
        std::vector<double> q(n), v(n);
        body->start(q, v);
        struct Energy final : ancora::MassSink {
            std::vector<double> rate;
            double sum = 0.0;
            void add(int i, int j, double value) override {
                sum += (i == j ? 1.0 : 2.0) * value * rate[std::size_t(i)] * rate[std::size_t(j)];
            }
        };
        const auto about = [&](const Vec3& w, const Vec3& velocity) {
            Energy out;
            out.rate.resize(n);
            for (std::size_t i = 0; i < n; i += 3) {
                Vec3 rate = w.cross(Vec3(q[i], q[i + 1], q[i + 2]));
                if (i % 6 == 0) rate += velocity;
                std::copy_n(rate.data(), 3, out.rate.data() + i);
            }
            body->mass(out);
            return out.sum;
        };
        // 1 x 2 from a corner
        const double t = 0.05, mass = 1500.0 * t * 2.0, J = mass * t * t / 12.0;
        CHECK(about(Vec3::Zero(), Vec3::UnitZ()) == Near(mass, 1e-11));
        CHECK(about(Vec3::UnitX(), Vec3::Zero()) == Near(mass * 4.0 / 3.0 + J, 1e-11));
        CHECK(about(Vec3::UnitY(), Vec3::Zero()) == Near(mass / 3.0 + J, 1e-11));
        CHECK(about(Vec3::UnitZ(), Vec3::Zero()) == Near(mass * 5.0 / 3.0, 1e-11));
    }

    TEST_CASE("elements are turned so that normals agree, from files too") {
        const Surface surface = build_surface(listed());
        CHECK(surface.quads[1] == ancora::shell::Quad{1, 4, 5, 2});
        for (const Vec3& normal : surface.normals) CHECK(normal.z() > 0.9);

        const std::string mesh = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
2 7 "skin"
$EndPhysicalNames
$Entities
0 0 1 0
1 0 0 0 2 1 0 1 7 0
$EndEntities
$Nodes
1 6 1 6
2 1 0 6
1
2
3
4
5
6
0 0 0
1 0 0
2 0 0
0 1 0
1 1 0
2 1 0
$EndNodes
$Elements
1 2 1 2
2 1 3 2
1 1 2 5 4
2 2 5 6 3
$EndElements
)";
        const ancora::testing::MeshFile file(mesh);
        FakeArguments arguments = material();
        arguments.set("mesh", file.path());
        const Surface read = build_surface(arguments);
        CHECK(read.quads[1] == ancora::shell::Quad{1, 2, 5, 4});
        REQUIRE(read.groups.size() == 1);
        CHECK(read.groups[0].nodes.size() == 6);
        std::string triangles = mesh;
        triangles.replace(
            triangles.find("2 1 3 2\n1 1 2 5 4\n2 2 5 6 3"), 27, "2 1 2 2\n1 1 2 5\n2 2 5 6");
        const ancora::testing::MeshFile other(triangles);
        arguments.set("mesh", other.path());
        CHECK(refusal(arguments) ==
              "mesh: face 0 has three corners; a shell takes quadrilaterals: mesh again with them "
              "(Gmsh: Mesh.RecombineAll = 1, Mesh.SubdivisionAlgorithm = 1)");
    }

    TEST_CASE("what is no shell is refused in words") {
        const auto with = [](std::vector<double> nodes, std::vector<double> quads) {
            FakeArguments arguments = material();
            arguments.set_matrix("nodes", 3, std::move(nodes))
                .set_matrix("quads", 4, std::move(quads));
            return refusal(arguments);
        };
        const std::vector<double> flat = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
        CHECK(with(flat, {0, 1, 2, 4}) ==
              "quads: element 0 names node 4, but the nodes are 0 to 3");
        CHECK(with(flat, {0, 2, 1, 3}) == "quads: element 0 of nodes 0, 2, 1, 3 has no area");
        CHECK(with({0, 0, 0, 1, 0, 0, 0.2, 0.2, 0, 0, 1, 0}, {0, 1, 2, 3}) ==
              "quads: element 0 of nodes 0, 1, 2, 3 is not convex at node 2; corners are listed "
              "around an element");
        std::vector<double> more = flat;
        more.insert(more.end(), {5, 5, 5});
        CHECK(with(more, {0, 1, 2, 3}) ==
              "nodes: node 4 is of no element; join it or leave it out");
        CHECK(with({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1},
                   {0, 1, 2, 3, 1, 2, 5, 4}) ==
              "quads: element 0 of nodes 0, 1, 2, 3 meets others in a fold at node 1; a shell is "
              "smooth: refine it there, or join two shells");
        CHECK(
            with({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0.3, 2, 1, 0.3, 2, 0, -0.3, 2, 1, -0.3},
                 {0, 1, 2, 3, 1, 4, 5, 2, 1, 6, 7, 2}) ==
            "quads: three elements meet at the edge between nodes 1 and 2; join two shells there "
            "instead");
        // A Moebius strip
        std::vector<double> strip, quads;
        const int count = 24;
        for (int i = 0; i < count; ++i)
            for (const double side : {-0.2, 0.2}) {
                const double at = 2.0 * std::acos(-1.0) * i / count;
                const double r = 1.0 + side * std::cos(0.5 * at);
                strip.insert(strip.end(),
                             {r * std::cos(at), r * std::sin(at), side * std::sin(0.5 * at)});
            }
        for (int i = 0; i < count; ++i) {
            const int next = (i + 1) % count;
            const bool is_last = next == 0;
            quads.insert(quads.end(),
                         {2.0 * i,
                          2.0 * i + 1,
                          2.0 * next + (is_last ? 0 : 1),
                          2.0 * next + (is_last ? 1 : 0)});
        }
        CHECK(
            with(strip, quads).starts_with("quads: the surface has one side, as a Moebius strip"));

        FakeArguments arguments = schema();
        CHECK(refusal(arguments) ==
              "nodes: a shell needs \"nodes\" and \"quads\", or \"grid\", or \"mesh\"");
        arguments = square(2);
        CHECK(refusal(arguments.erase("young")) ==
              "young: is missing: a shell needs \"young\", \"poisson\", \"thickness\" and "
              "\"density\", or \"laminate\"");
        arguments = square(2);
        arguments.set("frames", std::vector<double>{9.0});
        CHECK(refusal(arguments) == "frames: it names node 9, but the nodes are 0 to 8");
        arguments.set_texts("frames", {"edge"});
        CHECK(refusal(arguments).starts_with("frames: there is no group \"edge\"; this shell has"));
        arguments = square(2);
        for (const char* key : {"young", "poisson", "thickness", "density"}) arguments.erase(key);
        FakeArguments& laminate = arguments.set_table("laminate");
        std::vector<double> ABD(36, 0.0);
        for (std::size_t i = 0; i < 6; ++i) ABD[7 * i] = 1.0;
        ABD[1] = 0.5;
        laminate.set_matrix("ABD", 6, ABD).set("shear", {1.0, 1.0}).set("mass", 1.0);
        CHECK(refusal(arguments) == "ABD: is not symmetric: entry (2, 1) is 0 and its mirror 0.5");
        ABD[6] = 0.5;
        ABD[28] = -1.0;
        laminate.set_matrix("ABD", 6, ABD);
        CHECK(refusal(arguments) ==
              "ABD: is not positive definite, so that the laminate would bend by itself");
        ABD[28] = 1.0;
        laminate.set_matrix("ABD", 6, ABD).set("axis", {0.0, 0.0, 1.0});
        CHECK(refusal(arguments) ==
              "laminate: its axis is across the surface at element 0; give one that lies along it");
    }
}
