// SPDX-License-Identifier: BSD-3-Clause
// Nodes, mass, rows and drawing of cables.
#include "cable.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/helpers/stress_laws.hpp"
#include "cable_rest.hpp"

namespace ancora::beam {
namespace {

enum CableBlock { kCableStretch, kCurvature };

constexpr std::int32_t kCableNode = 6;    // r, r'
constexpr double kNoDistance = 1e-12;     // of the size of a cable
constexpr double kMostTurnOfCable = 1.0;  // from element to element of nodes as listed [rad]
constexpr double kSlack = 1e-9;           // of the length, by which a cable is longer than its way
// Of how many times its length a linear law is no model.
constexpr double kMostStretched = 1.5;

std::vector<Vec3> read_nodes_of_cable(const Arguments& arguments, nodes::StartMotion& motion) {
    std::vector<Vec3> x;
    if (arguments.given("nodes")) {
        for (const char* key : {"from", "to", "elements"})
            if (arguments.given(key))
                arguments.fail(key,
                               "and \"nodes\" both say where the cable lies; keep one of them");
        motion = nodes::read_start_motion(arguments);
        const std::span<const double> rows = arguments.numbers("nodes");
        for (std::size_t i = 0; i + 2 < rows.size(); i += 3) x.emplace_back(vec3(rows, i));
        if (x.size() < 2)
            arguments.fail("nodes",
                           "a cable has two nodes or more; these are " + std::to_string(x.size()));
        if (static_cast<double>(x.size()) > nodes::kMostNodes / 2.0)
            arguments.fail("nodes", "too many: " + std::to_string(x.size()));
        return x;
    }
    for (const char* key : {"from", "to"})
        if (!arguments.given(key))
            arguments.fail(key,
                           "is missing: where does the cable lie? Give \"from\" and \"to\", or "
                           "\"nodes\"");
    const lines::Ends ends{lines::read_end(arguments, "from"), lines::read_end(arguments, "to")};
    const Vec3 from = ends.from.x, to = ends.to.x;
    if (ends.way().norm() > 0.0) motion = nodes::read_line_motion(arguments, ends);
    const std::int64_t count = arguments.integer("elements");
    if (static_cast<double>(count) > nodes::kMostNodes / 2.0)
        arguments.fail("elements", "too many: " + std::to_string(count));
    for (std::int64_t i = 0; i <= count; ++i) {
        const double s = static_cast<double>(i) / static_cast<double>(count);
        x.emplace_back((1.0 - s) * from + s * to);
    }
    return x;
}

}  // namespace

Cable::Cable(const Arguments& arguments)
    : EI_(arguments.number("EI")), mass_(arguments.number("mass")) {
    nodes::StartMotion motion;
    read_shape(arguments, motion);
    node_mass_ = nodes::read_node_masses(arguments, num_nodes());
    groups_ = {{"*", {}}, {"start", {0}}, {"end", {num_nodes() - 1}}};
    for (std::int32_t i = 0; i < num_nodes(); ++i) groups_[0].nodes.push_back(i);
    if (arguments.text("start") == "relaxed") {
        start_at_rest(arguments);
    } else if (arguments.given("held")) {
        arguments.fail("held", "is of start = \"relaxed\", and this cable starts as given");
    }
    const auto vector_at = [&](std::size_t i) -> Vec3 {
        return Eigen::Map<const Vec3>(q_.data() + i);
    };
    for (std::size_t i = 0; i < q_.size(); i += kCableNode) {
        const Vec3 rate = motion.at(vector_at(i)), turning = motion.of_way(vector_at(i + 3));
        v_.insert(v_.end(), rate.data(), rate.data() + 3);
        v_.insert(v_.end(), turning.data(), turning.data() + 3);
    }
    for (std::size_t i = 0; i < node_mass_.size(); ++i) {
        // The cubic of a unit slope rises to 4/27 of its element
        const double reach =
            4.0 / 27.0 *
            std::max(lengths_[std::min(i, lengths_.size() - 1)], lengths_[i > 0 ? i - 1 : 0]);
        const auto vector = static_cast<std::int32_t>(2 * i);
        for (std::int32_t axis = 0; axis < 3; ++axis)
            coordinates_.push_back({vector, axis, true, 1.0});
        for (std::int32_t axis = 0; axis < 3; ++axis)
            coordinates_.push_back({vector + 1, axis, false, reach});
    }
    set_rows(arguments);
}

/// Positions, slopes and lengths of elements, as given.
void Cable::read_shape(const Arguments& arguments, nodes::StartMotion& motion) {
    const std::vector<Vec3> x = read_nodes_of_cable(arguments, motion);
    const char* const key = arguments.given("nodes") ? "nodes" : "to";
    double size = 0.0;
    for (const Vec3& r : x) size = std::max(size, r.cwiseAbs().maxCoeff());
    std::vector<Vec3> chords;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        const Vec3 way = x[i + 1] - x[i];
        if (!(way.norm() > kNoDistance * size))
            arguments.fail(key,
                           "nodes " + std::to_string(i) + " and " + std::to_string(i + 1) +
                               " lie at one place, and an element between them has no length");
        lengths_.push_back(way.norm());
        chords.push_back(way.normalized());
    }
    // Tangents of the circle through three nodes; at the ends of the same circle
    const std::size_t last = chords.size() - 1;
    std::vector<Vec3> tangents(x.size());
    for (std::size_t i = 1; i <= last; ++i) {
        const double turn =
            std::atan2(chords[i - 1].cross(chords[i]).norm(), chords[i - 1].dot(chords[i]));
        if (turn > kMostTurnOfCable)
            arguments.fail(
                key,
                "the cable turns by " + nodes::text(std::round(turn * 180.0 / 3.141592653589793)) +
                    " degrees at node " + std::to_string(i) + "; give it more nodes there");
        tangents[i] = (chords[i - 1] * lengths_[i] + chords[i] * lengths_[i - 1]).normalized();
    }
    const auto mirrored = [](const Vec3& tangent, const Vec3& chord) {
        return Vec3(2.0 * chord.dot(tangent) * chord - tangent);
    };
    tangents.front() = last > 0 ? mirrored(tangents[1], chords[0]) : chords[0];
    tangents.back() = last > 0 ? mirrored(tangents[last], chords[last]) : chords[0];
    // Along the circle with these tangents at both ends
    double way = 0.0;
    for (std::size_t i = 0; i <= last; ++i) {
        const Vec3 &a = tangents[i], &b = tangents[i + 1];
        const double half = 0.5 * std::atan2(a.cross(b).norm(), a.dot(b));
        if (half > 0.0) lengths_[i] *= half / std::sin(half);
        way += lengths_[i];
    }
    double stretch = 1.0;
    if (arguments.given("length")) {
        const double length = arguments.number("length");
        stretch = way / length;
        if (stretch < 1.0 - kSlack && arguments.text("start") != "relaxed")
            arguments.fail("length",
                           "is longer than the way along the nodes, " + nodes::text(way) +
                               " m: start = \"relaxed\" lets the cable hang, or list \"nodes\" "
                               "along its shape");
        if (stretch > kMostStretched)
            arguments.fail("length",
                           "is " + nodes::text(1.0 / stretch) + " of the way along the nodes, " +
                               nodes::text(way) + " m, and a linear law is no model beyond " +
                               nodes::text(kMostStretched) + " times the length");
        for (double& l : lengths_) l /= stretch;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 slope = stretch * tangents[i];
        q_.insert(q_.end(), x[i].data(), x[i].data() + 3);
        q_.insert(q_.end(), slope.data(), slope.data() + 3);
    }
}

