// SPDX-License-Identifier: BSD-3-Clause
// Tests of the body type `elastic_body`: rows, mass, frequencies against the full model, forms of
// files, and messages.
#include "elastic_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include "ancora/sdk/body.hpp"
#include "ancora/sdk/testing/row_errors.hpp"
#include "support/box_elements.hpp"
#include "support/dense.hpp"
#include "support/near.hpp"
#include "support/plugin_body.hpp"
#include "support/tetrahedra.hpp"

namespace {

namespace by_eigen = ancora::testing::by_eigen;
using ancora::facets_of;
using ancora::Mat3;
using ancora::Vec3;
using ancora::elastic::ElasticBody;
using ancora::elastic::HeldVibrations;
using ancora::elastic::kEdges;
using ancora::elastic::Lame;
using ancora::elastic::Reduction;
using ancora::elastic::stress_at_nodes;
using ancora::elastic::Tetrahedron;
using ancora::elastic::von_mises;
using ancora::test::FakeArguments;
using ancora::testing::BoxElements;
using ancora::testing::ElementFolder;
using ancora::testing::make;
using ancora::testing::Near;
using ancora::testing::refusal;
using ancora::testing::schema;
using ancora::testing::tolerance;

/// Of a section that is not square, and of one that is, so that frequencies coincide.
const BoxElements kPlank{{3, 1, 1}, {2.0, 0.4, 0.2}, 2e6, 0.3, 800.0};
const BoxElements kBar{{3, 1, 1}, {2.0, 0.2, 0.2}, 2e6, 0.3, 800.0};

FakeArguments arguments_of(const ElementFolder& folder) {
    FakeArguments out = schema();
    out.set("nodes", folder.path("nodes.csv").c_str());
    out.set("stiffness", folder.path("K.mtx").c_str());
    out.set("mass", folder.path("M.mtx").c_str());
    return out;
}
std::vector<double> ids(const std::vector<int>& nodes) {
    std::vector<double> out;
    for (const int node : nodes) out.push_back(node + 1.0);
    return out;
}
void set_interfaces(FakeArguments& arguments, const BoxElements& box) {
    FakeArguments& table = arguments.set_table("interfaces");
    table.set("root", ids(box.section(0)));
    table.set("tip", ids(box.section(2 * box.counts[0])));
}
const Reduction& reduction_of(const ancora::Body& body) {
    return dynamic_cast<const ElasticBody&>(body).reduction();
}
std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
/// The content with the line of that number, counted from 1, replaced.
std::string with_line(const std::string& all, int number, const std::string& line) {
    std::size_t begin = 0;
    for (int k = 1; k < number; ++k) begin = all.find('\n', begin) + 1;
    return all.substr(0, begin) + line + all.substr(all.find('\n', begin));
}

/// A box cut into tetrahedra with ten nodes, six for each cell, on the nodes of the same
/// BoxElements; the ends are physical groups "root" and "tip".
std::string tetrahedra(const BoxElements& box) {
    const auto n = box.num_along();
    std::string nodes, volumes, faces;
    int num_volumes = 0, num_faces = 0;
    for (int i = 0; i < box.num_nodes(); ++i) nodes += std::to_string(10 * i + 5) + "\n";
    for (int i = 0; i < box.num_nodes(); ++i) {
        const Vec3 x = box.position(i);
        char text[100];
        std::snprintf(text, sizeof text, "%.17g %.17g %.17g\n", x(0), x(1), x(2));
        nodes += text;
    }
    using Corner = std::array<int, 3>;
    const auto name = [&](const Corner& a, const Corner& b) {
        return " " +
               std::to_string(
                   10 * box.node((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2) + 5);
    };
    ancora::testing::for_each_tetrahedron(box.counts, [&](const auto& places) {
        volumes += std::to_string(++num_volumes);
        for (const auto& [x, y, z] : places)
            volumes += " " + std::to_string(10 * box.node(x, y, z) + 5);
        volumes += "\n";
    });
    std::string surfaces;
    for (const int end : {0, 1}) {
        std::string of;
        int count = 0;
        const int x = end * (n[0] - 1);
        for (int cy = 0; cy < box.counts[1]; ++cy)
            for (int cz = 0; cz < box.counts[2]; ++cz)
                for (const bool is_upper : {false, true}) {
                    const std::array<Corner, 3> c = {
                        {{x, 2 * cy, 2 * cz},
                         {x, 2 * cy + (is_upper ? 0 : 2), 2 * cz + (is_upper ? 2 : 0)},
                         {x, 2 * cy + 2, 2 * cz + 2}}};
                    of += std::to_string(1000 + ++num_faces);
                    for (const auto& [a, b] :
                         {std::pair(0, 0), {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}})
                        of += name(c[std::size_t(a)], c[std::size_t(b)]);
                    of += "\n";
                    ++count;
                }
        surfaces += "2 " + std::to_string(end + 1) + " 9 " + std::to_string(count) + "\n" + of;
    }
    const std::string count = std::to_string(box.num_nodes());
    return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"root\"\n2 8 "
           "\"tip\"\n$EndPhysicalNames\n$Entities\n0 0 2 1\n1 0 0 0 0 0 0 1 7 0\n2 0 0 0 0 0 0 1 8 "
           "0\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n1 " +
           count + " 1 " + count + "\n3 1 0 " + count + "\n" + nodes + "$EndNodes\n$Elements\n3 " +
           std::to_string(num_faces + num_volumes) + " 1 9999\n" + surfaces + "3 1 11 " +
           std::to_string(num_volumes) + "\n" + volumes + "$EndElements\n";
}

}  // namespace

TEST_SUITE("elastic body") {
    TEST_CASE("rows, rates and tangents are those of the differences") {
        const ElementFolder folder(kPlank);
        for (const bool has_interfaces : {false, true}) {
            FakeArguments arguments = arguments_of(folder);
            if (has_interfaces) set_interfaces(arguments, kPlank);
            arguments.set("modes", 4).set("damping", 0.1);
            const auto body = make(arguments);
            const std::size_t n = body->coordinates().size();
            std::vector<double> q(n), v(n);
            body->start(q, v);
            for (std::size_t block = 0; block < body->row_blocks().size(); ++block) {
                const ancora::RowBlock& rows = body->row_blocks()[block];
                std::vector<double> pi(std::size_t(rows.num_items * rows.rows_per_item));
                body->evaluate(int(block), {q, v}, {pi, {}, {}, {}});
                for (const double x : pi) CHECK(std::abs(x) <= tolerance(1e-13));
            }
            std::mt19937 random(5);
            std::uniform_real_distribution<double> uniform(-0.3, 0.3);
            for (double& x : q) x += uniform(random);
            for (double& x : v) x = uniform(random);
            for (int block = 0; block < 3; ++block) {
                CAPTURE(block);
                const auto errors = ancora::test::row_errors(*body, block, q, v);
                CHECK(errors.jacobian <= tolerance(1e-8));
                CHECK(errors.bias <= tolerance(1e-6));
                CHECK(errors.discrete <= tolerance(1e-12));
                CHECK(errors.tangent <= tolerance(1e-7));
            }
        }
    }

    TEST_CASE("frequencies of a free body are those of the full model, coincident ones too") {
        for (const BoxElements& box : {kPlank, kBar}) {
            const ElementFolder folder(box);
            FakeArguments arguments = arguments_of(folder);
            const int count = 10;
            arguments.set("modes", count);
            const auto body = make(arguments);
            const Eigen::VectorXd& found = reduction_of(*body).omega_squared;
            REQUIRE(found.size() == count);
            for (int k = 0; k < count; ++k) {
                // As many lie below as the full model has, six of them rigid
                const double near = 1e-8;
                const auto below = std::count_if(found.begin(), found.end(), [&](double x) {
                    return x < found(k) * (1.0 - near);
                });
                const auto up_to = std::count_if(found.begin(), found.end(), [&](double x) {
                    return x < found(k) * (1.0 + near);
                });
                CHECK(num_below(box, found(k) * (1.0 - near)) == 6 + below);
                if (up_to < count) CHECK(num_below(box, found(k) * (1.0 + near)) == 6 + up_to);
            }
        }
    }

    // The modes of a reduced model lie above those of the full one (Rayleigh, Ritz), and near them
    TEST_CASE("frequencies with interfaces lie above those of the model with rigid interfaces") {
        const ElementFolder folder(kPlank);
        FakeArguments arguments = arguments_of(folder);
        set_interfaces(arguments, kPlank);
        arguments.set("modes", 300);
        const auto all = make(arguments);  // the whole model with its two rigid sections
        const Eigen::VectorXd exact = reduction_of(*all).omega_squared;
        CHECK(exact.size() == 3 * kPlank.num_nodes() - 6 * 9 + 12 - 6);
        for (const int modes : {4, 8, 16}) {
            arguments.set("modes", modes);
            const Eigen::VectorXd found = reduction_of(*make(arguments)).omega_squared;
            CHECK(found.size() == modes + 6);
            for (int k = 0; k < found.size(); ++k) CHECK(found(k) >= exact(k) * (1.0 - 1e-9));
            for (int k = 0; k < modes / 2; ++k) CHECK(found(k) <= exact(k) * 1.03);
        }
        // Without the static shapes the interfaces do not move against each other
        arguments.set("static_modes", false);
        CHECK(reduction_of(*make(arguments)).num_modes() == 16);
    }

    TEST_CASE("mass, moments of inertia and points are those of the box, turned and moved") {
        const ElementFolder folder(kPlank);
        FakeArguments arguments = arguments_of(folder);
        set_interfaces(arguments, kPlank);
        arguments.set_table("points").set("corner", 1);
        const Vec3 w(0.3, -0.2, 0.5), v(1.0, 2.0, 3.0), at(0.1, 0.2, 0.3);
        const Eigen::AngleAxisd turn(0.8, Vec3(1.0, -2.0, 0.5).normalized());
        const Eigen::Quaterniond quaternion(turn);
        arguments.set("position", {at(0), at(1), at(2)})
            .set("velocity", {v(0), v(1), v(2)})
            .set("angular_velocity", {w(0), w(1), w(2)})
            .set("orientation", {quaternion.w(), quaternion.x(), quaternion.y(), quaternion.z()});
        const auto body = make(arguments);
        struct Sum final : ancora::MassSink {
            std::span<const double> rate;
            double energy = 0.0;
            void add(int i, int j, double value) override {
                energy +=
                    (i == j ? 0.5 : 1.0) * value * rate[std::size_t(i)] * rate[std::size_t(j)];
            }
        } sum;
        std::vector<double> q(body->coordinates().size()), rate(q.size());
        body->start(q, rate);
        sum.rate = rate;
        body->mass(sum);
        const double mass = 800.0 * 2.0 * 0.4 * 0.2;
        const Vec3 size(2.0, 0.4, 0.2), center = 0.5 * size;
        const Vec3 J = mass / 12.0 * Vec3(0.4 * 0.4 + 0.2 * 0.2, 4.0 + 0.2 * 0.2, 4.0 + 0.4 * 0.4);
        const Vec3 V = v + turn * w.cross(center);
        CHECK(sum.energy ==
              Near(0.5 * mass * V.squaredNorm() + 0.5 * w.dot(J.cwiseProduct(w)), 1e-11));

        // Attachments: material points, and axes that are orthonormal
        struct Attached final : ancora::AttachmentSink {
            std::vector<double> q;
            Vec3 r = Vec3::Zero();
            void weight(int component, int coordinate, double weight) override {
                r(component) += weight * q[std::size_t(coordinate)];
            }
            void constant(int, double) override {}
            void nonlinear(int, std::span<const std::int32_t>) override {}
        };
        const auto attached = [&](const char* name, const Vec3& direction, bool is_direction) {
            Attached out;
            out.q = q;
            ancora::Locator where;
            where.kind = ancora::Locator::Kind::name;
            where.name = name;
            where.is_direction = is_direction;
            where.xyz = {direction(0), direction(1), direction(2)};
            body->attach(where, out);
            return out.r;
        };
        const Vec3 tip(2.0, 0.2, 0.1);
        CHECK((attached("tip", Vec3::Zero(), false) - at - turn * tip).norm() <= tolerance(1e-13));
        CHECK((attached("corner", Vec3::Zero(), false) - at).norm() <= tolerance(1e-13));
        const Vec3 d(0.0, 0.6, 0.8);
        CHECK((attached("root", d, true) - turn * d).norm() <= tolerance(1e-13));
        CHECK_THROWS_WITH(attached("corner", d, true),
                          "a single node has no axes; make it and its neighbours an interface");
        CHECK_THROWS_WITH(attached("top", d, false),
                          "there is no interface or point \"top\"; this body has root, tip, "
                          "corner");
    }

    TEST_CASE("all forms of the files give one body") {
        const ElementFolder folder(kPlank);
        const FakeArguments plain = arguments_of(folder);
        const Eigen::VectorXd expected = reduction_of(*make(plain)).omega_squared;
        const auto same = [&](const FakeArguments& arguments) {
            const Eigen::VectorXd found = reduction_of(*make(arguments)).omega_squared;
            REQUIRE(found.size() == expected.size());
            CHECK((found - expected).cwiseQuotient(expected).cwiseAbs().maxCoeff() <=
                  tolerance(1e-8));
        };
        BoxElements::Entries K, m;
        kPlank.assemble(K, m);
        const int n = 3 * kPlank.num_nodes();
        const auto number = [](double x) {
            char text[40];
            std::snprintf(text, sizeof text, "%.17g", x);
            return std::string(text);
        };

        FakeArguments general = plain;
        std::string text = "%%MatrixMarket matrix coordinate real general\n% by rows\n\n";
        std::string entries;
        std::size_t count = 0;
        for (const auto& [at, value] : K)
            for (const bool is_mirror : {false, true}) {
                if (is_mirror && at.first == at.second) continue;
                const int i = is_mirror ? at.second : at.first,
                          j = is_mirror ? at.first : at.second;
                entries += std::to_string(i + 1) + "\t" + std::to_string(j + 1) + " " +
                           number(value) + "\r\n";
                ++count;
            }
        text += std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(count) + "\n";
        same(general.set("stiffness", folder.write("general.mtx", text + entries).c_str()));
        // Without a heading
        same(general.set("stiffness", folder.write("entries.txt", entries).c_str()));

        FakeArguments array = plain;
        text = "%%MatrixMarket matrix array real symmetric\n" + std::to_string(n) + " " +
               std::to_string(n) + "\n";
        for (int j = 0; j < n; ++j)
            for (int i = j; i < n; ++i) text += number(K.contains({i, j}) ? K[{i, j}] : 0.0) + "\n";
        same(array.set("stiffness", folder.write("array.mtx", text).c_str()));

        const auto each_entry = [&](bool is_mass, const auto& add) {
            if (!is_mass)
                for (const auto& [at, value] : K) add(at.first, at.second, value);
            else
                for (const auto& [at, value] : m)
                    for (int axis = 0; axis < 3; ++axis)
                        add(3 * at.first + axis, 3 * at.second + axis, value);
        };
        // Axis by axis; upper triangles, commas, Fortran's exponents
        const auto permuted = [&](auto row_of, const std::string& name, FakeArguments& arguments) {
            for (const bool is_mass : {false, true}) {
                std::string rows;
                const auto add = [&](int i, int j, double value) {
                    const auto [low, high] = std::minmax({row_of(i), row_of(j)});
                    std::string digits = number(value);
                    if (const auto e = digits.find('e'); e != std::string::npos) digits[e] = 'D';
                    rows += std::to_string(low + 1) + ", " + std::to_string(high + 1) + ", " +
                            digits + "\n";
                };
                each_entry(is_mass, add);
                const char* key = is_mass ? "mass" : "stiffness";
                arguments.set(key, folder.write(name + key, rows).c_str());
            }
        };
        FakeArguments by_axis = plain;
        permuted(
            [&](int k) {
                return k % 3 * kPlank.num_nodes() + k / 3;
            },
            "axis_",
            by_axis);
        same(by_axis.set("order", "axis"));
        // Rows named by a file: as CalculiX does it, and as Ansys does, in any order
        const auto reversed = [&](int k) {
            return 3 * kPlank.num_nodes() - 1 - k;
        };
        FakeArguments by_file = plain;
        permuted(reversed, "reversed_", by_file);
        std::string dots, mapping = "  Matrix Eqn      Node    DOF\n";
        constexpr const char* kDisplacements[] = {"UX", "UY", "UZ"};
        for (int k = 0; k < 3 * kPlank.num_nodes(); ++k) {
            const int dof = reversed(k);
            dots += std::to_string(dof / 3 + 1) + "." + std::to_string(dof % 3 + 1) + "\n";
            mapping += "    " + std::to_string(reversed(k) + 1) + "    " +
                       std::to_string(k / 3 + 1) + "    " + kDisplacements[k % 3] + "\n";
        }
        by_file.set("order", folder.write("job.dof", dots).c_str());
        same(by_file);
        by_file.set("order", folder.write("job.mapping", mapping).c_str());
        same(by_file);
        // Entries that name nodes and axes, as Abaqus has it, under any order
        const auto by_nodes = [&](bool is_mass) {
            std::string rows = "** ASSEMBLED MATRIX\n";
            const auto add = [&](int i, int j, double value) {
                rows += std::to_string(i / 3 + 1) + "," + std::to_string(i % 3 + 1) + ", " +
                        std::to_string(j / 3 + 1) + "," + std::to_string(j % 3 + 1) + ", " +
                        number(value) + "\n";
            };
            each_entry(is_mass, add);
            return rows;
        };
        const std::string K_by_nodes = by_nodes(false);
        FakeArguments named = plain;
        named.set("stiffness", folder.write("job_STIF1.mtx", K_by_nodes).c_str());
        named.set("mass", folder.write("job_MASS1.mtx", by_nodes(true)).c_str());
        same(named);
        by_file.set("stiffness", folder.path("job_STIF1.mtx").c_str());
        same(by_file);
        const auto says = [&](const std::string& more, const char* ending) {
            FakeArguments wrong = named;
            wrong.set("stiffness", folder.write("wrong.mtx", K_by_nodes + more).c_str());
            CHECK(refusal(wrong).ends_with(ending));
        };
        says("99,1, 1,1, 1.0\n", "there is no node 99");
        says("1,4, 1,1, 1.0\n",
             "nodes with rotations are not taken: use solid elements, or condense the rotations");
        says("1,1, 1,9, 1.0\n", "9 is no axis; they are 1, 2, 3");
        says("1 1 1.0\n", "found 3 columns, expected 5: node, axis, node, axis, value");
        says("1,1, 1,1, 1.0\n", "is given a second time, first in line 2");
        FakeArguments wrong = by_file;
        const auto order_says = [&](const std::string& rows, const char* ending) {
            wrong.set("order", folder.write("wrong.dof", rows).c_str());
            CHECK(refusal(wrong).ends_with(ending));
        };
        order_says("1.1\n1.1\n", "order:2:0: axis 1 of node 1 stands there twice");
        order_says("1 1 UX\n1 1 UY\n", "order:2:0: row 1 stands there twice");
        order_says("1.7\n", "order:1:0: 7 is no axis; they are 1, 2, 3");
        BoxElements small = kPlank;  // mm, N, t
        small.size *= 1e3;
        small.young *= 1e-6;
        small.density *= 1e-12;
        const ElementFolder in_mm(small);
        FakeArguments mm = arguments_of(in_mm);
        same(mm.set("units", "mm"));
    }

    TEST_CASE("what is wrong with the files is said with its place") {
        const ElementFolder folder(kPlank);
        const FakeArguments plain = arguments_of(folder);
        const std::string K = content(folder.path("K.mtx")), M = content(folder.path("M.mtx")),
                          nodes = content(folder.path("nodes.csv"));
        const auto refused = [&](const char* key, const std::string& text) {
            FakeArguments arguments = plain;
            arguments.set(key, folder.write("damaged", text).c_str());
            return refusal(arguments);
        };
        const std::string heading = "%%MatrixMarket matrix coordinate real symmetric\n";
        CHECK(refused("stiffness", "") == "stiffness:0:0: the matrix has no entries");
        CHECK(refused("stiffness", heading + "3 3 1\n1 1 nan\n") ==
              "stiffness:3:0: \"nan\" is not finite");
        CHECK(refused("stiffness", heading + "3 3 1\n1 1 1e999\n") ==
              "stiffness:3:0: \"1e999\" is not finite");
        CHECK(refused("stiffness", heading + "3 3 1\n1 1 12,5\n") ==
              "stiffness:3:0: found 4 columns, expected 3: row, column, value");
        CHECK(refused("stiffness", heading + "3 3 1\n1 1 x\n") ==
              "stiffness:3:0: \"x\" is no number");
        CHECK(refused("stiffness", heading + "3 4 1\n1 1 1\n") ==
              "stiffness:2:0: the matrix has 3 rows and 4 columns; it must be square");
        CHECK(refused("stiffness", heading + "3 3 2\n1 1 1\n") ==
              "stiffness:3:0: the file ends after 1 of 2 entries");
        CHECK(refused("stiffness", heading + "3 3 1\n1 1 1\n2 2 1\n") ==
              "stiffness:4:0: there are more entries than the 1 that the file announces");
        CHECK(refused("stiffness", heading + "3 3 1\n4 1 1\n") ==
              "stiffness:3:0: there is no row or column 4 in a matrix of size 3");
        CHECK(refused("stiffness", heading + "3 3 1\n0 1 1\n") ==
              "stiffness:3:0: 0 is no row or column; they count from 1");
        CHECK(refused("stiffness", heading + "3 3 2\n2 1 1\n2 1 1\n") ==
              "stiffness:4:0: entry (2, 1) is given a second time, first in line 3");
        CHECK(refused("stiffness",
                      "%%MatrixMarket matrix coordinate complex symmetric\n3 3 1\n1 1 1\n") ==
              "stiffness:1:0: the heading says \"complex\" where real or integer is expected: "
              "%%MatrixMarket matrix coordinate real symmetric");
        CHECK(refused("stiffness", "1 1 2\n2 1 -1\n1 2 -1.5\n2 2 2\n") ==
              "stiffness:2:0: the matrix is not symmetric: entry (2, 1) is -1 and (1, 2) is -1.5");
        CHECK(refused("stiffness", "1 1 2\n2 1 -1\n1 2 -1\n3 1 1\n2 2 2\n3 3 1\n") ==
              "stiffness:4:0: the matrix is not symmetric: entry (3, 1) is 1 and (1, 3) is 0");
        CHECK(
            refused("stiffness", heading + "3 3 1\n1 1 1\n") ==
            "stiffness:0:0: the matrix has 3 rows, and the 63 nodes have 189 displacements; write "
            "all of them, without supports: joints hold the body here");
        CHECK(refused("stiffness", std::string("1 1 \0 2\n", 9)) ==
              "stiffness:0:0: is no text; write the matrix in MatrixMarket's format, as text");

        // K: not semidefinite, not free, without a diagonal
        CHECK(refused("stiffness", with_line(K, 4, "2 1 1e30")) ==
              "stiffness:4:0: K is not positive semidefinite: an entry of 1e+30 beside diagonals " +
                  [&] {
                      BoxElements::Entries k, m;
                      kPlank.assemble(k, m);
                      char text[80];
                      std::snprintf(text, sizeof text, "%.9g and %.9g", k[{1, 1}], k[{0, 0}]);
                      return std::string(text);
                  }());
        CHECK(refused("stiffness", with_line(K, 3, "1 1 1e30"))
                  .starts_with("stiffness:0:0: K resists a rigid motion along x at axis x of node "
                               "1: write the matrix of the free body"));
        CHECK(
            refused("stiffness", with_line(K, 3, "1 1 -1")) ==
            "stiffness:0:0: K is not that of an elastic body: at axis x of node 1 its diagonal is "
            "-1, and it is positive wherever there is material");

        // M: negative, coupled, not alike
        CHECK(refused("mass", with_line(M, 3, "1 1 -1")) ==
              "mass:3:0: M is not positive semidefinite: node 1 has the mass -1");
        CHECK(
            refused("mass", with_line(M, 3, "1 1 0.7"))
                .starts_with("mass:3:0: the mass of node 1 is not the same along all axes: 0.7, "));
        std::string coupled = with_line(M, 2, [&] {
            const std::string sizes = M.substr(M.find('\n') + 1);
            const std::size_t space = sizes.rfind(' ', sizes.find('\n'));
            return sizes.substr(0, space) + " " +
                   std::to_string(1 + std::stoi(sizes.substr(space + 1)));
        }());
        coupled += "2 1 0.1\n";
        CHECK(refused("mass", coupled)
                  .find("the mass couples y of node 1 and x of node 1; masses "
                        "of elements with displacements alone act along each "
                        "axis by itself. Is \"order\" right?") != std::string::npos);

        // Nodes
        CHECK(refused("nodes", with_line(nodes, 2, "1, 0, 0, 0")) ==
              "nodes:2:0: node 1 stands there twice");
        CHECK(refused("nodes", with_line(nodes, 2, "2.5, 0, 0, 0")) ==
              "nodes:2:0: 2.5 is no number of a node");
        CHECK(refused("nodes", with_line(nodes, 2, "2, 0, nan, 0")) ==
              "nodes:2:7: \"nan\" is not finite");
        CHECK(refused("nodes", nodes + "64, 1, 1, 1\n") ==
              "stiffness:0:0: the matrix has 189 rows, and the 64 nodes have 192 displacements; "
              "write all of them, without supports: joints hold the body here");
        CHECK(refused("nodes", with_line(nodes, 30, "30, 5, 5, 5"))
                  .starts_with("stiffness:0:0: K resists a rigid turn about "));

        // Interfaces, points, numbers of modes
        const auto with_interfaces = [&](const char* name, std::vector<double> of) {
            FakeArguments arguments = plain;
            set_interfaces(arguments, kPlank);
            const_cast<FakeArguments&>(
                dynamic_cast<const FakeArguments&>(arguments.table("interfaces")))
                .set(name, std::move(of));
            return refusal(arguments);
        };
        CHECK(with_interfaces("z", {2.0, 3.0, 99.0}) ==
              "z: there is no node 99; \"nodes\" lists 63, 1 to 63");
        CHECK(with_interfaces("z", {2.0, 2.0, 3.0}) == "z: node 2 stands there twice");
        CHECK(with_interfaces("z", {2.0, 3.0, 7.0}) ==
              "z: node 7 is a node of interface \"tip\" too; a node moves with one");
        CHECK(with_interfaces("z", {2.0, 3.0, 4.0}) ==
              "z: an interface has three nodes or more, not on one line, so that it has axes; a "
              "single node goes into \"points\"");
        FakeArguments arguments = plain;
        CHECK(refusal(arguments.set("modes", 0)) ==
              "modes: without vibrations only the static shapes of two interfaces and more deform "
              "the body; give modes = 1 or more");
        arguments.set("modes", 3).set("amplitudes", {1.0, 2.0, 3.0, 4.0});
        CHECK(refusal(arguments) == "amplitudes: there are 4, and the body has 3 modes");
    }

    TEST_CASE("parts that are not joined, and mechanisms, are refused") {
        // Two boxes in one file; three bars in a row
        BoxElements::Entries K, m;
        const BoxElements one{{1, 1, 1}, {1.0, 1.0, 1.0}, 1e3, 0.2, 1.0};
        one.assemble(K, m);
        const int n = one.num_nodes();
        std::vector<double> nodes, stiffness, mass;
        for (int part = 0; part < 2; ++part) {
            for (int i = 0; i < n; ++i) {
                const Vec3 x = one.position(i) + part * Vec3(3.0, 0.0, 0.0);
                nodes.insert(nodes.end(), {part * n + i + 1.0, x(0), x(1), x(2)});
            }
            for (const auto& [at, value] : K)
                stiffness.insert(
                    stiffness.end(),
                    {3.0 * part * n + at.first + 1.0, 3.0 * part * n + at.second + 1.0, value});
            for (const auto& [at, value] : m)
                for (int axis = 1; axis <= 3; ++axis)
                    mass.insert(mass.end(),
                                {3.0 * (part * n + at.first) + axis,
                                 3.0 * (part * n + at.second) + axis,
                                 value});
        }
        FakeArguments arguments = schema();
        arguments.set_matrix("nodes", 4, nodes)
            .set_matrix("stiffness", 3, stiffness)
            .set_matrix("mass", 3, mass);
        CHECK(refusal(arguments).find("not joined") != std::string::npos);
        // With an interface in each they are held there, and move freely against each other
        FakeArguments& table = arguments.set_table("interfaces");
        table.set("a", {1.0, 2.0, 4.0, 10.0}).set("b", {n + 1.0, n + 2.0, n + 4.0, n + 10.0});
        CHECK(refusal(arguments).find("not joined") != std::string::npos);
    }

    TEST_CASE("a mesh of tetrahedra: mass, moments, frequencies, groups") {
        const BoxElements box{{6, 2, 2}, {2.0, 0.4, 0.3}, 2e6, 0.3, 800.0};
        const ElementFolder folder(box);
        FakeArguments arguments = schema();
        arguments.set("mesh", folder.write("box.msh", tetrahedra(box)).c_str());
        arguments.set("young", box.young).set("poisson", box.poisson).set("density", box.density);
        arguments.set("modes", 8).set_table("points").set("corner", 5);
        const auto body = make(arguments);
        const Reduction& found = reduction_of(*body);
        const double mass = 800.0 * 2.0 * 0.4 * 0.3;
        CHECK(found.mass == Near(mass, 1e-11));
        CHECK((found.center - Vec3(1.0, 0.2, 0.15)).norm() <= tolerance(1e-13));
        std::array<double, 3> moments = {found.moments(0), found.moments(1), found.moments(2)};
        std::ranges::sort(moments);
        CHECK(moments[0] == Near(mass * 0.09 / 12.0, 1e-11));
        CHECK(moments[2] == Near(mass * 4.0 / 12.0, 1e-11));
        // Against elements of another kind on the same nodes, which are softer: they can do more
        FakeArguments other = arguments_of(folder);
        other.set("modes", 8);
        const Eigen::VectorXd softer = reduction_of(*make(other)).omega_squared;
        for (int k = 0; k < 6; ++k) {
            CHECK(found.omega_squared(k) >= softer(k));
            CHECK(found.omega_squared(k) <= 1.04 * softer(k));
        }
        arguments.set_texts("interfaces", {"root", "tip"});
        CHECK(reduction_of(*make(arguments)).interface_axes.size() == 2);
        arguments.set_texts("interfaces", {"root", "top"});
        CHECK(refusal(arguments) ==
              "interfaces: the mesh has no physical group \"top\"; it has root, tip");
    }

    // A mesh that is finer at one corner: the mean of the nodes of a face is beside its middle
    TEST_CASE("an interface has its origin in the middle of its area") {
        const BoxElements box{{2, 2, 2}, {2.0, 0.4, 0.3}, 2e6, 0.3, 800.0};
        std::vector<double> nodes, volumes;
        const auto graded = [](double x) {
            return x < 0.5 ? 0.2 * x : 0.1 + 1.8 * (x - 0.5);
        };
        for (int i = 0; i < box.num_nodes(); ++i) {
            const Vec3 x = box.position(i);
            nodes.insert(nodes.end(),
                         {i + 1.0, x(0), 0.4 * graded(x(1) / 0.4), 0.3 * graded(x(2) / 0.3)});
        }
        ancora::testing::for_each_tetrahedron(box.counts, [&](const auto& places) {
            for (const auto& [x, y, z] : places) volumes.push_back(box.node(x, y, z) + 1.0);
        });
        FakeArguments arguments = schema();
        arguments.set("young", box.young).set("poisson", box.poisson).set("density", box.density);
        arguments.set_matrix("nodes", 4, nodes).set_matrix("tetrahedra", 10, volumes);
        set_interfaces(arguments, box);
        for (const bool is_mean : {false, true}) {
            if (is_mean) arguments.set_texts("mean", {"root", "tip"});
            const auto body = make(arguments);
            const Reduction& found = reduction_of(*body);
            for (const int k : {0, 1}) {
                Vec3 X = Vec3::Zero();
                for (int a = 0; a < found.num_affine; ++a)
                    X(found.affine_axes[std::size_t(a)]) = found.values(k, a);
                const Vec3 origin = found.center + found.axes * X;
                const double off = (origin - Vec3(2.0 * k, 0.2, 0.15)).norm();
                if (is_mean)
                    CHECK(off > 0.05);
                else
                    CHECK(off <= tolerance(1e-13));
            }
        }
    }

    // u = k (x z, -nu y z ...): pure bending, s_xx = E k z alone, which quadratic elements have
    // exactly
    TEST_CASE("stress at the nodes of a bent and of a stretched body is exact, at any attitude") {
        constexpr double kNu = 0.3, kE = 2e6, kCurve = 0.01;
        const Lame material{kE * kNu / ((1.0 + kNu) * (1.0 - 2.0 * kNu)), kE / (2.0 * (1.0 + kNu))};
        for (int member = 0; member < 10; ++member) {
            CAPTURE(member);
            const Mat3 R =
                Eigen::Quaterniond(Eigen::Vector4d::Random().normalized()).toRotationMatrix();
            // Corners anywhere, one tetrahedron on each face of the first
            std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
            for (Vec3& x : corners) x += 0.2 * Vec3::Random();
            std::vector<Vec3> x = corners;
            std::vector<Tetrahedron> volumes;
            for (const std::array<std::int32_t, 4>& v :
                 {std::array{0, 1, 2, 3}, std::array{4, 2, 1, 3}}) {
                Tetrahedron volume{v[0], v[1], v[2], v[3]};
                for (std::size_t e = 0; e < 6; ++e) {
                    volume[4 + e] = static_cast<std::int32_t>(x.size());
                    x.push_back(0.5 * (corners[std::size_t(v[kEdges[e][0]])] +
                                       corners[std::size_t(v[kEdges[e][1]])]));
                }
                volumes.push_back(volume);
            }
            const Mat3 H = 1e-3 * Mat3::Random();
            Eigen::MatrixXd u(3 * Eigen::Index(x.size()), 2);
            for (std::size_t k = 0; k < x.size(); ++k) {
                const Vec3 p = R.transpose() * x[k];
                const Vec3 bent(p(0) * p(2),
                                -kNu * p(1) * p(2),
                                -0.5 * (p(0) * p(0) - kNu * p(1) * p(1) + kNu * p(2) * p(2)));
                u.col(0).segment<3>(3 * Eigen::Index(k)) = kCurve * (R * bent);
                u.col(1).segment<3>(3 * Eigen::Index(k)) = H * x[k];
            }
            std::vector<std::int32_t> nodes;
            for (std::size_t k = x.size(); k-- > 0;) nodes.push_back(std::int32_t(k));
            const Eigen::MatrixXd stress = stress_at_nodes(x, volumes, material, u, nodes);
            const auto tensor = [](const Eigen::Matrix<double, 6, 1>& s) {
                Mat3 out;
                out << s(0), s(3), s(5), s(3), s(1), s(4), s(5), s(4), s(2);
                return out;
            };
            const Mat3 strain = 0.5 * (H + H.transpose());
            const Mat3 stretched =
                material.lambda * strain.trace() * Mat3::Identity() + 2.0 * material.mu * strain;
            for (std::size_t k = 0; k < nodes.size(); ++k) {
                const Eigen::Index row = 6 * Eigen::Index(k);
                const Vec3 p = R.transpose() * x[std::size_t(nodes[k])];
                const Mat3 expected = kE * kCurve * p(2) * R.col(0) * R.col(0).transpose();
                CHECK((tensor(stress.col(0).segment<6>(row)) - expected).norm() <=
                      tolerance(1e-12 * kE * kCurve));
                CHECK((tensor(stress.col(1).segment<6>(row)) - stretched).norm() <=
                      tolerance(1e-12 * kE * 1e-3));
                CHECK(von_mises(stress.col(0).segment<6>(row)) ==
                      Near(kE * kCurve * std::abs(p(2)), 1e-12 * kE * kCurve));
            }
        }
    }

    // A bar that is held at one end has 8 / pi^2 of its mass in its first vibration along itself
    TEST_CASE("notes say what the vibrations carry and what was left out") {
        const BoxElements box{{8, 1, 1}, {4.0, 0.2, 0.2}, 1e6, 0.0, 500.0};
        const ElementFolder folder(box);
        FakeArguments arguments = schema();
        arguments.set("mesh", folder.write("bar.msh", tetrahedra(box)).c_str());
        arguments.set("young", box.young).set("poisson", 0.0).set("density", box.density);
        arguments.set("modes", 40).set_texts("interfaces", {"root"});
        const auto body = make(arguments);
        const HeldVibrations& held = reduction_of(*body).held;
        REQUIRE(held.omega_squared.size() == 40);
        // (2 k - 1) pi / (2 L) sqrt(E / rho) along, effective masses 8 / ((2 k - 1) pi)^2
        const double first = std::numbers::pi / 8.0 * std::sqrt(box.young / box.density);
        CHECK((held.omega_squared.array() - first * first).abs().minCoeff() <=
              tolerance(2e-3 * first * first));
        for (int axis = 0; axis < 3; ++axis) {
            CHECK(held.mass_shares(axis) > 0.81);  // 8 / pi^2
            CHECK(held.mass_shares(axis) < 1.0);
        }
        // Its one interface held is what all of them held are
        CHECK(reduction_of(*body).lowest_held_at == 0);
        CHECK(reduction_of(*body).lowest_squared ==
              Near(held.omega_squared.minCoeff(), 1e-6 * held.omega_squared.minCoeff()));
        const std::string notes(facets_of(*body).notes->notes());
        CHECK(notes.find("40 vibrations with interfaces held") != std::string::npos);
        CHECK(notes.find("left out: vibrations above") != std::string::npos);
        CHECK(notes.find("no stress") == std::string::npos);
        CHECK(
            std::string(facets_of(*make(arguments_of(folder))).notes->notes()).find("no stress") !=
            std::string::npos);
    }

    // Under a force and a torque on a mean interface the body gives way as the full model does
    // whose nodes bear these: equal forces, and such as grow with the distance from the middle
    TEST_CASE("a mean interface moves as its nodes do in the mean") {
        const BoxElements box{{3, 1, 1}, {1.5, 0.4, 0.3}, 2e6, 0.3, 800.0};
        const ElementFolder folder(box);
        BoxElements::Entries K, m;
        box.assemble(K, m);
        const auto n = Eigen::Index(3 * box.num_nodes());
        Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n, n);
        for (const auto& [at, value] : K)
            full(at.first, at.second) = full(at.second, at.first) = value;
        const std::vector<int> root = box.section(0), tip = box.section(6);
        for (const int node : root)
            for (int axis = 0; axis < 3; ++axis) {
                full.row(3 * node + axis).setZero();
                full.col(3 * node + axis).setZero();
                full(3 * node + axis, 3 * node + axis) = 1.0;
            }
        Eigen::VectorXd F = Eigen::VectorXd::Zero(n);
        Vec3 middle = Vec3::Zero();
        for (const int node : tip) middle += box.position(node) / double(tip.size());
        double squares = 0.0;
        for (const int node : tip) squares += std::pow((box.position(node) - middle)(1), 2);
        const Vec3 force(3.0, -2.0, 5.0);
        for (const int node : tip) {
            F.segment<3>(3 * node) = force / double(tip.size());
            F(3 * node) -= 0.7 * (box.position(node) - middle)(1) / squares;  // a torque about z
        }
        const Eigen::VectorXd u = by_eigen::solved(full, F);
        Vec3 mean = Vec3::Zero();
        double slope = 0.0;
        for (const int node : tip) {
            mean += u.segment<3>(3 * node) / double(tip.size());
            slope -= u(3 * node) * (box.position(node) - middle)(1) / squares;
        }
        // The same of the modes: u = sum of phi (phi.F) / (m w^2), less what moves the root
        FakeArguments arguments = arguments_of(folder);
        const auto numbers = [](const std::vector<int>& nodes) {
            std::vector<double> out;
            for (const int node : nodes) out.push_back(node + 1.0);
            return out;
        };
        arguments.set("modes", 3);
        arguments.set_table("interfaces").set("root", numbers(root)).set("tip", numbers(tip));
        arguments.set_texts("mean", {"tip"});
        const auto body = make(arguments);
        const Reduction& found = reduction_of(*body);
        // Work of the load by unit amplitudes of each mode, against the root as a rigid body
        const Eigen::Index modes = found.num_modes();
        Eigen::MatrixXd at_tip(3, modes), at_root(3, modes), turn_tip(3, modes),
            turn_root(3, modes);
        const auto components = [&](const Eigen::RowVectorXd& functions) {
            Eigen::MatrixXd out(3, modes);
            for (Eigen::Index k = 0; k < modes; ++k)
                for (int axis = 0; axis < 3; ++axis) {
                    out(axis, k) = 0.0;
                    for (Eigen::Index a = 0; a < functions.size(); ++a)
                        out(axis, k) +=
                            found.Q(3 * a + axis, k) * functions(a) /
                            (a < found.num_affine ? found.rho(found.affine_axes[std::size_t(a)])
                                                  : 1.0);
                }
            return Eigen::MatrixXd(found.axes * out);
        };
        const auto turn_of = [&](int interface) {
            // From slopes of the displacement along the two axes of the interface
            const Mat3 axes = found.axes * found.interface_axes[std::size_t(interface)];
            const Eigen::MatrixXd s1 = components(found.tangents.row(2 * interface)),
                                  s2 = components(found.tangents.row(2 * interface + 1));
            Eigen::MatrixXd out(3, modes);
            for (Eigen::Index k = 0; k < modes; ++k)
                out.col(k) =
                    axes.col(0) * axes.col(2).dot(s2.col(k)) -
                    axes.col(1) * axes.col(2).dot(s1.col(k)) +
                    axes.col(2) * 0.5 * (axes.col(1).dot(s1.col(k)) - axes.col(0).dot(s2.col(k)));
            return out;
        };
        at_root = components(found.values.row(0));
        at_tip = components(found.values.row(1));
        turn_root = turn_of(0);
        turn_tip = turn_of(1);
        const Vec3 arm(1.5, 0.0, 0.0);
        Eigen::MatrixXd moved = at_tip - at_root;
        for (Eigen::Index k = 0; k < modes; ++k) moved.col(k) -= Vec3(turn_root.col(k)).cross(arm);
        const Eigen::VectorXd work =
            moved.transpose() * force + 0.7 * (turn_tip - turn_root).row(2).transpose();
        const Eigen::VectorXd eta = work.cwiseQuotient(found.mass * found.omega_squared);
        CHECK((moved * eta - mean).norm() <= tolerance(1e-8 * mean.norm()));
        CHECK((turn_tip - turn_root).row(2).dot(eta) == Near(slope, 1e-8 * std::abs(slope)));
        // Softer than one whose nodes are glued to a flange, with so many modes that both are exact
        arguments.set("modes", 40);
        const Eigen::VectorXd soft = reduction_of(*make(arguments)).omega_squared;
        arguments.set_texts("mean", {});
        const Eigen::VectorXd stiff = reduction_of(*make(arguments)).omega_squared;
        for (int k = 0; k < 3; ++k) CHECK(soft(k) < stiff(k));
        arguments.set_texts("mean", {"top"});
        CHECK(refusal(arguments) == "mean: \"top\" is no interface; list it in \"interfaces\" too");
    }

