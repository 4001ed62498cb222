// SPDX-License-Identifier: BSD-3-Clause
// Folded sheets: nodes that lie flat at rest and folded at the start, without any strain.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::folds {

inline constexpr Parameter kFold[] = {
    parameter::text("pattern",
                    "\"petals\": a square with a square hole, each ring pleated and laid into four "
                    "radial arms; \"miura\": Miura's pattern of parallelograms",
                    "petals|miura")
        .required(),
    parameter::number("side", "m", "petals: side of the square").positive(),
    parameter::number("hole", "m", "petals: side of its hole").positive(),
    parameter::integer("strips", "petals: pleats from the hole to the rim, each as wide")
        .at_least(1.0),
    parameter::vector("counts", 2, "", "miura: numbers of parallelograms along both directions")
        .at_least(1.0),
    parameter::vector("sides", 2, "m", "miura: sides of a parallelogram, along both directions")
        .positive(),
    parameter::number("angle", "rad", "miura: between the sides; a quarter turn: parallel pleats")
        .positive()
        .at_most(1.5707963267948968),
    parameter::number("tilt", "rad", "miura: of each parallelogram; 0: flat")
        .nonnegative()
        .at_most(1.5707963267948968),
    nodes::kGridOrigin,
    nodes::kGridDirections,
};

/// A cell of a sheet, its corners around it; of a triangle the last is -1.
using Cell = std::array<std::int32_t, 4>;

struct Group {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending
};

struct Sheet {
    std::vector<double> flat;    ///< positions at rest [m], three each
    std::vector<double> folded;  ///< at the start
    std::vector<Cell> cells;
    std::vector<Group> groups;
};

namespace detail {

/// Origin and two orthonormal directions with their normal.
struct Place {
    Vec3 origin, e1, e2, e3;

    void put(std::vector<double>& to, double x, double y, double z) const {
        const Vec3 at = origin + x * e1 + y * e2 + z * e3;
        to.insert(to.end(), at.data(), at.data() + 3);
    }
};

inline Place read_place(const Arguments& table) {
    const std::span<const double> rows = table.numbers("directions");
    Place out{vec3(table.numbers("origin")), vec3(rows, 0), vec3(rows, 3), Vec3::Zero()};
    for (Vec3* axis : {&out.e1, &out.e2}) {
        if (axis->norm() == 0.0) table.fail("directions", "a direction of length zero");
        axis->normalize();
    }
    constexpr double kAcross = 1e-9;
    if (std::abs(out.e1.dot(out.e2)) > kAcross)
        table.fail("directions", "the two directions of a fold must be at right angles");
    out.e3 = out.e1.cross(out.e2).normalized();
    out.e2 = out.e3.cross(out.e1);
    return out;
}

/// Keys of the pattern, all of them, and none of the other's.
inline void require_keys(const Arguments& table, std::string_view pattern) {
    constexpr std::array<const char*, 3> kPetals = {"side", "hole", "strips"};
    constexpr std::array<const char*, 4> kMiura = {"counts", "sides", "angle", "tilt"};
    const bool is_petals = pattern == "petals";
    const auto check = [&](const char* key, bool is_wanted) {
        if (table.given(key) == is_wanted) return;
        table.fail(is_wanted ? "pattern" : key,
                   is_wanted ? "\"" + std::string(pattern) + "\" needs the key \"" + key + "\""
                             : "is no key of the pattern \"" + std::string(pattern) + "\"");
    };
    for (const char* key : kPetals) check(key, is_petals);
    for (const char* key : kMiura) check(key, !is_petals);
}

}  // namespace detail

