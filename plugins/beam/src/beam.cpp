// SPDX-License-Identifier: BSD-3-Clause
// Mass, start, attachments, rows and drawing of beams.
#include "beam.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "ancora/sdk/authoring/row_tangent.hpp"
#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::beam {
namespace {

enum Block { kSections, kStretch, kBending };

constexpr std::int32_t kPerNode = 12;  // r, d_1, d_2, d_3

/// A row's entries at the vectors `at` of its item.
void put(double* A, std::ptrdiff_t at, const Vec3& value) {
    Eigen::Map<Vec3>(A + 3 * at) = value;
}

/// The axes d_1, d_2, d_3 of a node, columns.
Eigen::Map<const Mat3> axes_of(const double* u, std::int32_t node) {
    return Eigen::Map<const Mat3>(u + static_cast<std::ptrdiff_t>(kPerNode) * node + 3);
}
Eigen::Map<const Vec3> point_of(const double* u, std::int32_t node) {
    return Eigen::Map<const Vec3>(u + static_cast<std::ptrdiff_t>(kPerNode) * node);
}

/// of (2)
constexpr double kArc = 1.0 / 3.0;

/// (i, j, k) cyclic
constexpr std::array<std::array<int, 3>, 3> kCyclic = {{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}};

/// k of (3), bilinear in the sections at both ends
Vec3 turn_between(const Mat3& a, const Mat3& b) {
    Vec3 k;
    for (const auto& [i, j, l] : kCyclic)
        k(i) = 0.5 * (a.col(l).dot(b.col(j)) - a.col(j).dot(b.col(l)));
    return k;
}

/// Gamma of (2) but for Gamma^0: bilinear in the sections at both ends and the slope.
Vec3 stretch_of(const Mat3& a, const Mat3& b, const Vec3& slope) {
    Vec3 out = 0.5 * (a + b).transpose() * slope;
    out(2) -= kArc * a.col(2).dot(b.col(2));
    return out;
}

}  // namespace

Beam::Beam(const Arguments& arguments) : Beam(arguments, Stations(arguments)) {}

Beam::Beam(const Arguments& arguments, const Stations& stations)
    : line_(read_line(arguments, stations.find("twist"))) {
    const SectionReader reader(arguments, stations);
    if (reader.varies() && !line_.is_one_line)
        arguments.fail(stations.empty() ? "end_section" : "stations",
                       "is of one line from its first to its last node, and this beam has a list "
                       "of elements");
    const std::size_t num_elements = line_.elements.size();
    for (const Element& e : line_.elements)
        sections_.push_back(reader.varies() || sections_.empty() ? reader.between(e.begin, e.end)
                                                                 : sections_.front());
    const std::int32_t num_nodes = line_.num_nodes();
    node_mass_ = nodes::read_node_masses(arguments, num_nodes);

    // Reach: the largest half width of what a node carries
    std::vector<std::array<double, 3>> reach(static_cast<std::size_t>(num_nodes));
    for (std::size_t k = 0; k < num_elements; ++k) {
        const auto& [half_1, half_2] = sections_[k].half_size;
        for (const std::int32_t node : {line_.elements[k].a, line_.elements[k].b}) {
            std::array<double, 3>& of = reach[static_cast<std::size_t>(node)];
            of[0] = std::max(of[0], half_1);
            of[1] = std::max(of[1], half_2);
            of[2] = std::max({of[2], half_1, half_2});
        }
    }
    const nodes::StartMotion& motion = line_.motion;
    const std::vector<double> rates = motion.velocities(line_.x);
    for (std::int32_t i = 0; i < num_nodes; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Mat3& axes = line_.frames[at];
        const Mat3 turning = skew(motion.spin.omega) * axes;
        q_.insert(q_.end(), line_.x.data() + 3 * at, line_.x.data() + 3 * at + 3);
        v_.insert(v_.end(), rates.data() + 3 * at, rates.data() + 3 * at + 3);
        q_.insert(q_.end(), axes.data(), axes.data() + 9);
        v_.insert(v_.end(), turning.data(), turning.data() + 9);
        for (std::int32_t vector = 0; vector < 4; ++vector)
            for (std::int32_t axis = 0; axis < 3; ++axis)
                coordinates_.push_back(
                    {4 * i + vector, axis, vector == 0, vector == 0 ? 1.0 : reach[at][vector - 1]});
    }
    groups_.push_back({"*", {}});
    for (std::int32_t i = 0; i < num_nodes; ++i) groups_[0].nodes.push_back(i);
    if (line_.is_one_line) {
        groups_.push_back({"start", {0}});
        groups_.push_back({"end", {num_nodes - 1}});
    }
    set_rows(arguments.number("damping"));
    set_outlines(reader);
}

