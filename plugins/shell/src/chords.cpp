// SPDX-License-Identifier: BSD-3-Clause
// Compares the sides of elements at the start with those at rest.
#include "chords.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ancora::shell {
namespace {

constexpr double kSmall = 0.01;      // of the energy of bending
constexpr double kExplained = 0.25;  // of squares of stretch, what chords may leave

std::string three_digits(double x) {
    char out[32];
    std::snprintf(out, sizeof out, "%.3g", x);
    return out;
}

}  // namespace

std::string stretch_of_chords(const Surface& start, const Surface& rest, double thickness) {
    const auto turn = [](const Surface& of, std::int32_t a, std::int32_t b) {
        const Vec3& n = of.normals[static_cast<std::size_t>(a)];
        const Vec3& m = of.normals[static_cast<std::size_t>(b)];
        return std::atan2(n.cross(m).norm(), n.dot(m));
    };
    const Edges edges = edges_of(start.quads);
    double stretched = 0.0, left = 0.0, bent = 0.0, most = 0.0;
    for (std::size_t k = 0; k < edges.ends.size(); k += 2) {
        const std::int32_t a = edges.ends[k], b = edges.ends[k + 1];
        const double length = (rest.node(b) - rest.node(a)).norm();
        const double theta = turn(start, a, b), theta_0 = turn(rest, a, b);
        const double stretch = (start.node(b) - start.node(a)).norm() / length - 1.0;
        const double of_chord = -(theta - theta_0) * (theta + theta_0) / 24.0;
        const double curvature = (theta - theta_0) / length;
        stretched += length * stretch * stretch;
        left += length * (stretch - of_chord) * (stretch - of_chord);
        bent += length * thickness * thickness / 12.0 * curvature * curvature;
        most = std::max(most, std::abs(stretch));
    }
    if (!(stretched > kSmall * bent) || !(left < kExplained * stretched)) return {};
    return "the nodes lie on the arcs of the bent shape, and sides of elements are their chords, "
           "shorter by up to " +
           three_digits(100.0 * most) + " % than at rest: the start has " +
           three_digits(stretched / bent) +
           " times the energy of bending as stretch; put nodes so that their distances are those "
           "at rest, on a circle of radius (h/2)/sin(h/(2 r)) for elements of length h rolled to "
           "the radius r";
}

}  // namespace ancora::shell
