// SPDX-License-Identifier: BSD-3-Clause
// Tests of nets from mesh files: what the formats say, groups, and each message at its place.
#include "ancora/mesh/mesh.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/testing/fake_arguments.hpp"
#include "support/mesh_file.hpp"

namespace {

using ancora::mesh::MeshParts;
using ancora::mesh::Net;
using ancora::test::FakeArguments;
using ancora::testing::kGmsh;
using File = ancora::testing::MeshFile;
using Pairs = std::vector<std::pair<int, int>>;
using Ints = std::vector<std::int32_t>;

constexpr MeshParts kEdges = {.edges = true, .faces = false};
constexpr MeshParts kFaces = {.edges = false, .faces = true};

Net net_of(const std::string& content, const MeshParts& parts = {}) {
    const File file(content);
    FakeArguments arguments;
    arguments.set("mesh", file.path());
    return ancora::mesh::read_net(arguments, "mesh", parts, "; to take their edges: edges = true");
}

// "LINE:COLUMN: MESSAGE", or nothing if the file is taken.
std::string refusal(const std::string& content, const MeshParts& parts = {}) {
    try {
        net_of(content, parts);
    } catch (const std::runtime_error& error) {
        return std::string(error.what()).substr(std::strlen("mesh:"));
    }
    return "";
}

Pairs pairs(const Net& net) {
    Pairs out;
    for (const auto [a, b] : net.lines) out.emplace_back(a, b);
    return out;
}

const ancora::mesh::Group& group(const Net& net, const std::string& name) {
    const auto found = std::ranges::find(net.groups, name, &ancora::mesh::Group::name);
    REQUIRE(found != net.groups.end());
    return *found;
}

// The first `from` replaced by `to`; it must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

// A zigzag of four points as a polyline and a line.
const std::string kVtk = R"(# vtk DataFile Version 3.0
a zigzag
ASCII
DATASET POLYDATA
POINTS 4 double
0 0 0  1 0 0
1 1 0  2 1 0.5
LINES 2 7
3 0 1 2
2 2 3
)";

const std::string kVtu = R"(<?xml version="1.0"?>
<!-- a comment -->
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid>
<Piece NumberOfPoints="4" NumberOfCells="3">
<Points>
<DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0  1 0 0
1 1 0  2 1 0.5
</DataArray>
</Points>
<Cells>
<DataArray type="Int32" Name="connectivity" format="ascii">
0 1 1 2
2 3
</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii"> 2 4 6 </DataArray>
<DataArray type="UInt8" Name="types" format="ascii"> 3 3 3 </DataArray>
</Cells>
<CellData>
<DataArray type="Int32" Name="part" format="ascii"> 1 -2 1 </DataArray>
<DataArray type="Float32" Name="load" format="ascii"> 1.5 2 1 </DataArray>
</CellData>
</Piece>
</UnstructuredGrid>
</VTKFile>
)";

// The bytes of numbers as a machine that keeps the lowest, or the highest, byte first writes them.
template <class T>
std::string bytes(const std::vector<T>& numbers, bool lowest_first = true) {
    std::string out;
    for (const T number : numbers) {
        char raw[sizeof(T)];
        std::memcpy(raw, &number, sizeof(T));
        const std::uint16_t probe = 1;
        const bool is_lowest_first_here = *reinterpret_cast<const char*>(&probe) == 1;
        if (lowest_first != is_lowest_first_here) std::reverse(raw, raw + sizeof(T));
        out.append(raw, sizeof(T));
    }
    return out;
}

