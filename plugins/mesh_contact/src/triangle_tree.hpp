// SPDX-License-Identifier: BSD-3-Clause
// A tree of boxes about triangles: which of them are near.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::contact {

/// Made by the Flexible Collision Library, which is asked for candidates alone: no distance of its
/// is part of a result.
class TriangleTree {
public:
    TriangleTree(std::span<const Vec3> corners, std::span<const std::array<int, 3>> triangles);
    TriangleTree(const TriangleTree&) = delete;
    TriangleTree& operator=(const TriangleTree&) = delete;
    ~TriangleTree();

    /// Triangles whose boxes meet the one from `low` to `high`, ascending; `out` has room for all.
    void near(const Vec3& low, const Vec3& high, std::vector<int>& out) const;
    /// Asks distance(triangle) of those that may be nearer to p than the least of all answers and
    /// `within`.
    template <class Distance>
    void nearest(const Vec3& p, double within, Distance&& distance) const {
        nearest_by(
            p,
            within,
            [](void* of, int triangle) {
                return (*static_cast<std::remove_reference_t<Distance>*>(of))(triangle);
            },
            &distance);
    }

private:
    struct Boxes;
    using Ask = double (*)(void* of, int triangle);
    void nearest_by(const Vec3& p, double within, Ask ask, void* of) const;
    std::unique_ptr<Boxes> boxes_;
};

}  // namespace ancora::contact