void Cable::start_at_rest(const Arguments& arguments) {
    if (arguments.given("spin") || arguments.given("velocity_from"))
        arguments.fail("start",
                       "\"relaxed\" is at rest under the weight; with \"spin\" or "
                       "\"velocity_from\" the cable starts as given");
    HangingCable cable{.lengths = lengths_,
                       .EA = arguments.number("EA"),
                       .EI = EI_,
                       .mass = mass_,
                       .is_tension_only = arguments.boolean("tension_only"),
                       .node_mass = node_mass_,
                       .is_held = std::vector<bool>(node_mass_.size(), false),
                       .gravity = vec3(arguments.gravity())};
    if (!arguments.given("held")) {
        cable.is_held.front() = cable.is_held.back() = true;
    } else {
        if (arguments.shape("held") == Shape::texts) {
            for (int k = 0; k < arguments.num_texts("held"); ++k) try {
                    for (const std::int32_t node : group(arguments.text("held", k)))
                        cable.is_held[static_cast<std::size_t>(node)] = true;
                } catch (const std::invalid_argument& none) {
                    arguments.fail("held", none.what());
                }
        } else {
            for (const double number : arguments.numbers("held"))
                cable.is_held[static_cast<std::size_t>(
                    nodes::node_number(arguments, "held", number, "the list", num_nodes()))] = true;
        }
    }
    try {
        q_ = hanging_shape(cable, q_);
    } catch (const NoRest& none) {
        arguments.fail("start", none.what());
    }
    for (std::size_t k = 0; k < lengths_.size(); ++k)
        for (const LinePoint& point : kStretchPoints) {
            const double stretch =
                combine(slope_weights(point.x, lengths_[k]), q_.data() + kCableNode * k).norm();
            if (stretch > kMostStretched)
                arguments.fail("start",
                               "at rest element " + std::to_string(k) + " is " +
                                   nodes::text(stretch) +
                                   " times as long, and a linear law is no model beyond " +
                                   nodes::text(kMostStretched) +
                                   "; check \"EA\", \"mass\", \"length\" and the distance");
        }
}