std::string base64(const std::string& in) {
    const char* const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < in.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < in.size() ? static_cast<unsigned char>(in[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k <= in.size() ? letters[bits >> (18 - 6 * k) & 63u] : '=';
    }
    return out;
}

enum class Coding { inline_base64, appended_base64, appended_raw };

// The network of kVtu in binary.
std::string binary_vtu(Coding coding, bool lowest_first, bool long_head) {
    std::string appended;
    const auto array = [&](const std::string& attributes, const std::string& data) {
        const auto size = data.size();
        const std::string head =
            long_head ? bytes<std::uint64_t>({size}, lowest_first)
                      : bytes<std::uint32_t>({static_cast<std::uint32_t>(size)}, lowest_first);
        const std::string start = "<DataArray " + attributes;
        if (coding == Coding::inline_base64)
            return start + " format=\"binary\">\n  " + base64(head + data) + "\n</DataArray>\n";
        const std::string offset = std::to_string(appended.size());
        appended += coding == Coding::appended_raw ? head + data : base64(head) + base64(data);
        return start + " format=\"appended\" offset=\"" + offset + "\"/>\n";
    };
    std::string out = std::string("<VTKFile type=\"UnstructuredGrid\" byte_order=\"") +
                      (lowest_first ? "LittleEndian" : "BigEndian") + "\"" +
                      (long_head ? " header_type=\"UInt64\"" : "") +
                      ">\n<UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"3\">\n";
    out +=
        "<Points>" +
        array("type=\"Float32\"",
              bytes<float>({0, 0, 0, 1, 0, 0, 1, 1, 0, 2, 1, 0.5f}, lowest_first)) +
        "</Points>\n<Cells>" +
        array("type=\"Int64\" Name=\"connectivity\"",
              bytes<std::int64_t>({0, 1, 1, 2, 2, 3}, lowest_first)) +
        array("type=\"UInt16\" Name=\"offsets\"", bytes<std::uint16_t>({2, 4, 6}, lowest_first)) +
        array("type=\"UInt8\" Name=\"types\"", bytes<std::uint8_t>({3, 3, 3}, lowest_first)) +
        "</Cells></Piece></UnstructuredGrid>\n";
    if (coding != Coding::inline_base64)
        out += std::string("<AppendedData encoding=\"") +
               (coding == Coding::appended_raw ? "raw" : "base64") + "\">\n _" + appended +
               "\n</AppendedData>\n";
    return out + "</VTKFile>\n";
}

const std::vector<double> kZigzag = {0, 0, 0, 1, 0, 0, 1, 1, 0, 2, 1, 0.5};
const Pairs kZigzagLines = {{0, 1}, {1, 2}, {2, 3}};

}  // namespace

