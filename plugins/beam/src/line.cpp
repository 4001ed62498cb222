// SPDX-License-Identifier: BSD-3-Clause
// Reads nodes and elements, and turns their sections.
#include "line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::beam {
namespace {

// Sine of an angle at which `up` says nothing, and relative length of a distance that is none.
constexpr double kParallel = 1e-9;
constexpr double kCoincident = 1e-12;
constexpr double kRoundedAxes = 2e-15;  // of places, in the direction between two of them
// Elements that turn by less against each other are in line: stiffnesses are right to its square,
// and masses of d_3 that are less than that of those of d_1 do not arise.
constexpr double kInLine = 1e-3;
// An element of a smooth curve turns by less [rad].
constexpr double kMostTurn = 1.0;
constexpr double kDegrees = 180.0 / 3.14159265358979323846;

std::string number_of(std::int32_t i) {
    return std::to_string(i);
}

/// Axes with 3 along t and 2 towards `up`.
Mat3 section_axes(const Vec3& t, const Vec3& up) {
    Mat3 R;
    R.col(2) = t;
    R.col(0) = up.cross(t).normalized();
    R.col(1) = t.cross(R.col(0));
    return R;
}

/// `up`, or where it says nothing the axis of space that is most nearly across t.
Vec3 read_up(const Arguments& arguments, const Vec3& t) {
    if (!arguments.given("up")) {
        // z, and y for a beam along it
        return std::abs(t.z()) < 0.99 ? Vec3::UnitZ() : Vec3::UnitY();
    }
    const Vec3 up = vec3(arguments.numbers("up"));
    if (!(up.norm() > 0.0)) arguments.fail("up", "has length zero");
    if (!(up.normalized().cross(t).norm() > kParallel))
        arguments.fail("up", "is along the beam; give a direction across it");
    return up;
}

std::int32_t read_count(const Arguments& arguments) {
    if (!arguments.given("elements")) return 10;
    if (arguments.shape("elements") == Shape::matrix)
        arguments.fail("elements",
                       "is a list of pairs of nodes, and the nodes are not listed; give their "
                       "number along the beam, or \"nodes\"");
    const std::int64_t count = arguments.integer("elements");
    if (count < 1) arguments.fail("elements", "a beam has one element or more");
    if (static_cast<double>(count) > nodes::kMostNodes / 4.0)
        arguments.fail("elements", "too many: " + std::to_string(count));
    return static_cast<std::int32_t>(count);
}

/// The largest coordinate [m].
double size_of(const Line& line) {
    double size = 0.0;
    for (const double x : line.x) size = std::max(size, std::abs(x));
    return size;
}

void put(Line& line, const Vec3& x) {
    line.x.insert(line.x.end(), x.data(), x.data() + 3);
}

/// Nodes and elements, without their axes.
Line read_nodes(const Arguments& arguments) {
    const bool by_ends = arguments.given("from") || arguments.given("to");
    const bool by_nodes = arguments.given("nodes");
    if (by_ends == by_nodes)
        arguments.fail(by_nodes ? "nodes" : "from",
                       by_nodes ? "and \"from\" both say where the beam lies; keep one of them"
                                : "is missing: where does the beam lie? Give \"from\" and \"to\", "
                                  "\"from\" and \"arc\", or \"nodes\"");
    Line line;
    if (by_ends) {
        if (!arguments.given("from")) arguments.fail("from", "is missing: the beam begins there");
        if (arguments.given("to") == arguments.given("arc"))
            arguments.fail(arguments.given("to") ? "arc" : "to",
                           arguments.given("to")
                               ? "and \"to\" both say how the beam goes on; keep one of them"
                               : "is missing: the beam ends there; or give \"arc\"");
        lines::Ends ends{lines::read_end(arguments, "from"), {}};
        const Vec3 from = ends.from.x;
        const std::int32_t count = read_count(arguments);
        if (arguments.given("to")) {
            ends.to = lines::read_end(arguments, "to");
            const Vec3 to = ends.to.x;
            if (!((to - from).norm() > kCoincident * std::max(to.norm(), from.norm())))
                arguments.fail("to", "is where the beam begins; a beam has a length");
            for (std::int32_t i = 0; i <= count; ++i) {
                const double s = static_cast<double>(i) / count;
                put(line, (1.0 - s) * from + s * to);
            }
            line.motion = nodes::read_line_motion(arguments, ends);
        } else {
            const Arguments& arc = arguments.table("arc");
            const Vec3 axis = vec3(arc.numbers("axis")), center = vec3(arc.numbers("center"));
            if (!(axis.norm() > 0.0)) arc.fail("axis", "has length zero");
            const double angle = arc.number("angle");
            if (!(axis.normalized().cross(from - center).norm() > kCoincident * from.norm()))
                arc.fail("center", "the beam begins on the axis; an arc has a radius");
            if (!(std::abs(angle) > 0.0)) arc.fail("angle", "is zero; an arc has a length");
            if (std::abs(angle) / count > kMostTurn)
                arguments.fail("elements",
                               "an element would turn by more than 1 rad; give at least " +
                                   nodes::text(std::ceil(std::abs(angle))));
            // The arc moves with the body on which it begins
            const Vec3 way = center - from;
            ends.to = {center, ends.from.v + ends.from.w.cross(way)};
            line.motion = nodes::read_line_motion(arguments, ends);
            for (std::int32_t i = 0; i <= count; ++i)
                put(line,
                    center +
                        Eigen::AngleAxisd(angle * i / count, axis.normalized()) * (from - center));
        }
    } else {
        line.motion = nodes::read_start_motion(arguments);
        const std::span<const double> x = arguments.numbers("nodes");
        line.x.assign(x.begin(), x.end());
        if (x.size() < 6)
            arguments.fail(
                "nodes", "a beam has two nodes or more; these are " + std::to_string(x.size() / 3));
        if (static_cast<double>(x.size()) > nodes::kMostNodes)
            arguments.fail("nodes", "too many: " + std::to_string(x.size() / 3));
    }
    const auto count = static_cast<std::int32_t>(line.x.size() / 3);
    line.frames.assign(static_cast<std::size_t>(count), Mat3::Identity());
    if (by_nodes && arguments.given("elements")) {
        if (arguments.shape("elements") != Shape::matrix)
            arguments.fail("elements",
                           "is a number, and the nodes are listed; leave it out for a beam from "
                           "node to node, or list pairs of nodes");
        line.is_one_line = false;
        const std::span<const double> pairs = arguments.numbers("elements");
        if (pairs.empty()) arguments.fail("elements", "there are none");
        std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> element_of;
        std::vector<bool> is_used(static_cast<std::size_t>(count), false);
        for (std::size_t k = 0; k < pairs.size(); k += 2) {
            const std::string who = "element " + std::to_string(k / 2);
            Element e;
            e.a = nodes::node_number(arguments, "elements", pairs[k], who, count);
            e.b = nodes::node_number(arguments, "elements", pairs[k + 1], who, count);
            if (e.a == e.b)
                arguments.fail("elements", who + " joins node " + number_of(e.a) + " to itself");
            const auto [entry, is_new] =
                element_of.try_emplace(std::minmax(e.a, e.b), static_cast<std::int32_t>(k / 2));
            if (!is_new)
                arguments.fail("elements",
                               who + " joins the same nodes as element " +
                                   number_of(entry->second) + ": " + number_of(e.a) + " and " +
                                   number_of(e.b));
            is_used[static_cast<std::size_t>(e.a)] = is_used[static_cast<std::size_t>(e.b)] = true;
            line.elements.push_back(e);
        }
        const auto lone = std::ranges::find(is_used, false);
        if (lone != is_used.end())
            arguments.fail(
                "nodes",
                "node " + std::to_string(lone - is_used.begin()) + " belongs to no element");
    } else {
        for (std::int32_t i = 0; i + 1 < count; ++i) {
            line.elements.emplace_back();
            line.elements.back().a = i;
            line.elements.back().b = i + 1;
        }
    }
    const double size = size_of(line);
    for (Element& e : line.elements) {
        e.length = (line.node(e.b) - line.node(e.a)).norm();
        if (!(e.length > kCoincident * size))
            arguments.fail(by_nodes ? "nodes" : "elements",
                           "nodes " + number_of(e.a) + " and " + number_of(e.b) +
                               " lie at one place, and an element between them has no length");
    }
    return line;
}

/// Sets Element::begin and end of one line.
void spread_sections(Line& line) {
    double length = 0.0;
    for (const Element& e : line.elements) length += e.length;
    double s = 0.0;
    for (Element& e : line.elements) {
        e.begin = s / length;
        s += e.length;
        e.end = s / length;
    }
}

/// A turn between axes without what is rounding in it, or in line but for the digits in which nodes
/// were written. Sections across the beam are to have no part along it, not one of 1e-17: d_3 would
/// have a mass, and next to none.
Mat3 without_rounding(const Mat3& turn, double rounding) {
    const Mat3 whole = turn.array().round();
    if (!((turn - whole).cwiseAbs().maxCoeff() > kInLine)) return whole;
    return (turn.array().abs() > rounding).select(turn, 0.0);
}

/// Straight elements, each with its own axes; nodes have those of their first element.
void turn_sharp(const Arguments& arguments, Line& line) {
    std::vector<bool> is_set(line.frames.size(), false);
    const double size = size_of(line);
    for (Element& e : line.elements) {
        const Vec3 t = (line.node(e.b) - line.node(e.a)) / e.length;
        const Mat3 axes = section_axes(t, read_up(arguments, t));
        for (const std::int32_t node : {e.a, e.b}) {
            const auto i = static_cast<std::size_t>(node);
            if (!is_set[i]) line.frames[i] = axes;
            is_set[i] = true;
        }
        const auto turn_at = [&](std::int32_t node) {
            return without_rounding(line.frames[static_cast<std::size_t>(node)].transpose() * axes,
                                    kRoundedAxes * size / e.length);
        };
        e.A = turn_at(e.a);
        e.B = turn_at(e.b);
    }
}

/// One curve through the nodes: sections lie across it and turn about it by the twist alone.
void turn_smooth(const Arguments& arguments, const AlongBeam* given_twist, Line& line) {
    const auto num = line.elements.size();
    std::vector<Vec3> chords;
    for (const Element& e : line.elements)
        chords.push_back((line.node(e.b) - line.node(e.a)) / e.length);
    // Tangents of the circle through three nodes; at the ends of the same circle
    std::vector<Vec3> tangents(num + 1);
    for (std::size_t i = 1; i < num; ++i) {
        const double turn =
            std::atan2(chords[i - 1].cross(chords[i]).norm(), chords[i - 1].dot(chords[i]));
        if (turn > kMostTurn)
            arguments.fail("nodes",
                           "the beam turns by " + nodes::text(std::round(turn * kDegrees)) +
                               " degrees at node " + std::to_string(i) +
                               "; give a smooth curve more nodes, or corners = \"sharp\"");
        tangents[i] =
            (chords[i - 1] * line.elements[i].length + chords[i] * line.elements[i - 1].length)
                .normalized();
    }
    const auto mirrored = [](const Vec3& tangent, const Vec3& chord) {
        return Vec3(2.0 * chord.dot(tangent) * chord - tangent);
    };
    tangents.front() = num > 1 ? mirrored(tangents[1], chords.front()) : chords.front();
    tangents.back() = num > 1 ? mirrored(tangents[num - 1], chords.back()) : chords.back();

    // Along the circle with these tangents at both ends
    for (std::size_t i = 0; i < num; ++i) {
        const Vec3 &a = tangents[i], &b = tangents[i + 1];
        const double half = 0.5 * std::atan2(a.cross(b).norm(), a.dot(b));
        if (half > kParallel) line.elements[i].length *= half / std::sin(half);
    }
    spread_sections(line);
    const AlongBeam even({0.0, 1.0}, {0.0, arguments.number("twist")});
    const AlongBeam& twist = given_twist != nullptr ? *given_twist : even;
    Mat3 axes = section_axes(tangents[0], read_up(arguments, tangents[0]));
    for (std::size_t i = 0; i <= num; ++i) {
        if (i > 0) axes = Eigen::Quaterniond::FromTwoVectors(tangents[i - 1], tangents[i]) * axes;
        const double s = i > 0 ? line.elements[i - 1].end : 0.0;
        line.frames[i] = axes * Eigen::AngleAxisd(twist.at(s), Vec3::UnitZ());
    }
}

}  // namespace

Line read_line(const Arguments& arguments, const AlongBeam* twist) {
    Line line = read_nodes(arguments);
    const bool is_sharp = arguments.text("corners") == "sharp" || !line.is_one_line;
    if (twist != nullptr && arguments.given("twist"))
        arguments.fail("twist", "is given by \"stations\", too; keep one of them");
    if (is_sharp && (twist != nullptr || arguments.number("twist") != 0.0))
        arguments.fail(twist != nullptr ? "stations" : "twist",
                       std::string(twist != nullptr ? "give a twist, which " : "") +
                           "is of one smooth curve, and this beam has sharp corners");
    if (is_sharp)
        turn_sharp(arguments, line);
    else
        turn_smooth(arguments, twist, line);
    if (is_sharp && line.is_one_line) spread_sections(line);
    return line;
}

}  // namespace ancora::beam
