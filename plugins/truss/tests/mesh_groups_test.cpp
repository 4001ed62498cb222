// SPDX-License-Identifier: BSD-3-Clause
// Tests of a truss whose network is a mesh file: its groups as points, as lists of nodes, as held.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "ancora/sdk/plugin.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

using ancora::test::FakeArguments;
using Ints = std::vector<std::int32_t>;

// A file that lives as long as this object.
class File {
public:
    explicit File(const std::string& content)
        : path_((std::filesystem::temp_directory_path() /
                 ("ancora-mesh-" + std::to_string(::getpid())))
                    .string()) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~File() { std::filesystem::remove(path_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    const char* path() const { return path_.c_str(); }

private:
    std::string path_;
};

// Two curves with four lines in all, and a square face; node 30 belongs to the face alone. Tags are
// sparse, one node carries a parameter, curve 2 is in two groups, one with a sign and no name.
const std::string kGmsh = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
free text $ 12
$EndComments
$PhysicalNames
3
0 5 "tip"
1 1 "lower rim"
1 2 "boom"
$EndPhysicalNames
$Entities
1 2 1 0
9 2 0 0.5 1 5
1 0 0 0 2 0 0 1 1 2 9 -9
2 0 0 0 2 1 0 2 2 -7 2 9 -9
4 0 0 0 2 1 0 1 3 2 1 -2
$EndEntities
$Nodes
3 6 3 1000000000000
0 9 0 1
1000000000000
2 0 0.5
1 1 1 2
3
12
0 0 0 0.25
1 0 0 0.75
2 4 0 3
20
30
25
0 1 0
9 9 9
1 1 1e-1
$EndNodes
$Elements
4 6 1 60
0 9 15 1
1 1000000000000
1 1 1 2
10 3 12 
11 12 1000000000000 
1 2 1 2
12 1000000000000 25
14 25 20
2 4 3 1
60 3 12 25 20
$EndElements
)";

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
        FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set("area", 1e-4).set("young", 70e9).set("density", 2700.0);
        return arguments;
    }

    std::unique_ptr<ancora::Body> make(const FakeArguments& arguments) {
        return std::unique_ptr<ancora::Body>(
            static_cast<ancora::Body*>(ancora_plugin_descriptor.types[0].create(arguments)));
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
        const auto nodes = body.group(name);
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
        CHECK_THROWS_WITH_AS(body->group("surface_3"),
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
        CHECK_THROWS_AS(make(chain)->group("rim"), std::invalid_argument);

        CHECK_THROWS_WITH_AS(
            make(rope().set("from", {0.0, 0.0, 0.0}).set("to", {1.0, 0.0, 0.0}))->group("rim"),
            "there is no group \"rim\"; this truss has none, only nodes 0 to 1",
            std::invalid_argument);
    }
}
