// SPDX-License-Identifier: BSD-3-Clause
// Groups of a network: the natural ones of a grid, and finding one by its name.
#pragma once

#include <cstdint>
#include <string_view>

#include "network.hpp"

namespace ancora::truss {

/// Adds the groups of a grid of nx x ny nodes, numbered as build_network() does:
///
///   corner_0, ...            the corners, one node each, in the order of their numbers
///   rim                      nodes and elements of the boundary
///   along_first, along_second, diagonals    elements by direction
///
/// A grid of one node across is a chain: it has two corners and no rim.
void add_grid_groups(Network& net, std::int32_t nx, std::int32_t ny);

/// @throws std::invalid_argument if there is no such group, naming those that there are, or if it
/// is empty
const Group& find_group(const Network& net, std::string_view name);

}  // namespace ancora::truss