/// [assembly] A square of side 2 A with a hole of side 2 B at its centre, on the lines
/// 0, +-B, +-(B + d), ..., +-A of both directions, d = (A - B) / strips. With the larger and the
/// smaller coordinate y = max(|X|, |Y|) and u of a node it is folded along the squares y = B + k d:
///
///   height    z = -+ d / 2, alternating with k                                             (1)
///   |u| <= B  stays above the edge of the hole that it lies before
///   |u| > B   lies on the radial line of the nearer corner, at R + |u| - B, R = sqrt(2) B  (2)
///
/// which keeps all lengths: (1) and (2) are isometric in each strip, and both petals beside a
/// diagonal, on which |u| = y, give its nodes the same place. So the four arms reach
/// R + A - B, for sqrt(2) A of the open corners. Paper has no thickness here: layers lie on each
/// other.
inline Sheet petals(const Arguments& table) {
    const double A = 0.5 * table.number("side"), B = 0.5 * table.number("hole");
    if (!(B < A)) table.fail("hole", "the hole must be smaller than the square");
    const std::int64_t strips = table.integer("strips");
    constexpr std::int64_t kMostStrips = 10'000;
    if (strips > kMostStrips) table.fail("strips", "too many strips");
    const auto n = static_cast<std::int32_t>(strips);
    const detail::Place place = detail::read_place(table);
    const double d = (A - B) / n, R = std::sqrt(2.0) * B;
    // Lines are numbered from -(n + 1) to n + 1; 0 is the middle, +-1 the edge of the hole.
    const std::int32_t last = n + 1, num = 2 * last + 1;
    const auto line = [&](std::int32_t i) {
        const double at = i == 0 ? 0.0 : (std::abs(i) == last ? A : B + (std::abs(i) - 1) * d);
        return i < 0 ? -at : at;
    };
    Sheet out;
    std::vector<std::int32_t> number(static_cast<std::size_t>(num) * static_cast<std::size_t>(num),
                                     -1);
    const auto node = [&](std::int32_t i, std::int32_t j) -> std::int32_t& {
        return number[static_cast<std::size_t>(j + last) * static_cast<std::size_t>(num) +
                      static_cast<std::size_t>(i + last)];
    };
    Group rim{"rim", {}}, hole{"hole", {}};
    std::array<Group, 4> corners, hole_corners, middles, hole_middles;
    std::int32_t count = 0;
    for (std::int32_t j = -last; j <= last; ++j)
        for (std::int32_t i = -last; i <= last; ++i) {
            if (i == 0 && j == 0) continue;
            const std::int32_t k = std::max(std::abs(i), std::abs(j));
            node(i, j) = count;
            place.put(out.flat, line(i), line(j), 0.0);
            // Of the larger coordinate a sign and an axis; on a diagonal either.
            const bool is_first = std::abs(i) >= std::abs(j);
            const double u = line(is_first ? j : i);
            const double side = (is_first ? i : j) < 0 ? -1.0 : 1.0;
            const double z = (k % 2 == 0 ? 0.5 : -0.5) * d;
            double x = is_first ? side * B : u, y = is_first ? u : side * B;
            if (std::abs(u) > B) {
                const double r = (R + std::abs(u) - B) / std::sqrt(2.0);
                const double along = u < 0.0 ? -r : r;
                x = is_first ? side * r : along;
                y = is_first ? along : side * r;
            }
            place.put(out.folded, x, y, z);
            if (k == last) rim.nodes.push_back(count);
            if (k == 1) hole.nodes.push_back(count);
            const bool is_corner = std::abs(i) == std::abs(j), is_middle = i == 0 || j == 0;
            const auto add = [&](std::array<Group, 4>& to) {
                for (Group& group : to) {
                    if (!group.nodes.empty()) continue;
                    group.nodes.push_back(count);
                    return;
                }
            };
            if (k == last && is_corner) add(corners);
            if (k == last && is_middle) add(middles);
            if (k == 1 && is_corner) add(hole_corners);
            if (k == 1 && is_middle) add(hole_middles);
            ++count;
        }
    for (std::int32_t j = -last; j < last; ++j)
        for (std::int32_t i = -last; i < last; ++i) {
            const std::int32_t a = node(i, j), b = node(i + 1, j), c = node(i + 1, j + 1),
                               e = node(i, j + 1);
            if (std::min({a, b, c, e}) < 0) continue;  // of the hole
            // Twice the middle of the cell: on a diagonal of the square it is cut along that.
            const std::int32_t two_i = 2 * i + 1, two_j = 2 * j + 1;
            const bool rises = (two_i > 0) == (two_j > 0);
            if (std::abs(two_i) != std::abs(two_j))
                out.cells.push_back({a, b, c, e});
            else if (rises)
                out.cells.insert(out.cells.end(), {{a, b, c, -1}, {a, c, e, -1}});
            else
                out.cells.insert(out.cells.end(), {{a, b, e, -1}, {b, c, e, -1}});
        }
    const auto name = [&](std::array<Group, 4>& groups, const std::string& of) {
        for (std::size_t k = 0; k < groups.size(); ++k) {
            groups[k].name = of + std::to_string(k);
            out.groups.push_back(std::move(groups[k]));
        }
    };
    name(corners, "corner_");
    name(middles, "middle_");
    name(hole_corners, "hole_corner_");
    name(hole_middles, "hole_middle_");
    out.groups.push_back(std::move(rim));
    out.groups.push_back(std::move(hole));
    return out;
}

