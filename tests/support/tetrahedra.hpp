// SPDX-License-Identifier: BSD-3-Clause
// Cells of a grid, each cut into six tetrahedra with ten nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace ancora::testing {

/// Calls visit(places) for each tetrahedron of positive volume of a grid with so many cells along
/// each axis: ten places on the grid of corners and middles of edges, two for a cell, in the order
/// of Gmsh.
template <class Visit>
void for_each_tetrahedron(const std::array<int, 3>& counts, const Visit& visit) {
    using Place = std::array<int, 3>;
    constexpr std::array<std::pair<std::size_t, std::size_t>, 10> kEnds = {
        {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};
    for (int x = 0; x < counts[0]; ++x)
        for (int y = 0; y < counts[1]; ++y)
            for (int z = 0; z < counts[2]; ++z) {
                std::array<std::size_t, 3> axes = {0, 1, 2};
                do {
                    // From corner to opposite corner along the axes in one of six orders.
                    std::array<Place, 4> c{};
                    c[0] = {2 * x, 2 * y, 2 * z};
                    for (std::size_t k = 0; k < 3; ++k) {
                        c[k + 1] = c[k];
                        c[k + 1][axes[k]] += 2;
                    }
                    const bool is_odd =
                        (axes[0] > axes[1]) != ((axes[0] > axes[2]) != (axes[1] > axes[2]));
                    if (is_odd) std::swap(c[2], c[3]);
                    std::array<Place, 10> places{};
                    for (std::size_t i = 0; i < places.size(); ++i)
                        for (std::size_t k = 0; k < 3; ++k)
                            places[i][k] = (c[kEnds[i].first][k] + c[kEnds[i].second][k]) / 2;
                    visit(places);
                } while (std::ranges::next_permutation(axes).found);
            }
}

}  // namespace ancora::testing
