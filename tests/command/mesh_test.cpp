// SPDX-License-Identifier: BSD-3-Clause
// Networks from mesh files through the `ancora` program: the same results as from a grid, and
// messages that point into the mesh file.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

constexpr int kNx = 4, kNy = 3;
constexpr double kSpacing = 0.3;

// The numbers of a grid's nodes and elements as the plugin's README has them, written by hand here.
struct Grid {
    std::vector<std::string> nodes;
    std::vector<std::pair<int, int>> elements;

    Grid() {
        for (int j = 0; j < kNy; ++j)
            for (int i = 0; i < kNx; ++i) {
                char text[80];
                std::snprintf(text, sizeof text, "%.17g %.17g 0", i * kSpacing, j * kSpacing);
                nodes.emplace_back(text);
            }
        for (int j = 0; j < kNy; ++j)
            for (int i = 0; i + 1 < kNx; ++i) elements.emplace_back(j * kNx + i, j * kNx + i + 1);
        for (int j = 0; j + 1 < kNy; ++j)
            for (int i = 0; i < kNx; ++i) elements.emplace_back(j * kNx + i, (j + 1) * kNx + i);
    }

    std::string joined(const std::string& separator, int shift = 0) const {
        std::string out;
        for (const auto& [a, b] : elements)
            out += std::to_string(a + shift) + ' ' + std::to_string(b + shift) + separator;
        return out;
    }
    std::string positions() const {
        std::string out;
        for (const std::string& node : nodes) out += node + '\n';
        return out;
    }
};

std::string msh(const Grid& grid) {
    const std::string num_nodes = std::to_string(grid.nodes.size());
    const std::string num_elements = std::to_string(grid.elements.size() + 1);
    std::string out =
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n0 1 \"tip\"\n1 2 "
        "\"net\"\n$EndPhysicalNames\n$Entities\n1 1 0 0\n5 0 0 0 1 1\n"
        "1 0 0 0 1 1 0 1 2 0\n$EndEntities\n$Nodes\n1 " +
        num_nodes + " 7 " + std::to_string(grid.nodes.size() + 6) + "\n1 1 0 " + num_nodes + '\n';
    for (std::size_t k = 0; k < grid.nodes.size(); ++k) out += std::to_string(k + 7) + '\n';
    out += grid.positions() + "$EndNodes\n$Elements\n2 " + num_elements + " 1 " + num_elements +
           "\n0 5 15 1\n1 7\n1 1 1 " + std::to_string(grid.elements.size()) + '\n';
    int tag = 2;
    for (const auto& [a, b] : grid.elements) {
        out += std::to_string(tag++) + ' ' + std::to_string(a + 7) + ' ' + std::to_string(b + 7);
        out += " \n";
    }
    return out + "$EndElements\n";
}

std::string vtk(const Grid& grid) {
    std::string lines;
    for (const auto& [a, b] : grid.elements)
        lines += "2 " + std::to_string(a) + ' ' + std::to_string(b) + '\n';
    return "# vtk DataFile Version 3.0\ngrid\nASCII\nDATASET POLYDATA\nPOINTS " +
           std::to_string(grid.nodes.size()) + " double\n" + grid.positions() + "LINES " +
           std::to_string(grid.elements.size()) + ' ' + std::to_string(3 * grid.elements.size()) +
           '\n' + lines;
}

