// SPDX-License-Identifier: BSD-3-Clause
// Reads `start` and `held` and asks for the steady shape.
#include "relaxed_start.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ancora/sdk/math.hpp"
#include "groups.hpp"
#include "steady_shape.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

const Group& held_group(const Arguments& arguments, const Network& net, std::string_view name) {
    try {
        return find_group(net, name);
    } catch (const std::invalid_argument& none) {
        arguments.fail("held", none.what());
        throw;
    }
}

std::vector<bool> read_held(const Arguments& arguments, const Network& net) {
    std::vector<bool> is_held(static_cast<std::size_t>(net.num_nodes()), false);
    if (!arguments.given("held")) return is_held;
    if (arguments.shape("held") == Shape::texts) {
        for (int k = 0; k < arguments.num_texts("held"); ++k)
            for (const std::int32_t i : held_group(arguments, net, arguments.text("held", k)).nodes)
                is_held[static_cast<std::size_t>(i)] = true;
        return is_held;
    }
    for (const double node : arguments.numbers("held")) {
        if (node != std::floor(node) || node < 0 || node >= net.num_nodes())
            arguments.fail("held",
                           "there is no node " + text(node) + "; the nodes are " +
                               node_range(net.num_nodes()));
        is_held[static_cast<std::size_t>(node)] = true;
    }
    return is_held;
}

}  // namespace

std::vector<double> start_positions(const Arguments& arguments,
                                    const Network& net,
                                    std::span<const double> rest_length,
                                    std::span<const RowLaw> laws,
                                    const Eigen::SparseMatrix<double>& mass,
                                    const Spin& spin) {
    if (arguments.text("start") != "relaxed") return net.x;
    if (arguments.given("rest_length") && arguments.shape("rest_length") == Shape::text)
        arguments.fail("start",
                       "rest_length = \"spin\" chooses rest lengths for the shape as given, start "
                       "= \"relaxed\" the shape for given rest lengths; keep one of them");
    std::vector<double> x;
    try {
        x = steady_shape(net,
                         {.rest_length = rest_length,
                          .laws = laws,
                          .mass = mass,
                          .is_held = read_held(arguments, net),
                          .spin = spin,
                          .gravity = vec3(arguments.gravity())});
    } catch (const NoSteadyShape& none) {
        arguments.fail("start", none.what());
    }
    return x;
}

}  // namespace ancora::truss
