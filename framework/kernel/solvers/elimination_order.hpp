// SPDX-License-Identifier: BSD-3-Clause
// The elimination order of the unknowns of a sparse island: minimum degree on groups.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <Eigen/SparseCore>

#include "solver_island.hpp"

namespace ancora {

/// Unknowns, coordinates and then rows, in groups that are eliminated as one: the coordinates of a
/// small body or of a node; rows join these groups or form groups of their own.
class EliminationGroups {
public:
    using Graph = Eigen::SparseMatrix<char>;

    /// @param coordinates of the system, ascending: a node's are contiguous there; empty if they
    ///        are all of it
    EliminationGroups(int num_coordinates,
                      const std::vector<int>& first_of_body,
                      int num_rows,
                      const std::vector<int>& coordinates = {});

    int size() const { return size_; }
    /// The group of an unknown.
    int of(int unknown) const { return group_[unknown]; }
    /// The group that consists of a whole body; -1 if the body is not small.
    int of_small_body(int body) const { return of_small_body_[body]; }
    /// Whether a group consists of a whole body.
    bool is_small_body(int group) const {
        const auto g = static_cast<std::size_t>(group);
        return g < is_small_.size() && is_small_[g] != 0;
    }

    /// Whether a group was added for rows.
    bool is_of_rows(int group) const { return group >= static_cast<int>(is_small_.size()); }

    /// A new group, for rows.
    int add() { return size_++; }
    void put_row(int row, int group) { group_[n_ + row] = group; }

    /// Makes the groups of two unknowns adjacent; both have one.
    void connect(int i, int j) { connect_groups(of(i), of(j)); }
    void connect_groups(int a, int b);
    /// The adjacency of groups, each to itself included.
    Graph graph() const;

    /// The place of each unknown where groups are eliminated in this sequence; -1 without a group.
    std::vector<int> places(const std::vector<int>& sequence) const;

private:
    int n_;
    int size_ = 0;
    std::vector<int> group_;  // of each unknown
    std::vector<int> of_small_body_;
    std::vector<char> is_small_;  // per group of coordinates
    std::vector<Eigen::Triplet<char>> edges_;
};

/// The groups in minimum-degree order.
std::vector<int> by_minimum_degree(const EliminationGroups::Graph& graph);

/// The same, after the small bodies that are adjacent to few groups of rows only: minimum degree
/// counts groups and not their sizes, so that it would eliminate the few rows of a joint, which
/// then connect the many coordinates of two bodies, as early as a body.
/// @returns none if there is no such body
std::vector<int> small_bodies_first(const EliminationGroups& groups,
                                    const EliminationGroups::Graph& graph);

/// Orders groups (the coordinates of a small body with its own rows, the coordinates of a node, the
/// rows that tie the same groups) by minimum degree. A group of rows follows at least twice as many
/// coordinates as rows, so that its pivots are Schur complements and not the regularisation alone.
///
/// @param mass pattern of the leading block, (i, j) with i >= j
/// @param waiting rows that come behind all of their coordinates: entries of the pattern may be
///        zero, and what looks like room for two rows be one direction
/// @returns the new place of each coordinate and then of each row
std::vector<int> elimination_order(const IslandPattern& pattern,
                                   const std::vector<std::pair<int, int>>& mass,
                                   std::span<const int> waiting = {});

}  // namespace ancora