std::string vtu(const Grid& grid) {
    std::string ends, types;
    for (std::size_t k = 0; k < grid.elements.size(); ++k) {
        ends += std::to_string(2 * k + 2) + ' ';
        types += "3 ";
    }
    const auto array = [](const std::string& attributes, const std::string& text) {
        return "<DataArray " + attributes + " format=\"ascii\">\n" + text + "</DataArray>\n";
    };
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
           "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"" +
           std::to_string(grid.nodes.size()) + "\" NumberOfCells=\"" +
           std::to_string(grid.elements.size()) + "\">\n<Points>\n" +
           array("type=\"Float64\" NumberOfComponents=\"3\"", grid.positions()) +
           "</Points>\n<Cells>\n" +
           array("type=\"Int64\" Name=\"connectivity\"", grid.joined("\n")) +
           array("type=\"Int64\" Name=\"offsets\"", ends) +
           array("type=\"UInt8\" Name=\"types\"", types) +
           "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

// A net hung by node 0; `network` is the key that describes it, on line 5.
std::string model(const std::string& network) {
    return "[[body]]\nname = \"net\"\ntype = \"truss\"\n" + ("area = 1.0e-5\n" + network) +
           "\nyoung = 1.0e7\ndensity = 1000.0\nvelocity = [0.0, 0.0, 0.0]\n"
           "[[constraint]]\nname = \"peg\"\ntype = \"position\"\na = \"net@0\"\n"
           "b = \"ground@[0.0, 0.0, 0.0]\"\n"
           "[integrator]\ntype = \"emm\"\nstep = 1.0e-3\nend = 0.05\n"
           "[model]\ngravity = [1.0, -3.0, -9.81]\n[output]\npoints = [\"net@11\"]\n";
}

// The error that a model with this mesh file causes, in a folder below the current one.
ProcessResult run_mesh(const std::string& name, const std::string& text, const std::string& more) {
    const TempFolder folder;
    folder.write("models/" + name, text);
    folder.write("models/m.toml", model("mesh = \"" + name + "\"") + more);
    return run_ancora(folder, {"run", "models/m.toml", "--quiet"});
}

TEST_SUITE("mesh files") {
    TEST_CASE("a grid, a .msh, a .vtk and a .vtu of the same network give the same bytes") {
        const Grid grid;
        const TempFolder folder;
        folder.write("models/net.msh", msh(grid));
        folder.write("models/net.vtk", vtk(grid));
        folder.write("models/net.vtu", vtu(grid));
        const std::string counts = "grid = { counts = [4, 3], spacing = [0.3, 0.3] }";
        folder.write("models/grid.toml", model(counts));
        for (const std::string kind : {"msh", "vtk", "vtu"})
            folder.write("models/" + kind + ".toml", model("mesh = \"net." + kind + "\""));
        for (const std::string name : {"grid", "msh", "vtk", "vtu"}) {
            const ProcessResult result = run_ancora(
                folder, {"run", "models/" + name + ".toml", "--quiet", "--out", "out-" + name});
            CHECK(result.err == "");
            REQUIRE(result.status == 0);
        }
        const std::string history = folder.read("out-grid/history.csv");
        CHECK(history.size() > 1000);
        CHECK(folder.read("out-msh/history.csv") == history);
        CHECK(folder.read("out-vtk/history.csv") == history);
        CHECK(folder.read("out-vtu/history.csv") == history);
    }

    TEST_CASE("a group of one node is a point of the output, a larger one is not") {
        const std::string mesh = msh(Grid());
        const std::string more =
            "[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = \"net@net\"\n"
            "b = \"ground@[0.9, 0.6, 0.0]\"\n";
        const TempFolder folder;
        folder.write("net.msh", mesh);
        std::string text = model("mesh = \"net.msh\"");
        folder.write("m.toml", text.replace(text.find("net@11"), 6, "net@tip"));
        const ProcessResult result = run_ancora(
            folder, {"run", "m.toml", "--quiet", "--set", "constraint.peg.a=\"net@tip\""});
        CHECK(result.err == "");
        CHECK(result.status == 0);
        CHECK(folder.read("results/m/history.csv").find(",net@tip.x,") != std::string::npos);

        const ProcessResult refused = run_mesh("net.msh", mesh, more);
        CHECK(refused.status == 3);
        CHECK(refused.err ==
              "models/m.toml:25:5: error: constraint \"pin\": \"net@net\": group \"net\" has 12 "
              "nodes; a point is a group of one node\n");
    }

    TEST_CASE("values of groups stand under the groups' names, and mistakes are told there") {
        const std::string mesh = msh(Grid());
        const TempFolder folder;
        folder.write("net.msh", mesh);
        const std::string whole = model("mesh = \"net.msh\"");
        const auto run = [&](const std::string& groups) {
            std::string text = whole;
            folder.write("m.toml", text.replace(text.find("[[constraint]]"), 0, groups));
            return run_ancora(folder, {"run", "m.toml", "--quiet"});
        };
        // All elements are in the group "net": the same as if the truss had the value
        CHECK(run("groups.net = { young = 2.0e7 }\n").status == 0);
        const std::string history = folder.read("results/m/history.csv");
        folder.write("m.toml", whole);
        CHECK(run_ancora(folder, {"run", "m.toml", "--quiet", "--set", "body.net.young=2e7"})
                  .status == 0);
        CHECK(folder.read("results/m/history.csv") == history);

        const auto refused = [&](const std::string& groups, const std::string& message) {
            const ProcessResult result = run(groups);
            CHECK(result.status == 3);
            CHECK(result.err == "m.toml:" + message + "\n");
        };
        refused("[body.groups.boom]\nyoung = 2.0e7\n",
                "9:1: error: body \"net\": groups.boom: there is no group \"boom\"; this truss has "
                "\"net\", \"tip\"");
        refused("groups.net = { yung = 2.0e7 }\n",
                "9:16: error: body \"net\": groups.net: unknown key \"yung\"; did you mean "
                "\"young\"?");
        refused("groups.tip = { area = 1.0e-4 }\n",
                "9:23: error: body \"net\": groups.tip.area: group \"tip\" has no elements, only "
                "nodes");
    }

    TEST_CASE("a file that is not there is status 6, a broken one status 3 with its own place") {
        const TempFolder folder;
        folder.write("m.toml", model("mesh = \"sail.msh\""));
        const ProcessResult missing = run_ancora(folder, {"run", "m.toml", "--quiet"});
        CHECK(missing.status == 6);
        CHECK(missing.err ==
              "m.toml:5:8: error: body \"net\": mesh: \"sail.msh\" does not exist\n");

        std::string mesh = msh(Grid());
        const std::size_t at = mesh.find("2 7 8 ");
        const ProcessResult broken = run_mesh("net.msh", mesh.replace(at, 6, "2 7 88 "), "");
        CHECK(broken.status == 3);
        CHECK(broken.err ==
              "models/net.msh:47:5: error: body \"net\": mesh: there is no node 88 in $Nodes\n");
    }
}

}  // namespace
}  // namespace ancora::testing
