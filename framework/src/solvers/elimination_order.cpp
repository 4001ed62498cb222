// SPDX-License-Identifier: BSD-3-Clause
// Groups, minimum degree, and rows that wait for their coordinates.
#include "elimination_order.hpp"

#include <algorithm>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace ancora {
namespace {

// Bodies up to this many coordinates are eliminated as one piece.
constexpr int kSmallBody = 24;

}  // namespace

std::vector<int> elimination_order(const IslandPattern& pattern,
                                   const std::vector<std::pair<int, int>>& mass) {
    const int n = pattern.num_coordinates();
    const int m = pattern.num_rows();
    const auto N = static_cast<std::size_t>(n + m);
    std::vector<int> group(N, -1);
    std::vector<char> is_small;  // per coordinate group: a whole body
    const std::size_t num_bodies = pattern.first_of_body.size();
    int num_groups = 0;
    for (std::size_t b = 0; b < num_bodies; ++b) {
        const int begin = pattern.first_of_body[b];
        const int end = b + 1 < num_bodies ? pattern.first_of_body[b + 1] : n;
        const bool is_whole = end - begin <= kSmallBody;
        for (int i = begin; i < end; ++i) {
            group[static_cast<std::size_t>(i)] = num_groups;
            const bool ends_group = i + 1 == end || (!is_whole && (i - begin) % 3 == 2);
            if (!ends_group) continue;
            ++num_groups;
            is_small.push_back(is_whole ? 1 : 0);
        }
    }
    const int num_coordinate_groups = num_groups;
    std::vector<int> room(static_cast<std::size_t>(num_coordinate_groups), 0);
    for (int i = 0; i < n; ++i)
        ++room[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])];

    // Rows of one small body join it; others form a group with their predecessors if they tie the
    // same coordinate groups.
    std::vector<std::vector<int>> ties;  // of each row group
    std::vector<int> num_rows_in;
    std::vector<int> tied;
    for (int k = 0; k < m; ++k) {
        tied.clear();
        for (int e = pattern.row_start[static_cast<std::size_t>(k)];
             e < pattern.row_start[static_cast<std::size_t>(k) + 1];
             ++e)
            tied.push_back(
                group[static_cast<std::size_t>(pattern.column[static_cast<std::size_t>(e)])]);
        std::sort(tied.begin(), tied.end());
        tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
        int& g = group[static_cast<std::size_t>(n + k)];
        if (tied.size() == 1 && is_small[static_cast<std::size_t>(tied.front())] != 0) {
            g = tied.front();
            --room[static_cast<std::size_t>(g)];
            continue;
        }
        if (ties.empty() || ties.back() != tied) {
            ties.push_back(tied);
            num_rows_in.push_back(0);
            ++num_groups;
        }
        g = num_groups - 1;
        ++num_rows_in.back();
    }

    std::vector<Eigen::Triplet<char>> edges;
    const auto connect = [&](int a, int b) {
        if (a == b) return;
        edges.emplace_back(a, b, char{1});
        edges.emplace_back(b, a, char{1});
    };
    for (const auto& [i, j] : mass)
        connect(group[static_cast<std::size_t>(i)], group[static_cast<std::size_t>(j)]);
    for (std::size_t g = 0; g < ties.size(); ++g)
        for (const int other : ties[g]) connect(num_coordinate_groups + static_cast<int>(g), other);
    for (int g = 0; g < num_groups; ++g) edges.emplace_back(g, g, char{1});
    Eigen::SparseMatrix<char> graph(num_groups, num_groups);
    graph.setFromTriplets(edges.begin(), edges.end(), [](char, char) {
        return char{1};
    });
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> elimination;
    Eigen::AMDOrdering<int>()(graph, elimination);

    std::vector<int> sequence;
    std::vector<char> is_placed(static_cast<std::size_t>(num_groups), 0);
    std::vector<std::vector<int>> waiting(static_cast<std::size_t>(num_coordinate_groups));
    const auto place = [&](int g) {
        sequence.push_back(g);
        is_placed[static_cast<std::size_t>(g)] = 1;
    };
    // Places a row group if there is room, and takes the room.
    const auto try_rows = [&](int g, bool has_to_wait) {
        const auto of = static_cast<std::size_t>(g - num_coordinate_groups);
        int left = 0;
        bool is_last = true;
        for (const int other : ties[of]) {
            if (is_placed[static_cast<std::size_t>(other)] != 0)
                left += std::max(0, room[static_cast<std::size_t>(other)]);
            else
                is_last = false;
        }
        if (left < 2 * num_rows_in[of] && !is_last) {
            if (has_to_wait)
                for (const int other : ties[of])
                    waiting[static_cast<std::size_t>(other)].push_back(g);
            return;
        }
        int to_take = num_rows_in[of];
        for (const int other : ties[of]) {
            if (is_placed[static_cast<std::size_t>(other)] == 0) continue;
            int& has = room[static_cast<std::size_t>(other)];
            const int taken = std::clamp(has, 0, to_take);
            has -= taken;
            to_take -= taken;
        }
        place(g);
    };
    for (int step = 0; step < num_groups; ++step) {
        const int g = elimination.indices()[step];
        if (g >= num_coordinate_groups) {
            try_rows(g, true);
            continue;
        }
        place(g);
        for (const int rows : waiting[static_cast<std::size_t>(g)])
            if (is_placed[static_cast<std::size_t>(rows)] == 0) try_rows(rows, false);
    }

    std::vector<std::vector<int>> members(static_cast<std::size_t>(num_groups));
    for (std::size_t i = 0; i < N; ++i)
        members[static_cast<std::size_t>(group[i])].push_back(static_cast<int>(i));
    std::vector<int> new_of_old(N, 0);
    int next = 0;
    for (const int g : sequence)
        for (const int i : members[static_cast<std::size_t>(g)])
            new_of_old[static_cast<std::size_t>(i)] = next++;
    return new_of_old;
}

}  // namespace ancora
