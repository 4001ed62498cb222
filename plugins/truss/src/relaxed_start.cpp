// SPDX-License-Identifier: BSD-3-Clause
// Reads `start` and `held` and asks for the steady shape.
#include "relaxed_start.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ancora/sdk/numbers/math.hpp"
#include "groups.hpp"
#include "steady_shape.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

// Longer than this, relative to rest, an element without a limit of its own is a mistake.
constexpr double kMostStretch = 1.5;

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
                is_held[i] = true;
        return is_held;
    }
    for (const double node : arguments.numbers("held")) {
        if (node != std::floor(node) || node < 0 || node >= net.num_nodes())
            arguments.fail("held",
                           "there is no node " + text(node) + "; the nodes are " +
                               node_range(net.num_nodes()));
        is_held[node] = true;
    }
    return is_held;
}

/// Refuses a shape in which elements are stretched farther than a linear law means anything for:
/// Green strain stiffens so much that there is a shape at every speed.
void refuse_overstretched(const Arguments& arguments,
                          const Network& net,
                          std::span<const double> rest_length,
                          std::span<const double> x) {
    std::size_t worst = 0;
    double most = 0.0;
    for (std::size_t e = 0; e < rest_length.size(); ++e) {
        const auto [a, b] = net.elements[e];
        const double stretch =
            (vec3(x, 3 * static_cast<std::size_t>(b)) - vec3(x, 3 * static_cast<std::size_t>(a)))
                .norm() /
            rest_length[e];
        if (stretch <= most) continue;
        most = stretch;
        worst = e;
    }
    if (most <= kMostStretch) return;
    arguments.fail("start",
                   "in the steady shape element " + std::to_string(worst) + " from node " +
                       std::to_string(net.elements[worst].a) + " to " +
                       std::to_string(net.elements[worst].b) + " would be " + text(most) +
                       " times as long as at rest, and a linear law is no model beyond " +
                       text(kMostStretch) +
                       "; check \"young\", \"area\", masses and the spin, or state the Green "
                       "strain that the elements bear in \"breaking_strain\" (inf: any)");
}

}  // namespace

std::vector<double> start_positions(const Arguments& arguments,
                                    const Network& net,
                                    std::span<const double> rest_length,
                                    std::span<const RowLaw> laws,
                                    const Eigen::SparseMatrix<double>& mass,
                                    const Spin& spin) {
    if (arguments.text("start") != "relaxed") return net.x;
    if (arguments.given("rest_length") && arguments.shape("rest_length") == Shape::text &&
        arguments.text("rest_length") == "spin")
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
    if (!arguments.given("breaking_strain")) refuse_overstretched(arguments, net, rest_length, x);
    return x;
}

}  // namespace ancora::truss