void Beam::set_outlines(const SectionReader& reader) {
    const auto add = [&](const Section& section) {
        outlines_.push_back(outline_of(section));
        holes_.push_back(section.hole);
        return static_cast<std::int32_t>(outlines_.size()) - 1;
    };
    if (!reader.varies()) {
        line_outlines_.assign(2 * line_.elements.size(), add(sections_.front()));
        return;
    }
    for (const Element& e : line_.elements) {
        line_outlines_.push_back(add(reader.at(e.begin, 1)));
        line_outlines_.push_back(add(reader.at(e.end, -1)));
    }
    // Numbers may be those of a circle at some stations only: then all are rectangles
    const auto size = std::ranges::min_element(outlines_, {}, &std::vector<double>::size)->size();
    if (std::ranges::all_of(outlines_, [&](const auto& outline) {
            return outline.size() == size;
        }))
        return;
    outlines_.clear();
    line_outlines_.clear();
    for (const Element& e : line_.elements)
        for (const int side : {1, -1}) {
            Section section = reader.at(side > 0 ? e.begin : e.end, side);
            section.is_round = false;
            line_outlines_.push_back(add(section));
        }
    holes_.assign(outlines_.size(), 0.0);
}

void Beam::set_rows(double damping) {
    const auto num_elements = static_cast<std::int32_t>(line_.elements.size());
    for (std::int32_t i = 0; i < line_.num_nodes(); ++i)
        for (std::int32_t c = 3; c < kPerNode; ++c) section_stencil_.push_back(kPerNode * i + c);

    const auto elastic = [&](double compliance) {
        if (compliance == 0.0) return RowLaw{};
        return RowLaw{
            .kind = RowKind::elastic, .compliance = compliance, .viscosity = damping / compliance};
    };
    std::vector<BendingLaw::Item> items;
    for (std::size_t k = 0; k < line_.elements.size(); ++k) {
        const Element& e = line_.elements[k];
        const Section& section = sections_[k];
        lines_.insert(lines_.end(), {e.a, e.b});
        for (const std::int32_t node : {e.a, e.b})
            for (std::int32_t c = 0; c < kPerNode; ++c) {
                stretch_stencil_.push_back(kPerNode * node + c);
                if (c >= 3) bending_stencil_.push_back(kPerNode * node + c);
            }
        const Mat3 a = axes_of(q_.data(), e.a) * e.A, b = axes_of(q_.data(), e.b) * e.B;
        const Vec3 slope = (line_.node(e.b) - line_.node(e.a)) / e.length;
        stretch_0_.push_back(stretch_of(a, b, slope));
        const double l = e.length;
        for (const double stiffness : {section.GA[0], section.GA[1], section.EA})
            stretch_laws_.push_back(elastic(1.0 / (l * stiffness)));
        const Vec3 D = Vec3(section.EI[0], section.EI[1], section.EI[2]) / l;
        items.push_back({D, turn_between(a, b), {e.a, e.b}});
        for (int i = 0; i < 3; ++i) bending_laws_.push_back(elastic(1.0 / D(i)));
    }
    bending_ = std::make_unique<BendingLaw>(std::move(items));
    bending_law_ = bending_.get();
    blocks_ = {{.name = "axes of a section",
                .num_items = line_.num_nodes(),
                .rows_per_item = 6,
                .scalars_per_item = 9,
                .stencil = section_stencil_,
                .laws = {&section_law_, 1},
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic},
               {.name = "shear and stretch",
                .num_items = num_elements,
                .rows_per_item = 3,
                .scalars_per_item = 2 * kPerNode,
                .stencil = stretch_stencil_,
                .laws = stretch_laws_,
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic},
               {.name = "bending and twist",
                .num_items = num_elements,
                .rows_per_item = 3,
                .scalars_per_item = 18,
                .stencil = bending_stencil_,
                .laws = bending_laws_,
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic,
                .item_laws = {&bending_law_, 1}}};
}

void Beam::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(q_, q.begin());
    std::ranges::copy(v_, v.begin());
}

