// SPDX-License-Identifier: BSD-3-Clause
// Elements, mass, attachments, rows and drawing of shells.
#include "shell.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "ancora/sdk/authoring/row_tangent.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "chords.hpp"

namespace ancora::shell {
namespace {

enum Block { kPoints, kShears, kDirectors, kFrames };

constexpr std::int32_t kPerNode = 6;            // r, d
constexpr double kGauss = 0.57735026918962576;  // 1 / sqrt(3)

// (xi, eta) of the corners, and of the Gauss points in these units
constexpr std::array<std::array<double, 2>, 4> kCorners = {
    {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}};

/// A shear of (4): phi,xi or phi,eta is half of r_to - r_from, d the mean of their directors.
struct Side {
    std::size_t from, to;
};
constexpr std::array<Side, 4> kSides = {{{0, 1}, {3, 2}, {0, 3}, {1, 2}}};

void put(double* A, std::ptrdiff_t at, const Vec3& value) {
    Eigen::Map<Vec3>(A + 3 * at) = value;
}
Eigen::Map<const Vec3> point_of(const double* u, std::int32_t node) {
    return Eigen::Map<const Vec3>(u + static_cast<std::ptrdiff_t>(kPerNode) * node);
}
Eigen::Map<const Vec3> director_of(const double* u, std::int32_t node) {
    return Eigen::Map<const Vec3>(u + static_cast<std::ptrdiff_t>(kPerNode) * node + 3);
}
std::size_t at(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

Shell::Shell(const Arguments& arguments)
    : surface_(build_surface(arguments)),
      material_(read_material(arguments)),
      edges_(edges_of(surface_.quads)) {
    for (std::int32_t i = 0; i < surface_.num_nodes(); ++i) all_nodes_.push_back(i);
    node_mass_ = nodes::read_node_masses(arguments, surface_.num_nodes());
    const Surface rest = build_rest(arguments, surface_);
    const std::string stretch = stretch_of_chords(surface_, rest, material_.thickness);
    if (arguments.given("rest") && !stretch.empty()) arguments.warn("rest", stretch);
    set_elements(arguments, rest);
    read_frames(arguments);
    set_start(arguments);
    set_blocks();
}

void Shell::set_elements(const Arguments& arguments, const Surface& rest) {
    // Rows of e = (eps, kappa) that do not act on each other: C = sum of lambda t t^T, with kappa
    // in units of the thickness
    Vector6 unit = Vector6::Ones();
    unit.tail<3>().setConstant(material_.thickness);
    Eigen::MatrixXd C =
        unit.cwiseInverse().asDiagonal() * material_.C * unit.cwiseInverse().asDiagonal();
    Eigen::MatrixXd V(6, 6);
    diagonalise(C, V);
    rows_ = V.transpose() * unit.asDiagonal();

    const double damping = arguments.number("damping");
    const auto law = [&](double stiffness) {
        return RowLaw{.kind = RowKind::elastic,
                      .compliance = 1.0 / stiffness,
                      .viscosity = damping * stiffness};
    };
    std::vector<double> u;  // coordinates at rest
    for (std::int32_t i = 0; i < rest.num_nodes(); ++i)
        for (const Vec3& x : {Vec3(rest.node(i)), rest.normals[at(i)]})
            u.insert(u.end(), x.data(), x.data() + 3);
    for (std::size_t k = 0; k < rest.quads.size(); ++k) {
        const Quad& quad = rest.quads[k];
        Eigen::Matrix4d H = Eigen::Matrix4d::Zero();
        for (const auto& [xi_corner, eta_corner] : kCorners) {
            const double xi = kGauss * xi_corner, eta = kGauss * eta_corner;
            Vector4 by_xi, by_eta;
            Vec3 r_xi = Vec3::Zero(), r_eta = Vec3::Zero();
            for (int i = 0; i < 4; ++i) {
                const auto& [cx, ce] = kCorners[static_cast<std::size_t>(i)];
                by_xi(i) = 0.25 * cx * (1.0 + ce * eta);
                by_eta(i) = 0.25 * ce * (1.0 + cx * xi);
                const auto r = rest.node(quad[static_cast<std::size_t>(i)]);
                r_xi += by_xi(i) * r;
                r_eta += by_eta(i) * r;
            }
            const Vec3 normal = r_xi.cross(r_eta);
            const Vec3 n = normal.normalized();
            Vec3 axis = material_.has_axis ? material_.axis.normalized() : r_xi.normalized();
            axis -= axis.dot(n) * n;
            if (!(axis.norm() > 1e-6))
                arguments.fail("laminate",
                               "its axis is across the surface at element " + std::to_string(k) +
                                   "; give one that lies along it");
            const Vec3 a = axis.normalized(), b = n.cross(a);
            Eigen::Matrix2d J;  // d(a, b) / d(xi, eta)
            J << r_xi.dot(a), r_eta.dot(a), r_xi.dot(b), r_eta.dot(b);
            const double det = J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0);
            Eigen::Matrix2d inverse;  // d(xi, eta) / d(a, b)
            inverse << J(1, 1), -J(0, 1), -J(1, 0), J(0, 0);
            inverse /= det;
            Point point;
            point.a = inverse(0, 0) * by_xi + inverse(1, 0) * by_eta;
            point.b = inverse(0, 1) * by_xi + inverse(1, 1) * by_eta;
            point.area = normal.norm();
            const Tangents x = tangents(point, quad, u.data());
            point.rest = products(x, x);
            for (int row = 0; row < 6; ++row) point_laws_.push_back(law(C(row, row) * point.area));
            points_.push_back(point);

            // gamma_a = xi,a gamma_xi + eta,a gamma_eta, of the four shears at the sides
            Eigen::Matrix<double, 2, 4> P;
            for (int axis_index = 0; axis_index < 2; ++axis_index)
                P.row(axis_index) << inverse(0, axis_index) * 0.5 * (1.0 - eta),
                    inverse(0, axis_index) * 0.5 * (1.0 + eta),
                    inverse(1, axis_index) * 0.5 * (1.0 - xi),
                    inverse(1, axis_index) * 0.5 * (1.0 + xi);
            H += point.area * P.transpose() * material_.shear.asDiagonal() * P;
        }
        Eigen::MatrixXd energy = H, T(4, 4);
        diagonalise(energy, T);
        shears_.push_back({T.transpose(), shears(quad, u.data(), u.data())});
        for (int row = 0; row < 4; ++row) shear_laws_.push_back(law(energy(row, row)));
        for (int gauss = 0; gauss < 5; ++gauss) {
            std::vector<std::int32_t>& to = gauss < 4 ? point_stencil_ : shear_stencil_;
            for (const std::int32_t part : {0, 3})
                for (const std::int32_t node : quad)
                    for (std::int32_t c = 0; c < 3; ++c) to.push_back(kPerNode * node + part + c);
        }
    }
}

void Shell::read_frames(const Arguments& arguments) {
    if (!arguments.given("frames")) return;
    std::vector<bool> wanted(at(surface_.num_nodes()), false);
    if (arguments.shape("frames") == Shape::texts) {
        for (int k = 0; k < arguments.num_texts("frames"); ++k) {
            try {
                for (const std::int32_t node : group(arguments.text("frames", k)))
                    wanted[at(node)] = true;
            } catch (const std::invalid_argument& error) {
                arguments.fail("frames", error.what());
            }
        }
    } else {
        for (const double number : arguments.numbers("frames"))
            wanted[at(nodes::node_number(
                arguments, "frames", number, "it", surface_.num_nodes()))] = true;
    }
    for (std::int32_t node = 0; node < surface_.num_nodes(); ++node) {
        if (!wanted[at(node)]) continue;
        for (const Quad& quad : surface_.quads) {
            const auto found = std::ranges::find(quad, node);
            if (found == quad.end()) continue;
            const auto corner = static_cast<std::size_t>(found - quad.begin());
            const Side side = corner < 2 ? kSides[0] : kSides[1];  // along xi
            const std::int32_t p = quad[side.from], q = quad[side.to];
            frames_.push_back({node, p, q, (surface_.node(q) - surface_.node(p)).norm()});
            break;
        }
    }
}

void Shell::set_start(const Arguments& arguments) {
    const nodes::StartMotion motion = nodes::read_start_motion(arguments);
    const std::vector<double> rates = motion.velocities(surface_.x);
    const std::int32_t num_nodes = surface_.num_nodes();
    const auto add = [](std::vector<double>& to, const Vec3& x) {
        to.insert(to.end(), x.data(), x.data() + 3);
    };
    const double half = 0.5 * material_.thickness;
    for (std::int32_t i = 0; i < num_nodes; ++i) {
        add(q_, surface_.node(i));
        add(q_, surface_.normals[at(i)]);
        add(v_, vec3(rates, 3 * at(i)));
        add(v_, motion.spin.omega.cross(surface_.normals[at(i)]));
        for (std::int32_t axis = 0; axis < 3; ++axis)
            coordinates_.push_back({2 * i, axis, true, 1.0});
        for (std::int32_t axis = 0; axis < 3; ++axis)
            coordinates_.push_back({2 * i + 1, axis, false, half});
    }
    for (std::size_t k = 0; k < frames_.size(); ++k) {
        const Frame& frame = frames_[k];
        const Vec3& d = surface_.normals[at(frame.node)];
        Vec3 along = surface_.node(frame.q) - surface_.node(frame.p);
        along = (along - along.dot(d) * d).normalized();
        for (int i = 0; i < 3; ++i) {
            const Vec3 e = i == 0 ? along : i == 1 ? Vec3(d.cross(along)) : d;
            add(q_, e);
            add(v_, motion.spin.omega.cross(e));
            const auto vector = 2 * num_nodes + 3 * static_cast<std::int32_t>(k) + i;
            for (std::int32_t axis = 0; axis < 3; ++axis)
                coordinates_.push_back({vector, axis, false, half});
        }
    }
}

void Shell::set_blocks() {
    const auto num_quads = static_cast<std::int32_t>(surface_.quads.size());
    for (std::int32_t i = 0; i < surface_.num_nodes(); ++i)
        for (std::int32_t c = 3; c < 6; ++c) director_stencil_.push_back(kPerNode * i + c);
    for (std::size_t k = 0; k < frames_.size(); ++k) {
        const Frame& frame = frames_[k];
        for (std::int32_t c = 0; c < 9; ++c) frame_stencil_.push_back(frame_first(k) + c);
        for (const std::int32_t first :
             {kPerNode * frame.node + 3, kPerNode * frame.p, kPerNode * frame.q})
            for (std::int32_t c = 0; c < 3; ++c) frame_stencil_.push_back(first + c);
    }
    blocks_ = {{.name = "stretch and bending",
                .num_items = 4 * num_quads,
                .rows_per_item = 6,
                .scalars_per_item = 24,
                .stencil = point_stencil_,
                .laws = point_laws_,
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic},
               {.name = "shear",
                .num_items = num_quads,
                .rows_per_item = 4,
                .scalars_per_item = 24,
                .stencil = shear_stencil_,
                .laws = shear_laws_,
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic},
               {.name = "length of a director",
                .num_items = surface_.num_nodes(),
                .rows_per_item = 1,
                .scalars_per_item = 3,
                .stencil = director_stencil_,
                .laws = {&constraint_, 1},
                .degree = Degree::quadratic,
                .tangent = TangentForm::isotropic}};
    if (!frames_.empty())
        blocks_.push_back({.name = "axes of a node",
                           .num_items = static_cast<std::int32_t>(frames_.size()),
                           .rows_per_item = 9,
                           .scalars_per_item = 18,
                           .stencil = frame_stencil_,
                           .laws = {&constraint_, 1},
                           .degree = Degree::quadratic,
                           .tangent = TangentForm::isotropic});
}

void Shell::start(std::span<double> q, std::span<double> v) const {
    std::ranges::copy(q_, q.begin());
    std::ranges::copy(v_, v.begin());
}

// (6)
void Shell::mass(MassSink& M) const {
    const auto add = [&](std::int32_t i, std::int32_t j, double value) {
        for (std::int32_t axis = 0; axis < 3; ++axis)
            M.add(std::max(i, j) + axis, std::min(i, j) + axis, value);
    };
    for (std::int32_t i = 0; i < surface_.num_nodes(); ++i)
        if (node_mass_[at(i)] > 0.0) add(kPerNode * i, kPerNode * i, node_mass_[at(i)]);
    for (std::size_t k = 0; k < points_.size(); ++k) {
        const Quad& quad = surface_.quads[k / 4];
        const auto& [xi, eta] = kCorners[k % 4];
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double share = points_[k].area;
                for (const std::size_t c : {i, j})
                    share *= 0.25 * (1.0 + kCorners[c][0] * kGauss * xi) *
                             (1.0 + kCorners[c][1] * kGauss * eta);
                const std::int32_t a = kPerNode * quad[i], b = kPerNode * quad[j];
                add(a, b, share * material_.mass);
                add(a + 3, b + 3, share * material_.rotary);
            }
    }
}

std::int32_t Shell::node_of(const Locator& where) const {
    if (where.kind == Locator::Kind::coordinates)
        throw std::invalid_argument("points of a shell are its nodes, written as a number " +
                                    nodes::node_range(surface_.num_nodes()) +
                                    " or as the name of a group of one");
    const std::int64_t node =
        where.kind == Locator::Kind::name
            ? nodes::only_node(nodes::find_group(
                  surface_.groups, where.name, "shell", "element", surface_.num_nodes()))
            : where.index;
    if (node < 0 || node >= surface_.num_nodes())
        throw std::invalid_argument("there is no node " + std::to_string(node) +
                                    "; this shell has nodes " +
                                    nodes::node_range(surface_.num_nodes()));
    return static_cast<std::int32_t>(node);
}

std::int32_t Shell::find_frame(std::int64_t node) const {
    const auto found = std::ranges::find(frames_, node, &Frame::node);
    return found == frames_.end() ? -1 : static_cast<std::int32_t>(found - frames_.begin());
}

void Shell::attach(const Locator& where, AttachmentSink& out) const {
    const std::int32_t node = node_of(where);
    if (!where.is_direction) {
        for (int axis = 0; axis < 3; ++axis) out.weight(axis, kPerNode * node + axis, 1.0);
        return;
    }
    const Vec3 x = vec3(where.xyz);
    if (!(x.norm() > 0.0))
        throw std::invalid_argument(
            "a direction at a node is written in its axes, \"BODY@NODE@[x, y, z]\"");
    const std::int32_t frame = find_frame(node);
    if (frame < 0 && (x(0) != 0.0 || x(1) != 0.0))
        throw std::invalid_argument("node " + std::to_string(node) +
                                    " has no axes but its director, [0, 0, 1]; list it in "
                                    "\"frames\"");
    for (int axis = 0; axis < 3; ++axis) {
        if (frame < 0) {
            out.weight(axis, kPerNode * node + 3 + axis, x(2));
            continue;
        }
        for (int i = 0; i < 3; ++i) out.weight(axis, frame_first(at(frame)) + 3 * i + axis, x(i));
    }
}

std::span<const std::int32_t> Shell::group(std::string_view name) const {
    if (name == "*") return all_nodes_;
    return nodes::find_group(surface_.groups, name, "shell", "element", surface_.num_nodes()).nodes;
}

int Shell::find_coordinate(std::string_view name) const {
    constexpr std::string_view kBegin = "director_";
    if (!name.starts_with(kBegin) || name.size() < kBegin.size() + 3) return -1;
    const std::string_view number = name.substr(kBegin.size(), name.size() - kBegin.size() - 2);
    const char axis = name.back();
    std::int32_t node = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), node);
    if (error != std::errc() || end != number.data() + number.size() || number.front() == '-' ||
        (number.size() > 1 && number.front() == '0') || name[name.size() - 2] != '_' ||
        axis < 'x' || axis > 'z' || node >= surface_.num_nodes())
        return -1;
    return kPerNode * node + 3 + (axis - 'x');
}

