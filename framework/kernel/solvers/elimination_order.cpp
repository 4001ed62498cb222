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
constexpr int kNode = 3;  // coordinates
// Groups of rows that tie a body which is eliminated before them, so that all of them are tied.
constexpr int kFewTies = 4;

EliminationGroups::Graph graph_of(Eigen::Index size,
                                  const std::vector<Eigen::Triplet<char>>& edges) {
    EliminationGroups::Graph graph(size, size);
    graph.setFromTriplets(edges.begin(), edges.end(), [](char, char) {
        return char{1};
    });
    return graph;
}

}  // namespace

EliminationGroups::EliminationGroups(int num_coordinates,
                                     const std::vector<int>& first_of_body,
                                     int num_rows,
                                     const std::vector<int>& coordinates)
    : n_(num_coordinates), group_(static_cast<std::size_t>(num_coordinates + num_rows), -1) {
    const auto place = [&](int i) {
        return coordinates.empty() ? i : coordinates[i];
    };
    // A small body is one group, so that its pivots form a dense block.
    // A large one is a net of nodes: groups are the kNode components of a point
    // or direction, as far as the island has all of them.
    for (std::size_t b = 0; b < first_of_body.size(); ++b) {
        const int begin = first_of_body[b];
        const int end = b + 1 < first_of_body.size() ? first_of_body[b + 1] : n_;
        const bool is_whole = end - begin <= kSmallBody;
        of_small_body_.push_back(is_whole && begin < end ? size_ : -1);
        for (int i = begin; i < end; ++i) {
            group_[i] = size_;
            const bool ends_group =
                i + 1 == end || (!is_whole && ((place(i) - place(begin)) % kNode == kNode - 1 ||
                                               place(i + 1) != place(i) + 1));
            if (!ends_group) continue;
            is_small_.push_back(is_whole ? 1 : 0);
            ++size_;
        }
    }
}

void EliminationGroups::connect_groups(int a, int b) {
    if (a == b) return;
    // The many entries of a row and a body tie the same two.
    if (!edges_.empty() && edges_.back().row() == b && edges_.back().col() == a) return;
    edges_.emplace_back(a, b, char{1});
    edges_.emplace_back(b, a, char{1});
}

EliminationGroups::Graph EliminationGroups::graph() const {
    std::vector<Eigen::Triplet<char>> edges;
    edges.reserve(edges_.size() + static_cast<std::size_t>(size_));
    edges = edges_;
    for (int g = 0; g < size_; ++g) edges.emplace_back(g, g, char{1});
    return graph_of(size_, edges);
}

std::vector<int> EliminationGroups::places(const std::vector<int>& sequence) const {
    std::vector<std::vector<int>> members(static_cast<std::size_t>(size_));
    // Within a group by number, coordinates before rows: the pivot of
    // a row is then a Schur complement.
    for (std::size_t i = 0; i < group_.size(); ++i)
        if (group_[i] >= 0) members[group_[i]].push_back(static_cast<int>(i));
    std::vector<int> places(group_.size(), -1);
    int next = 0;
    for (const int g : sequence)
        for (const int i : members[g]) places[i] = next++;
    return places;
}

std::vector<int> by_minimum_degree(const EliminationGroups::Graph& graph) {
    // Approximate minimum degree (Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886)
    // on the graph of groups. A degree counts groups, not the unknowns in them.
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> elimination;
    Eigen::AMDOrdering<int>()(graph, elimination);
    return {elimination.indices().begin(), elimination.indices().end()};
}

std::vector<int> small_bodies_first(const EliminationGroups& groups,
                                    const EliminationGroups::Graph& graph) {
    using Neighbour = EliminationGroups::Graph::InnerIterator;
    const int size = groups.size();
    std::vector<int> sequence;
    std::vector<int> of_others(static_cast<std::size_t>(size), 0);  // place among the others, or -1
    std::vector<std::vector<int>> tied;
    for (int g = 0; g < size; ++g) {
        if (!groups.is_small_body(g)) continue;
        std::vector<int> ties;
        // Two such bodies have no entry with each other, since only rows tie them:
        // the first pivots are independent blocks, whatever sequence they come in.
        bool has_rows_alone = true;
        for (Neighbour it(graph, g); it; ++it) {
            if (it.row() == g) continue;
            ties.push_back(static_cast<int>(it.row()));
            has_rows_alone &= groups.is_of_rows(ties.back());
        }
        if (!has_rows_alone || ties.empty() || ties.size() > std::size_t{kFewTies}) continue;
        of_others[g] = -1;
        sequence.push_back(g);
        tied.push_back(std::move(ties));
    }
    if (sequence.empty()) return {};

    std::vector<int> others;
    for (int g = 0; g < size; ++g) {
        int& place = of_others[g];
        if (place < 0) continue;
        place = static_cast<int>(others.size());
        others.push_back(g);
    }
    std::vector<Eigen::Triplet<char>> edges;
    for (const int g : others)
        for (Neighbour it(graph, g); it; ++it) {
            const int other = of_others[it.row()];
            if (other >= 0) edges.emplace_back(other, of_others[g], char{1});
        }
    // Elimination of a body leaves a Schur complement over its groups of rows: a clique of them.
    for (const std::vector<int>& ties : tied)
        for (const int a : ties)
            for (const int b : ties) edges.emplace_back(of_others[a], of_others[b], char{1});
    const auto count = static_cast<Eigen::Index>(others.size());
    for (const int g : by_minimum_degree(graph_of(count, edges))) sequence.push_back(others[g]);
    return sequence;
}