// (5): l/6 [2 1; 1 2] of m on the points, and of rho I on the axes of the sections, which are
// combinations of those of the nodes
void Beam::mass(MassSink& M) const {
    const auto add = [&](std::int32_t i, std::int32_t j, double value) {
        if (value == 0.0) return;
        for (std::int32_t axis = 0; axis < 3; ++axis)
            M.add(std::max(i, j) + axis, std::min(i, j) + axis, value);
    };
    for (std::int32_t i = 0; i < line_.num_nodes(); ++i)
        add(kPerNode * i, kPerNode * i, node_mass_[static_cast<std::size_t>(i)]);
    for (std::size_t k = 0; k < line_.elements.size(); ++k) {
        const Element& e = line_.elements[k];
        const Section& section = sections_[k];
        // of d_1 about axis 2, and of d_2 about axis 1
        const Vec3 J(section.rotary[1], section.rotary[0], 0.0);
        const double sixth = e.length / 6.0;
        for (const auto& [i, N, j, P, share] : {std::tuple{e.a, &e.A, e.a, &e.A, 2.0},
                                                std::tuple{e.b, &e.B, e.b, &e.B, 2.0},
                                                std::tuple{e.a, &e.A, e.b, &e.B, 1.0}}) {
            add(kPerNode * i, kPerNode * j, share * sixth * section.mass);
            const Mat3 moments = share * sixth * *N * J.asDiagonal() * P->transpose();
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < (i == j ? a + 1 : 3); ++b)
                    add(kPerNode * i + 3 + 3 * a, kPerNode * j + 3 + 3 * b, moments(a, b));
        }
    }
}

void Beam::attach(const Locator& where, AttachmentSink& out) const {
    if (where.kind == Locator::Kind::coordinates)
        throw std::invalid_argument(
            "points of a beam are its nodes, written as a number " +
            nodes::node_range(line_.num_nodes()) +
            (line_.is_one_line ? ", \"start\" or \"end\"" : "") +
            "; a point or direction in the axes of a node is written \"BODY@NODE@[x, y, z]\"");
    const std::int64_t node = where.kind == Locator::Kind::name
                                  ? nodes::only_node(nodes::find_group(
                                        groups_, where.name, "beam", "element", line_.num_nodes()))
                                  : where.index;
    if (node < 0 || node >= line_.num_nodes())
        throw std::invalid_argument("there is no node " + std::to_string(node) +
                                    "; this beam has nodes " +
                                    nodes::node_range(line_.num_nodes()));
    const int first = kPerNode * static_cast<int>(node);
    if (!where.is_direction) {
        for (int axis = 0; axis < 3; ++axis) out.weight(axis, first + axis, 1.0);
        return;
    }
    if (!(vec3(where.xyz).norm() > 0.0))
        throw std::invalid_argument(
            "a direction at a node is written in its axes, \"BODY@NODE@[x, y, z]\"");
    for (int i = 0; i < 3; ++i)
        for (int axis = 0; axis < 3; ++axis)
            out.weight(axis, first + 3 + 3 * i + axis, where.xyz[static_cast<std::size_t>(i)]);
}

std::span<const std::int32_t> Beam::group(std::string_view name) const {
    return nodes::find_group(groups_, name, "beam", "element", line_.num_nodes()).nodes;
}

void Beam::draw(Sketch& out) const {
    out.nodes(line_.num_nodes());
    out.lines(lines_);
    std::vector<Outline> outlines;
    for (std::size_t i = 0; i < outlines_.size(); ++i)
        outlines.push_back({outlines_[i], holes_[i]});
    out.outlines(outlines, line_outlines_);
    out.channel("curve", "", ChannelPlace::curves);
    if (has_stress()) {
        out.channel("von Mises stress", "Pa");
        out.channel("axial stress", "Pa");
        out.channel("bending stress", "Pa");
    }
    out.channel("axial force", "N");
    out.channel("shear force", "N");
    out.channel("bending moment", "N m");
    out.channel("torque", "N m");
}

