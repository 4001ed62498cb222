// SPDX-License-Identifier: BSD-3-Clause
// Reads STL: triangles one by one, whose equal corners are one node.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/mesh/mesh.hpp"
#include "cursor.hpp"

namespace ancora::mesh {
namespace {

constexpr std::size_t kStlHeader = 80;
constexpr std::size_t kStlStart = 84;  // the header, and how many triangles follow
constexpr std::size_t kStlTriangle = 50;

std::uint32_t stl_count(std::string_view file) {
    std::uint32_t n = 0;
    for (std::size_t k = 0; k < 4; ++k)
        n |= static_cast<std::uint32_t>(static_cast<unsigned char>(file[kStlHeader + k]))
             << (8 * k);
    return n;
}

bool has_size_of_count(std::string_view file) {
    return file.size() >= kStlStart &&
           file.size() == kStlStart + kStlTriangle * std::uint64_t{stl_count(file)};
}

/// Gives equal corners one number.
class Nodes {
public:
    explicit Nodes(Mesh& mesh) : mesh_(mesh) {}
    std::int32_t number(std::array<double, 3> x) {
        for (double& component : x) component += 0.0;  // -0 is 0
        const auto [known, is_new] = known_.emplace(x, mesh_.num_nodes());
        if (is_new) mesh_.add_node(x.data());
        return known->second;
    }

private:
    Mesh& mesh_;
    std::map<std::array<double, 3>, std::int32_t> known_;
};

void read_binary_stl(std::string_view file, Mesh& mesh) {
    Cursor words(file.substr(kStlStart), kStlStart);
    words.swap_bytes(std::endian::native != std::endian::little);
    Nodes nodes(mesh);
    const std::uint32_t count = stl_count(file);
    std::vector<std::int32_t> members;
    for (std::uint32_t t = 0; t < count; ++t) {
        for (int k = 0; k < 3; ++k) words.raw<float>("a normal");
        const std::size_t at = words.offset();
        std::vector<std::int32_t> corners;
        for (int corner = 0; corner < 3; ++corner) {
            std::array<double, 3> x{};
            for (double& component : x) {
                component = static_cast<double>(words.raw<float>("a corner"));
                if (!std::isfinite(component))
                    words.fail("a corner of triangle " + std::to_string(t) +
                               " is not a finite number");
            }
            corners.push_back(nodes.number(x));
        }
        words.raw<std::uint16_t>("two bytes behind a triangle");
        mesh.add_face(corners, at, members);
    }
}

bool is_stl_word(std::string_view word, std::string_view lower) {
    return std::ranges::equal(word, lower, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
}

void expect_word(Cursor& words, std::string_view wanted) {
    const std::string_view word = words.word("\"" + std::string(wanted) + "\"");
    if (!is_stl_word(word, wanted))
        words.fail("expected \"" + std::string(wanted) + "\", found " + Cursor::shown(word));
}

/// solid NAME, triangles, endsolid NAME; again for more solids.
void read_text_stl(std::string_view file, Mesh& mesh) {
    Cursor words(file);
    Nodes nodes(mesh);
    std::vector<std::int32_t> members;
    bool is_open = false;
    while (!words.at_end()) {
        const std::string_view word = words.word("\"facet\"");
        if (is_stl_word(word, is_open ? "endsolid" : "solid")) {
            is_open = !is_open;
            words.line();  // the name
            continue;
        }
        if (!is_open) words.fail("expected \"solid\", found " + Cursor::shown(word));
        if (!is_stl_word(word, "facet"))
            words.fail("expected \"facet\" or \"endsolid\", found " + Cursor::shown(word));
        const std::size_t at = words.offset();
        words.line();  // its normal, which follows from the corners
        expect_word(words, "outer");
        expect_word(words, "loop");
        std::vector<std::int32_t> corners;
        for (int corner = 0; corner < 3; ++corner) {
            expect_word(words, "vertex");
            std::array<double, 3> x{};
            for (double& component : x) component = words.number_on_line("a corner's coordinate");
            corners.push_back(nodes.number(x));
        }
        expect_word(words, "endloop");
        expect_word(words, "endfacet");
        mesh.add_face(corners, at, members);
    }
    if (is_open) words.fail("the file ends without \"endsolid\": it is cut short");
}

}  // namespace

bool is_stl(std::string_view file) {
    const std::size_t at = std::min(file.find_first_not_of(" \t\r\n"), file.size());
    return has_size_of_count(file) || is_stl_word(file.substr(at, 5), "solid");
}

void read_stl(std::string_view file, Mesh& mesh) {
    // Files of bytes may begin with "solid" too; their size says what they are.
    if (has_size_of_count(file))
        read_binary_stl(file, mesh);
    else
        read_text_stl(file, mesh);
}

}  // namespace ancora::mesh
