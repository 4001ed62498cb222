// SPDX-License-Identifier: BSD-3-Clause
// Tests of a truss whose network is a mesh file: its groups as points, as lists of nodes, as held.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/mesh_file.hpp"
#include "support/plugin_body.hpp"

namespace {

using ancora::test::FakeArguments;
using ancora::testing::kGmsh;
using ancora::testing::make;
using ancora::testing::schema;
using File = ancora::testing::MeshFile;
using Ints = std::vector<std::int32_t>;

}  // namespace

TEST_SUITE("truss: groups") {
    using ancora::Locator;

    struct Weights final : ancora::AttachmentSink {
        void weight(int, int coordinate, double) override { coordinates.push_back(coordinate); }
        void constant(int, double) override { FAIL("a node has no constant part"); }
        void nonlinear(int, std::span<const std::int32_t>) override { FAIL("a node is linear"); }
        std::vector<int> coordinates;
    };

    FakeArguments rope() {
        FakeArguments arguments = schema();
        arguments.set("area", 1e-4).set("young", 70e9).set("density", 2700.0);
        return arguments;
    }

    std::vector<int> attached(const ancora::Body& body, const char* name) {
        Locator where;
        where.kind = Locator::Kind::name;
        where.name = name;
        Weights sink;
        body.attach(where, sink);
        return sink.coordinates;
    }

    Ints listed(const ancora::Body& body, const char* name) {
        const auto nodes = facets_of(body).names->group(name);
        return {nodes.begin(), nodes.end()};
    }

    TEST_CASE("a group of one node is a point, any group a list of nodes") {
        const File file(kGmsh);
        const auto body = make(rope().set("mesh", file.path()));
        CHECK(attached(*body, "tip") == std::vector<int>{0, 1, 2});
        CHECK(listed(*body, "boom") == Ints{0, 3, 4});
        CHECK(listed(*body, "*") == Ints{0, 1, 2, 3, 4});
        CHECK_THROWS_WITH_AS(attached(*body, "boom"),
                             "group \"boom\" has 3 nodes; a point is a group of one node",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(attached(*body, "tips"),
                             "there is no group \"tips\"; this truss has \"boom\", \"curve_7\", "
                             "\"lower rim\", \"surface_3\", \"tip\"",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(facets_of(*body).names->group("surface_3"),
                             "group \"surface_3\" has no node of a line element",
                             std::invalid_argument);
    }

    TEST_CASE("the table form of `mesh` asks for edges") {
        const File file(kGmsh);
        FakeArguments arguments = rope();
        arguments.set_table("mesh").set("file", file.path()).set("edges", true);
        CHECK(make(arguments)->row_blocks()[0].num_items == 6);
    }

    TEST_CASE("a relaxed start is held by groups as by their nodes") {
        const auto hung = [](auto held) {
            FakeArguments arguments = rope();
            arguments.set_gravity({0.0, 0.0, -9.81}).set("start", "relaxed").set("young", 1e6);
            arguments.set_table("grid").set("counts", {5.0, 2.0}).set("spacing", {1.0, 1.0});
            held(arguments);
            const auto body = make(arguments);
            std::vector<double> q(30), v(30);
            body->start(q, v);
            return q;
        };
        CHECK(hung([](FakeArguments& to) {
                  to.set_texts("held", {"corner_0", "corner_1", "corner_3", "corner_2"});
              }) == hung([](FakeArguments& to) {
                  to.set("held", {0.0, 4.0, 5.0, 9.0});
              }));
        CHECK_THROWS_WITH(hung([](FakeArguments& to) {
                              to.set_texts("held", {"corner_4"});
                          }),
                          "held: there is no group \"corner_4\"; this truss has \"corner_0\", "
                          "\"corner_1\", \"corner_2\", \"corner_3\", \"rim\", \"along_first\", "
                          "\"along_second\"");
    }

    TEST_CASE("a grid has corners, a rim and its directions") {
        FakeArguments arguments = rope();
        arguments.set_table("grid").set("counts", {4.0, 3.0}).set("spacing", {1.0, 1.0});
        const auto body = make(arguments);
        CHECK(attached(*body, "corner_0") == std::vector<int>{0, 1, 2});
        CHECK(listed(*body, "corner_1") == Ints{3});
        CHECK(listed(*body, "corner_2") == Ints{8});
        CHECK(listed(*body, "corner_3") == Ints{11});
        CHECK(listed(*body, "rim") == Ints{0, 1, 2, 3, 4, 7, 8, 9, 10, 11});

        FakeArguments chain = rope();
        chain.set_table("grid").set("counts", {1.0, 3.0}).set("spacing", {1.0, 1.0});
        CHECK(listed(*make(chain), "corner_1") == Ints{2});
        CHECK_THROWS_AS(facets_of(*make(chain)).names->group("rim"), std::invalid_argument);

        CHECK_THROWS_WITH_AS(
            facets_of(*make(rope().set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0})))
                .names->group("rim"),
            "there is no group \"rim\"; this truss has \"from\", \"to\"",
            std::invalid_argument);
    }
}
