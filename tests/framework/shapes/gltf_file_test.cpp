// SPDX-License-Identifier: BSD-3-Clause
// glTF against triangles that a program of its own has put in place (make_gltf.py beside the
// files), and every damage with its words.
#include "gltf_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ancora {
namespace {

using Triangle = std::array<std::array<double, 3>, 3>;

std::string seed(const std::string& name) {
    std::ifstream file(ANCORA_TEST_SOURCE_DIR "/tests/fuzz/seeds/surface/" + name,
                       std::ios::binary);
    REQUIRE_MESSAGE(file, name);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Triangle> triangles_of(const TriangleMesh& mesh) {
    std::vector<Triangle> out;
    for (const auto& t : mesh.triangles) {
        Triangle& next = out.emplace_back();
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t c = 0; c < 3; ++c)
                next[k][c] = static_cast<double>(mesh.points.at(t[k])[c]);
    }
    return out;
}

bool is_same(const Triangle& a, const Triangle& b) {
    double most = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(a[k][c] - b[k][c]));
    return most < 1e-6;
}

TriangleMesh gltf(const std::string& bytes) {
    return read_surface(bytes, SurfaceFormat::gltf);
}

std::string refusal(const std::string& bytes, const ReadNeighbour& neighbour = {}) {
    try {
        read_surface(bytes, SurfaceFormat::gltf, neighbour);
    } catch (const SurfaceError& error) {
        return error.what();
    }
    return "";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, from);
    return text.replace(at, from.size(), to);
}

/// One triangle, with `more` keys of the document and another text in the place of a piece.
std::string triangle(const std::string& more = "") {
    return R"({"asset": {"version": "2.0"}, )" + more +
           R"("nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}],
"buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,)"
           // (0 0 0) (1 0 0) (0 1 0)
           "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";
}