TEST_SUITE("mesh files") {
    TEST_CASE("Gmsh: nodes of lines in the file's order, tags of any size, other nodes left out") {
        const Net net = net_of(kGmsh);
        // Tags 10^12, 3, 12, 20, 25; 30 belongs to no line
        CHECK(net.x == std::vector<double>{2, 0, 0.5, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.1});
        CHECK(pairs(net) == Pairs{{1, 2}, {2, 0}, {0, 4}, {4, 3}});
    }

    TEST_CASE("Gmsh: physical groups by name, of points and lines; an unnamed one by its number") {
        const Net net = net_of(kGmsh);
        CHECK(group(net, "tip").nodes == Ints{0});
        CHECK(group(net, "tip").lines.empty());
        CHECK(group(net, "lower rim").nodes == Ints{0, 1, 2});
        CHECK(group(net, "lower rim").lines == Ints{0, 1});
        CHECK(group(net, "boom").nodes == Ints{0, 3, 4});
        CHECK(group(net, "boom").lines == Ints{2, 3});
        CHECK(group(net, "curve_7").lines == Ints{2, 3});
    }

    TEST_CASE("edges of faces are taken if asked for, each once") {
        const Net net = net_of(kGmsh, kEdges);
        // Of the square 3, 12, 25, 20 the edges 3-12 and 25-20 are lines already
        CHECK(pairs(net) == Pairs{{1, 2}, {2, 0}, {0, 4}, {4, 3}, {2, 4}, {3, 1}});
        CHECK(group(net, "surface_3").lines == Ints{0, 3, 4, 5});
    }

    TEST_CASE(
        "faces are taken if asked for, with their nodes and groups, and without lines as well") {
        const Net net = net_of(kGmsh, {.edges = true, .faces = true});
        REQUIRE(net.num_faces() == 1);
        const auto face = net.face(0);
        CHECK(Ints(face.begin(), face.end()) == Ints{1, 2, 4, 3});
        CHECK(group(net, "surface_3").faces == Ints{0});
        CHECK(group(net, "surface_3").lines == Ints{0, 3, 4, 5});
        CHECK(group(net, "surface_3").nodes == Ints{1, 2, 3, 4});
        CHECK(group(net, "boom").faces.empty());
        CHECK(net_of(kGmsh, kFaces).lines.size() == 4);
        CHECK(net_of(kGmsh).num_faces() == 0);

        const std::string faces =
            replaced(replaced(kVtk, "LINES 2 7", "POLYGONS 1 4"), "3 0 1 2\n2 2 3\n", "3 0 1 2\n");
        const Net alone = net_of(faces, kFaces);
        CHECK(alone.lines.empty());
        CHECK(alone.num_nodes() == 3);
        CHECK(alone.num_faces() == 1);
        CHECK(refusal(replaced(faces, "\n3 0 1 2\n", "\n3 0 1 0\n"), kFaces)
                  .ends_with("a face has node 0 at two corners"));
        CHECK(refusal(replaced(kVtk, "LINES 2 7\n3 0 1 2\n2 2 3\n", ""), kFaces) ==
              "1:1: there are no line elements and no faces");
    }

    TEST_CASE("VTK: lines and polylines, cells of both versions, and sections of no concern") {
        const Net net = net_of(kVtk);
        CHECK(net.x == kZigzag);
        CHECK(pairs(net) == kZigzagLines);

        const std::string newer =
            replaced(replaced(kVtk,
                              "LINES 2 7\n3 0 1 2\n2 2 3\n",
                              "METADATA\nINFORMATION 1\nNAME L2 LOCATION v\n"
                              "DATA 2 0 1\n\nLINES 3 5\nOFFSETS vtktypeint64\n"
                              "0 3 5\nCONNECTIVITY vtktypeint64\n0 1 2 2 3\n"),
                     "Version 3.0",
                     "Version 5.1");
        CHECK(pairs(net_of(newer)) == kZigzagLines);

        const std::string grid = replaced(replaced(kVtk, "POLYDATA", "UNSTRUCTURED_GRID"),
                                          "LINES 2 7\n3 0 1 2\n2 2 3\n",
                                          "CELLS 4 13\n2 0 1\n1 0\n2 1 2\n4 0 1 2 3\n"
                                          "CELL_TYPES 4\n3 1 3 9\n");
        CHECK(pairs(net_of(grid)) == Pairs{{0, 1}, {1, 2}});
        CHECK(pairs(net_of(grid, kEdges)) == Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
    }

    TEST_CASE("VTK: one whole number per cell or point makes groups") {
        const Net net = net_of(kVtk +
                               "CELL_DATA 2\nSCALARS part int 1\nLOOKUP_TABLE default\n"
                               "4 -1\nFIELD f 2\nload 2 2 float\n1 2 3 4\n"
                               "kind 1 2 long\n8 8\nPOINT_DATA 4\nSCALARS end int\n"
                               "LOOKUP_TABLE default\n1 0 0 1\nVECTORS w double\n");
        CHECK(group(net, "part_4").lines == Ints{0, 1});
        CHECK(group(net, "part_4").nodes == Ints{0, 1, 2});
        CHECK(group(net, "part_-1").lines == Ints{2});
        CHECK(group(net, "kind_8").lines == Ints{0, 1, 2});
        CHECK(group(net, "end_1").nodes == Ints{0, 3});
        CHECK(net.groups.size() == 5);
    }

    TEST_CASE("VTK XML: as text, as base64, and appended, in either byte order") {
        const Net net = net_of(kVtu);
        CHECK(net.x == kZigzag);
        CHECK(pairs(net) == kZigzagLines);
        CHECK(group(net, "part_1").lines == Ints{0, 2});
        CHECK(group(net, "part_-2").lines == Ints{1});
        CHECK(net.groups.size() == 2);

        for (const Coding coding :
             {Coding::inline_base64, Coding::appended_base64, Coding::appended_raw})
            for (const bool lowest_first : {true, false})
                for (const bool long_head : {true, false}) {
                    CAPTURE(static_cast<int>(coding));
                    CAPTURE(lowest_first);
                    CAPTURE(long_head);
                    const Net same = net_of(binary_vtu(coding, lowest_first, long_head));
                    CHECK(same.x == kZigzag);
                    CHECK(pairs(same) == kZigzagLines);
                }
    }

    TEST_CASE("lines may end in CR LF") {
        for (const std::string& plain : {kGmsh, kVtk, kVtu}) {
            std::string dos;
            for (const char c : plain) dos += c == '\n' ? "\r\n" : std::string(1, c);
            const Net net = net_of(dos), same = net_of(plain);
            CHECK(net.x == same.x);
            CHECK(pairs(net) == pairs(same));
            CHECK(net.groups.size() == same.groups.size());
        }
        CHECK(refusal("$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\nx") ==
              "4:1: expected a section such as \"$Nodes\", found \"x\"");
    }

    TEST_CASE("VTK XML: .vtp, whose lines are polylines") {
        std::string text = replaced(kVtu, "\"UnstructuredGrid\"", "\"PolyData\"");
        text = replaced(text, "<UnstructuredGrid>", "<PolyData>");
        text = replaced(text, "</UnstructuredGrid>", "</PolyData>");
        text = replaced(text, "NumberOfCells=\"3\"", "NumberOfVerts=\"0\" NumberOfLines=\"2\"");
        text = replaced(text, "<Cells>", "<Lines>");
        text = replaced(text, "</Cells>", "</Lines>");
        text = replaced(text, "0 1 1 2\n2 3\n", "0 1 2\n2 3\n");
        text = replaced(text, " 2 4 6 ", " 3 5 ");
        text = replaced(text, " 1 -2 1 ", " 7 9 ");
        const Net net = net_of(text);
        CHECK(pairs(net) == kZigzagLines);
        CHECK(group(net, "part_7").lines == Ints{0, 1});
    }
}

// What kGmsh holds in format 2.2, which lists an element once for each of its groups.
const std::string kOldGmsh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
0 5 "tip"
1 1 "lower rim"
1 2 "boom"
$EndPhysicalNames
$Nodes
6
40 2 0 0.5
3 0 0 0
12 1 0 0
20 0 1 0
30 9 9 9
25 1 1 1e-1
$EndNodes
$Elements
8
1 15 2 5 9 40
10 1 2 1 1 3 12
11 1 2 1 1 12 40
14 1 2 7 2 40 25
15 1 2 2 2 40 25
16 1 2 7 2 25 20
17 1 2 2 2 25 20
60 3 4 3 4 1 1 3 12 25 20
$EndElements
)";