/// [assembly] Miura's pattern: parallelograms with sides b (along the first direction, a zigzag in
/// the plane) and a (along the second, a zigzag in height), angle gamma between them, each tilted
/// by theta. With W = sqrt(cos^2 gamma + cos^2 theta sin^2 gamma) node (i, j), numbered
/// j (nx + 1) + i, is at
///
///   x = i b cos theta sin gamma / W,   y = j a W + [i odd] b cos gamma / W,
///   z = [j odd] a sin theta sin gamma                                                      (1)
///
/// theta = 0 is the flat sheet.
///
/// Source: M. Schenk, S. D. Guest, Geometry of Miura-folded metamaterials, PNAS 110 (2013).
inline Sheet miura(const Arguments& table) {
    const std::span<const double> counts = table.numbers("counts"), sides = table.numbers("sides");
    for (const double value : counts)
        if (value != std::floor(value))
            table.fail("counts", nodes::text(value) + " is not a whole number of parallelograms");
    if ((counts[0] + 1.0) * (counts[1] + 1.0) > nodes::kMostNodes)
        table.fail("counts", "too many nodes");
    const auto nx = static_cast<std::int32_t>(counts[0]), ny = static_cast<std::int32_t>(counts[1]);
    const double gamma = table.number("angle"), tilt = table.number("tilt");
    const detail::Place place = detail::read_place(table);
    const auto put = [&](double theta, std::vector<double>& to) {
        const double W = std::hypot(std::cos(gamma), std::cos(theta) * std::sin(gamma));
        constexpr double kFlat = 1e-9;
        if (!(W > kFlat))
            table.fail("tilt", "parallel pleats cannot be tilted by a quarter turn; take less");
        for (std::int32_t j = 0; j <= ny; ++j)
            for (std::int32_t i = 0; i <= nx; ++i)
                place.put(to,
                          i * sides[0] * std::cos(theta) * std::sin(gamma) / W,
                          j * sides[1] * W + (i % 2) * sides[0] * std::cos(gamma) / W,
                          (j % 2) * sides[1] * std::sin(theta) * std::sin(gamma));
    };
    Sheet out;
    put(0.0, out.flat);
    put(tilt, out.folded);
    const std::int32_t row = nx + 1;
    for (std::int32_t j = 0; j < ny; ++j)
        for (std::int32_t i = 0; i < nx; ++i) {
            const std::int32_t a = j * row + i;
            out.cells.push_back({a, a + 1, a + row + 1, a + row});
        }
    const std::vector<std::int32_t> corners = nodes::corners(row, ny + 1);
    for (std::size_t k = 0; k < corners.size(); ++k)
        out.groups.push_back({"corner_" + std::to_string(k), {corners[k]}});
    Group rim{"rim", {}};
    for (std::int32_t j = 0; j <= ny; ++j)
        for (std::int32_t i = 0; i <= nx; ++i)
            if (i == 0 || i == nx || j == 0 || j == ny) rim.nodes.push_back(j * row + i);
    out.groups.push_back(std::move(rim));
    return out;
}

/// [assembly] The sheet that a table with the parameters kFold describes.
inline Sheet read_fold(const Arguments& table) {
    const std::string_view pattern = table.text("pattern");
    detail::require_keys(table, pattern);
    return pattern == "petals" ? petals(table) : miura(table);
}

}  // namespace ancora::folds
