// SPDX-License-Identifier: BSD-3-Clause
// Groups of grids, and groups by name.
#include "groups.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::truss {
namespace {

// A group of elements is one of their nodes, too.
void add_elements(Network& net, std::string name, std::vector<std::int32_t> elements) {
    if (elements.empty()) return;
    std::vector<std::int32_t> nodes;
    for (const std::int32_t e : elements) {
        const Element element = net.elements[e];
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
    const std::vector<std::int32_t> corners = nodes::corners(nx, ny);
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
    return nodes::find_group(net.groups, name, "truss", "line element", net.num_nodes());
}

}  // namespace ancora::truss