const std::string kNames =
    "$PhysicalNames\n3\n0 5 \"tip\"\n1 1 \"lower rim\"\n1 2 \"boom\"\n$EndPhysicalNames\n";

// The same as bytes, in either order.
std::string old_gmsh_bytes(bool lowest_first) {
    const auto ints = [lowest_first](const std::vector<std::int32_t>& n) {
        return bytes(n, lowest_first);
    };
    std::string out =
        "$MeshFormat\n2.2 1 8\n" + ints({1}) + "\n$EndMeshFormat\n" + kNames + "$Nodes\n6\n";
    const auto node = [&](std::int32_t tag, const std::vector<double>& x) {
        out += ints({tag}) + bytes(x, lowest_first);
    };
    node(40, {2, 0, 0.5});
    node(3, {0, 0, 0});
    node(12, {1, 0, 0});
    node(20, {0, 1, 0});
    node(30, {9, 9, 9});
    node(25, {1, 1, 0.1});
    out += "\n$EndNodes\n$Elements\n8\n";
    out += ints({15, 1, 2, 1, 5, 9, 40});
    out += ints({1, 6, 2, 10, 1, 1, 3, 12, 11, 1, 1, 12, 40});
    out += ints({14, 7, 2, 40, 25, 15, 2, 2, 40, 25, 16, 7, 2, 25, 20, 17, 2, 2, 25, 20});
    out += ints({3, 1, 2, 60, 3, 4, 3, 12, 25, 20});
    return out + "\n$EndElements\n";
}

// kGmsh as bytes, in either order.
std::string gmsh_bytes(bool lowest_first) {
    const auto ints = [lowest_first](const std::vector<std::int32_t>& n) {
        return bytes(n, lowest_first);
    };
    const auto longs = [lowest_first](const std::vector<std::int64_t>& n) {
        return bytes(n, lowest_first);
    };
    const auto reals = [lowest_first](const std::vector<double>& x) {
        return bytes(x, lowest_first);
    };
    std::string out = "$MeshFormat\n4.1 1 8\n" + ints({1}) + "\n$EndMeshFormat\n" + kNames +
                      "$Entities\n" + longs({1, 2, 1, 0});
    out += ints({9}) + reals({2, 0, 0.5}) + longs({1}) + ints({5});
    out +=
        ints({1}) + reals({0, 0, 0, 2, 0, 0}) + longs({1}) + ints({1}) + longs({2}) + ints({9, -9});
    out += ints({2}) + reals({0, 0, 0, 2, 1, 0}) + longs({2}) + ints({-7, 2}) + longs({2}) +
           ints({9, -9});
    out += ints({4}) + reals({0, 0, 0, 2, 1, 0}) + longs({1}) + ints({3}) + longs({2}) +
           ints({1, -2}) + "\n$EndEntities\n$Nodes\n" + longs({3, 6, 3, 40});
    out += ints({0, 9, 0}) + longs({1, 40}) + reals({2, 0, 0.5});
    out += ints({1, 1, 1}) + longs({2, 3, 12}) + reals({0, 0, 0, 0.25, 1, 0, 0, 0.75});
    out += ints({2, 4, 0}) + longs({3, 20, 30, 25}) + reals({0, 1, 0, 9, 9, 9, 1, 1, 0.1});
    out += "\n$EndNodes\n$Elements\n" + longs({4, 6, 1, 60});
    out += ints({0, 9, 15}) + longs({1, 1, 40});
    out += ints({1, 1, 1}) + longs({2, 10, 3, 12, 11, 12, 40});
    out += ints({1, 2, 1}) + longs({2, 12, 40, 25, 14, 25, 20});
    out += ints({2, 4, 3}) + longs({1, 60, 3, 12, 25, 20});
    return out + "\n$EndElements\n";
}