void Cable::set_rows(const Arguments& arguments) {
    const double EA = arguments.number("EA"), damping = arguments.number("damping");
    for (std::size_t k = 0; k < lengths_.size(); ++k) {
        const auto node = static_cast<std::int32_t>(k);
        lines_.insert(lines_.end(), {node, node + 1});
        for (std::int32_t c = 0; c < 2 * kCableNode; ++c) stencil_.push_back(kCableNode * node + c);
        for (const LinePoint& point : kStretchPoints) {
            const double stiffness = lengths_[k] * point.weight * EA;
            stretch_laws_.push_back(
                {.kind = RowKind::elastic,
                 .compliance = 1.0 / stiffness,
                 .viscosity = damping * stiffness,
                 .law = arguments.boolean("tension_only") ? &kSlackLaw : nullptr});
        }
        if (!(EI_ > 0.0)) continue;
        for (const LinePoint& point : kCurvePoints)
            curve_laws_.insert(
                curve_laws_.end(),
                3,
                {.kind = RowKind::elastic, .compliance = 1.0 / (lengths_[k] * point.weight * EI_)});
    }
    const auto num = static_cast<std::int32_t>(lengths_.size());
    blocks_.push_back({.name = "stretch",
                       .num_items = num,
                       .rows_per_item = static_cast<std::int32_t>(kStretchPoints.size()),
                       .scalars_per_item = 2 * kCableNode,
                       .stencil = stencil_,
                       .laws = stretch_laws_,
                       .degree = Degree::quadratic,
                       .tangent = TangentForm::isotropic});
    if (EI_ > 0.0)
        blocks_.push_back({.name = "curvature",
                           .num_items = num,
                           .rows_per_item = static_cast<std::int32_t>(3 * kCurvePoints.size()),
                           .scalars_per_item = 2 * kCableNode,
                           .stencil = stencil_,
                           .laws = curve_laws_,
                           .degree = Degree::linear,
                           .tangent = TangentForm::none});
}