TEST_SUITE("glTF") {
    TEST_CASE("nodes, strips, fans, strides, quantised points and a mirror, in all three manners") {
        const std::vector<Triangle> expected =
            triangles_of(read_surface(seed("parts_in_place.obj"), SurfaceFormat::obj));
        REQUIRE(expected.size() == 16);
        const std::string numbers = seed("parts.bin");
        for (const char* name : {"parts.glb", "parts.gltf", "parts_inside.gltf"}) {
            CAPTURE(name);
            int opened = 0;
            const TriangleMesh mesh =
                read_surface(seed(name), SurfaceFormat::gltf, [&](const std::string& path) {
                    CHECK(path == "parts.bin");
                    ++opened;
                    return numbers;
                });
            CHECK(opened == (std::string(name) == "parts.gltf" ? 1 : 0));
            const std::vector<Triangle> found = triangles_of(mesh);
            CHECK(found.size() == expected.size());
            for (const Triangle& t : expected)
                CHECK(std::ranges::count_if(found, [&](const Triangle& other) {
                          return is_same(t, other);
                      }) == 1);
        }
    }

    TEST_CASE("coordinates are the file's: y stays y") {
        const TriangleMesh mesh = gltf(triangle());
        REQUIRE(mesh.points.size() == 3);
        CHECK(mesh.points[1] == std::array<float, 3>{1, 0, 0});
        CHECK(mesh.points[2] == std::array<float, 3>{0, 1, 0});
        CHECK(mesh.triangles == std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}});
    }

    TEST_CASE("a binary file that is cut, too long or lies about its parts is refused") {
        const std::string whole = seed("parts.glb");
        CHECK(refusal(whole.substr(0, 15)) ==
              "is cut short: it has 15 bytes, and a binary glTF file begins with 20");
        CHECK(refusal(whole.substr(0, 1000)) ==
              "is damaged: it says that it has 2340 bytes, and has 1000");
        CHECK(refusal(whole + "more") ==
              "is damaged: it says that it has 2340 bytes, and has 2344");
        std::string other = whole;
        other[4] = 1;
        CHECK(refusal(other) == "is of glTF 1; 2.0 is read");
        other = whole;
        other[15] = '\x7F';
        CHECK(refusal(other).find("part 0 says that it has 21307") != std::string::npos);
        other = whole;
        other[16] = 'X';
        CHECK(refusal(other) == "is damaged: its first part, and only that, is JSON");
    }

    TEST_CASE("counts, offsets and indices that lead outside are refused with their entry") {
        CHECK(refusal(with(triangle(), "\"count\": 3", "\"count\": 6")) ==
              "is damaged: accessor 0 ends at byte 72 of a bufferView of 36");
        CHECK(refusal(with(triangle(), "\"count\": 3", "\"count\": 4611686018427387904"))
                  .find("accessor 0: \"count\" is 4611686018427387904") != std::string::npos);
        CHECK(refusal(with(triangle(), "\"count\": 3", "\"count\": 2")) ==
              "is damaged: primitive 0 of mesh 0 has 2 corners, which make no whole triangles");
        CHECK(refusal(with(triangle(), "\"byteOffset\": 0", "\"byteOffset\": 4")) ==
              "is damaged: bufferView 0 ends at byte 40 of a buffer of 36");
        CHECK(refusal(with(triangle(), "\"byteOffset\": 0", "\"byteOffset\": -1"))
                  .find("bufferView 0: \"byteOffset\" is -1") != std::string::npos);
        CHECK(refusal(with(triangle(), "{\"byteLength\": 36,", "{\"byteLength\": 37,")) ==
              "is damaged: buffer 0 says that it has 37 bytes, and has 36");
        CHECK(refusal(with(triangle(), "\"buffer\": 0", "\"buffer\": 1"))
                  .find("bufferView 0: \"buffer\" is 1, not from 0 to 0") != std::string::npos);
        CHECK(
            refusal(with(triangle(), "\"mesh\": 0", "\"mesh\": 7")).find("node 0: \"mesh\" is 7") !=
            std::string::npos);
        CHECK(refusal(with(triangle(), "\"mesh\": 0", "\"mesh\": \"a\""))
                  .find("is a text, not a whole number") != std::string::npos);
        CHECK(refusal(with(triangle(), "\"VEC3\"", "\"VEC2\""))
                  .find("accessor 0: \"type\" is not \"VEC3\"") != std::string::npos);
        CHECK(refusal(with(triangle(), "5126", "5124")).find("positions cannot have") !=
              std::string::npos);
        CHECK(refusal(with(triangle(), "AAAAAAAA", "AA*AAAAA")) ==
              "is damaged: base64 of a buffer: character 3 is none of it");
        // a float that is not a number, behind three others
        CHECK(refusal(with(triangle(), "base64,AAAAAAAAAAAAAAAA", "base64,AAAAAAAAAAAAAMB/")) ==
              "point 0 of primitive 0 of mesh 0 is not finite");
        CHECK(refusal("<html>").find("it is no JSON document") != std::string::npos);
        CHECK(refusal(triangle("\"scene\": 0, \"scenes\": [{}], ")) == "holds no triangle");
        CHECK(refusal(with(seed("parts_inside.gltf"), "\"rotation\": [", "\"rotation\": [9, "))
                  .find("node 0: \"rotation\" has not 4 entries") != std::string::npos);
    }

    TEST_CASE(
        "nodes in a circle, and meshes shown so often that they fill the memory, are refused") {
        CHECK(refusal(with(triangle("\"scenes\": [{\"nodes\": [0]}], "),
                           "[{\"mesh\": 0}]",
                           "[{\"children\": [1]}, {\"children\": [0]}]")) ==
              "is damaged: node 0 stands twice in the tree of nodes");
        CHECK(refusal(with(triangle(), "[{\"mesh\": 0}]", "[{\"children\": [0]}]")) ==
              "holds no triangle");
        std::string nodes = "[{\"mesh\": 0}", primitives = "[";
        for (int i = 0; i < 1100; ++i) nodes += ",{\"mesh\":0}";
        const std::string one = "{\"attributes\": {\"POSITION\": 0}}";
        for (int i = 0; i < 1000; ++i) primitives += one + ",";
        const std::string many = with(triangle(), "[{\"mesh\": 0}]", nodes + "]");
        std::string lines = primitives;
        for (std::size_t at = 0; (at = lines.find("{\"att", at)) != std::string::npos; at += 12)
            lines.insert(at + 1, "\"mode\":1,");
        CHECK(refusal(with(many, "[" + one, lines + one)) == "has more than 1000000 parts");
    }

    TEST_CASE("more triangles than are drawn are refused before they are made") {
        const std::string fan = with(with(with(triangle(),
                                               "\"count\": 3, \"type\": \"VEC3\"}",
                                               R"("count": 3, "type": "VEC3"},
{"bufferView": 0, "componentType": 5121, "count": 1000003, "type": "SCALAR"})"),
                                          "\"POSITION\": 0}",
                                          "\"POSITION\": 0}, \"mode\": 6, \"indices\": 1"),
                                     "\"byteLength\": 36}",
                                     "\"byteLength\": 1000003}");
        const std::string beside = fan.substr(0, fan.find("\"buffers\"")) +
                                   "\"buffers\": [{\"byteLength\": 1000003, \"uri\": \"b\"}]}";
        CHECK(refusal(beside,
                      [](const std::string&) {
                          return std::string(1000003, '\0');
                      }) ==
              "has 1000001 triangles, more than the 1000000 that are drawn; make a coarser one");
    }

    TEST_CASE("what is not read is named with what to do") {
        CHECK(refusal(triangle("\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], ")) ==
              "cannot be read without its extension \"KHR_draco_mesh_compression\", which is not "
              "known here; save it without, for instance without compression");
        CHECK(refusal(triangle("\"extensionsRequired\": [\"KHR_materials_unlit\"], ")) == "");
        CHECK(refusal(with(triangle(), "\"2.0\"", "\"1.0\"")) == "is of glTF 1.0; 2.0 is read");
        CHECK(refusal(with(triangle(), "\"count\": 3", "\"count\": 3, \"sparse\": {}")) ==
              "keeps accessor 0 sparse, which is not read; save it with whole arrays");
    }

    TEST_CASE("files beside it are asked for by what they are called, others are not opened") {
        const std::string text = seed("parts.gltf");
        CHECK(refusal(text) == "keeps a buffer in another file, \"parts.bin\"");
        const auto never = [](const std::string& path) -> std::string {
            throw std::logic_error("opened " + path);
        };
        for (const char* uri : {"/etc/hostname",
                                "../parts.bin",
                                "a/../../parts.bin",
                                "%2e%2e/parts.bin",
                                "%2Fetc/hostname",
                                "http://example.org/parts.bin",
                                "a\\\\parts.bin",
                                "parts%00.bin",
                                ""}) {
            CAPTURE(uri);
            CHECK(refusal(with(text, "parts.bin", uri), never)
                      .find("only files beside it are opened") != std::string::npos);
        }
        std::string asked;
        CHECK(refusal(with(text, "parts.bin", "a%20b/..c.bin"), [&](const std::string& path) {
                  asked = path;
                  return seed("parts.bin");
              }) == "");
        CHECK(asked == "a b/..c.bin");
    }

    TEST_CASE("changed at random, a file gives a sound mesh or is refused") {
        std::mt19937 random(7);
        const auto below = [&](std::size_t most) {
            return random() % most;
        };
        int refused = 0, read = 0;
        for (const char* name : {"parts.glb", "parts_inside.gltf"}) {
            const std::string whole = seed(name);
            for (int i = 0; i < 4000; ++i) {
                std::string bytes = whole;
                for (std::size_t k = 1 + below(4); k > 0; --k) {
                    const std::size_t at = below(bytes.size());
                    switch (below(3)) {
                        case 0:
                            bytes[at] = static_cast<char>(random());
                            break;
                        case 1:  // another digit
                            if (const std::size_t digit = bytes.find_first_of("0123456789", at);
                                digit != std::string::npos)
                                bytes[digit] = static_cast<char>('0' + below(10));
                            break;
                        default:
                            bytes.insert(at, 1 + below(3), static_cast<char>('0' + below(10)));
                    }
                }
                try {
                    const TriangleMesh mesh = gltf(bytes);
                    ++read;
                    bool is_sound = !mesh.triangles.empty();
                    for (const auto& point : mesh.points)
                        for (const float x : point) is_sound &= std::isfinite(x);
                    for (const auto& t : mesh.triangles)
                        for (const std::int32_t corner : t)
                            is_sound &= corner >= 0 &&
                                        static_cast<std::size_t>(corner) < mesh.points.size();
                    REQUIRE(is_sound);
                } catch (const SurfaceError&) {
                    ++refused;
                }
            }
        }
        CHECK(refused > 500);
        CHECK(read > 500);
    }
}

}  // namespace
}  // namespace ancora