TEST_SUITE("truss: formats of Gmsh") {
    TEST_CASE("version 2.2 and files of bytes hold the same net") {
        for (const std::string& file : {kOldGmsh,
                                        old_gmsh_bytes(true),
                                        old_gmsh_bytes(false),
                                        gmsh_bytes(true),
                                        gmsh_bytes(false)})
            for (const MeshParts& parts :
                 {MeshParts{}, kEdges, kFaces, MeshParts{.edges = true, .faces = true}}) {
                CAPTURE(file.substr(0, 20));
                const Net expected = net_of(kGmsh, parts), net = net_of(file, parts);
                CHECK(net.x == expected.x);
                CHECK(pairs(net) == pairs(expected));
                CHECK(net.corners == expected.corners);
                CHECK(net.ends == expected.ends);
                REQUIRE(net.groups.size() == expected.groups.size());
                for (std::size_t k = 0; k < net.groups.size(); ++k) {
                    CAPTURE(net.groups[k].name);
                    CHECK(net.groups[k].name == expected.groups[k].name);
                    CHECK(net.groups[k].nodes == expected.groups[k].nodes);
                    CHECK(net.groups[k].lines == expected.groups[k].lines);
                    CHECK(net.groups[k].faces == expected.groups[k].faces);
                }
            }
    }

    TEST_CASE("what is wrong with them is said with its place") {
        const auto damaged = [](const std::string& from, const std::string& to) {
            return refusal(replaced(kOldGmsh, from, to));
        };
        CHECK(damaged("2.2 0", "3 0") ==
              "2:1: this is version \"3\" of the format, but 4.1 or 2.2 is needed: save the mesh "
              "with Mesh.MshFileVersion = 4.1");
        CHECK(damaged("25 20\n17", "25 21\n17") == "26:15: there is no node 21 in $Nodes");
        CHECK(damaged("25 1 1 1e-1", "20 1 1 1e-1") == "17:1: node 20 stands there twice");
        CHECK(damaged("\n8\n", "\n9\n") ==
              "29:1: expected an element's number, a whole number, found \"$EndElements\"");
        CHECK(damaged("11 1 2 1 1 12 40", "11 1 2 1 1 3 12") ==
              "23:12: nodes 3 and 12 are joined by two lines; keep one of them");
        CHECK(damaged("11 1 2 1 1 12 40", "11 1 2 1 1 12") ==
              "23:14: the line ends where a node's number should stand");
        CHECK(damaged("$Nodes", "$ParametricNodes") ==
              "10:1: nodes carry parameters; save the mesh with Mesh.SaveParametric = 0");
        CHECK(refusal(replaced(gmsh_bytes(true), "4.1 1 8", "4.1 1 4")) ==
              "2:7: numbers have 4 bytes, but 8 are needed");
        CHECK(refusal(replaced(kGmsh, "4.1 0", "4.1 1")) ==
              "3:1: expected the number 1 as four bytes");
        for (const std::string& whole : {old_gmsh_bytes(true), gmsh_bytes(false)})
            for (std::size_t cut = 0; cut + 2 < whole.size(); cut += 5) {
                CAPTURE(cut);
                CHECK(!refusal(whole.substr(0, cut)).empty());
            }
        const std::string cut = refusal(gmsh_bytes(true).substr(0, 400));
        CHECK(cut.starts_with("2:1: "));
        CHECK(cut.find("it is cut short, at byte ") != std::string::npos);
    }
}

