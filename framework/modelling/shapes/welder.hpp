// SPDX-License-Identifier: BSD-3-Clause
// Puts triangles together that share corners.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "surface_file.hpp"

namespace ancora {

using Point = std::array<float, 3>;

struct PointHash {
    std::size_t operator()(const Point& p) const {
        std::uint64_t h = 0;
        for (const float x : p) {
            h = (h ^ std::bit_cast<std::uint32_t>(x)) * 0x9E3779B97F4A7C15u;
            h ^= h >> 29;
        }
        return static_cast<std::size_t>(h);
    }
};

/// Takes triangles, and gives a mesh in which equal corners are one point.
class Welder {
public:
    std::int32_t index(Point p) {
        for (float& x : p) x += 0.0F;  // -0 is 0
        const auto [known, is_new] =
            known_.emplace(p, static_cast<std::int32_t>(mesh_.points.size()));
        if (is_new) mesh_.points.push_back(p);
        return known->second;
    }
    void add(const std::array<std::int32_t, 3>& t) {
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh_.triangles.push_back(t);
    }
    /// Without points that no triangle has.
    TriangleMesh take() {
        if (mesh_.triangles.empty()) throw SurfaceError("holds no triangle");
        std::vector<std::int32_t> number(mesh_.points.size(), -1);
        TriangleMesh out;
        for (std::array<std::int32_t, 3> t : mesh_.triangles) {
            for (std::int32_t& corner : t) {
                std::int32_t& n = number[corner];
                if (n < 0) {
                    n = static_cast<std::int32_t>(out.points.size());
                    out.points.push_back(mesh_.points[corner]);
                }
                corner = n;
            }
            out.triangles.push_back(t);
        }
        return out;
    }

private:
    TriangleMesh mesh_;
    std::unordered_map<Point, std::int32_t, PointHash> known_;
};

/// What is wrong with a file of so many.
inline std::string too_many(std::uint64_t count) {
    return fmt::format("has {} triangles, more than the {} that are drawn; make a coarser one",
                       count,
                       kMostTriangles);
}

}  // namespace ancora
