// SPDX-License-Identifier: BSD-3-Clause
// Bodies that are nodes joined by elements: what such types read alike from their parameters, and
// groups of nodes by name.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/helpers/line_ends.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::nodes {

// --- pieces of messages

inline std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}
inline std::string quoted(std::string_view name) {
    return '"' + std::string(name) + '"';
}
/// "0 to 4"
inline std::string node_range(std::int32_t num_nodes) {
    return "0 to " + std::to_string(num_nodes - 1);
}

/// Three coordinates per node must be countable in 32 bits.
inline constexpr double kMostNodes = std::numeric_limits<std::int32_t>::max() / 3;

/// A node number written as a number: whole, and of one of `num_nodes`. `who` begins the message:
/// "element 3".
inline std::int32_t node_number(const Arguments& arguments,
                                std::string_view key,
                                double number,
                                const std::string& who,
                                std::int32_t num_nodes) {
    const std::string names = who + " names node " + text(number);
    if (number != std::floor(number)) arguments.fail(key, names + ", not a whole number");
    if (number < 0 || number >= num_nodes)
        arguments.fail(key, names + ", but the nodes are " + node_range(num_nodes));
    return static_cast<std::int32_t>(number);
}

// --- start

inline constexpr Parameter kSpin[] = {
    parameter::vector("axis", 3, "", "direction of the axis, of any length").required(),
    parameter::number("rate", "rad/s", "angular velocity about the axis").required(),
    parameter::vector("center", 3, "m", "a point of the axis").otherwise("[0.0, 0.0, 0.0]"),
};

inline constexpr Parameter kVelocity =
    parameter::vector("velocity", 3, "m/s", "velocity of all nodes at the start")
        .otherwise("[0.0, 0.0, 0.0]");
inline constexpr Parameter kVelocityFrom =
    parameter::body("velocity_from", "start as if carried rigidly by this body");
inline constexpr Parameter kSpinParameter =
    parameter::table("spin", kSpin, "start rotating about an axis; adds to `velocity`");

/// Rotation about an axis, of all nodes as if they were one rigid body.
struct Spin {
    Vec3 omega = Vec3::Zero();   ///< angular velocity [rad/s]
    Vec3 center = Vec3::Zero();  ///< a point of the axis [m]
};

/// Velocity of one point and angular velocity: what all nodes start with.
struct StartMotion {
    Vec3 velocity = Vec3::Zero();
    Spin spin;
    Vec3 along = Vec3::Zero();  ///< e, along a line whose ends part, of unit length
    double parting = 0.0;       ///< k, by this rate [1/s]

    /// V + omega x (r - c) + k e e.(r - c).
    Vec3 at(const Vec3& r) const { return velocity + of_way(r - spin.center); }
    /// The rate of a way from node to node.
    Vec3 of_way(const Vec3& d) const {
        return spin.omega.cross(d) + parting * along.dot(d) * along;
    }
    /// Of nodes at `x`, three numbers each.
    std::vector<double> velocities(std::span<const double> x) const {
        std::vector<double> v;
        v.reserve(x.size());
        for (std::size_t i = 0; i < x.size(); i += 3) {
            const Vec3 rate = at(vec3(x, i));
            v.insert(v.end(), rate.data(), rate.data() + 3);
        }
        return v;
    }
};

/// [assembly] The three parameters above.
inline StartMotion read_start_motion(const Arguments& arguments) {
    if (!arguments.given("velocity_from")) {
        StartMotion motion = {vec3(arguments.numbers("velocity")), {}};
        if (!arguments.given("spin")) return motion;
        const Arguments& table = arguments.table("spin");
        const Vec3 axis = vec3(table.numbers("axis"));
        if (!(axis.norm() > 0.0)) table.fail("axis", "the axis has length zero");
        motion.spin = {table.number("rate") * axis.normalized(), vec3(table.numbers("center"))};
        return motion;
    }
    for (const char* key : {"velocity", "spin"})
        if (arguments.given(key))
            arguments.fail(key,
                           quoted(key) +
                               " and \"velocity_from\" both give the velocities at the "
                               "start; keep one of them");
    const RigidMotion& carrier = arguments.motion_of("velocity_from");
    return {vec3(carrier.velocity), {vec3(carrier.angular_velocity), vec3(carrier.position)}};
}