TEST_SUITE("truss: mesh files that are refused") {
    TEST_CASE("formats that are not read say how to write one that is") {
        CHECK(refusal(replaced(kGmsh, "4.1 0", "4.0 0")) ==
              "2:1: this is version \"4.0\" of the format, but 4.1 or 2.2 is needed: save the mesh "
              "with Mesh.MshFileVersion = 4.1");
        CHECK(refusal(replaced(kVtk, "ASCII", "BINARY")) ==
              "3:1: this is a binary file, but text is needed: save it as ASCII");
        CHECK(refusal(replaced(kVtk, "POLYDATA", "STRUCTURED_GRID")) ==
              "4:9: a network is POLYDATA or UNSTRUCTURED_GRID, not \"STRUCTURED_GRID\"");
        CHECK(refusal(replaced(binary_vtu(Coding::appended_raw, true, false),
                               "byte_order",
                               "compressor=\"vtkZLibDataCompressor\" byte_order")) ==
              "3:10: the data are compressed; save them without compression (ParaView: Compressor "
              "Type None) or as text");
        CHECK(refusal("solar ascii\n") ==
              "1:1: is neither a mesh of Gmsh (.msh, begins with \"$MeshFormat\") nor of VTK "
              "(.vtk, .vtu, .vtp), nor whole STL");
        CHECK(refusal("") == refusal("soli"));
    }

    TEST_CASE("STL: as text and as bytes, equal corners are one node") {
        const std::string facets[] = {"0 0 0", "1 0 0", "0 2 0", "0 2 0", "1 0 0", "1 2 -0.5"};
        std::string text = "solid two\n", bytes(80, 's');
        const auto put = [&bytes](const auto& x) {
            std::array<char, sizeof(x)> of{};
            std::memcpy(of.data(), &x, sizeof(x));
            bytes.append(of.begin(), of.end());
        };
        put(std::uint32_t{2});
        for (int t = 0; t < 2; ++t) {
            text += " facet normal 0 0 1\n  outer loop\n";
            for (int k = 0; k < 3; ++k) put(0.0F);
            for (int k = 0; k < 3; ++k) {
                const std::string& corner = facets[3 * t + k];
                text += "   vertex " + corner + "\n";
                std::istringstream numbers(corner);
                for (float x = 0.0F; numbers >> x;) put(x);
            }
            put(std::uint16_t{0});
            text += "  endloop\n endfacet\n";
        }
        for (const std::string& file : {text + "endsolid two\n", bytes}) {
            const Net net = net_of(file, kFaces);
            CHECK(net.x == std::vector<double>{0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, -0.5});
            CHECK(net.corners == Ints{0, 1, 2, 2, 1, 3});
            CHECK(net.ends == Ints{3, 6});
        }
        CHECK(refusal(replaced(text, "endfacet", "facet"), kFaces) ==
              "8:2: expected \"endfacet\", found \"facet\"");
        CHECK(refusal(replaced(text, "1 2 -0.5", "1 2 nan"), kFaces).starts_with("13:15: "));
        CHECK(refusal(replaced(text, "1 2 -0.5", "1 2"), kFaces).starts_with("13:14: "));
        CHECK(refusal(replaced(text, "1 2 -0.5", "0 2 0"), kFaces).starts_with("9:2: "));
        CHECK(refusal("solid nothing\nendsolid\n", kFaces) ==
              "1:1: there are no line elements and no faces");
        CHECK(!refusal(bytes.substr(0, 150), kFaces).empty());
        // Cut short behind a facet, and facets of no solid
        const std::string first = text.substr(0, text.find("endfacet") + 9);
        CHECK(refusal(first, kFaces) == "8:2: the file ends without \"endsolid\": it is cut short");
        CHECK(refusal(first + "endsolid\n" + first, kFaces).ends_with("it is cut short"));
        CHECK(refusal(first + "endsolid\n facet", kFaces) ==
              "10:2: expected \"solid\", found \"facet\"");
        CHECK(refusal(first + first, kFaces)
                  .ends_with("expected \"facet\" or \"endsolid\", found \"solid\""));
    }

    TEST_CASE("no lines, lines of length zero, lines given twice") {
        const std::string faces =
            replaced(replaced(kVtk, "LINES 2 7", "POLYGONS 1 4"), "3 0 1 2\n2 2 3\n", "3 0 1 2\n");
        CHECK(refusal(faces) ==
              "1:1: there are no line elements, only faces (1); to take their edges: "
              "edges = true");
        CHECK(refusal(faces, kEdges) == "");
        CHECK(refusal(replaced(kVtk, "LINES 2 7\n3 0 1 2\n2 2 3\n", "")) ==
              "1:1: there are no line elements");
        CHECK(refusal(replaced(kGmsh, "14 25 20", "14 25 25")) ==
              "47:1: a line joins node 25 to itself");
        CHECK(refusal(replaced(kGmsh, "1 1 1e-1", "0 1 0")) ==
              "47:1: a line has length zero: nodes 25 and 20 are both at [0, 1, 0]");
        CHECK(refusal(replaced(kGmsh, "14 25 20", "14 12 3")) ==
              "47:1: nodes 3 and 12 are joined by two lines; keep one of them");
        CHECK(refusal(replaced(kVtk, "2 2 3", "2 2 1")) ==
              "10:1: nodes 1 and 2 are joined by two lines; keep one of them");
    }

    TEST_CASE("nodes that do not exist, and nodes that exist twice") {
        CHECK(refusal(replaced(kGmsh, "14 25 20", "14 25 21")) ==
              "47:7: there is no node 21 in $Nodes");
        CHECK(refusal(replaced(kGmsh, "20\n30", "20\n12")) == "32:1: node 12 stands there twice");
        CHECK(refusal(replaced(kVtk, "2 2 3", "2 2 4")) ==
              "10:5: there is no point 4; the file has 4, counted from 0");
        CHECK(refusal(replaced(kVtu, "2 3\n", "2 -3\n")) ==
              "15:3: there is no point -3; the file has 4, counted from 0");
    }

    TEST_CASE("numbers that are none, or not finite") {
        CHECK(refusal(replaced(kGmsh, "1 0 0 0.75", "1 nan 0 0.75")) ==
              "29:3: a node's y is \"nan\", not a finite number");
        CHECK(refusal(replaced(kGmsh, "1 0 0 0.75", "1 1e999 0 0.75")) ==
              "29:3: a node's y is \"1e999\", not a finite number");
        CHECK(refusal(replaced(kGmsh, "1 0 0 0.75", "1 0,5 0 0.75")) ==
              "29:3: expected a node's y, a number, found \"0,5\"");
        CHECK(refusal(replaced(kGmsh, "10 3 12", "10 3.5 12")) ==
              "43:4: expected a node's number, a whole number, found \"3.5\"");
        CHECK(refusal(replaced(kVtk, "2 1 0.5", "2 1 -inf")) ==
              "7:12: a point's z is \"-inf\", not a finite number");
        CHECK(refusal(replaced(kVtu, "2 1 0.5", "2 1 NaN")) ==
              "9:12: a point's coordinate is \"NaN\", not a finite number");
    }

    TEST_CASE("counts that do not fit what follows") {
        CHECK(refusal(replaced(kGmsh, "3 6 3", "3 7 3")) ==
              "21:3: the section announces 7 nodes, but its blocks hold 6");
        CHECK(refusal(replaced(kGmsh, "4 6 1 60", "4 5 1 60")) ==
              "39:3: the section announces 5 elements, but its blocks hold 6");
        CHECK(refusal(replaced(kGmsh, "2 4 0 3\n", "2 4 0 2\n")) ==
              "33:3: the line ends where a node's y should stand");
        CHECK(refusal(replaced(kGmsh, "10 3 12 ", "10 3 ")) ==
              "43:6: the line ends where a node's number should stand");
        CHECK(refusal(replaced(kGmsh, "11 12 1000000000000 ", "11 12 3 20")) ==
              "44:9: expected the end of the line after an element's nodes, found \"20\"");
        CHECK(refusal(replaced(kVtk, "LINES 2 7", "LINES 2 8")) ==
              "10:5: the cells have 7 entries, but the section announces 8");
        CHECK(refusal(replaced(kVtu, "Points=\"4\"", "Points=\"5\"")) ==
              "7:2: holds 12 numbers, but needs 15: 3 for each point");
        CHECK(refusal(replaced(kVtu, " 2 4 6 ", " 2 4 7 ")) ==
              "15:1: cell 2 ends at entry 7 of 6, and begins at 4");
    }

    // Nothing is allocated for what a count merely claims.
    TEST_CASE("counts beyond the file's size") {
        CHECK(refusal(replaced(kGmsh, "2 4 0 3\n", "2 4 0 4000000000000000000\n")) ==
              "30:7: the number of nodes in a block is 4000000000000000000, more than the rest of "
              "the file holds; it is cut short, or the number is wrong");
        CHECK(refusal(replaced(kVtk, "POINTS 4", "POINTS 99999999999999999999")) ==
              "5:8: expected the number of points, a whole number, found "
              "\"99999999999999999999\"");
        CHECK(
            refusal(replaced(kVtk, "2 2 3", "900 2 3")) ==
            "10:1: the number of a cell's points is 900, more than the rest of the file holds; it "
            "is cut short, or the number is wrong");
        CHECK(refusal(replaced(kVtu, "Cells=\"3\"", "Cells=\"123456789012\"")) ==
              "5:2: NumberOfCells is 123456789012, more than the file holds; it is cut short, or "
              "the number is wrong");
    }

    TEST_CASE("a file that is cut short anywhere is refused, not half read") {
        for (const std::string& whole :
             {kGmsh, kVtk, kVtu, binary_vtu(Coding::appended_raw, true, true)})
            for (std::size_t size = 0; size + 4 < whole.size(); ++size) {
                // Behind the last number that is needed nothing can be missed
                if (whole == kVtk && size > whole.find("2 2 3")) continue;
                if (whole.find("raw") != std::string::npos && size > whole.size() - 30) continue;
                CAPTURE(whole.substr(0, size));
                CHECK(refusal(whole.substr(0, size)) != "");
            }
    }

    // Changed bytes lead to a refusal or to another network, never to anything else.
    TEST_CASE("changed bytes do no harm") {
        std::mt19937 engine(1);
        for (const std::string& whole : {kGmsh,
                                         kVtk,
                                         kVtu,
                                         binary_vtu(Coding::inline_base64, true, false),
                                         binary_vtu(Coding::appended_raw, true, false)})
            for (int k = 0; k < 300; ++k) {
                std::string changed = whole;
                for (int i = 0; i < 1 + k % 3; ++i)
                    changed[engine() % changed.size()] = k % 2 == 0
                                                             ? "0123456789-. \n<\"$"[engine() % 17]
                                                             : static_cast<char>(engine());
                refusal(changed, {.edges = k % 5 == 0, .faces = k % 3 == 0});
            }
    }

    TEST_CASE("few bytes that stand for many are refused in time") {
        // each of 20 000 lines in each of 20 000 groups
        constexpr int kMany = 20'000;
        std::string file =
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 1 0 0\n1 0 0 0 1 0 0 " +
            std::to_string(kMany);
        for (int i = 1; i <= kMany; ++i) file += ' ' + std::to_string(i);
        const std::string n = std::to_string(kMany);
        file += " 0\n$EndEntities\n$Nodes\n1 " + n + " 1 " + n + "\n1 1 0 " + n + "\n";
        for (int i = 1; i <= kMany; ++i) file += std::to_string(i) + '\n';
        for (int i = 1; i <= kMany; ++i) file += std::to_string(i) + " 0 0\n";
        const std::string lines = std::to_string(kMany - 1);
        file += "$EndNodes\n$Elements\n1 " + lines + " 1 " + lines + "\n1 1 1 " + lines + "\n";
        for (int i = 1; i < kMany; ++i)
            file +=
                std::to_string(i) + ' ' + std::to_string(i) + ' ' + std::to_string(i + 1) + '\n';
        CHECK(refusal(file + "$EndElements\n") ==
              "1:1: its groups have 399980000 members together, expected at most 100000000");

        // arrays without components, each of a million entries that have no text
        file =
            "# vtk DataFile Version 3.0\nnet\nASCII\nDATASET POLYDATA\nPOINTS 2 float\n0 0 0 1 0 "
            "0\nLINES 1 3\n2 0 1\nFIELD f 100000\n";
        for (int i = 0; i < 100'000; ++i) file += "a 0 1000000 int\n";
        file += std::string(2'000'000, ' ');
        CHECK(refusal(file) == "");

        // arrays that name the same bytes
        const std::string array =
            "<DataArray type=\"Int32\" Name=\"a\" format=\"appended\" offset=\"0\"/>\n";
        file =
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"2\" "
            "NumberOfCells=\"0\">\n<Points><DataArray type=\"Float64\" format=\"ascii\">0 0 0 1 0 "
            "0</DataArray></Points><PointData>\n";
        for (int i = 0; i < 10'000; ++i) file += array;
        file += "</PointData></Piece></UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
        const std::uint32_t size = 4'000'000;
        file.append(reinterpret_cast<const char*>(&size), sizeof size);
        file += std::string(size, '\0') + "</AppendedData></VTKFile>";
        CHECK(refusal(file) == "4:2: shares its data with other arrays");
    }

    TEST_CASE("partitioned meshes, curved elements, sections without an end") {
        CHECK(refusal(replaced(kGmsh, "$Comments", "$PartitionedEntities")) ==
              "4:1: the mesh is partitioned; save it as a whole");
        CHECK(refusal(replaced(kGmsh, "1 2 1 2\n", "1 2 8 2\n")) ==
              "45:5: elements of type 8 have nodes between their corners; mesh with "
              "Mesh.ElementOrder = 1");
        CHECK(refusal(replaced(kGmsh, "$EndComments", "")) == "4:1: $Comments has no $EndComments");
        CHECK(refusal(replaced(kVtu, " 3 3 3 ", " 3 21 3 ")) ==
              "14:5: cell 1 has nodes between its corners (type 21); save elements of first order");
        CHECK(refusal(replaced(kVtu, "</Cells>", "</Cell>")).find("not well-formed XML") !=
              std::string::npos);
    }
}