void Beam::draw_values(const SketchState& at, std::span<double> all) const {
    const std::size_t num = line_.elements.size();
    const std::span<double> curves = all.first(kCurveNumbers * num);
    const std::span<double> stress = all.subspan(curves.size(), has_stress() ? 3 * num : 0);
    const std::span<double> values = all.subspan(curves.size() + stress.size());
    const std::size_t first = 6 * line_.frames.size();
    for (std::size_t k = 0; k < num; ++k) {
        const Element& e = line_.elements[k];
        const Mat3 a = axes_of(at.q.data(), e.a) * e.A, b = axes_of(at.q.data(), e.b) * e.B;
        vec3(curves, 12 * k) = e.length * a.col(2);
        vec3(curves, 12 * k + 3) = a.col(0);
        vec3(curves, 12 * k + 6) = e.length * b.col(2);
        vec3(curves, 12 * k + 9) = b.col(0);
        const double* const s = at.s.data() + first + 3 * k;
        values[k] = s[2] / e.length;
        values[num + k] = std::hypot(s[0], s[1]) / e.length;
        // D (theta - theta_0) in place of W', which is per sine
        const BendingLaw::Item& law = bending_->item(k);
        const Vec3 turn = turn_between(a, b);
        const Vec3 moment = law.D.cwiseProduct(BendingLaw::angles(law.k_0, turn - law.k_0));
        values[2 * num + k] = std::hypot(moment(0), moment(1));
        values[3 * num + k] = moment(2);
        if (stress.empty()) continue;
        const Fibres& fibres = sections_[k].fibres;
        stress[k] = fibres.von_mises(values[k], moment(0), moment(1), moment(2));
        stress[num + k] = fibres.axial(values[k]);
        stress[2 * num + k] = fibres.bending(moment(0), moment(1));
    }
}

void Beam::evaluate(int block, const RowPoint& at, const RowValues& out) const {
    if (block == kSections) evaluate_sections(at, out);
    if (block == kStretch) evaluate_stretch(at, out);
    if (block == kBending) evaluate_bending(at, out);
    std::ranges::fill(out.pi_t, 0.0);
}

// (1): squares halved
void Beam::evaluate_sections(const RowPoint& at, const RowValues& out) const {
    for (std::int32_t n = 0; n < line_.num_nodes(); ++n) {
        const auto row = static_cast<std::size_t>(6 * n);
        const Mat3 d = axes_of(at.u.data(), n);
        if (!out.pi.empty())
            for (int i = 0; i < 3; ++i) {
                const double l = d.col(i).norm();
                out.pi[row + static_cast<std::size_t>(i)] = 0.5 * (l - 1.0) * (l + 1.0);
                out.pi[row + static_cast<std::size_t>(3 + i)] = d.col(i).dot(d.col((i + 1) % 3));
            }
        if (!out.A.empty()) {
            double* const A = out.A.data() + 9 * row;
            std::fill_n(A, 54, 0.0);
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3;
                put(A + 9 * i, i, d.col(i));
                put(A + 27 + 9 * i, i, d.col(j));
                put(A + 27 + 9 * i, j, d.col(i));
            }
        }
        if (out.b.empty()) continue;
        const Mat3 dd = axes_of(at.du.data(), n);
        for (int i = 0; i < 3; ++i) {
            out.b[row + static_cast<std::size_t>(i)] = -dd.col(i).squaredNorm();
            out.b[row + static_cast<std::size_t>(3 + i)] =
                -2.0 * dd.col(i).dot(dd.col((i + 1) % 3));
        }
    }
}

// (2)
void Beam::evaluate_stretch(const RowPoint& at, const RowValues& out) const {
    for (std::size_t k = 0; k < line_.elements.size(); ++k) {
        const Element& e = line_.elements[k];
        const auto slope_of = [&](const double* u) -> Vec3 {
            return (point_of(u, e.b) - point_of(u, e.a)) / e.length;
        };
        const Mat3 a = axes_of(at.u.data(), e.a) * e.A, b = axes_of(at.u.data(), e.b) * e.B;
        const Vec3 slope = slope_of(at.u.data());
        if (!out.pi.empty()) vec3(out.pi, 3 * k) = stretch_of(a, b, slope) - stretch_0_[k];
        if (!out.A.empty())
            for (int i = 0; i < 3; ++i) {
                double* const A =
                    out.A.data() + 2 * kPerNode * (3 * static_cast<std::ptrdiff_t>(k) + i);
                const Vec3 d = 0.5 * (a.col(i) + b.col(i));
                Vec3 by_a = 0.5 * slope, by_b = by_a;  // derivatives by a_i and b_i
                if (i == 2) {
                    by_a -= kArc * b.col(2);
                    by_b -= kArc * a.col(2);
                }
                put(A, 0, -d / e.length);
                put(A, 4, d / e.length);
                for (int j = 0; j < 3; ++j) {
                    put(A, 1 + j, e.A(j, i) * by_a);
                    put(A, 5 + j, e.B(j, i) * by_b);
                }
            }
        if (!out.b.empty())
            vec3(out.b, 3 * k) = -2.0 * stretch_of(axes_of(at.du.data(), e.a) * e.A,
                                                   axes_of(at.du.data(), e.b) * e.B,
                                                   slope_of(at.du.data()));
    }
}