void Shell::draw(Sketch& out) const {
    out.nodes(surface_.num_nodes());
    out.lines(edges_.ends);
    std::vector<std::int32_t> corners;
    for (const Quad& quad : surface_.quads)
        for (const std::size_t i : {0, 1, 2, 0, 2, 3}) corners.push_back(quad[i]);
    out.triangles(corners);
    if (material_.is_sheet) out.channel("von Mises stress", "Pa", ChannelPlace::nodes);
    out.channel("force", "N/m", ChannelPlace::nodes);
    out.channel("moment", "N", ChannelPlace::nodes);
}

void Shell::draw_values(const SketchState& at_state, std::span<double> values) const {
    const auto num = at(surface_.num_nodes());
    const double t = material_.thickness;
    std::vector<double> count(num, 0.0);
    std::array<std::vector<double>, 4> sums;  // stress of both faces, force, moment
    for (std::vector<double>& sum : sums) sum.assign(num, 0.0);
    for (std::size_t k = 0; k < surface_.quads.size(); ++k) {
        // Resultants: s are per row and area, e = T^-1 pi
        std::array<Vector6, 4> gauss;
        for (std::size_t g = 0; g < 4; ++g)
            gauss[g] = rows_.transpose() *
                       Eigen::Map<const Vector6>(at_state.s.data() + 6 * (4 * k + g)) /
                       points_[4 * k + g].area;
        for (std::size_t i = 0; i < 4; ++i) {
            // Bilinear through the Gauss points, which lie at kGauss of the corners
            Vector6 s = Vector6::Zero();
            for (std::size_t g = 0; g < 4; ++g)
                s += 0.25 * (1.0 + kCorners[i][0] * kCorners[g][0] / kGauss) *
                     (1.0 + kCorners[i][1] * kCorners[g][1] / kGauss) * gauss[g];
            const auto largest = [](double s11, double s22, double s12) {
                return 0.5 * std::abs(s11 + s22) + std::hypot(0.5 * (s11 - s22), s12);
            };
            const auto of_face = [&](double side) {
                const Vec3 x = s.head<3>() / t + side * 6.0 / (t * t) * s.tail<3>();
                return std::sqrt(x(0) * x(0) + x(1) * x(1) - x(0) * x(1) + 3.0 * x(2) * x(2));
            };
            const std::size_t node = at(surface_.quads[k][i]);
            count[node] += 1.0;
            sums[0][node] += of_face(1.0);
            sums[1][node] += of_face(-1.0);
            sums[2][node] += largest(s(0), s(1), s(2));
            sums[3][node] += largest(s(3), s(4), s(5));
        }
    }
    const std::size_t first = material_.is_sheet ? num : 0;
    for (std::size_t n = 0; n < num; ++n) {
        if (material_.is_sheet) values[n] = std::max(sums[0][n], sums[1][n]) / count[n];
        values[first + n] = sums[2][n] / count[n];
        values[first + num + n] = sums[3][n] / count[n];
    }
}