    TEST_CASE("what is wrong with a mesh is said with its place") {
        const BoxElements box{{1, 1, 1}, {1.0, 1.0, 1.0}, 1.0, 0.0, 1.0};
        const ElementFolder folder(box);
        FakeArguments arguments = schema();
        arguments.set("young", 1.0).set("poisson", 0.0).set("density", 1.0);
        const std::string good = tetrahedra(box);
        const auto refused = [&](std::string text, const std::string& from, const std::string& to) {
            text.replace(text.find(from), from.size(), to);
            arguments.set("mesh", folder.write("damaged.msh", text).c_str());
            return refusal(arguments);
        };
        CHECK(refused(good, "4.1 0", "4.1 0") == "");
        CHECK(refused(good, "4.1 0", "4.0 0") ==
              "mesh:2:1: this is version \"4.0\" of the format, but 4.1 or 2.2 is needed: save the "
              "mesh with Mesh.MshFileVersion = 4.1");
        CHECK(refused(good, "3 1 11 6", "3 1 4 6")
                  .ends_with("the tetrahedra have four nodes and are too stiff in bending by far; "
                             "mesh again with ten (Gmsh: -order 2, or Mesh.ElementOrder = 2)"));
        CHECK(
            refused(good, "3 1 11 6", "3 1 5 6")
                .ends_with("volumes are taken as tetrahedra with ten nodes, and these are of type "
                           "5"));
        CHECK(refused(good, "3 1 11 6", "3 1 11 60").find("found \"$EndElements\"") !=
              std::string::npos);
        CHECK(refused(good, "0 0 0\n", "0 0 nan\n").ends_with("not a finite number"));
        CHECK(refused(good, "\n15\n", "\n5\n").ends_with("node 5 stands there twice"));
        CHECK(refused(good, "\n15\n", "\n16\n").ends_with("there is no node 15 in $Nodes"));
        CHECK(refused(good, "1 1 1\n", "-3 -3 -3\n").find("is flat or turned inside out") !=
              std::string::npos);
        CHECK(refused(good, "$EndElements\n", "").ends_with("it is cut short"));
        for (std::size_t cut = 0; cut < good.size(); cut += 37) {
            arguments.set("mesh", folder.write("damaged.msh", good.substr(0, cut)).c_str());
            CHECK(refusal(arguments).starts_with("mesh:"));
        }
        const std::string ways =
            "an elastic body needs \"nodes\", \"stiffness\" and \"mass\", or \"mesh\", or "
            "\"nodes\" and \"tetrahedra\", these two with \"young\", \"poisson\" and \"density\"";
        arguments.erase("mesh");
        CHECK(refusal(arguments) == "stiffness: is missing: " + ways);
        FakeArguments both = arguments_of(folder);
        CHECK(refusal(both.set("young", 1.0)) == "young: is of no use here: " + ways);
        both.set("mesh", folder.write("good.msh", good).c_str());
        CHECK(refusal(both) == "stiffness: and \"mesh\" both describe the body; keep one of them");
    }