void Cable::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(q_, q.begin());
    std::ranges::copy(v_, v.begin());
}

// (3)
void Cable::mass(MassSink& M) const {
    const auto add = [&](std::size_t i, std::size_t j, double value) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            M.add(static_cast<int>(3 * i + axis), static_cast<int>(3 * j + axis), value);
    };
    for (std::size_t i = 0; i < node_mass_.size(); ++i)
        if (node_mass_[i] > 0.0) add(2 * i, 2 * i, node_mass_[i]);
    for (std::size_t k = 0; k < lengths_.size(); ++k) {
        const auto products = cubic_products(lengths_[k]);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j <= i; ++j) add(2 * k + i, 2 * k + j, mass_ * products[i][j]);
    }
}

void Cable::attach(const Locator& where, AttachmentSink& out) const {
    const auto add = [&](std::int32_t vector, double weight) {
        for (int axis = 0; axis < 3; ++axis)
            if (weight != 0.0) out.weight(axis, 3 * vector + axis, weight);
    };
    if (where.kind == Locator::Kind::coordinates) {
        double s = where.xyz[0], way = 0.0;
        for (const double l : lengths_) way += l;
        if (where.xyz[1] != 0.0 || where.xyz[2] != 0.0 || !(s >= 0.0 && s <= way * (1.0 + kSlack)))
            throw std::invalid_argument(
                "a cable has no axes. Its points are its nodes, written as a number " +
                nodes::node_range(num_nodes()) +
                ", \"start\" or \"end\", and \"[s, 0, 0]\", at the length s along it, 0 to " +
                nodes::text(way));
        std::size_t k = 0;
        while (k + 1 < lengths_.size() && s > lengths_[k]) s -= lengths_[k++];
        const double x = std::min(s / lengths_[k], 1.0);
        const CubicWeights w =
            where.is_direction ? slope_weights(x, lengths_[k]) : position_weights(x, lengths_[k]);
        for (std::size_t i = 0; i < w.size(); ++i) add(static_cast<std::int32_t>(2 * k + i), w[i]);
        return;
    }
    if (where.is_direction && vec3(where.xyz).norm() > 0.0)
        throw std::invalid_argument(
            "a node of a cable has no axes; the direction along it is the node itself, "
            "\"BODY@NODE\"");
    const std::int64_t node = where.kind == Locator::Kind::name
                                  ? nodes::only_node(nodes::find_group(
                                        groups_, where.name, "cable", "element", num_nodes()))
                                  : where.index;
    if (node < 0 || node >= num_nodes())
        throw std::invalid_argument("there is no node " + std::to_string(node) +
                                    "; this cable has nodes " + nodes::node_range(num_nodes()));
    add(2 * static_cast<std::int32_t>(node) + (where.is_direction ? 1 : 0), 1.0);
}

std::span<const std::int32_t> Cable::group(std::string_view name) const {
    return nodes::find_group(groups_, name, "cable", "element", num_nodes()).nodes;
}

int Cable::find_coordinate(std::string_view name) const {
    constexpr std::string_view kSlope = "slope_";
    if (!name.starts_with(kSlope) || name.size() < kSlope.size() + 3) return -1;
    const char axis = name.back();
    if (axis < 'x' || axis > 'z' || name[name.size() - 2] != '_') return -1;
    const std::string_view number = name.substr(kSlope.size(), name.size() - kSlope.size() - 2);
    std::int32_t node = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), node);
    if (error != std::errc() || end != number.data() + number.size() || node < 0 ||
        node >= num_nodes())
        return -1;
    return kCableNode * node + 3 + (axis - 'x');
}

void Cable::draw(Sketch& out) const {
    out.nodes(num_nodes());
    out.lines(lines_);
    out.channel("curve", "", ChannelPlace::curves);
    out.channel("tension", "N");
    out.channel("bending moment", "N m");
}