/// [assembly] Of a line between places: with the bodies whose points they are, turning about itself
/// as the one at `from`, unless the velocity is given.
inline StartMotion read_line_motion(const Arguments& arguments, const lines::Ends& ends) {
    const bool is_given =
        arguments.given("velocity") || arguments.given("velocity_from") || arguments.given("spin");
    if (!ends.are_carried() || is_given) return read_start_motion(arguments);
    const Vec3 e = ends.way().normalized(), parting = ends.to.v - ends.from.v;
    return {ends.from.v,
            {ends.turning() + e.dot(ends.from.w) * e, ends.from.x},
            e,
            e.dot(parting) / ends.way().norm()};
}

inline constexpr Parameter kNodeMasses =
    parameter::matrix("node_masses", 0, 2, "-, kg", "point masses: rows of node and mass")
        .nonnegative();

/// [assembly] kNodeMasses: masses of all nodes [kg].
inline std::vector<double> read_node_masses(const Arguments& arguments, std::int32_t num_nodes) {
    std::vector<double> mass(static_cast<std::size_t>(num_nodes), 0.0);
    if (!arguments.given("node_masses")) return mass;
    const std::span<const double> rows = arguments.numbers("node_masses");
    std::vector<bool> is_set(mass.size(), false);
    for (std::size_t k = 0; k + 1 < rows.size(); k += 2) {
        const double node = rows[k];
        if (node != std::floor(node) || node < 0 || node >= num_nodes)
            arguments.fail(
                "node_masses",
                "there is no node " + text(node) + "; the nodes are " + node_range(num_nodes));
        const auto i = static_cast<std::size_t>(node);
        if (is_set[i]) arguments.fail("node_masses", "node " + text(node) + " stands there twice");
        is_set[i] = true;
        mass[i] = rows[k + 1];
    }
    return mass;
}

// --- grids

inline constexpr Parameter kGridCounts =
    parameter::vector("counts", 2, "", "numbers of nodes along the two directions")
        .at_least(1.0)
        .required();
inline constexpr Parameter kGridSpacing =
    parameter::vector("spacing", 2, "m", "distances of neighbours along the two directions")
        .positive()
        .required();
inline constexpr Parameter kGridOrigin =
    parameter::vector("origin", 3, "m", "position of node 0").otherwise("[0.0, 0.0, 0.0]");
inline constexpr Parameter kGridDirections =
    parameter::matrix("directions", 2, 3, "", "first and second direction, of any length")
        .otherwise("[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]");

/// Nodes (i, j) of a rectangular grid, numbered j nx + i.
struct Grid {
    std::int32_t nx = 0, ny = 0;
    std::vector<double> x;  ///< positions [m], three each
};

/// [assembly] A table with the four parameters above.
///
/// @param least       nodes that it needs in all
/// @param least_each  and along each direction
/// @param too_few     what is said where there are less
inline Grid read_grid(const Arguments& grid, double least, double least_each, const char* too_few) {
    const std::span<const double> counts = grid.numbers("counts");
    for (const double count : counts)
        if (count != std::floor(count))
            grid.fail("counts", text(count) + " is not a whole number of nodes");
    if (counts[0] * counts[1] < least || std::min(counts[0], counts[1]) < least_each)
        grid.fail("counts", too_few);
    if (counts[0] * counts[1] > kMostNodes)
        grid.fail("counts", "too many nodes: " + text(counts[0] * counts[1]));

    const std::span<const double> rows = grid.numbers("directions");
    std::array<Vec3, 2> axes = {vec3(rows, 0), vec3(rows, 3)};
    for (Vec3& axis : axes) {
        if (axis.norm() == 0.0) grid.fail("directions", "a direction of length zero");
        axis.normalize();
    }
    if (axes[0].cross(axes[1]).norm() < 1e-9)
        grid.fail("directions", "the two directions are parallel");

    // Node (i, j) at origin + i dx e_1 + j dy e_2
    Grid out{static_cast<std::int32_t>(counts[0]), static_cast<std::int32_t>(counts[1]), {}};
    const Vec3 origin = vec3(grid.numbers("origin"));
    const std::span<const double> spacing = grid.numbers("spacing");
    out.x.reserve(3 * static_cast<std::size_t>(out.nx) * static_cast<std::size_t>(out.ny));
    for (std::int32_t j = 0; j < out.ny; ++j)
        for (std::int32_t i = 0; i < out.nx; ++i) {
            const Vec3 x = origin + i * spacing[0] * axes[0] + j * spacing[1] * axes[1];
            out.x.insert(out.x.end(), x.data(), x.data() + 3);
        }
    return out;
}