Shell::Tangents Shell::tangents(const Point& point, const Quad& quad, const double* u) const {
    Tangents out{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    for (int i = 0; i < 4; ++i) {
        const std::int32_t node = quad[static_cast<std::size_t>(i)];
        const auto r = point_of(u, node), d = director_of(u, node);
        out.ra += point.a(i) * r;
        out.rb += point.b(i) * r;
        out.da += point.a(i) * d;
        out.db += point.b(i) * d;
    }
    return out;
}

/// (2) and (3), symmetrically bilinear
Shell::Vector6 Shell::products(const Tangents& x, const Tangents& y) {
    Vector6 e;
    e << 0.5 * x.ra.dot(y.ra), 0.5 * x.rb.dot(y.rb), 0.5 * (x.ra.dot(y.rb) + x.rb.dot(y.ra)),
        0.5 * (x.ra.dot(y.da) + x.da.dot(y.ra)), 0.5 * (x.rb.dot(y.db) + x.db.dot(y.rb)),
        0.5 * (x.ra.dot(y.db) + x.rb.dot(y.da) + x.da.dot(y.rb) + x.db.dot(y.ra));
    return e;
}

/// (4) at the four sides, of r in u and d in w
Shell::Vector4 Shell::shears(const Quad& quad, const double* u, const double* w) const {
    Vector4 out;
    for (int k = 0; k < 4; ++k) {
        const Side& side = kSides[static_cast<std::size_t>(k)];
        const std::int32_t a = quad[side.from], b = quad[side.to];
        out(k) = 0.25 *
                 (point_of(u, b) - point_of(u, a)).dot(Vec3(director_of(w, a) + director_of(w, b)));
    }
    return out;
}

void Shell::evaluate(int block, const RowPoint& at_point, const RowValues& out) const {
    if (block == kPoints) evaluate_points(at_point, out);
    if (block == kShears) evaluate_shears(at_point, out);
    if (block == kDirectors) evaluate_directors(at_point, out);
    if (block == kFrames) evaluate_frames(at_point, out);
    std::ranges::fill(out.pi_t, 0.0);
}

void Shell::evaluate_points(const RowPoint& at_point, const RowValues& out) const {
    for (std::size_t k = 0; k < points_.size(); ++k) {
        const Point& point = points_[k];
        const Tangents x = tangents(point, surface_.quads[k / 4], at_point.u.data());
        if (!out.pi.empty())
            Eigen::Map<Vector6>(out.pi.data() + 6 * k) = rows_ * (products(x, x) - point.rest);
        if (!out.b.empty()) {
            const Tangents y = tangents(point, surface_.quads[k / 4], at_point.du.data());
            Eigen::Map<Vector6>(out.b.data() + 6 * k) = -2.0 * (rows_ * products(y, y));
        }
        if (out.A.empty()) continue;
        for (int row = 0; row < 6; ++row) {
            double* const A = out.A.data() + 24 * (6 * static_cast<std::ptrdiff_t>(k) + row);
            const auto T = rows_.row(row);
            // d pi by r,a, r,b, d,a, d,b
            const Vec3 ra = T(0) * x.ra + T(2) * x.rb + T(3) * x.da + T(5) * x.db;
            const Vec3 rb = T(1) * x.rb + T(2) * x.ra + T(4) * x.db + T(5) * x.da;
            const Vec3 da = T(3) * x.ra + T(5) * x.rb;
            const Vec3 db = T(4) * x.rb + T(5) * x.ra;
            for (int i = 0; i < 4; ++i) {
                put(A, i, point.a(i) * ra + point.b(i) * rb);
                put(A, 4 + i, point.a(i) * da + point.b(i) * db);
            }
        }
    }
}

void Shell::evaluate_shears(const RowPoint& at_point, const RowValues& out) const {
    const double* const u = at_point.u.data();
    for (std::size_t k = 0; k < shears_.size(); ++k) {
        const Quad& quad = surface_.quads[k];
        const Shear& shear = shears_[k];
        if (!out.pi.empty())
            Eigen::Map<Vector4>(out.pi.data() + 4 * k) =
                shear.T * (shears(quad, u, u) - shear.rest);
        if (!out.b.empty())
            Eigen::Map<Vector4>(out.b.data() + 4 * k) =
                -2.0 * (shear.T * shears(quad, at_point.du.data(), at_point.du.data()));
        if (out.A.empty()) continue;
        double* const A = out.A.data() + 96 * k;
        std::fill_n(A, 96, 0.0);
        for (int l = 0; l < 4; ++l) {
            const Side& side = kSides[static_cast<std::size_t>(l)];
            const std::int32_t a = quad[side.from], b = quad[side.to];
            const Vec3 d = 0.25 * (director_of(u, a) + director_of(u, b));
            const Vec3 r = 0.25 * (point_of(u, b) - point_of(u, a));
            for (int row = 0; row < 4; ++row) {
                const double T = shear.T(row, l);
                Eigen::Map<Eigen::Matrix<double, 3, 8>> of(A + 24 * row);
                of.col(static_cast<Eigen::Index>(side.to)) += T * d;
                of.col(static_cast<Eigen::Index>(side.from)) -= T * d;
                of.col(4 + static_cast<Eigen::Index>(side.to)) += T * r;
                of.col(4 + static_cast<Eigen::Index>(side.from)) += T * r;
            }
        }
    }
}

// (7), halved
void Shell::evaluate_directors(const RowPoint& at_point, const RowValues& out) const {
    for (std::int32_t i = 0; i < surface_.num_nodes(); ++i) {
        const Vec3 d = director_of(at_point.u.data(), i);
        if (!out.pi.empty()) {
            const double l = d.norm();
            out.pi[at(i)] = 0.5 * (l - 1.0) * (l + 1.0);
        }
        if (!out.A.empty()) put(out.A.data(), i, d);
        if (!out.b.empty()) out.b[at(i)] = -director_of(at_point.du.data(), i).squaredNorm();
    }
}

// (8)
void Shell::evaluate_frames(const RowPoint& at_point, const RowValues& out) const {
    for (std::size_t k = 0; k < frames_.size(); ++k) {
        const Frame& frame = frames_[k];
        struct Parts {
            Mat3 e;
            Vec3 d, edge;
        };
        const auto parts = [&](const double* u) {
            return Parts{Eigen::Map<const Mat3>(u + frame_first(k)),
                         director_of(u, frame.node),
                         (point_of(u, frame.q) - point_of(u, frame.p)) / frame.length};
        };
        const auto [e, d, edge] = parts(at_point.u.data());
        if (!out.pi.empty()) {
            double* const pi = out.pi.data() + 9 * k;
            for (int i = 0; i < 3; ++i) {
                const double l = e.col(i).norm();
                pi[i] = 0.5 * (l - 1.0) * (l + 1.0);
                pi[3 + i] = e.col(i).dot(e.col((i + 1) % 3));
            }
            pi[6] = e.col(0).dot(d);
            pi[7] = e.col(1).dot(d);
            pi[8] = e.col(1).dot(edge);
        }
        if (!out.A.empty()) {
            double* const A = out.A.data() + 162 * k;
            std::fill_n(A, 162, 0.0);
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3;
                put(A + 18 * i, i, e.col(i));
                put(A + 54 + 18 * i, i, e.col(j));
                put(A + 54 + 18 * i, j, e.col(i));
            }
            put(A + 108, 0, d);
            put(A + 108, 3, e.col(0));
            put(A + 126, 1, d);
            put(A + 126, 3, e.col(1));
            put(A + 144, 1, edge);
            put(A + 144, 4, -e.col(1) / frame.length);
            put(A + 144, 5, e.col(1) / frame.length);
        }
        if (out.b.empty()) continue;
        const auto [de, dd, d_edge] = parts(at_point.du.data());
        double* const b = out.b.data() + 9 * k;
        for (int i = 0; i < 3; ++i) {
            b[i] = -de.col(i).squaredNorm();
            b[3 + i] = -2.0 * de.col(i).dot(de.col((i + 1) % 3));
        }
        b[6] = -2.0 * de.col(0).dot(dd);
        b[7] = -2.0 * de.col(1).dot(dd);
        b[8] = -2.0 * de.col(1).dot(d_edge);
    }
}