std::vector<int> elimination_order(const IslandPattern& pattern,
                                   const std::vector<std::pair<int, int>>& mass,
                                   std::span<const int> waiting_rows) {
    const int n = pattern.num_coordinates();
    const int m = pattern.num_rows();
    EliminationGroups groups(n, pattern.first_of_body, m, pattern.coordinates);
    const int num_coordinate_groups = groups.size();
    // room[g] counts the coordinates of g that no row before has taken up. A scaled row that is
    // eliminated after the coordinates e has the pivot -(delta + a_e M_e^-1 a_e^T), of which rows
    // before it take their part; with more rows than coordinates it is -delta and rounding.
    std::vector<int> room(static_cast<std::size_t>(num_coordinate_groups), 0);
    for (int i = 0; i < n; ++i) ++room[groups.of(i)];

    // Rows of one small body join it; others form a group with their predecessors if they tie the
    // same coordinate groups and wait for as much.
    std::vector<std::vector<int>> ties;  // of each row group
    std::vector<int> num_rows_in;
    std::vector<char> waits_for_all;
    std::vector<char> is_waiting_row(static_cast<std::size_t>(m), 0);
    for (const int k : waiting_rows) is_waiting_row[k] = 1;
    std::vector<int> tied;
    for (int k = 0; k < m; ++k) {
        tied.clear();
        for (int e = pattern.row_start[k]; e < pattern.row_start[static_cast<std::size_t>(k) + 1];
             ++e)
            tied.push_back(groups.of(pattern.column[e]));
        std::sort(tied.begin(), tied.end());
        tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
        // The rows within a body, as the six of theory (17), belong to its dense block.
        if (tied.size() == 1 && groups.is_small_body(tied.front())) {
            groups.put_row(k, tied.front());
            --room[tied.front()];
            continue;
        }
        if (ties.empty() || ties.back() != tied || waits_for_all.back() != is_waiting_row[k]) {
            ties.push_back(tied);
            num_rows_in.push_back(0);
            waits_for_all.push_back(is_waiting_row[k]);
            groups.add();
        }
        groups.put_row(k, groups.size() - 1);
        ++num_rows_in.back();
    }

    // The graph of K on groups: M ties coordinates to each other, A ties rows to coordinates.
    for (const auto& [i, j] : mass) groups.connect(i, j);
    for (std::size_t g = 0; g < ties.size(); ++g)
        for (const int other : ties[g])
            groups.connect_groups(num_coordinate_groups + static_cast<int>(g), other);

    std::vector<int> sequence;
    std::vector<char> is_placed(static_cast<std::size_t>(groups.size()), 0);
    std::vector<std::vector<int>> waiting(static_cast<std::size_t>(num_coordinate_groups));
    const auto place = [&](int g) {
        sequence.push_back(g);
        is_placed[g] = 1;
    };
    // Places a row group if there is room, and takes the room.
    const auto try_rows = [&](int g, bool has_to_wait) {
        const auto of = static_cast<std::size_t>(g - num_coordinate_groups);
        int left = 0;
        bool is_last = true;
        for (const int other : ties[of]) {
            if (is_placed[other] != 0)
                left += std::max(0, room[other]);
            else
                is_last = false;
        }
        // Twice as many as its rows: among as many there could be dependent combinations.
        // A group all of whose coordinates are eliminated has nothing more to wait for.
        const bool has_room = left >= 2 * num_rows_in[of] && waits_for_all[of] == 0;
        if (!has_room && !is_last) {
            if (has_to_wait)
                for (const int other : ties[of]) waiting[other].push_back(g);
            return;
        }
        int to_take = num_rows_in[of];
        for (const int other : ties[of]) {
            if (is_placed[other] == 0) continue;
            int& has = room[other];
            const int taken = std::clamp(has, 0, to_take);
            has -= taken;
            to_take -= taken;
        }
        place(g);
    };
    // Coordinates are at their place in the order of minimum degree; a group of rows is there or,
    // if that is too early, behind the first of its coordinates that gives it room.
    for (const int g : by_minimum_degree(groups.graph())) {
        if (g >= num_coordinate_groups) {
            try_rows(g, true);
            continue;
        }
        place(g);
        for (const int rows : waiting[g])
            if (is_placed[rows] == 0) try_rows(rows, false);
    }
    return groups.places(sequence);
}

}  // namespace ancora