// (3)
void Beam::evaluate_bending(const RowPoint& at, const RowValues& out) const {
    for (std::size_t n = 0; n < line_.elements.size(); ++n) {
        const Element& e = line_.elements[n];
        const Mat3 a = axes_of(at.u.data(), e.a) * e.A, b = axes_of(at.u.data(), e.b) * e.B;
        if (!out.pi.empty()) vec3(out.pi, 3 * n) = turn_between(a, b) - bending_->item(n).k_0;
        if (!out.A.empty())
            for (const auto& [i, j, k] : kCyclic) {
                double* const A = out.A.data() + 18 * (3 * static_cast<std::ptrdiff_t>(n) + i);
                for (int l = 0; l < 3; ++l) {
                    put(A, l, 0.5 * (e.A(l, k) * b.col(j) - e.A(l, j) * b.col(k)));
                    put(A, 3 + l, 0.5 * (e.B(l, j) * a.col(k) - e.B(l, k) * a.col(j)));
                }
            }
        if (!out.b.empty())
            vec3(out.b, 3 * n) = -2.0 * turn_between(axes_of(at.du.data(), e.a) * e.A,
                                                     axes_of(at.du.data(), e.b) * e.B);
    }
}

void Beam::evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const {
    if (block == kSections) {
        for (std::size_t n = 0; n < line_.frames.size(); ++n) {
            const double* const x = at.s.data() + 6 * n;
            double* const K = G.data() + 9 * n;
            for (std::size_t i = 0; i < 3; ++i) {
                const std::size_t j = (i + 1) % 3;
                K[4 * i] = x[i];
                K[3 * i + j] = K[3 * j + i] = x[3 + i];
            }
            if (at.positive_part) keep_positive_part<3>(K);
        }
        return;
    }
    if (block == kStretch) {
        // p w^T + w p^T with p of r_b - r_a and w of the axes, and -c (a b^T + b a^T) with a and b
        // of d_3 at both ends; the positive part of each has one direction
        using Matrix = Eigen::Matrix<double, 8, 8>;
        using Vector = Eigen::Matrix<double, 8, 1>;
        Vector p = Vector::Zero();
        p(0) = -1.0;
        p(4) = 1.0;
        for (std::size_t k = 0; k < line_.elements.size(); ++k) {
            const Element& e = line_.elements[k];
            const Vec3 half = 0.5 / e.length * vec3(at.s, 3 * k);
            const double arc = kArc * at.s[3 * k + 2];
            Vector w = Vector::Zero(), a = w, b = w;
            w.segment<3>(1) = e.A * half;
            w.segment<3>(5) = e.B * half;
            a.segment<3>(1) = e.A.col(2);
            b.segment<3>(5) = e.B.col(2);
            Eigen::Map<Matrix> K(G.data() + 64 * k);
            if (!at.positive_part) {
                K = p * w.transpose() + w * p.transpose() -
                    arc * (a * b.transpose() + b * a.transpose());
                continue;
            }
            const Vector across = arc > 0.0 ? Vector(a - b) : Vector(a + b);
            K = 0.5 * std::abs(arc) * across * across.transpose();
            const double size = w.norm();
            if (!(size > 0.0)) continue;
            const Vector both = p / p.norm() + w / size;
            K += 0.5 * p.norm() * size * both * both.transpose();
        }
        return;
    }
    // [0 C; C^T 0] / 2, C = A skew(at.s) B^T with the singular values |at.s|, |at.s| and 0
    for (std::size_t k = 0; k < line_.elements.size(); ++k) {
        const Element& e = line_.elements[k];
        const Vec3 moment = vec3(at.s, 3 * k);
        const Mat3 C = e.A * skew(moment) * e.B.transpose();
        Eigen::Map<Eigen::Matrix<double, 6, 6>> K(G.data() + 36 * k);
        K.setZero();
        K.topRightCorner<3, 3>() = 0.5 * C;
        K.bottomLeftCorner<3, 3>() = 0.5 * C.transpose();
        if (!at.positive_part) continue;
        K *= 0.5;
        const double size = moment.norm();
        if (!(size > 0.0)) continue;
        const Mat3 across = size * Mat3::Identity() - moment * moment.transpose() / size;
        K.topLeftCorner<3, 3>() = 0.25 * e.A * across * e.A.transpose();
        K.bottomRightCorner<3, 3>() = 0.25 * e.B * across * e.B.transpose();
    }
}

}  // namespace ancora::beam