/// The corners of a grid, ascending and each once.
inline std::vector<std::int32_t> corners(std::int32_t nx, std::int32_t ny) {
    std::vector<std::int32_t> out = {0, nx - 1, (ny - 1) * nx, ny * nx - 1};
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

// --- groups: any struct with a `name` and `nodes`

/// @param what     of the body, for messages: "truss"
/// @param element  what its groups have beside nodes: "line element"
/// @throws std::invalid_argument if there is no such group, naming those that there are, or if it
///         has no nodes
template <class Group>
const Group& find_group(const std::vector<Group>& groups,
                        std::string_view name,
                        const std::string& what,
                        const std::string& element,
                        std::int32_t num_nodes) {
    constexpr std::size_t kMostListed = 12;
    const auto group = std::ranges::find(groups, name, &Group::name);
    if (group != groups.end()) {
        if (!group->nodes.empty()) return *group;
        throw std::invalid_argument("group " + quoted(name) + " has no node of a " + element);
    }
    std::string known = "this " + what + " has ";
    if (groups.empty()) known += "none, only nodes " + node_range(num_nodes);
    const std::size_t listed = std::min(groups.size(), kMostListed);
    for (std::size_t k = 0; k < listed; ++k) known += (k == 0 ? "" : ", ") + quoted(groups[k].name);
    if (const std::size_t rest = groups.size() - listed; rest > 0)
        known += " and " + std::to_string(rest) + " more";
    throw std::invalid_argument("there is no group " + quoted(name) + "; " + known);
}

/// The one node of a group of one. @throws std::invalid_argument for any other group
template <class Group>
std::int32_t only_node(const Group& group) {
    if (group.nodes.size() != 1)
        throw std::invalid_argument("group " + quoted(group.name) + " has " +
                                    std::to_string(group.nodes.size()) +
                                    " nodes; a point is a group of one node");
    return group.nodes.front();
}

// --- attachments

/// Body::attach of a body whose coordinates are positions of nodes, three each: `where` is the
/// number of a node or the name of a group of one.
///
/// @param what   of the body, for messages: "truss"
/// @param group  group(name): see find_group()
/// @throws std::invalid_argument if it is neither
template <class FindGroup>
void attach_node(const Locator& where,
                 AttachmentSink& out,
                 const std::string& what,
                 std::int32_t num_nodes,
                 const FindGroup& group) {
    const std::string range = node_range(num_nodes);
    if (where.is_direction)
        throw std::invalid_argument("a " + what + " has no directions, only nodes " + range);
    if (where.kind == Locator::Kind::coordinates)
        throw std::invalid_argument("points of a " + what + " are its nodes, written as a number " +
                                    range + " or as the name of a group of one");
    const std::int64_t node =
        where.kind == Locator::Kind::name ? only_node(group(where.name)) : where.index;
    if (node < 0 || node >= num_nodes)
        throw std::invalid_argument("there is no node " + std::to_string(node) + "; this " + what +
                                    " has nodes " + range);
    for (int axis = 0; axis < 3; ++axis) out.weight(axis, 3 * static_cast<int>(node) + axis, 1.0);
}

}  // namespace ancora::nodes