void Shell::evaluate_tangent(int block, const TangentPoint& at_point, std::span<double> G) const {
    if (block == kPoints) {
        // P^T X P with P the weights a, b on r and on d, X = [S M; M 0]
        for (std::size_t k = 0; k < points_.size(); ++k) {
            const Point& point = points_[k];
            const Vector6 s =
                rows_.transpose() * Eigen::Map<const Vector6>(at_point.s.data() + 6 * k);
            Eigen::Matrix<double, 4, 4, Eigen::RowMajor> X;
            X << s(0), s(2), s(3), s(5),  //
                s(2), s(1), s(5), s(4),   //
                s(3), s(5), 0.0, 0.0,     //
                s(5), s(4), 0.0, 0.0;
            if (at_point.positive_part) keep_positive_part<4>(X.data());
            Eigen::Matrix<double, 4, 8> P = Eigen::Matrix<double, 4, 8>::Zero();
            P.row(0).head<4>() = P.row(2).tail<4>() = point.a.transpose();
            P.row(1).head<4>() = P.row(3).tail<4>() = point.b.transpose();
            const Eigen::Matrix<double, 4, 8> XP = X * P;
            Eigen::Map<Eigen::Matrix<double, 8, 8>>(G.data() + 64 * k) = P.transpose() * XP;
        }
        return;
    }
    if (block == kShears) {
        for (std::size_t k = 0; k < shears_.size(); ++k) {
            const Vector4 s =
                shears_[k].T.transpose() * Eigen::Map<const Vector4>(at_point.s.data() + 4 * k);
            Eigen::Map<Eigen::Matrix<double, 8, 8>> K(G.data() + 64 * k);
            K.setZero();
            for (int l = 0; l < 4; ++l) {
                const auto from =
                               static_cast<Eigen::Index>(kSides[static_cast<std::size_t>(l)].from),
                           to = static_cast<Eigen::Index>(kSides[static_cast<std::size_t>(l)].to);
                // s/4 (p w^T + w p^T), p = (-1, 1) on r, w = (1, 1) on d; the positive part is
                // |s|/8 (p +- w)(p +- w)^T
                Eigen::Matrix<double, 8, 1> p = Eigen::Matrix<double, 8, 1>::Zero(), w = p;
                p(from) = -1.0;
                p(to) = w(4 + from) = w(4 + to) = 1.0;
                if (!at_point.positive_part) {
                    K += 0.25 * s(l) * (p * w.transpose() + w * p.transpose());
                    continue;
                }
                const Eigen::Matrix<double, 8, 1> both = s(l) > 0.0
                                                             ? Eigen::Matrix<double, 8, 1>(p + w)
                                                             : Eigen::Matrix<double, 8, 1>(p - w);
                K += 0.125 * std::abs(s(l)) * both * both.transpose();
            }
        }
        return;
    }
    if (block == kDirectors) {
        for (std::size_t k = 0; k < G.size(); ++k)
            G[k] = at_point.positive_part ? std::max(at_point.s[k], 0.0) : at_point.s[k];
        return;
    }
    for (std::size_t k = 0; k < frames_.size(); ++k) {
        const double* const s = at_point.s.data() + 9 * k;
        Eigen::Map<Eigen::Matrix<double, 6, 6>> K(G.data() + 36 * k);
        K.setZero();
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            K(i, i) = s[i];
            K(i, j) = K(j, i) = s[3 + i];
        }
        const double pull = s[8] / frames_[k].length;
        K(0, 3) = K(3, 0) = s[6];
        K(1, 3) = K(3, 1) = s[7];
        K(1, 4) = K(4, 1) = -pull;
        K(1, 5) = K(5, 1) = pull;
        if (at_point.positive_part) keep_positive_part<6>(K.data());
    }
}

}  // namespace ancora::shell
