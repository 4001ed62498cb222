// SPDX-License-Identifier: BSD-3-Clause
// How much factors fill in, against what other programs leave.
#include "elimination_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "elimination_tree.hpp"
#include "sparse_matrices.hpp"

namespace ancora::testing {
namespace {

/// Mass of a grid of nodes that are tied to their neighbours, each in `axes` coordinates that do
/// not know of each other.
std::vector<std::pair<int, int>> mass_of_grid(int side, int axes) {
    std::vector<std::pair<int, int>> mass;
    for (int i = 0; i < axes * side * side; ++i) mass.emplace_back(i, i);
    for (const auto& [a, b] : grid(side, side))
        for (int axis = 0; axis < axes; ++axis) mass.emplace_back(axes * b + axis, axes * a + axis);
    return mass;
}

/// Entries of L below its diagonal.
long fill_of(const std::vector<std::pair<int, int>>& mass, const std::vector<int>& place) {
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& [i, j] : mass) entries.emplace_back(j, i, 1.0);
    Sparse upper(static_cast<int>(place.size()), static_cast<int>(place.size()));
    upper.setFromTriplets(entries.begin(), entries.end());
    const EliminationTree tree(permuted(upper, place));
    return std::accumulate(tree.count.begin(), tree.count.end(), 0L);
}

/// Coordinates `first`, `first` + `step`, ... of a body.
IslandPattern island(int count, int first, int step, std::vector<std::pair<int, int>> mass) {
    IslandPattern pattern;
    for (int i = 0; i < count; ++i) pattern.coordinates.push_back(first + step * i);
    pattern.mass = std::move(mass);
    pattern.row_start = {0};
    pattern.first_of_body = {0};
    return pattern;
}

constexpr int kSide = 100;
constexpr int kNodes = kSide * kSide;
// Of a grid of 100 x 100 with the diagonal, by minimum degree: CHOLMOD 3.0.14.
constexpr long kByCholmod = 206'332 - kNodes;

}  // namespace

TEST_SUITE_BEGIN("elimination_order");

TEST_CASE("the coordinates of a net fill in no more if they are those of one axis") {
    for (const int axis : {0, 1, 2}) {
        CAPTURE(axis);
        const auto mass = mass_of_grid(kSide, 1);
        const IslandPattern pattern = island(kNodes, axis, 3, mass);
        CHECK(fill_of(mass, elimination_order(pattern, mass)) <= 1.1 * kByCholmod);
    }
}

TEST_CASE("the nodes of a net are eliminated as one") {
    const auto mass = mass_of_grid(kSide, 3);
    const IslandPattern pattern = island(3 * kNodes, 0, 1, mass);
    const std::vector<int> place = elimination_order(pattern, mass);
    CHECK(fill_of(mass, place) <= 1.1 * 3 * kByCholmod);
    for (std::size_t i = 0; i < place.size(); i += 3) {
        CHECK(place[i + 1] == place[i] + 1);
        CHECK(place[i + 2] == place[i] + 2);
    }
}

// Of bodies in a row with joints between them, each body as one with its own rows.
TEST_CASE("small bodies come before the joints that tie them, and others where they are") {
    constexpr int kBodies = 6;
    constexpr int kOfBody = 12;
    std::vector<int> first_of_body;
    for (int b = 0; b < kBodies; ++b) first_of_body.push_back(kOfBody * b);
    EliminationGroups groups(kBodies * kOfBody, first_of_body, kBodies - 1);
    for (int joint = 0; joint + 1 < kBodies; ++joint) {
        groups.put_row(joint, groups.add());
        for (const int body : {joint, joint + 1})
            groups.connect(kBodies * kOfBody + joint, kOfBody * body);
    }
    std::vector<int> sequence = small_bodies_first(groups, groups.graph());
    REQUIRE(sequence.size() == std::size_t{2 * kBodies - 1});
    for (int b = 0; b < kBodies; ++b) CHECK(sequence[b] == b);
    std::ranges::sort(sequence);
    for (int g = 0; g < groups.size(); ++g) CHECK(sequence[g] == g);

    // A spring between two of them ties their coordinates: neither comes first.
    groups.connect(0, kOfBody);
    sequence = small_bodies_first(groups, groups.graph());
    for (int b = 2; b < kBodies; ++b) CHECK(sequence[b - 2] == b);

    EliminationGroups alone(kOfBody, {0}, 0);
    CHECK(small_bodies_first(alone, alone.graph()).empty());
}

TEST_SUITE_END();

}  // namespace ancora::testing
