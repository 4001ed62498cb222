// SPDX-License-Identifier: BSD-3-Clause
// Files of triangles: both kinds of STL against each other, OBJ, and every damage with its words.
#include "surface_file.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace ancora {
namespace {

// Corners (0 0 0), (1 0 0), (0 1 0), (0 0 1), seen counter-clockwise from outside.
constexpr float kCorners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr int kFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::string text_stl() {
    std::string out = "solid wedge of four\n";
    for (const auto& face : kFaces) {
        out += "  facet normal 0 0 0\n    outer loop\n";
        for (const int corner : face) {
            out += "      vertex";
            for (const float x : kCorners[corner]) out += " " + std::to_string(x);
            out += "\n";
        }
        out += "    endloop\n  endfacet\n";
    }
    return out + "endsolid wedge of four\n";
}

void append(std::string& to, std::uint32_t x) {
    for (int k = 0; k < 4; ++k) to += static_cast<char>(x >> (8 * k) & 0xFF);
}
void append(std::string& to, float x) {
    append(to, std::bit_cast<std::uint32_t>(x));
}

// Begins with "solid", as files of some programs do.
std::string binary_stl(std::uint32_t claimed = 4) {
    std::string out = "solid made by a program";
    out.resize(80, ' ');
    append(out, claimed);
    for (const auto& face : kFaces) {
        for (int k = 0; k < 3; ++k) append(out, 0.0F);
        for (const int corner : face)
            for (const float x : kCorners[corner]) append(out, x);
        out += std::string(2, '\0');
    }
    return out;
}

TriangleMesh stl(const std::string& bytes) {
    return read_surface(bytes, SurfaceFormat::stl);
}
TriangleMesh obj(const std::string& bytes) {
    return read_surface(bytes, SurfaceFormat::obj);
}

/// Volume by the divergence theorem; positive if triangles are seen counter-clockwise from outside.
double volume(const TriangleMesh& mesh) {
    double sum = 0.0;
    for (const auto& t : mesh.triangles) {
        const auto& a = mesh.points[t[0]];
        const auto& b = mesh.points[t[1]];
        const auto& c = mesh.points[t[2]];
        sum += static_cast<double>(a[0] * (b[1] * c[2] - b[2] * c[1]) +
                                   a[1] * (b[2] * c[0] - b[0] * c[2]) +
                                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6.0;
    }
    return sum;
}

std::string refusal(SurfaceFormat format, const std::string& bytes) {
    try {
        read_surface(bytes, format);
    } catch (const SurfaceError& error) {
        const std::string place =
            error.line > 0 ? std::to_string(error.line) + ":" + std::to_string(error.column) + ": "
                           : "";
        return place + error.what();
    }
    return "";
}
std::string stl_refusal(const std::string& bytes) {
    return refusal(SurfaceFormat::stl, bytes);
}
std::string obj_refusal(const std::string& bytes) {
    return refusal(SurfaceFormat::obj, bytes);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST_SUITE("files of triangles") {
    TEST_CASE("text and binary STL give the same wedge, its corners welded") {
        const TriangleMesh a = stl(text_stl()), b = stl(binary_stl());
        CHECK(a.points.size() == 4);
        CHECK(a.triangles.size() == 4);
        CHECK(a.points == b.points);
        CHECK(a.triangles == b.triangles);
        CHECK(volume(a) == doctest::Approx(1.0 / 6.0).epsilon(1e-6));
    }

    TEST_CASE("keywords in capitals, line breaks of Windows and several solids are read") {
        std::string text;
        for (const char c : text_stl()) {
            if (c == '\n') text += '\r';
            text += static_cast<char>(std::toupper(c));
        }
        CHECK(stl(text + text).triangles.size() == 8);
    }

    TEST_CASE(
        "OBJ: polygons become fans, corners may be counted from the end, the rest is passed") {
        const TriangleMesh mesh =
            obj("# a wedge\nmtllib none.mtl\no part\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0\nv +0 -0 1e0\n"
                "vt 0.5 0.5\nvn 0 0 1\nusemtl steel\nf 1 3 2\nf 1/1 2/1/1 4//1\ns off\n"
                "f -4 -1 -2\nf 2 \\\n 3 4\n");
        CHECK(mesh.points == stl(text_stl()).points);
        CHECK(volume(mesh) == doctest::Approx(1.0 / 6.0).epsilon(1e-6));
        const TriangleMesh square = obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4");
        CHECK(square.triangles == std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}, {0, 2, 3}});
        CHECK(square.points.size() == 4);  // none that no face has
    }

    TEST_CASE("a triangle with two equal corners is none") {
        CHECK(obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 4\nf 1 2 3").triangles.size() == 1);
        CHECK(obj_refusal("v 0 0 0\nv 1 0 0\nv 0 0 0\nf 1 2 3") == "holds no triangle");
        CHECK(stl_refusal("solid\nendsolid\n") == "holds no triangle");
    }

    TEST_CASE("a binary file that is cut short, too long or lies is refused with its counts") {
        const std::string whole = binary_stl();
        CHECK(stl_refusal(whole.substr(0, whole.size() - 1)).find("1:1") != 0);
        CHECK(stl_refusal(std::string(60, 'x')) ==
              "is cut short: it has 60 bytes, and an STL file begins with 84");
        CHECK(stl_refusal(whole.substr(0, 200)) ==
              "is damaged: it says that it holds 4 triangles, which take 284 bytes, and has 200");
        CHECK(stl_refusal(whole + "more") ==
              "is damaged: it says that it holds 4 triangles, which take 284 bytes, and has 288");
        // a count that no memory holds takes none
        CHECK(stl_refusal(binary_stl(0xFFFFFFFF)) ==
              "is damaged: it says that it holds 4294967295 triangles, which take 214748364834 "
              "bytes, and has 284");
    }

    TEST_CASE("numbers that are not finite are refused with their triangle or line") {
        std::string bytes = binary_stl();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        std::string x;
        append(x, nan);
        bytes.replace(84 + 50 + 12 + 12, 4, x);
        CHECK(stl_refusal(bytes) == "corner 2 of triangle 2 of 4 is not finite");
        CHECK(stl_refusal(with(text_stl(), "vertex 0.0", "vertex nan 0.0")) ==
              "4:14: vertex: expected a finite number, got \"nan\"");
        CHECK(obj_refusal("v 0 0 0\nv 1e39 0 0\n") ==
              "2:3: v: expected a finite number, got \"1e39\"");
        CHECK(obj_refusal("v 0 0 1e999\n") == "1:7: v: expected a number, got \"1e999\"");
    }

    TEST_CASE("what a text has in the place of something else is named") {
        CHECK(stl_refusal(with(text_stl(), "endloop", "endlop")) ==
              "7:5: expected \"endloop\", got \"endlop\"");
        CHECK(stl_refusal(text_stl().substr(0, text_stl().find("vertex")))
                  .find("ends where \"vertex\" is expected") != std::string::npos);
        CHECK(stl_refusal("solid\nfacets\n") ==
              "2:1: expected \"facet\" or \"endsolid\", got \"facets\"");
        CHECK(obj_refusal("v 0 0\n") == "1:6: v: expected a number, got the end of the line");
        CHECK(obj_refusal("v 0 0 0\nf 1 2 3\n") ==
              "2:5: f: there is no point 2; up to here there are 1");
        CHECK(obj_refusal("v 0 0 0\nf 1 0 1\n") ==
              "2:5: f: there is no point 0; up to here there are 1");
        CHECK(obj_refusal("v 0 0 0\nf 1 -9223372036854775808 1\n").find("there is no point") !=
              std::string::npos);
        CHECK(obj_refusal("v 0 0 0\nf 1 a 1\n") ==
              "2:5: f: expected the number of a point, got \"a\"");
        CHECK(obj_refusal("v 0 0 0\nf 1 1\n") ==
              "2:6: f: a face has three corners or more, this one 2");
        CHECK(obj_refusal("<html>not a model</html>") == "holds no triangle");
    }

    TEST_CASE("more triangles than are drawn are refused while they are read") {
        std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        const std::string fan = [] {
            std::string face = "f";
            for (int k = 0; k < 10002; ++k) face += k % 3 == 0 ? " 1" : k % 3 == 1 ? " 2" : " 3";
            return face + "\n";
        }();
        for (int k = 0; k < 101; ++k) text += fan;
        CHECK(
            obj_refusal(text).find("has 1000001 triangles, more than the 1000000 that are drawn") !=
            std::string::npos);
    }
}

}  // namespace
}  // namespace ancora