    TEST_CASE("a list of tetrahedra is the mesh, in any order of middles and corners") {
        const BoxElements box{{2, 1, 1}, {2.0, 0.4, 0.3}, 2e6, 0.3, 800.0};
        const ElementFolder folder(box);
        FakeArguments arguments = schema();
        arguments.set("young", box.young).set("poisson", box.poisson).set("density", box.density);
        FakeArguments listed = arguments;
        const std::string mesh = tetrahedra(box);
        arguments.set("mesh", folder.write("box.msh", mesh).c_str());
        std::vector<double> nodes, volumes;
        for (int i = 0; i < box.num_nodes(); ++i) {
            const Vec3 x = box.position(i);
            nodes.insert(nodes.end(), {10.0 * i + 5, x(0), x(1), x(2)});
        }
        std::mt19937 random(9);
        std::size_t at = mesh.find("3 1 11 12\n") + 10;
        for (int k = 0; k < 12; ++k) {
            std::array<double, 11> row{};
            for (double& x : row) {
                std::size_t used = 0;
                x = std::stod(mesh.substr(at, 20), &used);
                at += used;
            }
            std::shuffle(row.begin() + 1, row.begin() + 5, random);
            std::shuffle(row.begin() + 5, row.end(), random);
            volumes.insert(volumes.end(), row.begin() + 1, row.end());
        }
        listed.set_matrix("nodes", 4, nodes).set_matrix("tetrahedra", 10, volumes);
        const Eigen::VectorXd found = reduction_of(*make(listed)).omega_squared,
                              expected = reduction_of(*make(arguments)).omega_squared;
        CHECK((found - expected).cwiseQuotient(expected).cwiseAbs().maxCoeff() <= tolerance(1e-9));
        std::vector<double> damaged = volumes;
        damaged[5] = damaged[6];
        CHECK(refusal(listed.set_matrix("tetrahedra", 10, damaged)) ==
              "tetrahedra: row 1: the last six nodes are not the middles of the edges between the "
              "first four");
        damaged = volumes;
        damaged[12] = 4.0;
        CHECK(refusal(listed.set_matrix("tetrahedra", 10, damaged)) ==
              "tetrahedra: row 2: there is no node 4");
    }
}