void Cable::draw_values(const SketchState& at, std::span<double> all) const {
    const std::size_t num = lengths_.size();
    const std::span<double> curves = all.first(kCurveNumbers * num);
    const std::span<double> values = all.subspan(curves.size());
    for (std::size_t k = 0; k < num; ++k) {
        const double* const u = at.q.data() + kCableNode * k;
        const double l = lengths_[k];
        for (const std::size_t end : {0, 1}) {
            const Vec3 slope = l * Eigen::Map<const Vec3>(u + kCableNode * end + 3);
            vec3(curves, 12 * k + 6 * end) = slope;
            vec3(curves, 12 * k + 6 * end + 3) =
                slope.norm() > 0.0 ? slope.unitOrthogonal() : Vec3(Vec3::UnitX());
        }
        // S |r'| in the mean over the element, with s = l w S
        double sum = 0.0, square = 0.0;
        for (std::size_t g = 0; g < kStretchPoints.size(); ++g)
            sum += at.s[kStretchPoints.size() * k + g] *
                   combine(slope_weights(kStretchPoints[g].x, l), u).norm();
        for (const LinePoint& point : kCurvePoints)
            square += point.weight * combine(curve_weights(point.x, l), u).squaredNorm();
        values[k] = sum / l;
        values[num + k] = EI_ * std::sqrt(square);
    }
}

void Cable::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    if (block == kCableStretch)
        evaluate_stretch(at, out);
    else
        evaluate_curvature(at, out);
    std::ranges::fill(out.pi_t, 0.0);
}

// (2)
void Cable::evaluate_stretch(const RowPoint& at, const RowValues& out) const {
    std::size_t row = 0;
    for (std::size_t k = 0; k < lengths_.size(); ++k)
        for (const LinePoint& point : kStretchPoints) {
            const CubicWeights w = slope_weights(point.x, lengths_[k]);
            const Vec3 slope = combine(w, at.u.data() + kCableNode * k);
            if (!out.pi.empty()) {
                const double norm = slope.norm();
                out.pi[row] = 0.5 * (norm - 1.0) * (norm + 1.0);
            }
            if (!out.A.empty())
                for (std::size_t i = 0; i < 4; ++i) vec3(out.A, 12 * row + 3 * i) = w[i] * slope;
            if (!out.b.empty())
                out.b[row] = -combine(w, at.du.data() + kCableNode * k).squaredNorm();
            ++row;
        }
}

void Cable::evaluate_curvature(const RowPoint& at, const RowValues& out) const {
    std::size_t row = 0;
    for (std::size_t k = 0; k < lengths_.size(); ++k)
        for (const LinePoint& point : kCurvePoints) {
            const CubicWeights w = curve_weights(point.x, lengths_[k]);
            if (!out.pi.empty()) vec3(out.pi, row) = combine(w, at.u.data() + kCableNode * k);
            if (!out.A.empty()) {
                std::fill_n(out.A.data() + 12 * row, 36, 0.0);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    for (std::size_t i = 0; i < 4; ++i)
                        out.A[12 * (row + axis) + 3 * i + axis] = w[i];
            }
            row += 3;
        }
    std::ranges::fill(out.b, 0.0);
}

// sum of s w w^T over the Gauss points
void Cable::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (block != kCableStretch) return;
    std::ranges::fill(G, 0.0);
    std::size_t row = 0;
    for (std::size_t k = 0; k < lengths_.size(); ++k)
        for (const LinePoint& point : kStretchPoints) {
            const double stress = at.s[row++];
            if (at.positive_part && stress < 0.0) continue;
            const CubicWeights w = slope_weights(point.x, lengths_[k]);
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < 4; ++j) G[16 * k + 4 * i + j] += stress * w[i] * w[j];
        }
}

}  // namespace ancora::beam
