// SPDX-License-Identifier: BSD-3-Clause
// Groups of grids, and groups by name.
#include "groups.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "text.hpp"

namespace ancora::truss {
namespace {

// More names than this are not listed in a message.
constexpr std::size_t kMostListed = 12;

std::string known_groups(const Network& net) {
    if (net.groups.empty()) return "this truss has none, only nodes " + node_range(net.num_nodes());
    std::string names = "this truss has ";
    const std::size_t listed = std::min(net.groups.size(), kMostListed);
    for (std::size_t k = 0; k < listed; ++k)
        names += (k == 0 ? "" : ", ") + quoted(net.groups[k].name);
    const std::size_t rest = net.groups.size() - listed;
    return rest == 0 ? names : names + " and " + std::to_string(rest) + " more";
}

// A group of elements is one of their nodes, too.
void add_elements(Network& net, std::string name, std::vector<std::int32_t> elements) {
    if (elements.empty()) return;
    std::vector<std::int32_t> nodes;
    for (const std::int32_t e : elements) {
        const Element element = net.elements[static_cast<std::size_t>(e)];
        nodes.insert(nodes.end(), {element.a, element.b});
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    net.groups.push_back({std::move(name), std::move(nodes), std::move(elements)});
}

std::vector<std::int32_t> range(std::int32_t begin, std::int32_t end) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t e = begin; e < end; ++e) numbers.push_back(e);
    return numbers;
}

}  // namespace

void add_grid_groups(Network& net, std::int32_t nx, std::int32_t ny) {
    std::vector<std::int32_t> corners = {0, nx - 1, (ny - 1) * nx, ny * nx - 1};
    std::ranges::sort(corners);
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    for (std::size_t k = 0; k < corners.size(); ++k)
        net.groups.push_back({"corner_" + std::to_string(k), {corners[k]}, {}});

    // Elements count along the first direction, then along the second, then the diagonals
    const std::int32_t second = (nx - 1) * ny, diagonals = second + nx * (ny - 1);
    if (nx > 1 && ny > 1) {
        std::vector<std::int32_t> rim = range(0, nx - 1);
        for (std::int32_t i = 0; i < nx - 1; ++i) rim.push_back((ny - 1) * (nx - 1) + i);
        for (std::int32_t j = 0; j < ny - 1; ++j) {
            rim.push_back(second + j * nx);
            rim.push_back(second + j * nx + nx - 1);
        }
        add_elements(net, "rim", std::move(rim));
    }
    add_elements(net, "along_first", range(0, second));
    add_elements(net, "along_second", range(second, diagonals));
    add_elements(net, "diagonals", range(diagonals, net.num_elements()));
}

const Group& find_group(const Network& net, std::string_view name) {
    const auto group = std::ranges::find(net.groups, name, &Group::name);
    if (group == net.groups.end())
        throw std::invalid_argument("there is no group " + quoted(name) + "; " + known_groups(net));
    if (group->nodes.empty())
        throw std::invalid_argument("group " + quoted(name) + " has no node of a line element");
    return *group;
}

std::int32_t find_point(const Network& net, std::string_view name) {
    const Group& group = find_group(net, name);
    if (group.nodes.size() != 1)
        throw std::invalid_argument("group " + quoted(name) + " has " +
                                    std::to_string(group.nodes.size()) +
                                    " nodes; a point is a group of one node");
    return group.nodes.front();
}

}  // namespace ancora::truss
